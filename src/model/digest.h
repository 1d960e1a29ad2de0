/// The digest of a rank: everything later rooms know of an artifact.
#ifndef GG_MODEL_DIGEST_H
#define GG_MODEL_DIGEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"
#include "events/code_step.h"
#include "events/event.h"
#include "events/machine.h"
#include "metric/file_figure.h"
#include "metric/metric.h"
#include "model/code.h"
#include "model/memory.h"

struct fold;

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
	/* where rows have been joined: the time in steps that it is known for, and what the division by
	   it left (occupancy · occupancy_ns + occupancy_rest is exact) */
	int64_t occupancy_ns, occupancy_rest;
	int64_t names; ///< > 0: sum of so many names too small to keep, each below
	               ///< 0.05 % of kernel time; `name` is then the category they are of, or empty
	int64_t largest_ns; ///< of a sum: step_total_ns of the largest name in it
};

/// One GPU of the trace, over the whole window, in ns.
struct device_stat {
	const char *id; ///< as text
	int64_t streams, activities;
	int64_t span_ns, busy_ns, compute_ns;
	int64_t comm_ns, overlap_ns; ///< union of communication; its part under compute
	int64_t measured_ns, measured_busy_ns; ///< periods of the measured steps, without steps the
	                                       ///< window; -1 not recorded
};

/// Host operator by name, over the measured steps (else the window).
struct op_stat {
	struct span name;
	int64_t count, total_ns, self_ns;
	int64_t names; ///< > 0: sum of so many names too small to keep
};

/// Calls that step.launch_time, step.sync_time and step.dataloader_time are sums over.
enum call_kind { CALL_LAUNCH, CALL_SYNC, CALL_DATALOADER };

/// Those of one kind and name, over the usable steps: together what the step figures
/// have of them, so one begun where steps overlap counts for each.
struct call_stat {
	enum call_kind kind;
	struct span name; ///< raw bytes
	int64_t count, total_ns;
	int64_t names; ///< > 0: sum of so many names too small to keep
};

/// Element type of what is multiplied.
enum flop_type {
	FLOP_OTHER,
	FLOP_FLOAT64,
	FLOP_FLOAT32,
	FLOP_FLOAT16,
	FLOP_BFLOAT16,
	FLOP_FLOAT8,
	NR_FLOP_TYPES
};

/// Operators whose floating-point operations follow from their inputs, by name and type, over
/// the measured steps (else the window); only those that launched work on a GPU.
struct flop_stat {
	struct span op;
	enum flop_type type;
	int64_t count, flops; ///< of calls that could be counted
	int64_t uncounted; ///< calls of which the trace does not tell
	int64_t gpu_ns; ///< of all activities that they launched; 0 in stored baselines
};

/// Operator of the row of replays of graphs, in which no operator is seen.
#define FLOPS_OF_GRAPHS "GPU graphs"

/// How a collective moves data.
enum collective_kind {
	COLLECTIVE_OTHER,
	COLLECTIVE_ALL_REDUCE,
	COLLECTIVE_ALL_GATHER,
	COLLECTIVE_REDUCE_SCATTER,
	COLLECTIVE_ALL_TO_ALL,
	COLLECTIVE_BROADCAST,
	COLLECTIVE_REDUCE,
	COLLECTIVE_GATHER,
	COLLECTIVE_SCATTER,
	COLLECTIVE_SEND,
	COLLECTIVE_RECV,
	COLLECTIVE_SEND_RECV, ///< one kernel for both, or for an all-to-all that is not named
	COLLECTIVE_BARRIER,
	NR_COLLECTIVE_KINDS
};

/// Collectives of one kind, element type and process group, over the measured steps
/// (else the window).
struct comm_stat {
	enum collective_kind kind;
	struct span group; ///< description of the process group, else its name; empty unknown
	struct span group_name; ///< unlike the description, the same only on its ranks; empty unknown
	struct span dtype; ///< "Float"; empty unknown
	int64_t group_size; ///< -1 unknown
	int64_t count, total_ns, max_ns;
	int64_t bytes; ///< message bytes of one rank (the larger of in and out), of those with sizes
	int64_t sized_count, sized_ns; ///< of those
};

