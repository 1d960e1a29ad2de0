/* Reports as terminal text: order of contents, alignment, colors, hostile lines. */
#include "report/findings.h"
#include "report/table.h"
#include "report_rig.h"

static const char *write_report(const struct report *r, const struct write_options *o)
{
	return write_as("text", r, o);
}

static const char *write_document(struct document *d, size_t width)
{
	struct sink *out = sink_open_memory();
	document_write_text(d, &(struct write_options){ .width = width, .color = true }, out);
	doc_release(d);
	return take(out);
}

static void tables(void **state)
{
	static const struct doc_column columns[] = { { "", DOC_LEFT },
		                                         { "time", DOC_RIGHT },
		                                         { "name", DOC_LEFT } };
	struct document d;
	(void)state;
	doc_init(&d);
	doc_table(&d, "", columns, 3);
	doc_row(&d, 0);
	doc_cell(&d);
	doc_add(&d, DOC_VERDICT, TONE_BAD, "fail");
	doc_figure_cell(&d, "1 µs", true, 1);
	doc_words_cell(&d, "");
	doc_row(&d, 0);
	doc_words_cell(&d, "ok");
	doc_words_cell(&d, "");
	doc_name_cell(&d, "größe");
	assert_string_equal(write_document(&d, 80), "        time  name\n"
	                                            "  \033[1;31mfail\033[0m  1 µs\n"
	                                            "  ok          größe\n");
}

/* Names are cut and words broken until a table fits; columns that still do not fit are left out and
 * named. */
static void narrow_tables(void **state)
{
	static const struct doc_column columns[] = {
		{ "name", DOC_LEFT }, { "a", DOC_RIGHT }, { "b", DOC_RIGHT }, { "c", DOC_RIGHT }
	};
	struct document d;
	(void)state;
	doc_init(&d);
	doc_table(&d, "", columns, 4);
	doc_row(&d, 0);
	doc_name_cell(&d, "0123456789012345678901234567890123456789");
	for (int i = 0; i < 3; i++)
		doc_figure_cell(&d, "12345678.90 ms", true, 0);
	assert_string_equal(write_document(&d, 56),
	                    "  name                                 a               b\n"
	                    "  0123456789012…23456789  12345678.90 ms  12345678.90 ms\n"
	                    "  1 more column with --verbose\n");
}

/* Lines are broken at blanks, except between a figure and its unit, or before a colon. */
static void broken_lines(void **state)
{
	struct document d;
	(void)state;
	doc_init(&d);
	doc_item(&d, 0);
	doc_said(&d, "it was 12.3 ms a ::error:: b ::c");
	doc_item(&d, 1);
	doc_name(&d, "::x");
	assert_string_equal(write_document(&d, 16), "- it was 12.3 ms\n"
	                                            "  a ::error::\n"
	                                            "  b ::c\n"
	                                            "  - ::x\n");
	doc_init(&d);
	doc_paragraph(&d);
	doc_name(&d, "::error::");
	doc_paragraph(&d);
	doc_add(&d, DOC_COMMAND, TONE_PLAIN, "gpugate check 'a b c d e f g h i j' --html x.html");
	assert_string_equal(write_document(&d, 30), "\uFFFD:error::\n"
	                                            "  gpugate check \\\n"
	                                            "    'a b c d e f g h i j' \\\n"
	                                            "    --html x.html\n");
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
		"fail · w: GPU time per step 12.29 % longer (limit 5 % and 2 ms)\n"
		"100.10 → 112.40 ms peak memory (+7.00 %, warning beyond 5 % and 2 ms) · 100.10 → 112.40 "
		"ms GPU time\n"
		"per step (+12.29 %, noise ±1.20 %)\n",
		"\nWhat changed\n- fail step-cuda-time: 100.10 ms → 112.40 ms · +12.30 ms (+12.29 %), "
		"worse, "
		"limit ",
		"\n- fail top-kernels[k]: ",
		"\n- not judged idle\n",
		"\nWhat to know\n",
		"- warning: the environment differs: 'k'\n",
		"- trust: candidate rank 3: dropped-kernels: the candidate has 'k'; spoils "
		"step.idle_time\n",
		"- not judged: copies[k]: memcpy.bytes of 'k' rose\n",
		"- waived: stragglers: rank.straggler_pct rose; waived until 2027-01-31: 'k', issue 1234\n",
		"\nWhere the change went\n",
		"  compute         +9.000 ms\n"
		"    GEMM          +9.000 ms\n"
		"      k           +9.000 ms  renamed from 'k'\n"
		"        launches  +8.000 ms  launches 12 → 14\n"
		"        mean      +1.000 ms  mean 1.000 ms → 1.100 ms\n"
		"  not attributed  +3.300 ms\n",
		"\nbaseline k at k (10 runs, 6 steps; approved 12 days ago) → candidate k at k (3 runs, 6 "
		"steps); k;\n"
		"environment differs: gpu.name; rules k, profile k\n",
		"\nWhat to do\n"
		"Intended? Make it the baseline:\n"
		"  gpugate approve --new 'k' --force\n"
		"\n2 of 8 checks beyond their limits, 1 inconclusive, 1 missing, 1 warning; --verbose "
		"lists "
		"them\n",
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
	assert_null(strstr(write_report(&r, &(struct write_options){ 0 }), "Ranks of the baseline"));
	at = write_report(&r, &(struct write_options){ .verbose = true, .width = 200 });
	assert_non_null(strstr(at, "\n  skipped     exposed-communication"));
	assert_non_null(strstr(at, "\nRanks of the baseline\n"));
	assert_non_null(strstr(
	    at, "- insight: candidate rank 3: straggler: k\n- insight: baseline: lost-rank: k\n"));
	assert_non_null(strstr(at, "\n  renamed  k → k "));
	assert_non_null(strstr(write_report(&r, &(struct write_options){ .color = true }),
	                       "\n- \033[1;31mfail\033[0m step-cuda-time"));
	report_release(&r);
}

