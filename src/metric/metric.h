/// The metric table: every figure's name, unit, direction and reduction.
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

enum metric_id {
#define X(id, ...) METRIC_##id,
#include "metric/metrics.def"
#undef X
	NR_METRICS,
};

/// Number of metrics with a sample per step. Their ids are 0, 1, …: samples are found by them.
enum {
	NR_STEP_METRICS =
#define STEP(...) 1 +
#define X(...)
#include "metric/metrics.def"
#undef X
	    0
};

enum worse { WORSE_UP, WORSE_DOWN, WORSE_EITHER };

/// What is worse where "lower" or "higher" is better; WORSE_EITHER if `better` is NULL.
enum worse worse_of(const char *better);
enum label_kind {
	LABEL_NONE,
	LABEL_DEVICE,
	LABEL_KERNEL,
	LABEL_CATEGORY,
	LABEL_OP,
	LABEL_THREAD,
	LABEL_MEMORY,
	LABEL_DIRECTION,
	LABEL_COLLECTIVE,
	LABEL_FUNCTION,
	LABEL_INPUT,
	LABEL_COUNTER,
	LABEL_MODULE,
	LABEL_RANGE,
	LABEL_PLACE,
	LABEL_PAIR,
};
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
/// Groups that reports list checks in. GROUP_INPUTS has no metric: it is about the artifacts.
enum check_group { GROUP_STEP, GROUP_KERNELS, GROUP_MEMORY, GROUP_RANKS, GROUP_INPUTS, NR_GROUPS };

/// What becomes noisy together, and shares a budget of false alarms (gate/noise_model.h).
enum family {
	FAMILY_BY_NEED, ///< of a row that does not say: as metric_family() derives it
	FAMILY_EXACT, ///< counts and bytes
	FAMILY_MACHINE, ///< GPU time of whole steps: one variable under several names
	FAMILY_OPERATORS, ///< GPU time of one operator, category or kernel
	FAMILY_WALL, ///< what the host has a part in
	FAMILY_COMMUNICATION,
	NR_FAMILIES
};

/// What a change of a metric is broken down into.
enum parts_kind {
	PARTS_TERMS, ///< other figures that add up to it
	PARTS_CALLS, ///< how many there are of something, and how large one is
	PARTS_ACTIVITIES, ///< GPU activities by class, category and name
	PARTS_CODE, ///< modules, places, operators and kernels
	PARTS_LACKED_STEPS,
	PARTS_SEGMENTS,
	PARTS_SHARE, ///< a share: what it is a share of, and the rest
	PARTS_INDIVISIBLE, ///< ranks, if there are several
	PARTS_RATE, ///< nothing: rates and shares of ranks do not add up
};

/// What a metric is formed from, as far as trust findings distinguish it. A finding spoils the
/// metrics that share a bit with it.
enum spoiled_by {
	SPOILED_BY_TRACE = 1 << 0, ///< all of a trace but the numbers of its steps
	SPOILED_BY_STEP_NUMBERS = 1 << 1,
	SPOILED_BY_MEMORY = 1 << 2,
	SPOILED_BY_INPUT = 1 << 3,
	SPOILED_BY_GPU = 1 << 4, ///< what runs on the GPU, and who waits for it
	SPOILED_BY_STEPS = 1 << 5, ///< what is attributed to steps, and rates over them
	SPOILED_BY_UTILIZATION = 1 << 6, ///< without steps that of the whole trace
	SPOILED_BY_PEERS = 1 << 7, ///< what ranks can be compared in only over the same steps
	SPOILED_BY_LAUNCHES = 1 << 8, ///< what belongs to a step by its launch; calls that launch
	SPOILED_BY_OVERLAP = 1 << 9, ///< sums of durations: overlap on one stream counts twice
	SPOILED_BY_MATCHES = 1 << 10, ///< collectives matched across ranks
	SPOILED_BY_MEMORY_PEAK = 1 << 11, ///< highest levels, which only a history knows
	SPOILED_BY_MEMORY_CALLS = 1 << 12, ///< allocations and frees in the window
	SPOILED_BY_MEMORY_EVENTS = 1 << 13, ///< other entries of a history
	SPOILED_BY_MEMORY_GROWTH = 1 << 14,
	SPOILED_BY_FLOPS = 1 << 15, ///< floating-point operations as they were counted
	SPOILED_BY_MFU = 1 << 16, ///< those that the run context tells
	SPOILED_BY_CLOCKS = 1 << 17, ///< times and rates, which a throttled GPU makes worse
	SPOILED_BY_ALL = (1 << 18) - 1,
};

struct metric {
	enum metric_id id;
	bool per_step; ///< a sample per step: the step.* rows
	const char *name;
	const char *head; ///< heading of its column beside other figures of the same thing: "longest"
	const char *title; ///< what a summary of a run calls it: "GPU idle"; NULL: not in one
	enum unit unit;
	enum worse worse;
	enum reduce reduce;
	bool exact;
	enum label_kind label;
	enum need need;
	enum check_group group;
	bool adds; ///< the sum over several items is the figure of them together
	enum parts_kind parts;
	unsigned spoiled_by; ///< bits of enum spoiled_by
	const char *meaning;
	int since; ///< minor of stored files that brought it: in older ones it was not recorded
	enum family family; ///< where it does not follow from the rest
};

/// The whole table, in report order; static.
extern const struct metric metric_table[NR_METRICS];

/// The family of `m`: never FAMILY_BY_NEED.
enum family metric_family(const struct metric *m);

/// Row of `name`, or NULL.
const struct metric *metric_find(struct span name);

/// What people call it: "compute per step"; static.
const char *metric_label(const struct metric *m);

/// Bytes of the name of a figure in a metrics file at most.
enum { INPUT_NAME_MAX = 250 };

/// True for a name that a figure of a metrics file may have, or with `glob` a pattern
/// of such names: letters, digits, '_', '-', '.' and '/'; '*' and '?'.
bool input_name_is_valid(struct span name, bool glob);

/// Where `name` is "input.NAME", a metric of that figure by itself, owned by `a`: as the row
/// "input.*" in all else, without labels unless NAME is a pattern. Else the row of `name`, or NULL.
const struct metric *metric_named(struct span name, struct arena *a);

/// The same of NAME, which is valid; owned by `a`.
const struct metric *metric_of_input(struct span name, struct arena *a);

/// Whether `m`, METRIC_INPUT, is about the figure `name`.
bool metric_has_input(const struct metric *m, struct span name);

/// Nearest metric name to a misspelt one, or NULL where none is near; static.
const char *metric_suggest(struct span name);

/// Name of a group: "step", "kernels", "memory", "ranks", "inputs"; static.
const char *group_name(enum check_group group);

/// JSON key of a label kind: "device", "kernel", …; "" for none, inputs and pair.
const char *label_name(enum label_kind kind);

#endif
