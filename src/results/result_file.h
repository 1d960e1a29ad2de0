/// Files that benchmarks write, read as a table of formats says.
#ifndef GG_RESULTS_RESULT_FILE_H
#define GG_RESULTS_RESULT_FILE_H

#include "io/source.h"
#include "metric/result_format.h"
#include "model/digest.h"

/// Limits: figures of a file, and values that they are made from.
enum { RESULT_FIGURES_MAX = 10000 };

/// True if `first`, the first bytes of a file, may be those of a result file: text that is not a
/// trace. The rest of it decides.
bool result_recognise(struct span first);

/// The same of the whole of `src`, which is read as far as needed: false if it is a trace or a
/// snapshot by the keys of its outermost object, or those of the first element of a list.
bool result_sniff(struct source *src);

/// Tables of formats, in the order in which they are tried; ended by NULL.
struct result_reader {
	const struct result_formats *const *tables;
	const char *path; ///< of the file
	const char *file; ///< its name, without directories
};

/// Read all of `src` into the inputs and the source hash of `d`. `*found` if a format fits; else
/// nothing is said, and the file may be of another kind. ST_INPUT, with file and figure, if a
/// figure cannot be had or a condition is broken.
GG_MUST_CHECK enum status result_read(struct source *src, const struct result_reader *r,
                                      struct digest *d, bool *found, struct diag_log *log);

#endif
