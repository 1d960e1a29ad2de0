/// Nsight Systems' SQLite export (nsys export --type sqlite) → events.
#ifndef GG_NSYS_NSYS_H
#define GG_NSYS_NSYS_H

#include "base/diag.h"
#include "events/event.h"
#include "io/source.h"

/// True for a database of SQLite: reading shows whether it is an export.
bool nsys_recognise(struct span first);

/// A process that used GPUs.
struct nsys_process {
	int64_t id; ///< with the machine it ran on; -1 where the export does not tell processes
	int64_t pid; ///< what the system calls it, of 24 bits
	int64_t rank; ///< that NCCL, MPI or GPUs of its own tell, -1 unknown
	int64_t world_size; ///< that NCCL told, -1 unknown
	int64_t device; ///< GPU on which it did most
	bool mapped; ///< `device` is the number in the report, not that of CUDA
};

struct nsys;

/// Open the export at `path`, which must be a file, and find its processes. ST_INPUT where it
/// has none; `*other` where it is a database of another kind. Caller: nsys_close(*out).
GG_MUST_CHECK enum status nsys_open(const char *path, struct source_progress *progress,
                                    struct nsys **out, bool *other, struct diag_log *log);

/// Close and release; NULL is fine.
void nsys_close(struct nsys *n);

/// All its processes, at least one, by rank; borrowed until it is closed.
const struct nsys_process *nsys_processes(const struct nsys *n, size_t *nr);

/// Read what one of the processes did, like trace_read(): kernels, copies, memory sets and CUDA
/// graphs, then runtime calls, then NVTX ranges as annotations go to `sink`; GPUs and samples of
/// GPU metrics to `meta`.
GG_MUST_CHECK enum status nsys_read(struct nsys *n, const struct nsys_process *process,
                                    struct name_table *names, struct event_sink sink,
                                    struct trace_meta *meta);

#endif
