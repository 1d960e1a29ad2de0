/// Formats of result files as data: where a file has its cases and figures.
#ifndef GG_METRIC_RESULT_FORMAT_H
#define GG_METRIC_RESULT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

/// How the bytes of a file become records.
enum result_read {
	READ_JSON, ///< the file holds one JSON value, or several in sequence
	READ_CSV, ///< each line is a record, whose members the header names
	READ_LINES ///< each line that holds `prefix` has JSON after it; other lines are skipped
};

/// How several values of one figure of one case are combined.
enum result_repeats {
	REPEATS_ERROR,
	REPEATS_SAMPLES, ///< several values are measurements of one figure: their median counts
	REPEATS_LAST
};

/// A member of a record, and the text that it is compared with.
struct result_pair {
	const char *at, *text;
};

/// A condition that a record must meet for its figures to count.
struct result_valid {
	const char *at; ///< path of values, all of which must meet the condition
	/// Expected value: "text" in quotes, a number, true, false or the path of a member.
	const char *equals;
	const char *min, *max; ///< limits of a number
	bool optional; ///< the condition is also met if there is no value at the path
	const char *say; ///< template of the message; NULL: the condition itself is the message
};

/// Where in a record a figure, or several, are found.
struct result_take {
	const char *at; ///< path of the figure
	const char *minus; ///< path of the value that is subtracted; NULL if none is
	const char *as; ///< template of the figure's name; NULL: the last name of the path
	const char *scale; ///< factor of the value; NULL means 1
	const char *unit; ///< unit in figure_units; NULL: the unit that the name or the value tells
	const char *unit_at; ///< path of the text that is the unit; "^name": a member beside the value
	unsigned better; ///< enum result_better; 0: as the unit and the name tell
	bool optional; ///< a missing value, or text that is not a number, is skipped
	int64_t drop; ///< number of samples at the beginning that are left out
	const char *stdev; ///< template of the path of the standard deviation of the values whose mean
	                   ///< the figure is, unscaled; NULL if not given
	const char *stdev_share; ///< like `stdev`, but as a share of the figure
	const char *count; ///< template of the path of the number of values in the mean
};
enum result_better { RESULT_BY_NAME, RESULT_LOWER, RESULT_HIGHER, RESULT_NEITHER };

/// A format of result files.
struct result_format {
	const char *name; ///< name of the format, for messages
	const char *match; ///< glob that the name of the file matches; NULL: only the content decides
	VEC(struct span) has; ///< paths, at each of which the first value must have something
	unsigned read; ///< enum result_read
	const char *prefix; ///< text before the JSON, only with READ_LINES
	const char *records; ///< path of the records; NULL: the value, or the elements of a list
	VEC(struct result_pair) skip, only;
	VEC(struct span) ignore; ///< members that a '*' in a path does not match
	const char *case_name; ///< template of the case's name; NULL if figures have no case
	unsigned repeats; ///< enum result_repeats
	bool series; ///< records are the steps of one case
	VEC(struct result_valid) valid;
	VEC(struct result_take) take, samples;
};

/// Formats of result files, in the order in which they are tried.
struct result_formats {
	struct arena arena;
	VEC(struct result_format) list;
};

/// Releases all memory that it holds.
void result_formats_release(struct result_formats *f);

#endif
