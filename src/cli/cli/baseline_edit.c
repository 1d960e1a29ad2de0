#include "cli/baseline_edit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/acceptance.h"
#include "diff/past.h"
#include "fold/fold_run.h"
#include "fold/present.h"
#include "gate/environment.h"
#include "io/place.h"
#include "store/digest_json.h"
#include "store/history_file.h"
#include "store/run_json.h"

enum status baseline_comparable(const struct run *run, struct diag_log *log)
{
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		if (d->trust.gpu_events == 0 && d->memories.nr == 0 && d->inputs.nr == 0)
			return diag_fail(
			    log, ST_INPUT,
			    "%s: no GPU activity, no memory and no figures of a benchmark in it, nothing "
			    "could be held against it; %s",
			    diag_quote(log, d->trace ? d->trace : run->label),
			    d->trace ? "record with ProfilerActivity.CUDA"
			             : "give the file of the run beside it");
	}
	return ST_OK;
}

/* Refuse a run that the rules could not judge, because it has other ranks than they expect, or
   because its digests were made by other settings. */
static enum status check_rules(const struct candidates *c, const struct setup *s,
                               struct diag_log *log)
{
	int64_t ranks = s->rules.expect_ranks;
	const char *fault = ranks > 0 ? present_fault(&c->v[0], ranks, &log->arena) : NULL;
	if (fault)
		return diag_fail(log, ST_INPUT, "%s: %s", diag_quote(log, c->v[0].label), fault);
	return environment_settings(&s->rules, NULL, c->v, c->nr, s->reduce.communication, log);
}

/* Make a baseline from the first run, which has been checked already. */
static enum status make(const struct candidates *c, const struct setup *s, struct baseline *out,
                        struct diag_log *log)
{
	TRY(fold_alike((struct run *[]){ &c->v[0] }, 1, &s->naming, log));
	pin_make(&c->v[0], &s->rules, &s->naming, &out->pin);
	return provenance_of(s->options, &c->v[0], &out->arena, &out->provenance, log);
}

enum status baseline_make(const struct candidates *c, const struct setup *s, bool first,
                          struct baseline *out, struct diag_log *log)
{
	*out = (struct baseline){ .arena = ARENA_INIT, .workload = s->rules.workload };
	TRY(baseline_comparable(&c->v[0], log));
	TRY(check_rules(c, s, log));
	TRY(acceptance_books(c->v, c->nr, first, &s->rules, s->options, log));
	return make(c, s, out, log);
}

/* Append `run` to the history of the baseline. */
static struct past_run *add_past(const struct setup *s, const struct run *run, struct baseline *b,
                                 struct diag_log *log)
{
	struct past_run *past = vec_push_zero(&b->history.runs);
	past_run_of(&s->rules, s->naming, run, &b->arena, past);
	past->provenance = b->provenance;
	past->pin = past_source_hash(&b->pin);
	past_run_fit(past);
	/* true if the run added before this one has given the warning below already */
	bool told = b->history.runs.nr > 1 && past[-1].cut > 0;
	if (past->cut && !told)
		diag_warn(log,
		          "a run of the history has room for %zu figures: the %" PRId64
		          " of the smallest items, or last by name, were left out",
		          past->values.nr, past->cut);
	return past;
}

/* Move the runs that older gpugate versions stored inside the baseline to the history. They would
   be lost otherwise. */
static void add_recent(struct baseline *b)
{
	for (size_t i = 0; i < b->recent.runs.nr; i++) {
		bool known = ANY(k, b->history.runs.nr,
		                 b->history.runs.v[k].source_hash == b->recent.runs.v[i].source_hash);
		if (!known)
			vec_push(&b->history.runs, b->recent.runs.v[i]);
	}
	b->recent.runs.nr = 0;
}

/* Add the runs of `c` from index `first` on to the history. If the approved run is missing there,
   add it before them. */
