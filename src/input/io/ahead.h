/// Reads ahead: a thread fills blocks of bytes while the caller uses earlier blocks.
#ifndef GG_IO_AHEAD_H
#define GG_IO_AHEAD_H

#include <stddef.h>

#include "base/diag.h"

struct ahead;

/// A function like source_read(): writes up to `cap` bytes to `buf` and their number to `*nr`,
/// which is 0 at the end of the input. Messages go to `log`.
typedef enum status ahead_fill(void *ctx, char *buf, size_t cap, size_t *nr, struct diag_log *log);

/// Starts a thread that calls `fill` with `ctx`, up to four blocks of `block` bytes ahead of the
/// caller; until ahead_end() no other thread may call `fill`. NULL if no thread can be started.
/// Caller releases with ahead_end().
struct ahead *ahead_begin(ahead_fill *fill, void *ctx, size_t block);

/// Returns what the thread has read ahead, in the same order: bytes, as ahead_fill does, and
/// messages and status of `fill`. Waits if nothing has been read yet.
GG_MUST_CHECK enum status ahead_read(struct ahead *a, char *buf, size_t cap, size_t *nr,
                                     struct diag_log *log);

/// Stops the thread and releases everything; NULL is fine.
void ahead_end(struct ahead *a);

#endif
