/// The time in which functions of higher classes run, and how much of an interval is left for
/// functions of a lower class. GPU work is the highest class, then come runtime calls, then Python.
#ifndef GG_CODE_HIGHER_H
#define GG_CODE_HIGHER_H

#include <stdint.h>

#include "base/vec.h"

/// An interval in which functions of higher classes run. The length of a segment is the `before_ns`
/// of the next segment minus its own `before_ns`.
struct segment {
	int64_t start_ns;
	int64_t before_ns; ///< prefix sum: length of all segments before this one
};

/// The time in which functions of higher classes run, as disjoint segments, sorted by start. After
/// the last segment comes one more element, which `nr` does not count: its `before_ns` is the
/// length of all segments.
struct higher {
	VEC(struct segment) list;
};

/// End of a segment.
static inline int64_t segment_end(const struct segment *s)
{
	return s->start_ns + (s[1].before_ns - s->before_ns); /* start_ns + before_ns may overflow */
}

/// Position in a walk over the segments in order of time.
struct higher_walk {
	const struct higher *higher;
	size_t begun; ///< number of segments that have begun
	int64_t until_ns, next_ns; ///< end of the last segment that has begun, and start of the next
};

/// A walk that is at a moment before all segments.
static inline struct higher_walk higher_walk_begin(const struct higher *h)
{
	return (struct higher_walk){ h, 0, INT64_MIN, h->list.nr ? h->list.v[0].start_ns : INT64_MAX };
}

/// Moves to the moment `at`, which must not be before the present one.
static inline void higher_walk_to(struct higher_walk *w, int64_t at)
{
	while (w->next_ns <= at && w->begun < w->higher->list.nr) {
		const struct segment *s = &w->higher->list.v[w->begun++];
		w->until_ns = segment_end(s);
		w->next_ns = w->begun < w->higher->list.nr ? s[1].start_ns : INT64_MAX;
	}
}

/// The result of higher_free() for an interval that ends after the start of the next segment;
/// called only by higher_free().
int64_t higher_free_far(const struct higher_walk *w, int64_t from, int64_t to);

/// Time of [from, to) that no segment covers. The walk must not have moved beyond `from`.
static inline int64_t higher_free(const struct higher_walk *w, int64_t from, int64_t to)
{
	if (w->next_ns < to)
		return higher_free_far(w, from, to);
	return w->until_ns <= from ? to - from : w->until_ns < to ? to - w->until_ns : 0;
}

#endif
