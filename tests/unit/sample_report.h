/// A report with some content of every kind, for tests of the writers.
#ifndef GG_TESTS_SAMPLE_REPORT_H
#define GG_TESTS_SAMPLE_REPORT_H

#include "model/report.h"

static inline const struct select_pair *sample_select(struct arena *a, const char *kernel)
{
	struct select_pair *pairs = arena_alloc(a, 2, sizeof *pairs);
	if (kernel[0])
		pairs[0] = (struct select_pair){ "kernel", kernel };
	return pairs;
}

static inline struct check *sample_check(struct report *r, enum verdict v, const char *rule,
                                         enum check_group group, enum metric_id id,
                                         const char *item)
{
	struct check *c = vec_push_zero(&r->checks);
	*c = (struct check){
		.id = item[0] ? arena_printf(&r->arena, "%s[%s]", rule, item) : rule,
		.rule = rule,
		.group = group,
		.metric = &metric_table[id],
		.worse = metric_table[id].worse,
		.item = item,
		.select = sample_select(&r->arena, item),
		.verdict = v,
		.limit = "increase 5% and 2ms",
		.message = arena_printf(&r->arena, "%s of '%s' rose", metric_table[id].name, item),
		.baseline_text = "–",
		.candidate_text = "–",
		.change_text = "–",
		.pct_text = "",
	};
	r->counts[v]++;
	return c;
}

static inline void sample_values(struct check *c, int64_t baseline, int64_t candidate)
{
	c->has_baseline = c->has_candidate = c->has_change = c->has_pct = true;
	c->baseline = baseline;
	c->candidate = candidate;
	c->change = candidate - baseline;
	c->change_pct = number_pct(c->change, baseline);
	c->baseline_text = "100.10 ms";
	c->candidate_text = "112.40 ms";
	c->change_text = "+12.30 ms";
	c->pct_text = "+12.29 %";
}

/// A breakdown of +12.3 ms, of which +9 ms are in GEMM; the parts of each depth add up.
static inline struct breakdown *sample_breakdown(struct report *r, const char *name)
{
	struct breakdown *b = arena_alloc(&r->arena, 1, sizeof *b);
	b->metric = &metric_table[METRIC_STEP_CUDA_TIME];
	b->title =
	    arena_printf(&r->arena, "step.cuda_time of '%s' by class, category and kernel", name);
	b->unit = UNIT_NS;
	b->change = 12300000;
	const struct part parts[] = {
		{ 0, "compute", 9000000, "+9.000 ms", "", { 0 } },
		{ 1, "GEMM", 9000000, "+9.000 ms", "", { 0 } },
		{ 2,
		  name,
		  9000000,
		  "+9.000 ms",
		  arena_printf(&r->arena, "renamed from '%s'", name),
		  { 0 } },
		{ 3, "launches", 8000000, "+8.000 ms", "launches 12 → 14", { 0 } },
		{ 3, "mean", 1000000, "+1.000 ms", "mean 1.000 ms → 1.100 ms", { 0 } },
		{ 0, "not attributed", 3300000, "+3.300 ms", "", { 0 } },
	};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		vec_push(&b->parts, parts[i]);
	return b;
}

/// Evidence of three runs against ten, with all fields set.
static inline void sample_evidence(struct check *c)
{
	const int64_t runs[] = { 111000000, 112400000, 113000000 };
	c->evidence = (struct evidence){
		.baseline_runs = 10,
		.candidate_runs = 3,
		.has_noise = true,
		.has_detectable = true,
		.has_false_alarms = true,
		.has_steps = true,
		.noise = 1200000,
		.detectable = 6200000,
		.false_alarms = 1250,
		.steps = { 6, 5 },
		.median = { 100100000, 112400000 },
		.spread = { 300000, 400000 },
		.p = 4329,
		.noise_text = "±1.20 ms",
		.detectable_text = "6.20 ms (+6.19 %)",
		.text =
		    "3 runs against 10: the noise is ±1.20 ms; a change of 6.20 ms (+6.19 %) would have "
		    "been seen; 1.25 in 1,000 unchanged runs fail here",
	};
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		vec_push(&c->evidence.runs, runs[i]);
}

static inline void sample_checks(struct report *r, const char *name)
{
	struct check *c =
	    sample_check(r, VERDICT_FAIL, "step-cuda-time", GROUP_STEP, METRIC_STEP_CUDA_TIME, "");
	sample_values(c, 100100000, 112400000);
	c->breakdown = sample_breakdown(r, name);
	sample_evidence(c);
	sample_values(
	    sample_check(r, VERDICT_FAIL, "top-kernels", GROUP_KERNELS, METRIC_KERNEL_TIME, name),
	    100100000, 112400000);
	sample_check(r, VERDICT_INCONCLUSIVE, "idle", GROUP_STEP, METRIC_STEP_IDLE_TIME, "");
	sample_check(r, VERDICT_MISSING, "copies", GROUP_STEP, METRIC_MEMCPY_BYTES, name);
	sample_values(sample_check(r, VERDICT_WARN, "peak-memory", GROUP_MEMORY,
	                           METRIC_MEMORY_PEAK_ALLOCATED, ""),
	              1000, 1070);
	c = sample_check(r, VERDICT_IMPROVED, "gpu-utilization", GROUP_STEP, METRIC_GPU_UTILIZATION_PCT,
	                 "");
	sample_values(c, 90000000, 90500001);
	sample_check(r, VERDICT_PASS, "kernel-drift", GROUP_KERNELS, METRIC_KERNEL_DRIFT_PCT, "");
	sample_check(r, VERDICT_SKIPPED, "exposed-communication", GROUP_STEP,
	             METRIC_STEP_EXPOSED_COMM_TIME, "");
	c = sample_check(r, VERDICT_WAIVED, "stragglers", GROUP_RANKS, METRIC_RANK_STRAGGLER_PCT, "");
	sample_values(c, 1000000, 12000000);
	c->waiver = arena_printf(&r->arena, "until 2027-01-31: '%s', issue 1234", name);
	c->message = arena_printf(&r->arena, "rank.straggler_pct rose; waived %s", c->waiver);
}

