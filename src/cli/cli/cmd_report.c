#include "cli/commands.h"

#include <string.h>

#include "base/text.h"
#include "cli/artifact_format.h"
#include "cli/check.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "diagnose/diagnose.h"
#include "diff/breakdown_of.h"
#include "gate/sides.h"
#include "io/sink.h"
#include "model/fold.h"
#include "report/writer.h"
#include "trust/trust.h"

static void describe(const struct setup *s, const struct run_view *v, struct report *r)
{
	const struct run *run = v->run;
	r->workload = s->workload;
	sides_fill(NULL, run, 1, r);
	r->baseline.label = NULL; /* a single run is not compared with a baseline */
	r->expect_ranks = s->rules.expect_ranks;
	trust_findings(NULL, run, 1, &s->rules, r);
	trust_find_machines(NULL, run, 1, s->rules.throttled, r);
	diagnose_ranks(v, true, r);
	r->run = diagnose_run(v, &s->diagnosis, true, true, &r->arena);
	const struct classification *c = &r->run->classification;
	const char *sure = confidence_names[c->confidence];
	if (c->bound == BOUND_UNKNOWN)
		r->headline = "what the run is bound by is not known";
	else if (c->busy)
		r->headline =
		    "busy with kernels (low confidence): whether memory or arithmetic limits most of "
		    "them is not known";
	else if (c->bound == BOUND_MIXED)
		r->headline = arena_printf(&r->arena, "no single bound (mixed, %s confidence)", sure);
	else
		r->headline =
		    arena_printf(&r->arena, "%s-bound (%s confidence)", bound_names[c->bound], sure);
}

/* Replace the lists of the report by those of a single phase. */
static enum status narrow(const struct setup *s, struct run *run, enum phase phase,
                          struct report *r, struct diag_log *log)
{
	struct run_view v;
	bool told = ANY(i, run->ranks.nr, run->ranks.v[i]->phase_known);
	if (!told)
		return diag_fail(
		    log, ST_INPUT,
		    "nothing in the run shows the phase '%s': it takes traces (not digests) with "
		    "annotations of autograd and the optimizer",
		    phase_names[phase]);
	for (size_t i = 0; i < run->ranks.nr; i++)
		digest_narrow(run->ranks.v[i]);
	run_view_init(&v, run, &s->naming);
	diagnose_phase(&v, phase_names[phase], &r->arena, r->run);
	run_view_release(&v);
	return ST_OK;
}

/* ---- stored baselines ---- */

static void add_fact(struct report *r, const char *label, const char *text)
{
	text = text_line(&r->arena, span_of(text && *text ? text : "not recorded"));
	vec_push(&r->run->facts,
	         (struct fact){ .id = label, .label = label, .text = text, .note = "" });
}

/* Add to the summary what a baseline says about its approved run. */
static void add_baseline(const struct baseline *b, struct report *r)
{
	const struct provenance *p = &b->provenance;
	const struct digest *first = b->pin.ranks.v[0];
	add_fact(r, "workload", b->workload);
	add_fact(r, "commit", p->commit);
	add_fact(r, "time", p->time);
	add_fact(r, "written by", p->tool);
	add_fact(r, "approved by", p->who);
	add_fact(r, "reason", p->reason);
	for (size_t i = 0; i < first->env.nr; i++)
		if (strcmp(first->env.v[i].key, "gpu.name") != 0)
			add_fact(r, first->env.v[i].key, first->env.v[i].value);
	add_fact(r, "accepted runs", arena_printf(&r->arena, "%zu", b->reference.runs.nr));
}

/* Read the run into `run`. If the only argument is a stored baseline, or there is no argument, read
   the baseline into `b` instead: the report is then of its approved run, b->pin. */
static enum status read_run(const struct options *o, struct setup *s, struct run *run,
                            struct baseline *b, struct diag_log *log)
{
	const char *path = o->args.nr ? o->args.v[0] : NULL;
	if (o->args.nr > 1 || (path && !artifact_is_baseline(path)))
		return run_load(o->args.v, o->args.nr, s, run, log);
	TRY(setup_stored(s, &path, b, log));
	b->pin.label = path;
	return ST_OK;
}

/* Write the JSON of `gpugate metrics --json`, a command of older versions, in its old form. */
static enum status write_figures(const struct run_view *v, const struct report *r, const char *path,
                                 struct diag_log *log)
{
	struct sink *out;
	if (run_fold(v->run))
		return diag_fail(
		    log, ST_USAGE,
		    "metrics --json has the rows of each rank, which a folded run does not have");
	TRY(sink_open(path, false, &out, log));
	metrics_write_json(v, r, out);
	return sink_commit(out, log);
}

static enum status write_run(const struct options *given, const struct run_view *v,
                             struct report *r, struct diag_log *log)
{
	struct options o = *given;
	r->run->view = o.value[OPT_VERBOSE] && !o.value[OPT_PHASE] ? v : NULL;
	if (o.old == OLD_METRICS && o.value[OPT_JSON]) {
		TRY(write_figures(v, r, o.value[OPT_JSON], log));
		o.value[OPT_JSON] = NULL;
		if (!o.value[OPT_MARKDOWN] && !o.value[OPT_HTML])
			return ST_OK;
	}
	return output_reports(&o, r, log);
}

enum status cmd_report(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct run loaded = { 0 };
	struct baseline stored = { 0 };
	struct run_view v = { 0 };
	struct report r;
	if (o->old == OLD_METRICS && !o->args.nr)
		return cmd_explain(o, log);
	report_init(&r);
	r.kind = REPORT_RUN;
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK && o->value[OPT_PHASE])
		/* the option accepts only the words of phase_names */
		s.reduce.phase = (enum phase)span_find(span_of(o->value[OPT_PHASE]), phase_names);
	NEXT(st, read_run(o, &s, &loaded, &stored, log));
	struct run *run = stored.pin.ranks.nr ? &stored.pin : &loaded;
	if (st == ST_OK) {
		run_view_init(&v, run, &s.naming);
		describe(&s, &v, &r);
		struct bench b;
		bench_init(&b, &(struct bench_runs){ .candidates = run, .nr_candidates = 1 }, s.naming);
		flame_of(&b, &r.arena, &r.flame);
		bench_release(&b);
		if (run == &stored.pin)
			add_baseline(&stored, &r);
	}
	if (st == ST_OK && o->value[OPT_PHASE])
		st = narrow(&s, run, s.reduce.phase, &r, log);
	if (st == ST_OK)
		st = write_run(o, &v, &r, log);
	else if (!o->old)
		st = worse_status(st, output_failure(o, st, &r, log));
	if (v.run)
		run_view_release(&v);
	report_release(&r);
	run_release(&loaded);
	baseline_release(&stored);
	setup_release(&s);
	return st;
}