/* With many ranks, the ranks that insights name come first, up to a limit. */
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

/* A finding on many ranks takes one line, and so do the checks that it leaves undecided. */
static void findings_of_many_ranks(void **state)
{
	static const char want[] =
	    "- trust: candidate ranks 0 to 2: stuck: the same; spoils step.time; 4 checks cannot be "
	    "judged\n"
	    "- trust: candidate rank 0: truncated: has 0\n"
	    "- trust: candidate rank 1: truncated: has 1\n"
	    "- trust: candidate ranks 2 and 8: truncated: has 2\n"
	    "- trust: candidate ranks 3 to 7: truncated: has 3 (the others alike)\n"
	    "- trust: baseline: stuck: the same\n";
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
	if (!strstr(text, want))
		fail_msg("%s", text);
	assert_null(strstr(text, "many"));
	assert_non_null(strstr(text, "- not judged few\n"));
	text = write_report(&r, &(struct write_options){ .verbose = true });
	assert_non_null(strstr(text, "  not judged  many "));
	report_release(&r);
}

/* For an undecided check, the report advises what would decide it. */
static void what_would_decide(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.summary = "1 of 1 check may be beyond its limits";
	r.verdict = VERDICT_UNDECIDED;
	r.workload = "w";
	struct check *c =
	    sample_check(&r, VERDICT_UNDECIDED, "idle", GROUP_STEP, METRIC_STEP_IDLE_TIME, "");
	c->evidence.plan_text = "2 more runs of the candidate would decide";
	const char *text = write_report(&r, &(struct write_options){ .color = true });
	assert_non_null(strstr(text, "\033[35mundecided\033[0m"));
	text = write_report(&r, &(struct write_options){ 0 });
	assert_non_null(strstr(text, "\nWhat may have changed\n"));
	assert_non_null(strstr(text, "\nWhat to do: 2 more runs of the candidate would decide\n"));
	r.plan_runs = 2;
	r.decide = "gpugate check a.json --repeat=new{1..2}.json";
	r.accept = "gpugate approve a.json";
	assert_non_null(strstr(write_report(&r, &(struct write_options){ 0 }),
	                       "\nTo decide, run change (new) 2 times more:\n"
	                       "  gpugate check a.json --repeat=new{1..2}.json\n"
	                       "\nWhat may have changed\n"));
	assert_null(strstr(write_report(&r, &(struct write_options){ 0 }), "Intended?"));
	assert_non_null(strstr(write_report(&r, &(struct write_options){ .verbose = true }),
	                       "\nIntended? Make it the baseline:\n"
	                       "  gpugate approve a.json\n"));
	report_release(&r);
}

/* The text of a pass has the verdict and its subject, and nothing else. */
static void a_pass_is_short(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.summary = "1 of 1 check within its limits";
	r.verdict = VERDICT_PASS;
	r.workload = "w";
	r.baseline = (struct side){ .label = "a", .ranks = 1, .steps = 4 };
	r.candidate = (struct side){ .label = "b", .ranks = 2, .window = true };
	sample_check(&r, VERDICT_PASS, "step-cuda-time", GROUP_STEP, METRIC_STEP_CUDA_TIME, "");
	sample_drift(&r, "k");
	sample_ranks(&r, "k");
	r.insights.nr = 0;
	assert_string_equal(write_report(&r, &(struct write_options){ 0 }),
	                    "pass · w: no figure is beyond its limit; nothing to do\n"
	                    "\nbaseline a (4 steps) → candidate b (2 ranks, whole trace)\n"
	                    "\n1 of 1 check within its limits; --verbose lists them\n");
	report_release(&r);
}

