/// A page of HTML: escaped text, sections, tables that sort. Names of strangers are escaped and
/// fit for a line; nothing else of theirs reaches the page.
#ifndef GG_HTML_HTML_PAGE_H
#define GG_HTML_HTML_PAGE_H

#include "base/strbuf.h"
#include "io/sink.h"
#include "model/report.h"

/// Rows of a table at most.
enum { HTML_ROWS = 500 };

/// A document under way.
struct html {
	const struct report *r;
	struct arena arena; ///< scratch
	struct strbuf header, nav, body; ///< what is added goes to the body
	int nr_pictures; ///< for ids
	size_t rows; ///< of the table under way
	bool foot; ///< it has one, in which it is
};

/// Our own markup, as it stands.
void html_puts(struct html *h, const char *markup);
void html_printf(struct html *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Any text: escaped; control and bidirectional characters as U+FFFD. NULL is "".
void html_text(struct html *h, const char *text);

/// The same of a name that may be long: its beginning, and the whole of it to unfold.
void html_name(struct html *h, const char *name);

/// End of the header: what was added so far is it, and stands above the list of contents.
void html_header_end(struct html *h);

/// A part of the page with a heading, in the list of contents.
void html_section(struct html *h, const char *id, const char *title);
void html_section_end(struct html *h);

/// What a reader may unfold.
void html_details(struct html *h, const char *summary);
void html_details_end(struct html *h);

/// A heading of a column; names and words stand to the left, figures to the right, bars sort
/// nothing.
struct html_column {
	const char *name;
	enum html_align { ALIGN_LEFT, ALIGN_RIGHT, ALIGN_BAR } align;
};

/// Begin a table of `nr` columns, which is called `caption`.
void html_table(struct html *h, const char *caption, const struct html_column *columns, size_t nr);

/// Begin a row of `class` ("" none). False after HTML_ROWS: it is to be left out.
bool html_row(struct html *h, const char *class);

/// Cells: a word or short text; a name; a figure to sort by, which may be absent; a
/// cell whose content follows as markup and ends with html_puts(h, "</td>").
void html_cell(struct html *h, const char *text);
void html_name_cell(struct html *h, const char *name);
void html_figure_cell(struct html *h, const char *text, bool has, int64_t value);
void html_bar_cell(struct html *h);

/// Begin the one row of its foot, which sorting leaves where it is.
void html_table_foot(struct html *h);

/// End it; `more` rows were left out by whoever made the list, beside those that
/// html_row() refused.
void html_table_end(struct html *h, size_t more);

/// The whole document under `title`, into `out`; gives the memory back.
void html_write_page(struct html *h, const char *title, struct sink *out);

#endif
