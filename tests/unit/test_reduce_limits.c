#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "reduce/reducer.h"
#include "reduce_rig.h"

#define MAX "9223372036854775807"
#define MIN "-9223372036854775808"

/* A value that cannot be represented exactly is an error, never a wrong figure. */
static void test_sums(void **state)
{
	(void)state;
	static const struct {
		const char *script, *error; ///< error is NULL if there is none
	} rows[] = {
		{ "K a 0 7 -1 " MAX " 0", NULL },
		{ "K a 0 7 -1 " MAX " 1", "an event ends beyond" },
		{ "K a 0 7 -1 0 " MAX, NULL },
		{ "K a 0 7 -1 " MIN " 5", NULL },
		{ "K a 0 7 -1 " MIN " 5\nK a 0 7 -1 -2 1", NULL },
		{ "K a 0 7 -1 " MIN " 5\nK a 0 7 -1 -1 1", "292 years apart" },
		{ "O a 1 " MIN " 5\nA b 1 0 1", "292 years apart" },
		{ "K a 0 7 -1 0 " MAX "\nK a 0 7 -1 0 1", "durations of GPU activities" },
		{ "K a 0 7 -1 0 " MAX "\nO a 1 0 1\nR a 1 -1 0 1", NULL },
		{ "R a 1 -1 0 " MAX "\nO a 1 0 1", "durations of host events" },
		{ "P a 1 0 " MAX "\nP a 1 0 1", "durations of Python functions" },
		{ "C a 0 7 -1 0 1 " MAX "\nC b 0 7 -1 0 1 0", NULL },
		{ "C a 0 7 -1 0 1 " MAX "\nC a 0 7 -1 0 1 1", "bytes of copies" },
		{ "C a 0 7 -1 0 1 " MAX "\nC b 0 7 -1 0 1 1", "bytes of a step's copies" },
		{ "M 0 1 " MAX " " MAX " " MIN "\nM 0 1 " MAX " " MAX " " MAX "\nK a 0 7 -1 5 5", NULL },
		{ "M 0 1 5 5 0 " MAX "\nM 1 1 5 5 0 " MAX "\nM 0 1 5 5 1 " MIN, NULL },
		{ "M 0 1 5 5 0 " MAX "\nM 0 1 5 5 0 1", "the allocations add up" },
		{ "A ProfilerStep#1 1 0 1\nA ProfilerStep#2 1 1 1\nA ProfilerStep#3 1 2 1\n"
		  "M 0 1 0 0 0\nM 0 1 " MAX " 0 2",
		  NULL },
		{ "A ProfilerStep#1 1 0 10\nA ProfilerStep#2 1 10 10\nR x 1 1 0 1\nR x 1 2 10 1\n"
		  "K a 0 7 1 0 1\nK a 0 7 2 " MAX " 0\nK a 1 7 1 0 1\nK a 1 7 2 " MAX " 0\n",
		  "periods of a step's devices" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, rows[i].script);
		enum status st = reducer_finish(g.r, &g.meta, g.d, &g.log);
		const char *error = diag_first_error(&g.log);
		if ((rows[i].error != NULL) != (st == ST_INPUT) ||
		    (error != NULL) != (rows[i].error != NULL) || (error && !strstr(error, rows[i].error)))
			fail_msg("%s: %s", rows[i].script, error ? error : "no error");
		rig_close(&g);
	}
}

static void test_number_of_events(void **state)
{
	(void)state;
	for (uint32_t limit = 2; limit <= 3; limit++) {
		struct rig g;
		rig_open(&g, &(struct reduce_options){ .max_events = limit });
		rig_feed(&g, "K a 0 7 -1 0 1\nM 0 1 5 5 5\nR x 1 -1 1 1\n");
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), limit == 2 ? ST_INPUT : ST_OK);
		rig_close(&g);
	}
}

/* A table of texts that is full: collectives whose group or type is new are refused, and no
 * collective is stored without them. */
static void test_full_texts(void **state)
{
	(void)state;
	static const char *const more[] = {
		"K nccl 0 7 2 10 5 @allreduce,Half,1,1,2,known\n", /* a known group, but a new type */
		"K nccl 0 7 2 10 5 @allreduce,Byte,1,1,2,other\n", /* a new group, but a known type */
		"O c10d::allreduce_ 1 10 5 @allreduce,Byte,1,1,2,other\n",
	};
	for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, "K nccl 0 7 1 0 5 @allreduce,Byte,1,1,2,known\n");
		size_t kept = g.r->comm.kernels.nr;
		assert_int_equal(kept, 1);
		g.r->comm.texts.bytes = (size_t)1 << 30; /* the largest total length (base/intern.h) */
		rig_feed(&g, more[i]);
		assert_int_equal(g.r->comm.kernels.nr, kept);
		assert_int_equal(g.r->comm.scopes.nr, 0);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_INPUT);
		assert_non_null(strstr(diag_first_error(&g.log), "process groups or types"));
		rig_close(&g);
	}
}

