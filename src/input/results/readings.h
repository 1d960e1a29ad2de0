/// Turns the records of a result file into figures.
#ifndef GG_RESULTS_READINGS_H
#define GG_RESULTS_READINGS_H

#include "metric/result_format.h"
#include "model/digest.h"
#include "results/value.h"

/// A result file that is being read.
struct reading_file {
	const struct result_format *format;
	const char *name; ///< name of the file, for messages
	const char *file; ///< name of the file without directories, for names of figures
};

/// Takes all figures of the `nr` records into the inputs of the digest `d`, sorted, and sets its
/// source hash. ST_INPUT, with file and figure, if a figure cannot be read or occurs twice, or if a
/// condition of the format is not met.
GG_MUST_CHECK enum status readings_take(const struct reading_file *f, struct value *const *records,
                                        size_t nr, struct digest *d, struct diag_log *log);

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

/// A figure of a case, or of none, for messages; owned by `a`.
const char *reading_text(struct span figure, struct span of, struct arena *a);

/// Number of figures that messages name of those that were not measured.
enum { READING_NAMED = 3 };

/// Says that figures were not measured: those that `text` names, and `more` values. ST_INPUT if the
/// digest `d` has no others.
GG_MUST_CHECK enum status reading_say_unmeasured(const char *file, const char *text, size_t more,
                                                 const struct digest *d, struct diag_log *log);

/// Returns why a limit of `share_below` is invalid, or NULL; static.
const char *reading_share_fault(const char *limit);

/// Adds the figures made from all values to the inputs of the digest `d`; a warning names those
/// that were not measured. ST_INPUT if a case or a name occurs twice, or if nothing was measured.
GG_MUST_CHECK enum status readings_finish(struct readings *r, const struct reading_file *f,
                                          struct digest *d, struct diag_log *log);

/// Reads a value as a number; `*unit` is the text after it, or "". The number and a unit are the
/// whole text: DECIMAL_NO_NUMBER if anything is left over, and for null. By its name, the time that
/// a run took may be a text such as "0:01:30".
enum decimal_fault reading_number(const struct value *v, struct decimal *out, struct span *unit);

/// Like reading_number(); commas may be known to separate `thousands`.
enum decimal_fault reading_number_as(const struct value *v, bool thousands, struct decimal *out,
                                     struct span *unit);

/// True if a text looks like a number that something follows, or with a comma: "12.4 (failed)",
/// "2.5k tok/s". A date or a version does not.
bool reading_begins_as_number(struct span s);

/// True if a text may be a number in a form that is not read: "81k", "2m 30s".
bool reading_is_shortened(struct span s);

/// True for a member by which a record says itself that its run failed, such as "passed": false or
/// "status": "failed: CUDA out of memory".
bool reading_is_failure(const struct value *v);

/// The first such member of an object, or of objects in it, `depth` deep; NULL if there is none.
const struct value *reading_failure_in(const struct value *of, int depth);

/// What such a member says, and what to do; owned by `a`.
const char *reading_failure_text(const struct value *v, struct arena *a);

/// True if the word is one of `words`, between which blanks stand; in capital or small letters.
bool reading_is_word(struct span word, const char *words);

/// True if the member of this name is a fraction in one of the first records, from that of `v` on:
/// it is not a setting, whatever it is called.
bool reading_is_fraction(const struct value *v);

/// True if a value says that the figure was not measured: null, NaN, "N/A", "failed".
bool reading_is_unmeasured(const struct value *v);

/// True for a number that no measurement gives: beyond all sizes, such as 1e308, or, unless it may
/// be `negative`, a time, a size, a rate or a count below 0. `unit` as in figure_is_amount().
bool reading_is_impossible(struct decimal d, struct span name, const char *unit, bool negative);

/// True if the name of a folder says what a sweep varies, as "concurrency_16" does.
bool reading_is_of_sweep(struct span folder);

/// Returns a sentence on the condition of the format that `record` does not meet, owned by the log,
/// or NULL; a warning `say`s which one it meets only as `within` allows.
const char *reading_fault(const struct reading_file *f, struct value *record, struct diag_log *log);

/// Warns of figures that contradict one another, such as a p99 below the median of the same thing.
void reading_say_contradictions(const char *file, const struct digest *d, struct diag_log *log);

#endif
