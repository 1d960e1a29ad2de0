/// The digest of a rank: all figures that are kept of a recording once its events have been read.
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

/// How GPU activities are assigned to steps: by the start of their launch, or by their own start;
/// ATTRIBUTION_NONE if there are no steps.
enum attribution { ATTRIBUTION_NONE, ATTRIBUTION_LAUNCH, ATTRIBUTION_TIMESTAMP };

/// Figures of all GPU activities of one name. If the trace has no steps, the step_* figures equal
/// those of the window (the whole trace).
struct kernel_stat {
	enum event_kind kind; ///< kind of activity: EVENT_KERNEL, EVENT_MEMCPY or EVENT_MEMSET
	struct span name; ///< name of the activity, raw bytes as in the trace
	int64_t count, total_ns, max_ns, bytes; ///< figures of the whole window
	int64_t step_count, step_total_ns, step_max_ns, step_bytes; ///< of the complete measured steps
	int64_t grid[3], block[3]; ///< most frequent launch shape; grid[0] < 0 if unknown
	int64_t shapes; ///< number of distinct launch shapes
	int64_t resources[NR_RESOURCES]; ///< largest use of each resource by one launch, in the whole
	                                 ///< window; < 0 if unknown
	int64_t occupancy; ///< occupancy in 1e-6 %, weighted by time; < 0 if unknown
	/* only in a row that joins others: GPU time, within steps, of the kernels whose occupancy is
	 * known; and the remainder of the division that gave their mean occupancy, so that Σ occupancy
	 * · time is exactly occupancy · occupancy_ns + occupancy_rest */
	int64_t occupancy_ns, occupancy_rest;
	int64_t names; ///< number of small kernels that this row sums up (digest_small()); `name` is
	               ///< then their category, or empty; 0 for a row that is not a sum
	int64_t largest_ns; ///< in a sum of small kernels, step_total_ns of the largest of them

	/* cached results of functions of the name: 0 until they are first computed; never stored in
	 * files */
	uint64_t key; ///< result of kernel_key()
	int communicates; ///< result of kernel_communicates(): 1 if true, -1 if false
};

/// One GPU of the trace, over the whole window; times in ns.
struct device_stat {
	const char *id; ///< number of the device, as text
	int64_t streams, activities;
	int64_t span_ns, busy_ns, compute_ns;
	int64_t comm_ns, overlap_ns; ///< time of communication; part of it that overlaps computation

	/// `measured_ns`: wall time of all measured steps; `measured_busy_ns`: time of these steps in
	/// which the GPU was busy. If the GPU has no work in any step, both are measured from its first
	/// activity to its last. 0 if all steps are warm-up; -1 if not recorded.
	int64_t measured_ns, measured_busy_ns;
};

/// Host operators of one name, over the complete measured steps (or the window, if there are no
/// steps).
struct op_stat {
	struct span name;
	int64_t count, total_ns, self_ns;
	int64_t names; ///< number of small rows that this row sums up (digest_small()); 0 if it is not
	               ///< a sum
};

/// Calls whose times add up to step.launch_time, step.sync_time and step.dataloader_time.
#define CALL_KINDS(X)                                                                   \
	X(CALL_LAUNCH, "launch")                                                            \
	X(CALL_SYNC, "sync")                                                                \
	X(CALL_DATALOADER, "dataloader")                                                    \
	/* calls that allocate or free memory of the device; no step figure sums them up */ \
	X(CALL_MEMORY, "memory")
enum call_kind { CALL_KINDS(ENUM_VALUE) NR_CALL_KINDS };

/// Host calls of one kind and name, over the complete measured steps. The rows of a kind add up to
/// the figure of all steps, so a call that begins where steps overlap counts once for each of these
/// steps.
struct call_stat {
	enum call_kind kind;
	struct span name; ///< name of the call, raw bytes
	int64_t count, total_ns;
	int64_t names; ///< number of small rows that this row sums up (digest_small()); 0 if it is not
	               ///< a sum
};

/// Element type of the operands of a multiplication.
#define FLOP_TYPES(X)            \
	X(FLOP_OTHER, "other")       \
	X(FLOP_FLOAT64, "float64")   \
	X(FLOP_FLOAT32, "float32")   \
	X(FLOP_FLOAT16, "float16")   \
	X(FLOP_BFLOAT16, "bfloat16") \
	X(FLOP_FLOAT8, "float8")
