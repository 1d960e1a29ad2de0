/// Reading ahead: a thread fills blocks while the caller uses those before them.
#ifndef GG_IO_AHEAD_H
#define GG_IO_AHEAD_H

#include <stddef.h>

#include "base/diag.h"

struct ahead;

/// As source_read(): up to `cap` bytes, 0 at the end; messages go to `log`.
typedef enum status ahead_fill(void *ctx, char *buf, size_t cap, size_t *nr, struct diag_log *log);

/// Begin to read with `fill`, which no other thread may call from here on, into four blocks of
/// `block` bytes. NULL where there can be no thread. Caller: ahead_end().
struct ahead *ahead_begin(ahead_fill *fill, void *ctx, size_t block);

/// The same bytes, messages and status as `fill` would have given, in order.
GG_MUST_CHECK enum status ahead_read(struct ahead *a, char *buf, size_t cap, size_t *nr,
                                     struct diag_log *log);

/// Stop and release; NULL is fine.
void ahead_end(struct ahead *a);

#endif
