/// The course of figures as a document.
#ifndef GG_HISTORY_COURSE_DOCUMENT_H
#define GG_HISTORY_COURSE_DOCUMENT_H

#include "history/course.h"
#include "html/html_page.h"

/// A course as a document, with its surroundings on a page.
struct course_page {
	const struct course *t;
	struct document d;
	struct page_frame frame;
	struct arena arena; ///< owner of the charts' texts
};

/// Build the page. Its document borrows from `t` and from `p`, which must not move. The caller
/// releases with course_page_release().
void course_page_init(struct course_page *p, const struct course *t);
void course_page_release(struct course_page *p);

#endif
