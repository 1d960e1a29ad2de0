/* Change points: planted ones are found at their place, flat series have none, and a slow search by
   the definition of the divergence gives the same result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "diff/changes.h"

enum { SEEDS = 200, P = 1000, MEAN = 10000000 };

static uint64_t state;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (double)(state >> 11) / 9007199254740992.0;
}

/* A random number with an almost normal distribution. */
static double normal(void)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

/* Makes `nr` values with `noise`; the values from index `at` to `end` are higher by the share
   `rise`. */
static void make(int64_t *v, size_t nr, double noise, double rise, size_t at, size_t end)
{
	for (size_t i = 0; i < nr; i++)
		v[i] = (int64_t)(MEAN * (1 + noise * normal()) * (1 + (i >= at && i < end ? rise : 0)));
}

static void test_planted(void **set)
{
	size_t found = 0, extra = 0;
	(void)set;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		struct change_list c;
		int64_t v[40];
		bool near = false;
		state = seed;
		make(v, 40, 0.02, 0.05, 20, 40);
		changes_find(v, 40, P, false, &c);
		for (size_t i = 0; i < c.list.nr; i++)
			near = near || (c.list.v[i].at >= 18 && c.list.v[i].at <= 22);
		found += near;
		extra += c.list.nr > near;
		vec_release(&c.list);
	}
	print_message("found within 2 runs: %zu of %d; with other points: %zu\n", found, SEEDS, extra);
	assert_true(found * 100 >= SEEDS * 95);
	assert_true(extra * 100 <= SEEDS * 5);
}

static void test_flat(void **set)
{
	static const size_t lengths[] = { 6, 20, 40, 200 };
	(void)set;
	for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
		size_t with = 0;
		for (uint64_t seed = 1; seed <= SEEDS; seed++) {
			struct change_list c;
			int64_t v[200];
			state = seed * 77 + k;
			make(v, lengths[k], 0.02, 0, 0, 0);
			changes_find(v, lengths[k], P, seed % 2, &c);
			with += c.list.nr > 0;
			vec_release(&c.list);
		}
		print_message("%zu flat runs: %zu of %d with a point\n", lengths[k], with, SEEDS);
		assert_true(with * 100 <= SEEDS * 5);
	}
}

/* No change point is found for a change that is reverted, and for a single outlier. */
static void test_shapes(void **set)
{
	struct change_list c;
	int64_t v[60];
	(void)set;
	state = 5;
	make(v, 60, 0.01, 0.06, 20, 40);
	changes_find(v, 60, P, false, &c);
	assert_int_equal(c.list.nr, 2);
	assert_in_range(c.list.v[0].at, 19, 21);
	assert_in_range(c.list.v[1].at, 39, 41);
	vec_release(&c.list);
	make(v, 60, 0.01, 0, 0, 0);
	v[30] *= 3;
	changes_find(v, 60, P, false, &c);
	assert_int_equal(c.list.nr, 0);
	vec_release(&c.list);
	for (size_t i = 0; i < 60; i++) /* the value changes once, at run 50: one change point */
		v[i] = i < 50 ? INT64_MAX : INT64_MIN;
	changes_find(v, 60, P, false, &c);
	assert_int_equal(c.list.nr, 1);
	assert_int_equal(c.list.v[0].at, 50);
	vec_release(&c.list);
	for (size_t nr = 0; nr < 6; nr++) {
		changes_find(v, nr, P, false, &c);
		assert_int_equal(c.list.nr, 0);
		vec_release(&c.list);
	}
}

/* Three runs on a new level are seen, after three others as well, if they lie beyond the noise, or
   if there is none; two runs are not. */
static void test_three_runs(void **set)
{
	(void)set;
	for (size_t before = 3; before <= 20; before++)
		for (size_t after = 2; after <= 4; after++) {
			size_t found = 0;
			for (uint64_t seed = 1; seed <= SEEDS; seed++) {
				double noise = seed % 2 ? 0.005 : 0;
				struct change_list c;
				int64_t v[24];
				state = seed * 31 + before;
				make(v, before + after, noise, -0.1, before, before + after);
				changes_find(v, before + after, P, true, &c);
				found += c.list.nr == 1 && c.list.v[0].at == before && !c.list.v[0].up;
				vec_release(&c.list);
			}
			assert_true(after == 2 ? found == 0 : found * 100 >= SEEDS * 98);
		}
}

/* The newest values of a long series are searched as if the series had no other values. */
static void test_long(void **set)
{
	enum { NR = 3 * CHANGE_MOST, OLDER = NR - CHANGE_MOST };
	struct change_list c, newest;
	int64_t v[NR];
	(void)set;
	state = 7;
	make(v, NR, 0.01, 0.06, NR / 4, NR);
	for (size_t i = NR - 50; i < NR; i++)
		v[i] += MEAN / 20;
	changes_find(v, NR, P, false, &c);
	changes_find(v + OLDER, CHANGE_MOST, P, false, &newest);
	assert_int_equal(c.list.nr, 1);
	assert_int_equal(newest.list.nr, 1);
	assert_int_equal(c.list.v[0].at, newest.list.v[0].at + OLDER);
	assert_int_equal(c.list.v[0].p, newest.list.v[0].p);
	assert_in_range(c.list.v[0].at, NR - 52, NR - 48);
	vec_release(&c.list);
	vec_release(&newest.list);
}

/* ---- splitting groups by level ---- */

