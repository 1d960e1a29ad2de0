/* The commands approve and store, which add runs to a stored baseline or, with --keep and --before,
   remove old ones. */
#include <inttypes.h>
#include <string.h>

#include "base/date.h"
#include "base/text.h"
#include "cli/acceptance.h"
#include "cli/baseline_edit.h"
#include "cli/check.h"
#include "cli/commands.h"
#include "cli/setup.h"
#include "diff/past.h"
#include "model/fold.h"
#include "store/history_file.h"
#include "store/run_json.h"

struct baseline_job {
	struct setup setup;
	struct candidates candidates;
	struct baseline_edit edit;
	struct baseline made; ///< new baseline, which borrows from the candidates
	struct report report;
};

static enum status baseline_job_begin(struct baseline_job *w, const struct options *o,
                                      struct diag_log *log)
{
	*w = (struct baseline_job){ 0 };
	report_init(&w->report);
	TRY(setup_init(&w->setup, o, log));
	if (!o->args.nr)
		return ST_OK;
	TRY(candidates_load(&w->setup, &w->candidates, log));
	return setup_name_workload(&w->setup, &w->candidates.v[0], log);
}

static void baseline_job_release(struct baseline_job *w)
{
	report_release(&w->report);
	baseline_release(&w->made);
	baseline_edit_release(&w->edit);
	candidates_release(&w->candidates);
	setup_release(&w->setup);
}

/* ---- approve ---- */

/* If there are several runs, or figures of result files, judge the runs against the new baseline,
   which is made from the first of them. Refuse the runs if one of them did other work: the
   difference would count as noise. Warn of figures that no check will judge. */
static enum status try_baseline(struct baseline_job *w, const char *path, struct diag_log *log)
{
	const struct run *run = &w->candidates.v[0];
	bool judges = w->candidates.nr > 1 || ANY(i, run->ranks.nr, run->ranks.v[i]->inputs.nr);
	if (!judges)
		return ST_OK;
	TRY(candidates_judge(&w->candidates, &w->setup, &w->made, path, &w->report, log));
	bool judged = false;
	for (size_t i = 0; i < w->report.checks.nr; i++) {
		const struct trust_finding *f = w->report.checks.v[i].spoiler;
		judged = judged || w->report.checks.v[i].verdict != VERDICT_SKIPPED;
		if (f && f->work && w->candidates.nr > 1)
			return diag_fail(log, ST_INPUT, "the runs cannot be stored together: %s", f->message);
	}
	if (w->report.unjudged)
		diag_warn(log, "%s%s",
		          judged ? "" : "nothing of this run will be judged: ", w->report.unjudged);
	return ST_OK;
}

static enum status create_baseline(struct baseline_job *w, const struct options *o,
                                   const char *path, struct diag_log *log)
{
	TRY(baseline_make(&w->candidates, &w->setup, true, &w->made, log));
	if (strcmp(path, "-") == 0)
		return baseline_save(&w->made, path, log);
	if (o->value[OPT_SUITE] && !o->value[OPT_FORCE] && !is_absent(path)) {
		diag_note(log, "%s: kept, as it is there already", diag_quote(log, path));
		return ST_OK;
	}
	const char *history = setup_history_path(o, path, &w->made.arena);
	TRY(try_baseline(w, path, log));
	TRY(baseline_add_repeats(&w->candidates, &w->setup, history, &w->made, log));
	TRY(baseline_put(&w->made, o, path, history, o->value[OPT_FORCE] != NULL, log));
	return baseline_say(&w->made, path, w->made.history.runs.nr ? history : NULL,
	                    "baseline written", log);
}

/* Make the run the pin (the approved run) instead of the present one. */
static enum status move_baseline(struct baseline_job *w, const struct options *o, const char *path,
                                 struct diag_log *log)
{
	if (!o->value[OPT_REASON] && !is_absent(path))
		return diag_fail(
		    log, ST_USAGE,
		    "%s: there is a baseline already; 'approve' needs --reason TEXT to replace "
		    "it: it is kept",
		    diag_quote(log, path));
	TRY(baseline_edit_begin(&w->edit, &w->setup, &w->candidates.v[0], log));
	TRY(candidates_fold(&w->candidates, &w->setup, &w->edit.b, log));
	TRY(candidates_judge(&w->candidates, &w->setup, &w->edit.b, path, &w->report, log));
	check_explain(&w->candidates, &w->setup, &w->edit.b, false, &w->report);
	TRY(acceptance_judge(&w->report, o, false, log));
	TRY(baseline_move(&w->candidates, &w->setup, &w->report, &w->edit, &w->made, log));
	return baseline_say(&w->made, path, setup_history_path(o, path, &w->edit.b.arena),
	                    "baseline moved", log);
}

/* True if the run begins a new baseline instead of being judged against the file at `path`. If
   there is no such file, but the rules or a history know the workload, the path may be wrong. The
   run then begins a baseline only with --new or --force. */
