/// Values that were taken, and the figures that they become.
#ifndef GG_RESULTS_READING_FIGURES_H
#define GG_RESULTS_READING_FIGURES_H

#include "results/readings.h"

/// A value of a figure.
struct reading {
	const char *name; ///< of the figure: "CASE/NAME"
	struct span case_text, text; ///< case and name as the file has them
	const struct result_take *row;
	bool is_samples;
	const char *unit, *better; ///< as in struct input_stat
	size_t record; ///< that it is of
	size_t order; ///< in which it was taken
	struct decimal value;
	double stdev; ///< of the values that it is a mean of, as a share of it; 0 not known
	int64_t count; ///< of those values
};

struct readings {
	VEC(struct reading) list;
	size_t nr_names; ///< changes of the name from one to the next
};

/// Add `r`; false beyond the limit of figures.
bool readings_add(struct readings *out, const struct reading *r);

/// Their figures into the inputs of `d`. ST_INPUT for a case or a name that is there twice.
GG_MUST_CHECK enum status readings_finish(struct readings *r, const struct reading_file *f,
                                          struct digest *d, struct diag_log *log);

#endif
