/// A trend for people.
#ifndef GG_HISTORY_TREND_DOCUMENT_H
#define GG_HISTORY_TREND_DOCUMENT_H

#include "document/document.h"
#include "history/trend.h"

/// The trend as a document, which borrows from it; figures with a picture are those of
/// trend_picture(). Caller releases.
void trend_document(const struct trend *t, struct document *d);

/// Write the one-file page of it.
void trend_page(const struct trend *t, struct sink *out);

#endif
