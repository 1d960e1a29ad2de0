#include "gate/attribution.h"

#include <stdio.h>

#include "breakdown_sums.h"
#include "gate/bench.h"

struct sides {
	struct category_table categories;
	struct run run[NR_SIDES];
	struct bench bench;
	struct arena arena;
};

#define SETUP(s, b, c) setup(s, 3, 4, b, NR_OF(b), c, NR_OF(c))
static void setup(struct sides *s, size_t steps_b, size_t steps_c, const struct activity *b,
                  size_t nr_b, const struct activity *c, size_t nr_c)
{
	*s = (struct sides){ .arena = ARENA_INIT };
	fixture_categories(&s->categories);
	s->run[0] = fixture_run(fixture_digest(steps_b, b, nr_b));
	s->run[1] = fixture_run(fixture_digest(steps_c, c, nr_c));
	bench_init(&s->bench, &s->run[0], &s->run[1],
	           (struct naming){ .exact = true, .categories = &s->categories });
}

static void release(struct sides *s)
{
	bench_release(&s->bench);
	run_release(&s->run[0]);
	run_release(&s->run[1]);
	category_table_release(&s->categories);
	arena_release(&s->arena);
}

static struct breakdown *breakdown(struct sides *s, enum metric_id id, const char *label,
                                   int64_t change)
{
	struct attribution_query q = { &metric_table[id], span_of(label), change, "median" };
	return attribution_of(&s->bench.pairs, &s->categories, &q, &s->arena);
}

static const struct activity before[] = {
	{ EVENT_KERNEL, "gemm_a", 30, MS(300) },   { EVENT_KERNEL, "gemm_b", 3, MS(30) },
	{ EVENT_KERNEL, "elem", 7, 1000003 },      { EVENT_KERNEL, "nccl_sum", 3, MS(9) },
	{ EVENT_KERNEL, "copy_kernel", 3, MS(3) }, { EVENT_KERNEL, "odd", 3, 10 },
	{ EVENT_MEMCPY, "Memcpy HtoD", 3, MS(6) }, { EVENT_MEMSET, "Memset", 3, 100 },
};
static const struct activity after[] = {
	{ EVENT_KERNEL, "gemm_a", 48, MS(600) },    { EVENT_KERNEL, "gemm_c", 8, MS(20) },
	{ EVENT_KERNEL, "elem", 9, 1700001 },       { EVENT_KERNEL, "nccl_sum", 4, MS(8) },
	{ EVENT_KERNEL, "copy_kernel", 4, MS(4) },  { EVENT_KERNEL, "odd", 4, 10 },
	{ EVENT_MEMCPY, "Memcpy HtoD", 4, MS(12) }, { EVENT_MEMSET, "Memset", 4, 101 },
};

static void test_cuda_time(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	struct breakdown *b = breakdown(&s, METRIC_STEP_CUDA_TIME, "", MS(47));
	assert_adds_up(b);
	/* gemm_a: 10 launches of 10 ms become 12 of 12.5 ms */
	assert_int_equal(part(b, 2, "gemm_a")->change, MS(50));
	assert_string_equal(part(b, 2, "gemm_a")->text, "+50.00 ms");
	assert_string_equal(part(b, 2, "gemm_a")->detail, "launches 10 → 12");
	assert_int_equal(part(b, 3, "launches")->change, MS(20));
	assert_int_equal(part(b, 3, "mean")->change, MS(30));
	assert_string_equal(part(b, 2, "gemm_b")->detail, "gone");
	assert_string_equal(part(b, 2, "gemm_c")->detail, "new");
	assert_int_equal(part(b, 1, "GEMM")->change, MS(45));
	assert_int_equal(part(b, 0, "communication")->change, -MS(1));
	assert_string_equal(part(b, 2, "Memcpy HtoD")->detail, "mean 2.000 ms → 3.000 ms");
	assert_int_equal(part(b, 1, "memcpy")->change, MS(1));
	assert_null(part(b, 2, "copy_kernel")); /* it has not changed */
	assert_non_null(part(b, 0, "median − mean"));
	assert_string_equal(b->parts.v[0].label, "compute"); /* the largest first */
	vec_release(&b->parts);
	release(&s);
}

/* Each metric has its own parts and no others: with the change of the means
   nothing is left for the last row. */
static void test_parts_of_each_metric(void **state)
{
	(void)state;
	static const enum metric_id ids[] = { METRIC_STEP_CUDA_TIME,    METRIC_STEP_KERNEL_TIME,
		                                  METRIC_STEP_MEMCPY_TIME,  METRIC_STEP_MEMSET_TIME,
		                                  METRIC_STEP_COMPUTE_TIME, METRIC_STEP_COMM_TIME };
	struct sides s;
	SETUP(&s, before, after);
	for (size_t i = 0; i < NR_OF(ids); i++) {
		const struct digest *x = s.run[0].ranks.v[0], *y = s.run[1].ranks.v[0];
		int64_t change = stat_of(STAT_MEAN, y->samples[ids[i]], y->nr_steps) -
		                 stat_of(STAT_MEAN, x->samples[ids[i]], x->nr_steps);
		struct breakdown *b = breakdown(&s, ids[i], "", change);
		assert_adds_up(b);
		if (part(b, 0, "median − mean"))
			fail_msg("%s: %lld are left over", metric_table[ids[i]].name,
			         (long long)part(b, 0, "median − mean")->change);
		vec_release(&b->parts);
		for (int off = -2; off <= 2; off++) { /* 1 ns is rounding, more is not */
			b = breakdown(&s, ids[i], "", change + off);
			assert_adds_up(b);
			if (off != 0 && off * off < 4)
				assert_null(part(b, 0, "median − mean"));
			vec_release(&b->parts);
		}
	}
	release(&s);
}

