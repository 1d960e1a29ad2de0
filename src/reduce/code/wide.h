/// Stores 64-bit numbers in 31 bits, since almost all durations and correlation ids are small. Each
/// number of more than 30 bits goes to a list, and the 31 bits hold its index and the flag WIDE.
#ifndef GG_CODE_WIDE_H
#define GG_CODE_WIDE_H

#include "base/vec.h"

/// Flag in a packed number. If it is set, the other bits are an index in the list; else they are
/// the number itself.
#define WIDE ((uint32_t)1 << 30)

/// The numbers that do not fit into 30 bits.
struct wide_numbers {
	VEC(int64_t) list;
};

/// Adds a number to the list; sets `*fault` if the list is full.
uint32_t wide_add(struct wide_numbers *w, int64_t v, const char **fault);

/// Packs a number: 0 to 2^30 - 1 as it is, any other as its index in the list, with the flag WIDE.
/// Sets `*fault` if the list is full.
static inline uint32_t narrow(struct wide_numbers *w, int64_t v, const char **fault)
{
	return v >= 0 && v < WIDE ? (uint32_t)v : wide_add(w, v, fault);
}

/// Unpacks a number that was packed by narrow().
static inline int64_t widen(const struct wide_numbers *w, uint32_t v)
{
	return (v & WIDE) ? w->list.v[v - WIDE] : v;
}

#endif
