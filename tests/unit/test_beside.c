/* What a check looks at besides its own figure: how much of a change may come from the coarse
   clock, and whether another figure shows the same change. */
#include "gate/checks_beside.h"

#include "gate_fixture.h"

enum { STEPS = 5 };

/* A run of up to two ranks. In each step, rank r launches the kernels "gemm" gemm[r] times and
 * "felem" elem[r] times. */
static struct run run_of(const int64_t gemm[2], const int64_t elem[2], int64_t tick)
{
	struct run run = { .label = "run" };
	for (int64_t r = 0; r < 2 && gemm[r]; r++) {
		const struct activity a[] = {
			{ EVENT_KERNEL, "gemm", STEPS * gemm[r], STEPS * 1000 },
			{ EVENT_KERNEL, "felem", STEPS * elem[r], STEPS * 1000 },
		};
		struct digest *d = fixture_digest(STEPS, a, 2);
		d->rank = r;
		d->trust.tick_ns = tick;
		vec_push(&run.ranks, d);
	}
	return run;
}

/* The smallest change that the clock can show: one tick for each launch that the figure sums up, on
   the side with more of these launches. */
static void test_floor(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		const char *label;
		int64_t rank, tick;
		int64_t base[2][2], candidate[2][2]; ///< launches per step: [0: gemm, 1: elem][rank]
		int64_t floor;
	} rows[] = {
		{ METRIC_STEP_CUDA_TIME, "", -1, 0, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 0 },
		{ METRIC_STEP_CUDA_TIME, "", -1, 1, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 0 },
		{ METRIC_STEP_CUDA_TIME, "", -1, 2, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 14 },
		{ METRIC_STEP_CUDA_TIME, "", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 7000 },
		{ METRIC_STEP_CUDA_TIME, "", -1, 1000, { { 4 }, { 3 } }, { { 5 }, { 3 } }, 8000 },
		{ METRIC_STEP_CUDA_TIME, "", -1, 1000, { { 6 }, { 3 } }, { { 5 }, { 3 } }, 9000 },
		{ METRIC_STEP_TIME, "", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 1000 },
		{ METRIC_STEP_KERNEL_COUNT, "", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 0 },
		{ METRIC_KERNEL_TIME, "gemm", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 4000 },
		{ METRIC_KERNEL_TIME, "felem", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 3000 },
		{ METRIC_KERNEL_TIME, "felem", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 2 } }, 3000 },
		{ METRIC_KERNEL_TIME, "none", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 1000 },
		{ METRIC_CATEGORY_TIME, "GEMM", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 4000 },
		{ METRIC_CATEGORY_TIME, "elementwise", -1, 1000, { { 4 }, { 3 } }, { { 4 }, { 3 } }, 3000 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table categories;
		struct run base = run_of(rows[i].base[0], rows[i].base[1], rows[i].tick),
		           candidate = run_of(rows[i].candidate[0], rows[i].candidate[1], 0);
		struct bench bench;
		struct rule r = fixture_rule(rows[i].metric);
		fixture_categories(&categories);
		bench_init(
		    &bench,
		    &(struct bench_runs){ .baseline = &base, .candidates = &candidate, .nr_candidates = 1 },
		    (struct naming){ .categories = &categories });
		struct beside beside = { .bench = &bench, .rule = &r };
		struct entry e = { .label = span_of(rows[i].label), .rank = rows[i].rank };
		int64_t floor = check_floor(&beside, r.metric, &e);
		if (floor != rows[i].floor || check_floor(&beside, r.metric, &e) != floor)
			fail_msg("row %zu: %lld", i, (long long)floor);
		beside_release(&beside);
		bench_release(&bench);
		run_release(&base);
		run_release(&candidate);
		category_table_release(&categories);
	}
}

