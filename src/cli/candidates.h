/// The runs that a command line names, and their judgment.
#ifndef GG_CLI_CANDIDATES_H
#define GG_CLI_CANDIDATES_H

#include "cli/setup.h"
#include "model/report.h"

/// Runs of the same code: the arguments together are the first, each --repeat is one more. With
/// each --control a run of the baseline's code, in turn with them.
struct candidates {
	struct run *v;
	size_t nr;
	struct run *controls;
	size_t nr_controls;
};

/// Read them. Caller releases with candidates_release() whatever the outcome.
GG_MUST_CHECK enum status candidates_load(const struct options *o, const struct load_options *load,
                                          struct candidates *out, struct diag_log *log);

/// Give the memory back.
void candidates_release(struct candidates *c);

/// Judge them against `b`, of `path`; NULL: there is none yet, and the first control stands in its
/// place where there is one. What judge() says.
/// Where neither rules nor options name a workload, that of the baseline is taken.
GG_MUST_CHECK enum status candidates_judge(const struct candidates *c, struct setup *s,
                                           const struct options *o, const struct baseline *b,
                                           const char *path, struct report *out,
                                           struct diag_log *log);

/// Without a stored baseline nothing is missing: --bootstrap is to make it, or controls take its
/// place and none was named.
bool candidates_need_no_baseline(const struct options *o);

#endif
