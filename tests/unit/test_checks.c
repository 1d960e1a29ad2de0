/* The checks that rules make: by rank, by collective, by item. */
#include "gate/judge.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "gate/checks.h"

#include "breakdown_sums.h"
#include "fold/fold_run.h"

enum { RANKS = 4, STEPS = 5 };

struct job {
	struct rules rules;
	struct category_table categories;
	struct run run[NR_SIDES];
	struct report report;
	struct diag_log log;
};

static const struct activity usual[] = {
	{ EVENT_KERNEL, "gemm", 50, MS(400) },
	{ EVENT_KERNEL, "ncclDevKernel_AllReduce", 10, MS(100) },
};

static void add_comm(struct digest *d, enum collective_kind kind, const char *group, int64_t ms)
{
	vec_push(&d->comms, (struct comm_stat){ .kind = kind,
	                                        .group = span_of(group),
	                                        .dtype = SPAN("Float"),
	                                        .group_size = RANKS,
	                                        .count = 10,
	                                        .total_ns = MS(ms),
	                                        .max_ns = MS(ms),
	                                        .bytes = 1 << 20,
	                                        .sized_count = 10,
	                                        .sized_ns = MS(ms) });
}

/* A job whose rank r takes 10 · r ms more than 80 ms, with 20 ms of collectives per step on all
   ranks. */
static void setup(struct job *j)
{
	*j = (struct job){ .rules = fixture_rules() };
	fixture_categories(&j->categories);
	diag_init(&j->log);
	for (int side = 0; side < NR_SIDES; side++) {
		j->run[side].label = "job";
		for (int64_t r = 0; r < RANKS; r++) {
			struct digest *d = fixture_digest(STEPS, usual, NR_OF(usual));
			d->rank = r;
			d->world_size = RANKS;
			for (size_t i = 0; i < STEPS; i++)
				d->samples[METRIC_STEP_COMPUTE_TIME][i] = MS(80 + 10 * r);
			add_comm(d, COLLECTIVE_ALL_REDUCE, "default_pg", 60);
			add_comm(d, COLLECTIVE_ALL_GATHER, "tensor", 30);
			add_comm(d, COLLECTIVE_ALL_GATHER, "default_pg", 10);
			vec_push(&j->run[side].ranks, d);
		}
	}
}

static struct digest *candidate(struct job *j, size_t rank)
{
	return j->run[SIDE_CANDIDATE].ranks.v[rank];
}

static void slow(struct job *j, size_t rank, int64_t ms)
{
	for (size_t i = 0; i < STEPS; i++)
		candidate(j, rank)->samples[METRIC_STEP_COMPUTE_TIME][i] += MS(ms);
}

static struct rule *add_rule(struct job *j, enum metric_id metric, int64_t increase_pct)
{
	struct rule *r = vec_push_zero(&j->rules.rules);
	*r = fixture_rule(metric);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(increase_pct), "x");
	return r;
}

static void set_ranks(struct rule *r, enum reduce reduce)
{
	r->reduce = r->query.reduce = reduce;
}

static void run_judge(struct job *j)
{
	struct judge_input in = { .rules = &j->rules,
		                      .categories = &j->categories,
		                      .runs.candidates = &j->run[SIDE_CANDIDATE],
		                      .runs.nr_candidates = 1,
		                      .runs.baseline = &j->run[SIDE_BASELINE] };
	if (judge(&in, &j->report, &j->log) != ST_OK)
		fail_msg("%s", diag_first_error(&j->log));
}

static void release(struct job *j)
{
	report_release(&j->report);
	run_release(&j->run[0]);
	run_release(&j->run[1]);
	rules_release(&j->rules);
	category_table_release(&j->categories);
	diag_release(&j->log);
}

/* Compare all checks with `want`, a list of "verdict id" in order of id. */
static void expect(struct job *j, const char *const *want, size_t nr)
{
	run_judge(j);
	for (size_t i = 0; i < j->report.checks.nr; i++) {
		const struct check *k = &j->report.checks.v[i];
		bool found = false;
		for (size_t n = 0; n < nr && !found; n++) {
			const char *blank = strchr(want[n], ' ');
			found = strcmp(blank + 1, k->id) == 0 &&
			        strncmp(want[n], verdict_names[k->verdict], (size_t)(blank - want[n])) == 0;
		}
		if (!found)
			fail_msg("%s %s: %s", verdict_names[k->verdict], k->id, k->message);
	}
	assert_int_equal(j->report.checks.nr, nr);
}
#define EXPECT(j, ...) \
	expect(j, (const char *const[]){ __VA_ARGS__ }, NR_OF(((const char *const[]){ __VA_ARGS__ })))

