/// Finds out for which other vendor's device a recording without GPU activities was made.
#ifndef GG_READ_OTHER_DEVICE_H
#define GG_READ_OTHER_DEVICE_H

#include "base/diag.h"

/// The other vendor's device whose activities the recording at `path` contains ("MTIA of Meta"),
/// recognized by words that occur only in recordings of that device; NULL if there are no such
/// words, or if the file cannot be read again. The text is static.
const char *other_device(const char *path);

#endif
