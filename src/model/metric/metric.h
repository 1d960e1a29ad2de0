/// The metric table: name, unit, direction and reduction of every figure.
#ifndef GG_METRIC_METRIC_H
#define GG_METRIC_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "metric/statistic.h"
#include "metric/unit.h"

/// The metrics, one for each row of metrics.def, and their number.
enum metric_id {
#define X(id, ...) METRIC_##id,
#include "metric/metrics.def"
	NR_METRICS,
};

/// Number of metrics that have a sample for each step. Their ids are 0, 1, … and are also the
/// indices of their lists of samples.
enum {
	NR_STEP_METRICS =
#define STEP(...) 1 +
#define X(...)
#include "metric/metrics.def"
	    0
};

/// The direction of a change that makes a figure worse.
enum worse { WORSE_UP, WORSE_DOWN, WORSE_EITHER };

/// The direction that is worse if `better` ("lower" or "higher") is better; WORSE_EITHER if
/// `better` is NULL.
enum worse worse_of(const char *better);

/// The kind of item that the label of a figure names; LABEL_NONE if the metric has no labels, since
/// a rank has only one figure of this metric.
#define LABELS(X)                     \
	X(LABEL_NONE, "")                 \
	X(LABEL_DEVICE, "device")         \
	X(LABEL_KERNEL, "kernel")         \
	X(LABEL_CATEGORY, "category")     \
	X(LABEL_OP, "op")                 \
	X(LABEL_THREAD, "thread")         \
	X(LABEL_MEMORY, "memory")         \
	X(LABEL_DIRECTION, "direction")   \
	X(LABEL_COLLECTIVE, "collective") \
	X(LABEL_FUNCTION, "function")     \
	X(LABEL_INPUT, "")                \
	X(LABEL_COUNTER, "counter")       \
	X(LABEL_MODULE, "module")         \
	X(LABEL_RANGE, "range")           \
	X(LABEL_PLACE, "place")           \
	X(LABEL_PAIR, "")
enum label_kind { LABELS(ENUM_VALUE) };
extern const char *const label_names[]; ///< keys of the kinds of labels in JSON

/// The data without which no figure of a metric can be computed.
enum need {
	NEED_HOST,
	NEED_GPU,
	NEED_COMM,
	NEED_MEMORY,
	NEED_CONTEXT,
	NEED_FLOPS,
	NEED_RANKS,
	NEED_MATCHED,
	NEED_INPUT,
	NEED_MACHINE
};
/// Groups in which reports list checks. GROUP_INPUTS has no metric: its checks are about the files
/// of the run.
#define GROUPS(X)               \
	X(GROUP_STEP, "step")       \
	X(GROUP_KERNELS, "kernels") \
	X(GROUP_MEMORY, "memory")   \
	X(GROUP_RANKS, "ranks")     \
	X(GROUP_INPUTS, "inputs")
enum check_group { GROUPS(ENUM_VALUE) NR_GROUPS };
extern const char *const group_names[];

/// Families of metrics that become noisy together; the metrics of a family share a budget of false
/// alarms (gate/noise_model.h).
enum family {
	FAMILY_BY_NEED, ///< the metric's row names no family: metric_family() derives it from the data
	                ///< that the metric needs
	FAMILY_EXACT, ///< counts and bytes, which are free of noise
	FAMILY_MACHINE, ///< GPU time of whole steps, whose noise comes from the machine as a whole
	FAMILY_OPERATORS, ///< GPU time of one operator, category or kernel
	FAMILY_WALL, ///< wall times, which also depend on the host
	FAMILY_COMMUNICATION,
	NR_FAMILIES
};

