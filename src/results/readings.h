/// Records of a result file become figures.
#ifndef GG_RESULTS_READINGS_H
#define GG_RESULTS_READINGS_H

#include "metric/result_format.h"
#include "model/digest.h"
#include "results/value.h"

/// A file that is read.
struct reading_file {
	const struct result_format *format;
	const char *name; ///< for messages
	const char *file; ///< for names: without its directories
};

/// Take all figures of the `nr` records into the inputs of `d`, sorted, and set its source hash.
/// ST_INPUT, with file and figure, where one cannot be had, is there twice or a condition of the
/// format is broken.
GG_MUST_CHECK enum status readings_take(const struct reading_file *f, struct value *const *records,
                                        size_t nr, struct digest *d, struct diag_log *log);

/// Read a value as a number: `*unit` is the text behind it, or "". DECIMAL_NO_NUMBER also of null.
enum decimal_fault reading_number(const struct value *v, struct decimal *out, struct span *unit);

/// What is wrong with the conditions of the format in `record`, owned by `a`, or NULL.
const char *reading_fault(const struct reading_file *f, struct value *record, struct arena *a);

#endif