/* One rank is 20 ms slower: how a rule reduces the ranks decides whether it notices this. */
static void test_ranks(void **state)
{
	(void)state;
	static const struct {
		enum reduce reduce;
		const char *rank; /* glob for the ranks that the rule selects */
		size_t slow;
		int64_t baseline, candidate; /* values in ms that the rule compares */
	} cases[] = {
		{ REDUCE_MAX, NULL, 3, 110, 130 },  { REDUCE_MAX, NULL, 0, 110, 110 },
		{ REDUCE_MIN, NULL, 0, 80, 90 },    { REDUCE_MIN, NULL, 3, 80, 80 },
		{ REDUCE_MEDIAN, NULL, 3, 95, 95 }, { REDUCE_MEAN, NULL, 3, 95, 100 },
		{ REDUCE_MAX, "1", 1, 90, 110 },    { REDUCE_MAX, "1", 2, 90, 90 },
		{ REDUCE_MAX, "[01]", 1, -1, -1 },  { REDUCE_MIN, "?", 0, 80, 90 },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct job j;
		setup(&j);
		slow(&j, cases[i].slow, 20);
		struct rule *r = add_rule(&j, METRIC_STEP_COMPUTE_TIME, 50);
		set_ranks(r, cases[i].reduce);
		r->query.rank = cases[i].rank;
		if (cases[i].baseline < 0) { /* only * and ? are special in a glob */
			struct judge_input in = { .rules = &j.rules,
				                      .categories = &j.categories,
				                      .runs.candidates = &j.run[SIDE_CANDIDATE],
				                      .runs.nr_candidates = 1,
				                      .runs.baseline = &j.run[SIDE_BASELINE] };
			assert_int_equal(judge(&in, &j.report, &j.log), ST_USAGE);
			release(&j);
			continue;
		}
		run_judge(&j);
		const struct check *k = &j.report.checks.v[0];
		if (j.report.checks.nr != 1 || k->baseline != MS(cases[i].baseline) ||
		    k->candidate != MS(cases[i].candidate))
			fail_msg("row %zu: %s", i, k->message);
		release(&j);
	}
}

static void test_each_rank(void **state)
{
	(void)state;
	struct job j;
	setup(&j);
	slow(&j, 2, 20);
	for (size_t i = 0; i < candidate(&j, 2)->kernels.nr; i++)
		if (span_eq(candidate(&j, 2)->kernels.v[i].name, SPAN("gemm")))
			candidate(&j, 2)->kernels.v[i].step_total_ns += STEPS * MS(20);
	set_ranks(add_rule(&j, METRIC_STEP_COMPUTE_TIME, 10), REDUCE_EACH);
	EXPECT(&j, "pass rule[rank 0]", "pass rule[rank 1]", "fail rule[rank 2]", "pass rule[rank 3]");
	assert_string_equal(j.report.checks.v[0].item, "rank 2");
	for (int i = 0; i < 2; i++) { /* the breakdown is limited to the rank that was judged */
		assert_adds_up(j.report.checks.v[0].breakdown);
		assert_int_equal(part(j.report.checks.v[0].breakdown, 2, "gemm")->change, MS(20));
		report_release(&j.report);
		j.rules.rules.v[0].query.rank = "2";
		set_ranks(&j.rules.rules.v[0], i ? REDUCE_EACH : REDUCE_MAX);
		i ? EXPECT(&j, "fail rule[rank 2]") : EXPECT(&j, "fail rule");
	}
	release(&j);
}

/* A check is "missing" if either side lacks one of the ranks that the other side has. */
static void test_absent_rank(void **state)
{
	(void)state;
	for (int side = 0; side < NR_SIDES; side++) {
		struct job j;
		setup(&j);
		digest_free(j.run[side].ranks.v[--j.run[side].ranks.nr]);
		struct rule *r = add_rule(&j, METRIC_MEMORY_PEAK_ALLOCATED, 10);
		set_ranks(r, REDUCE_EACH);
		r->on_missing = ON_MISSING_FAIL;
		run_judge(&j);
		assert_int_equal(j.report.status, ST_INPUT);
		release(&j);
	}
}