static void test_kernel_and_category(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	struct breakdown *b = breakdown(&s, METRIC_KERNEL_TIME, "gemm_a", MS(50));
	assert_adds_up(b);
	assert_int_equal(b->parts.nr, 2);
	assert_int_equal(part(b, 0, "launches")->change, MS(20));
	assert_int_equal(part(b, 0, "mean")->change, MS(30));
	vec_release(&b->parts);
	b = breakdown(&s, METRIC_CATEGORY_TIME, "GEMM", MS(45));
	assert_adds_up(b);
	assert_int_equal(part(b, 0, "gemm_a")->change, MS(50));
	assert_int_equal(part(b, 1, "launches")->change, MS(20));
	assert_null(part(b, 0, "elem"));
	vec_release(&b->parts);
	assert_null(breakdown(&s, METRIC_STEP_TIME, "", MS(1)));
	assert_null(breakdown(&s, METRIC_STEP_BUSY_TIME, "", MS(1)));
	assert_null(breakdown(&s, METRIC_KERNEL_MEAN, "gemm_a", MS(1)));
	release(&s);
}

static void test_renamed(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "gemm_old", 3, MS(30) } };
	const struct activity c[] = { { EVENT_KERNEL, "gemm_new", 4, MS(41) } };
	struct sides s;
	SETUP(&s, b, c);
	struct breakdown *x = breakdown(&s, METRIC_STEP_CUDA_TIME, "", 250000);
	assert_adds_up(x);
	assert_string_equal(part(x, 2, "gemm_old")->detail, "renamed to 'gemm_new'");
	assert_string_equal(part(x, 2, "gemm_new")->detail, "renamed from 'gemm_old'");
	vec_release(&x->parts);
	release(&s);
}

static void test_fold(void **state)
{
	(void)state;
	struct activity b[25], c[25];
	char names[25][16];
	for (int i = 0; i < 25; i++) {
		snprintf(names[i], sizeof names[i], "gemm%02d", i);
		b[i] = (struct activity){ EVENT_KERNEL, names[i], 3, MS(30) };
		c[i] = (struct activity){ EVENT_KERNEL, names[i], 4, MS(40) + (i < 20 ? 4000 * i : 0) };
	}
	struct sides s;
	SETUP(&s, b, c);
	struct breakdown *x = breakdown(&s, METRIC_STEP_KERNEL_TIME, "", 190000);
	assert_adds_up(x);
	assert_null(part(x, 2, "gemm14"));
	assert_non_null(part(x, 2, "gemm15"));
	assert_int_equal(part(x, 2, "14 other kernels")->change,
	                 105000); /* 1 … 14; the rest is unchanged */
	vec_release(&x->parts);
	release(&s);
}

/* A category in which less than 1 % of the change lies is one of the others. */
static void test_fold_categories(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "gemm_a", 3, MS(30) },
		                          { EVENT_KERNEL, "elem", 3, MS(30) } };
	struct activity c[] = { { EVENT_KERNEL, "gemm_a", 4, MS(80) },
		                    { EVENT_KERNEL, "elem", 4, MS(40) + 4 } };
	struct sides s;
	SETUP(&s, b, c);
	struct breakdown *x = breakdown(&s, METRIC_STEP_KERNEL_TIME, "", MS(10));
	assert_adds_up(x);
	assert_non_null(part(x, 1, "GEMM"));
	assert_int_equal(part(x, 1, "1 other category")->change, 1);
	vec_release(&x->parts);
	release(&s);
	c[1].total_ns = MS(48);
	SETUP(&s, b, c);
	x = breakdown(&s, METRIC_STEP_KERNEL_TIME, "", MS(12));
	assert_adds_up(x);
	assert_null(part(x, 1, "1 other category"));
	vec_release(&x->parts);
	release(&s);
}

static void test_no_steps(void **state)
{
	(void)state;
	struct sides s;
	SETUP(&s, before, after);
	s.bench.pairs.steps[SIDE_CANDIDATE] = 0;
	struct breakdown *b = breakdown(&s, METRIC_STEP_CUDA_TIME, "", 5);
	assert_adds_up(b);
	assert_int_equal(b->parts.nr, 1);
	vec_release(&b->parts);
	release(&s);
}

static uint64_t next(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Whatever the numbers are, they add up to whatever the change is. */
static void test_random(void **state)
{
	(void)state;
	static const char *const names[] = { "gemm_a", "gemm_b", "gemm_c", "elem",
		                                 "nccl_x", "odd",    "copy" };
	uint64_t seed = 1;
	for (int round = 0; round < 300; round++) {
		struct activity side[2][14];
		size_t nr[2] = { 0, 0 };
		for (int k = 0; k < 14; k++)
			for (int i = 0; i < 2; i++)
				if (next(&seed) % 3)
					side[i][nr[i]++] =
					    (struct activity){ k < 7 ? EVENT_KERNEL : EVENT_MEMCPY, names[k % 7],
						                   (int64_t)(next(&seed) % 20) + 1,
						                   (int64_t)(next(&seed) % 100000000) };
		struct sides s;
		setup(&s, next(&seed) % 7 + 1, next(&seed) % 7 + 1, side[0], nr[0], side[1], nr[1]);
		struct breakdown *b =
		    breakdown(&s, METRIC_STEP_CUDA_TIME, "", (int64_t)(next(&seed) % 1000000));
		assert_adds_up(b);
		vec_release(&b->parts);
		release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cuda_time),
		cmocka_unit_test(test_parts_of_each_metric),
		cmocka_unit_test(test_kernel_and_category),
		cmocka_unit_test(test_renamed),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_fold_categories),
		cmocka_unit_test(test_no_steps),
		cmocka_unit_test(test_random),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
