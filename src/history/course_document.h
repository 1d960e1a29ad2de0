/// The course of figures for people.
#ifndef GG_HISTORY_COURSE_DOCUMENT_H
#define GG_HISTORY_COURSE_DOCUMENT_H

#include "document/document.h"
#include "history/course.h"

/// The course as a document, which borrows from it. Caller releases.
void course_document(const struct course *t, struct document *d);

/// Write the one-file page of it.
void course_page(const struct course *t, struct sink *out);

#endif
