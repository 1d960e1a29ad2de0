/// The test cases of a JUnit file, with their suites and names.
#ifndef GG_REPORT_JUNIT_CASES_H
#define GG_REPORT_JUNIT_CASES_H

#include "io/sink.h"
#include "model/report.h"

/// What a test case becomes in JUnit. A note is a passed case with a text.
enum outcome {
	OUTCOME_PASS,
	OUTCOME_NOTE,
	OUTCOME_FAILURE,
	OUTCOME_ERROR,
	OUTCOME_SKIPPED,
	NR_OUTCOMES
};

/// The element of each outcome within a test case; NULL: a case that passed is empty.
extern const char *const junit_elements[NR_OUTCOMES];

/// The outcome of a check, indexed by the check's verdict.
extern const enum outcome junit_outcomes[NR_VERDICTS];

/// A test case: a check, a trust finding, or the case "gpugate", which says why the gate did not
/// pass. All texts but `name` are static or borrowed from the report.
struct testcase {
	enum check_group group;
	const char *name; ///< name of the case, unique in its group; valid in XML, but not yet escaped
	enum outcome outcome;
	const char *type, *message;
	const char *cause; ///< title of the finding that the check belongs to; NULL if there is none
	const struct check *check; ///< check of the case; NULL if the case is not a check
	const struct trust_finding *finding; ///< the case's trust finding; NULL if the case is not a
	                                     ///< trust finding
};

/// The cases of a report.
struct testcases {
	struct arena arena; ///< arena that owns the names of cases
	VEC(struct testcase) all;
};

/// Append `text` on one line, with characters that XML 1.0 does not allow replaced.
void junit_clean(struct strbuf *b, const char *text);

/// Write text escaped for XML, on one line.
void junit_put(struct sink *out, const char *text);

/// Write an attribute, whose value is written as by junit_put().
void junit_put_attribute(struct sink *out, const char *name, const char *value);

/// Begin the element of an outcome, which has an element.
void junit_open(struct sink *out, enum outcome outcome, const char *type, const char *message);

/// Collect the cases of a report, which is borrowed. The caller releases with testcases_release().
void testcases_collect(struct testcases *t, const struct report *r);

/// Release the memory of the cases.
void testcases_release(struct testcases *t);

#endif
