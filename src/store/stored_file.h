/// Saving of stored documents: a file appears only if it can be read back.
#ifndef GG_STORE_STORED_FILE_H
#define GG_STORE_STORED_FILE_H

#include "model/digest.h"
#include "store/digest_json.h"

/// Writes `run` (run_write()) to `path`, compressed if the name ends in ".gz", and may release it.
/// If the result could not be read again, because it exceeds store_limits, nothing is written and
/// the status is ST_OUTPUT, with the path and the reader's message.
GG_MUST_CHECK enum status stored_run_save(struct run *run, const char *path, struct diag_log *log);

/// Like stored_run_save(), for a baseline (baseline_write()), which is never compressed. `again` is
/// true if the baseline was read from `path` and changed.
GG_MUST_CHECK enum status stored_baseline_save(const struct baseline *b, const char *path,
                                               bool again, struct diag_log *log);

#endif
