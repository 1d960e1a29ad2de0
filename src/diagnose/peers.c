#include "diagnose/peers.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"

enum { MAD_SCALE = 14826, MAD_DEN = 10000, MADS = 3 };

struct peers peers_of(int64_t *v, size_t nr)
{
	struct peers s;
	int64_t mad = number_mad(v, nr, &s.median);
	s.mad = number_div_round((__int128)mad * MAD_SCALE, MAD_DEN);
	return s;
}

bool peers_exclude(struct peers s, int64_t value, int64_t floor_pct)
{
	__int128 d = number_distance(value, s.median);
	__int128 larger = value > s.median ? value : s.median;
	return d > (__int128)MADS * s.mad && d * 100 > larger * floor_pct;
}

/* ---- slow ranks ---- */

void slow_ranks(const int64_t *skew, size_t nr, bool *is_slow)
{
	enum { FEWEST = 3 };
	int64_t *known = mem_calloc(nr, sizeof *known);
	size_t n = 0;
	for (size_t i = 0; i < nr; i++)
		if (skew[i] != INT64_MIN)
			known[n++] = skew[i];
	struct peers s = n ? peers_of(known, n) : (struct peers){ 0 };
	for (size_t i = 0; i < nr; i++)
		is_slow[i] = n >= FEWEST && skew[i] > SLOW_FLOOR &&
		             (__int128)skew[i] - s.median > (__int128)MADS * s.mad;
	free(known);
}

/* ---- late ranks ---- */

void late_ranks(const int64_t *late_ns, const int64_t *step_ns, size_t nr, bool *is_late)
{
	enum { FLOOR_PCT = 1 };
	int64_t *sorted = mem_calloc(nr, sizeof *sorted), most = 0;
	for (size_t i = 0; i < nr; i++) {
		sorted[i] = late_ns[i];
		most = late_ns[i] > most ? late_ns[i] : most;
	}
	struct peers s = nr ? peers_of(sorted, nr) : (struct peers){ 0 };
	for (size_t i = 0; i < nr; i++)
		is_late[i] = (__int128)late_ns[i] * 100 > (__int128)step_ns[i] * FLOOR_PCT &&
		             peers_exclude(s, late_ns[i], 0) && late_ns[i] > s.median &&
		             late_ns[i] >= most / 2;
	free(sorted);
}

/* ---- slow links ---- */

static int by_sort(const void *a, const void *b)
{
	const struct link_point *x = a, *y = b;
	if (x->sort != y->sort)
		return x->sort < y->sort ? -1 : 1;
	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? -1 : 1;
	if (x->wire_ns != y->wire_ns)
		return x->wire_ns < y->wire_ns ? -1 : 1;
	return (x->lag_ns > y->lag_ns) - (x->lag_ns < y->lag_ns);
}

/* Set the transfer time of equal messages to the shortest one, since all ranks wait in the
   others. */
static void without_waiting(struct link_point *p, size_t nr)
{
	sort_plain(p, nr, sizeof *p, by_sort);
	for (size_t i = 1; i < nr; i++)
		if (p[i].bytes >= 0 && p[i].sort == p[i - 1].sort && p[i].bytes == p[i - 1].bytes)
			p[i].wire_ns = p[i - 1].wire_ns;
}

static int64_t slope_of(struct link_point *p, size_t nr)
{
	enum { FEWEST = 24, LONGER_PCT = 125, AGREE_PCT = 90 };
	int64_t *slopes = mem_calloc(nr * nr, sizeof *slopes), slope = 0;
	size_t pairs = 0, rising = 0;
	without_waiting(p, nr);
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < nr; k++) {
			if ((__int128)p[k].wire_ns * 100 < (__int128)p[i].wire_ns * LONGER_PCT ||
			    p[k].wire_ns <= p[i].wire_ns)
				continue;
			__int128 more = (__int128)p[k].lag_ns - p[i].lag_ns;
			rising += more > 0;
			slopes[pairs++] = number_div_round(more * MICRO, p[k].wire_ns - p[i].wire_ns);
		}
	if (pairs >= FEWEST && rising * 100 >= pairs * AGREE_PCT)
		slope = number_median(slopes, pairs);
	free(slopes);
	return slope;
}

/* Plotted as lag over transfer time, collectives in which the rank came last lie on one line, the
   others on another. Either line may show the slope, or both together if one has the short
   transfers and the other the long ones. */
int64_t link_slope(struct link_point *p, size_t nr)
{
	struct link_point *some = mem_calloc(nr, sizeof *some);
	int64_t best = 0;
	for (int which = 0; which < 3; which++) {
		size_t n = 0;
		for (size_t i = 0; i < nr; i++)
			if (which == 2 || p[i].last == which)
				some[n++] = p[i];
		int64_t slope = slope_of(some, n);
		best = slope > best ? slope : best;
	}
	free(some);
	return best;
}
