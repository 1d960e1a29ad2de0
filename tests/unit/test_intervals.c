#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/intervals.h"

#define TIMES 40

struct interval {
	int64_t start, end;
};

static int by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

/* Unions of random intervals, some of them clipped, are compared with an array that has a flag for
   each nanosecond. */
static void test_brute_force(void **state)
{
	(void)state;
	unsigned seed = 7;
	for (int round = 0; round < 3000; round++) {
		struct interval iv[12];
		size_t nr = (size_t)rand_r(&seed) % 13;
		int64_t at = rand_r(&seed) % TIMES, base = round % 2 ? 0 : INT64_MAX - TIMES;
		bool bit[TIMES] = { 0 };
		struct cover all = COVER_INIT, before = COVER_INIT;
		int64_t want_all = 0, want_before = 0;
		for (size_t i = 0; i < nr; i++) {
			iv[i].start = rand_r(&seed) % TIMES;
			iv[i].end = iv[i].start + rand_r(&seed) % (TIMES - iv[i].start);
		}
		qsort(iv, nr, sizeof *iv, by_start);
		for (size_t i = 0; i < nr; i++) {
			int64_t start = base + iv[i].start, end = base + iv[i].end;
			cover_add(&all, start, end);
			if (iv[i].start <= at)
				cover_add(&before, start, end);
			for (int64_t t = iv[i].start; t < iv[i].end; t++)
				bit[t] = true;
		}
		for (int64_t t = 0; t < TIMES; t++) {
			want_all += bit[t];
			want_before += bit[t] && t < at;
		}
		assert_int_equal(all.length_ns, want_all);
		assert_int_equal(cover_before(&before, base + at), want_before);
	}
}

static void test_edges(void **state)
{
	(void)state;
	struct cover c = COVER_INIT;
	assert_int_equal(cover_before(&c, 0), 0);
	assert_int_equal(cover_before(&c, INT64_MIN), 0);
	cover_add(&c, INT64_MIN, INT64_MIN);
	assert_int_equal(c.length_ns, 0);
	cover_add(&c, INT64_MIN, -1);
	assert_int_equal(c.length_ns, INT64_MAX);
	cover_add(&c, INT64_MIN + 5, -7);
	cover_add(&c, -1, -1);
	assert_int_equal(c.length_ns, INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_brute_force),
		cmocka_unit_test(test_edges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
