#include <inttypes.h>

#include "report/junit_cases.h"
#include "suite/suite_document.h"

/* The element in a case of each outcome; NULL: none. */
static const char *const elements[NR_OUTCOMES] = {
	[OUTCOME_NOTE] = "system-out",
	[OUTCOME_FAILURE] = "failure",
	[OUTCOME_ERROR] = "error",
	[OUTCOME_SKIPPED] = "skipped",
};

static void put_lines(struct sink *out, const struct suite_item *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		sink_puts(out, "\n");
		sink_printf(out, "%s: ", verdict_names[v[i].verdict]);
		junit_put(out, v[i].id);
		sink_puts(out, ": ");
		junit_put(out, v[i].text);
	}
}

static void put_case(struct sink *out, const struct suite *s, const struct suite_case *c)
{
	const char *element = elements[junit_outcomes[c->verdict]];
	size_t nr, nr_checks;
	const struct suite_item *f = suite_items(s->findings.v, s->findings.nr, c->place, &nr);
	const struct suite_item *k = suite_items(s->checks.v, s->checks.nr, c->place, &nr_checks);
	sink_puts(out, "    <testcase");
	junit_put_attribute(out, "classname", "gpugate.suite");
	junit_put_attribute(out, "name", c->name);
	sink_puts(out, element ? " time=\"0.000\">\n" : " time=\"0.000\"/>\n");
	if (!element)
		return;
	bool note = c->verdict == VERDICT_WARN;
	sink_printf(out, "      <%s", element);
	if (!note) {
		junit_put_attribute(out, "type", verdict_names[c->verdict]);
		junit_put_attribute(out, "message", nr ? f[0].text : c->text);
	}
	sink_puts(out, ">");
	junit_put(out, c->text);
	put_lines(out, f, nr);
	put_lines(out, k, nr_checks);
	sink_printf(out, "</%s>\n    </testcase>\n", element);
}

void suite_junit(const struct suite *s, struct sink *out)
{
	const int64_t *n = s->counts;
	int64_t errors = n[VERDICT_ERROR] + n[VERDICT_UNDECIDED] + n[VERDICT_INCONCLUSIVE] +
	                 n[VERDICT_MISSING] + (s->error != NULL);
	size_t tests = s->cases.nr + (s->error != NULL);
	sink_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpugate\"");
	for (int i = 0; i < 2; i++) {
		sink_printf(
		    out, " tests=\"%zu\" failures=\"%" PRId64 "\" errors=\"%" PRId64 "\" time=\"0.000\">\n",
		    tests, n[VERDICT_FAIL], errors);
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
