#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/load_internal.h"
#include "store/run_json.h"

enum { FILES = 24, BROKEN = 5 };

/* ---- files of traces: several ranks, every fifth trace cut short ---- */

struct files {
	char dir[64];
	char *paths[FILES];
};

static void write_trace(const char *path, int rank, bool whole)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "{\"distributedInfo\": {\"rank\": %d}, \"traceEvents\": [\n", rank);
	for (int i = 0; i < 40 + rank; i++)
		fprintf(f,
		        "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"k%d\", \"ts\": %d, \"dur\": %d, "
		        "\"pid\": 0, \"tid\": 7, \"args\": {\"device\": 0, \"stream\": 7, "
		        "\"correlation\": %d}}%s\n",
		        i % 7, 100 * i, 50 + rank, i, i < 39 + rank ? "," : "");
	fputs(whole ? "]}\n" : "", f);
	assert_int_equal(fclose(f), 0);
}

static int make_files(void **state)
{
	static struct files files;
	strcpy(files.dir, "/tmp/gpugate-load-XXXXXX");
	assert_non_null(mkdtemp(files.dir));
	for (int i = 0; i < FILES; i++) {
		files.paths[i] = mem_calloc(1, 100);
		/* the order of the ranks differs from the order of the files */
		int rank = i * 7 % FILES;
		snprintf(files.paths[i], 100, "%s/%02d.json", files.dir, i);
		write_trace(files.paths[i], rank, i % BROKEN != BROKEN - 1);
	}
	*state = &files;
	return 0;
}

static int remove_files(void **state)
{
	struct files *files = *state;
	for (int i = 0; i < FILES; i++) {
		unlink(files->paths[i]);
		free(files->paths[i]);
	}
	return rmdir(files->dir);
}

/* ---- results of loading as text ---- */

static char *load(const char *const *paths, size_t nr, const char *jobs, bool allow,
                  enum status *st)
{
	struct options cli = { .command = CMD_REPORT };
	cli.value[OPT_JOBS] = jobs;
	cli.value[OPT_ALLOW_TRUNCATED] = allow ? "" : NULL;
	struct setup setup = { .options = &cli,
		                   .reduce = { .marker = "ProfilerStep#*", .communication = "nccl" },
		                   .categories = { .source = "test" } };
	struct diag_log log;
	struct run run;
	diag_init(&log);
	*st = run_load(paths, nr, &setup, &run, &log);
	struct sink *out = sink_open_memory();
	if (*st == ST_OK)
		run_write(&run, out);
	for (const struct diag_entry *e = log.first; e; e = e->next)
		sink_printf(out, "%d %s\n", (int)e->severity, e->text);
	char *text = mem_strndup(sink_memory(out).p, sink_memory(out).n);
	sink_abort(out);
	run_release(&run);
	diag_release(&log);
	return text;
}

/* The result is the same for any number of threads: figures, and errors in their order. */
static void test_jobs(void **state)
{
	const struct files *files = *state;
	static const char *const jobs[] = { "2", "3", "8", "24", "100" };
	for (int allow = 0; allow < 2; allow++) {
		enum status want_st, st;
		char *want = load((const char *const *)files->paths, FILES, "1", allow, &want_st);
		assert_int_equal(want_st, allow ? ST_OK : ST_INPUT);
		for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
			char *got = load((const char *const *)files->paths, FILES, jobs[i], allow, &st);
			assert_int_equal(st, want_st);
			assert_string_equal(got, want);
			free(got);
		}
		free(want);
	}
}

/* Every broken file is named, in the order of the arguments. */
static void test_all_errors(void **state)
{
	const struct files *files = *state;
	enum status st;
	char *text = load((const char *const *)files->paths, FILES, "8", false, &st);
	const char *at = text;
	for (int i = BROKEN - 1; i < FILES; i += BROKEN) {
		const char *found = strstr(at, files->paths[i]);
		assert_non_null(found);
		at = found + 1;
	}
	free(text);
}

static void test_bad_options(void **state)
{
	const struct files *files = *state;
	enum status st;
	char *text = load((const char *const *)files->paths, 1, "1025", false, &st);
	assert_int_equal(st, ST_USAGE);
	assert_string_equal(text, "0 option '--jobs' takes 1 to 1024\n");
	free(text);
}

/* How many files are read in parallel is limited by the system's number of descriptors: each file
   takes at most two, and some are needed for other purposes. */
static void test_descriptors(void **state)
{
	(void)state;
	static const struct {
		rlim_t limit;
		size_t jobs, files, threads;
	} rows[] = {
		{ 1024, 8, 16384, 8 },      { 1024, 8, 3, 3 },       { 1024, 1, 1, 1 },
		{ 1024, 1024, 16384, 504 }, { 64, 1024, 16384, 24 }, { 64, 8, 300, 8 },
		{ 24, 8, 300, 4 },          { 17, 8, 300, 1 },       { RLIM_INFINITY, 9, 300, 9 },
	};
	struct rlimit before, limit;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	limit = before;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		limit.rlim_cur = rows[i].limit;
		/* skip a row whose limit is above the one that the system allows */
		if (setrlimit(RLIMIT_NOFILE, &limit) == 0)
			assert_int_equal(load_threads(rows[i].jobs, rows[i].files), rows[i].threads);
	}
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jobs),
		cmocka_unit_test(test_all_errors),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_descriptors),
	};
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
