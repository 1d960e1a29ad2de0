/* Reports in Markdown: order of contents, size limits, and names that try to break the format. */
#include "document/comment.h"
#include "report_rig.h"

static const char *write_report(const struct report *r, size_t max_bytes)
{
	return write_as("markdown", r, &(struct write_options){ .max_bytes = max_bytes });
}

static const char *write_sample(const char *name, const char *workload, size_t max_bytes)
{
	struct report r;
	sample_report(&r, name, workload);
	const char *text = write_report(&r, max_bytes);
	report_release(&r);
	return text;
}

static void code_spans(void **state)
{
	static const struct {
		const char *name, *plain, *in_table;
	} rows[] = {
		{ "gemm", "`gemm`", "`gemm`" },
		{ "", "–", "–" },
		{ "a`b", "``a`b``", "``a`b``" },
		{ "``a`b", "``` ``a`b ```", "``` ``a`b ```" },
		{ "`", "`` ` ``", "`` ` ``" },
		{ "a`", "`` a` ``", "`` a` ``" },
		{ " a ", "`  a  `", "`  a  `" },
		{ " a", "` a`", "` a`" },
		{ "a|b", "`a|b`", "`a\\|b`" },
		{ "a\\|b", "`a\\|b`",
		  "`a\\\xEF\xBF\xBD"
		  "b`" },
		{ "a\\", "`a\\`", "`a\\`" },
		{ "a\nb",
		  "`a\xEF\xBF\xBD"
		  "b`",
		  "`a\xEF\xBF\xBD"
		  "b`" },
		{ "<!-- @me #1 -->", "`<!-- @me #1 -->`", "`<!-- @me #1 -->`" },
		{ "12345678901", "`1~3605f02f`", "`1~3605f02f`" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct strbuf a = STRBUF_INIT, b = STRBUF_INIT;
		size_t max = i == NR_OF(rows) - 1 ? 10 : 80;
		md_code(&a, rows[i].name, max, false);
		md_code(&b, rows[i].name, max, true);
		assert_string_equal(strbuf_str(&a), rows[i].plain);
		assert_string_equal(strbuf_str(&b), rows[i].in_table);
		strbuf_release(&a);
		strbuf_release(&b);
	}
}

static void figures_are_plain(void **state)
{
	static const char *const rows[][2] = {
		{ "12.40 ms", "12.40\u00A0ms" },
		{ "±1.20 µs (+3.1 %)", "±1.20\u00A0µs (+3.1\u00A0%)" },
		{ "–", "–" },
		{ "", "" },
		{ "GH-1", "`GH-1`" },
		{ "1 www.a.example", "`1 www.a.example`" },
		{ "1|2", "`1\\|2`" },
		{ "1 *2*", "`1 *2*`" },
		{ "1\u202e2", "`1\xEF\xBF\xBD"
		              "2`" },
		{ "1 <b>", "`1 <b>`" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct strbuf b = STRBUF_INIT;
		md_figure(&b, rows[i][0]);
		assert_string_equal(strbuf_str(&b), rows[i][1]);
		strbuf_release(&b);
	}
}

static void sentences(void **state)
{
	static const struct {
		const char *text;
		bool plain;
	} rows[] = {
		{ "kernel.time rose from 1.2 ms to 1.3 ms (+8.3 %)", true },
		{ "how often it fails is not known", true },
		{ "a `b`", false },
		{ "see www.a.example", false },
		{ "GH-1", false },
		{ "a_b_", false },
		{ "#1", false },
		{ "@me", false },
		{ "fixed in a1b2c3d4", false },
		{ "http://x", false },
		{ "a|b", false },
		{ "<b>", false },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct strbuf b = STRBUF_INIT;
		md_sentence(&b, rows[i].text, 400, true);
		assert_int_equal(strchr(strbuf_str(&b), '`') == NULL, rows[i].plain);
		strbuf_release(&b);
	}
}

/* The quotation marks of a name that is a piece of its own are left out, since it is a code span.
 */
static void names_in_sentences(void **state)
{
	struct strbuf b = STRBUF_INIT;
	(void)state;
	md_sentence(&b, "time of '", 400, false);
	md_code(&b, "a kernel", 80, false);
	md_sentence(&b, "' rose (of '", 400, false);
	md_code(&b, "b", 80, false);
	md_sentence(&b, "'), its peers'", 400, false);
	assert_string_equal(strbuf_str(&b), "time of `a kernel` rose (of `b`), its peers'");
	strbuf_release(&b);
}

/* A sentence is rendered as its parts are: what is quoted is one code span, whatever it holds;
   brackets, units and punctuation are in none. */
static void sentences_are_their_parts(void **state)
{
	static const char *const parts[][2] = {
		{ "rank", "rank" },
		{ "peers'", "peers'" },
		{ "12,412.4 tok/s", "12,412.4 tok/s" },
		{ "1.2 ms more", "1.2\u00A0ms more" },
		{ "-10.00 % now", "-10.00\u00A0% now" },
		{ "output tokens/s", "output tokens/s" },
		{ "docs/memory.md", "`docs/memory.md`" },
		{ "/a/b", "`/a/b`" },
		{ "f(int *, g<int>)", "`f(int *, g<int>)`" },
		{ "#1a", "`#1a`" },
		{ "'environment: {must_match: []}'", "`environment: {must_match: []}`" },
		{ "'gpugate diff OLD NEW'", "`gpugate diff OLD NEW`" },
		{ "'nvidia-smi -q -d CLOCK,POWER'", "`nvidia-smi -q -d CLOCK,POWER`" },
		{ "'b/{workload}-{gpu}.json'", "`b/{workload}-{gpu}.json`" },
		{ "'a (b, 'c') @d'", "`a (b, 'c`) `@d'`" }, /* ambiguous, but nothing is a mention */
	};
	static const char *const wraps[][2] = {
		{ "", "" }, { "", "," }, { "", "." }, { "(", ")" }, { "(", ")," }, { "(of ", "; all);" },
	};
	unsigned random = 1;
	(void)state;
	for (size_t i = 0; i < 5000; i++) {
		struct strbuf text = STRBUF_INIT, expect = STRBUF_INIT, b = STRBUF_INIT;
		for (size_t k = 0; k <= i % 4; k++) {
			random = random * 1103515245u + 12345u;
			const char *const *part = parts[random / 65536 % NR_OF(parts)];
			const char *const *wrap = wraps[random / 1048576 % NR_OF(wraps)];
			strbuf_addf(&text, "%s%s%s%s", k ? " " : "", wrap[0], part[0], wrap[1]);
			strbuf_addf(&expect, "%s%s%s%s", k ? " " : "", wrap[0], part[1], wrap[1]);
		}
		md_sentence(&b, strbuf_str(&text), 400, false);
		assert_string_equal(strbuf_str(&b), strbuf_str(&expect));
		strbuf_release(&text);
		strbuf_release(&expect);
		strbuf_release(&b);
	}
}

static void long_names_are_cut(void **state)
{
	static const char name[] = "0123456789012345678901234567890123456789012345678901234567890123456"
	                           "7890123456789012345678901234567890123456789é1234567890";
	struct strbuf b = STRBUF_INIT;
	(void)state;
	md_code(&b, name, MD_NAME_CHARS, false);
	assert_has(strbuf_str(&b), "`01234567890123456789012345678901234567890123456789012345678901234"
	                           "567890123456789012345678901234567890123456789é~");
	/* + 1: é has two bytes; + 2: the backquotes of the code span */
	assert_int_equal(b.n, MD_NAME_CHARS + 1 + 2);
	strbuf_release(&b);
}

static void markers_tell_workloads_apart(void **state)
{
	static const char *const workloads[] = { NULL,  "a-b", "a b",  "a--b",
		                                     "a|b", "-->", "x\nx", "größe" };
	char markers[NR_OF(workloads)][64];
	(void)state;
	for (size_t i = 0; i < NR_OF(workloads); i++) {
		const char *text = write_sample("k", workloads[i], 0);
		size_t n = strcspn(text, "\n");
		assert_in_range(n, sizeof "<!-- gpugate:x -->" - 1, 63);
		memcpy(markers[i], text, n);
		markers[i][n] = '\0';
		assert_ptr_equal(strstr(markers[i], "-->"), markers[i] + n - 3);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(markers[k], markers[i]);
	}
	assert_string_equal(markers[0], "<!-- gpugate:default -->");
	assert_string_equal(markers[1], "<!-- gpugate:a-b -->");
}

static void order(void **state)
{
	static const char *const parts[] = {
		"<!-- gpugate:resnet50 -->\n### \u274C gpugate · fail · resnet50: GPU time per step ",
		"| what changed | change |\n| --- | ---: |\n| **fail** `step-cuda-time`: ",
		"**What to know**\n",
		"- warning: the environment differs: `k`\n",
		"- trust: candidate rank 3: dropped-kernels: ",
		"- **waived**: `stragglers`: ",
		"**Where the change went**\n",
		"| part | change | how |\n| --- | ---: | --- |\n| `compute` | +9.000\u00A0ms |  |\n",
		"\nbaseline `k` at `k` (10 runs, 6 steps; approved 12 days ago) → candidate `k` at `k` (3 "
		"runs, ",
		"<details><summary>Intended? Make it the baseline</summary>\n\n"
		"```sh\ngpugate approve --new 'k' --force\n```\n\n</details>\n",
		"\n<details><summary>All checks</summary>\n",
		"| **fail** | step-cuda-time | 100.10\u00A0ms | 112.40\u00A0ms | ",
	};
	(void)state;
	const char *at = write_sample("k", "resnet50", 0);
	assert_ptr_equal(strstr(at, "<!--"), at);
	for (size_t i = 0; i < NR_OF(parts); i++) {
		const char *found = strstr(at, parts[i]);
		if (!found)
			fail_msg("'%s' is not in its place:\n%s", parts[i], at);
		at = found;
	}
	assert_null(strstr(at, "<details>")); /* all else is on the page */
}

static void a_pass_is_short(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.summary = "1 of 1 check within its limits";
	r.verdict = VERDICT_PASS;
	r.workload = "w";
	r.baseline = (struct side){ .label = "a", .ranks = 1, .steps = 1 };
	r.candidate = (struct side){ .label = "b", .ranks = 2, .window = true };
	sample_check(&r, VERDICT_PASS, "step-cuda-time", GROUP_STEP, METRIC_STEP_CUDA_TIME, "");
	const char *text = write_report(&r, 0);
	static const char start[] =
	    "<!-- gpugate:w -->\n"
	    "### \u2705 gpugate · pass · w: no figure is beyond its limit; nothing to do\n\n"
	    "baseline `a` (1 step) → candidate `b` (2 ranks, whole trace)\n\n"
	    "<details><summary>All checks</summary>\n\n"
	    "| verdict | check |";
	if (strstr(text, start) != text)
		fail_msg("%s", text);
	report_release(&r);
}

static void an_error_is_all_there_is(void **state)
{
	struct report r;
	(void)state;
	report_init(&r);
	r.workload = "w";
	r.error = "`x`: byte 12: <b>";
	r.status = ST_INPUT;
	static const char start[] = "<!-- gpugate:w -->\n### \u274C gpugate · error · w: not judged\n\n"
	                            "`` `x` ``: byte 12: `<b>`. Nothing was compared; the job fails ";
	const char *text = write_report(&r, 0);
	if (strncmp(text, start, sizeof start - 1) != 0)
		fail_msg("%s", text);
	report_release(&r);
}

/* Asserts that every line is a complete line of the full text, or says how much is left out. */
static void assert_whole_lines(const char *text, const char *full)
{
	struct strbuf line = STRBUF_INIT;
	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		strbuf_setlen(&line, 0);
		strbuf_add(&line, (struct span){ text, (size_t)(end - text) + 1 });
		if (!strstr(strbuf_str(&line), " in the report\n"))
			assert_has(full, strbuf_str(&line));
	}
	assert_string_equal(text, "");
	strbuf_release(&line);
}

/* Asserts that everything below a removed section is removed as well. */
static void assert_cut_from_the_bottom(const char *text)
{
	static const char *const parts[] = {
		"<!-- gpugate:",     "| what changed", "**What to know**",
		"**Where the",       "\nbaseline ",

		"Intended?",         ">All checks</",  ">Worth naming</",
		">Kernels per step", ">Evidence</",    ">Ranks of the candidate</",
		">Notes</",
	};
	bool gone = false;
	for (size_t i = 0; i < NR_OF(parts); i++) {
		bool found = strstr(text, parts[i]);
		assert_false(found && gone);
		gone = !found;
	}
}

/* Whole sections are removed first, from the end; then rows of the first table. */
static void budgets(void **state)
{
	struct strbuf full = STRBUF_INIT;
	strbuf_adds(&full, write_sample("größe `x`", "w", 0));
	size_t whole = full.n, title = strlen(write_sample("größe `x`", "w", 1));
	size_t sections = 15;
	(void)state;
	assert_int_equal(strlen(write_sample("größe `x`", "w", whole)), whole);
	for (size_t max = whole; max-- > title;) {
		const char *text = write_sample("größe `x`", "w", max);
		size_t details = count(text, "<details>"), rows = count(text, "| **fail** ");
		assert_in_range(strlen(text), 1, max);
		assert_int_equal(count(text, "</details>"), details);
		assert_int_equal(count(text, "`") % 2, 0);
		assert_whole_lines(text, strbuf_str(&full));
		assert_cut_from_the_bottom(text);
		assert_true(strstr(text, " in the report\n") || max < title + 80);
		assert_true(details <= sections);
		if (details)
			assert_true(rows >= 2);
		sections = details;
	}
	assert_int_equal(sections, 0);
	strbuf_release(&full);
}

static void rows_are_counted(void **state)
{
	struct report r;
	(void)state;
	sample_report(&r, "k", "w");
	for (int i = 0; i < 95; i++)
		sample_check(&r, VERDICT_FAIL, "more", GROUP_STEP, METRIC_STEP_TIME, "");
	const char *text = write_report(&r, 1500); /* 1500 bytes: at most 10 of 100 rows fit */
	size_t shown =
	    count(text, "| **fail** ") + count(text, "| **not judged** ") + count(text, "| **warn** ");
	assert_in_range(shown, 1, 10);
	struct strbuf note = STRBUF_INIT;
	strbuf_addf(&note, "\n%zu more findings in the report\n", 100 - shown);
	assert_has(text, strbuf_str(&note));
	strbuf_release(&note);
	report_release(&r);
}

static void least_budget(void **state)
{
	(void)state;
	const char *text = write_sample("k", "w", 1);
	assert_ptr_equal(strstr(text, "<!-- gpugate:w -->\n### \u274C gpugate · fail · w: "), text);
	assert_int_equal(count(text, "\n"), 2);
	assert_has(write_sample("k", "w", 200), "\n7 sections more in the report\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(code_spans),
		cmocka_unit_test(figures_are_plain),
		cmocka_unit_test(sentences),
		cmocka_unit_test(names_in_sentences),
		cmocka_unit_test(sentences_are_their_parts),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test_teardown(markers_tell_workloads_apart, end),
		cmocka_unit_test_teardown(order, end),
		cmocka_unit_test_teardown(a_pass_is_short, end),
		cmocka_unit_test_teardown(an_error_is_all_there_is, end),
		cmocka_unit_test_teardown(budgets, end),
		cmocka_unit_test_teardown(rows_are_counted, end),
		cmocka_unit_test_teardown(least_budget, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
