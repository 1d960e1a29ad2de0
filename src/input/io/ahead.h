/// Reads ahead: a thread fills blocks while the caller uses earlier ones.
#ifndef GG_IO_AHEAD_H
#define GG_IO_AHEAD_H

#include <stddef.h>

#include "base/diag.h"

struct ahead;

/// A function like source_read(): writes up to `cap` bytes, 0 at the end; messages go to `log`.
typedef enum status ahead_fill(void *ctx, char *buf, size_t cap, size_t *nr, struct diag_log *log);

/// Begins to read with `fill` into four blocks of `block` bytes; from now on no other thread may
/// call `fill`. NULL if no thread can be started. Caller: ahead_end().
struct ahead *ahead_begin(ahead_fill *fill, void *ctx, size_t block);

/// Reads the bytes, messages and statuses that `fill` has returned, in the same order.
GG_MUST_CHECK enum status ahead_read(struct ahead *a, char *buf, size_t cap, size_t *nr,
                                     struct diag_log *log);

/// Stops the thread and releases everything; NULL is fine.
void ahead_end(struct ahead *a);

#endif
