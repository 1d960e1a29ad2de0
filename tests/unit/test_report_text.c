/* Terminal text: what stands where, alignment, colours, hostile lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/table.h"
#include "report/writer.h"
#include "sample_report.h"

#define NR_OF(array) (sizeof(array) / sizeof *(array))

static struct strbuf written;

static int end(void **state)
{
	(void)state;
	strbuf_release(&written);
	return 0;
}

static const char *take(struct sink *out)
{
	strbuf_setlen(&written, 0);
	strbuf_add(&written, sink_memory(out));
	sink_abort(out);
	return strbuf_str(&written);
}

static const char *write_report(const struct report *r, const struct write_options *o)
{
	struct sink *out = sink_open_memory();
	report_format_find("text")->write(r, o, out);
	return take(out);
}

static void tables(void **state)
{
	struct table t = { .align = "lrl" };
	struct sink *out = sink_open_memory();
	(void)state;
	table_add(&t, NULL, (const char *[]){ "", "time", "name" });
	table_add(&t, "\033[31m", (const char *[]){ "fail", "1 µs", "" });
	table_add(&t, NULL, (const char *[]){ "ok", "", "größe" });
	table_write(&t, out);
	assert_string_equal(take(out), "        time  name\n"
	                               "  \033[31mfail\033[0m  1 µs\n"
	                               "  ok          größe\n");
}

static void words_of_a_ci_log(void **state)
{
	static const struct {
		const char *text, *shown;
	} rows[] = {
		{ "a::b", "a::b" },
		{ "##[error]x", "#\xEF\xBF\xBD[error]x" },
		{ "x ##vso[y]", "x #\xEF\xBF\xBDvso[y]" },
		{ "###", "#\xEF\xBF\xBD\xEF\xBF\xBD" },
		{ "a\r\n\033[2J", "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD[2J" },
		{ NULL, "" },
	};
	struct arena a = ARENA_INIT;
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++)
		assert_string_equal(table_text(&a, rows[i].text, 100), rows[i].shown);
	arena_release(&a);
}

static void order(void **state)
{
	static const char *const parts[] = {
		"fail: 2 of 8 checks beyond their limits, 1 inconclusive, 1 missing, 1 warning\n"
		"baseline k at k (6 steps) → candidate k at k (6 steps); k; environment differs: gpu.name; "
		"rules k\n"
		"warning: the environment differs: 'k'\n",
		"  fail          step-cuda-time",
		"  inconclusive  idle",
		"missing: copies[k]: memcpy.bytes of 'k' rose\n",
		"trust: candidate rank 3: dropped-kernels: the candidate has 'k'; spoils step.idle_time\n",
		"\nwhere the change went: step.cuda_time of 'k' by class, category and kernel\n"
		"  +9.000 ms  compute\n"
		"  +9.000 ms    GEMM\n"
		"  +9.000 ms      k (renamed from 'k')\n"
		"  +8.000 ms        launches (launches 12 → 14)\n"
		"  +1.000 ms        mean (mean 1.000 ms → 1.100 ms)\n"
		"  +3.300 ms  median − mean\n",
		"  renamed  +2.000 µs  1.000 µs  3.000 µs  1.5  k → k\n",
		"  2 more kernels\n",
		"\nto accept the candidate as baseline: gpugate baseline create 'k' --force\n",
	};
	struct report r;
	(void)state;
	sample_report(&r, "k", "w");
	const char *at = write_report(&r, &(struct write_options){ 0 });
	assert_null(strstr(at, "\033"));
	assert_null(strstr(at, "exposed-communication"));
	for (size_t i = 0; i < NR_OF(parts); i++) {
		const char *found = strstr(at, parts[i]);
		if (!found)
			fail_msg("'%s' is not in its place:\n%s", parts[i], at);
		at = found;
	}
	assert_non_null(strstr(write_report(&r, &(struct write_options){ .verbose = true }),
	                       "\n  skipped       exposed-communication"));
	assert_non_null(strstr(write_report(&r, &(struct write_options){ .color = true }),
	                       "\n  \033[31mfail\033[0m  "));
	report_release(&r);
}

/* A pass says that, and of what: nothing else. */
static void a_pass_is_short(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.headline = "pass: 1 of 1 check within its limits";
	r.baseline = (struct side){ .label = "a", .ranks = 1, .steps = 4 };
	r.candidate = (struct side){ .label = "b", .ranks = 2, .window = true };
	sample_check(&r, VERDICT_PASS, "step-cuda-time", "step", METRIC_STEP_CUDA_TIME, "");
	sample_drift(&r, "k");
	assert_string_equal(write_report(&r, &(struct write_options){ 0 }),
	                    "pass: 1 of 1 check within its limits\n"
	                    "baseline a (4 steps) → candidate b (2 ranks, whole trace)\n");
	report_release(&r);
}

static void a_diff(void **state)
{
	struct report r;
	(void)state;
	sample_diff(&r, "k");
	const char *text = write_report(&r, &(struct write_options){ 0 });
	static const char start[] = "median step.cuda_time: 100.10 ms → 112.40 ms\n"
	                            "baseline k at k (6 steps) → candidate k at k (6 steps); k\n";
	assert_ptr_equal(strstr(text, start), text);
	assert_non_null(strstr(text, "\n  gpu.utilization_pct  k   90.00 %          –       –\n"));
	assert_non_null(
	    strstr(text, "\nenvironment: baseline, candidate\n  differs  gpu.name  k  –\n"));
	report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(tables, end), cmocka_unit_test(words_of_a_ci_log),
		cmocka_unit_test_teardown(order, end),  cmocka_unit_test_teardown(a_pass_is_short, end),
		cmocka_unit_test_teardown(a_diff, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
