/* Functions by class, and Python functions by call path: time that no higher class covers. */
#include "reduce_rig.h"

/* A row: after `script`, `expect` is the list of functions of its class, each as "[NAME<CALLER:
   count total exclusive median]"; in the first four classes rate and spread follow if they are
   known. Lines of the script are those of the rig, and
       P NAME THREAD ID PARENT START DUR                        call of a Python function
   ('~' in NAME is a space). An operator from 0 to 1000 makes the window. */
struct function_row {
	const char *title, *script;
	enum function_class cls;
	const char *expect;
};

static void feed_python(struct rig *g, const char *line)
{
	char name[256];
	int64_t v[5];
	assert_int_equal(sscanf(line,
	                        "P %255s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64,
	                        name, &v[0], &v[1], &v[2], &v[3], &v[4]),
	                 6);
	for (char *p = name; *p; p++)
		*p = *p == '~' ? ' ' : *p;
	struct event e = { .kind = EVENT_PYTHON,
		               .name = name_intern(&g->names, span_of(name)),
		               .pid = 1,
		               .tid = v[0],
		               .python_id = v[1],
		               .python_parent = v[2],
		               .start_ns = v[3],
		               .dur_ns = v[4] };
	rig_event(g, &e);
}

static void feed(struct rig *g, const char *script)
{
	rig_line(g, "O window 9 0 1000");
	for (const char *end; *script; script = *end ? end + 1 : end) {
		char line[256];
		end = strchrnul(script, '\n');
		snprintf(line, sizeof line, "%.*s", (int)(end - script), script);
		if (line[0] == 'P')
			feed_python(g, line);
		else
			rig_line(g, line);
	}
}

static void show(const struct digest *d, enum function_class cls, struct strbuf *out)
{
	for (size_t i = 0; i < d->functions.nr; i++) {
		const struct function_stat *f = &d->functions.v[i];
		if (f->cls != cls)
			continue;
		strbuf_adds(out, "[");
		strbuf_add(out, f->name);
		if (f->parent >= 0) {
			assert_true(f->parent < (int64_t)i);
			strbuf_adds(out, "<");
			strbuf_add(out, d->functions.v[f->parent].name);
		}
		strbuf_addf(out, ": %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64, f->count, f->total_ns,
		            f->exclusive_ns, f->median_ns);
		if (f->rate >= 0)
			strbuf_addf(out, ", %" PRId64 "±%" PRId64, f->rate, f->rate_mad);
		if (f->names)
			strbuf_addf(out, ", of %" PRId64, f->names);
		strbuf_adds(out, "]");
	}
}

static void check_rows(const struct function_row *rows, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const char *script = rows[i].script;
		for (size_t k = i; !script; k--) /* a row without a script uses that of a row above */
			script = rows[k].script;
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		feed(&g, script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		show(g.d, rows[i].cls, &out);
		if (strcmp(strbuf_str(&out), rows[i].expect) != 0)
			fail_msg("%s: expected %s, got %s", rows[i].title, rows[i].expect, strbuf_str(&out));
		strbuf_release(&out);
		rig_close(&g);
	}
}

