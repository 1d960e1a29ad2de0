/// Figures of files that others wrote (`input.NAME`), and the metrics that they are of.
#ifndef GG_METRIC_FILE_FIGURE_H
#define GG_METRIC_FILE_FIGURE_H

#include "base/decimal.h"
#include "metric/metric.h"

/// A figure of a file (`input.NAME`): `value` · 10^-`digits`, a canonical struct decimal.
struct input_stat {
	const char *name;
	int64_t value, digits;
	const char *unit; ///< of figure_units; NULL: a bare number
	const char *better; ///< "lower" or "higher"; NULL: not known
	int64_t samples; ///< that it was made from; 0: the file has the figure itself
	int64_t spread; ///< scaled MAD of the samples, · 10^-`digits`, rounded; -1 not known
	int64_t micro; ///< of files of earlier versions, in place of the value; 1e-6; else INPUT_EXACT
};

/// Value of `micro` where `value` and `digits` hold the figure.
#define INPUT_EXACT INT64_MIN

/// Bring figures of files of earlier versions into the form of all others.
void input_settle(struct input_stat *v, size_t nr);

/// `h` and the value of the figure: a hash that was the same in earlier versions, where these could
/// hold the value.
uint64_t input_hash(uint64_t h, const struct input_stat *s);

/// One metric for each name among the `nr` figures, which are sorted, into `out` (room for
/// `nr`): its unit has as many decimal places as all values of the name allow; that of a name whose
/// figures differ in their units is bare. Returns how many; owned by `a`.
size_t input_metrics(const struct input_stat **v, size_t nr, struct arena *a,
                     const struct metric **out);

#endif
