/// A Markdown document of sections that is cut to a budget without breaking.
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
	VEC(struct md_section) sections; ///< the least wanted last; the first is always written
	const char *fold; ///< what folded sections stand under: words of the program; NULL nothing
};

/// Untrusted text as a code span of at most `max_chars`, from which nothing
/// breaks out; `in_table`: pipes neither.
void md_code(struct strbuf *b, const char *text, size_t max_chars, bool in_table);

/// A figure as it stands, with no-break spaces; a code span if it looks like anything else.
void md_figure(struct strbuf *b, const char *text);

/// A sentence as it stands, except for words in which Markdown finds something: they are code
/// spans.
void md_sentence(struct strbuf *b, const char *text, size_t max_chars, bool in_table);

/// A new section; valid until the next one.
struct md_section *md_section(struct md_document *d, bool fixed);

/// A new row of a section; valid until the next one.
struct strbuf *md_row(struct md_section *s);

/// Write at most `max` bytes (more only where the first section is longer) and
/// give the memory back: whole sections are dropped from the bottom, then rows.
void md_write(struct md_document *d, size_t max, struct strbuf *out);

#endif
