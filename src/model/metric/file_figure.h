/// Figures of result files (`input.NAME`), and the metrics that belong to them.
#ifndef GG_METRIC_FILE_FIGURE_H
#define GG_METRIC_FILE_FIGURE_H

#include "base/decimal.h"
#include "metric/metric.h"

/// A figure of a result file (`input.NAME`): `value` · 10^-`digits`, a canonical struct decimal.
struct input_stat {
	const char *name;
	const char *title; ///< name of the figure for people, without the case; NULL if an earlier
	                   ///< version stored the figure
	int64_t place; ///< order in reports (input_place()); 0 if an earlier version stored the figure
	int64_t value, digits;
	const char *unit; ///< name of a unit in figure_units; UNIT_BARE if the figure is a bare number;
	                  ///< NULL if an earlier version, which knew fewer units, stored the figure
	const char *better; ///< better direction, "lower" or "higher"; NULL if unknown
	int64_t samples; ///< number of samples that the figure summarizes; 0 if the file holds the
	                 ///< figure itself
	int64_t spread_share; ///< scaled MAD of the samples as a share of the value, in 1e-9; -1 if
	                      ///< unknown
	int64_t spread; ///< scaled MAD in units of 10^-`digits`, rounded, as earlier versions stored
	                ///< it; -1 if `spread_share` holds it
	const char *work; ///< the work that was measured, in lines; NULL if unknown. "KEY=VALUE" is a
	                  ///< setting, "KEY~VALUE" a count of what was done, "KEY+VALUE" the number of
	                  ///< things over which the figure is a sum
	int64_t micro; ///< value in millionths, as files of earlier versions hold it; INPUT_EXACT if
	               ///< `value` and `digits` hold the figure
};

/// Value of the member `micro` if `value` and `digits` hold the figure instead.
#define INPUT_EXACT INT64_MIN

/// Unit of a figure that is a bare number.
#define UNIT_BARE "1"

/// The name of the benchmark case that the name of a figure begins with; "" if it has no case.
struct span input_case(const struct input_stat *s);

/// Order of the figures of a file: the figure with the lowest place heads a report in which nothing
/// is wrong. Figures that the format marks as `headline` come first, then rates, then others; each
/// group is in the order of the file. `order` is the figure's index in the file.
int64_t input_place(bool headline, const char *unit, size_t order);

/// True if the metric `m`, whose id is METRIC_INPUT, covers the figure: by its name or, as reports
/// call it, by "CASE/TITLE".
bool input_is_of(const struct metric *m, const struct input_stat *s);

/// A share, such as 0.05, in the form of `spread_share` (in 1e-9); -1 if `share` is below 0, too
/// large, or not a number.
int64_t input_spread(double share);

/// The value of a figure, converted to the unit with index `unit` in figure_units. It is unchanged
/// if the figure's own unit is of another dimension, or unknown.
struct decimal input_in(const struct input_stat *s, int unit);

/// The name of a figure with its case in the present spelling, owned by `a`; `name` itself if that
/// is its spelling.
const char *input_name_settle(const char *name, struct arena *a);

/// Converts figures that were read from files of earlier versions into the present form. The
/// figures must be sorted by name, and stay so; new names are owned by `a`. Earlier versions stored
/// names of cases with absolute paths, and plain numbers without unit and direction.
void input_settle(struct input_stat *v, size_t nr, struct arena *a);

/// Adds the value of the figure to the hash `h`. Values that earlier versions could hold give the
/// same hash as in those versions.
uint64_t input_hash(uint64_t h, const struct input_stat *s);

/// Makes one metric for each name among the `nr` figures, in `out`, which has room for `nr`. Sorts
/// `v` by name. The unit of a metric is the first known unit of its figures, with as many decimal
/// places as all values need. If figures of one name measure different things, the metric is
/// `mixed`. Returns the number of metrics, which are owned by `a`.
size_t input_metrics(const struct input_stat **v, size_t nr, struct arena *a,
                     const struct metric **out);

/// A copy of a metric of input_metrics() and of its texts, owned by `a`. Only the copy has the
/// right value of `exact`.
struct metric *input_metric_copy(const struct metric *own, struct arena *a);

#endif
