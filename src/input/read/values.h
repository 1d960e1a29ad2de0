/// Reads JSON values of an expected type; values of another type are skipped.
#ifndef GG_READ_VALUES_H
#define GG_READ_VALUES_H

#include "io/jscan.h"

/// Enters the next value if it is an object; any other value is skipped, and the result is false.
bool enter_object(struct jscan *js);

/// Like enter_object(), for an array.
bool enter_array(struct jscan *js);

/// Reads the next value if it is a whole number in digits, perhaps with a minus sign, of at most
/// 2^63 - 1 in size: a JSON number, or, if `quoted`, also a string of digits, as the JSON mapping
/// of protobuf writes 64-bit numbers. Any other value is skipped, and the result is false.
bool read_integer(struct jscan *js, bool quoted, int64_t *out);

#endif
