/// A page of HTML: escaped text, sections, what a reader may unfold.
#ifndef GG_HTML_HTML_PAGE_H
#define GG_HTML_HTML_PAGE_H

#include "base/strbuf.h"
#include "document/render.h"
#include "io/sink.h"
#include "model/report.h"

/// What stands around a document on a page.
struct page_frame {
	const char *tool; ///< a line above the heading
	const char *heading;
	const char *word; ///< what it is of: the title is "word: heading"
	struct doc_page_hooks hooks;
};

/// The document as one HTML file.
void html_write_document(const struct document *d, const struct page_frame *frame,
                         struct sink *out);

/// Charts under way.
struct html {
	const struct report *r;
	struct arena arena; ///< scratch
	const struct document *document; ///< that is rendered
	struct strbuf nav, body; ///< what is added goes to the body
	int nr_pictures; ///< for ids
};

/// Our own markup, as it stands.
void html_puts(struct html *h, const char *markup);
void html_printf(struct html *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Any text: escaped; control and bidirectional characters as U+FFFD. NULL is "".
void html_text(struct html *h, const char *text);

/// A part of the page with a heading, in the list of contents if it is not folded.
void html_section(struct html *h, const char *id, const char *title, bool folded);
void html_section_end(struct html *h, bool folded);

/// What a reader may unfold.
void html_details(struct html *h, const char *summary);
void html_details_end(struct html *h);

#endif