/* Metrics of runs with several ranks; rules on them do not apply to a single rank. */
static void test_straggler(void **state)
{
	(void)state;
	struct job j;
	setup(&j);
	for (int side = 0; side < NR_SIDES; side++)
		for (size_t r = 0; r < RANKS; r++)
			j.run[side].ranks.v[r]->cross =
			    (struct cross_rank){ .known = true,
				                     .matched = 10,
				                     .transfer_ns = MS(50),
				                     .late_ns = side && r == 1 ? MS(170) : 0,
				                     .steps = STEPS,
				                     .step_ns = MS(200) * STEPS };
	struct rule *r = add_rule(&j, METRIC_RANK_STRAGGLER_PCT, 0);
	r->fail.list.v[0] =
	    (struct limit){ .condition = COND_INCREASE, .value = PERCENT(10), .text = "10pp" };
	r = add_rule(&j, METRIC_COMM_TRANSFER_TIME, 10);
	r->id = "wire";
	EXPECT(&j, "fail rule", "pass wire");
	assert_int_equal(j.report.checks.v[0].candidate, PERCENT(17));
	assert_int_equal(j.report.checks.v[0].group, GROUP_RANKS);
	assert_int_equal(j.report.checks.v[1].group, GROUP_RANKS);
	report_release(&j.report);
	for (int side = 0; side < NR_SIDES; side++) {
		while (j.run[side].ranks.nr > 1)
			digest_free(j.run[side].ranks.v[--j.run[side].ranks.nr]);
		j.run[side].ranks.v[0]->cross.known = false;
	}
	j.rules.rules.v[0].on_missing = j.rules.rules.v[1].on_missing = ON_MISSING_SKIP;
	set_ranks(add_rule(&j, METRIC_STEP_COMPUTE_TIME, 10), REDUCE_MAX);
	j.rules.rules.v[2].id = "time";
	EXPECT(&j, "skipped rule", "skipped wire", "pass time");
	assert_int_equal(j.report.status, ST_OK);
	release(&j);
}

/* A limit for each collective, by kind and group. */
static void test_collectives(void **state)
{
	(void)state;
	struct job j;
	setup(&j);
	for (size_t r = 0; r < RANKS; r++)
		candidate(&j, r)->comms.v[1].total_ns = MS(40);
	add_rule(&j, METRIC_COMM_TIME, 10);
	EXPECT(&j, "pass rule[all_reduce@default_pg]", "fail rule[all_gather@tensor]",
	       "pass rule[all_gather@default_pg]");
	assert_int_equal(j.report.checks.v[0].group, GROUP_RANKS);
	assert_int_equal(j.report.checks.v[0].baseline, MS(6));
	report_release(&j.report);
	j.rules.rules.v[0].query.collective = "all_gather*";
	EXPECT(&j, "fail rule[all_gather@tensor]", "pass rule[all_gather@default_pg]");
	report_release(&j.report);
	j.rules.rules.v[0].query.collective = "*@default_pg";
	EXPECT(&j, "pass rule[all_reduce@default_pg]", "pass rule[all_gather@default_pg]");
	release(&j);
}

/* A rule of the user's own judges items instead of a built-in one if it restricts none of them to a
   part that the built-in one does not. */