enum flop_type { FLOP_TYPES(ENUM_VALUE) NR_FLOP_TYPES };

/// Calls of one operator and type whose floating-point operations or bytes follow from their
/// inputs, over the complete measured steps (or the window, if there are no steps). Only operators
/// that launched GPU work have a row.
struct flop_stat {
	struct span op;
	enum flop_type type;
	int64_t count, flops; ///< number of calls whose operations are known; sum of these operations
	int64_t uncounted; ///< number of calls whose operations are unknown, because the trace lacks
	                   ///< their inputs
	int64_t gpu_ns; ///< GPU time of the calls in `count` and `uncounted`; 0 in stored baselines
	int64_t bytes; ///< least number of bytes that the calls must move between the GPU and its
	               ///< memory; calls in `unsized` add nothing
	int64_t unsized; ///< number of calls whose `bytes` are unknown
	int64_t
	    sized_ns; ///< GPU time of calls with known bytes; includes memory_ns, compute_ns, short_ns
	int64_t memory_ns, compute_ns; ///< GPU time of calls that memory limits; of calls that
	                               ///< arithmetic limits
	int64_t short_ns; ///< GPU time of calls that neither memory nor arithmetic limits, since their
	                  ///< kernels are too short or small
	/// Time that the calls take at the peak rates of the GPU: moved_ns for their bytes, roof_ns for
	/// their bytes or operations, whichever takes longer. For each call both are at most its GPU
	/// time: bytes that would take longer must have come from a cache. 0 if the peaks are unknown.
	int64_t moved_ns, roof_ns;
};

/// Name of the flop_stat row for launches of CUDA or HIP graphs whose operators are unknown.
#define FLOPS_OF_GRAPHS "GPU graphs"

/// How a collective moves data.
#define COLLECTIVE_KINDS(X)                                        \
	X(COLLECTIVE_OTHER, "other")                                   \
	X(COLLECTIVE_ALL_REDUCE, "all_reduce")                         \
	X(COLLECTIVE_ALL_GATHER, "all_gather")                         \
	X(COLLECTIVE_REDUCE_SCATTER, "reduce_scatter")                 \
	X(COLLECTIVE_ALL_TO_ALL, "all_to_all")                         \
	X(COLLECTIVE_BROADCAST, "broadcast")                           \
	X(COLLECTIVE_REDUCE, "reduce")                                 \
	X(COLLECTIVE_GATHER, "gather")                                 \
	X(COLLECTIVE_SCATTER, "scatter")                               \
	X(COLLECTIVE_SEND, "send")                                     \
	X(COLLECTIVE_RECV, "recv")                                     \
	/* kernel that sends and receives, or an unnamed all-to-all */ \
	X(COLLECTIVE_SEND_RECV, "send_recv")                           \
	X(COLLECTIVE_BARRIER, "barrier")
enum collective_kind { COLLECTIVE_KINDS(ENUM_VALUE) NR_COLLECTIVE_KINDS };

/// Collectives of one kind, element type and process group, over the complete measured steps (or
/// the window, if there are no steps).
struct comm_stat {
	enum collective_kind kind;
	struct span group; ///< description of the process group, else its name; empty if unknown
	struct span group_name; ///< name of the group, which no other group shares; empty if unknown
	struct span dtype; ///< element type, such as "Float"; empty if unknown
	int64_t group_size; ///< number of ranks in the group; -1 if unknown
	int64_t count, total_ns, max_ns;
	int64_t bytes; ///< bytes of the messages of one rank (for each call, the larger of sent and
	               ///< received), summed over the calls whose size is known
	int64_t sized_count, sized_ns; ///< number and time of the calls whose size is known
};

/// One collective of a measured step. At most COLLECTIVES_KEPT are listed, in order of start.
struct collective {
	int64_t step; ///< index of the step among the measured steps
	int64_t comm; ///< index of the collective's row in digest.comms
	int64_t bytes; ///< size of the message in bytes; -1 if unknown
	int64_t start_ns; ///< start time, counted from digest.start_ns
	int64_t dur_ns;
};

/// Largest number of rows in digest.collectives.
enum { COLLECTIVES_KEPT = 2000 };

/// What a rank did last. If the rank hangs while its peers go on, this is where it stopped.
struct progress {
	int64_t step; ///< number of the last step that began; -1 if none did
	int64_t launches; ///< kernel launches since `step` began, without launches of graphs
	int64_t collectives; ///< collectives that the host entered since `step` began
	int64_t pending; ///< number of those `launches` whose kernel never ended
	struct span op, activity; ///< names of the last host event and the last GPU activity that began
	struct span waits_in; ///< operator or collective of the first kernel that never ended, or empty
};

