/// The renderers of a document, each into a buffer.
#ifndef GG_DOCUMENT_RENDER_H
#define GG_DOCUMENT_RENDER_H

#include "base/strbuf.h"
#include "document/document.h"

struct doc_text_options {
	size_t width; ///< columns; no line is longer, except for a word to be copied
	bool color; ///< ANSI colors
	bool verbose; ///< what is folded too, and all rows
};

/// For a terminal or the log of a CI. No line begins with text from the input, and nothing in it
/// is a command to a CI.
void doc_text(const struct document *d, const struct doc_text_options *o, struct strbuf *out);

/// For a comment on GitHub, of at most `max` bytes: sections are dropped from the bottom, then
/// rows.
void doc_markdown(const struct document *d, size_t max, struct strbuf *out);

/// What only a page has: pictures, and bars in cells.
struct doc_page_hooks {
	void *ctx;
	void (*picture)(void *ctx, const char *id, struct strbuf *out, struct strbuf *nav);
	void (*bar)(int64_t part, int64_t whole, struct strbuf *out);
};

/// A page in parts: what stands above its first section, the sections, and the items of its list
/// of contents.
void doc_html(const struct document *d, const struct doc_page_hooks *hooks, struct strbuf *head,
              struct strbuf *body, struct strbuf *nav);

/// Text escaped for HTML; control and bidirectional characters as U+FFFD.
void doc_html_escape(struct strbuf *out, struct span text);

/// The row for what is not shown when `shown` rows are; NULL none.
const struct doc_row *doc_rest_of(const struct doc_table *t, size_t shown);

/// The only line of a section that lists one thing, for the line of its title; else NULL.
const struct doc_line *doc_only_line(const struct doc_node *section);

/// True if nothing would be shown of the node.
bool doc_is_empty(const struct doc_node *node);

#endif
