/// Whole numbers of foreign JSON.
#ifndef GG_READ_INTEGER_H
#define GG_READ_INTEGER_H

#include "io/jscan.h"

/// The next value if it is a whole number in digits: a JSON number, and where `quoted` one in a
/// string too, as the JSON mapping of protobuf writes 64-bit ones. Any other value is passed over.
bool read_integer(struct jscan *js, bool quoted, int64_t *out);

#endif