/* The name of a group that is new, under a description that is known. */
static void test_full_group_names(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	struct event e = event_blank(EVENT_KERNEL);
	e.name = name_intern(&g.names, SPAN("nccl"));
	e.collective = (struct collective_args){ .name = SPAN("allreduce"),
		                                     .dtype = SPAN("Byte"),
		                                     .group = SPAN("7"),
		                                     .group_description = SPAN("known"),
		                                     .in_nelems = 1,
		                                     .out_nelems = 1,
		                                     .group_size = 2 };
	rig_event(&g, &e);
	g.r->comm.texts.bytes = (size_t)1 << 30;
	rig_event(&g, &e);
	assert_int_equal(g.r->comm.kernels.nr, 2);
	e.collective.group = SPAN("8");
	rig_event(&g, &e);
	assert_int_equal(g.r->comm.kernels.nr, 2);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_INPUT);
	rig_close(&g);
}

/* A table of collectives that is full: a known text in a new combination is refused, too. */
static void test_full_collectives(void **state)
{
	(void)state;
	for (int same = 0; same < 2; same++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, "K nccl 0 7 1 0 5 @allreduce,Byte,1,1,2,known\n");
		g.r->comm.keys.bytes = (size_t)1 << 30;
		rig_feed(&g, same ? "K nccl 0 7 2 10 5 @allreduce,Byte,1,1,2,known\n"
		                  : "K nccl 0 7 2 10 5 @allreduce,Byte,1,1,3,known\n");
		assert_int_equal(g.r->comm.kernels.nr, 1 + same);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), same ? ST_OK : ST_INPUT);
		rig_close(&g);
	}
}

/* A table of inputs that is full: an operator whose shapes or types are new has unknown inputs. */
static void test_full_inputs(void **state)
{
	(void)state;
	static const struct {
		const char *script;
		size_t kept;
	} rows[] = { { "O b 1 20 5 #[2, 3] float\n", 2 },
		         { "O b 1 20 5 #[2, 4] float\n", 1 },
		         { "O b 1 20 5 #[2, 3] int\n", 1 } };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		rig_open(&g, NULL);
		rig_feed(&g, "O a 1 0 5 #[2, 3] float\n");
		g.r->host.inputs.bytes = (size_t)1 << 30;
		rig_feed(&g, rows[i].script);
		assert_int_equal(g.r->host.op_inputs.nr, rows[i].kept);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->ops.nr, 2);
		rig_close(&g);
	}
}

/* A table of launch shapes that is full. */
static void test_full_shapes(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	struct event e = { .kind = EVENT_KERNEL,
		               .name = name_intern(&g.names, SPAN("k")),
		               .correlation = IDENT_NONE,
		               .grid = { 1, 1, 1 },
		               .block = { 1, 1, 1 } };
	rig_event(&g, &e);
	g.r->gpu.shapes.bytes = (size_t)1 << 30;
	rig_event(&g, &e); /* a shape that is there already */
	assert_null(g.r->fault);
	e.grid[2] = 2;
	rig_event(&g, &e);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_INPUT);
	assert_non_null(strstr(diag_first_error(&g.log), "launch shapes"));
	rig_close(&g);
}

/* Reduces many Python frames under a limit of memory; the message goes to `fd`. Does not return. */
static void reduce_beyond_memory(int fd)
{
	struct rig g;
	char name[48];
	rig_open(&g, NULL);
	for (int i = 0; i < 300000; i++) {
		snprintf(name, sizeof name, "train.py(%d): f%d", i, i);
		struct event e = { .kind = EVENT_PYTHON,
			               .name = name_intern(&g.names, span_of(name)),
			               .start_ns = 300000 - i,
			               .dur_ns = 1,
			               .pid = 1,
			               .tid = 1,
			               .device = IDENT_NONE,
			               .stream = IDENT_NONE,
			               .correlation = IDENT_NONE,
			               .python_id = i + 1,
			               .python_parent = -1 };
		rig_event(&g, &e);
	}
	dup2(fd, STDERR_FILENO);
	mem_reads("rank0.json");
	mem_limit(1);
	enum status st = reducer_finish(g.r, &g.meta, g.d, &g.log);
	rig_close(&g);
	_exit(st);
}

