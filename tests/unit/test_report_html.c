/* Reports in HTML: escaping, limits, contents of each kind of report; axes, bars and lines of
 * charts. */
#include "base/text.h"
#include "document/render.h"
#include "html/html.h"
#include "html/svg.h"
#include "report_rig.h"

static const char *write_report(const struct report *r)
{
	return write_as("html", r, &(struct write_options){ 0 });
}

/* ---- escaping of text ---- */

static void escapes(void **state)
{
	static const struct {
		const char *text, *html;
	} rows[] = {
		{ "", "" },
		{ "plain µ 核", "plain µ 核" },
		{ "<b a=\"1\" c='2'>&amp;", "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;" },
		{ "a\nb\tc\x7f\x1b[31m", "a\uFFFDb\uFFFDc\uFFFD\uFFFD[31m" },
		{ "x\u202E\u202Cy\u2066\u2069z\u200F\u061C", "x\uFFFD\uFFFDy\uFFFD\uFFFDz\uFFFD\uFFFD" },
		{ "\xff<\xc3", "\uFFFD&lt;\uFFFD" },
		{ NULL, "" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct html h = { 0 };
		html_text(&h, rows[i].text);
		assert_string_equal(strbuf_str(&h.body), rows[i].html);
		strbuf_release(&h.body);
	}
}

/* A name at the length limit is unchanged; a longer one is cut, with a hash, and its complete form
   is below. */
static void long_names(void **state)
{
	char name[92];
	(void)state;
	for (size_t n = 90; n <= 91; n++) {
		struct strbuf b = STRBUF_INIT;
		struct document d;
		memset(name, '<', n);
		name[n] = '\0';
		doc_init(&d);
		doc_table(&d, "", &(struct doc_column){ "name", DOC_LEFT }, 1);
		doc_row(&d, 0);
		doc_name_cell(&d, name);
		doc_html(&d, NULL, &b, &b, &b);
		assert_int_equal(count(strbuf_str(&b), "&lt;"), n == 90 ? 90 : 81 + 91);
		assert_int_equal(count(strbuf_str(&b), "<details class=\"name\"><summary>&lt;"), n - 90);
		doc_release(&d);
		strbuf_release(&b);
	}
}

/* ---- whole reports ---- */

/* A run with some of everything; `name` is used for all untrusted texts. */
static struct run_report *sample_run(struct report *r, const char *name, bool candidate)
{
	struct run_report *run = arena_alloc(&r->arena, 1, sizeof *run);
	run->candidate = candidate;
	vec_push(&run->facts, (struct fact){ .id = "gpu", .label = "GPU", .text = name, .note = name });
	run->classification = (struct classification){ .bound = BOUND_LAUNCH };
	vec_push(&run->classification.evidence, name);
	vec_push(&run->classification.missing, name);
	vec_push(&run->recommendations, (struct recommendation){ .id = "x",
	                                                         .title = "a title",
	                                                         .saves_text = "up to 1 ms",
	                                                         .observation = name,
	                                                         .hypothesis = name,
	                                                         .action = name,
	                                                         .confirm = "step.time",
	                                                         .ask = name });
	static const char *const ids[] = { "categories", "memory_categories", "memory_sites" };
	for (size_t i = 0; i < NR_OF(ids); i++) {
		struct report_table *t = vec_push_zero(&run->tables);
		*t = (struct report_table){ .id = ids[i], .title = ids[i], .note = "" };
		vec_push(&t->columns,
		         (struct report_column){ .name = "bytes", .unit = UNIT_BYTES, .adds = true });
		vec_push(&t->columns,
		         (struct report_column){ .name = "category", .unit = UNIT_COUNT, .is_text = true });
		if (i)
			vec_push(&t->columns, (struct report_column){
			                          .name = "memory", .unit = UNIT_COUNT, .is_text = true });
		for (int64_t k = 1; k <= 2; k++) {
			vec_push(&t->cells, (struct report_cell){ CELL_FIGURE, "1.00 KiB", k * 1024 });
			vec_push(&t->cells, (struct report_cell){ CELL_TEXT, name, 0 });
			if (i)
				vec_push(&t->cells, (struct report_cell){ CELL_TEXT, name, 0 });
		}
	}
	static const char *const series[] = { "step.time", "memory.allocated", "memory.reserved" };
	for (size_t i = 0; i < NR_OF(series); i++) {
		struct series *s = vec_push_zero(&run->series);
		*s = (struct series){
			.id = series[i], .title = name, .label = name, .unit = i ? UNIT_BYTES : UNIT_NS
		};
		for (int64_t k = 0; k < 3; k++)
			vec_push(&s->points, (struct series_point){ 7 + k, 1000 + 500 * k });
	}
	return run;
}

static void full_report(struct report *r, const char *name)
{
	sample_report(r, name, "w");
	r->run = sample_run(r, name, true);
	r->baseline_run = sample_run(r, name, false);
}

static void sections(void **state)
{
	static const char *const parts[] = {
		"<title>fail: w</title>",
		"<h1><span class=\"badge fail\">fail</span> w: GPU time per step ",
		"id=\"findings\"",
		"<span class=\"worse\">worse</span>",
		"id=\"remarks\"",
		"id=\"change\"",
		"class=\"n d3\"",
		"id=\"advice\"",
		"gpugate approve --new &#39;k&#39; --force",
		"id=\"steps\"",
		"<title id=\"t1\">k, k</title>",
		"baseline: 3 points from 1.000 µs to 2.000 µs. ",
		"id=\"memory\"",
		"fragmentation, candidate",
		"id=\"checks\"",
		"id=\"kernels\"",
		"id=\"categories\"",
		"id=\"ranks\"",
		"id=\"metrics\"",
		"<details class=\"more\" id=\"environment\"",
		"id=\"notes\"",
	};
	struct report r;
	(void)state;
	full_report(&r, "k");
	const char *page = write_report(&r);
	for (size_t i = 0; i < NR_OF(parts); i++) {
		assert_has(page, parts[i]);
		page = strstr(page, parts[i]);
	}
	report_release(&r);
}

/* A line of more steps than its chart can show begins with step 1 also if another is shown for the
 * first few. */
static void many_steps(void **state)
{
	enum { STEPS = 1500 };
	struct report r;
	(void)state;
	full_report(&r, "k");
	struct series *s = &r.run->series.v[0];
	s->points.nr = 0;
	for (int64_t k = 0; k < STEPS; k++)
		vec_push(&s->points, (struct series_point){ 7 + k, k == 1 ? 9000 : 1000 });
	assert_has(write_report(&r), "<tr><td>candidate</td><td class=\"r\" data-v=\"2\">2</td>"
	                             "<td class=\"r\" data-v=\"9000\">");
	report_release(&r);
}

static void other_kinds(void **state)
{
	struct report r;
	(void)state;
	sample_diff(&r, "k");
	assert_has(write_report(&r), "<span class=\"strong\">median step.cuda_time");
	assert_lacks(strbuf_str(&written), "id=\"checks\"");
	report_release(&r);

	report_init(&r);
	r.kind = REPORT_RUN;
	r.workload = "w";
	r.headline = "launch-bound";
	r.candidate.label = "a.json";
	r.run = sample_run(&r, "k", true);
	assert_has(write_report(&r), "<h1>report of <code title=\"a.json\">");
	assert_has(strbuf_str(&written), "<li><span class=\"strong\">launch-bound</span></li>");
	assert_lacks(strbuf_str(&written), "baseline");
	report_release(&r);

	report_init(&r);
	r.workload = "w";
	r.status = ST_BASELINE;
	r.error = "b.json: no baseline there";
	assert_has(write_report(&r), "<span class=\"badge fail\">error</span> w: not judged</h1>");
	assert_has(strbuf_str(&written), "exit code 4)");
	assert_lacks(strbuf_str(&written), "<nav");
	report_release(&r);
}

/* How often `sign` occurs; a "<" or ">" of <wbr>, a possible break after a slash in a name, is not
 * counted. */
static size_t count_sign(const char *page, const char *sign)
{
	bool bracket = strcmp(sign, "<") == 0 || strcmp(sign, ">") == 0;
	return count(page, sign) - (bracket ? count(page, "<wbr>") : 0);
}

/* A hostile name adds text, but no element or attribute that a harmless name of the same length
 * does not add. */
static void hostile(void **state)
{
	static const char *const names[] = {
		"<img src=x onerror=alert(1)>",
		"\"><h1>",
		"' onclick='x",
		"</style>",
		"</script><svg>",
		"-->",
		"&lt;h1&gt;",
		"\x1b\u200F\n",
	};
	static const char *const signs[] = { "<", ">", "\"", "'", "\x1b", "\u200F", "<img", "<h1" };
	struct report r;
	size_t nr[NR_OF(signs)];
	(void)state;
	for (size_t i = 0; i < NR_OF(names); i++) {
		char plain[64] = "";
		memset(plain, 'k', text_chars(span_of(names[i])));
		full_report(&r, plain);
		const char *page = write_report(&r);
		for (size_t k = 0; k < NR_OF(signs); k++)
			nr[k] = count_sign(page, signs[k]);
		report_release(&r);
		full_report(&r, names[i]);
		page = write_report(&r);
		for (size_t k = 0; k < NR_OF(signs); k++)
			if (count_sign(page, signs[k]) != nr[k])
				fail_msg("%zu '%s' with '%s', not %zu", count_sign(page, signs[k]), signs[k],
				         names[i], nr[k]);
		report_release(&r);
	}
}

/* A table has at most 500 rows, and says how many rows are left out. */
static void rows_limited(void **state)
{
	(void)state;
	enum { ROWS = 500 };
	for (size_t nr = ROWS; nr <= ROWS + 2; nr += 2) {
		struct report r;
		report_init(&r);
		for (size_t i = 0; i < nr; i++)
			vec_push(&r.environment, (struct env_row){ "key", "a", "b", false, false });
		const char *page = write_report(&r);
		assert_int_equal(count(page, "<td>differs</td>"), ROWS);
		if (nr > ROWS)
			assert_has(page, "2 more in the JSON");
		else
			assert_lacks(page, "more in the JSON");
		report_release(&r);
	}
}

/* A baseline without samples of its steps is drawn as a band and a line. */
static void summarized(void **state)
{
	static const int64_t summary[NR_STATISTICS] = {
		[STAT_MEDIAN] = 1500, [STAT_MIN] = 1000, [STAT_MAX] = 2000
	};
	struct report r;
	(void)state;
	full_report(&r, "k");
	struct series *s = &r.baseline_run->series.v[0];
	s->points.nr = 0;
	s->summary = summary;
	const char *page = write_report(&r);
	assert_has(page, "baseline: median 1.500 µs, from 1.000 µs to 2.000 µs. ");
	assert_has(page, "<rect class=\"band base\" ");
	report_release(&r);
}

/* ---- axes, thinned lines and bars of charts ---- */

static void axes(void **state)
{
	static const struct {
		struct svg_range range;
		bool binary;
		struct svg_range axis;
	} rows[] = {
		{ { 0, 0, 0 }, false, { 0, 1, 1 } },
		{ { 7, 7, 0 }, false, { 0, 8, 4 } },
		{ { -7, -7, 0 }, false, { -8, 0, 4 } },
		{ { 96, 104, 0 }, false, { 96, 104, 4 } },
		{ { 3, 100, 0 }, false, { 0, 100, 5 } },
		{ { -30, 40, 0 }, false, { -40, 40, 4 } },
		{ { 0, 1100 << 10, 0 }, true, { 0, 1280 << 10, 5 } },
		{ { INT64_MIN, INT64_MAX, 0 }, false, { INT64_MIN, INT64_MAX, 1 } },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct svg_range axis = svg_axis(rows[i].range, rows[i].binary);
		const struct svg_range *want = &rows[i].axis;
		if (axis.lo != want->lo || axis.hi != want->hi || axis.intervals != want->intervals)
			fail_msg("row %zu: %lld to %lld in %d", i, (long long)axis.lo, (long long)axis.hi,
			         axis.intervals);
	}
}

static void thinned(void **state)
{
	struct series_point all[SVG_POINTS * 2 + 1];
	struct svg_points p;
	(void)state;
	for (int64_t i = 0; i < (int64_t)NR_OF(all); i++)
		all[i] = (struct series_point){ i, i % 2 };
	svg_thin(all, SVG_POINTS, &p);
	assert_int_equal(p.list.nr, SVG_POINTS);
	assert_memory_equal(p.list.v, all, sizeof *all * SVG_POINTS);
	vec_release(&p.list);
	svg_thin(all, NR_OF(all), &p);
	assert_int_equal(p.list.nr, SVG_POINTS);
	for (size_t i = 0; i < p.list.nr; i++)
		assert_int_equal(p.list.v[i].y, 1); /* several points become one: the highest is kept */
	vec_release(&p.list);
	svg_thin(all, 0, &p);
	assert_int_equal(p.list.nr, 0);
}

static void bars(void **state)
{
	static const struct {
		int64_t part, whole;
		const char *rect; /* expected rectangle; NULL if there is none */
	} rows[] = {
		{ 0, 10, NULL },
		{ 10, 10, "<rect class=\"more\" x=\"50.0%\" y=\"3\" width=\"50.0%\"" },
		{ -5, 10, "<rect class=\"less\" x=\"25.0%\" y=\"3\" width=\"25.0%\"" },
		{ 1, INT64_MAX, "<rect class=\"more\" x=\"50.0%\" y=\"3\" width=\"0.2%\"" },
		{ INT64_MIN, INT64_MAX, "<rect class=\"less\" x=\"0.0%\" y=\"3\" width=\"50.0%\"" },
	};
	(void)state;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct strbuf b = STRBUF_INIT;
		svg_bar_signed(rows[i].part, rows[i].whole, &b);
		assert_int_equal(count(strbuf_str(&b), "<rect"), rows[i].rect ? 1 : 0);
		if (rows[i].rect)
			assert_has(strbuf_str(&b), rows[i].rect);
		strbuf_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(escapes),     cmocka_unit_test(long_names), cmocka_unit_test(sections),
		cmocka_unit_test(other_kinds), cmocka_unit_test(hostile),    cmocka_unit_test(rows_limited),
		cmocka_unit_test(summarized),  cmocka_unit_test(axes),       cmocka_unit_test(thinned),
		cmocka_unit_test(bars),        cmocka_unit_test(many_steps),
	};
	return cmocka_run_group_tests(tests, NULL, end);
}
