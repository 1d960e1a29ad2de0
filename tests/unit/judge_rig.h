/* Two sides of a comparison, made by hand, and their verdict. */
#ifndef JUDGE_RIG_H
#define JUDGE_RIG_H

#include "diff/past.h"
#include "gate/judge.h"
#include "gate_fixture.h"

/* Two sides of five steps of 100 ms each, and all settings that a test can change. */
struct bench_of_two {
	struct rules rules;
	struct category_table categories;
	struct run baseline, candidate;
	struct digest *b, *c;
	struct report report;
	struct diag_log log;
	bool ignore_environment, judged;
	/* members that most tests leave unchanged */
	struct run repeats[4]; /* further runs of the candidate */
	size_t nr_repeats;
	bool bootstrap;
	struct history recent, sample;
	int64_t today;
	enum fail_on fail_on;
	const char *baseline_time;
	const char *artifact; /* name of the candidate's file; NULL: candidate.json.gz */
	size_t nr_check;
	bool needs_baseline;
	const char *baseline_workload;
	bool only_own;
	struct run controls[2];
	size_t nr_controls;
};

static const struct activity usual[] = {
	{ EVENT_KERNEL, "gemm_a", 50, MS(350) },
	{ EVENT_KERNEL, "gemm_b", 25, MS(100) },
	{ EVENT_KERNEL, "elem", 500, MS(45) },
	{ EVENT_MEMCPY, "Memcpy HtoD", 5, MS(5) },
};

#define WITH(...) ((struct activity[]){ __VA_ARGS__ }), NR_OF(((struct activity[]){ __VA_ARGS__ }))

static inline void setup(struct bench_of_two *s, const struct activity *candidate, size_t nr)
{
	*s = (struct bench_of_two){ .rules = fixture_rules() };
	fixture_categories(&s->categories);
	s->b = fixture_digest(5, usual, NR_OF(usual));
	s->c = fixture_digest(5, candidate, nr);
	s->baseline = fixture_run(s->b);
	s->candidate = fixture_run(s->c);
	diag_init(&s->log);
}

static inline enum status run_judge(struct bench_of_two *s)
{
	const char *const promote[] = { s->artifact ? s->artifact : "candidate.json.gz", "--baseline",
		                            "base lines/it's.json" };
	struct judge_input in = { .rules = &s->rules,
		                      .promote = promote,
		                      .nr_promote = NR_OF(promote),
		                      .nr_check = s->nr_check,
		                      .needs_baseline = s->needs_baseline,
		                      .baseline_workload = s->baseline_workload ? s->baseline_workload
		                                           : s->bootstrap       ? NULL
		                                                                : s->rules.workload,
		                      .categories = &s->categories,
		                      .runs.candidates = s->nr_repeats ? s->repeats : &s->candidate,
		                      .runs.nr_candidates = s->nr_repeats ? s->nr_repeats : 1,
		                      .runs.baseline = s->bootstrap ? NULL : &s->baseline,
		                      .runs.controls = s->nr_controls ? s->controls : NULL,
		                      .runs.nr_controls = s->nr_controls,
		                      .only_own = s->only_own,
		                      .runs.recent = s->recent.runs.nr ? &s->recent : NULL,
		                      .runs.history = s->sample.runs.nr ? &s->sample : NULL,
		                      .today = s->today,
		                      .fail_on = s->fail_on,
		                      .baseline_time = s->baseline_time,
		                      .baseline_path = "base lines/it's.json",
		                      .baseline_commit = "c",
		                      .ignore_environment = s->ignore_environment };
	s->judged = true;
	return judge(&in, &s->report, &s->log);
}

static inline void release(struct bench_of_two *s)
{
	if (s->judged)
		report_release(&s->report);
	run_release(&s->baseline);
	run_release(&s->candidate);
	for (size_t i = 1; i < s->nr_repeats; i++)
		run_release(&s->repeats[i]);
	for (size_t i = 0; i < s->nr_controls; i++)
		run_release(&s->controls[i]);
	history_release(&s->recent);
	history_release(&s->sample);
	rules_release(&s->rules);
	category_table_release(&s->categories);
	diag_release(&s->log);
}

static inline const struct check *check(const struct bench_of_two *s, const char *id)
{
	for (size_t i = 0; i < s->report.checks.nr; i++)
		if (strcmp(s->report.checks.v[i].id, id) == 0)
			return &s->report.checks.v[i];
	fail_msg("no check '%s'", id);
	return NULL;
}

static inline struct rule *add_rule(struct bench_of_two *s, const char *id, enum metric_id metric)
{
	struct rule *r = vec_push_zero(&s->rules.rules);
	*r = fixture_rule(metric);
	r->id = id;
	return r;
}

/* Add a rule with fail: {increase: 5%, and: 2ms}, warn: {increase: 2%}. */
static inline void add_cuda_rule(struct bench_of_two *s)
{
	struct rule *r = add_rule(s, "cuda", METRIC_STEP_CUDA_TIME);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(5), "5%");
	r->fail.has_and = true;
	r->fail.and_value = MS(2);
	r->fail.and_text = "2ms";
	fixture_limit(&r->warn, COND_INCREASE, true, PERCENT(2), "2%");
}

static inline struct rule *add_kernel_rule(struct bench_of_two *s)
{
	struct rule *r = add_rule(s, "top", METRIC_KERNEL_TIME);
	fixture_limit(&r->fail, COND_INCREASE, true, PERCENT(10), "10%");
	r->for_each = true;
	return r;
}

/* Adds a past run that has a value for rule `r` only. */
static inline void add_recent(struct bench_of_two *s, const struct rule *r, int64_t value)
{
	struct past_run *run = vec_push_zero(&s->recent.runs);
	vec_push(&run->values, (struct past_value){ query_text(&r->query, &s->rules.arena), SPAN(""),
	                                            -1, value, MICRO_DIGITS });
}

#endif
