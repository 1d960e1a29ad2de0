/// The digest of a rank: everything later rooms know of an artifact.
#ifndef GG_MODEL_DIGEST_H
#define GG_MODEL_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"
#include "model/event.h"
#include "model/memory.h"
#include "model/metric.h"

enum attribution { ATTRIBUTION_NONE, ATTRIBUTION_LAUNCH, ATTRIBUTION_TIMESTAMP };

/// Figures of one GPU activity name. Where the trace has no steps, the step_*
/// figures equal those of the window.
struct kernel_stat {
	enum event_kind kind; ///< EVENT_KERNEL, EVENT_MEMCPY or EVENT_MEMSET
	struct span name; ///< raw bytes as the trace had them
	int64_t count, total_ns, max_ns, bytes; ///< whole window
	int64_t step_count, step_total_ns, step_max_ns, step_bytes; ///< measured steps
	int64_t grid[3], block[3]; ///< most frequent shape; grid[0] < 0 unknown
	int64_t shapes; ///< number of distinct shapes
	int64_t occupancy; ///< 1e-6 %, weighted by time; < 0 unknown
};

/// One GPU of the trace, over the whole window, in ns.
struct device_stat {
	const char *id; ///< as text
	int64_t streams, activities;
	int64_t span_ns, busy_ns, compute_ns;
	int64_t comm_ns, overlap_ns; ///< union of communication; its part under compute
	int64_t measured_ns, measured_busy_ns; ///< first start to last end of the measured steps
};

/// Host operator by name, over the measured steps (else the window).
struct op_stat {
	struct span name;
	int64_t count, total_ns, self_ns;
};

/// Host thread: union of its operators and runtime calls, whole window.
struct thread_stat {
	const char *id; ///< "PID/TID"
	int64_t busy_ns;
};

/// A figure that the source of a memory does not give.
#define MEMORY_UNKNOWN INT64_MIN

/// One memory (a GPU's, by the allocator's numbering), in bytes.
struct memory_stat {
	const char *id;
	const char *source; ///< "trace" or "snapshot"
	int64_t events; ///< [memory] events, or entries of the history
	int64_t peak_allocated, peak_reserved, end_allocated, end_reserved;
	int64_t reserved_at_peak; ///< when allocated was highest (the latest such moment)
	int64_t alloc_count, free_count, churn_bytes; ///< in the window; churn as requested
	int64_t growth_per_step; ///< MEMORY_UNKNOWN below three step ends
	int64_t capacity; ///< of the device; MEMORY_UNKNOWN
	/* of snapshots only, else MEMORY_UNKNOWN: */
	int64_t end_requested; ///< of the allocated blocks at the end
	int64_t inactive, largest_inactive; ///< blocks free at the end: sum, largest
	int64_t segment_count, segment_churn, oom_count;
	int64_t peak_persistent, peak_carried, peak_transient; ///< add up to the peak (model/memory.h)
	/* of traces only, else NULL: the operator that ran at the peak of allocated */
	const char *peak_op, *peak_dims, *peak_types;
};

/// The lists of a snapshot (model/memory.h), one table: what each column means.
enum memory_list {
	MEMORY_LIST_CATEGORY, ///< bytes, blocks at the peak; largest; other: bytes at the end
	MEMORY_LIST_PEAK, ///< site: bytes, blocks live at the peak; largest
	MEMORY_LIST_END, ///< the same at the end
	MEMORY_LIST_GROWTH, ///< site: rise of bytes and blocks; other: steps over which it rose
	MEMORY_LIST_CHURN, ///< site: bytes, allocations; largest: most frequent size; other: sizes
	MEMORY_LIST_OOM, ///< site: bytes, blocks live before the last oom; largest
	MEMORY_LIST_BLOCK, ///< site: bytes of one block, blocks of that size
	MEMORY_LIST_SIZE, ///< other: size class from; bytes, blocks live at the peak
	MEMORY_LIST_SEGMENT, ///< other: size class from; bytes, segments; largest: free bytes;
	                     ///< category: kind
	MEMORY_LIST_GAP, ///< bytes of an inactive block; other: of its segment
	MEMORY_LIST_PINNED, ///< site: bytes, small active blocks between free ones; other: free bytes
	                    ///< beside
	NR_MEMORY_LISTS
};

/// One row of a list; rows of one memory and list stand in its order.
struct memory_item {
	const char *memory;
	enum memory_list list;
	struct span category; ///< of a site; or of the row itself
	enum site_kind kind;
	struct span file, function;
	int64_t line;
	int64_t bytes, blocks, largest, other;
};

