#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"
#include "model/fold.h"
#include "model/rows.h"
#include "model/tally.h"

static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 24;
}

static void assert_same(const struct tally *a, const struct tally *b)
{
	assert_int_equal(a->count, b->count);
	assert_int_equal(a->high, b->high);
	assert_int_equal(a->low, b->low);
	assert_int_equal(a->min, b->min);
	assert_int_equal(a->max, b->max);
	assert_int_equal(a->min_rank, b->min_rank);
	assert_int_equal(a->max_rank, b->max_rank);
	assert_int_equal(a->median, b->median);
	if (a->count > 1)
		assert_int_equal(a->second, b->second);
	assert_int_equal(a->bins.nr, b->bins.nr);
	assert_memory_equal(a->bins.v, b->bins.v, a->bins.nr * sizeof *a->bins.v);
}

enum { MOST = 300 };

/* Makes numbers of many sizes and both signs, some of them equal. */
static void make(int64_t *v, size_t nr, uint64_t seed)
{
	for (size_t i = 0; i < nr; i++) {
		int64_t value = (int64_t)(next_random(&seed) >> (next_random(&seed) % 40));
		v[i] = next_random(&seed) % 8 == 0 ? -value : i % 5 == 4 ? v[i - 1] : value;
	}
}

static struct tally tally_of(const int64_t *v, size_t first, size_t end)
{
	struct tally t = { 0 };
	for (size_t i = first; i < end; i++)
		tally_add(&t, v[i], (int64_t)i);
	return t;
}

/* The result does not depend on the order of joining, nor on how the values are divided. */
static void test_order(void **state)
{
	(void)state;
	static const size_t sizes[] = { 1, 2, 5, 63, 64, 65, 128, MOST };
	int64_t v[MOST];
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		size_t nr = sizes[k];
		make(v, nr, k);
		struct tally whole = tally_of(v, 0, nr), backwards = { 0 };
		assert_true(tally_is_sound(&whole));
		for (size_t i = nr; i-- > 0;)
			tally_add(&backwards, v[i], (int64_t)i);
		assert_same(&whole, &backwards);
		for (size_t cut = 0; cut <= nr; cut += nr / 7 + 1) {
			struct tally a = tally_of(v, 0, cut), b = tally_of(v, cut, nr);
			struct tally other = tally_copy(&b);
			tally_join(&other, &a);
			tally_join(&a, &b);
			assert_same(&whole, &a);
			assert_same(&whole, &other);
			tally_release(&a);
			tally_release(&b);
			tally_release(&other);
		}
		tally_release(&whole);
		tally_release(&backwards);
	}
}

/* Extremes and means are exact, and so are medians of up to TALLY_EXACT values; other medians are
   near the exact value. */
static void test_reductions(void **state)
{
	(void)state;
	int64_t v[MOST], copy[MOST];
	for (size_t nr = 2; nr <= MOST; nr++) {
		make(v, nr, nr);
		for (size_t i = 0; i < nr; i++)
			v[i] = copy[i] = v[i] < 0 ? -v[i] : v[i];
		struct tally t = tally_of(v, 0, nr);
		assert_int_equal(tally_reduce(&t, REDUCE_MAX), reduce_of(REDUCE_MAX, copy, nr));
		assert_int_equal(tally_reduce(&t, REDUCE_MIN), reduce_of(REDUCE_MIN, copy, nr));
		assert_int_equal(tally_reduce(&t, REDUCE_MEAN), reduce_of(REDUCE_MEAN, copy, nr));
		int64_t median = number_median(copy, nr), told = tally_reduce(&t, REDUCE_MEDIAN);
		assert_true(nr > TALLY_EXACT || told == median);
		assert_true(number_distance(told, median) * 100 <= median);
		t.median = median;
		assert_int_equal(tally_reduce(&t, REDUCE_MEDIAN), median);
		tally_release(&t);
	}
}

/* The median of more values is estimated as if the values of a part of the scale were evenly spread
   over it: here, in the middle of a part that is 2^13 wide, between two values far away. */
