/// Inside of the reducer: time that no function of a higher class covers.
#ifndef GG_REDUCE_FUNCTIONS_H
#define GG_REDUCE_FUNCTIONS_H

#include "reduce/reducer.h"

/// Length of what lies before `at`, within segment `i` and those before it,
/// where `i` is the last that begins by then; 0 segments: `i` is not looked at.
static inline int64_t higher_before(const struct higher *h, size_t i, int64_t at)
{
	if (h->list.nr == 0 || at < h->list.v[i].start_ns)
		return 0;
	const struct segment *s = &h->list.v[i];
	int64_t length = s[1].before_ns - s->before_ns, past = at - s->start_ns;
	return s->before_ns + (past < length ? past : length);
}

/// Rows of Python functions: a tree of call paths, unordered, behind those of `d`. Each
/// holds its path in place of the median, until python_medians().
void python_figures(struct reducer *r, struct digest *d);

/// The medians of the rows that are left.
void python_medians(struct reducer *r, struct digest *d);

#endif
