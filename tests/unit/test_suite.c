/* Suites of cases: the meaning of the file, its cases, and the verdict of the whole suite. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "suite/expand.h"
#include "suite/suite.h"

/* ---- the suite file ---- */

static void test_refused(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "version: 2\ncases: [{workload: a, runs: x}]\n", "f:1:10: 'version'" },
		{ "version: 1\n", "f:1:1: the suite file lacks 'cases'" },
		{ "version: 1\ncases: []\n", "f:2:8: 'cases'" },
		{ "version: 1\ncases: [{workload: a}]\n", "f:2:9: " },
		{ "version: 1\ncases: [{workload: a/b, runs: x}]\n", "f:2:20: 'workload'" },
		{ "version: 1\ncases: [{workload: a, each: x}]\n", "f:2:20: 'workload' must hold {name}" },
		{ "version: 1\ncases: [{workload: 'a{name}', runs: x}]\n",
		  "f:2:20: 'workload' has {name} without" },
		{ "version: 1\ncases: [{workload: a, runs: x, repeat: 0}]\n", "f:2:40: 'repeat'" },
		{ "version: 1\ncases: [{workload: a, run: x}]\n", "f:2:23: unknown key" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct suite_file f;
		struct diag_log log;
		diag_init(&log);
		assert_int_equal(suite_file_read("f", (struct span[]){ span_of(cases[i].text) }, &f, &log),
		                 ST_USAGE);
		const char *got = diag_first_error(&log);
		if (strncmp(got, cases[i].want, strlen(cases[i].want)) != 0)
			fail_msg("%s\nwant %s\ngot  %s", cases[i].text, cases[i].want, got);
		suite_file_release(&f);
		diag_release(&log);
	}
}

/* ---- cases of a file ---- */

/* Returns the cases as "name: path path; …", or the error. `kept`: folder with the runs of an
 * earlier job, or NULL. */
static char *expanded(const char *text, const char *kept)
{
	struct suite_file f;
	struct suite_jobs jobs;
	struct diag_log log;
	struct strbuf b = STRBUF_INIT;
	diag_init(&log);
	assert_int_equal(suite_file_read("f", (struct span[]){ span_of(text) }, &f, &log), ST_OK);
	enum status st = suite_expand(&f, kept, &jobs, &log);
	for (size_t i = 0; st == ST_OK && i < jobs.list.nr; i++) {
		const struct suite_job *job = &jobs.list.v[i];
		strbuf_addf(&b, "%s%s%s:", i ? "; " : "", job->workload, job->repeats ? " (each)" : "");
		for (size_t k = 0; k < job->runs.nr && !job->missing; k++)
			strbuf_addf(&b, " %s", job->runs.v[k]);
		for (size_t k = 0; k < job->controls.nr; k++)
			strbuf_addf(&b, " against %s", job->controls.v[k]);
		strbuf_addf(&b, "%s%s", job->missing ? " " : "", job->missing ? job->missing : "");
		strbuf_addf(&b, "%s%s", job->rules ? " by " : "", job->rules ? job->rules : "");
	}
	if (st != ST_OK)
		strbuf_adds(&b, diag_first_error(&log));
	suite_jobs_release(&jobs);
	suite_file_release(&f);
	diag_release(&log);
	char *copy = strdup(strbuf_str(&b));
	strbuf_release(&b);
	return copy;
}

#define HEAD "version: 1\ncases:\n"

static void make(const char *path)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

