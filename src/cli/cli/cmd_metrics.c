#include "cli/commands.h"

#include "cli/output.h"
#include "cli/setup.h"
#include "diagnose/ranks.h"
#include "io/sink.h"
#include "model/fold.h"
#include "report/writer.h"
#include "trust/trust.h"

/* Add trust findings, insights and ranks of the run. */
static void remark_on_run(const struct run_view *v, const struct setup *s, struct report *out)
{
	out->expect_ranks = s->rules.expect_ranks;
	trust_findings(NULL, v->run, 1, &s->rules, out);
	trust_find_machines(NULL, v->run, 1, s->rules.throttled, out);
	diagnose_ranks(v, true, out);
	diagnose_rank_table(v, true, out);
}

static enum status write_view(const struct options *o, const struct run_view *v,
                              const struct report *r, struct diag_log *log)
{
	struct page_frame frame = { .tool = "gpugate", .heading = o->args.v[0], .word = "metrics" };
	const char *json = o->value[OPT_JSON];
	struct document d;
	struct sink *out;
	if (json && run_fold(v->run))
		return diag_fail(
		    log, ST_USAGE,
		    "metrics --json has the rows of each rank, which a folded run does not have");
	if (json) {
		TRY(sink_open(json, false, &out, log));
		metrics_write_json(v, r, out);
		TRY(sink_commit(out, log));
		if (!o->value[OPT_MARKDOWN] && !o->value[OPT_HTML])
			return ST_OK;
	}
	doc_init(&d);
	metrics_document(v, r, &d);
	enum status st = output_document(o, &d, &frame, json != NULL, log);
	doc_release(&d);
	return st;
}

static enum status write_table(const struct options *o, struct diag_log *log)
{
	struct page_frame frame = { .tool = "gpugate", .heading = "metrics", .word = "gpugate" };
	struct document d;
	doc_init(&d);
	metric_table_document(&d);
	enum status st = output_document(o, &d, &frame, false, log);
	doc_release(&d);
	return st;
}

enum status cmd_metrics(const struct options *o, struct diag_log *log)
{
	if (o->args.nr == 0 && o->value[OPT_JSON])
		return diag_fail(log, ST_USAGE, "'metrics --json' needs a RUN");
	if (o->args.nr == 0)
		return write_table(o, log);
	struct setup s;
	struct run run = { 0 };
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK)
		st = run_load(o->args.v, o->args.nr, &s.load, &run, log);
	if (st == ST_OK) {
		struct run_view v;
		struct report r;
		report_init(&r);
		r.kind = REPORT_RUN;
		run_view_init(&v, &run, &s.naming);
		remark_on_run(&v, &s, &r);
		st = write_view(o, &v, &r, log);
		run_view_release(&v);
		report_release(&r);
	}
	run_release(&run);
	setup_release(&s);
	return st;
}