/* A limit of memory that is met once all events are in: the message names the file. */
static void test_memory_names_the_file(void **state)
{
	char said[256] = "";
	int fds[2], code;
	(void)state;
	assert_int_equal(pipe(fds), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0)
		reduce_beyond_memory(fds[1]);
	close(fds[1]);
	ssize_t n = read(fds[0], said, sizeof said - 1);
	close(fds[0]);
	assert_int_equal(waitpid(child, &code, 0), child);
	static const char want[] = "gpugate: rank0.json: more memory than the limit of 0 MiB";
	if (n < 0 || strncmp(said, want, sizeof want - 1) != 0)
		fail_msg("exit %d: %s", code, said);
}

static void test_nothing(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_false(g.d->window); /* a window of length 0 would give wrong figures */
	assert_int_equal(g.d->nr_steps, 0);
	assert_int_equal(g.d->attribution, ATTRIBUTION_NONE);
	assert_int_equal(g.d->env.nr, 0);
	rig_close(&g);
	reducer_free(NULL);
}

/* Many steps of many streams, and nested threads: the time must not grow with the square of the
 * number of steps, streams or threads. */
static void test_many(void **state)
{
	(void)state;
	struct rig g;
	char line[128];
	rig_open(&g, NULL);
	for (int i = 0; i < 100000; i++) {
		snprintf(line, sizeof line, "A ProfilerStep#%d 1 %d 1000000", i, i * 10);
		rig_line(&g, line);
		snprintf(line, sizeof line, "R cudaLaunchKernel %d %d %d 3", i, i + 1, i * 10 + 1);
		rig_line(&g, line);
		snprintf(line, sizeof line, "K a %d %d %d %d 3", i, i, i + 1, i * 10 + 500);
		rig_line(&g, line);
		snprintf(line, sizeof line, "O a 1 %d %d", i, 1000000 - 2 * i);
		rig_line(&g, line);
	}
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_int_equal(g.d->nr_steps, 100000);
	assert_int_equal(g.d->devices.nr, 100000);
	assert_int_equal(g.d->step_activities[0], 100000);
	rig_close(&g);
}

/* Durations of activities, and correlation ids, just below and above 2^30: larger ones are stored
   in a table. Host events are in another table if they last 2^20 ns or more, or begin 2^31 ns or
   more after the first event of their block. */
