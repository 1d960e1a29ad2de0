#include "fold/present.h"

#include <inttypes.h>

#include "base/number.h"
#include "model/fold.h"

/* Number of ranges of ranks that a text names. The ranks of further ranges are only counted. */
enum { RANGES_NAMED = 10 };

/* The ranks from `first` to `last`, both included. */
struct range {
	int64_t first, last;
};
struct ranges {
	struct range *v;
	size_t nr, cap;
};

static void add_range(struct ranges *out, int64_t first, int64_t last)
{
	if (first <= last)
		vec_push(out, (struct range){ first, last });
}

/* Appends the ranges as text, such as "3, 5 to 7 and 9". */
static void name_ranges(const struct ranges *r, struct strbuf *out)
{
	int64_t unnamed = 0;
	for (size_t i = RANGES_NAMED; i < r->nr; i++)
		unnamed += r->v[i].last - r->v[i].first + 1;
	size_t nr = r->nr < RANGES_NAMED ? r->nr : RANGES_NAMED;
	for (size_t i = 0; i < nr; i++) {
		bool last = i + 1 == nr && !unnamed;
		strbuf_adds(out, i == 0 ? "" : last ? " and " : ", ");
		strbuf_addf(out, "%" PRId64, r->v[i].first);
		if (r->v[i].last > r->v[i].first)
			strbuf_addf(out, " to %" PRId64, r->v[i].last);
	}
	if (unnamed)
		strbuf_addf(out, " and %" PRId64 " more", unnamed);
}

/* Adds a rank, which must not be below the last one, to the ranges. */
static void add_rank(struct ranges *out, int64_t rank)
{
	struct range *last = out->nr ? &out->v[out->nr - 1] : NULL;
	if (last && rank - last->last <= 1)
		last->last = rank;
	else
		add_range(out, rank, rank);
}

void ranks_name(const int64_t *ranks, size_t nr, struct strbuf *out)
{
	struct ranges r = { 0 };
	for (size_t i = 0; i < nr; i++)
		add_rank(&r, ranks[i]);
	name_ranges(&r, out);
	vec_release(&r);
}

/* Fills `there` with the ranks of `run`, and `missing` with the numbers below `expected` that no
   rank has. Returns the number of ranks. */
static size_t ranges_of(const struct run *run, int64_t expected, struct ranges *there,
                        struct ranges *missing)
{
	int64_t next = 0;
	size_t nr = 0;
	VEC(int64_t) all = VEC_INIT;
	const struct fold *f = run_fold(run) ? run_fold(run) : run->folded ? run->folded->fold : NULL;
	for (size_t i = 0; f && i < f->nr; i++)
		vec_push(&all, f->rank[i]);
	for (size_t i = 0; !run_fold(run) && i < run->ranks.nr; i++)
		vec_push(&all, run->ranks.v[i]->rank);
	vec_sort(&all, number_cmp_i64);
	for (size_t i = 0; i < all.nr; i++) {
		int64_t rank = all.v[i];
		if (rank < 0 || (nr && rank < next))
			/* no new rank: a result file of the whole run, or another file of the previous rank */
			continue;
		nr++;
		add_range(missing, next, rank - 1);
		add_rank(there, rank);
		next = rank + 1;
	}
	add_range(missing, next, expected - 1);
	vec_release(&all);
	return nr;
}

const char *present_fault(const struct run *run, int64_t expected, struct arena *a)
{
	struct ranges there = { 0 }, missing = { 0 };
	struct strbuf b = STRBUF_INIT;
	const char *text = NULL;
	size_t nr = ranges_of(run, expected, &there, &missing);
	bool beyond = there.nr && there.v[there.nr - 1].last >= expected;
	if (nr != (uint64_t)expected) {
		bool one = missing.nr == 1 && missing.v[0].first == missing.v[0].last;
		if (beyond || nr == 0) { /* ranks are not numbered from 0, or there are too many */
			strbuf_addf(&b, "%" PRId64 " rank%s expected, and there %s %zu", expected,
			            expected == 1 ? " was" : "s were", nr == 1 ? "is" : "are", nr);
			strbuf_adds(&b, nr ? nr == 1 ? ": rank " : ": ranks " : "");
			name_ranges(&there, &b);
		} else {
			strbuf_adds(&b, one ? "rank " : "ranks ");
			name_ranges(&missing, &b);
			strbuf_addf(&b, " of %" PRId64 " %s missing", expected, one ? "is" : "are");
		}
		text = arena_dup(a, strbuf_span(&b));
	}
	strbuf_release(&b);
	vec_release(&there);
	vec_release(&missing);
	return text;
}