/// The level of one memory at one moment of its history.
struct memory_level {
	const char *memory;
	int64_t entries, time_us; ///< -1: time unknown
	int64_t allocated, reserved;
};

/// What a snapshot's history can be trusted for (struct memory_trust), by memory.
struct memory_evidence {
	const char *memory;
	bool history, midway, truncated;
	int64_t unseen_frees, contradicted_frees, lost_allocs, lowest_allocated;
	int64_t allocs; ///< for shares
};

/// Evidence that trust findings are made from.
struct trust_counts {
	int64_t gpu_events, with_launch, carried_over, dropped, unattributed;
	int64_t gpu_ns, dropped_ns, unattributed_ns;
	int64_t launches, launches_without_kernel; ///< kernel launches, graphs aside
	int64_t overlap_ns; ///< on one stream, between different correlation ids
	int64_t negative_durations, malformed, json_faults;
	int64_t fault_byte; ///< of the first tolerated JSON fault
	bool truncated, partial;
};

/// A key of the environment: gpu.name, world_size, batch_size, … (sorted by key).
struct env_entry {
	const char *key, *value;
};

struct digest {
	struct arena arena; ///< owns everything below
	struct digest *joined; ///< digest_join(): owns the memory part; else NULL
	const char *trace; ///< base name of the trace file, NULL none
	const char *snapshot; ///< NULL none
	uint64_t source_hash; ///< of the figures: tells "the same artifact" apart
	int64_t rank, world_size; ///< world_size -1: unknown
	const char *marker; ///< step marker pattern that was used
	const char *communication; ///< substrings, space-separated, that made a kernel communication
	int64_t warmup; ///< steps left out at the beginning
	enum attribution attribution;
	bool window; ///< no step marker found: the one sample is the whole trace
	int64_t events;
	int64_t total_steps; ///< before warm-up
	int64_t device_memory; ///< of each GPU where a trace says the same of all; MEMORY_UNKNOWN
	VEC(struct env_entry) env;
	struct trust_counts trust;

	size_t nr_steps; ///< measured steps; 1 where `window`
	int64_t *step_numbers; ///< nr_steps
	int64_t *step_activities; ///< nr_steps: GPU activities of each
	int64_t *samples[NR_STEP_METRICS]; ///< each nr_steps, unit of the metric

	VEC(struct kernel_stat) kernels; ///< sorted by kind, then name
	VEC(struct device_stat) devices; ///< sorted by id
	VEC(struct op_stat) ops; ///< sorted by name
	VEC(struct thread_stat) threads; ///< sorted by id
	VEC(struct memory_stat) memories; ///< sorted by id
	VEC(struct memory_item) memory_items; ///< by memory, list, order of the list
	VEC(struct memory_level) memory_levels; ///< by memory, then time
	VEC(struct memory_evidence) memory_evidence; ///< by memory
};

/// Caller releases with digest_free().
struct digest *digest_new(void);

/// Release a digest and all it owns; NULL is fine.
void digest_free(struct digest *d);

/// Room for `nr` steps in every per-step array, zeroed.
void digest_set_steps(struct digest *d, size_t nr);

/// Value of an environment key, or NULL; owned by the digest.
const char *digest_env(const struct digest *d, const char *key);

/// Set an environment key, keeping the order; both strings are copied.
void digest_set_env(struct digest *d, struct span key, struct span value);

/// Take the snapshot's part of `snapshot` into `d` (of the same rank, without a
/// snapshot of its own): its memories replace those that the trace recorded,
/// whose operators at the peak go over to those of the same id.
/// What is taken stays owned by `snapshot`, which `d` keeps until it is freed.
/// Where the snapshot has no capacity, device_memory of `d` is it.
void digest_join(struct digest *d, struct digest *snapshot);

/// The known environment key that `key` is almost, but not quite; NULL for a
/// known one and for one of the user's own; static.
const char *digest_env_near(struct span key);

/// Order of kernel rows: kind, then name.
int kernel_stat_cmp(const void *a, const void *b);

/// A run: the digests of its ranks, in order of rank. One rank so far is the
/// common case; two digests of one rank are an error of the loader.
struct run {
	const char *label; ///< what the user named it; borrowed
	VEC(struct digest *) ranks; ///< owned
	VEC(const char *) ignored; ///< files of a directory that are no artifacts; owned by the arena
	struct arena arena;
};

/// Release the digests and the list; the run is empty and usable again.
void run_release(struct run *run);

#endif
