/// The course of figures for people.
#ifndef GG_HISTORY_COURSE_DOCUMENT_H
#define GG_HISTORY_COURSE_DOCUMENT_H

#include "history/course.h"
#include "html/html_page.h"
#include "names/short.h"

/// A course as a document with what stands around it on a page.
struct course_page {
	const struct course *t;
	struct short_names names; ///< of kernels
	struct document d;
	struct page_frame frame;
	struct arena arena; ///< texts of charts
};

/// The document borrows from `t`, and `p` stays where it is. Caller gives back with
/// course_page_release().
void course_page_init(struct course_page *p, const struct course *t);
void course_page_release(struct course_page *p);

#endif
