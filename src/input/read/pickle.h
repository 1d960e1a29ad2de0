/// Reads pickles as data, without running them; among them CUDA memory snapshots
/// (torch.cuda.memory._snapshot()).
#ifndef GG_READ_PICKLE_H
#define GG_READ_PICKLE_H

#include "read/snapshot.h"

struct tree;

/// True if `first`, the first bytes of a file, begin like the pickle of a container.
bool pickle_recognize(struct span first);

/// Reads one pickle (protocols 0 to 5) without building any object of Python, and calls `form` with
/// `ctx` and the tree of its values. A first pass refuses every opcode that could name, import,
/// build or call something; the error has the opcode and its offset. A second pass makes plain
/// values of the other opcodes. Data after STOP is an error. ST_INPUT with one line in `log`, also
/// if `form` refuses the value.
GG_MUST_CHECK enum status pickle_read_tree(struct source *src, const struct snapshot_limits *limits,
                                           void (*form)(void *ctx, const struct tree *t), void *ctx,
                                           struct diag_log *log);

/// Reads one pickled snapshot. The result equals that of snapshot_read() on the same snapshot as
/// JSON; `limits`, statuses and ownership are those of snapshot_read(), too.
GG_MUST_CHECK enum status snapshot_read_pickle(struct source *src,
                                               const struct snapshot_limits *limits,
                                               struct snapshot *out, struct diag_log *log);

#endif
