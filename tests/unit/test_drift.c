#include "diff/drift.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "diff/bench.h"
#include "gate_fixture.h"

struct sides {
	struct category_table categories;
	struct run run[NR_SIDES];
	struct bench bench;
	struct report report;
};

#define SETUP(s, b, c) setup(s, 2, b, NR_OF(b), c, NR_OF(c))
static void setup(struct sides *s, size_t steps, const struct activity *b, size_t nr_b,
                  const struct activity *c, size_t nr_c)
{
	fixture_categories(&s->categories);
	s->run[0] = fixture_run(fixture_digest(steps, b, nr_b));
	s->run[1] = fixture_run(fixture_digest(steps, c, nr_c));
	bench_init(&s->bench,
	           &(struct bench_runs){
	               .baseline = &s->run[0], .candidates = &s->run[1], .nr_candidates = 1 },
	           (struct naming){ .exact = true, .categories = &s->categories });
	report_init(&s->report);
}

static void release(struct sides *s)
{
	bench_release(&s->bench);
	run_release(&s->run[0]);
	run_release(&s->run[1]);
	category_table_release(&s->categories);
	report_release(&s->report);
}

static const struct drift_row *row_of(const struct report *r, const char *kernel)
{
	for (size_t i = 0; i < r->drift.nr; i++)
		if (strcmp(r->drift.v[i].kernel, kernel) == 0)
			return &r->drift.v[i];
	return NULL;
}

/* A kernel has 10 launches with a total of 100 ms in the baseline's 2 steps. Each row: its launches
   and total time in the candidate's 2 steps, and the class of the change. */
static const struct {
	int64_t count, total_ns;
	enum drift drift;
} classes[] = {
	{ 10, MS(100), DRIFT_SAME },          { 10, MS(102), DRIFT_SAME },
	{ 10, MS(102) + 2, DRIFT_SLOWER },    { 10, MS(97), DRIFT_FASTER },
	{ 12, MS(120), DRIFT_MORE_LAUNCHES }, { 8, MS(80), DRIFT_FEWER_LAUNCHES },
	{ 12, MS(160), DRIFT_SLOWER },        { 12, MS(124), DRIFT_MORE_LAUNCHES },
	{ 20, MS(100), DRIFT_MORE_LAUNCHES }, { 11, MS(80), DRIFT_FASTER },
};

static void test_classes(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR_OF(classes); i++) {
		const struct activity b[] = { { EVENT_KERNEL, "gemm", 10, MS(100) } };
		const struct activity c[] = { { EVENT_KERNEL, "gemm", classes[i].count,
			                            classes[i].total_ns } };
		struct sides s;
		SETUP(&s, b, c);
		drift_rows(&s.bench.pairs, &s.categories, &s.report);
		assert_int_equal(s.report.drift.nr, 1);
		if (s.report.drift.v[0].drift != classes[i].drift)
			fail_msg("row %zu: %s, want %s", i, drift_names[s.report.drift.v[0].drift],
			         drift_names[classes[i].drift]);
		release(&s);
	}
}

static void test_figures_of_a_row(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "gemm", 10, MS(100) } };
	const struct activity c[] = { { EVENT_KERNEL, "gemm", 13, MS(130) } };
	struct sides s;
	SETUP(&s, b, c);
	struct digest *x = s.run[0].ranks.v[0], *y = s.run[1].ranks.v[0];
	const int64_t shapes[2][6] = { { 4, 106, 1, 128, 1, 1 }, { 8, 53, 1, 128, 1, 1 } };
	bench_release(&s.bench);
	memcpy(x->kernels.v[0].grid, shapes[0], sizeof x->kernels.v[0].grid);
	memcpy(x->kernels.v[0].block, shapes[0] + 3, sizeof x->kernels.v[0].block);
	memcpy(y->kernels.v[0].grid, shapes[1], sizeof y->kernels.v[0].grid);
	memcpy(y->kernels.v[0].block, shapes[1] + 3, sizeof y->kernels.v[0].block);
	bench_init(
	    &s.bench,
	    &(struct bench_runs){ .baseline = &s.run[0], .candidates = &s.run[1], .nr_candidates = 1 },
	    (struct naming){ .exact = true, .categories = &s.categories });
	drift_rows(&s.bench.pairs, &s.categories, &s.report);
	const struct drift_row *r = &s.report.drift.v[0];
	assert_string_equal(r->category, "GEMM");
	assert_int_equal(r->baseline_ns, MS(50));
	assert_int_equal(r->candidate_ns, MS(65));
	assert_int_equal(r->change_ns, MS(15));
	assert_int_equal(r->baseline_count, 5000000);
	assert_int_equal(r->candidate_count, 6500000);
	assert_string_equal(r->count_text, "5 → 6.5");
	assert_string_equal(r->shape_text, "other shape: grid 4×106×1 → 8×53×1, block 128×1×1");
	release(&s);
}

