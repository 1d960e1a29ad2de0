/// Reads SQLite exports of Nsight Systems (nsys export --type sqlite) as events of a trace.
#ifndef GG_NSYS_NSYS_H
#define GG_NSYS_NSYS_H

#include "base/diag.h"
#include "events/event.h"
#include "io/source.h"

/// True if `first`, the first bytes of a file, are those of an SQLite database. Only reading shows
/// whether the database is an export of nsys.
bool nsys_recognize(struct span first);

/// A process that used GPUs.
struct nsys_process {
	int64_t id; ///< number that identifies both machine and process; -1 if the export does not
	            ///< distinguish processes
	int64_t pid; ///< id of the process on its machine, 24 bits; without meaning if `id` is -1
	int64_t rank; ///< rank by NCCL, by MPI or by the order of the processes' GPUs; -1 if unknown
	int64_t world_size; ///< number of ranks in the largest communicator of NCCL; -1 if unknown
	int64_t device; ///< number of the GPU that ran most of the process's activities
	bool mapped; ///< true if `device` is the GPU's number in nsys's report; false if it is CUDA's
	             ///< number
};

struct nsys;

/// Opens the export at `path`, which must be a file, and finds its processes. ST_INPUT if the
/// export is damaged or has no process that used GPUs; `*other` is set if the file is a database of
/// another kind. `log` is borrowed until the export is closed: nsys_read() writes its messages
/// there. The caller closes `*out` with nsys_close().
GG_MUST_CHECK enum status nsys_open(const char *path, struct source_progress *progress,
                                    struct nsys **out, bool *other, struct diag_log *log);

/// Closes and releases the export; NULL is fine.
void nsys_close(struct nsys *n);

/// All processes of the export, at least one, sorted by rank; borrowed until the export is closed.
const struct nsys_process *nsys_processes(const struct nsys *n, size_t *nr);

/// Passes the events of one process to `sink`: GPU work, allocations of device memory, runtime
/// calls, then NVTX ranges as annotations or operators. Fills `meta` with the GPUs of the process
/// and their samples of GPU metrics. `names` owns the names of the events.
GG_MUST_CHECK enum status nsys_read(struct nsys *n, const struct nsys_process *process,
                                    struct name_table *names, struct event_sink sink,
                                    struct trace_meta *meta);

#endif
