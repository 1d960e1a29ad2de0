/* Digests, runs and rules made by hand, for tests of the gate. */
#ifndef GATE_FIXTURE_H
#define GATE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "diff/pairs.h"
#include "model/report.h"
#include "rules/rules_file.h"

#define MS(v) ((int64_t)(v)*1000000)
#define PERCENT(v) ((int64_t)((v)*1000000))

/* Categories: communication (nccl), GEMM (gemm), copies (copy, class memory); all other names are
   "other". */
static inline void fixture_categories(struct category_table *t)
{
	static const struct {
		const char *name;
		enum category_class cls;
		struct span match;
	} rows[] = {
		{ "communication", CLASS_COMMUNICATION, { "nccl", 4 } },
		{ "GEMM", CLASS_COMPUTE, { "gemm", 4 } },
		{ "elementwise", CLASS_COMPUTE, { "elem", 4 } },
		{ "copies", CLASS_MEMORY, { "copy", 4 } },
	};
	*t = (struct category_table){ .source = "test" };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category *c = vec_push_zero(&t->rows);
		c->name = rows[i].name;
		c->cls = rows[i].cls;
		vec_push(&c->match, rows[i].match);
	}
}

/* One GPU activity of a digest made by hand, with sums over the steps. */
struct activity {
	enum event_kind kind;
	const char *name;
	int64_t count, total_ns;
};

static inline void fixture_activity(struct digest *d, struct span name, const struct activity *a)
{
	struct kernel_stat *k = vec_push_zero(&d->kernels);
	k->kind = a->kind;
	k->name = (struct span){ arena_dup(&d->arena, name), name.n };
	k->count = k->step_count = a->count;
	k->total_ns = k->step_total_ns = a->total_ns;
	k->max_ns = k->step_max_ns = a->total_ns;
	k->grid[0] = -1;
	k->occupancy = -1;
	vec_sort(&d->kernels, kernel_stat_cmp);
}

/* Distribute the activities evenly over the steps; the last step gets the remainder. */
static inline void fixture_samples(struct digest *d)
{
	int64_t sum[NR_STEP_METRICS] = { 0 }, nr = (int64_t)d->nr_steps, activities = 0;
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		bool comm = category_matches_any(d->communication, k->name);
		activities += k->step_count;
		sum[METRIC_STEP_CUDA_TIME] += k->step_total_ns;
		if (k->kind == EVENT_MEMCPY)
			sum[METRIC_STEP_MEMCPY_TIME] += k->step_total_ns;
		if (k->kind == EVENT_MEMSET)
			sum[METRIC_STEP_MEMSET_TIME] += k->step_total_ns;
		if (k->kind != EVENT_KERNEL)
			continue;
		sum[METRIC_STEP_KERNEL_TIME] += k->step_total_ns;
		sum[METRIC_STEP_KERNEL_COUNT] += k->step_count;
		sum[comm ? METRIC_STEP_COMM_TIME : METRIC_STEP_COMPUTE_TIME] += k->step_total_ns;
	}
	for (int64_t s = 0; s < nr; s++) {
		d->step_numbers[s] = 100 + s;
		d->step_activities[s] = activities / nr;
		for (size_t m = 0; m < NR_STEP_METRICS; m++)
			d->samples[m][s] = sum[m] / nr + (s == nr - 1 ? sum[m] % nr : 0);
		d->samples[METRIC_STEP_TIME][s] = MS(200);
	}
	d->trust.gpu_events = d->trust.with_launch = activities;
	d->trust.gpu_ns = sum[METRIC_STEP_CUDA_TIME];
	d->trust.launches = sum[METRIC_STEP_KERNEL_COUNT];
}

static inline struct digest *fixture_digest(size_t steps, const struct activity *a, size_t nr)
{
	static uint64_t hash;
	struct digest *d = digest_new();
	d->trace = "trace.json";
	d->marker = DEFAULT_MARKER;
	d->communication = "nccl";
	d->attribution = ATTRIBUTION_LAUNCH;
	d->source_hash = ++hash;
	d->total_steps = (int64_t)steps;
	for (size_t i = 0; i < nr; i++)
		fixture_activity(d, span_of(a[i].name), &a[i]);
	digest_set_steps(d, steps);
	d->usable_steps = (int64_t)steps;
	fixture_samples(d);
	digest_set_env(d, SPAN("gpu.name"), SPAN("NVIDIA A100"));
	return d;
}

static inline struct run fixture_run(struct digest *d)
{
	struct run run = { .label = "candidate.json.gz" };
	vec_push(&run.ranks, d);
	return run;
}

/* A rule without limits, which fixture_limit() adds. */
static inline struct rule fixture_rule(enum metric_id id)
{
	struct rule r = rule_default(&metric_table[id]);
	r.id = "rule";
	r.line = 3;
	r.column = 5;
	return r;
}

static inline void fixture_limit(struct limits *l, enum condition c, bool relative, int64_t value,
                                 const char *text)
{
	vec_push(&l->list,
	         (struct limit){ .condition = c, .relative = relative, .value = value, .text = text });
}

/* Append `r` to `rules`, which owns its limits from then on. */
static inline void fixture_add(struct rules *rules, struct rule r)
{
	vec_push(&rules->rules, r);
}

static inline struct rules fixture_rules(void)
{
	struct rules r = rules_default();
	r.source = "rules.yaml";
	r.workload = "test";
	return r;
}

#endif
