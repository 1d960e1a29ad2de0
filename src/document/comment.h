/// A Markdown document made of sections, which can be cut to a size limit and stays valid.
#ifndef GG_DOCUMENT_COMMENT_H
#define GG_DOCUMENT_COMMENT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/vec.h"

#define MD_NAME_CHARS 120
#define MD_BREAK 0x200B /* zero-width space: a cell may be broken here */

struct md_section {
	struct strbuf head, tail;
	VEC(struct strbuf) rows;
	size_t more; ///< rows that the section never had room for
	size_t columns; ///< the same of columns
	bool fixed; ///< dropped whole only where nothing else helps
	bool folded; ///< under the document's fold
};

struct md_document {
	VEC(struct md_section) sections; ///< the least important last; the first is always written
	const char *fold; ///< title of the fold; NULL: folded sections are not grouped
};

/// Append untrusted text as a code span of at most `max_chars`, whatever characters it contains.
/// `in_table`: pipes are replaced, too.
void md_code(struct strbuf *b, const char *text, size_t max_chars, bool in_table);

/// Append a figure as plain text with no-break spaces; as a code span if it does not look like a
/// figure.
void md_figure(struct strbuf *b, const char *text);

/// A sentence as it stands, except for words in which Markdown finds something: they are code
/// spans.
void md_sentence(struct strbuf *b, const char *text, size_t max_chars, bool in_table);

/// Append a section; the pointer is valid until the next call.
struct md_section *md_section(struct md_document *d, bool fixed);

/// Append a row to a section; the pointer is valid until the next call.
struct strbuf *md_row(struct md_section *s);

/// Write at most `max` bytes (more only if the first section is longer): sections are removed from
/// the end, then rows. Releases the document.
void md_write(struct md_document *d, size_t max, struct strbuf *out);

#endif
