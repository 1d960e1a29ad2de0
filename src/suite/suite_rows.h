/// A suite as JSON: what `gpugate suite --json` writes, and `--merge` reads.
#ifndef GG_SUITE_SUITE_ROWS_H
#define GG_SUITE_SUITE_ROWS_H

#include "base/diag.h"
#include "io/sink.h"
#include "suite/suite.h"

/// Write it, with its verdict where it has been concluded; a trailing newline.
void suite_write(const struct suite *s, struct sink *out);

/// Read what suite_write() wrote, without what follows from the cases. ST_INPUT with the place of
/// what is wrong. `out` is initialized; caller ends with suite_release() whatever the outcome.
GG_MUST_CHECK enum status suite_read(const char *path, struct suite *out, struct diag_log *log);

/// The same of a text in memory.
GG_MUST_CHECK enum status suite_parse(const char *name, struct span text, struct suite *out,
                                      struct diag_log *log);

/// Write the JSON Schema of it (schemas/gpugate-suite-1.json is this).
void suite_schema_write(struct sink *out);

#endif
