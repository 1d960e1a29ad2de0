/// Work in processes of its own: what one takes in memory, or dies of, is not the others'.
#ifndef GG_SUITE_CHILDREN_H
#define GG_SUITE_CHILDREN_H

#include "base/diag.h"
#include "base/span.h"
#include "io/sink.h"

struct children {
	size_t nr; ///< pieces of work
	size_t at_once; ///< processes, at least 1
	void *ctx;
	/// Does piece `i` and writes what it comes to; runs in the process.
	void (*work)(size_t i, void *ctx, struct sink *out);
	/// Takes what the process of piece `i` wrote, in no order; `died`: why it wrote nothing whole,
	/// else NULL.
	void (*take)(size_t i, struct span text, const char *died, void *ctx);
};

/// Do all of it. ST_OUTPUT where no process can be made.
GG_MUST_CHECK enum status children_run(const struct children *c, struct diag_log *log);

#endif