static void test_estimate(void **state)
{
	(void)state;
	enum { NR = 2 * TALLY_EXACT + 1, WIDTH = 1 << 13, FIRST = 128 * WIDTH };
	struct tally t = { 0 };
	for (int64_t i = 0; i < NR; i++)
		tally_add(&t, i == 0 ? 1 : i == NR - 1 ? INT64_C(1) << 40 : FIRST + 3, i);
	assert_int_equal(tally_reduce(&t, REDUCE_MEDIAN), FIRST + WIDTH / 2);
	tally_release(&t);
}

/* A part of the scale, for values that are above 0 and for the same below it. Up to 255, each value
   has a part of its own; from 256 on, a part has two values, then four. */
static void test_scale(void **state)
{
	(void)state;
	static const struct {
		int64_t value, median; ///< of many equal values, and one far away on each side
	} rows[] = {
		{ 0, 0 },     { 1, 1 },     { 127, 127 }, { 128, 128 }, { 255, 255 }, { 256, 257 },
		{ 257, 257 }, { 258, 259 }, { 511, 511 }, { 512, 514 }, { 515, 514 }, { 516, 518 },
	};
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		enum { NR = 2 * TALLY_EXACT + 1 };
		int64_t sign = i % 2 ? -1 : 1, want = sign * rows[i / 2].median;
		struct tally t = { 0 };
		for (int64_t k = 0; k < NR; k++)
			tally_add(&t, k == 0 ? -100000 : k == NR - 1 ? 100000 : sign * rows[i / 2].value, k);
		int64_t got = tally_reduce(&t, REDUCE_MEDIAN);
		if (got != want || !tally_is_sound(&t))
			fail_msg("%lld: %lld", (long long)(sign * rows[i / 2].value), (long long)got);
		tally_release(&t);
	}
	/* the numbers farthest from 0 are in the first and last part */
	struct tally t = { 0 };
	for (int64_t k = 0; k <= TALLY_EXACT; k++)
		tally_add(&t, k < TALLY_EXACT / 2 ? INT64_MIN : INT64_MAX, k);
	assert_int_equal(t.bins.nr, 2);
	assert_int_equal(t.bins.v[0].key, -t.bins.v[1].key);
	assert_true(tally_is_sound(&t));
	tally_release(&t);
}

/* An estimate is not beyond the values themselves: here, the middle of a part of four values is. */
static void test_estimate_between(void **state)
{
	(void)state;
	for (int64_t value = 512; value < 516; value++) {
		struct tally t = { 0 };
		for (int64_t k = 0; k <= TALLY_EXACT; k++)
			tally_add(&t, value, k);
		assert_int_equal(tally_reduce(&t, REDUCE_MEDIAN), value);
		assert_int_equal(tally_median_of_others(&t), value);
		tally_release(&t);
	}
}

/* The values of one part of the scale are spread over it, the first of them near its beginning. */
static void test_spread(void **state)
{
	(void)state;
	for (int sign = -1; sign < 2; sign += 2) {
		struct tally t = { 0 };
		for (int64_t k = 0; k < 2 * TALLY_EXACT; k++)
			tally_add(&t, k < TALLY_EXACT ? 0 : sign * (1 << 13), k);
		/* the median lies between 0 and the value of that part that is nearest to 0 */
		assert_int_equal(tally_reduce(&t, REDUCE_MEDIAN), sign * (1 << 12));
		t.median = 7;
		assert_int_equal(tally_reduce(&t, REDUCE_MEDIAN), 7);
		tally_release(&t);
	}
}

static void test_others(void **state)
{
	(void)state;
	static const int64_t v[] = { 9, 3, 5, 3, 7 };
	struct tally t = tally_of(v, 0, 5);
	assert_int_equal(t.min, 3);
	assert_int_equal(t.second, 3);
	assert_int_equal(t.min_rank, 1);
	assert_int_equal(tally_median_of_others(&t), 6);
	tally_release(&t);
	t = tally_of(v, 0, 3);
	assert_int_equal(t.second, 5);
	assert_int_equal(tally_median_of_others(&t), 7);
	tally_release(&t);
}

