#include <string.h>

#include "cli/commands.h"
#include "cli/setup.h"
#include "io/sink.h"
#include "model/present.h"
#include "store/run_json.h"

static bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);
	return n >= m && strcmp(s + n - m, suffix) == 0;
}

static enum status write_run(const struct options *o, const struct run *run, struct diag_log *log)
{
	const char *path = o->value[OPT_OUTPUT];
	struct sink *out;
	if (o->value[OPT_EXPECT_RANKS]) {
		int64_t expected = (int64_t)options_u64(o, OPT_EXPECT_RANKS, 0);
		const char *fault = present_fault(run, expected, &log->arena);
		if (fault)
			return diag_fail(log, ST_INPUT, "the run: %s", fault);
	}
	TRY(sink_open(path, ends_with(path, ".gz"), &out, log));
	run_write(run, out);
	return sink_commit(out, log);
}

/* Digests stay beside one another as they were made, and what is of one rank is joined
   when the file is read: so that folding is the union of sets, in whatever order. */
enum status cmd_digest(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct run run = { 0 };
	if (!o->value[OPT_OUTPUT])
		return diag_fail(log, ST_USAGE, "'%s' needs --output FILE (or -o FILE)",
		                 o->command == CMD_MERGE ? "merge" : "digest");
	enum status st = setup_init(&s, o, log);
	if (st == ST_OK)
		st = run_load_artifacts(o->args.v, o->args.nr, &s.load, &run, log);
	if (st == ST_OK)
		st = write_run(o, &run, log);
	run_release(&run);
	setup_release(&s);
	return st;
}
