#include "diff/changes.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/sort.h"

/* PERMUTATIONS: least number of permutations in a test; a small `p` (struct search) needs more of
   them. */
enum { PERMUTATIONS = 999, MILLION = 1000000 };

struct search {
	double *v; ///< the series as differences from its first value, so that sums of close values are
	           ///< exact
	double *shuffled, *sums; ///< scratch memory for the piece of the series that is being searched
	uint64_t state; ///< state of the random number generator
	int64_t p; ///< largest p value of a change point, in millionths
	bool early; ///< true if Student's t test is tried, too: it may find a new level by its first
	            ///< three values
	struct change_list *out;
};

/* Random numbers by SplitMix64. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* Seed from the series: FNV-1a hash of the values, least significant byte first. */
static uint64_t seed_of(const int64_t *v, size_t nr)
{
	uint64_t hash = 0xcbf29ce484222325u;
	for (size_t i = 0; i < nr; i++)
		for (int bit = 0; bit < 64; bit += 8)
			hash = (hash ^ ((uint64_t)v[i] >> bit & 0xFF)) * 0x100000001b3u;
	return hash;
}

/* Two adjacent pieces of a series: v[0..at) and v[at..end). */
struct pieces {
	size_t at, end;
	bool up; ///< true if the values of the second piece are higher on average
};

/* Find the two adjacent pieces, of m and n values, for which m n / (m + n) times the squared
   difference of their means is largest. Returns this product, which is half of the divergence of
   the E-divisive method with squared distances. */
static double best_split(struct search *s, const double *v, size_t nr, struct pieces *pieces)
{
	double best = -1, *sums = s->sums;
	sums[0] = 0;
	for (size_t i = 0; i < nr; i++)
		sums[i + 1] = sums[i] + v[i];
	for (size_t end = 2 * CHANGE_LEAST; end <= nr; end++)
		for (size_t k = CHANGE_LEAST; k + CHANGE_LEAST <= end; k++) {
			double m = (double)k, n = (double)(end - k);
			double apart = n * sums[k] - m * (sums[end] - sums[k]);
			double q = apart * apart / (m * n * (m + n));
			if (q > best) {
				best = q;
				*pieces = (struct pieces){ k, end, apart < 0 };
			}
		}
	return best;
}

/* Fisher–Yates shuffle. */
static void shuffle(double *v, size_t nr, uint64_t *state)
{
	for (size_t i = nr; i > 1; i--) {
		size_t k = (size_t)((__uint128_t)next_random(state) * i >> 64);
		double kept = v[i - 1];
		v[i - 1] = v[k];
		v[k] = kept;
	}
}

/* True if at most a share `s->p` of the permutations of the series has a split as good as the best
 * split of the series itself, for which best_split() returned `observed`. Returns false at the
 * first permutation beyond this share, without testing the others. */
static bool is_change(struct search *s, const double *v, size_t nr, double observed, int64_t *p)
{
	int64_t rounds = MILLION / s->p - 1;
	rounds = rounds > PERMUTATIONS ? rounds : PERMUTATIONS;
	/* number of series with a split that is as good: the series itself, and some permutations */
	int64_t as_well = 1;
	struct pieces any;
	memcpy(s->shuffled, v, nr * sizeof *v);
	for (int64_t i = 0; i < rounds; i++) {
		shuffle(s->shuffled, nr, &s->state);
		as_well += best_split(s, s->shuffled, nr, &any) >= observed;
		if (as_well * MILLION > s->p * (rounds + 1))
			return false;
	}
	*p = as_well * MILLION / (rounds + 1);
	return true;
}

static double squares(const double *v, size_t nr)
{
	double mean = 0, sum = 0;
	for (size_t i = 0; i < nr; i++)
		mean += v[i] / (double)nr;
	for (size_t i = 0; i < nr; i++)
		sum += (v[i] - mean) * (v[i] - mean);
	return sum;
}

/* True if, by Student's t test, the two pieces are further apart than the noise within them
   explains. The test's p value is multiplied by the number of pairs of pieces that were tried
   (Bonferroni). The test is needed for few runs, which have too few permutations for is_change():
   ten runs on one level and three on another have only 286. Pieces without any noise need only
   differ. */
static bool is_step(const struct search *s, const double *v, size_t nr, struct pieces at, double q,
                    int64_t *p)
{
	double df = (double)at.end - 2, tries = (double)nr - 2 * CHANGE_LEAST + 1;
	double noise = squares(v, at.at) + squares(v + at.at, at.end - at.at);
	double t = noise > 0 ? sqrt(q / (noise / df)) : INFINITY;
	double chance = isinf(t) ? 0 : student_tail(t, df) * tries * (tries + 1) * MILLION;
	*p = chance > 1 ? (int64_t)fmin(chance, MILLION) : 1;
	return chance <= (double)s->p;
}

static void split(struct search *s, size_t first, size_t nr)
{
	struct pieces best = { 0 };
	int64_t p;
	if (nr < 2 * CHANGE_LEAST)
		return;
	const double *v = s->v + first;
	double q = best_split(s, v, nr, &best);
	if (q <= 0 || !((s->early && is_step(s, v, nr, best, q, &p)) || is_change(s, v, nr, q, &p)))
		return;
	vec_push(&s->out->list, (struct change_point){ first + best.at, best.up, p });
	split(s, first, best.at);
	split(s, first + best.at, nr - best.at);
}

ORDERING(point_cmp, struct change_point, RISING(at))

void changes_find(const int64_t *v, size_t nr, int64_t p, bool early, struct change_list *out)
{
	size_t older = nr > CHANGE_MOST ? nr - CHANGE_MOST : 0;
	v += older;
	nr -= older;
	struct search s = { .p = p, .early = early, .out = out, .state = seed_of(v, nr) };
	*out = (struct change_list){ 0 };
	s.v = mem_calloc(nr + 1, sizeof *s.v);
	s.shuffled = mem_calloc(nr + 1, sizeof *s.shuffled);
	s.sums = mem_calloc(nr + 1, sizeof *s.sums);
	for (size_t i = 0; i < nr; i++)
		s.v[i] = (double)((__int128)v[i] - v[0]);
	split(&s, 0, nr);
	vec_sort(&out->list, point_cmp);
	for (size_t i = 0; i < out->list.nr; i++)
		out->list.v[i].at += older;
	free(s.v);
	free(s.shuffled);
	free(s.sums);
}
