/// Length of the union of half-open intervals that come in order of their starts. Takes constant
/// memory for any number of intervals.
#ifndef GG_BASE_INTERVALS_H
#define GG_BASE_INTERVALS_H

#include <stdint.h>

/// Union of the intervals added so far. The time from the earliest start to the latest end must not
/// exceed INT64_MAX ns.
struct cover {
	int64_t end; ///< end of the last interval of the union
	int64_t length_ns; ///< total length of the union
};
#define COVER_INIT   \
	{                \
		INT64_MIN, 0 \
	}

/// Adds [start, end), which is ignored if empty; `start` must not be below any earlier start.
static inline void cover_add(struct cover *c, int64_t start, int64_t end)
{
	int64_t from = start > c->end ? start : c->end;
	if (end > from) {
		c->length_ns += end - from;
		c->end = end;
	}
}

/// Length of the part of the union before `at`, which must not be below any start so far.
static inline int64_t cover_before(const struct cover *c, int64_t at)
{
	return c->end > at ? c->length_ns - (c->end - at) : c->length_ns;
}

#endif