/// One collective of a measured step, in order of start; at most COLLECTIVES_KEPT.
struct collective {
	int64_t step; ///< index among the measured steps
	int64_t comm; ///< index of its comm_stat
	int64_t bytes; ///< -1 unknown
	int64_t start_ns; ///< from the digest's start_ns
	int64_t dur_ns;
};
enum { COLLECTIVES_KEPT = 2000 };

/// What a rank did last: of one that stops before its peers, the place where.
struct progress {
	int64_t step; ///< number of the last step begun; -1 none
	int64_t launches; ///< kernel launches since its start, graph launches aside
	int64_t collectives; ///< collectives that the host entered since then
	int64_t pending; ///< of the launches: those whose kernel never ended
	struct span op, activity; ///< last operator or annotation begun; last GPU activity to start
	struct span waits_in; ///< operator or collective of the first pending launch; empty none
};

/// Classes of functions, highest first (metrics.md, `function.exclusive_pct`).
enum function_class {
	FUNCTION_COMPUTE,
	FUNCTION_MEMORY,
	FUNCTION_COMMUNICATION,
	FUNCTION_RUNTIME,
	FUNCTION_PYTHON,
	NR_FUNCTION_CLASSES
};

/// Frames of a call path; those below count as the last one's own time.
enum { FUNCTION_DEPTH = 128 };

/// A function over the whole window. Python functions are a tree of call paths: a
/// caller stands before its callees, siblings in order of name.
struct function_stat {
	enum function_class cls;
	struct span name; ///< raw bytes
	int64_t parent; ///< python: index in the list, -1 none
	int64_t count, total_ns;
	int64_t exclusive_ns; ///< it runs and nothing of a higher class does (python: in no callee)
	int64_t median_ns; ///< of one execution
	int64_t rate, rate_mad; ///< bytes/s, median and MAD over executions; -1 unknown
	int64_t names; ///< > 0: sum of so many too small to keep
};

/// Samples of one counter of the GPUs that worked, over the usable steps (else the window): shares
/// of its peak, in 1e-6 %.
struct counter_stat {
	struct span name; ///< raw bytes
	int64_t samples, median, mad;
};

/// Share of the window from which on a function is worth naming, in 1e-6 %.
enum { FUNCTION_WORTH_NAMING = 1000000 };

/// Where the host interval of a step went: parts of step.time.
enum step_part {
	STEP_PART_COMPUTE,
	STEP_PART_COMM,
	STEP_PART_MEMORY,
	STEP_PART_IDLE,
	NR_STEP_PARTS
};

/// A step figure of a rank whose samples are not kept (stored baselines).
struct step_summary {
	enum metric_id metric;
	int64_t value[NR_STATISTICS]; ///< by enum statistic
};

/// A figure of a phase where no samples are kept: over the usable steps that it is in.
struct phase_summary {
	enum phase phase;
	enum metric_id metric;
	int64_t steps; ///< so many
	int64_t value[NR_STATISTICS]; ///< by enum statistic
};

/// What all ranks together say of one (model/ranks.h): figures over matched collectives,
/// summed over its usable steps.
struct cross_rank {
	bool known;
	int64_t matched; ///< collectives
	int64_t wait_ns, transfer_ns;
	int64_t late_ns; ///< of those it came last in: median of the others − own duration
	int64_t last_count; ///< how often it came last
	int64_t steps, step_ns; ///< steps that the sums are over; their step.time together
	int64_t missing_steps; ///< usable ones that some rank has and this one lacks
	int64_t compute_skew; ///< 1e-6 % over the median of the ranks; MEMORY_UNKNOWN without GPU time
};

/// Host thread: union of its operators and runtime calls, whole window.
struct thread_stat {
	const char *id; ///< "PID/TID"
	int64_t busy_ns;
	int64_t names; ///< > 0: sum of so many too small to keep, `id` then empty
	int64_t op_ns; ///< union of its operators only; -1 unknown
};