/// Classes of functions, highest first. Each moment counts for the highest class that runs then.
#define FUNCTION_CLASSES(X)                    \
	X(FUNCTION_COMPUTE, "compute")             \
	X(FUNCTION_MEMORY, "memory")               \
	X(FUNCTION_COMMUNICATION, "communication") \
	X(FUNCTION_RUNTIME, "runtime")             \
	X(FUNCTION_PYTHON, "python")
enum function_class { FUNCTION_CLASSES(ENUM_VALUE) NR_FUNCTION_CLASSES };

/// Largest depth of a call path that is kept; deeper frames count as own time of the last frame on
/// the path.
enum { FUNCTION_DEPTH = 128 };

/// A function over the whole window. Python functions are a tree of call paths: a caller comes
/// before its callees, siblings in order of name.
struct function_stat {
	enum function_class cls;
	struct span name; ///< name of the function, raw bytes
	int64_t parent; ///< index of a Python function's caller in the list, -1 if there is none
	int64_t count, total_ns;
	int64_t exclusive_ns; ///< time of the function in which no function of a higher class runs
	int64_t median_ns; ///< median duration of one execution
	int64_t rate, rate_mad; ///< median and MAD of bytes per second; -1 if unknown
	int64_t names; ///< number of small functions in this sum; 0 if the row is not a sum
};

/// Samples of one hardware counter, from the GPUs that worked, over the complete measured steps (or
/// the window, if there are no steps); figures are shares of the counter's peak in 1e-6 %.
struct counter_stat {
	struct span name; ///< name of the counter, raw bytes
	int64_t samples, median, mad;
};

/// Least share of the window, in 1e-6 %, with which reports name a function.
enum { FUNCTION_WORTH_NAMING = 1000000 };

/// Parts into which the wall time of a step (or the window, if there are no steps) is divided on
/// each device: computing, communication that nothing hides, copies and memory sets that nothing
/// hides, and idle time.
enum step_part {
	STEP_PART_COMPUTE,
	STEP_PART_COMM,
	STEP_PART_MEMORY,
	STEP_PART_IDLE,
	NR_STEP_PARTS
};

/// A step figure of a rank whose samples are not kept, as is the case in stored baselines.
struct step_summary {
	enum metric_id metric;
	int64_t value[NR_STATISTICS]; ///< values, indexed by enum statistic
	int64_t slow; ///< only of step.period: share of slow steps, in 1e-6 %; -1 if unknown
};

/// Like step_summary, but a figure of one phase, over the complete measured steps in which the
/// phase occurs.
struct phase_summary {
	enum phase phase;
	enum metric_id metric;
	int64_t steps; ///< number of the steps that have the phase
	int64_t value[NR_STATISTICS]; ///< values, indexed by enum statistic
};

/// Figures of one rank that can be computed only if all ranks of the run are known (model/ranks.h):
/// sums over the rank's matched collectives in complete measured steps.
struct cross_rank {
	bool known;
	int64_t matched; ///< number of matched collectives
	int64_t wait_ns, transfer_ns; ///< time of waiting for other ranks; time of transfers
	/// lateness, summed over the collectives that this rank entered last: median duration on the
	/// other ranks minus the duration on this rank
	int64_t late_ns;
	int64_t last_count; ///< number of matched collectives that this rank was the last to enter
	int64_t steps, step_ns; ///< number of steps that this struct sums up; sum of their step.time
	int64_t missing_steps; ///< number of complete measured steps that some other rank has and this
	                       ///< rank lacks
	int64_t compute_skew; ///< distance of compute time from that of the median rank, in 1e-6 % of
	                      ///< the latter; MEMORY_UNKNOWN if unknown
};

/// A host thread over the whole window.
struct thread_stat {
	const char *id; ///< process and thread, in the form "PID/TID"
	int64_t busy_ns;
	int64_t names; ///< number of small threads that this row sums up; a sum has no `id`; 0 if it is
	               ///< not a sum
	int64_t op_ns; ///< union of the thread's operator times, without runtime calls; -1 if unknown
};

/// Value of a figure of a memory if the kind of recording does not contain the figure.
#define MEMORY_UNKNOWN INT64_MIN

