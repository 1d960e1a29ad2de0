/// What a recording is of that has no activity of a GPU in it: other vendors' devices.
#ifndef GG_READ_OTHER_DEVICE_H
#define GG_READ_OTHER_DEVICE_H

#include "base/diag.h"

/// The device whose activities the recording at `path` holds under names of their own ("MTIA of
/// Meta"), by what its text says; NULL if there is no trace of one, or it cannot be read again.
/// Static.
const char *other_device(const char *path);

#endif