/// A figure that the source of a memory does not give.
#define MEMORY_UNKNOWN INT64_MIN

/// What the figures of a memory were made from.
enum memory_source { MEMORY_OF_TRACE, MEMORY_OF_SNAPSHOT, MEMORY_OF_XPROF, MEMORY_OF_TIMELINE };

/// One memory (a GPU's, by the allocator's numbering), in bytes.
struct memory_stat {
	const char *id;
	enum memory_source source;
	int64_t events; ///< [memory] events, or entries of the history
	int64_t peak_allocated;
	int64_t peak_reserved, end_allocated, end_reserved; ///< MEMORY_UNKNOWN, as all below
	int64_t reserved_at_peak; ///< when allocated was highest (the latest such moment)
	int64_t start_allocated; ///< before the first event
	int64_t alloc_count, free_count, churn_bytes; ///< in the window; churn as requested
	int64_t growth_per_step; ///< MEMORY_UNKNOWN below three step ends
	int64_t capacity; ///< of the device; of XProf the limit of its allocator
	/* of snapshots only, else MEMORY_UNKNOWN: */
	int64_t end_requested; ///< of the allocated blocks at the end
	int64_t inactive, largest_inactive; ///< blocks free at the end: sum, largest
	int64_t segment_count, segment_churn, oom_count;
	int64_t segment_allocs; ///< of segment_churn those that are allocated or mapped
	int64_t peak_persistent, peak_carried, peak_transient; ///< add up to the peak (model/memory.h)
	/* of traces and "xprof" only, else NULL: the operator that ran at the peak of allocated */
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
	int64_t bytes;
	int64_t blocks, largest, other; ///< MEMORY_UNKNOWN where the source does not tell
};

/// The level of one memory at one moment of its history.
struct memory_level {
	const char *memory;
	int64_t entries, time_us; ///< -1: time unknown
	int64_t allocated, reserved; ///< reserved may be MEMORY_UNKNOWN
};

/// What a snapshot's history can be trusted for (struct memory_trust), by memory.
struct memory_evidence {
	const char *memory;
	bool history, midway, truncated;
	int64_t unseen_frees, contradicted_frees, lost_allocs, lowest_allocated;
	int64_t allocs; ///< for shares
};

/// A trace writes microseconds: one in whole ones has no coarser clock than this.
enum { CLOCK_TICK_MAX = 1000 };

/// Evidence that trust findings are made from.
struct trust_counts {
	int64_t gpu_events, with_launch, carried_over, dropped, unattributed;
	int64_t gpu_ns, dropped_ns, unattributed_ns;
	int64_t launches, launches_without_kernel; ///< kernel launches, graphs and captures aside
	int64_t lost_ns; ///< estimate of the latter's kernels; 0 also if not recorded
	int64_t tick_ns; ///< of the GPU activities: CLOCK_TICK_MAX in whole us; 0: 1 ns, or unknown
	int64_t overlap_ns; ///< on one stream, between different correlation ids
	int64_t negative_durations, malformed, json_faults;
	int64_t
	    untimed; ///< GPU activities whose duration was absent or below 0; 0 also if not recorded
	int64_t fault_byte; ///< of the first tolerated JSON fault
	bool truncated, partial;
};

/// A key of the environment: gpu.name, world_size, batch_size, … (sorted by key).
struct env_entry {
	const char *key, *value;
};

/// Value of `unmarked`.
#define UNMARKED_PERIOD "period"

/// The highest number of a rank.
enum { RANK_MAX = INT32_MAX };

/// In place of a sample: the first of several steps has no period.
#define NO_SAMPLE INT64_C(-1)