/// The kind of recording that the figures of a memory were made from.
enum memory_source { MEMORY_OF_TRACE, MEMORY_OF_SNAPSHOT, MEMORY_OF_XPROF, MEMORY_OF_TIMELINE };

/// The memory of one GPU, or of the host. `id` is the allocator's number of the GPU, or XProf's
/// name of the memory. Sizes are in bytes.
struct memory_stat {
	const char *id;
	enum memory_source source;
	int64_t events; ///< number of [memory] events of a trace, entries of a snapshot's history, or
	                ///< moments of a timeline
	int64_t peak_allocated;
	int64_t peak_reserved, end_allocated, end_reserved; ///< levels in bytes; or MEMORY_UNKNOWN
	int64_t reserved_at_peak; ///< bytes reserved at the latest moment of peak_allocated
	int64_t start_allocated; ///< bytes allocated before the first event
	int64_t alloc_count, free_count, churn_bytes; ///< numbers of allocations and frees, and
	                                              ///< allocated bytes, in the window
	int64_t growth_per_step; ///< growth in bytes; MEMORY_UNKNOWN with fewer than three step ends
	int64_t capacity; ///< size of the device's memory; for XProf the limit of its allocator
	/* The members up to peak_transient are known only from snapshots; from other sources they are
	 * MEMORY_UNKNOWN. The exception is oom_count: it is also known from a trace with an
	 * out-of-memory error. */
	int64_t end_requested; ///< requested bytes of the blocks that are allocated at the end
	int64_t inactive, largest_inactive; ///< bytes of all free blocks at the end; of the largest one
	/// Numbers of segments at the end; of allocations, frees, maps and unmaps of segments; of
	/// out-of-memory errors.
	int64_t segment_count, segment_churn, oom_count;
	int64_t segment_allocs; ///< number of events in segment_churn that allocate or map a segment
	int64_t peak_persistent; ///< part of the peak that is also live at the end
	int64_t peak_carried; ///< part of the peak that is from before the recording and freed later
	int64_t peak_transient; ///< rest of the peak, without peak_persistent and peak_carried
	/* operator that ran at the peak, shapes and types of its inputs, or NULL; only from traces
	 * (from XProf, only the operator) */
	const char *peak_op, *peak_dims, *peak_types;
};

/// The lists of a snapshot in one table. Each line below says what the columns of struct
/// memory_item hold for one list: `bytes`, `blocks`, `largest` and `other`.
enum memory_list {
	MEMORY_LIST_CATEGORY, ///< bytes and blocks of a category at the peak; `largest`: requested
	                      ///< bytes of the category's largest block in the whole recording (from
	                      ///< XProf: at the peak); `other`: the category's bytes at the end of the
	                      ///< history
	MEMORY_LIST_PEAK, ///< live bytes and blocks of a site at the peak; `largest`: requested bytes
	                  ///< of the site's largest block
	MEMORY_LIST_END, ///< live bytes and blocks of a site at the end; `largest`: requested bytes of
	                 ///< the site's largest block
	MEMORY_LIST_GROWTH, ///< rise of a site's live bytes and blocks from the first end of a step to
	                    ///< the last; `other`: number of steps in which its bytes rose
	MEMORY_LIST_CHURN, ///< bytes and number of a site's allocations; `largest`: most frequent size;
	                   ///< `other`: number of different sizes
	MEMORY_LIST_OOM, ///< live bytes and blocks of a site before the last out-of-memory error;
	                 ///< `largest`: requested bytes of the site's largest block
	MEMORY_LIST_BLOCK, ///< bytes: size of a block of a site; `blocks`: number of equal blocks;
	                   ///< `largest`: requested bytes of one of them
	MEMORY_LIST_SIZE, ///< bytes and blocks of a size class (from one power of two to the next) at
	                  ///< the peak; `other`: lower bound of the class in bytes
	MEMORY_LIST_SEGMENT, ///< bytes and number of segments in one size class; `largest`: free bytes;
	                     ///< `other`: lower bound of the class; category: kind of segment
	MEMORY_LIST_GAP, ///< bytes: size of an inactive block; `other`: size of its segment
	MEMORY_LIST_PINNED, ///< bytes and number of a site's small used blocks between free blocks;
	                    ///< `largest`: requested bytes of the largest; `other`: bytes of these free
	                    ///< blocks
	NR_MEMORY_LISTS
};

