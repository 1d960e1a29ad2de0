/// Nsight Systems' SQLite export (nsys export --type sqlite) → events.
#ifndef GG_NSYS_NSYS_H
#define GG_NSYS_NSYS_H

#include "base/diag.h"
#include "events/event.h"
#include "io/source.h"

/// True for a database of SQLite: reading shows whether it is an export.
bool nsys_recognise(struct span first);

/// Read the export at `path`, which must be a file, like trace_read(): kernels, copies and
/// memory sets, then runtime calls, then NVTX ranges as annotations go to `sink`; GPUs and
/// samples of GPU metrics to `meta`. ST_INPUT also where it holds the GPU work of several
/// processes, or of CUDA graphs as a whole.
GG_MUST_CHECK enum status nsys_read(const char *path, struct source_progress *progress,
                                    struct name_table *names, struct event_sink sink,
                                    struct trace_meta *meta, struct diag_log *log);

#endif
