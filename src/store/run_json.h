/// A run of several ranks as one file: its digests in canonical JSON.
#ifndef GG_STORE_RUN_JSON_H
#define GG_STORE_RUN_JSON_H

#include "base/diag.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/digest.h"

#define RUN_SCHEMA "gpugate-run-1"

/// Write the digests of `run`, which are in order (run_digest_cmp()), by their text where it is
/// kept; a single one as the plain digest that it is. The same digests give the same bytes. Errors
/// are the sink's.
void run_write(const struct run *run, struct sink *out);

/// Write the JSON Schema of a run of several ranks (schemas/gpugate-run-1.json is this); it
/// refers to that of a digest.
void run_schema_write(struct sink *out);

/// Read and validate a stored run of any number of digests; what is wrong with it is
/// ST_INPUT. Caller releases with run_release() whatever the outcome.
GG_MUST_CHECK enum status run_read(struct source *src, struct run *out, struct diag_log *log);

/// The same, keeping of each digest its text and the members that digest_forget() leaves.
GG_MUST_CHECK enum status run_read_text(struct source *src, struct run *out, struct diag_log *log);

/// True where run_write() copies what has been read and validated: it could be read again.
bool run_is_text(const struct run *run);

#endif