static void test_expand(void **state)
{
	static const char *const cases[][2] = {
		{ HEAD "  - {workload: a, runs: 'k/b/*.json'}\n", "a: k/b/1.json k/b/2.json" },
		{ HEAD "  - {workload: a, runs: 'k/b/*.json', repeat: 2}\n",
		  "a (each): k/b/1.json k/b/2.json" },
		{ HEAD "  - {workload: a, runs: 'k/b/*.json', repeat: 3}\n",
		  "a (each): 2 runs are there, and the suite asks for 3" },
		{ HEAD "  - {workload: a, runs: [k/b/1.json, none]}\n",
		  "a: no results: nothing matches 'none'" },
		{ HEAD "  - {workload: 'k-{name}', each: 'k/*', rules: 'r/{name}.yaml'}\n",
		  "k-b: k/b by r/b.yaml; k-x[1]: k/x[1] by r/x[1].yaml" },
		{ HEAD "  - {workload: 'k-{name}', each: 'k/*/', runs: 'k/{name}/*.json'}\n",
		  "k-b: k/b/1.json k/b/2.json; k-x[1]: k/x[1]/3.json" },
		{ HEAD "  - {workload: 'k-{name}', each: 'none/*/'}\n",
		  "k-{name}: no results: no folder matches 'none/*/'" },
		{ HEAD "  - {workload: a, runs: k}\n  - {workload: a, runs: k}\n",
		  "f: two cases of the suite are called 'a': rename one" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = expanded(cases[i][0], NULL);
		assert_string_equal(got, cases[i][1]);
		free(got);
	}
}

/* Runs that an earlier command kept in a folder belong to the case of the folder's name, even if
   the case's own runs are gone. If several lines of the suite file match the name, the most exact
   line makes the case. */
static void test_kept(void **state)
{
	static const char *const cases[][2] = {
		{ HEAD "  - {workload: a, runs: none}\n  - {workload: b, runs: none}\n",
		  "a (each): d/a/run.json.gz d/a/repeat-1.json.gz against d/a/control-1.json.gz; "
		  "b: no results: nothing matches 'none'" },
		{ HEAD "  - {workload: 'k-{name}', each: 'none/*'}\n  - {workload: 'k-x-{name}', each: "
		       "'none/*', rules: '{name}.yaml'}\n",
		  "k-b (each): d/k-b/run.json.gz; k-x-y (each): d/k-x-y/run.json.gz by y.yaml" },
		{ HEAD "  - {workload: 'k-{name}', each: 'k/*/'}\n",
		  "k-b (each): d/k-b/run.json.gz; k-x[1]: k/x[1]; k-x-y (each): d/k-x-y/run.json.gz" },
		{ HEAD "  - {workload: 'k-{name}', each: 'none/*'}\n  - {workload: k-b, runs: none}\n",
		  "k-x-y (each): d/k-x-y/run.json.gz; k-b (each): d/k-b/run.json.gz" },
		{ HEAD "  - {workload: 'z-{name}', each: 'none/*'}\n",
		  "z-{name}: no results: no folder matches 'none/*'" },
		{ HEAD "  - {workload: '{name}-{name}', each: 'none/*'}\n",
		  "q-q (each): d/q-q/run.json.gz" },
	};
	static const char *const folders[] = { "d", "d/a", "d/k-b", "d/k-x-y", "d/q-q", "d/k-empty" };
	(void)state;
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		assert_int_equal(mkdir(folders[i], 0777), 0);
	make("d/a/run.json.gz");
	make("d/a/repeat-1.json.gz");
	make("d/a/repeat-3.json.gz"); /* not used, since there is no repeat-2 */
	make("d/a/control-1.json.gz");
	make("d/k-b/run.json.gz");
	make("d/k-x-y/run.json.gz");
	make("d/q-q/run.json.gz");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = expanded(cases[i][0], "d");
		assert_string_equal(got, cases[i][1]);
		free(got);
	}
}

/* ---- verdict of the suite ---- */

static void add(struct suite *s, unsigned verdict, int64_t exit_code)
{
	int64_t place = (int64_t)s->cases.nr;
	vec_push(&s->cases, (struct suite_case){ .place = place,
	                                         .name = "x",
	                                         .verdict = verdict,
	                                         .exit_code = exit_code,
	                                         .text = "",
	                                         .change_pct = INT64_MIN,
	                                         .false_alarms = -1 });
}