static void test_new_gone_renamed(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "gemm_a", 10, MS(100) },
		                          { EVENT_KERNEL, "elem_old", 4, MS(8) },
		                          { EVENT_KERNEL, "other", 2, MS(20) } };
	const struct activity c[] = { { EVENT_KERNEL, "gemm_b", 10, MS(109) },
		                          { EVENT_KERNEL, "elem_new", 4, MS(9) },
		                          { EVENT_KERNEL, "stray", 3, MS(20) } };
	struct sides s;
	SETUP(&s, b, c);
	drift_rows(&s.bench.pairs, &s.categories, &s.report);
	/* a kernel counts as renamed if its mean differs by at most 10 %; with 12.5 %, or another
	 * count, it is another kernel */
	assert_int_equal(row_of(&s.report, "gemm_a")->drift, DRIFT_RENAMED);
	assert_string_equal(row_of(&s.report, "gemm_a")->renamed_to, "gemm_b");
	assert_int_equal(row_of(&s.report, "gemm_a")->change_ns, MS(9) / 2);
	assert_null(row_of(&s.report, "gemm_b"));
	assert_int_equal(row_of(&s.report, "elem_old")->drift, DRIFT_GONE);
	assert_int_equal(row_of(&s.report, "elem_new")->drift, DRIFT_NEW);
	assert_int_equal(row_of(&s.report, "other")->drift, DRIFT_GONE);
	assert_string_equal(row_of(&s.report, "other")->candidate_text, "–");
	assert_int_equal(row_of(&s.report, "stray")->drift, DRIFT_NEW);
	release(&s);
}

/* Two candidates that fit equally well: neither counts as the renamed kernel. A third candidate
   that is nearer is taken. */
static void test_rename_is_unique(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "gemm_a", 10, MS(100) } };
	const struct activity c[] = { { EVENT_KERNEL, "gemm_b", 10, MS(102) },
		                          { EVENT_KERNEL, "gemm_c", 10, MS(98) },
		                          { EVENT_KERNEL, "gemm_d", 10, MS(101) } };
	struct sides s;
	setup(&s, 2, b, 1, c, 2);
	drift_rows(&s.bench.pairs, &s.categories, &s.report);
	assert_int_equal(row_of(&s.report, "gemm_a")->drift, DRIFT_GONE);
	assert_int_equal(row_of(&s.report, "gemm_b")->drift, DRIFT_NEW);
	release(&s);
	setup(&s, 2, b, 1, c, 3);
	drift_rows(&s.bench.pairs, &s.categories, &s.report);
	assert_string_equal(row_of(&s.report, "gemm_a")->renamed_to, "gemm_d");
	assert_int_equal(row_of(&s.report, "gemm_c")->drift, DRIFT_NEW);
	release(&s);
}

/* The largest two kernels differ: p and q in the baseline, q and r in the candidate. The values of
   all three count. */
