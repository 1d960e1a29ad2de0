/* JSON output of check, diff and metrics: keys, exact numbers, valid text. */
#include "report/document.h"
#include "report/emit.h"
#include "report_rig.h"
#include "sample_digest.h"

static const char *write_report(const struct report *r)
{
	return write_as("json", r, &(struct write_options){ 0 });
}

static void assert_all(const char *text, const char *const *parts, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		assert_has(text, parts[i]);
}

static void texts(void **state)
{
	static const struct {
		struct span text;
		const char *json;
	} rows[] = {
		{ SPAN("plain é 核"), "\"plain é 核\"" },
		{ SPAN("\"\\/"), "\"\\\"\\\\/\"" },
		{ SPAN("\n\t\x01\x7f"), "\"\\u000a\\u0009\\u0001\\u007f\"" },
		{ SPAN("\xC2\x9B\xE2\x80\xAE\xE2\x80\xA8"), "\"\\u009b\\u202e\\u2028\"" },
		{ SPAN("a\0b"), "\"a\xEF\xBF\xBD"
		                "b\"" },
		{ SPAN("\xED\xA0\x80\xFF"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"" },
		{ SPAN(""), "\"\"" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct emit e = { sink_open_memory(), false };
		emit_text(&e, NULL, rows[i].text);
		assert_string_equal(take(e.out), rows[i].json);
	}
}

static void ids(void **state)
{
	static const char *const rows[][2] = {
		{ "0", "0" },
		{ "12", "12" },
		{ "012", "\"012\"" },
		{ "-1", "\"-1\"" },
		{ "1e3", "\"1e3\"" },
		{ "1.0", "\"1.0\"" },
		{ "", "\"\"" },
		{ "gpu0", "\"gpu0\"" },
		{ "99999999999999999999", "\"99999999999999999999\"" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct emit e = { sink_open_memory(), false };
		emit_id(&e, NULL, span_of(rows[i][0]));
		assert_string_equal(take(e.out), rows[i][1]);
	}
}

static void nesting(void **state)
{
	struct emit e = { sink_open_memory(), false };
	(void)state;
	emit_open(&e, NULL, '{');
	emit_number(&e, "a", -1500000, 6);
	emit_open(&e, "b", '[');
	emit_close(&e, ']');
	emit_line(&e, 1);
	emit_open(&e, "c", '[');
	emit_str(&e, NULL, NULL);
	emit_bool(&e, NULL, true);
	emit_str(&e, NULL, NULL);
	emit_close(&e, ']');
	emit_close(&e, '}');
	assert_string_equal(take(e.out), "{\"a\": -1.5, \"b\": [],\n \"c\": [null, true, null]}");
}

static void a_result(void **state)
{
	static const char *const parts[] = {
		"{\"schema\": \"gpugate-result-1\", \"verdict\": \"fail\", \"exit_code\": 1, "
		"\"confirmed\": true,\n \"workload\": \"w\"",
		"{\"key\": \"gpu.name\", \"baseline\": \"k\", \"candidate\": null, \"match\": false}",
		"{\"finding\": \"dropped-kernels\", \"rank\": 3, \"side\": \"candidate\", \"spoils\": "
		"[\"step.idle_time\"], ",
		"{\"finding\": \"json-faults\", \"rank\": null, \"side\": \"baseline\", \"spoils\": [], ",
		"\"metric\": \"step.cuda_time\", \"select\": {}, \"item\": null, \"group\": \"step\", "
		"\"verdict\": \"fail\", "
		"\"unit\": \"ns\", \"baseline\": 100100000, \"candidate\": 112400000, \"change\": "
		"12300000, "
		"\"change_pct\": 12.287712, \"limit\": \"increase 5% and 2ms\", \"noise\": "
		"{\"noise\": 1200000, \"past_runs\": 0, \"baseline_runs\": 10, \"candidate_runs\": 3, "
		"\"runs\": [111000000, "
		"112400000, 113000000], \"detectable\": 6200000, \"false_alarms_per_1000\": 1.25, "
		"\"steps\": "
		"[{\"n\": 6, \"median\": 100100000, \"spread\": 300000}, {\"n\": 5, \"median\": 112400000, "
		"\"spread\": 400000}], \"p\": 0.004329}, \"waiver\": null, \"message\": ",
		"\"attribution\": [\n    {\"level\": 0, \"part\": \"compute\", \"change\": 9000000},",
		"\"id\": \"top-kernels[k]\", \"rule\": \"top-kernels\", \"metric\": \"kernel.time\", "
		"\"select\": {\"kernel\": \"k\"}, \"item\": \"k\",",
		"\"noise\": null, \"waiver\": \"until 2027-01-31: 'k', issue 1234\", ",
		"\"unit\": \"%\", \"baseline\": 90, \"candidate\": 90.500001, \"change\": 0.500001, "
		"\"change_pct\": 0.555557,",
		"\"unit\": \"B/step\", \"baseline\": null, \"candidate\": null, \"change\": null, "
		"\"change_pct\": null,",
		"\"summary\": {\"pass\": 1, \"warn\": 1, \"fail\": 2, \"undecided\": 0, \"missing\": 1, "
		"\"inconclusive\": 1, "
		"\"improved\": 1, \"waived\": 1, \"skipped\": 1}",
		"\"ranks\": {\"columns\": [\"step.time\", \"last did\"], \"rows\": [\n  {\"rank\": 0, "
		"\"side\": \"candidate\", \"cells\": [\"12.40 ms\", \"–\"]},\n  {\"rank\": 3, \"side\": "
		"\"candidate\", \"cells\": [\"12.40 ms\", \"at k\"]},",
		"\"insights\": [\n  {\"insight\": \"straggler\", \"rank\": 3, \"side\": \"candidate\", "
		"\"message\": \"k\"},\n  {\"insight\": \"lost-rank\", \"rank\": null, \"side\": "
		"\"baseline\", ",
		"\"drift\": \"renamed\", \"renamed_to\": \"k\", \"baseline\": 1000, \"candidate\": 3000, "
		"\"change\": 2000, "
		"\"baseline_count\": 1.5,",
	};
	struct report r;
	(void)state;
	sample_report(&r, "k", "w");
	assert_all(write_report(&r), parts, NR_OF(parts));
	report_release(&r);
}

/* Keys have a fixed order, for people who read the file. */
static void order_of_keys(void **state)
{
	static const char *const keys[] = {
		"schema",
		"verdict",
		"exit_code",
		"confirmed",
		"workload",
		"rules",
		"baseline",
		"candidate",
		"profile",
		"baseline_runs",
		"candidate_runs",
		"pin_age_days",
		"reference_commit",
		"false_alarms_per_1000",
		"partial",
		"same_artifact",
		"error",
		"environment",
		"key",
		"baseline",
		"candidate",
		"match",
		"trust",
		"finding",
		"rank",
		"side",
		"spoils",
		"message",
		"warnings",
		"notes",
		"baseline",
		"candidate",
		"checks",
		"id",
		"rule",
		"metric",
		"select",
		"item",
		"group",
		"verdict",
		"unit",
		"baseline",
		"candidate",
		"change",
		"change_pct",
		"limit",
		"noise",
		"waiver",
		"message",
		"attribution",
		"level",
		"part",
		"change",
		"plan",
		"summary",
		"pass",
		"warn",
		"fail",
		"missing",
		"inconclusive",
		"improved",
		"waived",
		"skipped",
		"ranks",
		"columns",
		"rows",
		"insights",
		"drift",
		"kernel",
		"category",
		"drift",
		"baseline",
		"candidate",
		"change",
		"baseline_count",
		"candidate_count",
	};
	struct report r;
	struct strbuf key = STRBUF_INIT;
	(void)state;
	sample_report(&r, "k", "w");
	vec_release(&r.checks.v[0].evidence.runs);
	r.checks.v[0].evidence = (struct evidence){ 0 };
	r.environment.nr = r.trust.nr = r.checks.nr = r.drift.nr = 1;
	const char *at = write_report(&r);
	for (size_t i = 0; i < NR_OF(keys); i++) {
		strbuf_setlen(&key, 0);
		strbuf_addf(&key, "\"%s\": ", keys[i]);
		const char *found = strstr(at, strbuf_str(&key));
		if (!found)
			fail_msg("%s is not in its place:\n%s", keys[i], at);
		at = found + key.n;
	}
	strbuf_release(&key);
	report_release(&r);
}

static void selections(void **state)
{
	static const struct {
		struct select_pair pairs[3];
		const char *want;
	} rows[] = {
		{ { { NULL, NULL } }, "{}" },
		{ { { "kernel", "a*" } }, "{\"kernel\": \"a*\"}" },
		{ { { "kernel", "a*" }, { "rank", "3" } }, "{\"kernel\": \"a*\", \"rank\": \"3\"}" },
		{ { { "kernel", "gemm<K, mode=fast>" } }, "{\"kernel\": \"gemm<K, mode=fast>\"}" },
	};
	struct strbuf want = STRBUF_INIT;
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct report r;
		report_init(&r);
		sample_check(&r, VERDICT_PASS, "r", GROUP_KERNELS, METRIC_KERNEL_TIME, "")->select =
		    rows[i].pairs;
		strbuf_setlen(&want, 0);
		strbuf_addf(&want, "\"select\": %s, \"item\"", rows[i].want);
		assert_all(write_report(&r), (const char *[]){ strbuf_str(&want) }, 1);
		report_release(&r);
	}
	strbuf_release(&want);
}

static void an_error(void **state)
{
	static const char *const parts[] = {
		"\"verdict\": \"error\", \"exit_code\": 4,",
		"\"baseline\": null, \"candidate\": null,",
		"\"error\": \"no baseline\",",
		"\"checks\": [],",
	};
	struct report r;
	(void)state;
	report_init(&r);
	r.status = ST_BASELINE;
	r.error = "no baseline";
	assert_all(write_report(&r), parts, NR_OF(parts));
	report_release(&r);
}

static void a_diff(void **state)
{
	static const char *const parts[] = {
		"{\"schema\": \"gpugate-diff-1\",\n \"workload\": \"\", \"rules\": \"\", \"baseline\": "
		"\"k\"",
		"{\"metric\": \"gpu.utilization_pct\", \"item\": \"k\", \"unit\": \"%\", \"baseline\": "
		"90.000001, "
		"\"candidate\": null, \"change\": null, \"change_pct\": null}",
		"\n \"attribution\": [\n    {\"level\": 0, \"part\": \"compute\", \"change\": 9000000},",
	};
	struct report r;
	(void)state;
	sample_diff(&r, "k");
	const char *text = write_report(&r);
	assert_all(text, parts, NR_OF(parts));
	assert_null(strstr(text, "\"verdict\""));
	report_release(&r);
}

/* ---- output of `metrics --json` ---- */

static const char *write_ranks(struct digest *const *d, size_t nr, const struct report *r,
                               bool json)
{
	struct category_table categories = { .source = "test" };
	struct naming naming = { .categories = &categories };
	struct run run = { .label = "test" };
	struct run_view v;
	struct sink *out = sink_open_memory();
	for (size_t i = 0; i < nr; i++)
		vec_push(&run.ranks, d[i]);
	run_view_init(&v, &run, &naming);
	if (json)
		metrics_write_json(&v, r, out);
	else {
		struct document text;
		doc_init(&text);
		doc_metrics(&text, &(struct report){ .run = &(struct run_report){ .view = &v } });
		document_write_text(&text, &(struct write_options){ .width = 200, .verbose = true }, out);
		doc_release(&text);
	}
	run_view_release(&v);
	run_release(&run);
	return take(out);
}

static const char *write_metrics(struct digest *d, bool json)
{
	return write_ranks(&d, 1, NULL, json);
}

static void metrics(void **state)
{
	static const char *const parts[] = {
		"{\"schema\": \"gpugate-metrics-1\",\n \"ranks\": [\n  {\"rank\": 3, \"trace\": "
		"\"rank.json\", "
		"\"snapshot\": null, \"metrics_file\": \"bench.json\", \"gpu\": \"NVIDIA "
		"\\\"A100\\\"/80GB\", \"device\": 0, \"world_size\": "
		"2, "
		"\"attribution\": \"launch\", \"gpu_events\": 40, \"with_launch\": 39, \"carried_over\": "
		"1, \"dropped\": 0, "
		"\"unattributed\": 0, ",
		"{\"metric\": \"step.time\", \"unit\": \"ns\", \"rank\": 3, \"samples\": [{\"step\": 7, "
		"\"value\": 100000000}, "
		"{\"step\": 8, \"value\": 300000000}]}",
		"{\"metric\": \"window.busy_time\", \"unit\": \"ns\", \"rank\": 3, \"device\": 0, "
		"\"value\": 800}",
		"{\"metric\": \"gpu.utilization_pct\", \"unit\": \"%\", \"rank\": 3, \"device\": 0, "
		"\"value\": 50}",
		"{\"metric\": \"comm.overlap_pct\", \"unit\": \"%\", \"rank\": 3, \"value\": 33.333333}",
		"{\"metric\": \"input.accuracy\", \"unit\": \"1\", \"rank\": 3, \"value\": 0.7612}",
		"{\"metric\": \"kernel.count\", \"unit\": \"1/step\", \"rank\": 3, \"kernel\": "
		"\"triton_mul\", \"value\": 2.5}",
		"{\"metric\": \"memory.peak_allocated\", \"unit\": \"B\", \"rank\": 3, \"device\": 0, "
		"\"value\": 4000, "
		"\"source\": \"trace\"}",
		"\"kernels\": [\n  {\"rank\": 3, \"kind\": \"kernel\", \"name\": \"alpha_gemm\", "
		"\"match\": \"alpha_gemm\", "
		"\"category\": \"other\", \"count\": 7, \"total\": 700, \"max\": 150},\n"
		"  {\"rank\": 3, \"kind\": \"kernel\", \"name\": \"triton_mul_4_5\", \"match\": "
		"\"triton_mul\", ",
		"{\"rank\": 3, \"kind\": \"memset\", \"name\": \"Memset (Device)\", ",
	};
	(void)state;
	assert_all(write_metrics(sample_digest(3), true), parts, NR_OF(parts));
}

/* The first of several steps has no period: this sample is left out, the step's other samples are
 * not. */
static void metrics_without_a_period(void **state)
{
	static const char *const parts[] = {
		"{\"metric\": \"step.period\", \"unit\": \"ns\", \"rank\": 0, \"samples\": [{\"step\": 8, "
		"\"value\": 600000000}]}",
		"{\"metric\": \"step.latency\", \"unit\": \"ns\", \"rank\": 0, \"samples\": [{\"step\": 7, "
		"\"value\": 250000000}, {\"step\": 8, \"value\": 700000000}]}",
	};
	struct digest *d = sample_digest(0);
	(void)state;
	d->samples[METRIC_STEP_PERIOD][0] = NO_SAMPLE;
	assert_all(write_metrics(d, true), parts, NR_OF(parts));
}

/* Without steps, the only sample has no number, and is marked as that of a window. */
static void metrics_of_a_window(void **state)
{
	static const char *const parts[] = {
		"\"world_size\": null, ",
		"\"device\": null, ",
		"\"per\": \"window\", \"samples\": [{\"step\": null, \"value\": 1000}]}",
	};
	struct digest *d = sample_digest(0);
	(void)state;
	d->window = true;
	d->nr_steps = 1;
	d->samples[METRIC_STEP_TIME][0] = 1000;
	d->world_size = -1;
	d->devices.nr = 0;
	assert_all(write_metrics(d, true), parts, NR_OF(parts));
}

static void metrics_for_people(void **state)
{
	static const char *const parts[] = {
		"   0  rank.json, bench.json  NVIDIA \"A100\"/80GB      2   1,000              40          "
		"   1\n",
		"\nper step\n  figure                         median     lowest    highest\n"
		"  step.time                   200.00 ms  100.00 ms  300.00 ms\n"
		"  step.period                 400.00 ms  200.00 ms  600.00 ms\n"
		"  step.latency                475.00 ms  250.00 ms  700.00 ms\n",
	};
	(void)state;
	assert_all(write_metrics(sample_digest(0), false), parts, NR_OF(parts));
}

/* A rank whose texts end with the rank's number, with a collective and two functions. */
static struct digest *a_rank(int64_t rank)
{
	struct digest *d = sample_digest(rank);
	d->usable_steps = 2;
	d->window_ns = 1000;
	d->samples[METRIC_STEP_TIME][0] += rank * 1000000;
	d->samples[METRIC_STEP_TIME][1] += rank * 1000000;
	d->comms.nr = d->functions.nr = 0;
	vec_push(&d->comms, (struct comm_stat){ .kind = COLLECTIVE_ALL_REDUCE,
	                                        .group = SPAN("dp\n::x"),
	                                        .dtype = SPAN("Float"),
	                                        .group_size = 2,
	                                        .count = 4,
	                                        .total_ns = 4000,
	                                        .max_ns = 2000,
	                                        .bytes = 8000,
	                                        .sized_count = 4,
	                                        .sized_ns = 4000 });
	vec_push(&d->functions, (struct function_stat){ .cls = FUNCTION_COMPUTE,
	                                                .name = SPAN("gemm"),
	                                                .parent = -1,
	                                                .count = 3,
	                                                .total_ns = 600,
	                                                .exclusive_ns = 500 + rank,
	                                                .median_ns = 200,
	                                                .rate = -1,
	                                                .rate_mad = -1 });
	vec_push(&d->functions, (struct function_stat){ .cls = FUNCTION_MEMORY,
	                                                .name = SPAN("Memcpy"),
	                                                .parent = -1,
	                                                .count = 3,
	                                                .total_ns = 20,
	                                                .exclusive_ns = 9 + rank,
	                                                .median_ns = 6,
	                                                .rate = 2000,
	                                                .rate_mad = 100 });
	return d;
}

static void metrics_of_ranks(void **state)
{
	static const char *const people[] = {
		"per step: median of the ranks, lowest, highest\n"
		"  figure                         median     lowest            highest\n"
		"  step.time                   201.00 ms  200.00 ms  rank 0  202.00 ms  rank 2\n",
	};
	static const char *const programs[] = {
		"{\"rank\": 1, \"kind\": \"all_reduce\", \"group\": \"dp\\u000a::x\", \"dtype\": "
		"\"Float\", "
		"\"group_size\": 2, \"count\": 4, \"total\": 4000, \"max\": 2000, \"bytes\": 8000, "
		"\"sized_count\": 4, \"sized_total\": 4000}",
		"\"functions\": [\n  {\"rank\": 0, \"class\": \"compute\", \"name\": \"gemm\", "
		"\"exclusive_pct\": 50, \"count\": 3, \"total\": 600, \"median\": 200, \"throughput\": "
		"null, "
		/* a function of 0.9 % is left out */
		"\"throughput_spread\": null},\n  {\"rank\": 1, \"class\": \"memory\"",
		"\"trust\": [\n  {\"finding\": \"dropped-kernels\", \"rank\": 3, \"spoils\": ",
		"\"rank_table\": {\"columns\": [\"step.time\", \"last did\"], \"rows\": [\n  {\"rank\": 0, "
		"\"cells\": [\"12.40 ms\", \"–\"]}",
		"\"insights\": [\n  {\"insight\": \"straggler\", \"rank\": 3, \"message\": \"k\"}]}",
	};
	struct report r;
	(void)state;
	sample_report(&r, "k", "w");
	r.kind = REPORT_RUN;
	for (int json = 0; json < 2; json++) {
		struct digest *const ranks[] = { a_rank(0), a_rank(1), a_rank(2) };
		const char *text = write_ranks(ranks, 3, &r, json);
		if (json)
			assert_all(text, programs, NR_OF(programs));
		else
			assert_all(text, people, NR_OF(people));
	}
	report_release(&r);
}

/* The figures of a stored run are the statistics that its digest has in place of samples. */
static void metrics_of_a_stored_run(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	for (int m = 0; m < NR_STEP_METRICS; m++) {
		struct step_summary *sum = vec_push_zero(&d->summaries);
		sum->metric = m;
		for (int i = 0; i < NR_STATISTICS; i++)
			sum->value[i] = (i + 1) * 1000000;
	}
	assert_all(
	    write_metrics(d, false),
	    (const char *[]){ "\n  step.time                     1.000 ms   3.000 ms   4.000 ms\n" },
	    1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(texts, end),
		cmocka_unit_test_teardown(ids, end),
		cmocka_unit_test_teardown(nesting, end),
		cmocka_unit_test_teardown(a_result, end),
		cmocka_unit_test_teardown(order_of_keys, end),
		cmocka_unit_test_teardown(selections, end),
		cmocka_unit_test_teardown(an_error, end),
		cmocka_unit_test_teardown(a_diff, end),
		cmocka_unit_test_teardown(metrics, end),
		cmocka_unit_test_teardown(metrics_without_a_period, end),
		cmocka_unit_test_teardown(metrics_of_a_window, end),
		cmocka_unit_test_teardown(metrics_for_people, end),
		cmocka_unit_test_teardown(metrics_of_ranks, end),
		cmocka_unit_test_teardown(metrics_of_a_stored_run, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
