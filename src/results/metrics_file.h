/// A metrics file: one flat JSON object of numbers that a benchmark job wrote.
#ifndef GG_RESULTS_METRICS_FILE_H
#define GG_RESULTS_METRICS_FILE_H

#include "io/source.h"
#include "model/digest.h"

/// Keys of a metrics file at most.
enum { INPUTS_MAX = 1000 };

/// True if `first`, the first bytes of an input, begins as such an object: with numbers only or,
/// if it is whole, with at least one.
bool metrics_recognise(struct span first);

/// Read all of `src` into the inputs and the source hash of `d`. ST_INPUT, with byte and key,
/// where a value is not a number that can be held exactly to six decimals, a key is unfit or
/// there twice. `*other` where a value is of another type: then the file may be of another kind.
GG_MUST_CHECK enum status inputs_read(struct source *src, struct digest *d, bool *other,
                                      struct diag_log *log);

#endif
