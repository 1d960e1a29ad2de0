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

/// Passes on what the thread got from `fill`, in the same order: up to `cap` bytes in `buf`, their
/// number in `*nr` (0 at the end), messages in `log`, and the status. Waits if the thread has not
/// read anything new yet.
GG_MUST_CHECK enum status ahead_read(struct ahead *a, char *buf, size_t cap, size_t *nr,
                                     struct diag_log *log);

/// Stops the thread and releases everything; NULL is fine.
void ahead_end(struct ahead *a);

#endif
