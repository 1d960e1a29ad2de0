/// A byte source: plain or gzip (told by content), file, pipe or standard input.
#ifndef GG_IO_SOURCE_H
#define GG_IO_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"

struct source;

/// How far the reading of a file has come, for another thread to look at.
struct source_progress {
	atomic_uint_fast64_t bytes; ///< taken from the file since it was last opened
	atomic_bool done; ///< set by whoever has read it
};

struct source_options {
	uint64_t max_bytes; ///< cap on expanded bytes; 0: the default, 1 TiB
	size_t block; ///< bytes per read at most, for tests; 0: as many as fit
	bool zlib_only; ///< gzip never goes through ISA-L, for tests
	bool allow_truncated; ///< a gzip stream that is cut short ends there
	struct source_progress *progress; ///< kept up to date while reading; NULL: nobody looks
};

/// Open `path` ("-": standard input). Directories and missing files are ST_INPUT;
/// an empty file has no bytes. Caller releases with source_close().
GG_MUST_CHECK enum status source_open(const char *path, const struct source_options *options,
                                      struct source **out, struct diag_log *log);

/// A source over memory, borrowed until close; gzip is recognized here too.
struct source *source_memory(const char *name, const void *p, size_t n,
                             const struct source_options *options);

/// Up to `cap` > 0 expanded bytes into `buf`; `*nr` 0 at the end. Truncation,
/// wrong CRC or length and read errors are ST_INPUT with file and byte;
/// trailing garbage behind a gzip member is a warning.
GG_MUST_CHECK enum status source_read(struct source *s, char *buf, size_t cap, size_t *nr,
                                      struct diag_log *log);

/// The first expanded bytes, at most SOURCE_PEEK, without consuming them;
/// borrowed until the next call. To be asked before the first read.
#define SOURCE_PEEK ((size_t)4096)
GG_MUST_CHECK enum status source_peek(struct source *s, struct span *first, struct diag_log *log);

/// From here on gzip is inflated by a thread of its own, while what is read is used.
void source_ahead(struct source *s);

/// How a source came to its end: what source_read() answered and said then.
struct source_end {
	bool reached;
	enum status status;
	struct diag_log said;
};

/// What was read last and not used is read once more: `rest`, then the end where it was reached,
/// which is emptied.
void source_unread(struct source *s, struct span rest, struct source_end *end);

/// True where a gzip stream ended too early and that was allowed.
bool source_truncated(const struct source *s);

/// Name for messages: the path, or "standard input".
const char *source_name(const struct source *s);

/// Close and release; NULL is fine.
void source_close(struct source *s);

#endif
