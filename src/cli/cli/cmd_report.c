#include "cli/commands.h"

#include <string.h>

#include "base/text.h"
#include "cli/check.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "diagnose/diagnose.h"
#include "diagnose/ranks.h"
#include "diff/flame.h"
#include "gate/sides.h"
#include "trust/trust.h"

static void describe(const struct setup *s, const struct run *run, struct report *r)
{
	struct run_view v;
	r->workload = s->workload;
	run_view_init(&v, run, &s->naming);
	sides_fill(NULL, run, 1, r);
	r->baseline.label = NULL; /* a single run has no baseline side */
	r->expect_ranks = s->rules.expect_ranks;
	trust_findings(NULL, run, 1, &s->rules, r);
	trust_find_machines(NULL, run, 1, s->rules.throttled, r);
	diagnose_ranks(&v, true, r);
	diagnose_rank_table(&v, true, r);
	r->run = diagnose_run(&v, &s->diagnosis, true, true, &r->arena);
	const struct classification *c = &r->run->classification;
	const char *sure = confidence_names[c->confidence];
	if (c->bound == BOUND_UNKNOWN)
		r->headline = "report: what the run is bound by is not known";
	else if (c->bound == BOUND_MIXED)
		r->headline =
		    arena_printf(&r->arena, "report: no single bound (mixed, %s confidence)", sure);
	else
		r->headline = arena_printf(&r->arena, "report: %s-bound (%s confidence)",
		                           bound_names[c->bound], sure);
	run_view_release(&v);
}

static void add_flame(const struct setup *s, const struct run *run, struct report *r)
{
	struct bench b;
	bench_init(&b, &(struct bench_runs){ .candidates = run, .nr_candidates = 1 }, s->naming);
	flame_of(&b, &r->arena, &r->flame);
	bench_release(&b);
}

/* The phase called `word`, which is one of the words in the option table. */
static enum phase phase_of(const char *word)
{
	for (int i = PHASE_FORWARD; i < NR_PHASES; i++)
		if (strcmp(word, phase_names[i]) == 0)
			return (enum phase)i;
	return PHASE_ALL;
}

static bool tells_phase(const struct run *run)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		if (run->ranks.v[i]->phase_known)
			return true;
	return false;
}

/* Replace the report's lists by the lists of a single phase. */
static enum status narrow(const struct setup *s, struct run *run, enum phase phase,
                          struct report *r, struct diag_log *log)
{
	struct run_view v;
	if (!tells_phase(run))
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

enum status cmd_report(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct run run = { 0 };
	struct report r;
	report_init(&r);
	r.kind = REPORT_RUN;
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK && o->value[OPT_PHASE])
		s.load.reduce.phase = phase_of(o->value[OPT_PHASE]);
	if (st == ST_OK)
		st = run_load(o->args.v, o->args.nr, &s.load, &run, log);
	if (st == ST_OK) {
		describe(&s, &run, &r);
		add_flame(&s, &run, &r);
	}
	if (st == ST_OK && o->value[OPT_PHASE])
		st = narrow(&s, &run, s.load.reduce.phase, &r, log);
	st =
	    st == ST_OK ? output_reports(o, &r, log) : worse_status(st, output_failure(o, st, &r, log));
	report_release(&r);
	run_release(&run);
	setup_release(&s);
	return st;
}
