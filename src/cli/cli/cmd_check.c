#include "cli/commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cause/cause.h"
#include "changed/changed.h"
#include "cli/acceptance.h"
#include "cli/baseline_edit.h"
#include "cli/check.h"
#include "cli/output.h"
#include "diagnose/diagnose.h"
#include "evidence/evidence.h"
#include "fold/fold_run.h"
#include "gate/judge.h"

enum status worse_status(enum status a, enum status b)
{
	static const int order[] = { [ST_OK] = 0,       [ST_FAILED] = 1, [ST_INPUT] = 2,
		                         [ST_BASELINE] = 3, [ST_OUTPUT] = 4, [ST_USAGE] = 5 };
	return order[a] >= order[b] ? a : b;
}

/* Read the baseline. If its file is absent, `out` has no ranks, and reports show the run without a
   baseline. */
static enum status read_baseline(const struct setup *s, const struct run *candidate,
                                 struct arena *a, const char **path, struct baseline *out,
                                 struct diag_log *log)
{
	TRY(setup_baseline_path(s, candidate, a, path, log));
	bool absent = strcmp(*path, "-") != 0 && access(*path, F_OK) < 0 && errno == ENOENT;
	if (absent && candidates_need_no_baseline(s->options, &s->rules))
		return ST_OK;
	if (absent) {
		TRY(candidate ? baseline_comparable(candidate, log) : ST_OK);
		enum status said = setup_baseline_there(s->options, *path, log);
		(void)said;
		return ST_OK;
	}
	return setup_baseline_read(s->options, *path, out, log);
}

/* Load the baseline even if the runs cannot be loaded: an unusable baseline takes precedence over
   an unusable run. The error that decides comes first in the log. */
static enum status load_sides(struct setup *s, struct candidates *candidates, struct arena *a,
                              const char **path, struct baseline *b, struct diag_log *log)
{
	struct diag_log run_log, baseline_log;
	diag_init(&run_log);
	diag_init(&baseline_log);
	enum status st = candidates_load(s, candidates, &run_log);
	NEXT(st, setup_name_workload(s, &candidates->v[0], &run_log));
	enum status base = ST_OK;
	const char *pattern = s->rules.baseline;
	bool needs_run = !s->options->value[OPT_BASELINE] &&
	                 (strstr(pattern, "{gpu}") || strstr(pattern, "{world_size}"));
	if (st == ST_OK || !needs_run)
		base = read_baseline(s, st == ST_OK ? &candidates->v[0] : NULL, a, path, b, &baseline_log);
	bool baseline_first = worse_status(st, base) != st;
	diag_move(log, baseline_first ? &baseline_log : &run_log);
	diag_move(log, baseline_first ? &run_log : &baseline_log);
	return worse_status(st, base);
}

/* Write reports, either of the verdict or of the reason why nothing was judged. */
static enum status finish(const struct options *o, enum status st, struct report *r,
                          struct diag_log *log)
{
	return st == ST_OK ? worse_status(r->status, output_reports(o, r, log))
	                   : worse_status(st, output_failure(o, st, r, log));
}

/* Write the baseline that approving the run would make, for a person to commit. */
static enum status propose(const struct candidates *c, const struct setup *s,
                           const struct report *r, struct diag_log *log)
{
	struct diag_log own;
	struct baseline b;
	const char *path = s->options->value[OPT_PROPOSE];
	diag_init(&own);
	bool fit = acceptance_judge(r, s->options, true, &own) == ST_OK;
	if (!fit)
		diag_warn(log, "nothing is proposed: %s", diag_first_error(&own));
	diag_release(&own);
	if (!fit)
		return ST_OK;
	enum status st = baseline_make(c, s, false, &b, log);
	if (st == ST_OK && !*b.provenance.reason)
		b.provenance.reason = arena_printf(&b.arena, "proposed: %s", r->headline);
	NEXT(st, baseline_save(&b, path, log));
	if (st == ST_OK)
		diag_note(log,
		          "proposed baseline written: %s; to approve the run, commit it as the baseline",
		          diag_quote(log, path));
	baseline_release(&b);
	return st;
}

/* Create the first baseline (--new) from a run that is within the absolute limits. */
static enum status bootstrap(const struct candidates *c, const struct setup *s, const char *path,
                             struct diag_log *log)
{
	struct baseline b;
	enum status st = baseline_make(c, s, true, &b, log);
	const char *history = setup_history_path(s->options, path, &b.arena);
	NEXT(st, baseline_add_repeats(c, s, history, &b, log));
	NEXT(st, baseline_put(&b, s->options, path, history, false, log));
	if (st == ST_OK)
		diag_note(log, "baseline written: %s; commit it", diag_quote(log, path));
	baseline_release(&b);
	return st;
}

/* Add what check_explain() adds for each run: its table of ranks, its analysis, and
   recommendations, but no findings. `baseline` has no ranks if there is no baseline. */
