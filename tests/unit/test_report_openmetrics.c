/* Reports as OpenMetrics: names, digits, labels, distinct series. tests/prop/openmetrics.py reads
 * whole files with a real parser. */
#include "report_rig.h"

static const char *write_report(const struct report *r)
{
	return write_as("openmetrics", r, &(struct write_options){ 0 });
}

/* The text of the single figure of a check. */
static const char *value_of(enum metric_id id, int64_t value)
{
	static char line[64];
	struct report r;
	report_init(&r);
	struct check *c = sample_check(&r, VERDICT_PASS, "id", GROUP_STEP, id, "");
	c->has_candidate = true;
	c->candidate = value;
	const char *at = strstr(write_report(&r), "side=\"candidate\"} ");
	at = strstr(at + 1, "side=\"candidate\"} "); /* the first such line is a finding's: skip it */
	assert_non_null(at);
	at = strchr(at, ' ') + 1;
	memcpy(line, at, strcspn(at, "\n"));
	line[strcspn(at, "\n")] = '\0';
	report_release(&r);
	return line;
}

static void digits(void **state)
{
	static const struct {
		enum metric_id id;
		int64_t value;
		const char *text;
	} rows[] = {
		{ METRIC_STEP_TIME, 0, "0" },
		{ METRIC_STEP_TIME, 1, "0.000000001" },
		{ METRIC_STEP_TIME, 9999, "0.000009999" },
		{ METRIC_STEP_TIME, 12345, "0.00001235" },
		{ METRIC_STEP_TIME, 12344999999, "12.34" },
		{ METRIC_STEP_TIME, 12345000000, "12.35" },
		{ METRIC_STEP_TIME, 99995000000, "100" },
		{ METRIC_STEP_TIME, -12345000000, "-12.35" },
		{ METRIC_STEP_TIME, INT64_MAX, "9223000000" },
		{ METRIC_STEP_TIME, INT64_MIN, "-9223000000" },
		{ METRIC_KERNEL_TIME, 2500000, "0.0025" },
		{ METRIC_GPU_UTILIZATION_PCT, 97654321, "0.9765" },
		{ METRIC_COMM_BUS_BANDWIDTH, 123456789, "123500000" },
		{ METRIC_THROUGHPUT_STEPS, 79218000, "79.22" },
		/* exact values */
		{ METRIC_STEP_KERNEL_COUNT, 1234567, "1234567" },
		{ METRIC_KERNEL_COUNT, 1333333, "1.333333" },
		{ METRIC_MEMORY_PEAK_ALLOCATED, 5393875457, "5393875457" },
		{ METRIC_MEMORY_PEAK_ALLOCATED, INT64_MAX, "9223372036854775807" },
		{ METRIC_MEMORY_FRAGMENTATION_PCT, 12345678, "0.12345678" },
		{ METRIC_MEMORY_GROWTH_PER_STEP, -1048577, "-1048577" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++)
		assert_string_equal(value_of(rows[i].id, rows[i].value), rows[i].text);
}

static void names(void **state)
{
	static const char *const families[] = {
		"# TYPE gpugate_step_cuda_time_seconds gauge\n"
		"# UNIT gpugate_step_cuda_time_seconds seconds\n",
		"# TYPE gpugate_step_memcpy_bytes gauge\n# UNIT gpugate_step_memcpy_bytes bytes\n",
		"# TYPE gpugate_step_kernel_count gauge\n# HELP ",
		"# UNIT gpugate_gpu_utilization_ratio ratio\n",
		"# UNIT gpugate_kernel_time_seconds_per_step seconds_per_step\n",
		"# UNIT gpugate_kernel_count_per_step per_step\n",
		"# UNIT gpugate_comm_bytes_per_step bytes_per_step\n",
		"# UNIT gpugate_comm_bus_bandwidth_bytes_per_second bytes_per_second\n",
		"# UNIT gpugate_throughput_samples_per_second per_second\n",
		"# UNIT gpugate_memory_growth_bytes_per_step bytes_per_step\n",
		"# UNIT gpugate_mfu_ratio ratio\n",
		"# TYPE gpugate_flops_per_step gauge\n# HELP ",
		"# UNIT gpugate_flops_per_second per_second\n",
		"# TYPE gpugate_input gauge\n# HELP ",
	};
	struct report r;
	size_t nr = 0;
	(void)state;
	report_init(&r);
	for (int i = 0; i < NR_METRICS; i++)
		sample_values(sample_check(&r, VERDICT_PASS, metric_table[i].name, GROUP_STEP, i, ""), 1,
		              2);
	const char *text = write_report(&r);
	for (size_t i = 0; i < NR_OF(families); i++)
		assert_non_null(strstr(text, families[i]));
	for (const char *p = text; (p = strstr(p, "# TYPE gpugate_")); nr++) {
		struct strbuf line = STRBUF_INIT; /* each metric has a family of its own */
		p += strlen("# TYPE ");
		strbuf_addf(&line, "# TYPE %.*s ", (int)strcspn(p, " "), p);
		assert_null(strstr(p, strbuf_str(&line)));
		strbuf_release(&line);
	}
	assert_int_equal(nr, NR_METRICS + 6);
	size_t units = 0;
	for (int i = 0; i < NR_METRICS; i++)
		units += metric_table[i].unit != UNIT_COUNT && metric_table[i].unit != UNIT_FLOPS &&
		         metric_table[i].unit != UNIT_NUMBER;
	for (const char *p = text; (p = strstr(p, "# UNIT gpugate_")); p++)
		units--;
	assert_int_equal(units, 0);
	report_release(&r);
}

static void labels(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.workload = "w\"\\";
	struct check *c = sample_check(&r, VERDICT_FAIL, "k", GROUP_KERNELS, METRIC_KERNEL_TIME,
	                               "{lambda()#1}\n\x1b[0m\\n\"");
	sample_values(c, 1, 2);
	const char *text = write_report(&r);
	/* no part of a name becomes a comment, the end mark or another line */
	assert_non_null(strstr(text,
	                       "\ngpugate_check_state{workload=\"w\\\"\\\\\",check=\"k[{lambda()@1}"
	                       "\uFFFD\uFFFD[0m\\\\n\\\"]\"} 7\n"));
	assert_non_null(strstr(text, "\n# EOF\n"));
	report_release(&r);
}

static void no_series_twice(void **state)
{
	static const char *const items[] = { "a#1", "a@1", "a@1" };
	struct report r;
	(void)state;
	report_init(&r);
	for (size_t i = 0; i < NR_OF(items); i++)
		sample_values(
		    sample_check(&r, VERDICT_PASS, "k", GROUP_KERNELS, METRIC_KERNEL_TIME, items[i]), 5, 6);
	const char *text = write_report(&r);
	const char *rows = strstr(text, "\ngpugate_kernel_time_seconds_per_step");
	assert_string_equal(rows + 1,
	                    "gpugate_kernel_time_seconds_per_step{check=\"k[a@1]\","
	                    "side=\"baseline\"} 0.000000005\n"
	                    "gpugate_kernel_time_seconds_per_step{check=\"k[a@1]\",number=\"2\","
	                    "side=\"baseline\"} 0.000000005\n"
	                    "gpugate_kernel_time_seconds_per_step{check=\"k[a@1]\",number=\"3\","
	                    "side=\"baseline\"} 0.000000005\n"
	                    "gpugate_kernel_time_seconds_per_step{check=\"k[a@1]\","
	                    "side=\"candidate\"} 0.000000006\n"
	                    "gpugate_kernel_time_seconds_per_step{check=\"k[a@1]\",number=\"2\","
	                    "side=\"candidate\"} 0.000000006\n"
	                    "gpugate_kernel_time_seconds_per_step{check=\"k[a@1]\",number=\"3\","
	                    "side=\"candidate\"} 0.000000006\n# EOF\n");
	report_release(&r);
}

static void states(void **state)
{
	struct report r;
	(void)state;
	sample_report(&r, "k", "w");
	const char *text = write_report(&r);
	assert_non_null(strstr(text, "\ngpugate_exit_code{workload=\"w\"} 1\n"));
	assert_non_null(strstr(text, "gpugate_verdict=\"fail\"} 1\n"));
	assert_non_null(strstr(text, "gpugate_verdict=\"error\"} 0\n"));
	assert_non_null(strstr(text, "\ngpugate_checks{workload=\"w\",verdict=\"fail\"} 2\n"));
	assert_non_null(
	    strstr(text, "\ngpugate_trust_findings{workload=\"w\",side=\"candidate\"} 1\n"));
	assert_non_null(strstr(text, "{workload=\"w\",check=\"idle\"} 6\n"));
	r.error = "nothing was read";
	r.status = ST_INPUT;
	assert_string_equal(
	    write_report(&r),
	    "# TYPE gpugate_exit_code gauge\n"
	    "# HELP gpugate_exit_code Exit code of the program.\n"
	    "gpugate_exit_code{workload=\"w\"} 3\n"
	    "# TYPE gpugate_verdict stateset\n"
	    "# HELP gpugate_verdict Verdict on the run; error where nothing could be judged.\n"
	    "gpugate_verdict{workload=\"w\",gpugate_verdict=\"pass\"} 0\n"
	    "gpugate_verdict{workload=\"w\",gpugate_verdict=\"warn\"} 0\n"
	    "gpugate_verdict{workload=\"w\",gpugate_verdict=\"fail\"} 0\n"
	    "gpugate_verdict{workload=\"w\",gpugate_verdict=\"undecided\"} 0\n"
	    "gpugate_verdict{workload=\"w\",gpugate_verdict=\"missing\"} 0\n"
	    "gpugate_verdict{workload=\"w\",gpugate_verdict=\"inconclusive\"} 0\n"
	    "gpugate_verdict{workload=\"w\",gpugate_verdict=\"error\"} 1\n# EOF\n");
	report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits),          cmocka_unit_test(names),  cmocka_unit_test(labels),
		cmocka_unit_test(no_series_twice), cmocka_unit_test(states),
	};
	return cmocka_run_group_tests(tests, NULL, end);
}