static void test_pct_and_overlap(void **state)
{
	(void)state;
	const struct activity b[] = { { EVENT_KERNEL, "p", 2, MS(20) },
		                          { EVENT_KERNEL, "q", 2, MS(16) },
		                          { EVENT_KERNEL, "r", 2, MS(4) },
		                          { EVENT_KERNEL, "s", 2, MS(2) },
		                          { EVENT_MEMCPY, "copy", 1, MS(900) } };
	const struct activity c[] = { { EVENT_KERNEL, "p", 2, MS(6) },
		                          { EVENT_KERNEL, "q", 2, MS(16) },
		                          { EVENT_KERNEL, "r", 2, MS(10) },
		                          { EVENT_KERNEL, "t", 2, MS(1) } };
	struct sides s;
	int64_t v;
	SETUP(&s, b, c);
	assert_true(drift_pct(&s.bench.pairs, 2, &v));
	assert_int_equal(v, PERCENT(15)); /* r rose by 3 ms; p, q and r had 10 + 8 + 2 ms */
	assert_true(drift_overlap_pct(&s.bench.pairs, 2, &v));
	assert_int_equal(v, PERCENT(50));
	assert_true(drift_overlap_pct(&s.bench.pairs, 20, &v));
	assert_int_equal(v, PERCENT(75));
	release(&s);
}

/* One fused kernel replaces two of its category: what is new counts only by what is not gone.
   Without a category nothing is known to be replaced. */
static void test_replaced(void **state)
{
	(void)state;
	static const struct {
		const char *gone[2], *fresh;
		int64_t ns, want;
	} rows[] = { { { "gemm_a", "gemm_b" }, "gemm_fused", MS(40), 0 },
		         { { "gemm_a", "gemm_b" }, "gemm_fused", MS(50), PERCENT(10) },
		         { { "elem_a", "elem_b" }, "gemm_fused", MS(40), PERCENT(40) },
		         { { "p", "q" }, "r", MS(40), PERCENT(40) } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		const struct activity b[] = { { EVENT_KERNEL, rows[i].gone[0], 2, MS(10) },
			                          { EVENT_KERNEL, rows[i].gone[1], 2, MS(30) },
			                          { EVENT_KERNEL, "softmax", 2, MS(60) } };
		const struct activity c[] = { { EVENT_KERNEL, rows[i].fresh, 4, rows[i].ns },
			                          { EVENT_KERNEL, "softmax", 2, MS(60) } };
		struct sides s;
		int64_t v;
		SETUP(&s, b, c);
		assert_true(drift_pct(&s.bench.pairs, 20, &v));
		if (v != rows[i].want)
			fail_msg("row %zu: drift %" PRId64, i, v);
		release(&s);
	}
}

/* In the baseline only one of two ranks lists the kernel "small". The other rank may have it in its
   sum of small kernels, unless it is too long for that: only then has it drifted. */
static void test_summed_up_on_some_ranks(void **state)
{
	(void)state;
	static const struct {
		/* time of the kernel on the rank that lists it; in the candidate both ranks list it */
		int64_t small_ns;
		bool told;
	} rows[] = { { MS(2), false }, { MS(4), false }, { MS(5), true } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		const struct activity kernels[] = { { EVENT_KERNEL, "gemm", 2, MS(100) },
			                                { EVENT_KERNEL, "small", 2, rows[i].small_ns } };
		struct sides s;
		setup(&s, 2, kernels, 2, kernels, 2);
		bench_release(&s.bench);
		struct digest *sum = fixture_digest(2, kernels, 1), *both = fixture_digest(2, kernels, 2);
		vec_push(&sum->kernels, (struct kernel_stat){ .kind = EVENT_KERNEL,
		                                              .name = SPAN(""),
		                                              .step_count = 4,
		                                              .step_total_ns = MS(3),
		                                              .occupancy = -1,
		                                              .names = 2,
		                                              .largest_ns = MS(2) });
		sum->rank = both->rank = 1;
		vec_push(&s.run[0].ranks, sum);
		vec_push(&s.run[1].ranks, both);
		bench_init(&s.bench,
		           &(struct bench_runs){
		               .baseline = &s.run[0], .candidates = &s.run[1], .nr_candidates = 1 },
		           (struct naming){ .exact = true, .categories = &s.categories });
		drift_rows(&s.bench.pairs, &s.categories, &s.report);
		int64_t v;
		assert_true(drift_pct(&s.bench.pairs, 20, &v));
		if ((row_of(&s.report, "small") != NULL) != rows[i].told || (v != 0) != rows[i].told)
			fail_msg("row %zu: drift %" PRId64, i, v);
		release(&s);
	}
}

