/// Work in child processes, so that the memory use or a crash of one piece does not affect others.
#ifndef GG_SUITE_CHILDREN_H
#define GG_SUITE_CHILDREN_H

#include "base/diag.h"
#include "base/span.h"
#include "io/sink.h"

/// What the processes do. `ctx` is passed to both functions.
struct child_work {
	void *ctx;
	/// Does piece `i` and writes its result; runs in the child process.
	void (*work)(size_t i, void *ctx, struct sink *out);
	/// Takes the output of piece `i`; called in any order. `died` says why the output is
	/// incomplete; it is NULL if the output is complete.
	void (*take)(size_t i, struct span text, const char *died, void *ctx);
};

/// Do `nr` pieces of work, each in a child process, at most `at_once` (at least 1) at the same
/// time. Fails with ST_OUTPUT if no process can be created.
GG_MUST_CHECK enum status children_run(const struct child_work *c, size_t nr, size_t at_once,
                                       struct diag_log *log);

#endif