/// One row of a list. Rows of the same memory and list are adjacent, and keep the order of the
/// list.
struct memory_item {
	const char *memory;
	enum memory_list list;
	struct span category; ///< category of the site, or, in MEMORY_LIST_CATEGORY, of the row
	enum site_kind kind;
	struct span file, function;
	int64_t line;
	int64_t bytes;
	/// Numbers whose meaning depends on `list` (enum memory_list); MEMORY_UNKNOWN if unknown.
	int64_t blocks, largest, other;
};

/// The level of one memory at one moment of its history.
struct memory_level {
	const char *memory;
	int64_t entries, time_us; ///< number of history entries up to this moment; time of the moment
	                          ///< in µs, -1 if unknown
	int64_t allocated, reserved; ///< levels in bytes; `reserved` may be MEMORY_UNKNOWN
};

/// How far the history of one memory can be trusted.
struct memory_evidence {
	const char *memory;
	bool history; ///< true if the device has a history
	bool midway; ///< true if some memory was allocated or reserved when the history began
	bool truncated; ///< true if entries were lost: the recorder reports it, or a step ended before
	                ///< the first entry
	int64_t unseen_frees; ///< number of frees of blocks from before the recording
	int64_t contradicted_frees; ///< number of frees of blocks that a later entry frees again, or
	                            ///< that are live at the end
	int64_t lost_allocs; ///< number of blocks that are never freed and yet absent at the end
	int64_t lowest_allocated; ///< lowest level; if below 0, the history and the final state
	                          ///< disagree
	int64_t allocs; ///< number of all allocations, with which the counts above are compared
};

/// Largest recorded tick of a GPU clock, in ns; the tick of a coarser clock is recorded as this
/// value.
enum { CLOCK_TICK_MAX = 1000 };

/// Counts of what the recording of a rank holds and lacks, so that it can be checked whether all of
/// it is accounted for. Trust findings are made from these counts.
struct trust_counts {
	/// Numbers of GPU activities: all (timed, untimed or recorded twice); with a known launch;
	/// launched before the recording; of an unknown launch; outside of all steps.
	int64_t gpu_events, with_launch, carried_over, dropped, unattributed;

	/// GPU time of all activities; of activities of an unknown launch; of activities outside of all
	/// steps.
	int64_t gpu_ns, dropped_ns, unattributed_ns;

	/// Launches of kernels and graphs. Each launch has its activities, or counts as `captured`,
	/// `pending`, `left_over` or lost (launches_without_kernel). Earlier versions did not count
	/// launches of graphs.
	int64_t launches, launches_without_kernel;
	int64_t lost_ns; ///< estimated GPU time of lost launches and lost_nodes; 0 also if not recorded
	int64_t tick_ns; ///< resolution of GPU times in ns: CLOCK_TICK_MAX if all are whole
	                 ///< microseconds; 0 if it is 1 ns or unknown
	int64_t overlap_ns; ///< time in which activities of different launches overlap on one stream
	int64_t negative_durations, malformed, json_faults;
	int64_t untimed; ///< number of GPU activities without a valid start or duration; 0 also if not
	                 ///< recorded
	int64_t fault_byte; ///< offset in bytes of the first JSON fault that was tolerated
	bool truncated, partial;

	/* the members from here on were not recorded by version 0.2: they are 0 in its files */
	int64_t timed; ///< number of activities, without those counted in `untimed` and `twice`
	int64_t untimed_ns; ///< estimated time of the untimed activities
	int64_t twice, twice_ns; ///< number and time of the second records of activities that were
	                         ///< recorded twice
	int64_t before_ns; ///< part of unattributed_ns that was launched before the recording
	int64_t unknown_ns; ///< part of unattributed_ns whose launch is not known
	int64_t cut_ns; ///< GPU time in warm-up steps and in incomplete steps at the end of the trace
	int64_t contained_ns; ///< time of activities whose end must be wrong: a later activity of the
	                      ///< same stream lies wholly within them
	int64_t captured; ///< number of launches that were only recorded into a graph
	int64_t pending; ///< number of launches whose work had not ended when the recording did
	int64_t left_over; ///< number of launches without a kernel that do not count as lost, because
	                   ///< as many kernels have an unknown launch
	int64_t lost_unknown; ///< number of lost launches whose time cannot be estimated
	int64_t lost_copies; ///< number of copy calls that have no activity
	int64_t lost_copies_ns; ///< estimated time of lost_copies; 0 if no copy was recorded
	int64_t lost_nodes; ///< number of kernels that a launch of a graph lacks and another launch of
	                    ///< the same graph has
	int64_t graph_kinds; ///< number of different sets of kernels that launches of graphs ran, if
	                     ///< the nodes have no ids
	/// number of activities that begin before their launch; the longest time by which one does
	int64_t early, early_ns;

