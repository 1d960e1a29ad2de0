/// The cases of a JUnit file: which there are, in which suite, under which name.
#ifndef GG_REPORT_JUNIT_CASES_H
#define GG_REPORT_JUNIT_CASES_H

#include "io/sink.h"
#include "model/report.h"

enum outcome {
	OUTCOME_PASS,
	OUTCOME_NOTE,
	OUTCOME_FAILURE,
	OUTCOME_ERROR,
	OUTCOME_SKIPPED,
	NR_OUTCOMES
};

struct testcase {
	enum check_group group;
	const char *name; ///< fit for XML, not yet escaped; unique in its group
	enum outcome outcome;
	const char *type, *message;
	const char *cause; ///< title of the finding that it hangs below; NULL none
	const struct check *check; ///< NULL none
	const struct trust_finding *finding; ///< NULL none
};

struct testcases {
	struct arena arena; ///< owns the names
	VEC(struct testcase) all;
};

/// One line of XML 1.0 Char.
void junit_clean(struct strbuf *b, const char *text);

/// Text for XML, in one line; an attribute of a tag under way.
void junit_put(struct sink *out, const char *text);
void junit_put_attribute(struct sink *out, const char *name, const char *value);

/// The cases of a report, which they borrow from. Caller releases with
/// testcases_release().
void testcases_collect(struct testcases *t, const struct report *r);

/// Give the memory back.
void testcases_release(struct testcases *t);

#endif
