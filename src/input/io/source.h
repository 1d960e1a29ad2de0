/// A byte source: plain or gzip (recognized by content), from a file, pipe or standard input.
#ifndef GG_IO_SOURCE_H
#define GG_IO_SOURCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"
#include "base/strbuf.h"

struct source;

/// Progress of reading a file, which another thread may look at.
struct source_progress {
	atomic_uint_fast64_t bytes; ///< bytes taken from the file since it was last opened
	atomic_bool done; ///< true once the file has been read; the caller sets it
};

/// Options of an input; a zeroed struct has the defaults.
struct source_options {
	uint64_t max_bytes; ///< limit of decompressed bytes; 0 means 1 TiB
	size_t block; ///< largest number of bytes per read, set by tests; 0 means as many as fit
	size_t window; ///< size in bytes of the window of a JSON scanner, which grows for longer
	               ///< strings; 0 means 256 KiB
	bool zlib_only; ///< true to decode gzip without ISA-L, set by tests
	bool allow_truncated; ///< true to treat the end of a gzip stream that is cut short as a normal
	                      ///< end
	struct source_progress *progress; ///< progress that is updated while reading, or NULL
};

/// Opens `path` ("-": standard input). Directories and missing files are ST_INPUT; an empty file is
/// opened without an error. Caller releases with source_close().
GG_MUST_CHECK enum status source_open(const char *path, const struct source_options *options,
                                      struct source **out, struct diag_log *log);

/// A source over bytes in memory, which are borrowed until the source is closed; gzip is recognized
/// here, too.
struct source *source_memory(const char *name, const void *p, size_t n,
                             const struct source_options *options);

/// Reads up to `cap` > 0 decompressed bytes into `buf`; `*nr` is 0 at the end. Truncated gzip data
/// (unless the options allow it), wrong CRC or length, more than `max_bytes` and read errors are
/// ST_INPUT with file and byte; garbage after a gzip member is a warning. A byte order mark at the
/// beginning is left out if the first call has room for it.
GG_MUST_CHECK enum status source_read(struct source *s, char *buf, size_t cap, size_t *nr,
                                      struct diag_log *log);

/// Appends all bytes to `out`, as source_read() returns them; stops early, with ST_OK, once `out`
/// has more than `most`.
GG_MUST_CHECK enum status source_read_all(struct source *s, size_t most, struct strbuf *out,
                                          struct diag_log *log);

/// Returns the first decompressed bytes, at most SOURCE_PEEK, without consuming them; borrowed
/// until the next call. Call it before the first read.
#define SOURCE_PEEK ((size_t)4096)
GG_MUST_CHECK enum status source_peek(struct source *s, struct span *first, struct diag_log *log);

/// From the next read on, a thread decompresses gzip data ahead, while the caller works on the
/// bytes read so far. Has no effect on data that is not compressed.
void source_ahead(struct source *s);

/// True if a gzip stream ended too early, which the options allowed.
bool source_truncated(const struct source *s);

/// To be called after a reader has refused what it read: if the file is gzip data that is damaged
/// or, unless the options allow it, cut short, replaces all of `log` by that error, because the
/// damage explains what the reader found wrong. Decodes the file again to its end, so that nothing
/// can be read afterwards. A pipe, which cannot be read again, is left as it is.
void source_blame_damage(struct source *s, struct diag_log *log);

/// The option `window`: size in bytes of the window of a JSON scanner.
size_t source_window(const struct source *s);

/// Name for messages: the path, "standard input", or for bytes in memory the name that
/// source_memory() got.
const char *source_name(const struct source *s);

/// Closes and releases the source; NULL is fine.
void source_close(struct source *s);

#endif