	/// GPU time, in complete measured steps, of launches of CUDA or HIP graphs, if a capture of a
	/// graph is known. Parts of this time are: work that gets places in the code from the capture
	/// of its graph (joined_ns), work of unknown order (unordered_ns), and work that fits captures
	/// with different places (ambiguous_ns). The rest fits no capture.
	int64_t replayed_ns, joined_ns, unordered_ns, ambiguous_ns;

	/// Fewest and most requests in a step of an inference server (only decode steps, if there are
	/// any), and fewest and most tokens of prompts in a step. They are read from the names of the
	/// complete measured steps or, if there are no steps, of annotations; 0 if no name has such a
	/// number.
	int64_t requests_low, requests_high, tokens_low, tokens_high;

	/// Median time between the starts of steps' markers, and median step.period of these steps,
	/// which should be about equal; both 0 with fewer than three steps.
	int64_t marker_ns, completion_ns;
};

/// True if the parts of gpu_events are known; digests of version 0.2 lack them.
static inline bool account_is_known(const struct trust_counts *t)
{
	return t->timed + t->untimed + t->twice == t->gpu_events;
}

/// GPU time in judged steps, which are the complete measured steps.
static inline int64_t account_judged_ns(const struct trust_counts *t)
{
	return t->gpu_ns - t->unattributed_ns - t->cut_ns;
}

/// GPU time that could belong to judged steps: all except work that was launched before the
/// recording, and work in steps that are left out.
static inline int64_t account_whole_ns(const struct trust_counts *t)
{
	return t->gpu_ns - t->before_ns - t->cut_ns;
}

/// An entry of the environment: gpu.name, world_size, batch_size, …; the list is sorted by key.
struct env_entry {
	const char *key, *value;
};

/// Value of a digest's `unmarked` if, by the user's choice, repetitions of launches count as steps.
#define UNMARKED_PERIOD "period"

/// The highest number that a rank may have.
enum { RANK_MAX = INT32_MAX };

/// Value of a sample that does not exist: the first of several steps has no step.period.
#define NO_SAMPLE INT64_C(-1)

/// The figures of one rank, or of a whole folded run. Times are in ns, sizes in bytes.
struct digest {
	struct arena arena; ///< arena that owns all lists and texts of the digest
	struct digest *joined; ///< chain of digests that own parts of this digest, or NULL
	struct fold *fold; ///< the data that only a folded run has, such as figures of each rank
	                   ///< (model/fold.h); owned; NULL for other runs
	const struct fold *in_fold; ///< `fold` of the folded run, if this digest is one of its ranks
	                            ///< (fold_thin()); else NULL
	size_t fold_index; ///< index of this digest's rank in `in_fold`
	struct span text; ///< stored text if the lists were released (digest_forget()), else empty
	const char *trace; ///< base name of the trace file; NULL if there is none
	const char *snapshot; ///< base name of the snapshot file; NULL if there is none
	const char *metrics_file; ///< base names of result files, such as "a.json, b.json"; NULL if
	                          ///< there are none
	uint64_t source_hash; ///< hash of the figures: it identifies the trace, snapshot or result
	                      ///< files that they are from
	int64_t rank, world_size; ///< number of the rank, -1 for the whole run; number of ranks in the
	                          ///< job, -1 if unknown
	const char *marker; ///< pattern of the step markers that was used
	const char *communication; ///< space-separated substrings of the names of communication kernels
	int64_t warmup; ///< number of steps left out at the beginning
	enum attribution attribution;
	bool where; ///< true if the recording is used only for places in the code; never stored
	bool window; ///< true if no steps were found; the whole trace is then measured as one window
	const char *unmarked; ///< UNMARKED_PERIOD if repetitions of launches are steps, else NULL
	int64_t period_count; ///< number of repetitions in a trace without markers; 0 if none
	int64_t period_launches; ///< median number of launches in one repetition (period_count)
	int64_t period_regularity; ///< regularity of the repetitions in 1e-6 %, or of the best pattern
	                           ///< if there are no repetitions
	const char *proposed_marker; ///< step marker that fits a trace without steps, or NULL
	int64_t proposed_steps; ///< number of steps that the proposed marker would give
	int64_t events;
	int64_t total_steps; ///< number of steps, warm-up included
	int64_t start_ns, window_ns; ///< start of the first event; time from there to the last end
	int64_t device_memory; ///< memory size in bytes of each GPU, if all have the same; else
	                       ///< MEMORY_UNKNOWN
	VEC(struct env_entry) env;
	struct trust_counts trust;

