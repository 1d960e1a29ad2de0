#include "cli/commands.h"

#include "base/text.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "gate/judge.h"
#include "store/digest_json.h"

/* When several apply: usage, output, baseline, unusable input (rules.md). */
static enum status worse_of(enum status a, enum status b)
{
	static const int order[] = { [ST_OK] = 0,       [ST_FAILED] = 1, [ST_INPUT] = 2,
		                         [ST_BASELINE] = 3, [ST_OUTPUT] = 4, [ST_USAGE] = 5 };
	return order[a] >= order[b] ? a : b;
}

static enum status read_baseline(const struct setup *s, const struct options *o,
                                 const struct run *candidate, struct arena *a, const char **path,
                                 struct baseline *out, struct diag_log *log)
{
	TRY(setup_baseline_path(s, o, candidate, a, path, log));
	return setup_baseline_read(*path, out, log);
}

/* Both sides are looked at, since an unusable baseline outranks an unusable
   run; the error that decides comes first. */
static enum status load_sides(const struct setup *s, const struct options *o, struct run *candidate,
                              struct arena *a, const char **path, struct baseline *b,
                              struct diag_log *log)
{
	struct diag_log run_log, baseline_log;
	diag_init(&run_log);
	diag_init(&baseline_log);
	enum status st = run_load(o->args.v, o->args.nr, &s->load, candidate, &run_log);
	enum status base = ST_OK;
	if (st == ST_OK || !setup_baseline_needs_run(s, o))
		base = read_baseline(s, o, candidate, a, path, b, &baseline_log);
	bool baseline_first = worse_of(st, base) != st;
	diag_move(log, baseline_first ? &baseline_log : &run_log);
	diag_move(log, baseline_first ? &run_log : &baseline_log);
	return worse_of(st, base);
}

/* Reports of what was judged, or of why nothing could be. */
static enum status finish(const struct options *o, enum status st, struct report *r,
                          struct diag_log *log)
{
	if (st == ST_OK) {
		if (r->status == ST_INPUT)
			diag_fail(log, ST_INPUT, "%s: %s", text_quote(&log->arena, span_of(r->candidate.label)),
			          r->headline);
		return worse_of(r->status, output_reports(o, r, log));
	}
	return worse_of(st, output_failure(o, st, r, log));
}

enum status cmd_check(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct run candidate = { 0 };
	struct baseline b = { 0 };
	struct report r;
	report_init(&r);
	const char *path = NULL;
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK)
		st = load_sides(&s, o, &candidate, &s.rules.arena, &path, &b, log);
	if (st == ST_OK) {
		if (!o->value[OPT_WORKLOAD] && strcmp(s.rules.workload, DEFAULT_WORKLOAD) == 0)
			s.rules.workload = b.workload;
		struct judge_input in = { .rules = &s.rules,
			                      .categories = &s.categories,
			                      .candidate = &candidate,
			                      .baseline = &b.pin,
			                      .baseline_path = path,
			                      .baseline_workload = b.workload,
			                      .baseline_commit = b.provenance.commit,
			                      .ignore_environment = o->value[OPT_IGNORE_ENVIRONMENT] != NULL };
		st = judge(&in, &r, log);
	}
	st = finish(o, st, &r, log);
	report_release(&r);
	baseline_release(&b);
	run_release(&candidate);
	setup_release(&s);
	return st;
}

enum status cmd_diff(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct run a = { 0 }, b = { 0 };
	struct report r;
	report_init(&r);
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK)
		st = run_load(&o->args.v[0], 1, &s.load, &a, log);
	if (st == ST_OK)
		st = run_load(&o->args.v[1], 1, &s.load, &b, log);
	if (st == ST_OK)
		st = compare_runs(&a, &b, &s.categories, &r, log);
	r.is_diff = true;
	st = finish(o, st, &r, log);
	report_release(&r);
	run_release(&a);
	run_release(&b);
	setup_release(&s);
	return st;
}
