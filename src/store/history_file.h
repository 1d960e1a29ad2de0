/// The history file: the newest runs of the main branch, beside the baseline or in the folder of
/// --history.
#ifndef GG_STORE_HISTORY_FILE_H
#define GG_STORE_HISTORY_FILE_H

#include "base/diag.h"
#include "io/sink.h"
#include "io/source.h"
#include "model/history.h"

#define HISTORY_SCHEMA "gpugate-history-1"

/// HISTORY_MOST is the number of newest runs that are written. HISTORY_LINES is the largest number
/// of lines that are read: more than are written, since a file may be a merge of several branches.
enum { HISTORY_MOST = 200, HISTORY_LINES = 10000 };

/// Path of the history of the baseline at `path`: "x.history.jsonl" for "x.json". Owned by `a`.
const char *history_path(const char *path, struct arena *a);

/// Path of the reference run that belongs to the history at `path`: "x.reference" for
/// "x.history.jsonl". Owned by `a`.
const char *history_reference_path(const char *path, struct arena *a);

/// Reads the history at `path`, one run per line, oldest first; a missing file has no runs. If
/// several lines have the same run and pin, only the first is used. Errors are ST_BASELINE, and the
/// message names the line. Texts are owned by `a`; caller ends with history_release() whatever the
/// outcome.
GG_MUST_CHECK enum status history_read(const char *path, struct arena *a, struct history *out,
                                       struct diag_log *log);

/// Like history_read(), from a source.
GG_MUST_CHECK enum status history_parse(struct source *src, struct arena *a, struct history *out,
                                        struct diag_log *log);

/// Writes the newest HISTORY_MOST runs of `h`, one per line.
void history_print(const struct history *h, struct sink *out);

/// Like history_print(), to the file at `path`. Equal runs give equal lines, so that the files of
/// two branches can be merged by lines.
GG_MUST_CHECK enum status history_write(const char *path, const struct history *h,
                                        struct diag_log *log);

#endif
