/// A page of HTML: escaped text, sections, and blocks that a reader can expand.
#ifndef GG_HTML_HTML_PAGE_H
#define GG_HTML_HTML_PAGE_H

#include "base/strbuf.h"
#include "document/render.h"
#include "io/sink.h"
#include "model/report.h"
#include "report/writer.h"

/// The frame of a page: what is around its document.
struct page_frame {
	const char *tool; ///< text above the heading: the name of the tool
	const char *heading;
	const char *word; ///< verdict or kind of report; the page's title is "word: heading"
	struct doc_page_hooks hooks;
};

/// Write the document as one HTML file.
void html_write_document(const struct document *d, const struct page_frame *frame,
                         struct sink *out);

/// State while charts are drawn.
struct html {
	const struct report *r;
	struct arena arena; ///< scratch memory
	const struct document *document; ///< the document that is being rendered
	struct strbuf body; ///< markup of the picture that is being drawn
	int nr_pictures; ///< number of pictures so far, for their ids
};

/// Append markup that the program itself makes: nothing in it is escaped.
void html_puts(struct html *h, const char *markup);

/// Like html_puts(), formatted as by printf.
void html_printf(struct html *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Append any text, escaped; control and bidirectional characters become U+FFFD. Nothing is
/// appended if it is NULL.
void html_text(struct html *h, const char *text);

/// Begin a picture: an <svg> with these attributes, and with a title for readers who do not see it.
/// The caller then writes a description, which it ends with </desc>.
void html_picture(struct html *h, const char *attributes, const char *title);

/// Begin a block that is collapsed until a reader expands it. The caller ends it with </details>.
void html_details(struct html *h, const char *summary);

/// Begin an entry of a legend with a square in the class `class` of the style sheet. The caller
/// ends the entry with </span>.
void html_swatch(struct html *h, const char *class);

/// Write one self-contained page, which needs no network and is readable without its script.
void html_write(const struct report *r, const struct write_options *o, struct sink *out);

#endif
