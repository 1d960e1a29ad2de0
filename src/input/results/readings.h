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

/// Reads a value as a number; `*unit` is the text after it, or "". The number and a unit are the
/// whole text: DECIMAL_NO_NUMBER if anything is left over, and for null.
enum decimal_fault reading_number(const struct value *v, struct decimal *out, struct span *unit);

/// True if a text looks like a number that something follows, or with a comma: "12.4 (failed)",
/// "2.5k tok/s". A date or a version does not.
bool reading_begins_as_number(struct span s);

/// True for a member by which a record says itself that its run failed, such as "passed": false or
/// "status": "failed: CUDA out of memory".
bool reading_is_failure(const struct value *v);

/// The first such member of an object, or of objects in it, `depth` deep; NULL if there is none.
const struct value *reading_failure_in(const struct value *of, int depth);

/// What such a member says, and what to do; owned by `a`.
const char *reading_failure_text(const struct value *v, struct arena *a);

/// True if the word is one of a list, which NULL ends; in capital or small letters.
bool reading_is_word(struct span word, const char *const *words);

/// True if a value says that the figure was not measured: null, NaN, "N/A", "failed".
bool reading_is_unmeasured(const struct value *v);

/// True for a number that no measurement gives: beyond all sizes, such as 1e308, or, unless it may
/// be `negative`, a time, a size, a rate or a count below 0. `unit` as in figure_is_amount().
bool reading_is_impossible(struct decimal d, struct span name, const char *unit, bool negative);

/// True if the name of a folder says what a sweep varies, as "concurrency_16" does.
bool reading_is_of_sweep(struct span folder);

/// Returns a sentence on the condition of the format that `record` does not meet, owned by `a`, or
/// NULL.
const char *reading_fault(const struct reading_file *f, struct value *record, struct arena *a);

#endif