static void test_conclude(void **state)
{
	static const struct {
		unsigned verdict[3];
		int codes[3];
		unsigned want;
		enum status status;
		const char *headline;
	} cases[] = {
		{ { VERDICT_PASS, VERDICT_PASS, VERDICT_PASS },
		  { 0 },
		  VERDICT_PASS,
		  ST_OK,
		  "3 cases passed" },
		{ { VERDICT_PASS, VERDICT_WARN, VERDICT_PASS },
		  { 0 },
		  VERDICT_WARN,
		  ST_OK,
		  "1 of 3 cases passed with a warning (x)" },
		{ { VERDICT_MISSING, VERDICT_FAIL, VERDICT_ERROR },
		  { 3, 1, 4 },
		  VERDICT_FAIL,
		  ST_FAILED,
		  "1 of 3 cases failed (x), 1 could not be judged, 1 missing" },
		{ { VERDICT_MISSING, VERDICT_PASS, VERDICT_ERROR },
		  { 3, 0, 4 },
		  VERDICT_ERROR,
		  ST_BASELINE,
		  "1 of 3 cases could not be judged (x), 1 missing" },
		{ { VERDICT_FAIL, VERDICT_PASS, VERDICT_ERROR },
		  { 1, 0, 2 },
		  VERDICT_FAIL,
		  ST_USAGE,
		  "1 of 3 cases failed (x), 1 could not be judged" },
		/* the failed case ran with --fail-on never and ended with 0: so does the suite */
		{ { VERDICT_FAIL, VERDICT_PASS, VERDICT_PASS },
		  { 0 },
		  VERDICT_FAIL,
		  ST_OK,
		  "1 of 3 cases failed (x)" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct suite s;
		suite_init(&s);
		for (int k = 0; k < 3; k++)
			add(&s, cases[i].verdict[k], cases[i].codes[k]);
		suite_conclude(&s);
		assert_int_equal(s.verdict, cases[i].want);
		assert_int_equal(s.status, cases[i].status);
		assert_string_equal(s.headline, cases[i].headline);
		suite_release(&s);
	}
}

/* ---- the suite's result as JSON ---- */

static void test_parts(void **state)
{
	static const char *const swaps[][2] = {
		/* the file contains a case with an index beyond `total` */
		{ "\"total\": 2", "\"total\": 1" },
		{ "\"shard\": 1", "\"shard\": 2" },
		/* the check refers to a case that the file does not contain */
		{ "\"case\":1", "\"case\":0" },
	};
	struct suite s, back;
	struct diag_log log;
	(void)state;
	suite_init(&s);
	s.total = 2;
	add(&s, VERDICT_FAIL, 1);
	s.cases.v[0].place = 1;
	vec_push(&s.checks, (struct suite_item){ .of = 1, .id = "a", .text = "b\xFF" });
	suite_conclude(&s);
	struct sink *out = sink_open_memory();
	suite_write(&s, out);
	diag_init(&log);
	assert_int_equal(suite_parse("f", sink_memory(out), &back, &log), ST_OK);
	suite_release(&back);
	for (size_t i = 0; i < 3; i++) {
		struct span text = sink_memory(out);
		char *copy = strndup(text.p, text.n), *at = strstr(copy, swaps[i][0]);
		assert_non_null(at);
		memcpy(at, swaps[i][1], strlen(swaps[i][1]));
		assert_int_equal(suite_parse("f", span_of(copy), &back, &log), ST_INPUT);
		suite_release(&back);
		free(copy);
	}
	sink_abort(out);
	suite_release(&s);
	diag_release(&log);
}

/* ---- cases in processes of their own ---- */

static void work(size_t i, void *ctx, struct sink *out)
{
	(void)ctx;
	if (i == 3)
		abort();
	for (size_t k = 0; k < 100000; k++) /* more bytes than a pipe can hold */
		sink_printf(out, "%zu", i);
}

static void take(size_t i, struct span text, const char *died, void *ctx)
{
	int *seen = ctx;
	seen[i]++;
	if (i == 3)
		assert_string_equal(died, "its process was ended by signal 6");
	else
		assert_int_equal(text.n, 100000 * (i < 10 ? 1 : 2));
}

static void test_children(void **state)
{
	int seen[20] = { 0 };
	struct diag_log log;
	(void)state;
	diag_init(&log);
	assert_int_equal(children_run(&(struct child_work){ seen, work, take }, 20, 3, &log), ST_OK);
	for (int i = 0; i < 20; i++)
		assert_int_equal(seen[i], 1);
	diag_release(&log);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_expand),
		cmocka_unit_test(test_kept),    cmocka_unit_test(test_conclude),
		cmocka_unit_test(test_parts),   cmocka_unit_test(test_children),
	};
	char folder[] = "/tmp/gpugate-suite-XXXXXX";
	if (!mkdtemp(folder) || chdir(folder) < 0 || mkdir("k", 0777) < 0 || mkdir("k/b", 0777) < 0 ||
	    mkdir("k/x[1]", 0777) < 0)
		return 1;
	make("k/b/1.json");
	make("k/b/2.json");
	make("k/x[1]/3.json");
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	return failed;
}
