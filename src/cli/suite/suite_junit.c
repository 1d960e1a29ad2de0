#include <inttypes.h>

#include "report/junit_cases.h"
#include "suite/suite.h"

/* The outcome of a case in JUnit. If its exit code is not 0, the outcome is a failure or an error,
   whatever the verdict is: with --fail-on warn, a warning is a failure. */
static enum outcome outcome_of(const struct suite_case *c)
{
	enum outcome o = junit_outcomes[c->verdict];
	if (o == OUTCOME_FAILURE || o == OUTCOME_ERROR || !c->exit_code)
		return o;
	return c->exit_code == status_exit_code(ST_FAILED) ? OUTCOME_FAILURE : OUTCOME_ERROR;
}

static int64_t count(const struct suite *s, enum outcome o)
{
	int64_t nr = 0;
	for (size_t i = 0; i < s->cases.nr; i++)
		nr += outcome_of(&s->cases.v[i]) == o;
	return nr;
}

static void put_lines(struct sink *out, const struct suite_items *list)
{
	for (size_t i = 0; i < list->nr; i++) {
		sink_printf(out, "\n%s: ", verdict_names[list->v[i].verdict]);
		junit_put(out, list->v[i].id);
		sink_puts(out, ": ");
		junit_put(out, list->v[i].text);
	}
}

static void put_case(struct sink *out, const struct suite *s, const struct suite_case *c)
{
	enum outcome o = outcome_of(c);
	const char *element = junit_elements[o];
	const struct suite_items findings = suite_items_of(&s->findings, c->place);
	const struct suite_items checks = suite_items_of(&s->checks, c->place);
	sink_puts(out, "    <testcase");
	junit_put_attribute(out, "classname", "gpugate.suite");
	junit_put_attribute(out, "name", c->name);
	sink_puts(out, element ? " time=\"0.000\">\n" : " time=\"0.000\"/>\n");
	if (!element)
		return;
	junit_open(out, o, verdict_names[c->verdict], findings.nr ? findings.v[0].text : c->text);
	junit_put(out, c->text);
	put_lines(out, &findings);
	put_lines(out, &checks);
	sink_printf(out, "</%s>\n    </testcase>\n", element);
}

void suite_junit(const struct suite *s, struct sink *out)
{
	int64_t failures = count(s, OUTCOME_FAILURE),
	        errors = count(s, OUTCOME_ERROR) + (s->error != NULL);
	size_t tests = s->cases.nr + (s->error != NULL);
	sink_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpugate\"");
	for (int i = 0; i < 2; i++) {
		sink_printf(
		    out, " tests=\"%zu\" failures=\"%" PRId64 "\" errors=\"%" PRId64 "\" time=\"0.000\">\n",
		    tests, failures, errors);
		if (i)
			break;
		sink_puts(out, "  <testsuite");
		junit_put_attribute(out, "name", s->name);
	}
	if (s->error)
		put_case(out, s,
		         &(struct suite_case){
		             .place = -1, .name = "suite", .verdict = VERDICT_ERROR, .text = s->error });
	for (size_t i = 0; i < s->cases.nr; i++)
		put_case(out, s, &s->cases.v[i]);
	sink_puts(out, "  </testsuite>\n</testsuites>\n");
}