static void test_own(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		struct query own;
		const char *rank; /* of the built-in rule */
		size_t nr; /* checks of the built-in rule */
	} rows[] = {
		{ METRIC_COMM_TIME, { .collective = "all_gather*" }, NULL, 1 },
		{ METRIC_COMM_TIME, { .collective = "*@default_pg" }, NULL, 1 },
		{ METRIC_COMM_TIME, { 0 }, NULL, 3 },
		{ METRIC_COMM_TIME, { .collective = "all_gather*", .rank = "1" }, NULL, 3 },
		{ METRIC_COMM_TIME, { .collective = "all_gather*", .rank = "1" }, "1", 1 },
		{ METRIC_COMM_TIME, { .collective = "all_gather*", .rank = "2" }, "1", 3 },
		{ METRIC_COMM_TIME, { .collective = "all_gather*" }, "1", 1 },
		{ METRIC_KERNEL_TIME, { .kernel = "gemm" }, NULL, 1 },
		{ METRIC_KERNEL_TIME, { .kernel = "gemm", .cls = "compute" }, NULL, 1 },
		{ METRIC_KERNEL_TIME, { .kernel = "gemm", .category = "GEMM" }, NULL, 1 },
		{ METRIC_KERNEL_TIME, { .kernel = "gemm", .rank = "1" }, NULL, 2 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct job j;
		setup(&j);
		struct rule *own = add_rule(&j, rows[i].metric, 10);
		own->id = "own";
		struct query q = own->query;
		own->query = rows[i].own;
		own->query.metric = q.metric;
		own->query.stat = q.stat;
		own->query.reduce = q.reduce;
		struct rule *r = add_rule(&j, rows[i].metric, 10);
		r->built_in = r->for_each = true;
		r->query.rank = rows[i].rank;
		run_judge(&j);
		size_t nr = 0;
		for (size_t k = 0; k < j.report.checks.nr; k++)
			nr += strncmp(j.report.checks.v[k].id, "rule", 4) == 0;
		if (nr != rows[i].nr)
			fail_msg("row %zu: %zu checks", i, nr);
		release(&j);
	}
}

/* What a rule of the user leaves out, does not get to, or looks at in another way, is left to the
 * built-in rule. */
