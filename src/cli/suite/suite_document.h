/// The result of a suite as a document for people and as JUnit for CI systems.
#ifndef GG_SUITE_SUITE_DOCUMENT_H
#define GG_SUITE_SUITE_DOCUMENT_H

#include "report/writer.h"
#include "suite/suite.h"

/// Build the document of a suite, which borrows from `s`. The caller releases the document.
void suite_document(const struct suite *s, struct document *d);

/// Write JUnit XML with one test case for each case of the suite.
void suite_junit(const struct suite *s, struct sink *out);

#endif
