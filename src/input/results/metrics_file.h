/// Reads metrics files: one flat JSON object of numbers, written by a benchmark job.
#ifndef GG_RESULTS_METRICS_FILE_H
#define GG_RESULTS_METRICS_FILE_H

#include "io/source.h"
#include "model/digest.h"

/// Largest number of keys in a metrics file.
enum { INPUTS_MAX = 1000 };

/// True if `first`, the first bytes of an input, begins like a metrics file: an object that has
/// only numbers so far or, if it is complete, at least one number.
bool metrics_recognize(struct span first);

/// Reads all of `src` into the inputs and the source hash of `d`. ST_INPUT, with byte and key, if a
/// value is not a number that is exact with six decimals, or if a key is invalid or occurs twice.
/// `*other` is set if a value is of another type, since the file may then be of another kind.
GG_MUST_CHECK enum status inputs_read(struct source *src, struct digest *d, bool *other,
                                      struct diag_log *log);

#endif