static enum status add_runs(const struct candidates *c, size_t first, const struct setup *s,
                            const char *verdict, bool accepted, struct baseline *b,
                            struct diag_log *log)
{
	/* `together` marks runs that were made together on one machine; NULL for a single run, or if
	   the runs may be from different machines */
	bool apart =
	    c->nr == 1 || ANY(i, c->nr, i && environment_together(&c->v[0], &c->v[i]) == APART);
	const char *together =
	    apart ? NULL : arena_printf(&b->arena, "%016" PRIx64, past_source_hash(&c->v[0]));
	/* the pin (approved run) is an ordinary run once there is a newer pin */
	if (!past_find(&b->history, &b->pin))
		add_past(s, &b->pin, b, log)->verdict = "approved";
	for (size_t i = first; i < c->nr; i++) {
		struct past_run *past = add_past(s, &c->v[i], b, log);
		TRY(provenance_of(s->options, &c->v[i], &b->arena, &past->provenance, log));
		past->verdict = verdict;
		past->accepted = accepted;
		past->together = together;
	}
	return ST_OK;
}

enum status baseline_add(const struct candidates *c, const struct setup *s,
                         const struct report *judged, bool accepted, struct baseline *b,
                         struct diag_log *log)
{
	return add_runs(c, 0, s, verdict_names[judged->verdict], accepted, b, log);
}

enum status baseline_add_repeats(const struct candidates *c, const struct setup *s,
                                 const char *history, struct baseline *b, struct diag_log *log)
{
	if (c->nr == 1)
		return ST_OK;
	TRY(history_read(history, &b->arena, &b->history, log));
	return add_runs(c, 1, s, "approved", true, b, log);
}

enum status baseline_move(const struct candidates *c, const struct setup *s,
                          const struct report *judged, struct baseline_edit *e,
                          struct baseline *moved, struct diag_log *log)
{
	size_t before = e->b.history.runs.nr;
	TRY(baseline_make(c, s, !e->b.pin.ranks.nr, moved, log));
	add_recent(&e->b);
	TRY(baseline_add(c, s, judged, true, &e->b, log));
	for (size_t i = before; i < e->b.history.runs.nr; i++)
		for (size_t k = 0; k < c->nr; k++)
			if (e->b.history.runs.v[i].source_hash == past_source_hash(&c->v[k]))
				e->b.history.runs.v[i].pin = past_source_hash(&moved->pin);
	TRY(baseline_save_history(&e->b, e->history, log));
	return stored_baseline_save(moved, e->lock.target, true, log);
}

enum status baseline_save_history(const struct baseline *b, const char *path, struct diag_log *log)
{
	TRY(sink_make_folders(path, log));
	return history_write(path, &b->history, log);
}

enum status baseline_save_reference(const struct candidates *c, const struct setup *s,
                                    const struct baseline_edit *e, struct diag_log *log)
{
	struct baseline b = { .arena = ARENA_INIT, .workload = e->b.workload };
	enum status st = sink_make_folders(e->reference, log);
	NEXT(st, make(c, s, &b, log));
	NEXT(st, stored_baseline_save(&b, e->reference, true, log));
	baseline_release(&b);
	return st;
}

enum status baseline_save(const struct baseline *b, const char *path, struct diag_log *log)
{
	if (strcmp(path, "-") != 0)
		TRY(sink_make_folders(path, log));
	return stored_baseline_save(b, path, false, log);
}

/* Print the note at once: the messages of the log are printed only at the end. */
static void say_waiting(const char *lock)
{
	struct strbuf b = STRBUF_INIT;
	text_add_line(&b, span_of(lock));
	fprintf(stderr, "gpugate: note: waiting for %s, which another process holds\n", strbuf_str(&b));
	strbuf_release(&b);
}

/* Wait up to five minutes for the lock: one change of a baseline takes seconds, but many changes
   may be waiting. */
static const struct lock_wait lock_wait = { .seconds = 300, .told = say_waiting };

/* Check that the baseline or its history may be written at `path`. Any place is allowed if the user
   typed the path. Otherwise it must be inside of the repository, or of the folder of --history. */
static enum status check_place(const struct options *o, const char *path, struct diag_log *log)
{
	bool typed = o->value[OPT_BASELINE] && !o->value[OPT_SUITE],
	     kept = setup_kept_name(o, path) != NULL;
	return typed && !kept ? ST_OK : place_check(path, kept ? o->value[OPT_HISTORY] : NULL, log);
}