#define STEP "A ProfilerStep#1 1 0 20000000000\n"
static const struct rig_row wide_rows[] = {
	{ "durations of activities",
	  STEP "K a 0 7 -1 0 1073741823\nK a 0 7 -1 1073741823 1073741824\nK b 0 7 -1 9000000000 "
	       "4294967296",
	  "kernels",
	  "[0 a: 2 2147483647 1073741824 0 2 2147483647 1073741824 0][0 b: 1 4294967296 4294967296 0 1 "
	  "4294967296 4294967296 0]",
	  NULL, 0 },
	{ "", NULL, "step.busy_time", "6442450943", NULL, 0 },
	{ "the longer comes last", STEP "K a 0 7 -1 0 1073741824\nK b 0 7 -1 0 1073741823", "progress",
	  "1 0 0 0 |a|", NULL, 0 },
	{ "durations of operators",
	  STEP "O a 1 0 4294967296\nO b 1 0 2147483648\nO c 1 5 2147483643\nO c 1 2147483648 "
	       "2147483647",
	  "ops", "[a: 1 4294967296 1][b: 1 2147483648 5][c: 2 4294967290 4294967290]", NULL, 0 },
	{ "", NULL, "threads", "[1/1: 4294967296]", NULL, 0 },
	{ "long, or far from the first",
	  STEP "O a 1 5000000000 1048575\nO b 1 0 1048576\nO c 1 7147483647 1048576\n"
	       "O d 1 7147483648 5\nO e 1 2852516352 6\nO f 1 2852516351 1",
	  "ops",
	  "[a: 1 1048575 1048575][b: 1 1048576 1048576][c: 1 1048576 1048571][d: 1 5 5][e: 1 6 6]"
	  "[f: 1 1 1]",
	  NULL, 0 },
	{ "", NULL, "threads", "[1/1: 3145734]", NULL, 0 },
	{ "ids",
	  STEP "R cudaLaunchKernel 1 1073741823 5 1\nR cudaLaunchKernel 1 1073741824 6 1\n"
	       "R cudaLaunchKernel 1 4294967296 7 1\nR cudaLaunchKernel 1 9223372036854775807 8 1\n"
	       "R cudaLaunchKernel 1 3 9 1\nK a 0 7 4294967296 20 1\nK a 0 7 1073741823 21 1\n"
	       "K a 0 7 9223372036854775807 22 1\nK a 0 7 1073741824 23 1\nK a 0 7 1073741825 24 1\n"
	       "K a 0 7 2 25 1\nK a 0 7 -1 26 1\nK a 0 7 -1 27 1",
	  "attribution", "1 1 3 4", NULL, 0 },
	{ "", NULL, "launches", "5 0", NULL, 0 },
	{ "", NULL, "step.launch_time", "5", NULL, 0 },
	{ "one id of several calls",
	  STEP "R cudaLaunchKernel 1 1073741824 5 1\nR cudaGraphLaunch 1 1073741824 4 1\n"
	       "R cudaLaunchKernel 1 1073741824 6 1\nR cudaLaunchKernel 1 1 7 1\n"
	       "K a 0 7 1073741824 20 1\nK a 0 7 1073741824 21 1",
	  "launches", "4 1", NULL, 0 },
	{ "overlap on a stream, but of one replay",
	  STEP "R cudaGraphLaunch 1 1073741824 4 1\nR cudaGraphLaunch 1 1073741825 4 1\n"
	       "K a 0 7 1073741824 20 10\nK a 0 7 1073741824 25 10\nK a 0 7 1073741825 30 10",
	  "times", "30 0 0 5", NULL, 0 },
	{ "the id of another launch's place",
	  STEP "R cudaLaunchKernel 1 5 4 1\nK a 0 7 5 20 10\nK a 0 7 0 25 10", "times", "20 10 10 5",
	  NULL, 0 },
};

static void test_wide(void **state)
{
	(void)state;
	rig_check(wide_rows, sizeof wide_rows / sizeof *wide_rows);
}

/* More names than the short form of a host event can number; the events fill several blocks of
   SPAN_BLOCK. */
static void test_many_names(void **state)
{
	(void)state;
	struct rig g;
	char line[64];
	rig_open(&g, NULL);
	for (int i = 0; i < 9000; i++) {
		snprintf(line, sizeof line, "O n%d 1 %d %d", i % 4500, i * 10, i % 4500 % 10);
		rig_line(&g, line);
	}
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_int_equal(g.d->ops.nr, 4500);
	for (size_t i = 0; i < g.d->ops.nr; i++) {
		const struct op_stat *op = &g.d->ops.v[i];
		assert_int_equal(op->count, 2);
		assert_int_equal(op->self_ns, 2 * (atoi(op->name.p + 1) % 10));
	}
	assert_int_equal(g.d->threads.v[0].busy_ns, 9000 / 10 * 45);
	rig_close(&g);
}

