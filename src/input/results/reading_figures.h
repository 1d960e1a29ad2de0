/// Turns the values that were taken from a file into figures.
#ifndef GG_RESULTS_READING_FIGURES_H
#define GG_RESULTS_READING_FIGURES_H

#include "results/readings.h"

/// One value of a figure.
struct reading {
	const char *name; ///< name of the figure: "CASE/NAME"
	const char *title; ///< what people read as its name, without the case
	struct span case_text, text; ///< names of case and figure, as the file spells them
	const struct result_take *row;
	const char *work; ///< work that the figure is of, as in struct input_stat
	bool is_samples;
	bool is_other; ///< true for a text that is perhaps no figure: unless other values are numbers
	const char *unit, *better; ///< unit and better direction, as in struct input_stat
	size_t record; ///< index of the record that has the value
	size_t order; ///< position of the value in the order in which values were taken
	const struct value *unmeasured; ///< the value, if it says that the figure was not measured;
	                                ///< else NULL
	struct decimal value;
	double stdev; ///< standard deviation of the values whose mean this value is, as a share of the
	              ///< mean; 0 if unknown
	int64_t count; ///< number of the values whose mean this value is; 0 if unknown
};

/// The values that were taken from a file.
struct readings {
	VEC(struct reading) list;
	size_t nr_names; ///< number of elements of `list` with another name than the element before:
	                 ///< at least the number of different names, which is limited
	VEC(struct reading) unmeasured; ///< values that count for nothing, of all figures
};

/// Returns why a limit of `share_below` is invalid, or NULL; static.
const char *reading_share_fault(const char *limit);

/// Adds the value `r`; false if there are too many figures.
bool readings_add(struct readings *out, const struct reading *r);

/// Adds the figures made from all values to the inputs of the digest `d`; a warning names those
/// that were not measured. ST_INPUT if a case or a name occurs twice, or if nothing was measured.
GG_MUST_CHECK enum status readings_finish(struct readings *r, const struct reading_file *f,
                                          struct digest *d, struct diag_log *log);

/// The part of `key`, which the first '*' of the path `at` matched, from the first to the last
/// '*' of its step: "ttft" if `at` is "mean_*_ms" and `key` mean_ttft_ms.
struct span reading_key_part(const char *at, struct span key);

/// Fills `stdev` and `count` of `r`, which is the figure `v` of `record`, as the row of the format
/// says; `key` is the member that the first '*' of the row's path matched. Absent values leave them
/// 0.
void reading_spread(struct reading *r, struct value *record, struct value *v, struct span key);

#endif
