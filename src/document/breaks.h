/// Where a line of a terminal may be broken.
#ifndef GG_DOCUMENT_BREAKS_H
#define GG_DOCUMENT_BREAKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/// True if a line may begin with what stands at `p`.
bool text_may_begin_line(const char *p);

/// True if a line may end before the blank at `blank`: not between a figure and its unit, nor
/// within "rank 3".
bool text_may_break(const char *text, size_t blank);

/// End of the piece from `at` on that fits in `width` characters; `*next` is where to go on.
size_t text_piece_end(struct span s, size_t at, size_t width, size_t *next);

#endif
