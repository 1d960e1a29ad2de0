/// A suite as JSON, which `gpugate suite --json` writes and `--merge` reads.
#ifndef GG_SUITE_SUITE_ROWS_H
#define GG_SUITE_SUITE_ROWS_H

#include "base/diag.h"
#include "io/sink.h"
#include "suite/suite.h"

/// Write the suite, with the verdict if suite_conclude() was called, and with a newline at the
/// end.
void suite_write(const struct suite *s, struct sink *out);

/// Read a file that suite_write() wrote, except members that suite_conclude() derives. Errors are
/// ST_INPUT with their position and reason. `out` is always initialized; the caller ends with
/// suite_release() in any case.
GG_MUST_CHECK enum status suite_read(const char *path, struct suite *out, struct diag_log *log);

/// Like suite_read(), but reads a text in memory, which messages call `name`.
GG_MUST_CHECK enum status suite_parse(const char *name, struct span text, struct suite *out,
                                      struct diag_log *log);

/// Write the JSON Schema of suites (schemas/gpugate-suite-1.json is this schema).
void suite_schema_write(struct sink *out);

#endif
