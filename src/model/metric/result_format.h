/// Formats of result files as data: where a file has its cases and figures.
#ifndef GG_METRIC_RESULT_FORMAT_H
#define GG_METRIC_RESULT_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

/// The ways in which the bytes of a file become records.
enum result_read {
	READ_JSON, ///< the file holds one JSON value, or several in sequence
	READ_CSV, ///< each line is a record, whose members the header names
	READ_LINES, ///< each line that holds `prefix` has a JSON record after the prefix; other lines
	            ///< are skipped
	READ_TEXT ///< each line in which `pattern` is found is a record; the named groups of the
	          ///< pattern are its members
};

/// How several values that one case has for the same figure are combined.
enum result_repeats {
	REPEATS_ERROR,
	REPEATS_SAMPLES, ///< several values are measurements of one figure: their median counts
	REPEATS_LAST
};

/// A condition on a record: the path of a member, and a glob that its text must match.
struct result_pair {
	const char *at, *text;
};

/// A condition that a record must meet for its figures to count.
struct result_valid {
	const char *at; ///< path of one or more values, all of which must meet the condition

	/// Expected value: "text" in quotes, a number, true, false, or the path of a member.
	const char *equals;
	const char *min, *max; ///< least and largest number that meets the condition
	int64_t within; ///< how far a number may be from `equals`, in 1e-6 percent of `equals`
	bool optional; ///< true if the condition is also met when there is no value at the path, or
	               ///< null
	const char *say; ///< template of the message for a record that fails; NULL if the message is
	                 ///< the condition itself
};

/// One kind of figure in a record: where its value, name and unit are found.
struct result_take {
	const char *at; ///< path of the figure
	const char *minus; ///< path of a value that is subtracted from the figure; NULL if there is
	                   ///< none
	const char *as; ///< template of the figure's name; NULL: the last name of the path `at`
	const char *title; ///< template of the name that reports show, in which '_' is a blank; NULL:
	                   ///< the name itself
	const char *scale; ///< factor of the value; NULL means 1
	const char *unit; ///< unit, one of figure_units; NULL if it follows from the name or the value
	const char *unit_at; ///< path of the text that holds the unit; "^name" is a member beside the
	                     ///< value
	unsigned better; ///< better direction, enum result_better
	bool optional; ///< true if a missing value, or a text that is not a number, is skipped
	bool headline; ///< true if the figure heads a report in which nothing is wrong
	bool thousands; ///< true if commas in the value separate thousands
	bool negative; ///< true if a time, a size, a rate or a count below 0 is a measurement, too, and
	               ///< not left out
	int64_t drop; ///< number of samples at the beginning that are left out
	const char *stdev; ///< if the figure is a mean: template of the path of the standard deviation,
	                   ///< which is not multiplied by `scale`; NULL if not given
	const char *stdev_share; ///< like `stdev`, but the standard deviation is a share of the figure
	const char *error; ///< if the figure is a mean: template of the path of its standard error;
	                   ///< NULL if not given
	const char *margin; ///< like `error`, but half of the 99.9 % confidence interval of the figure
	const char *upper; ///< like `error`, but the upper bound of the 99 % confidence interval
	const char *share_below; ///< for samples: limit as a number with a unit; the share of the
	                         ///< samples below it is a figure, too; NULL if there is none
	const char *count; ///< if the figure is a mean: template of the path at which the file has the
	                   ///< number of values; NULL if not given
	const char *sum_of; ///< if the figure is a sum over a number of things: path of this number, in
	                    ///< the form of the paths in `work`; else NULL
};

/// The better direction of a figure; RESULT_BY_NAME, which is 0: the direction follows from the
/// figure's name or unit.
enum result_better { RESULT_BY_NAME, RESULT_LOWER, RESULT_HIGHER, RESULT_NEITHER };

/// A format of result files.
struct result_format {
	const char *name; ///< name of the format, for messages
	const char *match; ///< glob that the name of the file, its path, or the end of its path after a
	                   ///< '/' must match; NULL if only the content decides
	VEC(struct span) has; ///< paths that must all exist in the first value of the file
	unsigned read; ///< how the file becomes records, enum result_read
	const char *prefix; ///< text before the JSON, only with READ_LINES
	const char *pattern; ///< pattern of the lines, only with READ_TEXT
	const char *records; ///< path of the records; NULL if the whole value is the record, or a list
	                     ///< of records
	VEC(struct result_pair) skip, only;
	VEC(struct span)
	work, work_done; ///< paths of settings that say which work was asked for, and of
	                 ///< counts of the work that was done
	VEC(struct span) ignore; ///< names of members that a '*' in a path does not match
	const char *case_name; ///< template of the case's name; NULL if figures have no case
	unsigned repeats; ///< how repeated values are combined, enum result_repeats
	bool series; ///< true if the records are the steps of one case
	bool whole; ///< true if `take` must take all numbers: a file with another number is not of the
	            ///< format
	bool rest; ///< true if a file that fits another format is read in this format as well, for
	           ///< figures that the other format does not find
	VEC(struct result_valid) valid;
	VEC(struct result_take) take, samples;
};

/// Formats of result files, in the order in which they are tried.
struct result_formats {
	struct arena arena;
	VEC(struct result_format) list;
};

/// Releases the list and all texts of the formats.
void result_formats_release(struct result_formats *f);

#endif
