/// A Markdown document made of sections. It stays valid if it is cut to a size limit.
#ifndef GG_DOCUMENT_COMMENT_H
#define GG_DOCUMENT_COMMENT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "base/vec.h"

#define MD_NAME_CHARS 120
#define MD_COMMAND_CHARS 90
#define MD_BREAK 0x200B /* zero-width space: marks a position at which a cell may be broken */

/// A section of Markdown: text before the rows, rows of a table or list that can be left out one by
/// one, and text after them. The section owns these texts.
struct md_section {
	struct strbuf head, tail;
	VEC(struct strbuf) rows;
	size_t more; ///< number of rows that were left out when the section was built, for the note
	             ///< below the table
	const char *more_text; ///< noun for the rows left out, such as "figures"; NULL if not known
	struct strbuf columns; ///< titles of the columns that were left out when the section was built,
	                       ///< for the note below the table

	/// true: the section is only removed if the document is still too long without all sections
	/// that are not fixed
	bool fixed;
	bool collapsed; ///< true: the section is inside the document's collapsed part
};

/// The sections of a comment.
struct md_document {
	/// sections, the least important last; the first section is always written
	VEC(struct md_section) sections;
	const char *collapse; ///< title of the collapsed part; NULL: collapsed sections are not grouped
};

/// Append untrusted text as a code span of at most `max_chars`, whatever characters it contains. If
/// `in_table`, pipes are escaped, since they would end the cell.
void md_code(struct strbuf *b, const char *text, size_t max_chars, bool in_table);

/// Append an untrusted command as a block of code, in lines of at most MD_COMMAND_CHARS characters
/// if possible.
void md_command(struct strbuf *b, const char *text);

/// Append a figure as plain text with no-break spaces; as a code span if it does not look like a
/// figure.
void md_figure(struct strbuf *b, const char *text);

/// Append a sentence as plain text; words in which Markdown would find markup become code spans.
void md_sentence(struct strbuf *b, const char *text, size_t max_chars, bool in_table);

/// Write at most `max` bytes (more only if the first section is longer): sections are removed from
/// the end, then rows. Releases the document.
void md_write(struct md_document *d, size_t max, struct strbuf *out);

#endif