enum status baseline_save_both(const struct baseline *b, const char *path, const char *history,
                               struct diag_log *log)
{
	TRY(baseline_save(b, path, log));
	return b->history.runs.nr ? baseline_save_history(b, history, log) : ST_OK;
}

enum status baseline_put(const struct baseline *b, const struct options *o, const char *path,
                         const char *history, bool replace, struct diag_log *log)
{
	struct file_lock lock;
	TRY(check_place(o, path, log));
	TRY(check_place(o, history, log));
	TRY(sink_make_folders(path, log));
	TRY(file_lock_take(path, lock_wait, &lock, log));
	enum status st;
	if (!replace && (access(lock.target, F_OK) == 0 || errno != ENOENT))
		st = diag_fail(log, ST_OUTPUT,
		               "%s: there is a baseline already; approve the run in its place without "
		               "--new, or replace it unjudged with --force",
		               diag_quote(log, path));
	else
		st = baseline_save_both(b, lock.target, history, log);
	file_lock_release(&lock);
	return st;
}

enum status baseline_say(const struct baseline *b, const char *path, const char *also,
                         const char *what, struct diag_log *log)
{
	struct sink *out;
	struct strbuf workload = STRBUF_INIT;
	const struct digest *d = b->pin.ranks.v[0];
	size_t nr = b->history.runs.nr, ranks = run_nr_ranks(&b->pin), steps = d->nr_steps;
	TRY(sink_open("-", false, &out, log));
	text_add_line(&workload, span_of(b->workload));
	sink_printf(out, "%s: %s (workload %s, ", what, diag_quote(log, path), strbuf_str(&workload));
	if (ranks == 1 && d->inputs.nr && !d->trace && !d->snapshot)
		sink_printf(out, "%zu figure%s", d->inputs.nr, text_s(d->inputs.nr));
	else if (d->window || !d->trace)
		sink_printf(out, "%zu rank%s, %s", ranks, text_s(ranks),
		            d->window ? "whole trace" : "memory snapshot");
	else
		sink_printf(out, "%zu rank%s, %zu step%s", ranks, text_s(ranks), steps, text_s(steps));
	if (nr)
		sink_printf(out, ", %zu run%s of history%s", nr, text_s(nr),
		            nr > 1 && past_find(&b->history, &b->pin) ? " with the approved one" : "");
	sink_puts(out, "); commit it");
	if (also)
		sink_printf(out, " and %s", diag_quote(log, also));
	sink_puts(out, "\n");
	strbuf_release(&workload);
	return sink_commit(out, log);
}

enum status baseline_edit_begin(struct baseline_edit *e, struct setup *s, const struct run *run,
                                struct diag_log *log)
{
	const struct options *o = s->options;
	TRY(setup_baseline_path(s, run, &s->rules.arena, &e->path, log));
	if (strcmp(e->path, "-") == 0)
		return diag_fail(log, ST_USAGE,
		                 "a baseline is changed in place: name its file instead of '-'");
	TRY(check_place(o, e->path, log));
	bool begins = o->command == CMD_STORE && o->args.nr && setup_kept_name(o, e->path);
	TRY(begins ? sink_make_folders(e->path, log) : setup_baseline_there(o, e->path, log));
	TRY(file_lock_take(e->path, lock_wait, &e->lock, log));
	e->history =
	    setup_history_path(o, o->value[OPT_HISTORY] ? e->path : e->lock.target, &s->rules.arena);
	e->reference = history_reference_path(e->history, &s->rules.arena);
	TRY(check_place(o, e->history, log));
	TRY(check_place(o, e->reference, log));
	e->is_first = begins && is_absent(e->lock.target) && is_absent(e->history);
	if (e->is_first)
		return ST_OK;
	return setup_baseline_read(o, o->value[OPT_HISTORY] ? e->path : e->lock.target, &e->b, log);
}

void baseline_edit_release(struct baseline_edit *e)
{
	file_lock_release(&e->lock);
	baseline_release(&e->b);
}