static void remarks_add(const struct naming *naming, const struct diagnosis_rules *rules,
                        const struct run *candidate, const struct run *baseline, bool page,
                        struct report *out)
{
	struct run_view c, b;
	bool both = baseline->ranks.nr,
	     explain =
	         out->kind == REPORT_CHECK && (out->counts[VERDICT_FAIL] || out->counts[VERDICT_WARN]);
	run_view_init(&c, candidate, naming);
	run_view_init(&b, baseline, naming);
	diagnose_ranks(&c, true, out);
	diagnose_ranks(&b, false, out);
	out->run = diagnose_run(&c, rules, true, page, &out->arena);
	if (both) {
		out->baseline_run = diagnose_run(&b, rules, false, page, &out->arena);
		diagnose_limit(out->run, rules, out->baseline_run, &b);
	}
	if (!explain)
		out->run->recommendations.nr = 0;
	run_view_release(&c);
	run_view_release(&b);
}

void check_explain(const struct candidates *c, const struct setup *s, const struct baseline *b,
                   bool page, struct report *out)
{
	static const struct run none = { 0 };
	const struct run *before = b ? baseline_explained(b) : c->nr_controls ? &c->controls[0] : &none;
	struct bench_runs runs = candidates_runs(c, b);
	remarks_add(&s->naming, &s->diagnosis, &c->v[0], before, page, out);
	/* causes_find() must come last, since it uses the table of ranks */
	causes_find(&runs, s->naming, s->rules.noise.min_runs, out);
}

static enum status judge_sides(struct check_job *j, const struct options *o, size_t gates,
                               struct diag_log *log)
{
	TRY(setup_init(&j->setup, o, log));
	j->setup.rules.noise.budget /= (int64_t)gates;
	j->setup.rules.in_review = o->value[OPT_REVIEW] != NULL;
	if (o->value[OPT_EVIDENCE])
		TRY(evidence_clear(o->value[OPT_EVIDENCE], log));
	TRY(load_sides(&j->setup, &j->candidates, &j->setup.rules.arena, &j->path, &j->b, log));
	TRY(candidates_fold(&j->candidates, &j->setup, &j->b, log));
	return candidates_judge(&j->candidates, &j->setup, j->b.pin.ranks.nr ? &j->b : NULL, j->path,
	                        &j->report, log);
}

enum status check_begin(struct check_job *j, const struct options *o, size_t gates,
                        struct diag_log *log)
{
	*j = (struct check_job){ .path = "" };
	report_init(&j->report);
	enum status st = judge_sides(j, o, gates, log);
	provenance_links(&j->report.arena, &j->report.links); /* judge_sides() has reset the links */
	TRY(st);
	const struct run *candidate = &j->candidates.v[0];
	const struct baseline *b = j->b.pin.ranks.nr ? &j->b : NULL;
	check_explain(&j->candidates, &j->setup, b, o->value[OPT_HTML] != NULL, &j->report);
	TRY(changed_mark(o->all[OPT_CHANGED].v, o->all[OPT_CHANGED].nr, o->value[OPT_CHANGED_FROM],
	                 j->report.baseline.commit, candidate, &j->report, log));
	if (!o->value[OPT_EVIDENCE])
		return ST_OK;
	const struct run *before =
	    !b && j->candidates.nr_controls ? &j->candidates.controls[0] : baseline_explained(&j->b);
	struct evidence_input in = { .side = { before, candidate },
		                         .naming = &j->setup.naming,
		                         .folder = o->value[OPT_EVIDENCE] };
	return evidence_write(&in, &j->report, log);
}

void check_end(struct check_job *j)
{
	report_release(&j->report);
	baseline_release(&j->b);
	candidates_release(&j->candidates);
	setup_release(&j->setup);
}

enum status cmd_check(const struct options *o, struct diag_log *log)
{
	struct check_job j;
	struct report *r = &j.report;
	enum status st = check_begin(&j, o, 1, log);
	bool fresh = st == ST_OK && j.b.pin.ranks.nr == 0;
	if (st == ST_OK && fresh && r->status == ST_OK && o->value[OPT_BOOTSTRAP]) {
		r->made = j.path;
		r->accept = ""; /* the run is the baseline already */
		st = bootstrap(&j.candidates, &j.setup, j.path, log);
	}
	if (st == ST_OK && !fresh && o->value[OPT_PROPOSE] && r->counts[VERDICT_FAIL])
		st = propose(&j.candidates, &j.setup, r, log);
	st = finish(o, st, r, log);
	check_end(&j);
	return st;
}

enum status cmd_diff(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct run a = { 0 }, b = { 0 };
	struct report r;
	report_init(&r);
	enum status st = setup_init(&s, o, log);
	NEXT(st, run_load(&o->args.v[0], 1, &s, &a, log));
	NEXT(st, run_load(&o->args.v[1], 1, &s, &b, log));
	NEXT(st, fold_alike((struct run *[]){ &a, &b }, 2, &s.naming, log));
	NEXT(st, compare_runs(&a, &b, &s.categories, &r, log));
	r.kind = REPORT_DIFF;
	if (st == ST_OK)
		remarks_add(&s.naming, &s.diagnosis, &b, &a, o->value[OPT_HTML] != NULL, &r);
	NEXT(st, changed_mark(o->all[OPT_CHANGED].v, o->all[OPT_CHANGED].nr, o->value[OPT_CHANGED_FROM],
	                      r.baseline.commit, &b, &r, log));
	st = finish(o, st, &r, log);
	report_release(&r);
	run_release(&a);
	run_release(&b);
	setup_release(&s);
	return st;
}