/* A pass begins with what became better: a key figure before others, however much these changed. */
static void a_pass_is_news(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.summary = "3 improved";
	r.verdict = VERDICT_PASS;
	r.workload = "w";
	r.baseline = r.candidate = (struct side){ .label = "a", .ranks = 1, .steps = 4 };
	sample_values(sample_check(&r, VERDICT_IMPROVED, "k", GROUP_KERNELS, METRIC_KERNEL_TIME, "k"),
	              100, 10);
	sample_values(sample_check(&r, VERDICT_IMPROVED, "a", GROUP_STEP, METRIC_STEP_COMPUTE_TIME, ""),
	              100, 60);
	sample_values(sample_check(&r, VERDICT_PASS, "b", GROUP_STEP, METRIC_STEP_CUDA_TIME, ""), 100,
	              5);
	const char *text = write_report(&r, &(struct write_options){ 0 });
	static const char start[] =
	    "pass · w: compute per step 12.29 % shorter, 1 more improved; nothing to do\n";
	assert_memory_equal(text, start, sizeof start - 1);
	report_release(&r);
}

/* The heading has the title of the main finding up to its figures, also where a name in it holds a
   colon. */
static void a_title_with_colons(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.summary = "1 failed";
	r.verdict = VERDICT_FAIL;
	r.status = ST_FAILED;
	r.workload = "w";
	r.baseline = r.candidate = (struct side){ .label = "a", .ranks = 1, .steps = 4 };
	sample_values(sample_check(&r, VERDICT_FAIL, "k", GROUP_KERNELS, METRIC_KERNEL_TIME, "a: b"),
	              100, 200);
	struct finding *f = vec_push_zero(&r.findings);
	*f = (struct finding){ .cause = CAUSE_KERNEL,
		                   .verdict = VERDICT_FAIL,
		                   .title = "a: b is slower: 1.00 ms → 2.00 ms per launch",
		                   .head = strlen("a: b is slower"),
		                   .action = "",
		                   .cost = 1000000,
		                   .cost_amount = "+1.00 ms per step",
		                   .cost_text = "" };
	vec_push(&f->checks, 0);
	const char *text = write_report(&r, &(struct write_options){ 0 });
	static const char start[] = "fail · w: a: b is slower, +1.00 ms per step\n";
	if (strstr(text, start) != text)
		fail_msg("%s", text);
	report_release(&r);
}

static void a_diff(void **state)
{
	struct report r;
	(void)state;
	sample_diff(&r, "k");
	const char *text = write_report(&r, &(struct write_options){ 0 });
	static const char start[] =
	    "no verdict, diff only compares · median step.cuda_time: 100.10 ms "
	    "→ 112.40 ms\n\n"
	    "What changed\n- worse GPU time per step · +12.30 ms\n"
	    "  where: compute › GEMM › k › launches (+8.000 ms)\n\n"
	    "What to do: diff applies no limits and knows no noise; to judge the candidate by "
	    "limits:\n\n"
	    "  gpugate approve --new k --baseline baseline.json && gpugate "
	    "check k --baseline baseline.json\n\n"
	    "baseline k at k (6 steps) → candidate k at k (6 steps); k\n";
	if (strstr(text, start) != text)
		fail_msg("%s", text);
	assert_non_null(strstr(text, "\n  GPU utilization  k    90.00 %          –       –\n"));
	assert_non_null(strstr(text, "\nEnvironment\n"));
	assert_non_null(strstr(text, "\n  differs  gpu.name  k\n"));
	report_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_ranks),
		cmocka_unit_test_teardown(tables, end),
		cmocka_unit_test_teardown(narrow_tables, end),
		cmocka_unit_test_teardown(broken_lines, end),
		cmocka_unit_test(words_of_a_ci_log),
		cmocka_unit_test_teardown(order, end),
		cmocka_unit_test_teardown(what_would_decide, end),
		cmocka_unit_test_teardown(a_pass_is_short, end),
		cmocka_unit_test_teardown(a_pass_is_news, end),
		cmocka_unit_test_teardown(findings_of_many_ranks, end),
		cmocka_unit_test_teardown(a_title_with_colons, end),
		cmocka_unit_test_teardown(a_diff, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
