/* Checks stored baselines, for `gpugate lint`. */
#include <inttypes.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "cli/lint_noise.h"
#include "cli/setup.h"
#include "diff/bench.h"
#include "diff/past.h"
#include "gate/environment.h"
#include "model/fold.h"
#include "model/select.h"
#include "store/digest_json.h"

enum { OLD_DAYS = 90, NOISE_RUNS = 3 };

struct verify {
	const struct setup *setup;
	const char *path; ///< path of the baseline in quotes
	struct baseline b;
	struct diag_log *log;
	size_t warnings;
	size_t nr_noiseless; ///< number of rules whose noise is mostly assumed, since there are too few
	                     ///< runs
};

#define WARN(v, ...)  \
	((v)->warnings++, \
	 diag_warn((v)->log, "%s: %s", (v)->path, arena_printf(&(v)->log->arena, __VA_ARGS__)))

/* Check that runs can be compared with this baseline under the settings of the rules; else
   ST_BASELINE. */
static enum status verify_usable(const struct verify *v)
{
	const struct rules *rules = &v->setup->rules;
	const struct run none = { 0 };
	enum status st =
	    environment_settings(rules, &v->b.pin, &none, 1, v->setup->reduce.communication, v->log);
	if (st != ST_OK) {
		diag_note(v->log, "of %s", v->path);
		return ST_BASELINE;
	}
	if (rules->expect_ranks > 0 && run_nr_ranks(&v->b.pin) != (uint64_t)rules->expect_ranks)
		return diag_fail(v->log, ST_BASELINE,
		                 "%s: the baseline has %zu rank%s, and the rules expect %" PRId64, v->path,
		                 run_nr_ranks(&v->b.pin), text_s((int64_t)run_nr_ranks(&v->b.pin)),
		                 rules->expect_ranks);
	return ST_OK;
}

/* Find figures that contradict each other. Somebody must have edited or damaged them. */
static enum status verify_sums(const struct verify *v)
{
	for (size_t i = 0; i < v->b.pin.ranks.nr; i++) {
		const struct digest *d = v->b.pin.ranks.v[i];
		const char *fault = digest_contradiction(d, &v->log->arena);
		if (fault)
			return diag_fail(v->log, ST_BASELINE,
			                 "%s: rank %" PRId64
			                 ": %s; take it from version control again, or make it anew",
			                 v->path, d->rank, fault);
	}
	return ST_OK;
}

static enum status verify_age(struct verify *v)
{
	int64_t today, day;
	TRY(clock_today(&today, v->log));
	if (!date_parse(span_of(v->b.provenance.time), &day))
		WARN(v, "the baseline does not say when it was approved");
	else if (today - day > OLD_DAYS)
		WARN(v,
		     "the approved run (the pin) is %" PRId64
		     " days old: code has moved on from it; approve a newer run "
		     "with 'gpugate approve'",
		     today - day);
	return ST_OK;
}

static void verify_environment(struct verify *v)
{
	const struct rules *rules = &v->setup->rules;
	for (size_t i = 0; i < rules->must_match.nr; i++) {
		const char *key = rules->must_match.v[i].p;
		/* a run of one process does not declare a world size, and thus does not match runs that
		   do */
		bool alone = strcmp(key, "world_size") == 0 && run_nr_ranks(&v->b.pin) == 1;
		if (!alone && !run_env(&v->b.pin, key))
			WARN(v,
			     "the baseline does not know its %s, which the rules say must match: runs that do "
			     "not know it either are compared with it",
			     diag_quote(v->log, key));
	}
	if (strcmp(rules->workload, DEFAULT_WORKLOAD) != 0 &&
	    strcmp(rules->workload, v->b.workload) != 0)
		WARN(v, "the baseline is of another workload than the rules: %s",
		     diag_quote(v->log, v->b.workload));
}

