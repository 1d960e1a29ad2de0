/// A Markdown document made of sections. It stays valid if it is cut to a size limit.
#ifndef GG_DOCUMENT_COMMENT_H
#define GG_DOCUMENT_COMMENT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/vec.h"

#define MD_NAME_CHARS 120
#define MD_COMMAND_CHARS 90
#define MD_BREAK 0x200B /* zero-width space: marks a position at which a cell may be broken */

/// A section of Markdown: a text, the rows of a table or list, and a text after the rows. Rows can
/// be left out one by one. The section owns all of these.
struct md_section {
	struct strbuf head, tail;
	VEC(struct strbuf) rows;
	size_t more; ///< number of rows that are left out; a note below the table tells this number
	const char *more_text; ///< noun for the rows left out, such as "figures"; NULL if not known
	struct strbuf columns; ///< titles of the columns that are left out; a note below the table
	                       ///< lists these titles

	/// true: the section is only removed if the comment is still too long after all rows, and all
	/// sections that are not fixed, were removed
	bool fixed;
	bool collapsed; ///< true: the section is inside the document's collapsed block
};

/// The sections of a comment.
struct md_document {
	/// sections, the least important last; the first section is always written
	VEC(struct md_section) sections;
	const char
	    *collapse; ///< title of the collapsed block; NULL: collapsed sections are not grouped
};

/// Append untrusted text, which may contain any characters, as a code span of at most `max_chars`
/// characters. If `in_table`, pipes are escaped, since a pipe would end the cell.
void md_code(struct strbuf *b, const char *text, size_t max_chars, bool in_table);

/// Append an untrusted command as a block of code, in lines of at most MD_COMMAND_CHARS characters
/// if possible.
void md_command(struct strbuf *b, const char *text);

/// Append a figure as plain text with no-break spaces. A text that does not look like a figure is
/// appended as a code span instead.
void md_figure(struct strbuf *b, const char *text);

/// Append a sentence as plain text; quotations, and words in which Markdown would find markup,
/// become code spans. A sentence longer than `max_chars` is cut and becomes one code span.
void md_sentence(struct strbuf *b, const char *text, size_t max_chars, bool in_table);

/// Write the document in at most `max` bytes (more only if the first section is longer). If the
/// document is too long, sections are removed from the end, then rows. Releases the document.
void md_write(struct md_document *d, size_t max, struct strbuf *out);

#endif