struct digest {
	struct arena arena; ///< owns everything below
	struct digest
	    *joined; ///< digest_own(): the chain of those that parts of it are owned by; else NULL
	struct fold *fold; ///< of a folded run (fold/fold.h), owned; else NULL
	const struct fold *part_of; ///< of a rank of a folded run (fold_thin()), else NULL
	size_t part; ///< its place among those
	struct span text; ///< as it was stored, of one that is copied (digest_forget()); else empty
	const char *trace; ///< base name of the trace file, NULL none
	const char *snapshot; ///< NULL none
	const char *metrics_file; ///< NULL none; several: "a.json, b.json"
	uint64_t source_hash; ///< of the figures: equal for the same artifact
	int64_t rank, world_size; ///< -1: of the whole run (a metrics file only); unknown
	const char *marker; ///< step marker pattern that was used
	const char *communication; ///< substrings, space-separated, that made a kernel communication
	int64_t warmup; ///< steps left out at the beginning
	enum attribution attribution;
	bool where; ///< a recording only for the code (merge/where.h); never stored
	bool window; ///< no step marker found: the one sample is the whole trace
	const char *unmarked; ///< UNMARKED_PERIOD where steps without markers were asked for, else NULL
	int64_t period_count; ///< of a trace without markers: repetitions of its launches; 0 none
	int64_t period_launches; ///< of one repetition: the median
	int64_t period_regularity; ///< 1e-6 %; of the pattern that came nearest where there is none
	const char
	    *proposed_marker; ///< of a trace without steps: one that fits its annotations, or NULL
	int64_t proposed_steps; ///< that it would give
	int64_t events;
	int64_t total_steps; ///< before warm-up
	int64_t start_ns, window_ns; ///< of the first event; from there to the end of the last
	int64_t device_memory; ///< of each GPU where a trace says the same of all; MEMORY_UNKNOWN
	VEC(struct env_entry) env;
	struct trust_counts trust;

	size_t nr_steps; ///< measured steps; 1 where `window`
	int64_t usable_steps; ///< without a last one cut short: what statistics, kernels and
	                      ///< operators are of
	int64_t *step_numbers; ///< nr_steps
	int64_t *step_activities; ///< nr_steps: GPU activities of each
	int64_t *samples[NR_STEP_METRICS]; ///< each nr_steps, unit of the metric; NULL not recorded;
	                                   ///< NO_SAMPLE of a step that has none
	int64_t *step_phases; ///< nr_steps: step_phase_code(); NULL: all are of none
	int64_t *phases[NR_INNER_PHASES][NR_PHASE_COLUMNS]; ///< each nr_steps; the first NULL: not
	                                                    ///< known; another: all 0
	VEC(struct step_summary)
	summaries; ///< one for each step metric, in place of samples, numbers
	           ///< and activities, which are then 0: over the usable
	           ///< steps. Else none
	VEC(struct phase_summary)
	phase_summaries; ///< sorted by phase, metric; only with `summaries`

	VEC(struct kernel_stat) kernels; ///< sorted by kind, then name
	VEC(struct device_stat) devices; ///< sorted by id
	VEC(struct op_stat) ops; ///< sorted by name
	VEC(struct flop_stat) flops; ///< sorted by operator, type (model/flops.h)
	VEC(struct call_stat) calls; ///< sorted by kind, sums of small ones last, name
	VEC(struct thread_stat) threads; ///< sorted by id
	VEC(struct comm_stat) comms; ///< sorted by kind, group, its name, type, size
	VEC(struct collective) collectives; ///< in order of start
	int64_t collectives_cut; ///< beyond COLLECTIVES_KEPT: in `comms` only
	VEC(struct function_stat) functions; ///< sorted by class, name; python as a tree
	VEC(struct code_stat) code; ///< sorted by its keys; of measured steps (else the window)
	VEC(struct range_stat) ranges; ///< sorted by name; of the same
	struct code_step step; ///< where it was asked for; never stored
	VEC(struct counter_stat) counters; ///< sorted by name
	bool phase_known; ///< the trace tells the phase that was asked for (struct reduce_options)
	VEC(struct kernel_stat) phase_kernels; ///< only their step_* figures; never stored
	VEC(struct op_stat) phase_ops;
	struct progress progress;
	struct cross_rank cross; ///< known in stored baselines only; else model/ranks.h makes it
	VEC(struct memory_stat) memories; ///< sorted by id
	VEC(struct memory_item) memory_items; ///< by memory, list, order of the list
	VEC(struct memory_level) memory_levels; ///< by memory, then time
	VEC(struct memory_evidence) memory_evidence; ///< by memory
	VEC(struct input_stat) inputs; ///< sorted by name
	VEC(struct machine_stat) machines; ///< sorted by id
};

