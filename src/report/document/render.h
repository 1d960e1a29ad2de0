/// The renderers of documents: each writes a document into a buffer in one format.
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
	bool verbose; ///< true: also show collapsed sections, all rows, and below each table the
	              ///< columns that do not fit beside the others
};

/// Render for a terminal or the log of a CI system. No line contains a command to a CI system, even
/// if a text from the input looks like one.
void doc_text(const struct document *d, const struct doc_text_options *o, struct strbuf *out);

/// Render as a comment on GitHub of at most `max` bytes. If the comment would be longer, sections
/// are removed from the end, then rows.
void doc_markdown(const struct document *d, size_t max, struct strbuf *out);

/// Functions that doc_html() calls to draw pictures, and bars in cells. `ctx` is passed to
/// picture().
struct doc_page_hooks {
	void *ctx;
	void (*picture)(void *ctx, struct picture which, struct strbuf *out);
	void (*bar)(int64_t part, int64_t whole, struct strbuf *out);
};

/// Render an HTML page in pieces: `head` gets the paragraphs before the first section, `body` the
/// rest of the document, and `nav` the items of the table of contents. Returns the offset in `body`
/// at which the table of contents belongs: behind the nodes that were added before doc_answer_end()
/// was called.
size_t doc_html(const struct document *d, const struct doc_page_hooks *hooks, struct strbuf *head,
                struct strbuf *body, struct strbuf *nav);

/// Append text escaped for HTML, with control and bidirectional characters as U+FFFD.
void doc_html_escape(struct strbuf *out, struct span text);

/// The row with the sums over the rows that are left out if only the first `shown` rows are shown;
/// NULL if there is none.
const struct doc_row *doc_rest_of(const struct doc_table *t, size_t shown);

/// The item of a section that has a title, begins with a list, and has only one item in all its
/// lists: such an item can be written on the line of the title. NULL for any other section.
const struct doc_line *doc_only_line(const struct doc_node *section);

/// True if the column has neither text nor bars in the first `rows` rows.
bool doc_column_is_empty(const struct doc_table *t, size_t column, size_t rows);

/// True if the node would show nothing.
bool doc_is_empty(const struct doc_node *node);

/// True if a line may begin with the text at `p`.
bool text_may_begin_line(const char *p);

/// True if a line may end before the blank at the index `blank`. False between a figure and its
/// unit, between a word and a number (as in "rank 3"), and before a text that may not begin a line.
bool text_may_break(const char *text, size_t blank);

/// Index in `s` of the end of a line that begins at `at` and has at most `width` characters if it
/// can be broken; `*next` becomes the beginning of the next line.
size_t text_piece_end(struct span s, size_t at, size_t width, size_t *next);

/// End of one line of a command. The line begins at `at` and has at most `width` characters, if
/// possible. Returns the index of the blank after which the next line begins, or `s.n` for the last
/// line. Lines end outside of quotes, and not between an option and its value.
size_t text_command_end(struct span s, size_t at, size_t width);

#endif