static void test_resources(void **state)
{
	(void)state;
	static const struct {
		int64_t baseline[NR_RESOURCES], candidate[NR_RESOURCES];
		int64_t launches; /* of the candidate; the baseline has 2 */
		bool known;
		const char *text;
	} rows[] = {
		{ { -1, -1, -1 }, { 40, 0, 0 }, 2, false, NULL },
		{ { 40, 0, -1 }, { -1, -1, 8 }, 2, false, NULL },
		{ { 40, -1, -1 }, { 40, 16, 8 }, 2, true, NULL },
		{ { 40, 0, 0 },
		  { 255, 0, 96 },
		  2,
		  true,
		  "'k' 40 → 255 registers, 0 B → 96 B of local memory" },
		{ { 40, 2048, 0 }, { 40, 1024, 0 }, 2, true, "'k' 2.00 KiB → 1.00 KiB of shared memory" },
		{ { 40, 0, 0 }, { 255, 0, 96 }, 3, false, NULL },
	};
	const struct metric *m = &metric_table[METRIC_KERNEL_RESOURCE_CHANGES];
	for (size_t i = 0; i < NR_OF(rows); i++) {
		const struct activity before[] = { { EVENT_KERNEL, "k", 2, MS(1) } };
		const struct activity after[] = { { EVENT_KERNEL, "k", rows[i].launches, MS(1) } };
		struct arena a = ARENA_INIT;
		struct sides s;
		const char *text;
		int64_t v, same = -1;
		SETUP(&s, before, after);
		struct activity_pair *k = s.bench.pairs.list.v;
		memcpy(k->resources[SIDE_BASELINE], rows[i].baseline, sizeof rows[i].baseline);
		memcpy(k->resources[SIDE_CANDIDATE], rows[i].candidate, sizeof rows[i].candidate);
		assert_int_equal(drift_resources(&s.bench.pairs, 20, &a, &v, &text), rows[i].known);
		assert_int_equal(drift_figure(&s.bench.pairs, m, 20, &same), rows[i].known);
		assert_int_equal(v, rows[i].text != NULL);
		assert_int_equal(v, same);
		if (rows[i].text)
			assert_string_equal(text, rows[i].text);
		else
			assert_null(text);
		arena_release(&a);
		release(&s);
	}
}

static void test_without_kernels(void **state)
{
	(void)state;
	const struct activity none[] = { { EVENT_MEMCPY, "copy", 1, MS(1) } };
	const struct activity some[] = { { EVENT_KERNEL, "p", 1, MS(1) } };
	struct sides s;
	int64_t v;
	SETUP(&s, none, some);
	assert_false(drift_pct(&s.bench.pairs, 20, &v));
	assert_true(drift_overlap_pct(&s.bench.pairs, 20, &v));
	assert_int_equal(v, 0);
	release(&s);
	SETUP(&s, none, none);
	assert_false(drift_overlap_pct(&s.bench.pairs, 20, &v));
	drift_rows(&s.bench.pairs, &s.categories, &s.report);
	assert_int_equal(s.report.drift.nr, 0);
	release(&s);
}

/* Rows are sorted by absolute change, and only the top kernels have rows. */
static void test_order_and_top(void **state)
{
	(void)state;
	struct activity b[30], c[30];
	char names[30][16];
	for (int i = 0; i < 30; i++) {
		snprintf(names[i], sizeof names[i], "k%02d", i);
		b[i] = c[i] = (struct activity){ EVENT_KERNEL, names[i], 2, MS(100 - i) };
	}
	c[3].total_ns += MS(4);
	c[7].total_ns -= MS(6);
	struct sides s;
	SETUP(&s, b, c);
	drift_rows(&s.bench.pairs, &s.categories, &s.report);
	assert_int_equal(s.report.drift.nr, 20);
	assert_string_equal(s.report.drift.v[0].kernel, "k07");
	assert_string_equal(s.report.drift.v[1].kernel, "k03");
	assert_null(row_of(&s.report, "k25"));
	release(&s);
}

