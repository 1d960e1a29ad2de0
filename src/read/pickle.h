/// Pickles read as data, among them CUDA memory snapshots: torch.cuda.memory._snapshot().
#ifndef GG_READ_PICKLE_H
#define GG_READ_PICKLE_H

#include "read/snapshot.h"

struct tree;

/// True if `first` begins as a pickle of a container does.
bool pickle_recognise(struct span first);

/// Walk one pickle (protocols 0 to 5) by `form`, which is called with `ctx`, without building any
/// object: a first pass refuses every opcode that could name, import, build or call something, by
/// name and offset, before a second one makes nodes of the rest. Data behind STOP is an error.
/// ST_INPUT with one line in `log`, also where `form` refuses it.
GG_MUST_CHECK enum status pickle_read_tree(struct source *src, const struct snapshot_limits *limits,
                                           void (*form)(void *ctx, const struct tree *t), void *ctx,
                                           struct diag_log *log);

/// Read one pickled snapshot. The result is that of snapshot_read() on the same snapshot as JSON,
/// and so are `options`, statuses and ownership.
GG_MUST_CHECK enum status snapshot_read_pickle(struct source *src,
                                               const struct snapshot_read_options *options,
                                               struct snapshot *out, struct diag_log *log);

#endif
