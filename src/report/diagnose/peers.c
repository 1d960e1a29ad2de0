#include "diagnose/peers.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/sort.h"

enum { MADS = 3 };

struct peers peers_of(int64_t *v, size_t nr)
{
	struct peers s;
	s.mad = number_spread(v, nr, &s.median);
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