/// Groups of figures that one cause changes together. The row of a metric names its group; if the
/// row has STAKE_UNNAMED, the metric's labels, need and check_group imply the group. For each
/// group, a suspected cause (judge/cause) explains an amount: ns per step for times, bytes for
/// memory. For counts and shares the amount has no unit, and is only compared with the amounts of
/// other suspected causes.
enum stake {
	STAKE_UNNAMED,
	STAKE_WALL, ///< wall time, rates per wall time, and figures that a benchmark measures
	STAKE_IDLE, ///< time in which the GPU has nothing to do
	STAKE_COMPUTE, ///< time of kernels that compute
	STAKE_GPU, ///< time of all GPU activities, including waiting inside collectives
	STAKE_KERNELS, ///< number of launched kernels
	STAKE_RESOURCES, ///< registers and memory that kernels take
	STAKE_COMM, ///< time and size of communication
	STAKE_EXPOSED, ///< communication that no computation hides
	STAKE_COPIES, ///< time and size of memory copies and memory sets
	STAKE_LOADER,
	STAKE_SYNCS,
	STAKE_LAUNCH, ///< host time of launches and operators
	STAKE_RANKS, ///< time of one rank beyond that of the other ranks, such as waiting
	STAKE_TAIL, ///< maximum and high percentiles over the steps, and the share of slow steps: they
	            ///< may change while the median does not
	STAKE_PEAK, ///< allocated memory
	STAKE_RESERVED, ///< memory reserved beyond what is allocated
	STAKE_GROWTH, ///< growth of memory from step to step
	STAKE_OOM,
	NR_STAKES
};

/// The parts into which a report breaks down a change of a metric.
enum parts_kind {
	PARTS_TERMS, ///< parts: other metrics that add up to the metric
	PARTS_CALLS, ///< parts: number of calls, and their mean duration or size
	PARTS_ACTIVITIES, ///< parts: GPU activities by class, category and name
	PARTS_CODE, ///< parts: modules, places in the code, operators and kernels, as a tree
	PARTS_LACKED_STEPS, ///< parts: the steps that a rank lacks
	PARTS_SEGMENTS, ///< parts: segments of memory by kind and size
	PARTS_SHARE, ///< parts: the numerator and the denominator of the metric, which is a ratio
	PARTS_INDIVISIBLE, ///< parts: only the ranks, if the run has several; no parts in a run of one
	                   ///< rank
	PARTS_RATE, ///< no parts, because rates do not add up
};

/// What a metric is a sum of, as bits. The bits of kernels, copies, memory sets and waits are in
/// the order of enum code_kind.
enum metric_sums {
	SUMS_KERNELS = 1 << 0,
	SUMS_COPIES = 1 << 1,
	SUMS_SETS = 1 << 2,
	SUMS_WAITS = 1 << 3,
	SUMS_CODE = 1 << 4, ///< the work of all places in the code adds up to the metric
	SUMS_ALL_CODE = SUMS_KERNELS | SUMS_COPIES | SUMS_SETS | SUMS_CODE,
};

/// Aspects of a recording that metrics depend on, as bits. A trust finding says which aspects
/// cannot be believed; metrics that depend on one of them are inconclusive.
enum rests_on {
	ON_TRACE = 1 << 0, ///< all figures made from a trace, except those made from the
	                   ///< numbers in the markers of its steps (7 in "ProfilerStep#7")
	ON_STEP_NUMBERS = 1 << 1,
	ON_MEMORY = 1 << 2,
	ON_INPUT = 1 << 3,
	ON_GPU = 1 << 4, ///< figures of work on the GPU
	ON_STEPS = 1 << 5, ///< figures that are attributed to steps, and rates over steps
	ON_UTILIZATION = 1 << 6, ///< utilization: of the steps, or of the whole trace if it has
	                         ///< no steps
	ON_PEERS = 1 << 7, ///< figures per step, which are reduced over ranks that must have the same
	                   ///< steps
	ON_LAUNCHES = 1 << 8, ///< figures of work that is assigned to a step by its launch, and figures
	                      ///< of the calls that launch work or wait for it
	ON_DURATIONS = 1 << 9, ///< sums of durations of activities
	ON_MATCHES = 1 << 10, ///< figures of collectives that are matched across ranks
	ON_MEMORY_PEAK = 1 << 11, ///< highest levels of memory, which only a complete history
	                          ///< shows
	ON_MEMORY_CALLS = 1 << 12, ///< numbers and bytes of allocations and frees in the window
	ON_MEMORY_EVENTS = 1 << 13, ///< numbers of segment events and of out-of-memory errors
	ON_MEMORY_GROWTH = 1 << 14,
	ON_FLOPS = 1 << 15, ///< floating-point operations as counted in the trace
	ON_MFU = 1 << 16, ///< floating-point operations, as stated in the run context
	ON_CLOCKS = 1 << 17, ///< times and rates, which a throttled GPU makes worse
	ON_ENDS = 1 << 18, ///< figures computed from the starts and ends of activities: unions, spans,
	                   ///< wall times
	ON_WALL = 1 << 19, ///< figures that depend on when steps are over
	ON_OPERATORS = 1 << 20, ///< figures by operator
	ON_MODULES = 1 << 21, ///< figures by module or annotation
	ON_PLACES = 1 << 22, ///< figures by place in the code
	ON_RECORDING = 1 << 23, ///< sums over the whole recording, however many steps it holds
	ON_COPIES = 1 << 24, ///< numbers, bytes and times of copies
	ON_ALL = (1 << 25) - 1,
};

