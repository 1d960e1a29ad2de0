/// Work in child processes, so that the memory use or a crash of one piece does not affect others.
#ifndef GG_SUITE_CHILDREN_H
#define GG_SUITE_CHILDREN_H

#include "base/diag.h"
#include "base/span.h"
#include "io/sink.h"

/// Pieces of work, and what the processes do with them. `ctx` is passed to both functions.
struct children {
	size_t nr; ///< number of pieces of work, each done by one child process
	size_t at_once; ///< largest number of processes at the same time, at least 1
	void *ctx;
	/// Does piece `i` and writes its result; runs in the child process.
	void (*work)(size_t i, void *ctx, struct sink *out);
	/// Takes the output of piece `i`; called in any order. `died` says why the output is
	/// incomplete; it is NULL if the output is complete.
	void (*take)(size_t i, struct span text, const char *died, void *ctx);
};

/// Do all pieces of work. Fails with ST_OUTPUT if no process can be created.
GG_MUST_CHECK enum status children_run(const struct children *c, struct diag_log *log);

#endif