static bool begins(const struct baseline_job *w, const struct options *o, const char *path,
                   struct arena *a)
{
	return o->value[OPT_NEW] || o->value[OPT_FORCE] || strcmp(path, "-") == 0 ||
	       (is_absent(path) && !o->old && !w->setup.rules_name_baseline &&
	        is_absent(setup_history_path(o, path, a)));
}

enum status cmd_approve(const struct options *o, struct diag_log *log)
{
	struct baseline_job w;
	const char *path;
	enum status st = baseline_job_begin(&w, o, log);
	struct arena *a = &w.setup.rules.arena;
	NEXT(st, setup_baseline_path(&w.setup, &w.candidates.v[0], a, &path, log));
	NEXT(st, begins(&w, o, path, a) ? create_baseline(&w, o, path, log)
	                                : move_baseline(&w, o, path, log));
	baseline_job_release(&w);
	return st;
}

/* ---- store ---- */

/* Refuse a run that the gate's verdict excludes from the history. */
static enum status refuse_baseline(const struct baseline_job *w, const char *what_to_do,
                                   struct diag_log *log)
{
	static const enum verdict order[] = { VERDICT_INCONCLUSIVE, VERDICT_FAIL, VERDICT_MISSING,
		                                  VERDICT_WARN };
	const struct report *r = &w->report;
	const struct check *check = NULL;
	for (size_t i = 0; i < NR_OF(order); i++)
		for (size_t k = 0; k < r->checks.nr && !check; k++)
			check = r->checks.v[k].verdict == order[i] ? &r->checks.v[k] : NULL;
	return diag_fail(
	    log, r->status, "%s: not taken: %s%s%s: %s%s", diag_quote(log, w->candidates.v[0].label),
	    check ? verdict_names[check->verdict] : r->headline, check ? ": " : "",
	    check ? check->id : "", check ? check->message : "nothing was compared", what_to_do);
}

static enum status refuse_known(const struct baseline_job *w, struct diag_log *log)
{
	const struct baseline *b = &w->edit.b;
	for (size_t i = 0; i < w->candidates.nr; i++) {
		const struct run *run = &w->candidates.v[i];
		if (past_source_hash(run) == past_source_hash(&b->pin) || past_find(&b->recent, run) ||
		    past_find(&b->history, run))
			return diag_fail(log, ST_INPUT,
			                 "%s: the baseline has this run already, and a copy would count as "
			                 "another run; store it nevertheless with --force",
			                 diag_quote(log, run->label));
	}
	return ST_OK;
}

/* True if a judged run is typical of main: no check failed, is undecided, is inconclusive or shows
   an improvement, and each figure of a whole step (not of an item) differs from main's median by at
   most half of its noise. */
static bool is_typical(const struct report *r)
{
	bool typical = true;
	for (size_t i = 0; i < r->checks.nr && typical; i++) {
		const struct check *k = &r->checks.v[i];
		bool of_steps = k->metric->per_step && !*k->item && k->evidence.has_noise;
		typical = k->verdict >= VERDICT_MISSING && k->verdict != VERDICT_IMPROVED &&
		          (!of_steps || !k->has_change || 2 * imaxabs(k->change) <= k->evidence.noise);
	}
	return typical;
}

/* True if the reference run, whose details explain changes, is still typical of main. */
static bool reference_is_typical(struct baseline_job *w)
{
	struct report report;
	struct diag_log log;
	if (!w->edit.b.reference_run)
		return false;
	const struct candidates one = { .v = &w->edit.b.reference_run->pin, .nr = 1 };
	report_init(&report);
	diag_init(&log);
	bool typical =
	    candidates_judge(&one, &w->setup, &w->edit.b, w->edit.path, &report, &log) == ST_OK &&
	    is_typical(&report);
	diag_release(&log);
	report_release(&report);
	return typical;
}

static enum status store_runs(struct baseline_job *w, const struct options *o, struct diag_log *log)
{
	bool force = o->value[OPT_FORCE] != NULL;
	/* if a folded run becomes the reference run, all runs that are compared with it must be folded,
	   too */
	bool explains = run_fold(&w->edit.b.pin) || !run_fold(&w->candidates.v[0]);
	w->setup.rules.is_main = true;
	TRY(candidates_fold(&w->candidates, &w->setup, &w->edit.b, log));
	TRY(candidates_judge(&w->candidates, &w->setup, &w->edit.b, w->edit.path, &w->report, log));
	if (acceptance_is_unsure(&w->report, o)) {
		w->report.status = ST_INPUT;
		return refuse_baseline(w, "", log);
	}
	if (!force)
		TRY(refuse_known(w, log));
	/* Undecided runs are accepted, too. The median of main would otherwise be that of the luckier
	   runs. */
	const int64_t *n = w->report.counts;
	bool accepted = force || n[VERDICT_FAIL] + n[VERDICT_MISSING] == 0;
	if (!accepted)
		diag_note(log, "the run counts for the noise only, not for the reference: %s",
		          w->report.headline);
	TRY(baseline_add(&w->candidates, &w->setup, &w->report, accepted, &w->edit.b, log));
	/* Make the first of the runs the reference run if it is typical of main, and the present
	   reference run is not any more. The file of the reference run thus changes only if main has
	   changed. */
	bool kept = accepted && explains && run_is_recorded(&w->candidates.v[0]) &&
	            is_typical(&w->report) && !reference_is_typical(w);
	if (kept) /* the reference run is written before the history, since it is ignored until the
	             history has a line for it */
		TRY(baseline_save_reference(&w->candidates, &w->setup, &w->edit, log));
	TRY(baseline_save_history(&w->edit.b, w->edit.history, log));
	const char *history = setup_history_path(o, w->edit.path, &w->edit.b.arena);
	return baseline_say(&w->edit.b, history,
	                    kept ? history_reference_path(history, &w->edit.b.arena) : NULL,
	                    "run stored", log);
}