/* Number of runs in the history that have a figure for the query. */
static size_t count_answers(struct bench *b, const struct history *h, const struct query *q)
{
	size_t found = 0;
	const char *name = query_name(q);
	for (size_t i = 0; i < h->runs.nr; i++) {
		size_t nr;
		const struct past_value *v = bench_past_answers(b, &h->runs.v[i], q, &nr);
		bool any =
		    (nr && !name) || ANY(k, nr, item_fit(q->metric, span_of(name), v[k].label) != FIT_NONE);
		found += any;
	}
	return found;
}

static void verify_rule(struct verify *v, const struct rule *rule, const struct past_run *pin,
                        struct bench *b)
{
	const struct history *h = &v->b.reference;
	const struct query *q = &rule->query;
	const char *select = select_text(q, &b->arena);
	size_t nr;
	if (rule->metric->label == LABEL_PAIR)
		/* Nothing to verify: a baseline has no values of metrics that compare two runs. */
		return;
	past_query(pin, query_text(q, &b->arena), &nr);
	if (nr == 0 && rule->on_missing != ON_MISSING_SKIP)
		WARN(v, "rule '%s': the approved run (the pin) has no %s%s%s", rule->id, rule->metric->name,
		     *select ? " of " : "", select);
	if (nr == 0)
		return;
	size_t answers = count_answers(b, h, q);
	if (answers < h->runs.nr)
		WARN(v,
		     "rule '%s': %zu of %zu recent runs have no %s, as they were added under other rules",
		     rule->id, h->runs.nr - answers, h->runs.nr, rule->metric->name);
	if (!rule->metric->exact && rule->noise.k && count_answers(b, &v->b.history, q) < NOISE_RUNS)
		v->nr_noiseless++;
}

static enum status verify_baseline(struct verify *v)
{
	struct past_run pin;
	struct bench b;
	struct arena a = ARENA_INIT;
	TRY(verify_usable(v));
	TRY(verify_sums(v));
	TRY(verify_age(v));
	verify_environment(v);
	past_run_of(&v->setup->rules, v->setup->naming, &v->b.pin, &a, &pin);
	bench_init(
	    &b,
	    &(struct bench_runs){ .baseline = &v->b.pin, .candidates = &v->b.pin, .nr_candidates = 1 },
	    v->setup->naming);
	for (size_t i = 0; i < v->setup->rules.rules.nr; i++)
		verify_rule(v, &v->setup->rules.rules.v[i], &pin, &b);
	bench_release(&b);
	if (v->nr_noiseless) /* one warning for all these rules, since a new baseline has many of
	                        them */
		WARN(v,
		     "%zu rule%s: fewer than %d runs of the history have the figure, so that its noise is "
		     "mostly assumed; add every run of the main branch with 'gpugate store'",
		     v->nr_noiseless, text_s(v->nr_noiseless), NOISE_RUNS);
	vec_release(&pin.values);
	arena_release(&a);
	return ST_OK;
}

enum status lint_baseline(const struct options *o, const char *path, struct sink *out,
                          struct diag_log *log)
{
	struct setup s;
	struct verify v = { .setup = &s, .log = log };
	if (path && o->value[OPT_BASELINE])
		return diag_fail(log, ST_USAGE, "name baselines as arguments or with --baseline, not both");
	enum status st = setup_init(&s, o, log);
	NEXT(st, setup_stored(&s, &path, &v.b, log));
	if (st == ST_OK) {
		v.path = diag_quote(log, path);
		st = verify_baseline(&v);
	}
	size_t ranks = run_nr_ranks(&v.b.pin), runs = v.b.reference.runs.nr;
	if (st == ST_OK)
		sink_printf(out, "%s: sound, %zu rank%s, %zu recent run%s, %zu warning%s\n", v.path, ranks,
		            text_s(ranks), runs, text_s(runs), v.warnings, text_s(v.warnings));
	baseline_release(&v.b);
	setup_release(&s);
	return st;
}
