/// The renderers of documents, each of which writes into a buffer.
#ifndef GG_DOCUMENT_RENDER_H
#define GG_DOCUMENT_RENDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/strbuf.h"
#include "document/document.h"

/// How a document is shown in a terminal.
struct doc_text_options {
	size_t width; ///< width in characters; only words that people copy may be wider
	bool color; ///< true: use ANSI colors
	bool verbose; ///< true: also show collapsed sections, and all rows
};

/// Render for a terminal or the log of a CI system. No line begins with text from the input, and
/// none contains a command to a CI system.
void doc_text(const struct document *d, const struct doc_text_options *o, struct strbuf *out);

/// Render as a comment on GitHub of at most `max` bytes: sections are removed from the end, then
/// rows.
void doc_markdown(const struct document *d, size_t max, struct strbuf *out);

/// Functions by which the HTML page draws pictures, and bars in cells. Only doc_html() takes them.
struct doc_page_hooks {
	void *ctx;
	void (*picture)(void *ctx, struct picture which, struct strbuf *out);
	void (*bar)(int64_t part, int64_t whole, struct strbuf *out);
};

/// Render an HTML page in parts: the paragraphs before the first section, the rest of the document,
/// and the items of the table of contents. Returns the offset in `body` at which the table of
/// contents belongs: behind the nodes that were added before doc_answer_end() was called.
size_t doc_html(const struct document *d, const struct doc_page_hooks *hooks, struct strbuf *head,
                struct strbuf *body, struct strbuf *nav);

/// Append text escaped for HTML, with control and bidirectional characters as U+FFFD.
void doc_html_escape(struct strbuf *out, struct span text);

/// The row with the sums over the rows that are hidden when `shown` rows are shown; NULL if there
/// is none.
const struct doc_row *doc_rest_of(const struct doc_table *t, size_t shown);

/// The item with which the section begins if its lists have no other item, so that it can be
/// written on the line of the title; NULL if there is no such item.
const struct doc_line *doc_only_line(const struct doc_node *section);

/// True if the column has neither text nor bars in the first `rows` rows.
bool doc_column_is_empty(const struct doc_table *t, size_t column, size_t rows);

/// True if the node would show nothing.
bool doc_is_empty(const struct doc_node *node);

/// True if a line may begin with the text at `p`.
bool text_may_begin_line(const char *p);

/// True if a line may end before the blank at `blank`. False between a figure and its unit, and
/// within "rank 3".
bool text_may_break(const char *text, size_t blank);

/// Index in `s` of the end of a line that begins at `at` and has at most `width` characters if it
/// can be broken; `*next` becomes the beginning of the next line.
size_t text_piece_end(struct span s, size_t at, size_t width, size_t *next);

/// End of the line of a command that begins at `at`, of `width` characters if possible: the blank
/// before the next line, or `s.n`. Lines end outside of quotes, and not between an option and its
/// value.
size_t text_command_end(struct span s, size_t at, size_t width);

#endif
