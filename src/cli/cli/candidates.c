#include "cli/candidates.h"

#include <string.h>

#include "base/alloc.h"
#include "base/date.h"
#include "base/text.h"
#include "fold/fold_run.h"
#include "gate/judge.h"
#include "rules/rules_file.h"

enum status candidates_load(const struct setup *s, struct candidates *out, struct diag_log *log)
{
	const struct options *o = s->options;
	out->nr = 1 + o->all[OPT_REPEAT].nr;
	out->v = mem_calloc(out->nr, sizeof *out->v);
	out->nr_controls = o->all[OPT_CONTROL].nr;
	out->controls = mem_calloc(out->nr_controls + 1, sizeof *out->controls);
	TRY(run_load(o->args.v, o->args.nr, s, &out->v[0], log));
	for (size_t i = 1; i < out->nr; i++)
		TRY(run_load(&o->all[OPT_REPEAT].v[i - 1], 1, s, &out->v[i], log));
	for (size_t i = 0; i < out->nr_controls; i++)
		TRY(run_load(&o->all[OPT_CONTROL].v[i], 1, s, &out->controls[i], log));
	return ST_OK;
}

void candidates_release(struct candidates *c)
{
	for (size_t i = 0; i < c->nr; i++)
		run_release(&c->v[i]);
	for (size_t i = 0; i < c->nr_controls; i++)
		run_release(&c->controls[i]);
	free(c->v);
	free(c->controls);
}

static enum fail_on fail_on(const struct options *o)
{
	const char *word = o->value[OPT_FAIL_ON] ? o->value[OPT_FAIL_ON] : "fail";
	return strcmp(word, "never") == 0  ? FAIL_ON_NEVER
	       : strcmp(word, "warn") == 0 ? FAIL_ON_WARN
	                                   : FAIL_ON_FAIL;
}

/* Collect the words of a command that would approve the runs of this check: its files, then its
   options. */
static void add_words(const struct setup *s, const char *path, struct arena *a, struct texts *out)
{
	const struct options *o = s->options;
	for (size_t i = 0; i < o->args.nr; i++) {
		bool like_option = o->args.v[i][0] == '-' && o->args.v[i][1];
		vec_push(out, like_option ? arena_printf(a, "./%s", o->args.v[i]) : o->args.v[i]);
	}
	for (size_t i = 0; i < o->all[OPT_REPEAT].nr; i++) {
		vec_push(out, "--repeat");
		vec_push(out, o->all[OPT_REPEAT].v[i]);
	}
	vec_push(out, "--baseline");
	vec_push(out, path);
	vec_push(out, "--workload");
	vec_push(out, s->rules.workload);
	options_words(o, CMD_APPROVE, a, out);
}

/* True if all limits that the user asks for are absolute, both in the rules file and on the command
   line. False if the user names a baseline and built-in rules are in force, since these compare
   with it. */
static bool limits_are_absolute(const struct options *o, const struct rules *rules)
{
	bool named = o->value[OPT_BASELINE] || strcmp(rules->baseline, rules_default().baseline) != 0;
	return rules_are_absolute(rules) && (!named || ALL(i, rules->rules.nr, rules->rules.v[i].own));
}

bool candidates_need_no_baseline(const struct options *o, const struct rules *rules)
{
	return o->value[OPT_BOOTSTRAP] || limits_are_absolute(o, rules) ||
	       (o->all[OPT_CONTROL].nr && !o->value[OPT_BASELINE]);
}

/* Add a warning that names the built-in rules which differ from those of the gpugate version that
   stored the newest run. */
static void warn_of_update(const struct rules *rules, const struct baseline *b, struct report *out)
{
	const struct history *lists[] = { &b->recent, &b->history };
	const struct provenance *last = &b->provenance;
	for (size_t i = 0; i < NR_OF(lists); i++)
		for (size_t k = 0; k < lists[i]->runs.nr; k++)
			if (strcmp(lists[i]->runs.v[k].provenance.time, last->time) >= 0)
				last = &lists[i]->runs.v[k].provenance;
	const char *changed = rules_changed(rules, last->built_in, &out->arena);
	if (changed)
		vec_push(&out->warnings,
		         arena_printf(&out->arena,
		                      "the built-in rules are not those of the newest stored run, of %s: "
		                      "%s; 'gpugate lint --verbose' shows them",
		                      text_line(&out->arena, span_of(last->tool)), changed));
}

enum status candidates_fold(const struct candidates *c, const struct setup *s, struct baseline *b,
                            struct diag_log *log)
{
	VEC(struct run *) runs = VEC_INIT;
	vec_push(&runs, &b->pin);
	if (b->reference_run)
		vec_push(&runs, &b->reference_run->pin);
	for (size_t i = 0; i < c->nr + c->nr_controls; i++)
		vec_push(&runs, i < c->nr ? &c->v[i] : &c->controls[i - c->nr]);
	enum status st = fold_alike(runs.v, runs.nr, &s->naming, log);
	vec_release(&runs);
	return st;
}

struct bench_runs candidates_runs(const struct candidates *c, const struct baseline *b)
{
	const struct run *controls = c->nr_controls ? c->controls : NULL;
	struct bench_runs runs = { .baseline = controls,
		                       .candidates = c->v,
		                       .nr_candidates = c->nr,
		                       .controls = controls,
		                       .nr_controls = c->nr_controls };
	if (!b)
		return runs;
	runs.baseline = &b->pin;
	runs.reference = b->reference_run ? &b->reference_run->pin : NULL;
	runs.recent = &b->reference;
	runs.history = &b->history;
	return runs;
}

enum status candidates_judge(const struct candidates *c, struct setup *s, const struct baseline *b,
                             const char *path, struct report *out, struct diag_log *log)
{
	const struct options *o = s->options;
	struct judge_input in = { .rules = &s->rules,
		                      .categories = &s->categories,
		                      .runs = candidates_runs(c, b),
		                      .fail_on = fail_on(o),
		                      .limits = o->all[OPT_LIMIT].v,
		                      .nr_limits = o->all[OPT_LIMIT].nr,
		                      .baseline_path = path,
		                      .needs_baseline = !b && !candidates_need_no_baseline(o, &s->rules),
		                      .only_own = !b && !c->nr_controls && !o->value[OPT_BOOTSTRAP] &&
		                                  limits_are_absolute(o, &s->rules),
		                      .ignore_environment = o->value[OPT_IGNORE_ENVIRONMENT] != NULL };
	TRY(clock_today(&in.today, log));
	if (b) {
		if (!o->value[OPT_WORKLOAD] && strcmp(s->rules.workload, DEFAULT_WORKLOAD) == 0)
			s->rules.workload = b->workload;
		if (b->reference_run)
			in.reference_commit = b->reference_run->provenance.commit;
		in.baseline_workload = b->workload;
		in.baseline_commit = b->provenance.commit;
		in.baseline_time = b->provenance.time;
	}
	struct texts words = { 0 };
	add_words(s, path, &s->rules.arena, &words);
	in.nr_promote = words.nr;
	for (size_t i = 0; i < o->all[OPT_CONTROL].nr; i++) {
		vec_push(&words, "--control");
		vec_push(&words, o->all[OPT_CONTROL].v[i]);
	}
	in.promote = words.v;
	/* without a stored baseline, a control run replaces it: the words name a baseline that is not
	   there, and `check` would not take them */
	in.nr_check = b ? words.nr : 0;
	enum status st = judge(&in, out, log);
	if (st == ST_OK && b)
		warn_of_update(&s->rules, b, out);
	vec_release(&words);
	return st;
}
