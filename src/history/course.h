/// The history of a baseline as time series of figures, with their change points.
#ifndef GG_HISTORY_COURSE_H
#define GG_HISTORY_COURSE_H

#include "io/sink.h"
#include "metric/metric.h"
#include "model/history.h"

#define TREND_SCHEMA "gpugate-trend-1"

/// One run of the main branch.
struct course_run {
	int64_t place; ///< index of the run, counted from 0 for the oldest
	const char *commit, *time, *who, *reason; ///< provenance of the run; "" if unknown
	const char *verdict; ///< verdict of the gate on the run; "" if unknown
	bool approved; ///< true if the run became the baseline
};

/// A figure in all runs that have it.
struct course_figure {
	int64_t place;
	const char *query, *metric; ///< text of the query (query_text()), and its metric
	struct span label; ///< label of an item such as a kernel; empty for the whole run
	int64_t rank; ///< rank; -1 if it is not a figure of one rank
	const char *unit_word; ///< name of the unit, from unit_name()
	int64_t digits; ///< number of decimals: values are in 10^-digits of the unit
	int64_t newest, level, spread; ///< newest value; median and scaled MAD since the last change
	enum unit unit;
	int worse; ///< direction in which the figure is worse, as enum worse
	VEC(int64_t) runs, values; ///< place of each run with the figure, and its value
};

/// A change point: the level of a figure changed between two runs.
struct course_point {
	int64_t figure; ///< index of the figure that changed
	int64_t last, first; ///< places of the last run before the change and of the first run after it
	int64_t before, after; ///< medians before and after the change
	int64_t change_pct; ///< change in 1e-6 percent; INT64_MIN if it cannot be formed
	int64_t p; ///< p value of the change in 1e-6
	bool is_worse, is_better, approved; ///< approved: a run of the new level became the baseline
};

/// An item that changed together with a change point.
struct course_part {
	int64_t figure, first; ///< figure and first run of the change point
	int64_t place; ///< index of the part, the largest change first
	const char *metric;
	struct span label;
	int64_t rank;
	int64_t before, after; ///< medians before and after the change
	enum unit unit;
};

struct course {
	struct arena arena;
	const char *workload;
	VEC(struct course_run) runs;
	VEC(struct course_figure) figures; ///< series of figures; those of the whole run come first
	VEC(struct course_point) points; ///< change points sorted by figure, then run
	VEC(struct course_part) parts; ///< parts of changes sorted by figure, run, place
	const char *headline;
};

struct course_options {
	int64_t p; ///< greatest p value of a change point, in 1e-6
	int64_t since; ///< only runs since this day (days since 1970-01-01) count; INT64_MIN: all runs
	const char *metric; ///< glob: figures and items of matching metrics; NULL: only whole runs
};

/// Fill `out` from `h`, from which it borrows. The caller releases with course_release().
void course_make(const struct history *h, const char *workload, const struct course_options *o,
                 struct course *out);

/// Release what belongs to the course.
void course_release(struct course *t);

/// The value of a figure as text; owned by `a`.
const char *course_text(struct arena *a, enum unit unit, int64_t value);

/// Write the course as JSON, and the JSON Schema of it (schemas/gpugate-trend-1.json is this
/// schema).
void course_write(const struct course *t, struct sink *out);
void course_schema_write(struct sink *out);

#endif
