/// The runs that a command line names, and how they are judged.
#ifndef GG_CLI_CANDIDATES_H
#define GG_CLI_CANDIDATES_H

#include "cli/setup.h"
#include "diff/bench.h"
#include "model/report.h"

/// Runs of the same code: the arguments are the first run, and each --repeat is another one. Each
/// --control is a run of the baseline's code; these runs alternate with the others.
struct candidates {
	struct run *v;
	size_t nr;
	struct run *controls;
	size_t nr_controls;
};

/// Read the runs. The caller releases with candidates_release() in any case.
GG_MUST_CHECK enum status candidates_load(const struct setup *s, struct candidates *out,
                                          struct diag_log *log);

/// Release the runs and all that they own.
void candidates_release(struct candidates *c);

/// If a run of `c` or the baseline is folded, fold all others, too: only then can they be compared.
GG_MUST_CHECK enum status candidates_fold(const struct candidates *c, const struct setup *s,
                                          struct baseline *b, struct diag_log *log);

/// The runs of both sides. If `b` is NULL, the first control run replaces the baseline.
struct bench_runs candidates_runs(const struct candidates *c, const struct baseline *b);

/// Judge the runs against `b`, which was read from `path`. If `b` is NULL, there is no baseline:
/// the first control run, if there is one, replaces it. Returns the status of judge(). If neither
/// rules nor options name a workload, that of the baseline is used.
GG_MUST_CHECK enum status candidates_judge(const struct candidates *c, struct setup *s,
                                           const struct baseline *b, const char *path,
                                           struct report *out, struct diag_log *log);

/// True if no baseline is needed: `check --new` creates it, control runs replace it (unless
/// --baseline names one), or all limits of the user are absolute. Absolute limits are not enough if
/// the user names a baseline and built-in rules are in force, since these compare with it.
bool candidates_need_no_baseline(const struct options *o, const struct rules *rules);

#endif