static void classes(void **state)
{
	(void)state;
	static const struct function_row rows[] = {
		{ "two of one name count once where they overlap",
		  "K gemm 0 7 1 0 100\nK gemm 1 7 2 50 100\nK add 0 8 3 0 30\n"
		  "C h2d 0 9 4 100 100 50\nC h2d 0 9 5 300 10 40\nS h2d 0 9 6 400 10\n"
		  "K ncclX 0 7 7 180 100\nR cudaSync 1 8 250 100\nR cudaLaunch 2 9 345 10",
		  FUNCTION_COMPUTE, "[add: 1 30 30 30][gemm: 2 200 150 100]" },
		{ "below compute: copies, with their rates; a set of the same name is one with them", NULL,
		  FUNCTION_MEMORY, "[h2d: 3 120 70 10, 2250000000±1750000000]" },
		{ "below both: communication", NULL, FUNCTION_COMMUNICATION, "[ncclX: 1 100 80 100]" },
		{ "below the GPU: runtime calls, of all threads", NULL, FUNCTION_RUNTIME,
		  "[cudaLaunch: 1 10 10 10][cudaSync: 1 100 60 100]" },
		{ "no Python", NULL, FUNCTION_PYTHON, "" },
		{ "before the origin of time", "K a 0 7 1 -50 20\nK b 0 8 2 -45 20", FUNCTION_COMPUTE,
		  "[a: 1 20 20 20][b: 1 20 20 20]" },
		{ "one within another of its name", "K a 0 7 1 0 100\nK a 1 7 2 10 20\nK a 1 7 3 90 5",
		  FUNCTION_COMPUTE, "[a: 3 125 100 20]" },
		{ "those of no time to speak of are one", "K a 0 7 1 0 0\nK b 0 7 2 5 0\nK c 0 7 3 7 1",
		  FUNCTION_COMPUTE, "[c: 1 1 1 1][: 2 0 0 0, of 2]" },
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

static void python(void **state)
{
	(void)state;
	static const struct function_row rows[] = {
		{ "a caller's own time; calls of one path are one row",
		  "P main 1 1 -1 0 100\nP f 1 2 1 10 30\nP g 1 3 2 12 4\nP f 1 4 1 50 21", FUNCTION_PYTHON,
		  "[main: 1 100 49 100][f<main: 2 51 47 26][g<f: 1 4 4 4]" },
		{ "in any order of the file",
		  "P g 1 3 2 12 4\nP f 1 4 1 50 21\nP f 1 2 1 10 30\nP main 1 1 -1 0 100", FUNCTION_PYTHON,
		  "[main: 1 100 49 100][f<main: 2 51 47 26][g<f: 1 4 4 4]" },
		{ "without ids by time",
		  "P main 1 -1 -1 0 100\nP f 1 -1 -1 10 30\nP g 1 -1 -1 12 4\nP f 1 -1 -1 50 21",
		  FUNCTION_PYTHON, "[main: 1 100 49 100][f<main: 2 51 47 26][g<f: 1 4 4 4]" },
		{ "ids overrule times: a frame whose end was missed calls nothing that comes later",
		  "P main 1 1 -1 0 100\nP a 1 2 1 10 80\nP b 1 3 1 20 10", FUNCTION_PYTHON,
		  "[main: 1 100 20 100][a<main: 1 80 80 80][b<main: 1 10 10 10]" },
		{ "in any order of the file, too", "P b 1 3 1 20 10\nP a 1 2 1 10 80\nP main 1 1 -1 0 100",
		  FUNCTION_PYTHON, "[main: 1 100 20 100][a<main: 1 80 80 80][b<main: 1 10 10 10]" },
		{ "which without ids nobody can know",
		  "P main 1 -1 -1 0 100\nP a 1 -1 -1 10 80\nP b 1 -1 -1 20 10", FUNCTION_PYTHON,
		  "[main: 1 100 20 100][a<main: 1 80 70 80][b<a: 1 10 10 10]" },
		{ "two of one name, the first missed its end: their union",
		  "P main 1 1 -1 0 100\nP a 1 2 1 10 50\nP a 1 3 1 20 60", FUNCTION_PYTHON,
		  "[main: 1 100 30 100][a<main: 2 110 70 55]" },
		{ "an id that is there twice: by time",
		  "P main 1 1 -1 0 100\nP a 1 1 -1 10 80\nP b 1 3 1 20 10", FUNCTION_PYTHON,
		  "[main: 1 100 20 100][a<main: 1 80 70 80][b<a: 1 10 10 10]" },
		{ "a callee outside of its caller: by time", "P a 1 1 -1 0 10\nP b 1 2 1 5 10",
		  FUNCTION_PYTHON, "[a: 1 10 10 10][b: 1 10 10 10]" },
		{ "a callee with a smaller id than its caller: by time", "P a 1 2 -1 0 10\nP b 1 1 2 2 3",
		  FUNCTION_PYTHON, "[a: 1 10 7 10][b<a: 1 3 3 3]" },
		{ "a callee with a larger id than one that begins after it: by time",
		  "P main 1 1 -1 0 100\nP a 1 2 1 50 10\nP b 1 3 1 20 10", FUNCTION_PYTHON,
		  "[main: 1 100 80 100][a<main: 1 10 10 10][b<main: 1 10 10 10]" },
		{ "ids beyond 32 bits: by time", "P a 1 4294967296 -1 0 10\nP b 1 4294967297 -1 2 3",
		  FUNCTION_PYTHON, "[a: 1 10 7 10][b<a: 1 3 3 3]" },
		{ "a caller that was not recorded does not count", "P a 1 5 3 0 10\nP b 1 6 4 20 10",
		  FUNCTION_PYTHON, "[a: 1 10 10 10][b: 1 10 10 10]" },
		{ "nor is one whose id lies between, before or behind all",
		  "P a 1 5 3 0 50\nP b 1 8 6 20 10\nP c 1 9 12 40 5", FUNCTION_PYTHON,
		  "[a: 1 50 50 50][b: 1 10 10 10][c: 1 5 5 5]" },
		{ "a caller that is over: by time", "P a 1 5 -1 0 10\nP b 1 8 -1 20 10\nP c 1 9 5 22 2",
		  FUNCTION_PYTHON, "[a: 1 10 10 10][b: 1 10 8 10][c<b: 1 2 2 2]" },
		{ "ids are those of a thread; a path runs on two at once",
		  "P main 1 1 -1 0 100\nP f 1 2 1 10 30\nP main 2 1 -1 50 100\nP f 2 2 1 60 30",
		  FUNCTION_PYTHON, "[main: 2 200 120 100][f<main: 2 60 60 30]" },
		{ "what higher classes cover is theirs",
		  "P main 1 1 -1 0 100\nP f 1 2 1 10 30\nK k 0 7 1 0 15\nC c 0 7 2 20 10 1\n"
		  "K ncclX 0 7 3 35 1\nR r 1 4 90 20",
		  FUNCTION_PYTHON, "[main: 1 100 50 100][f<main: 1 30 14 30]" },
		{ "recursion is a path", "P f 1 1 -1 0 100\nP f 1 2 1 10 80\nP f 1 3 2 20 60",
		  FUNCTION_PYTHON, "[f: 1 100 20 100][f<f: 1 80 20 80][f<f: 1 60 60 60]" },
		{ "addresses change from run to run",
		  "P <method~get~of~dict~object~at~0x7f3AB> 1 1 -1 0 10\n"
		  "P <method~get~of~dict~object~at~0x1> 1 2 -1 20 10\nP a~at~0xg 1 3 -1 40 1",
		  FUNCTION_PYTHON, "[<method get of dict object>: 2 20 20 10][a at 0xg: 1 1 1 1]" },
		{ "only the window counts, and frames of seconds are whole",
		  "P main 1 1 -1 -5000000000 10000000000\nP f 1 2 1 -10 20\nP g 1 3 1 900 3000000000",
		  FUNCTION_PYTHON,
		  "[main: 1 10000000000 890 10000000000][f<main: 1 20 10 20]"
		  "[g<main: 1 3000000000 100 3000000000]" },
		{ "no time: at the end of the caller, between calls",
		  "P main 1 1 -1 0 100\nP z 1 2 1 40 0\nP f 1 3 1 40 10\nP z 1 4 1 100 0\nP h 1 5 1 100 0",
		  FUNCTION_PYTHON, "[main: 1 100 90 100][f<main: 1 10 10 10][<main: 3 0 0 0, of 2]" },
		{ "small ones go into a sum below the nearest caller that stays",
		  "P main 1 1 -1 0 100\nP z 1 2 1 40 0\nP y 1 3 2 40 0\nP b 1 4 1 50 10\nP z 1 5 4 51 0",
		  FUNCTION_PYTHON,
		  "[main: 1 100 90 100][b<main: 1 10 10 10][<b: 1 0 0 0, of 1][<main: 2 0 0 0, of 2]" },
	};
	check_rows(rows, sizeof rows / sizeof *rows);
}

/* Frames deeper than the limit have no rows: their time is own time of the deepest frame kept. */
static void depth(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	rig_line(&g, "O window 9 0 1000");
	for (int i = 0; i < 200; i++) {
		char line[64];
		snprintf(line, sizeof line, "P f%03d 1 %d %d %d %d", i, i, i - 1, i, 1000 - 2 * i);
		feed_python(&g, line);
	}
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_int_equal(g.d->functions.nr, 128);
	const struct function_stat *f = &g.d->functions.v[127];
	assert_int_equal(f->parent, 126);
	assert_int_equal(f->count, 1);
	assert_int_equal(f->total_ns, 1000 - 2 * 127);
	assert_int_equal(f->exclusive_ns, f->total_ns);
	assert_int_equal(g.d->functions.v[126].exclusive_ns, 2);
	rig_close(&g);
}

enum { PAIRS = 1500, FRAMES = 1 + 2 * PAIRS };

/* Orders of frames in a file: each function returns the index of the frame at position `i`. Here:
   the order of the recording. */
static int as_recorded(int i)
{
	return i;
}

static int backwards(int i)
{
	return FRAMES - 1 - i;
}

static int two_apart(int i)
{
	return i == 100 ? 2500 : i == 2500 ? 100 : i;
}

static int last_first(int i)
{
	return (i + FRAMES - 1) % FRAMES;
}

static int first_last(int i)
{
	return (i + 1) % FRAMES;
}

static int callees_first(int i)
{
	return i == 0 ? 0 : i % 2 ? i + 1 : i - 1;
}

/* The line of frame `i`: frame 0 is main, odd frames are calls of f by main, and even ones calls of
   g by that f. */
static void frame_line(char line[64], int i, bool ids)
{
	if (i == 0)
		snprintf(line, 64, "P main 1 %d -1 0 15010", ids ? 0 : -1);
	else
		snprintf(line, 64, "P %s 1 %d %d %d %d", i % 2 ? "f" : "g", ids ? i : -1,
		         ids ? (i % 2 ? 0 : i - 1) : -1, (i + 1) / 2 * 10, i % 2 ? 6 : 2);
}

/* Frames in various orders, so many that they are sorted in several blocks. */
static void order(void **state)
{
	(void)state;
	static int (*const rows[])(int) = { as_recorded, backwards,  two_apart,
		                                last_first,  first_last, callees_first };
	for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct strbuf out = STRBUF_INIT;
		rig_open(&g, NULL);
		rig_line(&g, "O window 9 0 20000");
		for (int k = 0; k < FRAMES; k++) {
			char line[64];
			frame_line(line, rows[i / 2](k), i % 2);
			feed_python(&g, line);
		}
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		show(g.d, FUNCTION_PYTHON, &out);
		assert_string_equal(strbuf_str(&out), "[main: 1 15010 6010 15010][f<main: 1500 9000 6000 6]"
		                                      "[g<f: 1500 3000 3000 2]");
		strbuf_release(&out);
		rig_close(&g);
	}
}

static void limits(void **state)
{
	(void)state;
	static const struct {
		int64_t start_ns, dur_ns;
	} rows[] = { { INT64_MAX - 5, 6 }, { 0, INT64_MAX } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		rig_open(&g, NULL);
		struct event e = { .kind = EVENT_PYTHON,
			               .name = name_intern(&g.names, SPAN("f")),
			               .start_ns = rows[i].start_ns,
			               .dur_ns = rows[i].dur_ns };
		rig_event(&g, &e);
		rig_event(&g, &e);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_INPUT);
		assert_non_null(strstr(diag_first_error(&g.log), "292 years"));
		rig_close(&g);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes), cmocka_unit_test(python), cmocka_unit_test(depth),
		cmocka_unit_test(order),   cmocka_unit_test(limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
