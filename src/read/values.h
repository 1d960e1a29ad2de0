/// Values of JSON in which other members may be anything.
#ifndef GG_READ_VALUES_H
#define GG_READ_VALUES_H

#include "io/jscan.h"

/// Enter the next value if it is an object; any other is passed over.
bool enter_object(struct jscan *js);

/// The same for an array.
bool enter_array(struct jscan *js);

/// The next value if it is a whole number in digits: a JSON number, and where `quoted` one in a
/// string too, as the JSON mapping of protobuf writes 64-bit ones. Any other value is passed over.
bool read_integer(struct jscan *js, bool quoted, int64_t *out);

#endif