	size_t nr_steps; ///< number of measured steps; 1 if `window`
	int64_t usable_steps; ///< number of complete measured steps: without those at the end of the
	                      ///< trace that are incomplete; statistics, kernels and operators cover
	                      ///< only these steps
	int64_t *step_numbers; ///< array of nr_steps step numbers
	int64_t *step_activities; ///< number of GPU activities of each step; array of nr_steps
	int64_t *samples[NR_STEP_METRICS]; ///< samples of each step metric in its unit, or NULL;
	                                   ///< NO_SAMPLE where a step has no value
	int64_t *step_phases; ///< step_phase_code() of each step; NULL if no step has a phase

	/// Figures of phases by step. Column 0 is NULL if the trace does not show the phase; another
	/// column is NULL if it would hold only zeros.
	int64_t *phases[NR_INNER_PHASES][NR_PHASE_COLUMNS];
	/// Statistics of each step metric over the complete measured steps, if samples are not kept.
	VEC(struct step_summary) summaries;
	VEC(struct phase_summary) phase_summaries; ///< statistics of phases, sorted by phase, metric

	VEC(struct kernel_stat) kernels; ///< kernels and copies, sorted by kind, then name
	VEC(struct device_stat) devices; ///< GPUs, sorted by id
	VEC(struct op_stat) ops; ///< operators, sorted by name
	VEC(struct flop_stat) flops; ///< floating-point operations, by operator and type

	/// Host calls, sorted by kind, name; sums of small rows come last in each kind.
	VEC(struct call_stat) calls;
	VEC(struct thread_stat) threads; ///< host threads, sorted by id

	/// Sums of collectives, sorted by kind, group, group name, element type, group size.
	VEC(struct comm_stat) comms;
	VEC(struct collective) collectives; ///< single collectives, in order of start
	int64_t collectives_cut; ///< number of collectives beyond COLLECTIVES_KEPT
	VEC(struct function_stat) functions; ///< functions, by class and name; Python as a call tree
	VEC(struct code_stat) code; ///< work of complete measured steps (or window), by code place
	VEC(struct range_stat) ranges; ///< work by annotation, sorted by name
	struct code_step step; ///< activities of one step, filled on request; never stored
	VEC(struct counter_stat) counters; ///< hardware counters, sorted by name
	bool phase_known; ///< true if the trace shows the requested phase (struct reduce_options)
	VEC(struct kernel_stat) phase_kernels; ///< kernels of the requested phase; never stored
	VEC(struct op_stat) phase_ops;
	struct progress progress;
	struct cross_rank cross; ///< figures that need all ranks: computed (model/ranks.h) or stored
	VEC(struct memory_stat) memories; ///< memories, sorted by id
	VEC(struct memory_stat) trace_memories; ///< memories of the trace, if a snapshot replaced them
	VEC(struct memory_item) memory_items; ///< rows of memory lists, sorted by memory, then list
	VEC(struct memory_level) memory_levels; ///< levels, sorted by memory, then time
	VEC(struct memory_evidence) memory_evidence; ///< how far to trust each history, by memory
	VEC(struct input_stat) inputs; ///< figures of result files, sorted by name
	VEC(struct machine_stat) machines; ///< states of GPUs, sorted by id
};

/// Names of the values of each enum in rows. The lists are static and end with NULL.
/// event_gpu_names holds only the kinds of events that run on GPUs.
extern const char *const event_gpu_names[];
extern const char *const call_kind_names[];
extern const char *const attribution_names[];
extern const char *const collective_names[];
extern const char *const function_class_names[];
extern const char *const memory_source_names[];

/// A new, empty digest. Caller releases it with digest_free().
struct digest *digest_new(void);

/// Releases a digest and all that it owns; NULL is fine.
void digest_free(struct digest *d);

/// Hash of the figures: the same for the same artifact in every process.
uint64_t digest_hash(const struct digest *d);

