/// Internal to the reader of Nsight Systems' exports. No other folder of src/ includes this.
///
///     nsys.c             the export as a whole, strings, GPUs
///     nsys_processes.c   which processes used GPUs, and their ranks
///     nsys_events.c      kernels, copies, memory of devices, runtime calls, NVTX ranges
///     nsys_metrics.c     samples of GPU metrics
#ifndef GG_NSYS_NSYS_INTERNAL_H
#define GG_NSYS_NSYS_INTERNAL_H

#include <inttypes.h>

#include "base/idmap.h"
#include "base/strbuf.h"
#include "events/event.h"
#include "io/database.h"
#include "nsys/nsys.h"

/// Value of `gpu` for a GPU that has no number in nsys's report.
#define GPU_UNKNOWN INT64_MIN

/// A GPU that the process used, with its number in CUDA and in nsys's report.
struct nsys_gpu {
	int64_t device;
	int64_t gpu; ///< number of the GPU in nsys's report, or GPU_UNKNOWN
	int64_t first_ns; ///< earliest start of work on the GPU
	uint32_t next; ///< index in `gpus` of the next entry with the same `gpu`, or NO_ID
};

/// State of reading one export. `names`, `sink`, `meta`, `log` and `process` are borrowed.
struct nsys {
	struct database *db;
	struct name_table *names;
	struct event_sink sink;
	struct trace_meta *meta;
	struct diag_log *log;
	struct arena arena; ///< arena that owns the strings and domains
	struct idmap string_ids; ///< ids of the rows of the table StringIds
	/// Texts of these rows, indexed by id in `string_ids`. Rows whose text is too long for a name
	/// are left out.
	VEC(struct span) strings;
	VEC(struct nsys_process) processes; ///< processes, sorted by rank, then by id
	const struct nsys_process *process; ///< process whose work is being read
	struct idmap domain_ids; ///< ids of the process's NVTX domains
	VEC(struct span) domains; ///< names of the domains, indexed by id in `domain_ids`
	struct idmap devices; ///< CUDA's numbers of the GPUs that the process used
	VEC(struct nsys_gpu) gpus; ///< GPUs, indexed by id in `devices`
	struct idmap gpu_ids; ///< numbers, in nsys's report, of the GPUs that the process used

	/// For each id in `gpu_ids`: index in `gpus` of the first entry for this GPU; NO_ID once the
	/// GPU has been added to `meta`.
	VEC(uint32_t) first_of_gpu;
	struct strbuf text; ///< buffer in which names are composed
};

/// Fields of a globalPid or globalTid. nsys_process_id() is a number that identifies both machine
/// and process; -1 if the export does not distinguish processes. nsys_pid() is the process id on
/// its machine, without meaning if nsys_process_id() is -1; nsys_tid() is the thread id, IDENT_NONE
/// if `global` is NULL. Source: Nsight Systems User Guide, "Serialized process and thread
/// identifiers".
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

/// True if a row with the globalPid or globalTid `global` is about the process that is being read;
/// always true if the export does not distinguish processes.
static inline bool nsys_ours(const struct nsys *n, const struct database_value *global)
{
	return n->process->id < 0 || nsys_process_id(global) == n->process->id;
}

/// Calls `fn` for each row of `table` with the values of the array `columns`.
#define NSYS_SCAN(n, table, columns, fn) \
	database_scan((n)->db, table, columns, NR_OF(columns), fn, n, (n)->log)

/// Records an error about `table` in the log; returns the status that the calling function must
/// return.
GG_MUST_CHECK enum status nsys_fail(struct nsys *n, const char *table, const char *what);

/// The text of the StringIds row with this id; false if there is no such row, or if the text is too
/// long for a name.
bool nsys_string(const struct nsys *n, const struct database_value *id, struct span *out);

/// The text of a row: `text` or, if that is NULL, what nsys_string() gives for `id`; false if there
/// is neither.
bool nsys_text(const struct nsys *n, const struct database_value *text,
               const struct database_value *id, struct span *out);

/// Columns of TARGET_INFO_CUDA_DEVICE: a GPU's number in the report, CUDA's number of this GPU in a
/// process, and the id of the process.
enum { MAP_GPU, MAP_DEVICE, MAP_PID, NR_MAP_COLUMNS };
extern const struct database_column nsys_map_columns[NR_MAP_COLUMNS];

/// Names of the tables of GPU work, ended by NULL.
extern const char *const nsys_gpu_tables[];

/// Fills the list n->processes.
GG_MUST_CHECK enum status nsys_find_processes(struct nsys *n);

/// Reads kernels, copies, memory sets and CUDA graphs of the process, and lists the devices that it
/// used in `devices` and `gpus`.
GG_MUST_CHECK enum status nsys_gpu_work(struct nsys *n);

/// Reads how the process allocates and frees memory, for each device in order of time.
GG_MUST_CHECK enum status nsys_memory(struct nsys *n);

/// Reads runtime calls and NVTX ranges of the process.
GG_MUST_CHECK enum status nsys_host_work(struct nsys *n);

/// Reads samples of GPU metrics, for the GPUs that the process used.
GG_MUST_CHECK enum status nsys_metrics(struct nsys *n);

#endif
