/// The metric table: every figure's name, unit, direction and reduction.
#ifndef GG_MODEL_METRIC_H
#define GG_MODEL_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"
#include "model/statistic.h"
#include "model/unit.h"

enum metric_id {
#define X(id, ...) METRIC_##id,
#include "model/metrics.def"
#undef X
	NR_METRICS,
	NR_STEP_METRICS = METRIC_STEP_DATALOADER_TIME + 1, ///< the step.* rows come first
};

enum worse { WORSE_UP, WORSE_DOWN, WORSE_EITHER };
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
	NEED_INPUT
};
struct metric {
	enum metric_id id;
	const char *name;
	enum unit unit;
	enum worse worse;
	enum reduce reduce;
	bool exact;
	enum label_kind label;
	enum need need;
	const char *meaning;
	int since; ///< minor of stored files that brought it: in older ones it was not recorded
};

/// The whole table, in report order; static.
extern const struct metric metric_table[NR_METRICS];

/// Row of `name`, or NULL.
const struct metric *metric_find(struct span name);

/// Bytes of the name of a figure in a metrics file at most.
enum { INPUT_NAME_MAX = 100 };

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

/// True for the step.* rows, which hold a sample per step.
static inline bool metric_is_step(const struct metric *m)
{
	return (int)m->id < (int)NR_STEP_METRICS;
}

/// JSON key of a label kind: "device", "kernel", …; "" for none, inputs and pair.
const char *label_name(enum label_kind kind);

#endif
