/// The wire format of protobuf: splits a message into its fields, in order, without copying.
/// Source: protobuf.dev/programming-guides/encoding. Groups are refused, since nobody writes them.
#ifndef GG_XSPACE_WIRE_H
#define GG_XSPACE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value; ///< bits of a number; for WIRE_BYTES the number of bytes
	struct span bytes; ///< bytes of a WIRE_BYTES field, within the message; else empty
};

enum wire_step { WIRE_FIELD, WIRE_END, WIRE_BAD };

/// Reads a number of up to 10 bytes off the front of `*s`; false if the number does not end within
/// `*s`.
bool wire_varint(struct span *s, uint64_t *out);

/// Reads the next field off the message `*rest`; WIRE_BAD if the message is damaged.
enum wire_step wire_next(struct span *rest, struct wire_field *out);

/// A `for` loop over the fields of a message in a span; `*ok` becomes false if the span is not a
/// message.
#define WIRE_EACH(rest, field, ok)                                    \
	for (enum wire_step step_; (step_ = wire_next(&(rest), &(field)), \
	                           *(ok) = *(ok) && step_ != WIRE_BAD, step_ == WIRE_FIELD);)

#endif
