/* Noise of a check and the evidence on it, from runs whose values the test gives. */
#ifndef NOISE_RIG_H
#define NOISE_RIG_H

#include "diff/past.h"
#include "gate/noise.h"
#include "gate_fixture.h"

enum { MAX_RUNS = 16, STEPS = 6 };

struct stage {
	struct category_table categories;
	struct rules rules;
	struct run pin, past[MAX_RUNS], candidate[MAX_RUNS];
	struct history history;
	struct arena arena;
	struct bench bench;
	struct noise_model model;
	struct entries entries;
	struct comparison c;
	struct evidence out;
};

static inline struct run run_of(int64_t us)
{
	const struct activity a = { EVENT_KERNEL, "gemm", STEPS, STEPS * us * 1000 };
	struct run run = fixture_run(fixture_digest(STEPS, &a, 1));
	for (size_t i = 0; i < STEPS; i++) /* make all steps different */
		run.ranks.v[0]->samples[METRIC_STEP_COMPUTE_TIME][i] += ((int64_t)i - STEPS / 2) * 7;
	return run;
}

/* Make a bench of runs and the evidence on `rule` in it. A run is given by its compute time in µs;
 * the lists `recent` and `candidates` end with 0. */
static inline void begin(struct stage *s, struct rule rule, int64_t pin, const int64_t *recent,
                         const int64_t *candidates)
{
	size_t nr = 0;
	*s = (struct stage){ .arena = ARENA_INIT, .rules = fixture_rules() };
	fixture_categories(&s->categories);
	fixture_add(&s->rules, rule);
	struct naming naming = { .categories = &s->categories };
	s->pin = run_of(pin);
	for (size_t i = 0; recent[i]; i++) {
		s->past[i] = run_of(recent[i]);
		past_run_of(&s->rules, naming, &s->past[i], &s->arena, vec_push_zero(&s->history.runs));
	}
	for (; candidates[nr]; nr++)
		s->candidate[nr] = run_of(candidates[nr]);
	bench_init(&s->bench,
	           &(struct bench_runs){ .baseline = &s->pin,
	                                 .recent = &s->history,
	                                 .candidates = s->candidate,
	                                 .nr_candidates = nr },
	           naming);
	s->bench.min_runs = rule.noise.min_runs;
	bench_query(&s->bench, &rule.query, &s->entries);
	const struct entry *e = &s->entries.list.v[0];
	s->c = (struct comparison){ .rule = &s->rules.rules.v[0],
		                        .has_baseline = e->has[SIDE_BASELINE],
		                        .has_candidate = e->has[SIDE_CANDIDATE],
		                        .baseline = e->value[SIDE_BASELINE],
		                        .candidate = e->value[SIDE_CANDIDATE],
		                        .has_pin = e->has_pin,
		                        .pin = e->pin };
	noise_model_init(&s->model, &s->bench, &s->rules);
	noise_evidence(&s->model, e, &s->c, &s->arena, &s->out);
}

static inline void end(struct stage *s)
{
	vec_release(&s->out.runs);
	vec_release(&s->entries.list);
	noise_model_release(&s->model);
	bench_release(&s->bench);
	run_release(&s->pin);
	for (size_t i = 0; i < MAX_RUNS; i++) {
		run_release(&s->past[i]);
		run_release(&s->candidate[i]);
	}
	history_release(&s->history);
	category_table_release(&s->categories);
	rules_release(&s->rules);
	arena_release(&s->arena);
}

#endif
