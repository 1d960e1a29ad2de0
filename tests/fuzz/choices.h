/// Reads choices from the bytes of a fuzzer. With them, fuzz targets build inputs of a valid form,
/// in which only the choices can be faulty.
#ifndef GG_TESTS_CHOICES_H
#define GG_TESTS_CHOICES_H

#include <stddef.h>
#include <stdint.h>

/// The bytes of the input that have not been used.
struct choices {
	const uint8_t *p, *end;
};

/// Chooses one of `nr` (1 to 256) possibilities; the first if no bytes are left.
static inline size_t choose(struct choices *c, size_t nr)
{
	return c->p < c->end ? *c->p++ % nr : 0;
}

/// Chooses any number of 16 bits.
static inline int64_t choose_number(struct choices *c)
{
	int64_t low = (int64_t)choose(c, 256);
	return low + 256 * (int64_t)choose(c, 256);
}

#endif
