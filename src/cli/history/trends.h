/// The trends of a baseline: its figures over the runs of main, with their change points.
#ifndef GG_HISTORY_TRENDS_H
#define GG_HISTORY_TRENDS_H

#include "base/diag.h"
#include "io/sink.h"
#include "metric/metric.h"
#include "store/digest_json.h"

#define TREND_SCHEMA "gpugate-trend-1"

/// One run of the main branch.
struct trend_run {
	int64_t place; ///< index of the run in `runs`, from 0 for the oldest
	const char *commit, *time, *who, *reason; ///< commit of the run, its time, who approved it, and
	                                          ///< why; "" if unknown
	const char *verdict; ///< verdict of the gate on the run; "" if unknown
	bool approved; ///< true if the run was approved as the baseline; false if it is only a run of
	               ///< the main branch
};

/// One figure, in all runs that recorded it.
struct trend_figure {
	int64_t place; ///< position among all figures, including those that are not shown
	/// text of the query that gives the figure (query_text()), and name of its metric
	const char *query, *metric;
	const struct metric *of; ///< the metric; each figure of a result file has a metric of its own
	struct span label; ///< label of an item such as a kernel; empty for the whole run
	int64_t rank; ///< rank of a figure of one rank; -1 for a figure over all ranks
	const char *unit_word; ///< name of the unit, from unit_name()
	int64_t digits; ///< number of decimals: values are in 10^-digits of the unit
	int64_t newest, level, spread; ///< newest value; then median and number_spread() of the values
	                               ///< since the last change point
	enum unit unit;
	enum worse worse; ///< direction in which the figure is worse
	VEC(int64_t) runs, values; ///< indexes of the runs with the figure, and its value in each
};

/// A change point: a place in the series where the level of a figure changes.
struct trend_change {
	int64_t figure; ///< `place` of the figure that changed

	/// indexes of the last run before the change and of the first run after it
	int64_t last, first;
	int64_t before, middle, after; ///< median values before and after the change, and the value in
	                               ///< the middle between them
	int64_t change_pct; ///< change in 1e-6 percent; INT64_MIN if `before` is not above 0
	int64_t p; ///< p value of the change in millionths

	/// is_worse: the figure became worse; is_better: it became better; stands: it became worse, and
	/// its newest level is still beyond `middle`; approved: a run after the change became the
	/// baseline
	bool is_worse, is_better, stands, approved;
};

/// An item (such as a kernel) that changed at a change point, by a notable part of the change of
/// the point's figure.
struct trend_part {
	int64_t figure, first; ///< the change point: `place` of its figure, and index of the first run
	                       ///< after it
	int64_t place; ///< position of the item in its list, which begins with the largest change
	const char *metric;
	struct span label;
	int64_t rank;
	int64_t before, after; ///< median values before and after the change
	enum unit unit;
};

/// The figures of a baseline's runs, and where they changed; trends_release() releases it.
struct trends {
	struct arena arena;
	const char *workload;
	VEC(struct trend_run) runs;
	VEC(struct trend_figure) figures; ///< series of figures; those of the whole run come first
	VEC(struct trend_change) points; ///< change points sorted by figure, then run
	VEC(struct trend_part)
	parts; ///< items that changed at a change point, sorted by figure, run, then position
	const char *headline;
	const struct provenance *approval; ///< provenance of the approved run; NULL if not known
	size_t accepted; ///< number of runs since the approved run with whose median checks compare
	const char *bisect; ///< command that prints a script to find the commit; NULL if not known
};

/// Which runs and figures the trends have, and what counts as a change.
struct trend_options {
	int64_t p; ///< greatest p value of a change point, in millionths

	/// first day of the runs that count (days since 1970-01-01); INT64_MIN: all runs count
	int64_t since;
	const char *metric; ///< glob of the metrics that are shown, with their items; NULL: all figures
	                    ///< of whole runs are shown, including those of result files
};

/// Fill `out` from the history of `b`, from which it borrows. `rules` may say in which direction a
/// figure gets worse. The caller ends with trends_release().
void trends_make(const struct baseline *b, const char *workload, const struct trend_options *o,
                 const struct rules *rules, struct trends *out);

/// The figure with this `place`, or NULL if it is not shown.
const struct trend_figure *trend_figure_of(const struct trends *t, int64_t place);

/// True for a figure of an item or of one rank, false for one of whole runs.
bool trend_is_item(const struct trend_figure *f);

/// The history of a baseline. If it is empty, the list of runs that an earlier gpugate version
/// stored in the baseline file itself.
const struct history *trends_history(const struct baseline *b);

/// Release the memory of the trends.
void trends_release(struct trends *t);

/// Writes the trends as JSON.
void trends_write(const struct trends *t, struct sink *out);

/// The members of trends in JSON (schemas/gpugate-trend-1.json).
extern const struct schema trends_schema;

/// Write a script that finds the commit of the newest change for the worse that still stands
/// (trend_change.stands), in a figure of whole runs. For the script, a run is bad if its figure is
/// beyond the middle between the levels before and after the change. Fails with ST_INPUT if there
/// is no such change, if the runs next to it have no commits, if no rule can select the figure, or
/// if the middle is below 0.
GG_MUST_CHECK enum status bisect_write(struct trends *t, struct sink *out, struct diag_log *log);

/// The commit of a run as git accepts it, at most 40 digits; NULL if it is unknown, shorter than 4
/// digits or not hexadecimal. Owned by `a`.
const char *bisect_commit(struct arena *a, const struct trend_run *r);

#endif
