/// Turns the records of a result file into figures.
#ifndef GG_RESULTS_READINGS_H
#define GG_RESULTS_READINGS_H

#include "metric/result_format.h"
#include "model/digest.h"
#include "results/value.h"

/// A result file that is being read.
struct reading_file {
	const struct result_format *format;
	const char *name; ///< path of the file as source_name() returns it, for messages and for the
	                  ///< folders that name a case
	const char *file; ///< name of the file without directories, for names of figures
};

/// Adds all figures of the `nr` records to d->inputs, sorted by name, and sets d->source_hash.
/// ST_INPUT, with a message that names file and figure, if a figure cannot be read, or occurs twice
/// although the format does not allow it, if a condition of the format is not met, or if there is
/// no figure.
GG_MUST_CHECK enum status readings_take(const struct reading_file *f, struct value *const *records,
                                        size_t nr, struct digest *d, struct diag_log *log);

/// One value of a figure.
struct reading {
	const char *name; ///< name of the figure: "CASE/NAME"
	const char *title; ///< name for people, without the case
	struct span case_text, text; ///< names of case and figure, as the file spells them
	const struct result_take *row; ///< entry of the format that took the value
	const char *work; ///< settings and counts of work of the run, as lines (struct input_stat)
	bool is_samples; ///< true if the entry says that values are samples
	bool is_other; ///< true for a text or null that is not a figure by itself; a figure whose
	               ///< values are all of this kind is left out without a message
	const char *unit, *better; ///< unit; "lower" or "higher", whichever is better, or NULL
	size_t record; ///< index of the record that has the value
	size_t order; ///< position of the value in the order in which values were taken
	const struct value *unmeasured; ///< the value, if it counts as not measured: null, a text
	                                ///< without a number, a number that no measurement gives; else
	                                ///< NULL
	struct decimal value;
	double stdev; ///< standard deviation of the values whose mean this value is, divided by the
	              ///< mean; 0 if unknown
	int64_t count; ///< number of the values whose mean this value is; 0 if unknown; 2 if the file
	               ///< gives the standard error of the mean, and `stdev` is √2 times that
};

/// The values that were taken from a file.
struct readings {
	VEC(struct reading) list;
	size_t nr_names; ///< number of elements of `list` whose name differs from the one before: an
	                 ///< upper limit for the number of names
	VEC(struct reading) unmeasured; ///< values that say that a figure was not measured
};

/// The figure `figure` of the case `of`, which may be empty, as text for messages; owned by `a`.
const char *reading_text(struct span figure, struct span of, struct arena *a);

/// Largest number of unmeasured figures that a message names.
enum { READING_NAMED = 3 };

/// Warns that figures were not measured: those that `text` names, and `more` further values. If the
/// digest `d` has no other figure, this is an error instead: ST_INPUT.
GG_MUST_CHECK enum status reading_say_unmeasured(const char *file, const char *text, size_t more,
                                                 const struct digest *d, struct diag_log *log);

/// Returns why `limit` is invalid as `share_below` of a format, as a static text, or NULL.
const char *reading_share_fault(const char *limit);

/// Makes figures from all values and adds them to d->inputs; a warning names those that were not
/// measured. ST_INPUT if a case or a name occurs twice although the format does not allow it, if
/// the values of a figure cannot be combined, or if nothing was measured.
GG_MUST_CHECK enum status readings_finish(struct readings *r, const struct reading_file *f,
                                          struct digest *d, struct diag_log *log);

/// Reads a value as a number; `*unit` is the word that follows it in a text and may be a unit,
/// known or not, or ""; `unit` may be NULL. DECIMAL_NO_NUMBER for a value that is neither a number
/// nor a text, such as null, and for a text that is not a number with or without a unit. A text
/// such as "1m30s" is read as seconds; one such as "0:01:30", too, if the value's name is that of a
/// duration of a whole run.
enum decimal_fault reading_number(const struct value *v, struct decimal *out, struct span *unit);

/// Like reading_number(). If `thousands` is set, a comma separates thousands: "1,900" is 1900.
enum decimal_fault reading_number_as(const struct value *v, bool thousands, struct decimal *out,
                                     struct span *unit);

/// Number of bytes of a time in several units or parts, such as "1h 2m 3.5s" or "0:01:30", at the
/// front of a text, 0 if there is none. `*is_clock` tells whether colons separate the parts; `out`
/// becomes the time in seconds.
size_t reading_time(struct span s, bool *is_clock, struct decimal *out);

/// True if a text is a number, perhaps with commas, or begins with a number and a blank: "12.4
/// (failed)", "2.5k tok/s". False for a date or a version.
bool reading_begins_as_number(struct span s);

/// True if a text begins with a digit, after "P" or "PT", and has only characters of numbers in
/// short forms, such as "81k" or "PT1M30S". Also true for numbers that are read, such as
/// "81".
bool reading_is_shortened(struct span s);

/// True for a member by which a record says itself that its run failed, such as "passed": false or
/// "status": "failed: CUDA out of memory".
bool reading_is_failure(const struct value *v);

/// The first member of an object, or of objects in it up to `depth` deep, for which
/// reading_is_failure() is true; NULL if there is none.
const struct value *reading_failure_in(const struct value *of, int depth);

/// A sentence that quotes the member `v`, by which a record says that its run failed, and says what
/// to do; owned by `a`.
const char *reading_failure_text(const struct value *v, struct arena *a);

/// True for the name of a text that differs between runs of one case, such as a date, a host or a
/// commit, or that is the unit of a figure.
bool reading_is_of_run(struct span name);

/// True if the member called v->key has decimal places in at least one of 100 records, counted from
/// the record of `v` on. Such a member is not a setting, whatever its name is.
bool reading_is_fraction(const struct value *v);

/// True if a value says that the figure was not measured: null, NaN, "N/A", "failed".
bool reading_is_unmeasured(const struct value *v);

/// True for a number that no measurement gives: a far too large one, such as 1e308, or a time, a
/// size, a rate or a count below 0, unless `negative` is set. `unit` is NULL if unknown.
bool reading_is_impossible(struct decimal d, struct span name, const char *unit, bool negative);

/// True if the name of a folder has a setting that sweeps vary, as "concurrency_16" does.
bool reading_is_of_sweep(struct span folder);

/// The name of the folder that the file `path` is in, if the name has such a setting; else "".
struct span reading_sweep_of(const char *path);

/// Returns a sentence on the first condition of the format (`valid`) that `record` does not meet,
/// owned by the log, or NULL. Warns of conditions that are met only within a tolerance (`within`)
/// and have a message (`say`).
const char *reading_fault(const struct reading_file *f, struct value *record, struct diag_log *log);

/// Warns of the first two figures that contradict one another, such as a p99 below the median of
/// the same thing. Only figures of which less is better are compared.
void reading_say_contradictions(const char *file, const struct digest *d, struct diag_log *log);

#endif
