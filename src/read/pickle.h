/// CUDA memory snapshots: torch.cuda.memory._snapshot() as a pickle, read as data.
#ifndef GG_READ_PICKLE_H
#define GG_READ_PICKLE_H

#include "read/snapshot.h"

/// True if `first` begins as a pickle of a container does.
bool pickle_recognise(struct span first);

/// Read one pickled snapshot (protocols 0 to 5) without building any object: a
/// first pass refuses every opcode that could name, import, build or call
/// something, by name and offset, before a second one makes nodes of the rest.
/// The result is that of snapshot_read() on the same snapshot as JSON, and so
/// are `options`, statuses and ownership. Data behind STOP is an error.
GG_MUST_CHECK enum status snapshot_read_pickle(struct source *src,
                                               const struct snapshot_read_options *options,
                                               struct snapshot *out, struct diag_log *log);

#endif
