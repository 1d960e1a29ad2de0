/// The history of a baseline as series of figures, with what changed in them.
#ifndef GG_HISTORY_COURSE_H
#define GG_HISTORY_COURSE_H

#include "io/sink.h"
#include "metric/metric.h"
#include "model/history.h"

#define TREND_SCHEMA "gpugate-trend-1"

/// A run of the main branch.
struct course_run {
	int64_t place; ///< from 0, oldest first
	const char *commit, *time, *who, *reason; ///< "" unknown
	const char *verdict; ///< what the gate said of it; "" unknown
	bool approved; ///< it became the baseline
};

/// A figure over the runs that have it.
struct course_figure {
	int64_t place;
	const char *query, *metric; ///< query_text(), its metric
	struct span label; ///< of an item; empty for the whole run
	int64_t rank; ///< -1: not of one rank
	const char *unit_word; ///< unit_name()
	int64_t digits; ///< values are 10^-digits of the unit
	int64_t newest, level, spread; ///< newest value; median and scaled MAD since the last change
	enum unit unit;
	int worse; ///< enum worse
	VEC(int64_t) runs, values; ///< as many of both: place of the run, value
};

/// The level of a figure changed between two runs.
struct course_point {
	int64_t figure; ///< by its place
	int64_t last, first; ///< place of the last run before it, and of the first after it
	int64_t before, after; ///< medians of both levels
	int64_t change_pct; ///< 1e-6 percent; INT64_MIN where there is none
	int64_t p; ///< 1e-6
	bool is_worse, is_better, approved; ///< a run of the new level became the baseline
};

/// An item that changed with a point.
struct course_part {
	int64_t figure, first; ///< of the point
	int64_t place; ///< by size
	const char *metric;
	struct span label;
	int64_t rank;
	int64_t before, after; ///< medians of both levels
	enum unit unit;
};

struct course {
	struct arena arena;
	const char *workload;
	VEC(struct course_run) runs;
	VEC(struct course_figure) figures; ///< those of the whole run first
	VEC(struct course_point) points; ///< by figure, then run
	VEC(struct course_part) parts; ///< by figure, run, place
	const char *headline;
};

struct course_options {
	int64_t p; ///< of change points, 1e-6
	int64_t since; ///< day since 1970-01-01 from which runs count; INT64_MIN all
	const char *metric; ///< glob: figures of these metrics, items too; NULL: figures of whole runs
};

/// Fill `out` from `h`, which it borrows from. Caller releases with course_release().
void course_make(const struct history *h, const char *workload, const struct course_options *o,
                 struct course *out);

/// Give the memory back.
void course_release(struct course *t);

/// A value of a figure for people; owned by `a`.
const char *course_text(struct arena *a, enum unit unit, int64_t value);

/// Write it as JSON, and the JSON Schema of that (schemas/gpugate-trend-1.json is this).
void course_write(const struct course *t, struct sink *out);
void course_schema_write(struct sink *out);

#endif