/* A renamed kernel drifts only by the change of its time. */
static void test_renamed_figures(void **state)
{
	(void)state;
	static const struct activity b[] = { { EVENT_KERNEL, "gemm_old", 10, MS(100) },
		                                 { EVENT_KERNEL, "elem", 4, MS(60) },
		                                 { EVENT_KERNEL, "odd", 4, MS(40) } };
	static const struct activity c[] = { { EVENT_KERNEL, "gemm_new", 10, MS(110) },
		                                 { EVENT_KERNEL, "elem", 4, MS(60) },
		                                 { EVENT_KERNEL, "odd", 4, MS(40) } };
	struct sides s;
	int64_t v;
	SETUP(&s, b, c);
	for (int64_t top = 1; top <= 3; top++) {
		static const int64_t want[] = { 0, PERCENT(10), 6250000, PERCENT(5) };
		assert_true(drift_pct(&s.bench.pairs, top, &v));
		assert_int_equal(v, want[top]);
		assert_true(drift_overlap_pct(&s.bench.pairs, top, &v));
		assert_int_equal(v, PERCENT(100));
	}
	release(&s);
}

/* The kernel that `a` was renamed from or to, found by looking at all pairs. */
static const struct activity_pair *slow_nearest(const struct activity_pairs *p,
                                                const struct activity_pair *a)
{
	const struct activity_pair *best = NULL;
	int64_t least = INT64_MAX;
	bool tie = false;
	enum side_index side = a->count[SIDE_BASELINE] > 0 ? SIDE_BASELINE : SIDE_CANDIDATE;
	enum side_index other = side == SIDE_BASELINE ? SIDE_CANDIDATE : SIDE_BASELINE;
	for (size_t i = 0; i < p->list.nr; i++) {
		const struct activity_pair *x = &p->list.v[i];
		if (x->count[side] > 0 || x->category != a->category || x->count[other] != a->count[side])
			continue;
		int64_t by = llabs(x->total_ns[other] - a->total_ns[side]);
		tie = by == least || (tie && by > least);
		best = by < least ? x : best;
		least = by < least ? by : least;
	}
	return tie ? NULL : best;
}

static void test_partners(void **state)
{
	(void)state;
	size_t found = 0;
	for (unsigned seed = 1; seed <= 300; seed++) {
		struct activity a[NR_SIDES][12];
		static char names[NR_SIDES][12][16];
		uint32_t random = seed;
		for (int s = 0; s < NR_SIDES; s++)
			for (size_t i = 0; i < 12; i++) {
				random = random * 1664525 + 1013904223;
				snprintf(names[s][i], sizeof names[s][i], "%s%c%zu", random & 64 ? "gemm" : "elem",
				         s ? 'x' : 'y', i);
				a[s][i] = (struct activity){ EVENT_KERNEL, names[s][i], 1 + (random >> 8) % 2,
					                         1 + (random >> 16) % (seed % 3 ? 10000 : 6) };
			}
		struct sides t;
		setup(&t, 2, a[0], 12, a[1], 12);
		const struct activity_pairs *p = &t.bench.pairs;
		for (size_t i = 0; i < p->list.nr; i++) {
			const struct activity_pair *x = &p->list.v[i], *y = slow_nearest(p, x);
			bool mutual = y && slow_nearest(p, y) == x;
			const struct activity_pair *gone = x->count[SIDE_BASELINE] > 0 ? x : y;
			const struct activity_pair *fresh = gone == x ? y : x;
			if (mutual && llabs(fresh->total_ns[SIDE_CANDIDATE] - gone->total_ns[SIDE_BASELINE]) >
			                  gone->total_ns[SIDE_BASELINE] / 10)
				y = NULL;
			if (x->partner != (mutual ? y : NULL))
				fail_msg("seed %u, '%.*s'", seed, (int)x->name.n, x->name.p);
			found += x->partner != NULL;
		}
		release(&t);
	}
	assert_true(found > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_renamed_figures),
		cmocka_unit_test(test_partners),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_figures_of_a_row),
		cmocka_unit_test(test_new_gone_renamed),
		cmocka_unit_test(test_rename_is_unique),
		cmocka_unit_test(test_pct_and_overlap),
		cmocka_unit_test(test_replaced),
		cmocka_unit_test(test_summed_up_on_some_ranks),
		cmocka_unit_test(test_resources),
		cmocka_unit_test(test_without_kernels),
		cmocka_unit_test(test_order_and_top),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