static void test_own_leaves(void **state)
{
	(void)state;
	static const struct {
		const char *except;
		int64_t top; /* of for_each; 0: the user's rule has none */
		enum statistic stat;
		size_t nr; /* checks of the built-in rule on the two kernels */
	} rows[] = {
		{ NULL, 0, STAT_MEDIAN, 0 }, { "gemm", 0, STAT_MEDIAN, 1 }, { NULL, 1, STAT_MEDIAN, 1 },
		{ NULL, 2, STAT_MEDIAN, 0 }, { "gemm", 1, STAT_MEDIAN, 2 }, { NULL, 0, STAT_MAX, 2 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct job j;
		setup(&j);
		struct rule *own = add_rule(&j, METRIC_KERNEL_TIME, 10);
		own->id = "own";
		own->query.kernel = "*";
		if (rows[i].except)
			vec_push(&own->except, span_of(rows[i].except));
		own->for_each = rows[i].top > 0;
		own->top = rows[i].top;
		own->stat = rows[i].stat;
		struct rule *r = add_rule(&j, METRIC_KERNEL_TIME, 10);
		r->stat = STAT_MEDIAN;
		r->built_in = r->for_each = true;
		run_judge(&j);
		size_t nr = 0;
		for (size_t k = 0; k < j.report.checks.nr; k++)
			nr += strncmp(j.report.checks.v[k].id, "rule", 4) == 0;
		if (nr != rows[i].nr)
			fail_msg("row %zu: %zu checks", i, nr);
		release(&j);
	}
}

/* The top collectives have most time, whatever metric is judged; one of them is new. */
static void test_top_collectives(void **state)
{
	(void)state;
	struct job j;
	setup(&j);
	for (size_t r = 0; r < RANKS; r++)
		add_comm(candidate(&j, r), COLLECTIVE_BROADCAST, "default_pg", 50);
	struct rule *r = add_rule(&j, METRIC_COMM_BYTES, 10);
	r->for_each = true;
	r->top = 2;
	r->on_new = SEVERITY_FAIL;
	EXPECT(&j, "pass rule[all_reduce@default_pg]", "fail rule[broadcast@default_pg]",
	       "pass rule[all_gather@tensor]");
	release(&j);
}

/* A renamed kernel is one check under its new name. A kernel that may be too small to be listed on
   the other side is neither new nor gone. */
static void test_renamed(void **state)
{
	(void)state;
	struct job j;
	setup(&j);
	for (size_t r = 0; r < RANKS; r++)
		for (size_t i = 0; i < candidate(&j, r)->kernels.nr; i++)
			if (span_eq(candidate(&j, r)->kernels.v[i].name, SPAN("gemm")))
				candidate(&j, r)->kernels.v[i].name = SPAN("gemm_v2");
	struct rule *r = add_rule(&j, METRIC_KERNEL_TIME, 10);
	r->query.cls = "compute";
	r->for_each = true;
	r->on_new = r->on_gone = SEVERITY_FAIL;
	EXPECT(&j, "pass rule[gemm_v2]");
	assert_non_null(strstr(j.report.checks.v[0].message, "renamed from 'gemm'"));
	report_release(&j.report);
	for (size_t i = 0; i < RANKS; i++) /* 9 ms per step are in the sum of small kernels */
		for (size_t k = 0; k < candidate(&j, i)->kernels.nr; k++)
			candidate(&j, i)->kernels.v[k].total_ns = candidate(&j, i)->kernels.v[k].step_total_ns =
			    MS(200);
	/* the two kernels differ too much to be one renamed kernel */
	EXPECT(&j, "fail rule[gemm]", "fail rule[gemm_v2]", "improved rule[all that is new or gone]");
	report_release(&j.report);
	for (size_t i = 0; i < RANKS; i++)
		vec_push(&j.run[SIDE_BASELINE].ranks.v[i]->kernels,
		         (struct kernel_stat){ .kind = EVENT_KERNEL,
		                               .name = SPAN("GEMM"),
		                               .count = 50,
		                               .total_ns = MS(300),
		                               .step_count = 50,
		                               .step_total_ns = MS(300),
		                               .grid = { -1, -1, -1 },
		                               .block = { -1, -1, -1 },
		                               .occupancy = -1,
		                               .names = 2,
		                               .largest_ns = MS(250) });
	/* the baseline's sum of small kernels may contain gemm_v2, which is thus not judged as new */
	EXPECT(&j, "fail rule[gemm]", "skipped rule[gemm_v2]");
	release(&j);
}

/* Kernels that are twice as slow: one is excluded, one may be slower; a pattern that matches
   nothing gives a warning. */
static void test_exceptions(void **state)
{
	(void)state;
	struct job j;
	setup(&j);
	for (size_t r = 0; r < RANKS; r++)
		for (size_t i = 0; i < candidate(&j, r)->kernels.nr; i++) {
			struct kernel_stat *k = &candidate(&j, r)->kernels.v[i];
			k->total_ns *= 2;
			k->step_total_ns *= 2;
		}
	struct rule *r = add_rule(&j, METRIC_KERNEL_TIME, 10);
	r->for_each = true;
	r->noise.k = 0;
	EXPECT(&j, "fail rule[gemm]", "fail rule[ncclDevKernel_AllReduce]");
	report_release(&j.report);

	struct rule_override *o = vec_push_zero(&r->overrides);
	vec_push(&o->match, SPAN("ge?m"));
	fixture_limit(&o->fail, COND_INCREASE, true, PERCENT(100), "100%");
	o = vec_push_zero(&r->overrides);
	vec_push(&o->match, SPAN("g*")); /* the first override that matches counts */
	fixture_limit(&o->fail, COND_INCREASE, true, PERCENT(1), "1%");
	EXPECT(&j, "pass rule[gemm]", "fail rule[ncclDevKernel_AllReduce]");
	assert_int_equal(j.report.warnings.nr, 0);
	report_release(&j.report);

	o->match.v[0] = SPAN("nccl*"); /* the second override applies where the first does not match */
	o->fail.list.v[0].value = PERCENT(100);
	EXPECT(&j, "pass rule[gemm]", "pass rule[ncclDevKernel_AllReduce]");
	report_release(&j.report);

	o->match.v[0] = SPAN("g*");
	r->overrides.v[0].fail.list.v[0].value = PERCENT(99);
	fixture_limit(&r->warn, COND_INCREASE, true, PERCENT(1), "1%");
	EXPECT(&j, "fail rule[gemm]", "fail rule[ncclDevKernel_AllReduce]");
	assert_non_null(strstr(j.report.checks.v[0].message, "limit of increase 100%"));
	report_release(&j.report);

	/* an override without limits of its own keeps the limits of the rule */
	r->overrides.v[0].fail.list.nr = 0;
	fixture_limit(&r->overrides.v[0].warn, COND_INCREASE, true, PERCENT(200), "200%");
	vec_push(&r->except, SPAN("nccl*"));
	vec_push(&r->except, SPAN("x*"));
	EXPECT(&j, "fail rule[gemm]");
	assert_int_equal(j.report.warnings.nr, 1);
	assert_string_equal(j.report.warnings.v[0],
	                    "rule 'rule': 'x*' of 'except' fits no kernel of either side");
	report_release(&j.report);

	r->fail.list.nr = 0; /* +100 % is within the override's warning limit */
	EXPECT(&j, "pass rule[gemm]");
	report_release(&j.report);

	vec_push(&r->except, SPAN("gemm"));
	EXPECT(&j, "skipped rule");
	assert_string_equal(j.report.checks.v[0].message,
	                    "kernel.time: 'except' leaves no kernel to check");
	release(&j);
}

/* Patterns match a renamed kernel under both names, and an unprintable name in its printed form. */
static void test_excepted_names(void **state)
{
	(void)state;
	char shortened[32];
	snprintf(shortened, sizeof shortened, "ge~%08x", text_hash32(SPAN("gemm\tv2")));
	const char *const patterns[] = { "gemm\tv2", "gemm\xEF\xBF\xBDv2", "gemm", shortened };
	for (size_t i = 0; i < NR_OF(patterns); i++) {
		struct job j;
		setup(&j);
		for (size_t r = 0; r < RANKS; r++)
			for (size_t n = 0; n < candidate(&j, r)->kernels.nr; n++)
				if (span_eq(candidate(&j, r)->kernels.v[n].name, SPAN("gemm")))
					candidate(&j, r)->kernels.v[n].name = SPAN("gemm\tv2");
		struct rule *r = add_rule(&j, METRIC_KERNEL_TIME, 10);
		r->for_each = true;
		vec_push(&r->except, span_of(patterns[i]));
		EXPECT(&j, "pass rule[ncclDevKernel_AllReduce]");
		assert_int_equal(j.report.warnings.nr, 0);
		release(&j);
	}
}

/* Drops a kernel of one rank of a side. */
static void drop_kernel(struct job *j, int side, size_t rank, const char *name)
{
	struct digest *d = j->run[side].ranks.v[rank];
	size_t nr = 0;
	for (size_t i = 0; i < d->kernels.nr; i++)
		if (!span_eq(d->kernels.v[i].name, span_of(name)))
			d->kernels.v[nr++] = d->kernels.v[i];
	d->kernels.nr = nr;
}

/* Items that all ranks of the baseline have, but only some of the candidate, are missing: a figure
 * that is reduced over fewer ranks may look as before. */
static void test_in_part(void **state)
{
	(void)state;
	static const struct {
		bool figure; ///< a figure of result files instead of a kernel
		size_t lacks[NR_SIDES]; ///< number of ranks that lack it
		enum verdict verdict;
		const char *says;
	} rows[] = {
		{ false, { 0, 0 }, VERDICT_PASS, NULL },
		{ false,
		  { 0, 1 },
		  VERDICT_MISSING,
		  "is missing in a part of the candidate, but not of the baseline: 3 of 4 ranks of 'job' "
		  "have it" },
		{ false, { 1, 1 }, VERDICT_PASS, NULL },
		{ false,
		  { 1, 2 },
		  VERDICT_MISSING,
		  "is missing in a part of the candidate, but not of the baseline: 2 of 4 ranks of 'job' "
		  "have it" },
		{ false, { 2, 1 }, VERDICT_PASS, NULL },
		{ true, { 0, 0 }, VERDICT_PASS, NULL },
		{ true,
		  { 0, 3 },
		  VERDICT_MISSING,
		  "is missing in a part of the candidate, but not of the baseline: 1 of 4 ranks of 'job' "
		  "have it" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct job j;
		setup(&j);
		for (int side = 0; side < NR_SIDES; side++)
			for (size_t r = 0; r < RANKS; r++)
				if (rows[i].figure && r >= rows[i].lacks[side])
					vec_push(&j.run[side].ranks.v[r]->inputs,
					         (struct input_stat){ .name = "loss", .value = 3 });
				else if (!rows[i].figure && r < rows[i].lacks[side])
					drop_kernel(&j, side, r, "gemm");
		struct rule *r = add_rule(&j, rows[i].figure ? METRIC_INPUT : METRIC_KERNEL_TIME, 900);
		r->query.kernel = rows[i].figure ? NULL : "gemm";
		run_judge(&j);
		const struct check *k = &j.report.checks.v[0];
		if (j.report.checks.nr != 1 || k->verdict != rows[i].verdict ||
		    (rows[i].says && !strstr(k->message, rows[i].says)))
			fail_msg("row %zu: %s %s", i, verdict_names[k->verdict], k->message);
		release(&j);
	}
}

/* Folds the ranks of a side. It keeps the first `kept` of them whole. */
static void fold(struct job *j, int side, size_t kept)
{
	if (fold_whole(&j->run[side], true, &(struct naming){ .categories = &j->categories },
	               &j->log) != ST_OK)
		fail_msg("%s", diag_first_error(&j->log));
	assert_int_equal(j->run[side].ranks.nr, 1);
	assert_int_equal(j->run[side].ranks.v[0]->fold->kept.ranks.nr, RANKS);
	j->run[side].ranks.v[0]->fold->kept.ranks.nr = kept;
}

/* A kernel of a rank that a folded run did not keep whole is not known there. It is then neither
 * new nor gone nor unheard of, and a rule with `on_missing: skip` says what it has skipped. */
static void test_folded(void **state)
{
	(void)state;
	static const struct {
		size_t kept[NR_SIDES];
		enum on_missing on_missing;
		enum verdict verdict;
		const char *says;
	} rows[] = {
		{ { 4, 4 }, ON_MISSING_SKIP, VERDICT_PASS, "within the limit" },
		{ { 3, 3 }, ON_MISSING_SKIP, VERDICT_PASS, "within the limit" },
		{ { 4, 2 },
		  ON_MISSING_SKIP,
		  VERDICT_MISSING,
		  "is not known: the candidate is a folded run" },
		{ { 2, 4 }, ON_MISSING_SKIP, VERDICT_SKIPPED, "is not known: the baseline is of a folded" },
		{ { 2, 4 }, ON_MISSING_FAIL, VERDICT_MISSING, "is not known: the baseline is of a folded" },
		{ { 2, 2 }, ON_MISSING_SKIP, VERDICT_SKIPPED, "is not known: the candidate is a folded" },
	};
	for (size_t i = 0; i < NR_OF(rows) * 2; i++) {
		size_t row = i / 2;
		struct job j;
		setup(&j);
		for (int side = 0; side < NR_SIDES; side++)
			fold(&j, side, rows[row].kept[side]);
		struct rule *r = add_rule(&j, METRIC_KERNEL_TIME, 10);
		r->query.kernel = "gemm";
		r->query.rank = "2";
		r->for_each = i % 2;
		r->on_missing = rows[row].on_missing;
		r->on_new = r->on_gone = SEVERITY_FAIL;
		run_judge(&j);
		const struct check *k = &j.report.checks.v[0];
		if (j.report.checks.nr != 1 || k->verdict != rows[row].verdict ||
		    !strstr(k->message, rows[row].says))
			fail_msg("row %zu: %s %s", i, verdict_names[k->verdict], k->message);
		assert_int_equal(k->folded, rows[row].kept[0] < 3 || rows[row].kept[1] < 3);
		bool skipped = k->verdict == VERDICT_SKIPPED;
		assert_int_equal(j.report.warnings.nr, skipped);
		if (skipped) {
			assert_int_equal(strncmp(j.report.warnings.v[0], "'rule' is skipped: kernel.time", 30),
			                 0);
			assert_string_equal(j.report.headline, "inconclusive: every check was skipped, nothing "
			                                       "was compared");
		}
		release(&j);
	}
}

/* The headline says why checks are skipped, also those on what folded runs did not keep. A folded
 * run has no rows of single ranks, by which a change on one rank could be broken down. */
static void test_folded_ranks(void **state)
{
	(void)state;
	struct job j;
	setup(&j);
	slow(&j, 2, 20);
	for (int side = 0; side < NR_SIDES; side++)
		fold(&j, side, 2);
	struct rule *r = add_rule(&j, METRIC_STEP_COMPUTE_TIME, 10);
	r->query.rank = "2";
	r->id = "slow";
	r = add_rule(&j, METRIC_KERNEL_TIME, 10);
	r->query.kernel = "gemm";
	r->query.rank = "2";
	r->on_missing = ON_MISSING_SKIP;
	r = add_rule(&j, METRIC_STEP_COMPUTE_TIME, 50);
	r->id = "each";
	set_ranks(r, REDUCE_EACH);
	run_judge(&j);
	assert_string_equal(j.report.checks.v[0].id, "slow");
	assert_null(j.report.checks.v[0].breakdown);
	assert_string_equal(j.report.headline,
	                    "fail: 1 of 3 checks beyond its limits (slow), 1 skipped "
	                    "(not kept of folded ranks)");
	assert_non_null(strstr(j.report.warnings.v[1],
	                       "rules with 'ranks: each' ('each') see only the worst rank"));
	release(&j);
}

/* A short name means the kernel that has it as a whole; only if there is none, it means all kernels
 * of this short name. */
static void test_best_names(void **state)
{
	(void)state;
	static const struct {
		const char *second, *except;
		const char *left; ///< id of the only check; "rule": no kernel is left
	} rows[] = {
		{ "void gemm<half>(int)", "gemm", "rule[void gemm<half>(int)]" },
		{ "void gemm<half>(int)", "gemm<half>", "rule[gemm]" },
		{ "void gemv<half>(int)", "gemv<*", "rule[gemm]" },
		{ "void gemm<half>(int)", "*gemm*", "rule" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct job j;
		setup(&j);
		for (int side = 0; side < NR_SIDES; side++)
			for (size_t r = 0; r < RANKS; r++) {
				const struct activity a = { EVENT_KERNEL, NULL, 50, MS(300) };
				drop_kernel(&j, side, r, "ncclDevKernel_AllReduce");
				fixture_activity(j.run[side].ranks.v[r], span_of(rows[i].second), &a);
			}
		struct rule *r = add_rule(&j, METRIC_KERNEL_TIME, 10);
		r->for_each = true;
		vec_push(&r->except, span_of(rows[i].except));
		run_judge(&j);
		if (j.report.checks.nr != 1 || strcmp(j.report.checks.v[0].id, rows[i].left) != 0)
			fail_msg("row %zu: %zu, %s", i, j.report.checks.nr, j.report.checks.v[0].id);
		release(&j);
	}
}

/* Checks are sorted by verdict, and stay in the order of the rules within a verdict. The second and
   further checks with one id get a number, "b#2", counted in the order of the rules. */
static void test_arrange(void **state)
{
	(void)state;
	static const struct {
		enum verdict verdict;
		const char *id;
	} checks[] = {
		{ VERDICT_PASS, "b" },      { VERDICT_WAIVED, "a" },  { VERDICT_WARN, "c" },
		{ VERDICT_MISSING, "b" },   { VERDICT_PASS, "a" },    { VERDICT_INCONCLUSIVE, "a" },
		{ VERDICT_UNDECIDED, "b" }, { VERDICT_SKIPPED, "d" }, { VERDICT_FAIL, "bb" },
	};
	static const char want[] = "bb b#3 a#3 b#2 c a b a#2 d ";
	struct strbuf ids = STRBUF_INIT;
	struct report r;
	for (size_t nr = 0; nr <= NR_OF(checks); nr++) {
		report_init(&r);
		for (size_t i = 0; i < nr; i++)
			vec_push(&r.checks, (struct check){ .verdict = checks[i].verdict, .id = checks[i].id });
		checks_arrange(&r);
		assert_int_equal(r.checks.nr, nr);
		if (nr == NR_OF(checks))
			for (size_t i = 0; i < nr; i++)
				strbuf_addf(&ids, "%s ", r.checks.v[i].id);
		report_release(&r);
	}
	assert_string_equal(strbuf_str(&ids), want);
	strbuf_release(&ids);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks),
		cmocka_unit_test(test_each_rank),
		cmocka_unit_test(test_absent_rank),
		cmocka_unit_test(test_straggler),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_own_leaves),
		cmocka_unit_test(test_collectives),
		cmocka_unit_test(test_top_collectives),
		cmocka_unit_test(test_renamed),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_excepted_names),
		cmocka_unit_test(test_best_names),
		cmocka_unit_test(test_in_part),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_folded_ranks),
		cmocka_unit_test(test_arrange),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
