/// Digest and baseline as canonical JSON.
#ifndef GG_STORE_DIGEST_JSON_H
#define GG_STORE_DIGEST_JSON_H

#include "base/diag.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/digest.h"
#include "model/history.h"

#define DIGEST_SCHEMA "gpugate-digest-1"
#define BASELINE_SCHEMA "gpugate-baseline-1"

/// Write a digest: fixed key order and number form, one row per line, trailing
/// newline. Errors are the sink's.
void digest_write(const struct digest *d, struct sink *out);

/// Write the JSON Schema of a digest (schemas/gpugate-digest-1.json is this).
void digest_schema_write(struct sink *out);

/// Read and validate a digest. `fail` is the status of any error (ST_INPUT, or
/// ST_BASELINE where it is one).
GG_MUST_CHECK enum status digest_read(struct source *src, enum status fail, struct digest **out,
                                      struct diag_log *log);

/// The same for a digest given as an input: keeps its text, and only the members that
/// digest_forget() leaves.
GG_MUST_CHECK enum status digest_read_text(struct source *src, struct digest **out,
                                           struct diag_log *log);

/// A stored baseline: the approved run with what is known of it.
struct baseline {
	struct arena arena;
	const char *workload;
	struct provenance provenance;
	struct run pin; ///< as pin_make() leaves it
	struct history recent; ///< accepted runs that the file itself holds, oldest first: older ones
	struct history sample; ///< the history beside it: every run of the main branch
	struct history reference; ///< accepted runs after the pin, of both, oldest first; their values
	                          ///< are those of the other two
};

/// Write a baseline in canonical form.
void baseline_write(const struct baseline *b, struct sink *out);

/// Write the JSON Schema of a baseline (schemas/gpugate-baseline-1.json is this).
void baseline_schema_write(struct sink *out);

/// Leave out values, the smallest of the query with the most of them first, until the run
/// is written in BASELINE_RECENT_BYTES; counts them in `cut`.
void past_run_fit(struct past_run *run);

/// Read and validate a baseline; anything wrong with it is ST_BASELINE with
/// place and path. Caller releases with baseline_release() whatever the outcome.
GG_MUST_CHECK enum status baseline_parse(struct source *src, struct baseline *out,
                                         struct diag_log *log);

/// The same from a file.
GG_MUST_CHECK enum status baseline_read(const char *path, struct baseline *out,
                                        struct diag_log *log);

/// Give the memory back.
void baseline_release(struct baseline *b);

#endif