/// Like digest_hash(), but only of figures of result files that were read into the digest.
uint64_t digest_hash_inputs(const struct digest *d);

/// Allocates all per-step arrays for `nr` steps, and sets their elements to 0.
void digest_set_steps(struct digest *d, size_t nr);

/// Value of an environment key, or NULL; owned by the digest.
const char *digest_env(const struct digest *d, const char *key);

/// code_kernel_key() of the name, computed only once, since names may have thousands of bytes.
uint64_t kernel_key(struct kernel_stat *k);

/// True if `k` is a kernel of `d` (not a copy, a memory set or a sum of kernels) that `d` counts as
/// communication.
bool kernel_communicates(const struct digest *d, struct kernel_stat *k);

/// Releases the lists of a digest whose text is kept. Its identifying members, the environment and
/// the figures of result files stay; they decide with which other digests it can share a run.
void digest_forget(struct digest *d);

/// Sets an environment key and keeps the list sorted; both strings are copied.
void digest_set_env(struct digest *d, struct span key, struct span value);

/// Joins the snapshot `snapshot` into the digest `d`, which is of the same rank and has no snapshot
/// yet. Memories of the snapshot replace those of the trace, which `d` keeps in another list. Each
/// memory of the snapshot takes over the operator at the peak from the trace's memory of the same
/// id. If `snapshot` is the record of another profiler, memories of `d` with other ids stay. The
/// rows stay owned by `snapshot`, which is freed together with `d`. If the snapshot has no
/// capacity, device_memory of `d` is used.
void digest_join(struct digest *d, struct digest *snapshot);

/// Keeps `other` until `d` is freed, because rows of `other` have been moved into `d`.
void digest_own(struct digest *d, struct digest *other);

/// Compares two rows by their keys (model/rows.h), as qsort() and bsearch() call it.
typedef int row_compare(const void *a, const void *b);

/// Compare rows of these types.
row_compare kernel_stat_cmp, op_stat_cmp, call_stat_cmp, flop_stat_cmp, comm_stat_cmp,
    counter_stat_cmp, code_stat_cmp, range_stat_cmp;

/// Replaces the rows of all kernels and operators by those of the phase that struct reduce_options
/// requests.
void digest_narrow(struct digest *d);

/// How the steps were found: "marker", "period" or "window"; NULL if there are no steps; static.
const char *digest_steps_by(const struct digest *d);

/// A sentence that says how steps were found without markers, or why there are none ("steps: …",
/// "no steps: …"); owned by `a`. NULL if markers were used.
const char *digest_unmarked_text(const struct digest *d, struct arena *a);

/// True if the digest is of a trace, not only of a snapshot or a result file.
bool digest_has_trace(const struct digest *d);

/// Orders the digests of two artifacts by rank, then by kind (trace, snapshot, result file), then
/// by the number of the first step or, of result files, by the name of the first figure and the id
/// of the first GPU. 0 if all of these are equal.
int run_digest_cmp(const struct digest *a, const struct digest *b);

/// A run: digests in order of rank. A run that commands look at has one digest for each rank; the
/// run of a merged file has one digest for each artifact (run_digest_cmp()).
struct run {
	const char *label; ///< name of the run as the user gave it; borrowed
	VEC(struct digest *) ranks; ///< digests, owned

	/// digest of the ranks that are already folded; NULL if no rank is folded; owned. `ranks` has
	/// the ranks that are not folded, until fold_whole() makes one digest of all.
	struct digest *folded;
	VEC(const char *) ignored; ///< paths of files that are not used; owned by the arena
	struct arena arena;
};

/// Value of the environment key `key` in the first rank that has it, or NULL.
const char *run_env(const struct run *run, const char *key);

/// True if a rank of the run has a trace or memory, not only figures of result files.
bool run_is_recorded(const struct run *run);

/// How often per step the host both frees and allocates memory of the device: the smaller of the
/// two numbers, in UNIT_COUNT_PER_STEP, on the rank with the most; 0 if unknown. `*ns` becomes the
/// time that all these calls take per step.
int64_t run_memory_calls(const struct run *run, int64_t *ns);

/// Index of the digest of `rank` in a run with one digest for each rank, or the number of digests
/// if the rank is missing.
size_t run_find(const struct run *run, int64_t rank);

/// True if a rank of the run was measured as one window, without steps.
bool run_has_window(const struct run *run);

/// Releases the digests and the list. The run is then empty and usable again.
void run_release(struct run *run);

#endif