static void test_unsound(void **state)
{
	(void)state;
	int64_t v[MOST];
	make(v, MOST, 1);
	for (size_t nr = 3; nr <= MOST; nr += MOST - 3) {
		struct tally t = tally_of(v, 0, nr), bad = t;
		assert_true(tally_is_sound(&t));
		bad.count++;
		assert_false(tally_is_sound(&bad));
		bad = t;
		bad.max++;
		/* a maximum that is larger by 1 falls into the same bin of the histogram, so that the
		 * contradiction cannot be seen */
		assert_int_equal(tally_is_sound(&bad), nr > TALLY_EXACT);
		bad = t;
		bad.high += 1000000;
		assert_false(tally_is_sound(&bad));
		bad = t;
		bad.bins.nr--;
		assert_false(tally_is_sound(&bad));
		bad = t;
		bad.second = t.max + 1;
		assert_false(tally_is_sound(&bad));
		t.bins.v[0].count = 0;
		assert_false(tally_is_sound(&t));
		tally_release(&t);
	}
}

/* Each member that contradicts the others, for a tally of exact values 2, 4 and 9, and for one of
   many values of 2 and of 4 in parts of the scale. */
static void test_contradictions(void **state)
{
	(void)state;
	static const struct {
		size_t at; ///< offset of the member
		int64_t sound[2], unsound[2]; ///< lowest and highest sound value; others, or 0
	} rows[] = {
#define OF(name) offsetof(struct tally, name)
		{ OF(low), { 6, 27 }, { 5, 28 } },   { OF(min), { 2, 2 }, { 1, 3 } },
		{ OF(max), { 9, 9 }, { 8, 10 } },    { OF(second), { 2, 9 }, { 1, 10 } },
		{ OF(median), { 2, 9 }, { 1, 10 } }, { OF(count), { 3, 3 }, { 2, 4 } },
		{ OF(high), { 0, 0 }, { -1, 1 } },
	};
	static const int64_t v[] = { 2, 4, 9 };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int k = 0; k < 4; k++) {
			struct tally t = tally_of(v, 0, 3);
			int64_t value = k < 2 ? rows[i].sound[k] : rows[i].unsound[k - 2];
			memcpy((char *)&t + rows[i].at, &value, sizeof value);
			if (tally_is_sound(&t) != (k < 2))
				fail_msg("row %zu: %lld", i, (long long)value);
			tally_release(&t);
		}
	struct tally one = tally_of(v, 0, 1), many = { 0 }, none = { 0 };
	assert_false(tally_is_sound(&none));
	one.second = 77; /* means nothing where there is one value */
	assert_true(tally_is_sound(&one));
	one.low = -1;
	one.high = 1;
	assert_false(tally_is_sound(&one));
	tally_release(&one);
	tally_add(&one, UINT32_MAX, 0); /* the largest sum whose upper part is 0 */
	assert_true(tally_is_sound(&one) && one.low == UINT32_MAX && one.high == 0);
	tally_release(&one);
	tally_add(&one, INT64_C(1) << 32, 0);
	assert_true(tally_is_sound(&one) && one.low == 0 && one.high == 1);
	one.low = INT64_C(1) << 32;
	one.high = 0;
	assert_false(tally_is_sound(&one));
	for (int64_t k = 0; k <= TALLY_EXACT; k++)
		tally_add(&many, k ? 600 : 200, k);
	assert_true(tally_is_sound(&many));
	for (size_t k = 0; k < 2; k++) {
		many.bins.v[k].key++;
		assert_false(tally_is_sound(&many));
		many.bins.v[k].key--;
		many.bins.v[k].count--;
		many.bins.v[!k].count++;
		assert_int_equal(tally_is_sound(&many), many.bins.v[k].count > 0);
		many.bins.v[k].count++;
		many.bins.v[!k].count--;
	}
	struct tally_bin first = many.bins.v[0];
	many.bins.v[0] = many.bins.v[1];
	many.bins.v[1] = first;
	assert_false(tally_is_sound(&many));
	tally_release(&one);
	tally_release(&many);
}

/* A folded digest has a column for each member of the trust counters. */
static void test_numbers(void **state)
{
	(void)state;
	assert_int_equal(fold_of_trust(trust_counts_row.nr), NR_FOLD_NUMBERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_reductions),
		cmocka_unit_test(test_estimate),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_scale),
		cmocka_unit_test(test_spread),
		cmocka_unit_test(test_estimate_between),
		cmocka_unit_test(test_contradictions),
		cmocka_unit_test(test_unsound),
		cmocka_unit_test(test_numbers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
