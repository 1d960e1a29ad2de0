/// The noise sample: every run of the main branch, in a file of its own beside the baseline.
#ifndef GG_STORE_HISTORY_FILE_H
#define GG_STORE_HISTORY_FILE_H

#include "base/diag.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/history.h"

#define HISTORY_SCHEMA "gpugate-history-1"

/// Most runs that are written, the newest ones; and most lines that are read: files
/// of several branches may have been joined.
enum { HISTORY_MOST = 200, HISTORY_LINES = 10000 };

/// Path of the file beside the baseline at `path`: "x.json" has "x.history.jsonl". Owned by `a`.
const char *history_path(const char *path, struct arena *a);

/// Read the file at `path`, one run a line, oldest first; a missing file has no runs. A line that
/// is there twice counts once. What is wrong with it is ST_BASELINE with the line. Texts are owned
/// by `a`; caller ends with history_release() whatever the outcome.
GG_MUST_CHECK enum status history_read(const char *path, struct arena *a, struct history *out,
                                       struct diag_log *log);

/// The same of what `src` has.
GG_MUST_CHECK enum status history_parse(struct source *src, struct arena *a, struct history *out,
                                        struct diag_log *log);

/// Write `h`, the newest HISTORY_MOST of it, one run a line.
void history_print(const struct history *h, struct sink *out);

/// The same to the file at `path`. The same runs give the same lines, so
/// that files of two branches can be joined by lines.
GG_MUST_CHECK enum status history_write(const char *path, const struct history *h,
                                        struct diag_log *log);

/// Write the JSON Schema of a line (schemas/gpugate-history-1.json is this).
void history_schema_write(struct sink *out);

#endif