/// Two ranks of the candidate and one of the baseline, with insights on them.
static inline void sample_ranks(struct report *r, const char *name)
{
	static const struct {
		bool candidate;
		int64_t rank;
	} rows[] = { { true, 0 }, { true, 3 }, { false, 0 } };
	vec_push(&r->rank_columns, (struct rank_column){ "step.time", "step.time", false });
	vec_push(&r->rank_columns, (struct rank_column){ "last did", "last did", false });
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rank_row *row = vec_push_zero(&r->ranks);
		row->candidate = rows[i].candidate;
		row->rank = rows[i].rank;
		vec_push(&row->cells, (struct report_cell){ CELL_TEXT, "12.40 ms", 0 });
		vec_push(&row->cells, (struct report_cell){ CELL_ABSENT, "–", 0 });
		if (i)
			row->cells.v[1] =
			    (struct report_cell){ CELL_TEXT, arena_printf(&r->arena, "at %s", name), 0 };
	}
	vec_push(&r->insights, (struct insight){ "straggler", true, 3, name });
	vec_push(&r->insights, (struct insight){ "lost-rank", false, -1, name });
}

static inline void sample_drift(struct report *r, const char *name)
{
	const struct drift_row row = {
		.kernel = name,
		.category = name,
		.drift = DRIFT_SLOWER,
		.has_baseline = true,
		.has_candidate = true,
		.baseline_ns = 1000,
		.candidate_ns = 3000,
		.change_ns = 2000,
		.baseline_count = 1500000,
		.candidate_count = 1500000,
		.baseline_text = "1.000 µs",
		.candidate_text = "3.000 µs",
		.change_text = "+2.000 µs",
		.count_text = "1.5",
		.shape_text = "grid 4×106×1, block 128×1×1",
	};
	for (int i = 0; i < 12; i++)
		vec_push(&r->drift, row);
	r->drift.v[1].drift = DRIFT_RENAMED;
	r->drift.v[1].renamed_to = name;
}

/// Make the report. `name` is borrowed and used for kernels, paths and all other untrusted texts. A
/// NULL `workload` is left out. The caller ends with report_release().
static inline void sample_report(struct report *r, const char *name, const char *workload)
{
	report_init(r);
	struct arena *a = &r->arena;
	r->workload = workload;
	r->rules = r->baseline_path = r->profile = name;
	r->verdict = VERDICT_FAIL;
	r->status = ST_FAILED;
	r->headline = "fail: 2 of 8 checks beyond their limits, 1 inconclusive, 1 missing, 1 warning";
	r->summary = "2 of 8 checks beyond their limits, 1 inconclusive, 1 missing, 1 warning";
	r->accept = arena_printf(a, "gpugate approve --new '%s' --force", name);
	r->baseline =
	    (struct side){ .label = name, .gpu = name, .commit = name, .ranks = 1, .steps = 6 };
	r->candidate = r->baseline;
	r->candidate.runs = 3;
	r->baseline.runs = 10;
	r->baseline.has_pin_age = true;
	r->baseline.pin_age_days = 12;
	vec_push(&r->candidate.notes, span_of(name));
	vec_push(&r->candidate.notes, SPAN("attribution: launch"));
	r->has_false_alarms = true;
	r->false_alarms = 2500;
	r->false_alarms_text = "2.5 in 1,000 unchanged runs would fail";
	vec_push(&r->environment, (struct env_row){ "gpu.name", name, NULL, false, true });
	vec_push(&r->environment, (struct env_row){ name, "12", "12", true, false });
	struct trust_finding *f = vec_push_zero(&r->trust);
	*f = (struct trust_finding){ .id = "dropped-kernels",
		                         .rank = 3,
		                         .candidate = true,
		                         .message = arena_printf(a, "the candidate has '%s'", name) };
	vec_push(&f->spoils, "step.idle_time");
	f = vec_push_zero(&r->trust);
	*f = (struct trust_finding){
		.id = "json-faults", .rank = -1, .warning_only = true, .message = "the baseline has faults"
	};
	vec_push(&r->warnings, arena_printf(a, "the environment differs: '%s'", name));
	sample_checks(r, name);
	sample_drift(r, name);
	sample_ranks(r, name);
}

/// Like sample_report(), but a diff: the same sides and kernels, without rules.
static inline void sample_diff(struct report *r, const char *name)
{
	sample_report(r, name, "");
	r->kind = REPORT_DIFF;
	r->headline = "median step.cuda_time: 100.10 ms → 112.40 ms";
	r->accept = "";
	r->rules = "";
	r->profile = r->false_alarms_text = NULL;
	r->baseline.runs = r->candidate.runs = 1;
	r->baseline.has_pin_age = r->has_false_alarms = false;
	vec_push(&r->breakdowns, (struct breakdown *)r->checks.v[0].breakdown);
	for (size_t i = 0; i < r->checks.nr; i++)
		vec_release(&r->checks.v[i].evidence.runs);
	r->checks.nr = 0;
	vec_push(&r->figures, (struct figure_row){ .metric = &metric_table[METRIC_GPU_UTILIZATION_PCT],
	                                           .item = name,
	                                           .baseline_text = "90.00 %",
	                                           .candidate_text = "–",
	                                           .change_text = "–",
	                                           .pct_text = "",
	                                           .has_baseline = true,
	                                           .baseline = 90000001 });
}

#endif
