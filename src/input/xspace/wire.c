/* The wire format of protobuf: splits a message into its fields, in order, without copying. Source:
   protobuf.dev/programming-guides/encoding. Groups are refused, since nobody writes them. */
#include "xspace/xplane.h"

bool wire_varint(struct span *s, uint64_t *out)
{
	uint64_t v = 0;
	for (size_t i = 0; i < s->n && i < 10; i++) {
		uint64_t c = (unsigned char)s->p[i];
		v |= (c & 127) << (7 * i);
		if (c >= 128)
			continue;
		*s = (struct span){ s->p + i + 1, s->n - i - 1 };
		*out = v;
		return true;
	}
	return false;
}

static bool fixed(struct span *s, size_t n, uint64_t *out)
{
	*out = 0;
	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		*out |= (uint64_t)(unsigned char)s->p[i] << (8 * i);
	*s = span_from(*s, n);
	return true;
}

static bool value(struct span *rest, struct wire_field *f)
{
	f->bytes = (struct span){ rest->p, 0 };
	switch (f->type) {
	case WIRE_VARINT:
		return wire_varint(rest, &f->value);
	case WIRE_FIXED64:
		return fixed(rest, 8, &f->value);
	case WIRE_FIXED32:
		return fixed(rest, 4, &f->value);
	case WIRE_BYTES:
		if (!wire_varint(rest, &f->value) || f->value > rest->n)
			return false;
		f->bytes = (struct span){ rest->p, (size_t)f->value };
		*rest = (struct span){ rest->p + f->value, rest->n - (size_t)f->value };
		return true;
	}
	return false;
}

enum wire_step wire_next(struct span *rest, struct wire_field *out)
{
	uint64_t key;
	if (!rest->n)
		return WIRE_END;
	if (!wire_varint(rest, &key) || key >> 3 == 0 || key >> 32)
		return WIRE_BAD;
	out->number = (uint32_t)(key >> 3);
	out->type = (enum wire_type)(key & 7);
	return value(rest, out) ? WIRE_FIELD : WIRE_BAD;
}
