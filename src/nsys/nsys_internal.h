/// Inside of the reader of Nsight Systems' exports: what its files share. No other room
/// includes this.
///
///     nsys.c             the export as a whole, strings, GPUs
///     nsys_processes.c   which processes used GPUs, and their ranks
///     nsys_events.c      kernels, copies, calls, ranges
///     nsys_metrics.c     samples of GPU metrics
#ifndef GG_NSYS_NSYS_INTERNAL_H
#define GG_NSYS_NSYS_INTERNAL_H

#include <inttypes.h>

#include "base/idmap.h"
#include "base/strbuf.h"
#include "events/event.h"
#include "io/database.h"
#include "nsys/nsys.h"

/// Number of a GPU that the report does not tell.
#define GPU_UNKNOWN INT64_MIN

/// A GPU that the process used, by CUDA's number and by that of the report.
struct nsys_gpu {
	int64_t device;
	int64_t gpu; ///< or GPU_UNKNOWN
	uint32_t next; ///< index of another of the same `gpu`, or IDMAP_NONE
};

/// One export being read; all borrowed but the maps and lists.
struct nsys {
	struct database *db;
	struct name_table *names;
	struct event_sink sink;
	struct trace_meta *meta;
	struct diag_log *log;
	struct arena arena; ///< of what follows
	struct idmap string_ids;
	VEC(struct span) strings;
	VEC(struct nsys_process) processes; ///< by rank, then by id
	const struct nsys_process *process; ///< whose work is being read
	struct idmap domain_ids; ///< of its NVTX domains
	VEC(struct span) domains;
	struct idmap devices; ///< CUDA's numbers of those it used
	VEC(struct nsys_gpu) gpus; ///< by id in `devices`
	struct idmap gpu_ids; ///< numbers of the report that they have
	VEC(uint32_t) first_of_gpu; ///< by id in `gpu_ids`: index into `gpus`; IDMAP_NONE once told
	struct strbuf text; ///< a name that is put together
};

/// Process (with the machine that it ran on) and thread of a globalPid or globalTid; -1 where
/// the export does not tell processes.
/// Source: Nsight Systems User Guide, "Serialized process and thread identifiers".
static inline int64_t nsys_process_id(const struct database_value *global)
{
	return global->null || global->integer < 0 ? -1 : global->integer >> 24;
}
static inline int64_t nsys_pid(const struct database_value *global)
{
	return nsys_process_id(global) & 0xFFFFFF;
}
static inline int64_t nsys_tid(const struct database_value *global)
{
	return global->null ? IDENT_NONE : global->integer & 0xFFFFFF;
}

/// True for what the process did whose work is being read.
static inline bool nsys_ours(const struct nsys *n, const struct database_value *global)
{
	return n->process->id < 0 || nsys_process_id(global) == n->process->id;
}

/// database_scan() with the columns of an array.
#define NSYS_SCAN(n, table, columns, fn) \
	database_scan((n)->db, table, columns, sizeof(columns) / sizeof *(columns), fn, n, (n)->log)

/// An error in `table`, as the status of a function that gives up.
GG_MUST_CHECK enum status nsys_fail(struct nsys *n, const char *table, const char *what);

/// Text of StringIds; false where there is none, or none short enough to be a name.
bool nsys_string(const struct nsys *n, const struct database_value *id, struct span *out);

/// The tables of GPU work; ended by NULL.
extern const char *const nsys_gpu_tables[];

/// Fill `processes`.
GG_MUST_CHECK enum status nsys_find_processes(struct nsys *n);

/// Kernels, copies, memory sets and graphs of the process; which devices it used.
GG_MUST_CHECK enum status nsys_gpu_work(struct nsys *n);

/// Runtime calls and ranges of that process.
GG_MUST_CHECK enum status nsys_host_work(struct nsys *n);

/// Samples of the GPUs that it used.
GG_MUST_CHECK enum status nsys_metrics(struct nsys *n);

#endif
