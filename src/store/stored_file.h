/// Saving a stored document, which appears only once it could be read back.
#ifndef GG_STORE_STORED_FILE_H
#define GG_STORE_STORED_FILE_H

#include "model/digest.h"
#include "store/digest_json.h"

/// Write `run` (run_write()) to `path`, compressed where the name ends in ".gz". ST_OUTPUT, with
/// the path and what the reader says, where the result would be refused on reading: it is beyond
/// store_limits; then nothing is written.
GG_MUST_CHECK enum status stored_run_save(const struct run *run, const char *path,
                                          struct diag_log *log);

/// The same for a baseline (baseline_write()), which is never compressed; `again`: the file was
/// read in order to be changed.
GG_MUST_CHECK enum status stored_baseline_save(const struct baseline *b, const char *path,
                                               bool again, struct diag_log *log);

#endif
