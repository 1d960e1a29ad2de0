/// Finds out for which other vendor's device a recording without GPU activities was made.
#ifndef GG_READ_OTHER_DEVICE_H
#define GG_READ_OTHER_DEVICE_H

#include "base/diag.h"

/// The device whose activities the recording at `path` holds under other names ("MTIA of Meta"),
/// judged by words in its text; NULL if it holds no such activities, or if the file cannot be read
/// again. Static.
const char *other_device(const char *path);

#endif
