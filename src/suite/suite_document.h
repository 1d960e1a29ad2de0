/// What is said of a suite, for people and for CI systems.
#ifndef GG_SUITE_SUITE_DOCUMENT_H
#define GG_SUITE_SUITE_DOCUMENT_H

#include "report/writer.h"
#include "suite/suite.h"

/// The suite as a document, which borrows from it. Caller releases.
void suite_document(const struct suite *s, struct document *d);

/// JUnit XML: a test case for each case of the suite.
void suite_junit(const struct suite *s, struct sink *out);

#endif
