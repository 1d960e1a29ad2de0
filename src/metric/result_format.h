/// Formats of result files, as data: where in a file its cases and figures are.
#ifndef GG_METRIC_RESULT_FORMAT_H
#define GG_METRIC_RESULT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

/// How the bytes of a file become records.
enum result_read {
	READ_JSON, ///< one value or several behind one another
	READ_CSV, ///< a record for each line, its members named by the header
	READ_LINES ///< JSON behind `prefix`, wherever in a line that stands; other lines are passed
	           ///< over
};

/// What several values of one figure of one case are.
enum result_repeats {
	REPEATS_ERROR,
	REPEATS_SAMPLES, ///< measurements of one figure: their median counts
	REPEATS_LAST
};

/// A member and the text that it is compared with.
struct result_pair {
	const char *at, *text;
};

/// A condition without which the figures of a record mean nothing.
struct result_valid {
	const char *at; ///< path; each value there must fit
	const char *equals; ///< "text" in quotes; else a number, true, false or the path of a member
	const char *min, *max; ///< numbers
	bool optional; ///< fits also if nothing is there
	const char *say; ///< template of what is wrong; NULL: the condition
};

/// Where figures are.
struct result_take {
	const char *at; ///< path
	const char *minus; ///< path of what is subtracted; NULL nothing
	const char *as; ///< template of the name; NULL: the last name of the path
	const char *scale; ///< number; NULL 1
	const char *unit; ///< of figure_units; NULL: what the name or the value says
	const char *unit_at; ///< path of the text that is the unit; "^name": beside the value
	unsigned better; ///< 0 as unit and name say, else enum result_better
	bool optional; ///< nothing there, or text that is not a number, is passed over
	int64_t drop; ///< first values that are left out, of samples
	const char *stdev; ///< template of the path of the standard deviation of what the figure is a
	                   ///< mean of, unscaled; NULL: not said
	const char *stdev_share; ///< the same, as a share of the figure
	const char *count; ///< template of the path of how many values it is a mean of
};
enum result_better { RESULT_BY_NAME, RESULT_LOWER, RESULT_HIGHER, RESULT_NEITHER };

/// A format.
struct result_format {
	const char *name; ///< for messages
	const char *match; ///< glob over the name of the file; NULL: by its content only
	VEC(struct span) has; ///< paths: something must be there in the first value
	unsigned read; ///< enum result_read
	const char *prefix; ///< of READ_LINES
	const char *records; ///< path; NULL: the value, or the elements of a list
	VEC(struct result_pair) skip, only;
	VEC(struct span) ignore; ///< members that no '*' takes
	const char *case_name; ///< template; NULL: figures have no case
	unsigned repeats; ///< enum result_repeats
	bool series; ///< records are steps of one case
	VEC(struct result_valid) valid;
	VEC(struct result_take) take, samples;
};

/// Formats in the order in which they are tried.
struct result_formats {
	struct arena arena;
	VEC(struct result_format) list;
};

/// Give the memory back.
void result_formats_release(struct result_formats *f);

#endif
