/* Terminal text: what stands where, alignment, colours, hostile lines. */
#include "report/findings.h"
#include "report/table.h"
#include "report_rig.h"

static const char *write_report(const struct report *r, const struct write_options *o)
{
	return write_as("text", r, o);
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
		"baseline k at k (10 runs, 6 steps; pinned 12 days ago) → candidate k at k (3 runs, 6 "
		"steps); k; environment differs: gpu.name; rules k, profile k\n"
		"false alarms: 2.5 in 1,000 unchanged runs would fail\n"
		"warning: the environment differs: 'k'\n"
		"trust: candidate rank 3: dropped-kernels: the candidate has 'k'; spoils step.idle_time\n",
		"  fail          step-cuda-time",
		"\n      runs of the candidate: 111.00 ms, 112.40 ms, 113.00 ms\n      evidence: 3 runs "
		"against 10: the noise is ±1.20 ms; a change of 6.20 ms (+6.19 %) "
		"would have\n      been seen; 1.25 in 1,000 unchanged runs fail here\n",
		"  inconclusive  idle",
		"  waived        stragglers",
		"\n      waived until 2027-01-31: 'k', issue 1234\n",
		"missing: copies[k]: memcpy.bytes of 'k' rose\n",
		"candidate: k; attribution: launch\n"
		"insight: candidate rank 3: straggler: k\ninsight: baseline: lost-rank: k\n",
		"\nranks of the candidate\n"
		"  rank  step.time  last did\n"
		"     0   12.40 ms         –\n"
		"     3   12.40 ms      at k\n",
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
	assert_null(strstr(write_report(&r, &(struct write_options){ 0 }), "ranks of the baseline"));
	at = write_report(&r, &(struct write_options){ .verbose = true });
	assert_non_null(strstr(at, "\n  skipped       exposed-communication"));
	assert_non_null(strstr(at, "\nranks of the baseline\n"));
	assert_non_null(strstr(write_report(&r, &(struct write_options){ .color = true }),
	                       "\n  \033[31mfail\033[0m  "));
	report_release(&r);
}

/* Our own words are broken at blanks and never within a word; a stranger's stay one line. */
static void notes(void **state)
{
	struct table t = { .align = "l" };
	struct sink *out = sink_open_memory();
	struct strbuf words = STRBUF_INIT;
	(void)state;
	for (int i = 0; i < 12; i++)
		strbuf_adds(&words, "±23456789 ");
	for (int i = 0; i < 12; i++)
		strbuf_adds(&words, "0123456789");
	table_note(&t, "x: ", strbuf_str(&words));
	table_note_line(&t, "y ", strbuf_str(&words));
	table_write(&t, out);
	const char *text = take(out);
	static const char first[] = "      x: ±23456789 ±23456789 ±23456789 ±23456789 ±23456789 "
	                            "±23456789 ±23456789 ±23456789 ±23456789\n      ±23456789 ";
	assert_ptr_equal(strstr(text, first), text);
	assert_non_null(strstr(text, "\n      y ±23456789 "));
	size_t lines = 0;
	for (const char *p = text; (p = strchr(p, '\n')); p++)
		lines++;
	assert_int_equal(lines, 4);
	strbuf_release(&words);
}

/* Of many ranks those that are named come first, and no more than there is room for. */
static void many_ranks(void **state)
{
	static const struct {
		size_t named, max, shown, more;
		int64_t first, last;
	} rows[] = {
		{ 0, 4, 4, 96, 0, 3 },   { 2, 4, 4, 96, 0, 99 },    { 4, 4, 4, 96, 96, 99 },
		{ 6, 4, 4, 96, 94, 97 }, { 0, 100, 100, 0, 0, 99 }, { 3, 99, 99, 1, 0, 99 },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct report r;
		struct rank_choice c;
		report_init(&r);
		for (int64_t k = 0; k < 100; k++)
			vec_push(&r.ranks, (struct rank_row){ .rank = k, .candidate = true });
		for (size_t k = 0; k < rows[i].named; k++)
			vec_push(&r.insights, (struct insight){ "x", true, 99 - (int64_t)k, "" });
		vec_push(&r.insights, (struct insight){ "x", false, 50, "" });
		ranks_choose(&r, true, rows[i].max, &c);
		assert_int_equal(c.rows.nr, rows[i].shown);
		assert_int_equal(c.more, rows[i].more);
		assert_int_equal(c.rows.v[0]->rank, rows[i].first);
		assert_int_equal(c.rows.v[c.rows.nr - 1]->rank, rows[i].last);
		vec_release(&c.rows);
		report_release(&r);
	}
}

/* What is said of many ranks is one line; so are the checks that it leaves undecided. */
static void findings_of_many_ranks(void **state)
{
	static const char want[] =
	    "trust: candidate ranks 0 to 2: stuck: the same; spoils step.time\n"
	    "trust: candidate rank 0: truncated: has 0\n"
	    "trust: candidate rank 1: truncated: has 1\n"
	    "trust: candidate ranks 2 and 8: truncated: has 2\n"
	    "trust: candidate ranks 3 to 7: truncated: has 3 (the others alike)\n"
	    "trust: baseline: stuck: the same\n"
	    "inconclusive: 4 checks cannot be judged: stuck of candidate ranks 0 to 2 (--verbose lists "
	    "them)\n"
	    "\n"
	    "                check ";
	struct report r;
	(void)state;
	report_init(&r);
	for (int k = 0; k < 12; k++) {
		int rank = k < 3 ? k : k - 3;
		const char *message = arena_printf(&r.arena, "has %d", rank == 8 ? 2 : rank);
		vec_push(&r.trust, (struct trust_finding){ .id = k < 3 ? "stuck" : "truncated",
		                                           .rank = rank,
		                                           .candidate = true,
		                                           .message = k < 3 ? "the same" : message });
		if (k < 3)
			vec_push(&r.trust.v[k].spoils, "step.time");
	}
	vec_push(&r.trust, (struct trust_finding){ .id = "stuck", .rank = -1, .message = "the same" });
	for (int k = 0; k < 6; k++)
		sample_check(&r, VERDICT_INCONCLUSIVE, k < 4 ? "many" : "few", GROUP_STEP, METRIC_STEP_TIME,
		             "")
		    ->spoiler = &r.trust.v[k < 4 ? k % 3 : 4];
	const char *text = write_report(&r, &(struct write_options){ 0 });
	assert_non_null(strstr(text, want));
	assert_null(strstr(text, "many"));
	assert_non_null(strstr(text, "  inconclusive  few "));
	text = write_report(&r, &(struct write_options){ .verbose = true });
	assert_non_null(strstr(text, "  inconclusive  many "));
	assert_null(strstr(text, "cannot be judged"));
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
	sample_check(&r, VERDICT_PASS, "step-cuda-time", GROUP_STEP, METRIC_STEP_CUDA_TIME, "");
	sample_drift(&r, "k");
	sample_ranks(&r, "k");
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
		cmocka_unit_test(many_ranks),
		cmocka_unit_test_teardown(notes, end),
		cmocka_unit_test_teardown(tables, end),
		cmocka_unit_test(words_of_a_ci_log),
		cmocka_unit_test_teardown(order, end),
		cmocka_unit_test_teardown(a_pass_is_short, end),
		cmocka_unit_test_teardown(findings_of_many_ranks, end),
		cmocka_unit_test_teardown(a_diff, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
