/// A run of several ranks as one file: its digests in canonical JSON. Also saves runs and baselines
/// to files, which are written only if they can be read back.
#ifndef GG_STORE_RUN_JSON_H
#define GG_STORE_RUN_JSON_H

#include "base/diag.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/digest.h"
#include "store/digest_json.h"

#define RUN_SCHEMA "gpugate-run-1"

/// Writes the digests of `run`, which must be sorted by run_digest_cmp(). If a digest keeps its
/// JSON text, that text is copied. A single digest is written as a plain digest. Equal digests give
/// equal bytes. The sink keeps errors until sink_commit().
void run_write(const struct run *run, struct sink *out);

/// Reads and validates a stored run of any number of digests; errors are ST_INPUT. If `keeps_text`,
/// the lists of the digests are not decoded, to save memory: each digest of `out` has its JSON text
/// from the file, and members such as the rank (see digest_forget()). The label is borrowed from
/// `src`. Caller releases with run_release() whatever the outcome.
GG_MUST_CHECK enum status run_read(struct source *src, bool keeps_text, struct run *out,
                                   struct diag_log *log);

/// True if run_write() only copies texts of digests, which were validated when they were read, and
/// if these digests are in order and not too many. Its output can then certainly be read again.
/// False for a run with a folded digest.
bool run_is_text(const struct run *run);

/// Writes `run` to `path` with run_write(), compressed if the name ends in ".gz". The function may
/// release `run`, to save memory. If the result could not be read again, because it exceeds
/// store_limits, nothing is written, and the status is ST_OUTPUT with the path and the reader's
/// message.
GG_MUST_CHECK enum status stored_run_save(struct run *run, const char *path, struct diag_log *log);

/// Like stored_run_save(), for a baseline (baseline_write()), which is never compressed. `again` is
/// true if this process has read the file at `path`, and may therefore overwrite it only on purpose
/// (sink_open_again()).
GG_MUST_CHECK enum status stored_baseline_save(const struct baseline *b, const char *path,
                                               bool again, struct diag_log *log);

#endif
