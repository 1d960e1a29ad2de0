#include "cli/commands.h"

#include "cli/setup.h"
#include "io/sink.h"
#include "report/writer.h"

static enum status write_view(const struct options *o, const struct run_view *v,
                              struct diag_log *log)
{
	struct sink *out;
	const char *json = o->value[OPT_JSON];
	TRY(sink_open(json ? json : "-", false, &out, log));
	if (json)
		metrics_write_json(v, out);
	else
		metrics_write_text(v, out);
	return sink_commit(out, log);
}

static enum status write_table(struct diag_log *log)
{
	struct sink *out;
	TRY(sink_open("-", false, &out, log));
	metric_table_write_text(out);
	return sink_commit(out, log);
}

enum status cmd_metrics(const struct options *o, struct diag_log *log)
{
	if (o->args.nr == 0 && o->value[OPT_JSON])
		return diag_fail(log, ST_USAGE, "'metrics --json' needs a RUN");
	if (o->args.nr == 0)
		return write_table(log);
	struct setup s;
	struct run run = { 0 };
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK)
		st = run_load(o->args.v, o->args.nr, &s.load, &run, log);
	if (st == ST_OK) {
		struct run_view v;
		run_view_init(&v, &run, &s.naming);
		st = write_view(o, &v, log);
		run_view_release(&v);
	}
	run_release(&run);
	setup_release(&s);
	return st;
}
