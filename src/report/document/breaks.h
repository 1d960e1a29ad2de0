/// Where a line of text or a command may be broken.
#ifndef GG_DOCUMENT_BREAKS_H
#define GG_DOCUMENT_BREAKS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/// True if a line may begin with the text at `p`.
bool text_may_begin_line(const char *p);

/// True if a line may end before the blank at `blank`. False between a figure and its unit, and
/// within "rank 3".
bool text_may_break(const char *text, size_t blank);

/// Index in `s` of the end of a line that begins at `at` and has at most `width` characters;
/// `*next` becomes the beginning of the next line.
size_t text_piece_end(struct span s, size_t at, size_t width, size_t *next);

/// End of the line of a command that begins at `at`, of `width` characters if possible: the blank
/// before the next line, or `s.n`. Lines end outside of quotes, and not between an option and its
/// value.
size_t text_command_end(struct span s, size_t at, size_t width);

#endif
