/// The course of figures (course.h) as a document for people.
#ifndef GG_HISTORY_COURSE_DOCUMENT_H
#define GG_HISTORY_COURSE_DOCUMENT_H

#include "history/course.h"
#include "html/html_page.h"

/// A document about a course, with the data that it borrows.
struct course_page {
	const struct course *t;
	struct document d;
	struct page_frame frame;
	struct arena arena; ///< arena that owns the texts of charts
};

/// Build the document. It borrows from `t` and from `p`, which must not move. The caller ends with
/// course_page_release().
void course_page_init(struct course_page *p, const struct course *t);
void course_page_release(struct course_page *p);

#endif
