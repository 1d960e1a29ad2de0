/// What a fuzzer chooses, byte by byte: targets make inputs of it that are sound except for what
/// was chosen.
#ifndef GG_TESTS_CHOICES_H
#define GG_TESTS_CHOICES_H

#include <stddef.h>
#include <stdint.h>

/// The bytes that are left.
struct choices {
	const uint8_t *p, *end;
};

/// One of `nr` (1 to 256); the first where no bytes are left.
static inline size_t choose(struct choices *c, size_t nr)
{
	return c->p < c->end ? *c->p++ % nr : 0;
}

/// Any 16 bits.
static inline int64_t choose_number(struct choices *c)
{
	int64_t low = (int64_t)choose(c, 256);
	return low + 256 * (int64_t)choose(c, 256);
}

#endif
