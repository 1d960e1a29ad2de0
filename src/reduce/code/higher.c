#include "code/higher.h"

#include "base/search.h"

/* Time before `at` that segments cover. The caller knows that at least `begun` segments start at
 * `at` or before. */
static int64_t covered_before(const struct higher *h, size_t begun, int64_t at)
{
	const struct segment *v = h->list.v;
	/* lo becomes the number of segments that start at `at` or before */
	size_t lo = begun, hi = h->list.nr;
	SEARCH_NEAR(lo, hi, i, v[i].start_ns <= at);
	if (!lo)
		return 0;
	int64_t length = v[lo].before_ns - v[lo - 1].before_ns, past = at - v[lo - 1].start_ns;
	return v[lo - 1].before_ns + (past < length ? past : length);
}

int64_t higher_free_far(const struct higher_walk *w, int64_t from, int64_t to)
{
	return to - from -
	       (covered_before(w->higher, w->begun, to) - covered_before(w->higher, w->begun, from));
}
