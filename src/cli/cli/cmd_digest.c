#include "cli/commands.h"
#include "cli/setup.h"
#include "fold/fold_run.h"
#include "fold/present.h"
#include "store/run_json.h"

static enum status write_run(const struct options *o, struct run *run, struct diag_log *log)
{
	if (o->value[OPT_EXPECT_RANKS]) {
		int64_t expected = (int64_t)options_u64(o, OPT_EXPECT_RANKS, 0);
		const char *fault = present_fault(run, expected, &log->arena);
		if (fault)
			return diag_fail(log, ST_INPUT, "the run: %s", fault);
	}
	return stored_run_save(run, o->value[OPT_OUTPUT], log);
}

/* The digests of one rank are stored one after the other, and joined only when the file is read.
 * Joining files of digests is thus only collecting their digests, in any order. */
enum status cmd_digest(const struct options *o, struct diag_log *log)
{
	struct setup s;
	struct run run = { 0 };
	if (!o->value[OPT_OUTPUT])
		return diag_fail(log, ST_USAGE, "'digest' needs --output FILE (or -o FILE)");
	enum status st = setup_init(&s, o, log);
	NEXT(st, run_load_artifacts(o->args.v, o->args.nr, &s, &run, log));
	NEXT(st, fold_blocks(&run, o->value[OPT_FOLD], &(struct naming){ .categories = &s.categories },
	                     log));
	NEXT(st, write_run(o, &run, log));
	run_release(&run);
	setup_release(&s);
	return st;
}