static void test_environment(void **state)
{
	(void)state;
	static const struct {
		const char *title, *script, *names[3]; ///< expected names of devices 0, 1, 2
		const char *name, *count;
	} rows[] = {
		{ "the device that worked", "K a 1 0 -1 0 1", { "A", "B", "C" }, "B", "1" },
		{ "two of them", "K a 2 0 -1 0 1\nK a 1 0 -1 0 1", { "A", "C", "B" }, "B, C", "2" },
		{ "two of one name", "K a 2 0 -1 0 1\nK a 1 0 -1 0 1", { "A", "C", "C" }, "C", "2" },
		{ "unknown id, one name for all", "K a 9 0 -1 0 1", { "A", "A", "A" }, "A", "1" },
		{ "unknown id, several names", "K a 9 0 -1 0 1", { "A", "A", "B" }, NULL, "1" },
		{ "no activity", "O a 1 0 1", { "A", "A" }, "A", NULL },
		{ "an empty name", "K a 0 0 -1 0 1", { "", "" }, NULL, "1" },
		{ "no properties", "K a 0 0 -1 0 1", { NULL }, NULL, "1" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		rig_open(&g, NULL);
		for (int64_t id = 0; id < 3 && rows[i].names[id]; id++)
			vec_push(&g.meta.devices, (struct trace_device){ id, rows[i].names[id], -1, 0 });
		g.meta.world_size = i ? -1 : 8;
		g.meta.cuda_driver = i ? NULL : "12.2";
		rig_feed(&g, rows[i].script);
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		const char *name = digest_env(g.d, "gpu.name"), *count = digest_env(g.d, "gpu.count");
		if (!name != !rows[i].name || (name && strcmp(name, rows[i].name) != 0))
			fail_msg("%s: got %s", rows[i].title, name ? name : "none");
		if (!count != !rows[i].count || (count && strcmp(count, rows[i].count) != 0))
			fail_msg("%s: got count %s", rows[i].title, count ? count : "none");
		assert_true((digest_env(g.d, "world_size") != NULL) == (i == 0));
		assert_true((digest_env(g.d, "cuda.driver") != NULL) == (i == 0));
		assert_null(digest_env(g.d, "cuda.runtime"));
		rig_close(&g);
	}
}

/* A file may list a device twice: the first name counts, and the names of others stay theirs. */
static void test_devices_listed_twice(void **state)
{
	(void)state;
	struct rig g;
	rig_open(&g, NULL);
	vec_push(&g.meta.devices, (struct trace_device){ 0, "A", -1, 0 });
	vec_push(&g.meta.devices, (struct trace_device){ 0, "B", -1, 0 });
	vec_push(&g.meta.devices, (struct trace_device){ 1, "C", -1, 0 });
	rig_feed(&g, "K a 1 0 -1 0 1\nK a 0 0 -1 0 1\n");
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	assert_string_equal(digest_env(g.d, "gpu.name"), "A, C");
	rig_close(&g);
}

/* All of a recording that was made to find places in the code is measured, despite a warm-up. */
static void test_where_has_no_warmup(void **state)
{
	(void)state;
	for (int where = 0; where < 2; where++) {
		struct rig g;
		rig_open(&g, &(struct reduce_options){ .warmup = 1 });
		g.meta.where = where;
		g.meta.base_ns = where ? 5000 : 0;
		rig_feed(&g, "A ProfilerStep#1 1 10 10\nA ProfilerStep#2 1 20 10\n");
		assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
		assert_int_equal(g.d->where, where);
		assert_int_equal(g.d->warmup, !where);
		assert_int_equal(g.d->nr_steps, 1 + where);
		assert_int_equal(g.d->start_ns, where ? 5010 : 10);
		rig_close(&g);
	}
}

static uint64_t hash_of(const char *script)
{
	struct rig g;
	rig_open(&g, NULL);
	rig_feed(&g, script);
	assert_int_equal(reducer_finish(g.r, &g.meta, g.d, &g.log), ST_OK);
	uint64_t h = g.d->source_hash;
	rig_close(&g);
	return h;
}

static void test_hash(void **state)
{
	(void)state;
	uint64_t h = hash_of("K a 0 7 -1 0 9\nK b 0 7 -1 20 9");
	assert_true(h == hash_of("K b 0 7 -1 20 9\nK a 0 7 -1 0 9"));
	assert_true(h != hash_of("K a 0 7 -1 0 9\nK c 0 7 -1 20 9"));
	assert_true(h != hash_of("K a 0 7 -1 0 9\nK b 0 7 -1 21 9"));
	assert_true(h != hash_of("K a 0 7 -1 0 9\nK b 0 7 -1 20 9\nM 0 1 5 5 5"));
}

static void test_digest_env(void **state)
{
	(void)state;
	struct digest *d = digest_new();
	digest_set_env(d, SPAN("m"), SPAN("1"));
	digest_set_env(d, SPAN("z"), SPAN("2"));
	digest_set_env(d, SPAN("a"), SPAN("3"));
	digest_set_env(d, SPAN("m"), SPAN("4"));
	assert_int_equal(d->env.nr, 3);
	assert_string_equal(d->env.v[0].key, "a");
	assert_string_equal(d->env.v[2].key, "z");
	assert_string_equal(digest_env(d, "m"), "4");
	assert_null(digest_env(d, "b"));
	digest_free(d);
	digest_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_number_of_events),
		cmocka_unit_test(test_full_shapes),
		cmocka_unit_test(test_full_texts),
		cmocka_unit_test(test_memory_names_the_file),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_wide),
		cmocka_unit_test(test_many_names),
		cmocka_unit_test(test_full_group_names),
		cmocka_unit_test(test_full_collectives),
		cmocka_unit_test(test_full_inputs),
		cmocka_unit_test(test_devices_listed_twice),
		cmocka_unit_test(test_where_has_no_warmup),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_digest_env),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