/* A check about one rank of a job counts the launches of this rank alone. */
static void test_floor_of_rank(void **state)
{
	(void)state;
	static const int64_t gemm[2] = { 4, 6 }, elem[2] = { 3, 5 };
	static const struct {
		enum metric_id metric;
		const char *label;
		int64_t rank, floor;
	} rows[] = {
		{ METRIC_KERNEL_TIME, "gemm", 0, 4000 },  { METRIC_KERNEL_TIME, "gemm", 1, 6000 },
		{ METRIC_KERNEL_TIME, "felem", 0, 3000 }, { METRIC_KERNEL_TIME, "felem", 1, 5000 },
		{ METRIC_KERNEL_TIME, "gemm", 2, 1000 },  { METRIC_STEP_CUDA_TIME, "", 0, 7000 },
		{ METRIC_STEP_CUDA_TIME, "", 1, 11000 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table categories;
		struct run base = run_of(gemm, elem, 1000), candidate = run_of(gemm, elem, 1000);
		struct bench bench;
		struct rule r = fixture_rule(rows[i].metric);
		r.reduce = r.query.reduce = REDUCE_EACH;
		fixture_categories(&categories);
		bench_init(
		    &bench,
		    &(struct bench_runs){ .baseline = &base, .candidates = &candidate, .nr_candidates = 1 },
		    (struct naming){ .categories = &categories });
		struct beside beside = { .bench = &bench, .rule = &r };
		struct entry e = { .label = span_of(rows[i].label), .rank = rows[i].rank };
		int64_t floor = check_floor(&beside, r.metric, &e);
		if (floor != rows[i].floor)
			fail_msg("row %zu: %lld", i, (long long)floor);
		beside_release(&beside);
		bench_release(&bench);
		run_release(&base);
		run_release(&candidate);
		category_table_release(&categories);
	}
}

/* A check tells the same as the check of its rule's `unless` if on both sides its value is within
   `within` of the other check's value. */
static void test_told(void **state)
{
	(void)state;
	static const int64_t gemm[2] = { 4 }, elem[2] = { 3 };
	static const struct {
		int64_t within; ///< largest difference in 1e-6 %; -1: any difference
		int64_t value[NR_SIDES], other[NR_SIDES]; ///< -1: absent
		bool told;
	} rows[] = {
		{ PERCENT(10), { 110, 110 }, { 100, 100 }, true },
		{ PERCENT(10), { 90, 90 }, { 100, 100 }, true },
		{ PERCENT(10), { 111, 110 }, { 100, 100 }, false },
		{ PERCENT(10), { 110, 111 }, { 100, 100 }, false },
		{ PERCENT(10), { 110, 89 }, { 100, 100 }, false },
		{ 0, { 100, 100 }, { 100, 100 }, true },
		{ 0, { 100, 101 }, { 100, 100 }, false },
		{ -1, { 1, 900 }, { 100, 100 }, true },
		{ PERCENT(10), { -1, 110 }, { 100, 100 }, true },
		{ PERCENT(10), { 110, -1 }, { 100, 100 }, true },
		{ PERCENT(10), { -1, -1 }, { 100, 100 }, false },
		/* the other check must have each value that this one has */
		{ -1, { 100, 100 }, { 100, -1 }, false },
		{ -1, { 100, -1 }, { 100, -1 }, true },
		{ -1, { -1, 100 }, { 100, -1 }, false },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table categories;
		struct run run[NR_SIDES];
		struct bench bench;
		struct rule r = fixture_rule(METRIC_STEP_CUDA_TIME);
		fixture_categories(&categories);
		for (int s = 0; s < NR_SIDES; s++) {
			run[s] = run_of(gemm, elem, 0);
			for (size_t k = 0; k < STEPS; k++)
				run[s].ranks.v[0]->samples[METRIC_STEP_PERIOD][k] = rows[i].other[s];
			struct run other = run_of(gemm, elem, 0);
			for (size_t k = 0; k < STEPS; k++)
				other.ranks.v[0]->samples[METRIC_STEP_PERIOD][k] = rows[i].other[s];
			for (int64_t rank = 0; rank < 2; rank++)
				(rank ? &other : &run[s])->ranks.v[0]->rank = rank;
			vec_push(&run[s].ranks, other.ranks.v[0]);
			vec_release(&other.ranks);
		}
		r.unless = &metric_table[METRIC_STEP_PERIOD];
		r.unless_within = rows[i].within;
		bench_init(
		    &bench,
		    &(struct bench_runs){ .baseline = &run[0], .candidates = &run[1], .nr_candidates = 1 },
		    (struct naming){ .categories = &categories });
		struct beside beside = { .bench = &bench, .rule = &r };
		struct entry e = { .label = SPAN(""), .rank = -1 };
		for (int s = 0; s < NR_SIDES; s++) {
			e.has[s] = rows[i].value[s] >= 0;
			e.value[s] = rows[i].value[s];
		}
		if (check_is_told(&beside, &e) != rows[i].told)
			fail_msg("row %zu", i);
		e.rank = 3; /* `unless` has no figure of rank 3: no other check tells the change */
		assert_false(check_is_told(&beside, &e));
		e.label = SPAN("x");
		e.rank = -1;
		beside_release(&beside);
		/* figures of each rank do not tell what the figure of all ranks does */
		r.query.reduce = REDUCE_EACH;
		struct beside each = { .bench = &bench, .rule = &r };
		e.label = SPAN("");
		assert_false(check_is_told(&each, &e));
		e.rank = 0;
		assert_int_equal(check_is_told(&each, &e), rows[i].told);
		beside_release(&each);
		r.unless = NULL;
		assert_false(check_is_told(&(struct beside){ .bench = &bench, .rule = &r }, &e));
		bench_release(&bench);
		for (int s = 0; s < NR_SIDES; s++)
			run_release(&run[s]);
		category_table_release(&categories);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_floor),
		                                cmocka_unit_test(test_floor_of_rank),
		                                cmocka_unit_test(test_told) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