static size_t count_groups(const uint64_t *group, size_t nr)
{
	size_t groups = 0;
	for (size_t i = 0; i < nr; i++)
		groups += i == 0 || group[i] != group[i - 1];
	return groups;
}

/* A lasting change splits its group of values at the change. A second group, which is constant and
   whose values alternate with the values of the first group, is not split. */
static void test_levels(void **set)
{
	double v[80];
	uint64_t group[80];
	int64_t fine[40];
	(void)set;
	state = 5;
	make(fine, 40, 0.01, 0.08, 20, 40);
	for (size_t i = 0; i < 80; i++) {
		v[i] = i % 2 ? 7 + 0.001 * normal() : (double)fine[i / 2] / MEAN;
		group[i] = i % 2 ? 1 : 2;
	}
	levels_split(v, group, 80, false);
	for (size_t i = 0; i < 80; i++) {
		assert_int_equal(group[i] == 1, i % 2);
		assert_int_equal(group[i] == 2, i % 2 == 0 && i / 2 < 20);
		assert_true(i % 2 || i / 2 < 20 || group[i] == group[40]);
	}
}

/* A drift has change points, too, but no clear levels: its values stay one group. Long series are
   divided into pieces, which are separate groups. */
static void test_levels_of_drift(void **set)
{
	double v[200] = { 0 };
	uint64_t group[200] = { 0 };
	struct change_list c;
	int64_t fine[60];
	(void)set;
	state = 6;
	for (size_t i = 0; i < 60; i++) {
		v[i] = 0.002 * (double)i + 0.002 * normal();
		fine[i] = (int64_t)(v[i] * 1e9);
	}
	changes_find(fine, 60, P, false, &c);
	assert_true(c.list.nr > 0);
	vec_release(&c.list);
	levels_split(v, group, 60, false);
	assert_int_equal(count_groups(group, 60), 1);
	for (size_t i = 0; i < 200; i++)
		v[i] = 0.002 * normal();
	memset(group, 0, sizeof group);
	levels_split(v, group, 200, false);
	assert_int_equal(count_groups(group, 200), 4);
	levels_split(NULL, NULL, 0, true);
}

/* ---- a slow reference implementation of the search ---- */

/* Sum of |x − y|² over all pairs of values from two pieces. */
static double distances(const int64_t *v, size_t a, size_t a_end, size_t b, size_t b_end)
{
	double sum = 0;
	for (size_t i = a; i < a_end; i++)
		for (size_t k = b; k < b_end; k++) {
			double d = (double)(v[i] - v[k]);
			sum += d * d;
		}
	return sum;
}

/* The largest m n / (m + n) times the divergence 2 E|X − Y|² − E|X − X′|² − E|Y − Y′|², computed
   over all pairs, among all pairs of adjacent pieces. */
static double slow_split(const int64_t *v, size_t nr, size_t *at)
{
	double best = -1;
	for (size_t end = 6; end <= nr; end++)
		for (size_t k = 3; k + 3 <= end; k++) {
			double m = (double)k, n = (double)(end - k);
			double e = 2 * distances(v, 0, k, k, end) / (m * n) -
			           distances(v, 0, k, 0, k) / (m * m) - distances(v, k, end, k, end) / (n * n);
			if (e * m * n / (m + n) > best) {
				best = e * m * n / (m + n);
				*at = k;
			}
		}
	return best;
}

static bool slow_is_change(const int64_t *v, size_t nr, double q)
{
	int64_t copy[24];
	size_t at, as_well = 1;
	for (size_t i = 0; i < nr; i++)
		copy[i] = v[i];
	for (int round = 0; round < 999; round++) {
		for (size_t i = nr; i > 1; i--) {
			size_t k = (size_t)(uniform() * (double)i);
			int64_t kept = copy[i - 1];
			copy[i - 1] = copy[k];
			copy[k] = kept;
		}
		as_well += slow_split(copy, nr, &at) >= q;
		if (as_well > 1)
			return false;
	}
	return true;
}

static void slow_find(const int64_t *v, size_t first, size_t nr, uint64_t *points)
{
	size_t at = 0;
	if (nr < 6)
		return;
	double q = slow_split(v + first, nr, &at);
	if (q <= 0 || !slow_is_change(v + first, nr, q))
		return;
	*points |= (uint64_t)1 << (first + at);
	slow_find(v, first, at, points);
	slow_find(v, first + at, nr - at, points);
}

/* The fast and the slow search draw different permutations, so that they may disagree on a
 * change point close to the limit of significance. */
static void test_reference(void **set)
{
	(void)set;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		struct change_list c;
		int64_t v[24];
		uint64_t want = 0, got = 0;
		state = seed;
		make(v, 24, 0.01, seed % 3 ? 0.08 : 0, 6 + seed % 12, 24);
		changes_find(v, 24, P, false, &c);
		slow_find(v, 0, 24, &want);
		for (size_t i = 0; i < c.list.nr; i++)
			got |= (uint64_t)1 << c.list.v[i].at;
		assert_int_equal(got, want);
		vec_release(&c.list);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted), cmocka_unit_test(test_flat),
		cmocka_unit_test(test_shapes),  cmocka_unit_test(test_three_runs),
		cmocka_unit_test(test_long),    cmocka_unit_test(test_reference),
		cmocka_unit_test(test_levels),  cmocka_unit_test(test_levels_of_drift),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
