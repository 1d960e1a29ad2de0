#include <inttypes.h>
#include <string.h>

#include "report/junit_cases.h"
#include "suite/suite_document.h"

/* The element of a case. A case with another exit code than 0 is never green: with --fail-on warn
   a warning is a failure. */
static const char *element_of(const struct suite_case *c)
{
	static const char *const elements[NR_SUITE_VERDICTS] = {
		[VERDICT_FAIL] = "failure",    [SUITE_ERROR] = "error",
		[VERDICT_UNDECIDED] = "error", [VERDICT_INCONCLUSIVE] = "error",
		[VERDICT_MISSING] = "error",   [VERDICT_WARN] = "system-out",
		[VERDICT_SKIPPED] = "skipped",
	};
	bool green = c->verdict == VERDICT_WARN || !elements[c->verdict];
	return !green || !c->exit_code                       ? elements[c->verdict]
	       : c->exit_code == status_exit_code(ST_FAILED) ? "failure"
	                                                     : "error";
}

static int64_t count(const struct suite *s, const char *element)
{
	int64_t nr = 0;
	for (size_t i = 0; i < s->cases.nr; i++) {
		const char *own = element_of(&s->cases.v[i]);
		nr += own && strcmp(own, element) == 0;
	}
	return nr;
}

static void put_lines(struct sink *out, const struct suite_item *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		sink_puts(out, "\n");
		sink_printf(out, "%s: ", suite_verdict_names[v[i].verdict]);
		junit_put(out, v[i].id);
		sink_puts(out, ": ");
		junit_put(out, v[i].text);
	}
}

static void put_case(struct sink *out, const struct suite *s, const struct suite_case *c)
{
	const char *element = element_of(c);
	size_t nr, nr_checks;
	const struct suite_item *f = suite_items(s->findings.v, s->findings.nr, c->place, &nr);
	const struct suite_item *k = suite_items(s->checks.v, s->checks.nr, c->place, &nr_checks);
	sink_puts(out, "    <testcase");
	junit_put_attribute(out, "classname", "gpugate.suite");
	junit_put_attribute(out, "name", c->name);
	sink_puts(out, element ? " time=\"0.000\">\n" : " time=\"0.000\"/>\n");
	if (!element)
		return;
	sink_printf(out, "      <%s", element);
	if (strcmp(element, "system-out") != 0) {
		junit_put_attribute(out, "type", suite_verdict_names[c->verdict]);
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
	int64_t failures = count(s, "failure"), errors = count(s, "error") + (s->error != NULL);
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
		             .place = -1, .name = "suite", .verdict = SUITE_ERROR, .text = s->error });
	for (size_t i = 0; i < s->cases.nr; i++)
		put_case(out, s, &s->cases.v[i]);
	sink_puts(out, "  </testsuite>\n</testsuites>\n");
}