/* Count the oldest runs, those that the options --keep and --before remove. */
static enum status count_old(const struct history *h, const struct options *o, size_t *out,
                             struct diag_log *log)
{
	uint64_t keep = options_u64(o, OPT_KEEP, UINT64_MAX);
	const char *before = o->value[OPT_BEFORE];
	int64_t limit = INT64_MIN, day = 0;
	if (before && !date_parse(span_of(before), &limit))
		return diag_fail(log, ST_USAGE, "option '--before' takes a date such as 2027-01-31, not %s",
		                 diag_quote(log, before));
	*out = 0;
	while (*out < h->runs.nr &&
	       (h->runs.nr - *out > keep ||
	        (date_parse(span_of(h->runs.v[*out].provenance.time), &day) && day < limit)))
		++*out;
	return ST_OK;
}

static void drop_first(struct history *h, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		vec_release(&h->runs.v[i].values);
	if (nr)
		memmove(h->runs.v, h->runs.v + nr, (h->runs.nr - nr) * sizeof *h->runs.v);
	h->runs.nr -= nr;
}

/* Remove the oldest `nr` of the runs that older gpugate versions stored inside the baseline. The
   file is read again, since the approved run in memory may have been folded to compare it. */
static enum status drop_inside(const struct baseline_edit *e, size_t nr, struct diag_log *log)
{
	struct baseline b;
	enum status st = baseline_read(e->lock.target, &b, log);
	if (st == ST_OK) {
		drop_first(&b.recent, nr);
		st = stored_baseline_save(&b, e->lock.target, true, log);
	}
	baseline_release(&b);
	return st;
}

static enum status prune_runs(struct baseline_edit *e, const struct options *o,
                              struct diag_log *log)
{
	size_t old, inside;
	TRY(count_old(&e->b.history, o, &old, log));
	TRY(count_old(&e->b.recent, o, &inside, log));
	drop_first(&e->b.history, old);
	drop_first(&e->b.recent, inside);
	if (old)
		TRY(baseline_save_history(&e->b, e->history, log));
	if (inside)
		TRY(drop_inside(e, inside, log));
	const char *also = old ? setup_history_path(o, e->path, &e->b.arena) : NULL;
	old += inside;
	return baseline_say(&e->b, e->path, also,
	                    old ? arena_printf(&log->arena, "%zu dropped", old) : "nothing to drop",
	                    log);
}

/* Make the first run of main the baseline, in the folder of --history. */
static enum status store_first(struct baseline_job *w, struct diag_log *log)
{
	const struct baseline_edit *e = &w->edit;
	TRY(baseline_make(&w->candidates, &w->setup, true, &w->made, log));
	TRY(try_baseline(w, e->path, log));
	TRY(baseline_add_repeats(&w->candidates, &w->setup, e->history, &w->made, log));
	TRY(baseline_save_both(&w->made, e->lock.target, e->history, log));
	return baseline_say(&w->made, e->path, w->made.history.runs.nr ? e->history : NULL,
	                    "first run of main, baseline written", log);
}

enum status cmd_store(const struct options *o, struct diag_log *log)
{
	struct baseline_job w;
	bool prunes = o->value[OPT_KEEP] || o->value[OPT_BEFORE];
	if (!o->args.nr && !prunes)
		return diag_fail(log, ST_USAGE, "'store' needs RUN..., or --keep N to drop old runs");
	enum status st = baseline_job_begin(&w, o, log);
	NEXT(st, baseline_edit_begin(&w.edit, &w.setup, w.candidates.v, log));
	if (st == ST_OK && w.edit.is_first)
		st = store_first(&w, log);
	else if (st == ST_OK && o->args.nr)
		st = store_runs(&w, o, log);
	if (st == ST_OK && prunes && !w.edit.is_first)
		st = prune_runs(&w.edit, o, log);
	baseline_job_release(&w);
	return st;
}
