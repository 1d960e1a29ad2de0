/// The wire format of protobuf: a message → its fields, in order, nothing copied.
/// Source: protobuf.dev/programming-guides/encoding. Groups, which no one writes, are refused.
#ifndef GG_XSPACE_WIRE_H
#define GG_XSPACE_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct wire_field {
	uint32_t number;
	enum wire_type type;
	uint64_t value; ///< of a number, as its bits; of bytes their count
	struct span bytes; ///< of WIRE_BYTES, within the message; else empty
};

enum wire_step { WIRE_FIELD, WIRE_END, WIRE_BAD };

/// The number of up to 10 bytes at the front of `*s`, which is consumed; false where it does not
/// end.
bool wire_varint(struct span *s, uint64_t *out);

/// The next field of the message `*rest`, which is consumed; WIRE_BAD if the message is damaged.
enum wire_step wire_next(struct span *rest, struct wire_field *out);

/// `for` over the fields of a span; `*ok` becomes false where it is not a message.
#define WIRE_EACH(rest, field, ok)                                    \
	for (enum wire_step step_; (step_ = wire_next(&(rest), &(field)), \
	                           *(ok) = *(ok) && step_ != WIRE_BAD, step_ == WIRE_FIELD);)

#endif
