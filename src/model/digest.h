/// The digest of a rank: everything later rooms know of an artifact.
#ifndef GG_MODEL_DIGEST_H
#define GG_MODEL_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"
#include "model/event.h"
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

/// One memory (a GPU's, by the allocator's numbering), in bytes.
struct memory_stat {
	const char *id;
	const char *source; ///< "trace"
	int64_t events;
	int64_t peak_allocated, peak_reserved, end_allocated, end_reserved;
	int64_t reserved_at_peak; ///< when allocated was highest (the latest such moment)
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
