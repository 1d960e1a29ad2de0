/* Reports as JUnit: the element for each verdict, names, counts. */
#include "report_rig.h"

static const char *write_report(const struct report *r)
{
	return write_as("junit", r, &(struct write_options){ 0 });
}

static void verdicts(void **state)
{
	static const struct {
		enum verdict verdict;
		const char *element;
	} rows[] = {
		{ VERDICT_FAIL, "<failure type=\"regression\" message=\"M &lt;&quot;&amp;&apos;&gt;\">"
		                "M &lt;&quot;&amp;&apos;&gt;</failure>" },
		{ VERDICT_MISSING, "<error type=\"missing\" message=\"M " },
		{ VERDICT_INCONCLUSIVE, "<error type=\"inconclusive\" message=\"M " },
		{ VERDICT_WAIVED, "<skipped type=\"waived\" message=\"M " },
		{ VERDICT_SKIPPED, "<skipped type=\"skipped\" message=\"M " },
		{ VERDICT_WARN, "<system-out>warn: M &lt;&quot;&amp;&apos;&gt;</system-out>" },
		{ VERDICT_IMPROVED, "<system-out>improved: M " },
		{ VERDICT_PASS, "<testcase classname=\"gpugate.w.step\" name=\"id\" time=\"0.000\"/>" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct report r;
		report_init(&r);
		r.workload = "w";
		struct check *c = sample_check(&r, rows[i].verdict, "id", GROUP_STEP, METRIC_STEP_TIME, "");
		c->message = "M <\"&'>";
		assert_has(write_report(&r), rows[i].element);
		report_release(&r);
	}
}

static void order_and_counts(void **state)
{
	static const char *const parts[] = {
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"gpugate\" tests=\"11\" "
		"failures=\"2\""
		" errors=\"3\" time=\"0.000\">\n",
		"<testsuite name=\"step\" tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"1\" "
		"time=\"0.000\">\n",
		"<properties>",
		"<property name=\"workload\" value=\"w\"/>",
		"<property name=\"profile\" value=\"k&lt;1&gt;\"/>",
		"<property name=\"baseline_runs\" value=\"10\"/>\n      <property name=\"candidate_runs\" "
		"value=\"3\"/>\n      <property name=\"pin_age_days\" value=\"12\"/>\n      <property "
		"name=\"false_alarms_per_1000\" value=\"2.5\"/>\n    </properties>\n",
		"<testcase classname=\"gpugate.w.step\" name=\"step-cuda-time\" time=\"0.000\">\n      "
		"<failure type=",
		"\nruns of the candidate: 111.00 ms, 112.40 ms, 113.00 ms\n3 runs against 10: the noise is "
		"±1.20 ms; ",
		"\nstep.cuda_time of &apos;k&lt;1&gt;&apos; by class, category and kernel\n  +9.000 ms  "
		"compute\n",
		"<testsuite name=\"kernels\" tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\" "
		"time=\"0.000\">\n",
		"name=\"top-kernels[k&lt;1&gt;]\"",
		"\nk&lt;1&gt;</failure>",
		"<testsuite name=\"memory\" tests=\"1\"",
		"<testsuite name=\"ranks\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"1\"",
		"<system-out>the environment differs: &apos;k&lt;1&gt;&apos;\ncandidate rank 3: straggler: "
		"k&lt;1&gt;\nbaseline: lost-rank: k&lt;1&gt;</system-out>\n",
		"<testsuite name=\"inputs\" tests=\"2\" failures=\"0\" errors=\"1\"",
		"name=\"dropped-kernels[candidate, rank 3]\"",
		"\nspoils step.idle_time</error>",
		"name=\"json-faults[baseline]\"",
		"<system-out>the environment differs: &apos;k&lt;1&gt;&apos;</system-out>\n  "
		"</testsuite>\n</testsuites>\n",
	};
	struct report r;
	(void)state;
	sample_report(&r, "k<1>", "w");
	const char *at = write_report(&r);
	for (size_t i = 0; i < NR_OF(parts); i++) {
		const char *found = strstr(at, parts[i]);
		if (!found)
			fail_msg("'%s' is not in its place:\n%s", parts[i], at);
		at = found;
	}
	report_release(&r);
}

static void a_shortened_name_stands_whole_in_the_body(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.workload = "w";
	struct check *c = sample_check(&r, VERDICT_FAIL, "top", GROUP_KERNELS, METRIC_KERNEL_TIME,
	                               "void long_name<1>");
	c->id = "top[void~12345678]";
	const char *text = write_report(&r);
	assert_has(text, "name=\"top[void~12345678]\"");
	assert_has(text, "\nvoid long_name&lt;1&gt;</failure>");
	report_release(&r);
}

/* Bytes that XML cannot contain all become one character, but names stay distinct. */
static void names_are_unique(void **state)
{
	static const char *const items[] = {
		"a\xEF\xBF\xBE", "a\xEF\xBF\xBF", "a\xEF\xBF\xBD", "a\xFF", "a\x01", "b", "b", "b]#2", "c"
	};
	struct report r;
	VEC(struct span) names = VEC_INIT;
	(void)state;
	report_init(&r);
	r.workload = "w";
	for (size_t i = 0; i < NR_OF(items); i++)
		sample_check(&r, VERDICT_PASS, "top", GROUP_KERNELS, METRIC_KERNEL_TIME, items[i]);
	const char *text = write_report(&r);
	assert_null(strstr(text, "\xEF\xBF\xBE"));
	assert_null(strstr(text, "\xEF\xBF\xBF"));
	for (const char *p = text; (p = strstr(p, "kernels\" name=\""));) {
		p += strlen("kernels\" name=\"");
		struct span name = { p, strcspn(p, "\"") };
		for (size_t i = 0; i < names.nr; i++)
			assert_false(span_eq(names.v[i], name));
		vec_push(&names, name);
	}
	assert_int_equal(names.nr, NR_OF(items));
	assert_true(span_eq(names.v[5], SPAN("top[b]")));
	vec_release(&names);
	report_release(&r);
}

static void an_error_is_one_case(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.workload = "w";
	r.status = ST_INPUT;
	r.error = "run.json: byte 12: '<'\xC0 is not a value";
	assert_has(write_report(&r),
	           "    <testcase classname=\"gpugate.w.inputs\" name=\"gpugate\" time=\"0.000\">\n"
	           "      <error type=\"error\" message=\"run.json: byte 12: "
	           "&apos;&lt;&apos;\xEF\xBF\xBD is not a value\">"
	           "run.json: byte 12: &apos;&lt;&apos;\xEF\xBF\xBD is not a value</error>\n"
	           "    </testcase>\n  </testsuite>\n</testsuites>\n");
	assert_has(strbuf_str(&written),
	           "<testsuites name=\"gpugate\" tests=\"1\" failures=\"0\" errors=\"1\" time=");
	report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(verdicts, end),
		cmocka_unit_test_teardown(order_and_counts, end),
		cmocka_unit_test_teardown(a_shortened_name_stands_whole_in_the_body, end),
		cmocka_unit_test_teardown(names_are_unique, end),
		cmocka_unit_test_teardown(an_error_is_one_case, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
