/// A byte sink with a sticky error: a file written atomically, or standard output.
#ifndef GG_IO_SINK_H
#define GG_IO_SINK_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/span.h"

struct sink;

/// Open `path` for writing ("-": standard output). A file is written beside its
/// place under a temporary name (O_EXCL, O_NOFOLLOW) and appears whole when
/// sink_commit() succeeds. `gzip` compresses. A file that this process has read is refused.
/// Caller ends with commit or abort.
GG_MUST_CHECK enum status sink_open(const char *path, bool gzip, struct sink **out,
                                    struct diag_log *log);

/// The same for a file that was read in order to be changed.
GG_MUST_CHECK enum status sink_open_again(const char *path, struct sink **out,
                                          struct diag_log *log);

/// Make the folders above `path`, as `mkdir -p` does.
GG_MUST_CHECK enum status sink_make_folders(const char *path, struct diag_log *log);

/// A sink into memory; read it with sink_memory().
struct sink *sink_open_memory(void);

/// What a memory sink holds; borrowed until it ends.
struct span sink_memory(const struct sink *s);

/// Append bytes; after an error nothing happens any more.
void sink_write(struct sink *s, struct span bytes);

/// Append a string.
void sink_puts(struct sink *s, const char *text);

/// Append printf output.
void sink_printf(struct sink *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Flush, fsync, rename, fsync the directory, release. ST_OUTPUT with the path
/// and the reason if anything failed since the opening; then nothing is left behind.
GG_MUST_CHECK enum status sink_commit(struct sink *s, struct diag_log *log);

/// Drop what was written and release; NULL is fine.
void sink_abort(struct sink *s);

#endif