/// A metric. Metrics of metrics.def are static; metrics of figures in result files belong to the
/// view of a run, or to an arena (metric_named()).
struct metric {
	enum metric_id id;
	bool per_step; ///< true if the metric has a sample for each step: the step.* rows
	const char *name;
	const char *head; ///< heading of the metric's column in a table of several metrics: "longest"
	const char *title; ///< name in reports: "GPU idle"; NULL if they use `head` or `name` instead
	                   ///< (metric_label())
	enum unit unit;
	enum worse worse;
	enum reduce reduce;
	bool exact;
	enum label_kind label;
	enum need need;
	enum check_group group;
	bool adds; ///< true if the sum over several items is the figure for all of them
	enum parts_kind parts;
	unsigned rests_on; ///< aspects of a recording that the metric depends on, bits of enum rests_on
	const char *meaning;
	const char *mixed; ///< for a figure of files whose units measure different things: the units,
	                   ///< "ms and MiB"; else NULL
	const char *case_name; ///< for a figure of files: name of the case, "" if there is none. In
	                       ///< such a metric, `head` is the figure's name for people, without the
	                       ///< case. NULL for other metrics, and for those of metric_named().
	int64_t place; ///< for a figure of files: its order in reports, see input_place(); else 0
	int since; ///< minor version of the stored format that added the metric or its present meaning;
	           ///< older files lack it
	enum stake stake;
	unsigned sums; ///< what the metric is a sum of, bits of enum metric_sums; 0 if it is not a sum
	               ///< of any of these
	const char *cls; ///< class of the kernels that the metric sums, "compute" or "communication";
	                 ///< NULL: both
	enum family family; ///< family, or FAMILY_BY_NEED if it follows from the data that the metric
	                    ///< needs
};

/// All metrics, in the order of reports; static.
extern const struct metric metric_table[NR_METRICS];
extern const char *const metric_names[]; ///< names of the metrics, ended by NULL

/// The family of the metric `m`: FAMILY_EXACT if `m` is exact, else that of its row. If the row has
/// FAMILY_BY_NEED, the metric's `need` and labels imply the family.
enum family metric_family(const struct metric *m);

/// The stake of the metric `m`; if its row has STAKE_UNNAMED, the stake that its labels, need and
/// group imply.
enum stake metric_stake(const struct metric *m);

/// The metric with this name, or NULL.
const struct metric *metric_find(struct span name);

/// The name of the metric in sentences, such as "compute per step"; valid as long as `m`.
const char *metric_label(const struct metric *m);

/// Largest length in bytes of the name of a figure in a result file.
enum { INPUT_NAME_MAX = 250 };

/// True for a name that a figure of a result file may have, or with `glob` a pattern of such names.
/// Names consist of letters, digits, '_', '-', '.' and '/'; patterns may also have '*', '?' and the
/// characters of titles.
bool input_name_is_valid(struct span name, bool glob);

/// The metric of this name; NULL if there is none. For "input.NAME", a copy of the metric
/// "input.*", owned by `a`, that covers only the figure NAME. The copy has no labels unless NAME is
/// a pattern.
const struct metric *metric_named(struct span name, struct arena *a);

/// Like metric_named(), for the valid NAME of a figure, without "input."; owned by `a`.
const struct metric *metric_of_input(struct span name, struct arena *a);

/// True if `m`, whose id is METRIC_INPUT, covers the figure `name`.
bool metric_has_input(const struct metric *m, struct span name);

/// The name of the metric that is nearest to the misspelt `name`. If no name is near: `otherwise`
/// or, if that is NULL, the first name that contains all words of `name`; else NULL. Names are
/// static.
const char *metric_suggest(struct span name, const char *otherwise);

#endif