/// Names of the enums of rows, ended by NULL; static. Kinds of events are those of GPUs.
extern const char *const event_gpu_names[];
extern const char *const call_kind_names[];
extern const char *const attribution_names[];
extern const char *const collective_names[];
extern const char *const function_class_names[];
extern const char *const memory_source_names[];

/// Caller releases with digest_free().
struct digest *digest_new(void);

/// Release a digest and all it owns; NULL is fine.
void digest_free(struct digest *d);

/// Hash of the figures: the same for the same artifact in every process.
uint64_t digest_hash(const struct digest *d);

/// The same of its inputs, for one that a metrics file was read into.
uint64_t digest_hash_inputs(const struct digest *d);

/// Room for `nr` steps in every per-step array, zeroed.
void digest_set_steps(struct digest *d, size_t nr);

/// Value of an environment key, or NULL; owned by the digest.
const char *digest_env(const struct digest *d, const char *key);

/// Release the lists of a digest whose text is kept. What identifies it stays, and so do
/// environment and figures of files, which decide what other digests it may be beside.
void digest_forget(struct digest *d);

/// Set an environment key, keeping the order; both strings are copied.
void digest_set_env(struct digest *d, struct span key, struct span value);

/// Take the snapshot's part of `snapshot` into `d` (of the same rank, without a
/// snapshot of its own): its memories replace those that the trace recorded,
/// whose operators at the peak go over to those of the same id. Beside the record of
/// another profiler memories of other ids stay.
/// What is taken stays owned by `snapshot`, which `d` keeps until it is freed.
/// Where the snapshot has no capacity, device_memory of `d` is it.
void digest_join(struct digest *d, struct digest *snapshot);

/// Keep `part` until `d` is freed: parts of it have gone over into `d`.
void digest_own(struct digest *d, struct digest *part);

/// Order of rows by their keys (model/rows.h), for sorting.
int kernel_stat_cmp(const void *a, const void *b);
int op_stat_cmp(const void *a, const void *b);
int call_stat_cmp(const void *a, const void *b);
int flop_stat_cmp(const void *a, const void *b);
int comm_stat_cmp(const void *a, const void *b);
int counter_stat_cmp(const void *a, const void *b);
int code_stat_cmp(const void *a, const void *b);
int range_stat_cmp(const void *a, const void *b);

/// Put the rows of the phase in place of those of all kernels and operators.
void digest_narrow(struct digest *d);

/// How its steps were found: "marker", "period" or "window"; NULL none; static.
const char *digest_steps_by(const struct digest *d);

/// What to tell of steps that no marker shows ("steps: …", "no steps: …"), or NULL; owned by `a`.
const char *digest_unmarked_text(const struct digest *d, struct arena *a);

/// True where the digest is that of a trace (otherwise it is only of a snapshot or a metrics file).
bool digest_has_trace(const struct digest *d);

/// Order of the digests of artifacts: rank; traces first, by their first step number, then the
/// snapshot, then metrics files, by their first name. 0 for two of one kind and rank that begin
/// with the same.
int run_digest_cmp(const struct digest *a, const struct digest *b);

/// A run: digests in order of rank. What a command looks at has one for each rank; what a merged
/// file holds, one for each artifact (run_digest_cmp()).
struct run {
	const char *label; ///< what the user named it; borrowed
	VEC(struct digest *) ranks; ///< owned
	struct digest *folded; ///< ranks that are folded, beside `ranks` until they are one; owned
	VEC(const char *) ignored; ///< files of a directory that are not artifacts; owned by the arena
	struct arena arena;
};

/// Index of the digest of `rank` in a run with one for each, or the number of its digests.
size_t run_find(const struct run *run, int64_t rank);

/// Release the digests and the list; the run is empty and usable again.
void run_release(struct run *run);

#endif
