/// The metric table: every figure's name, unit, direction and reduction.
#ifndef GG_MODEL_METRIC_H
#define GG_MODEL_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/number.h"
#include "base/span.h"
#include "base/strbuf.h"

enum metric_id {
#define X(id, ...) METRIC_##id,
#include "model/metrics.def"
#undef X
	NR_METRICS,
	NR_STEP_METRICS = METRIC_STEP_DATALOADER_TIME + 1, ///< the step.* rows come first
};

enum unit {
	UNIT_NS,
	UNIT_BYTES,
	UNIT_COUNT,
	UNIT_PCT, ///< values are 1e-6 percent
	UNIT_PER_S, ///< values are 1e-6 per second
	UNIT_BYTES_PER_S,
	UNIT_NS_PER_STEP,
	UNIT_COUNT_PER_STEP, ///< values are 1e-6 per step
	UNIT_BYTES_PER_STEP,
	UNIT_FLOPS,
	UNIT_FLOPS_PER_S,
	UNIT_NUMBER, ///< a number of its own meaning; values are 1e-6
};

enum worse { WORSE_UP, WORSE_DOWN, WORSE_EITHER };
enum reduce { REDUCE_MAX, REDUCE_MIN, REDUCE_MEDIAN, REDUCE_MEAN, REDUCE_EACH };
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
enum statistic {
	STAT_MEDIAN,
	STAT_MEAN,
	STAT_MIN,
	STAT_MAX,
	STAT_P90,
	STAT_P95,
	STAT_P99,
	STAT_TOTAL
};
enum { NR_STATISTICS = STAT_TOTAL + 1 };

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

/// Decimal places that an integer value of `unit` carries: 6 for percent,
/// rates, counts per step and plain numbers, else 0.
int unit_digits(enum unit unit);

/// Name of a unit in JSON: "ns", "B", "1", "%", "1/s", "B/s", "ns/step", …
const char *unit_name(enum unit unit);

/// JSON key of a label kind: "device", "kernel", …; "" for none, inputs and pair.
const char *label_name(enum label_kind kind);

/// Name of a statistic as the rules file writes it.
const char *stat_name(enum statistic stat);

/// Name of a reduction as the rules file writes it.
const char *reduce_name(enum reduce reduce);

/// Statistic over `nr` > 0 samples; `samples` is left as it is.
int64_t stat_of(enum statistic stat, const int64_t *samples, size_t nr);

/// Reduce `nr` > 0 values (not EACH); `values` may be reordered.
int64_t reduce_of(enum reduce reduce, int64_t *values, size_t nr);

/// A value for people: "151.0 ms", "4.23 GiB", "12.3 %", "1,219". Four
/// significant digits or more, never in exponent form. `sign` writes a '+' too.
void unit_format(struct strbuf *out, enum unit unit, int64_t value, bool sign);

/// Levenshtein distance with transpositions, for "did you mean"; at most `limit` + 1.
size_t edit_distance(struct span a, struct span b, size_t limit);

#endif
