#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fold/make.h"
#include "fold/present.h"
#include "merge/cycles.h"
#include "model/rows.h"
#include "sample_digest.h"
#include "store/digest_json.h"
#include "store/run_json.h"
#include "text_rig.h"

/* ---- the file of a whole run ---- */

static void add(struct run *run, struct digest *d)
{
	vec_push(&run->ranks, d);
}

static struct run sample_run(void)
{
	struct run run = { 0 };
	add(&run, sample_digest(0));
	add(&run, sample_digest(3));
	add(&run, sample_snapshot(3));
	add(&run, sample_snapshot(4));
	return run;
}

static char *text_of(const struct run *run)
{
	struct sink *s = sink_open_memory();
	run_write(run, s);
	return taken(s, NULL);
}

static enum status parse(const char *text, size_t n, size_t block, struct run *out,
                         struct diag_log *log)
{
	struct source *src =
	    source_memory("run.json", text, n, &(struct source_options){ .block = block });
	diag_init(log);
	enum status st = run_read(src, false, out, log);
	source_close(src);
	return st;
}

static void test_round_trip(void **state)
{
	(void)state;
	struct run run = sample_run(), read;
	struct diag_log log;
	char *text = text_of(&run);
	static const size_t blocks[] = { 0, 1, 2, 3, 7 };
	for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
		if (parse(text, strlen(text), blocks[i], &read, &log) != ST_OK)
			fail_msg("%s", diag_first_error(&log));
		char *again = text_of(&read);
		assert_string_equal(text, again);
		free(again);
		run_release(&read);
		diag_release(&log);
	}
	free(text);
	run_release(&run);
}

static void test_one_digest_is_plain(void **state)
{
	(void)state;
	struct run run = { 0 };
	add(&run, sample_digest(2));
	struct sink *s = sink_open_memory();
	digest_write(run.ranks.v[0], s);
	char *text = text_of(&run);
	assert_int_equal(sink_memory(s).n, strlen(text));
	assert_memory_equal(sink_memory(s).p, text, strlen(text));
	free(text);
	sink_abort(s);
	run_release(&run);
}

static void test_cut_anywhere(void **state)
{
	(void)state;
	struct run run = sample_run(), read;
	struct diag_log log;
	char *text = text_of(&run);
	size_t n = strlen(text);
	for (size_t i = 0; i + 2 < n; i += i < 200 || i + 200 > n ? 1 : 97) {
		if (parse(text, i, 0, &read, &log) != ST_INPUT)
			fail_msg("cut at %zu is read", i);
		assert_non_null(diag_first_error(&log));
		run_release(&read);
		diag_release(&log);
	}
	free(text);
	run_release(&run);
}

static void assert_refused(const char *text, const char *what)
{
	struct run read;
	struct diag_log log;
	if (parse(text, strlen(text), 0, &read, &log) != ST_INPUT)
		fail_msg("read, though it %s", what);
	if (!strstr(diag_first_error(&log), what))
		fail_msg("%s, not %s", diag_first_error(&log), what);
	run_release(&read);
	diag_release(&log);
}

static void test_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *what;
	} rows[] = {
		{ "{\"schema\": \"gpugate-run-1\", \"digests\": []}", "'digests' holds no digest" },
		{ "{\"schema\": \"gpugate-run-1\"}", "'digests' is missing" },
		{ "{\"schema\": \"gpugate-run-1\", \"digests\": {}}",
		  "byte 39: 'digests' is not an array" },
		{ "{\"schema\": \"gpugate-run-1\", \"digests\": [7]}", "'digests[0]' is not an object" },
		{ "{\"schema\": \"gpugate-run-2\", \"digests\": []}", "newer than what this gpugate (" },
		{ "{\"schema\": \"gpugate-run-1\", \"more\": 1}", "'more' is not known" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_refused(rows[i].text, rows[i].what);
}

static void test_order_is_checked(void **state)
{
	(void)state;
	static const int64_t orders[][2] = { { 1, 0 }, { 2, 2 } };
	for (size_t i = 0; i < 2; i++) {
		struct run run = { 0 };
		add(&run, sample_digest(orders[i][0]));
		add(&run, sample_digest(orders[i][1]));
		char *text = text_of(&run);
		assert_refused(text, "'digests[1]' does not come after the digest before it");
		free(text);
		run_release(&run);
	}
	struct run run = { 0 }; /* refused: a snapshot before the trace of the same rank */
	add(&run, sample_snapshot(1));
	add(&run, sample_digest(1));
	char *text = text_of(&run);
	assert_refused(text, "'digests[1]' does not come after");
	free(text);
	run_release(&run);
}

/* ---- missing ranks ---- */

static void test_present(void **state)
{
	(void)state;
	static const struct {
		int64_t expected, ranks[12]; ///< ranks that are present, with -1 at the end
		const char *fault;
	} rows[] = {
		{ 3, { 0, 1, 2, -1 }, NULL },
		{ 3, { 0, 1, 1, 2, -1 }, NULL }, /* two artifacts of a rank count as one rank */
		/* a node has eight ranks, and only the first rank of each node was recorded */
		{ 3, { 0, 8, 16, -1 }, NULL },
		{ 8, { 0, 1, 2, 4, 6, 7, -1 }, "ranks 3 and 5 of 8 are missing" },
		{ 8, { 0, 1, 2, 3, 4, 5, 6, -1 }, "rank 7 of 8 is missing" },
		{ 8, { 1, 1, 2, -1 }, "ranks 0 and 3 to 7 of 8 are missing" },
		{ 4, { -1 }, "4 ranks were expected, and there are 0" },
		{ 1, { 0, 1, -1 }, "1 rank was expected, and there are 2: ranks 0 to 1" },
		{ 4, { 0, 8, 16, -1 }, "4 ranks were expected, and there are 3: ranks 0, 8 and 16" },
		{ 2, { 5, -1 }, "2 ranks were expected, and there is 1: rank 5" },
		{ 1000,
		  { 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, -1 },
		  "ranks 0, 2, 4, 6, 8, 10, 12, 14, 16, 18 and 979 more of 1000 are missing" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct run run = { 0 };
		struct arena a = ARENA_INIT;
		for (size_t k = 0; rows[i].ranks[k] >= 0; k++) {
			add(&run, digest_new());
			run.ranks.v[k]->rank = rows[i].ranks[k];
		}
		const char *fault = present_fault(&run, rows[i].expected, &a);
		if (!rows[i].fault)
			assert_null(fault);
		else
			assert_string_equal(fault ? fault : "", rows[i].fault);
		run_release(&run);
		arena_release(&a);
	}
}

/* ---- joining profiler cycles ---- */

static struct digest *cycle(int64_t first_step)
{
	struct digest *d = sample_digest(0);
	for (size_t i = 0; i < d->nr_steps; i++)
		d->step_numbers[i] = first_step + (int64_t)i;
	return d;
}

static void add_function(struct digest *d, enum function_class cls, const char *name,
                         int64_t parent, int64_t ns)
{
	vec_push(&d->functions, (struct function_stat){ .cls = cls,
	                                                .name = span_of(name),
	                                                .parent = parent,
	                                                .count = 1,
	                                                .total_ns = ns,
	                                                .rate = -1,
	                                                .rate_mad = -1 });
}

/* Two profiler cycles of a rank, each with rows that the other cycle lacks. */
static void test_lists_are_joined(void **state)
{
	(void)state;
	struct run run = { 0 };
	struct digest *a = cycle(100), *b = cycle(200);
	add_function(a, FUNCTION_COMPUTE, "gemm", -1, 5);
	add_function(a, FUNCTION_PYTHON, "main", -1, 10);
	add_function(a, FUNCTION_PYTHON, "step", 1, 7);
	add_function(b, FUNCTION_PYTHON, "main", -1, 20);
	add_function(b, FUNCTION_PYTHON, "load", 0, 3);
	add_function(b, FUNCTION_PYTHON, "step", 0, 9);
	add_function(b, FUNCTION_PYTHON, "step", 2, 1); /* a function that calls itself */
	vec_push(&a->comms,
	         (struct comm_stat){ .kind = COLLECTIVE_ALL_TO_ALL, .count = 2, .max_ns = 4 });
	vec_push(&b->comms, (struct comm_stat){ .kind = COLLECTIVE_ALL_REDUCE, .count = 1 });
	vec_push(&b->comms,
	         (struct comm_stat){ .kind = COLLECTIVE_ALL_TO_ALL, .count = 3, .max_ns = 9 });
	a->start_ns = 1000;
	b->start_ns = 5000;
	vec_push(&a->collectives, (struct collective){ 0, 0, -1, 10, 1 });
	vec_push(&a->collectives, (struct collective){ 1, 0, -1, 20, 2 });
	vec_push(&b->collectives, (struct collective){ 0, 1, -1, 30, 3 });
	vec_push(&b->collectives, (struct collective){ 1, 0, -1, 40, 4 });
	add(&run, a);
	add(&run, b);
	run_join(&run);

	static const struct {
		const char *name;
		int64_t parent, count, ns;
	} functions[] = {
		{ "gemm", -1, 1, 5 }, { "main", -1, 2, 30 }, { "load", 1, 1, 3 },
		{ "step", 1, 2, 16 }, { "step", 3, 1, 1 },
	};
	assert_int_equal(a->functions.nr, 5);
	for (size_t i = 0; i < 5; i++) {
		const struct function_stat *f = &a->functions.v[i];
		assert_true(span_eq(f->name, span_of(functions[i].name)));
		assert_int_equal(f->parent, functions[i].parent);
		assert_int_equal(f->count, functions[i].count);
		assert_int_equal(f->total_ns, functions[i].ns);
	}
	static const struct collective collectives[] = {
		{ 0, 1, -1, 10, 1 }, { 1, 1, -1, 20, 2 }, { 2, 1, -1, 4030, 3 }, { 3, 0, -1, 4040, 4 }
	};
	assert_int_equal(a->comms.nr, 2);
	assert_int_equal(a->comms.v[1].count, 5);
	assert_int_equal(a->comms.v[1].max_ns, 9);
	assert_int_equal(a->collectives.nr, 4);
	assert_memory_equal(a->collectives.v, collectives, sizeof collectives);
	run_release(&run);
}

/* Matching counts collectives from the first one on, so that collectives after a gap cannot be
 * matched. */
static void test_cut_collectives(void **state)
{
	(void)state;
	for (int cut = 0; cut < 2; cut++) {
		struct run run = { 0 };
		struct digest *d[] = { cycle(100), cycle(200) };
		for (int k = 0; k < 2; k++) {
			d[k]->start_ns = 1000000 * k;
			vec_push(&d[k]->comms, (struct comm_stat){ .count = 1500 });
			for (int i = 0; i < 1500; i++)
				vec_push(&d[k]->collectives, (struct collective){ 0, 0, -1, i, 1 });
			add(&run, d[k]);
		}
		d[0]->collectives_cut = cut ? 7 : 0;
		run_join(&run);
		assert_int_equal(d[0]->collectives.nr, cut ? 1500 : COLLECTIVES_KEPT);
		assert_int_equal(d[0]->collectives_cut, cut ? 1507 : 1000);
		run_release(&run);
	}
}

static void test_cycle_faults(void **state)
{
	(void)state;
	struct digest *a = cycle(100), *b = cycle(200);
	assert_null(cycles_fault(a, b));
	b->step_numbers[1] = 101;
	assert_string_equal(cycles_fault(a, b), "they have steps with the same number");
	b->step_numbers[1] = 201;
	b->marker = "other";
	assert_non_null(strstr(cycles_fault(a, b), "marker"));
	b->marker = a->marker;
	b->warmup++;
	assert_non_null(strstr(cycles_fault(a, b), "warm-up"));
	b->warmup = a->warmup;
	b->period_count = 2;
	assert_non_null(strstr(cycles_fault(a, b), "by the period"));
	b->period_count = 0;
	digest_set_env(b, SPAN("batch_size"), SPAN("8"));
	assert_null(cycles_fault(a, b)); /* environment keys that only one side has do not conflict */
	digest_set_env(a, SPAN("batch_size"), SPAN("9"));
	assert_string_equal(cycles_fault(a, b), "their environments differ");
	b->window = true;
	assert_string_equal(cycles_fault(a, b), "one of them has no measured steps");
	digest_free(a);
	digest_free(b);
}

static void test_cycles_are_joined(void **state)
{
	(void)state;
	struct run run = { 0 };
	struct digest *one = sample_digest(0);
	add(&run, cycle(100));
	add(&run, cycle(200));
	add(&run, cycle(300));
	add(&run, sample_snapshot(0));
	run.ranks.v[0]->usable_steps = 1; /* its step 101 is cut short: once joined, it comes last */
	run_join(&run);
	assert_int_equal(run.ranks.nr, 1);
	const struct digest *d = run.ranks.v[0];
	static const int64_t numbers[] = { 100, 200, 201, 300, 301, 101 };
	assert_int_equal(d->nr_steps, 6);
	assert_memory_equal(d->step_numbers, numbers, sizeof numbers);
	assert_int_equal(d->usable_steps, 5);
	assert_int_equal(d->samples[METRIC_STEP_TIME][5], one->samples[METRIC_STEP_TIME][1]);
	assert_int_equal(d->events, 3 * one->events);
	assert_int_equal(d->trust.gpu_events, 3 * one->trust.gpu_events);
	assert_int_equal(d->kernels.nr, one->kernels.nr);
	for (size_t i = 0; i < one->kernels.nr; i++) {
		assert_true(span_eq(d->kernels.v[i].name, one->kernels.v[i].name));
		assert_int_equal(d->kernels.v[i].total_ns, 3 * one->kernels.v[i].total_ns);
		assert_int_equal(d->kernels.v[i].max_ns, one->kernels.v[i].max_ns);
		assert_int_equal(d->kernels.v[i].occupancy, one->kernels.v[i].occupancy);
	}
	assert_int_equal(d->devices.v[0].busy_ns, 3 * one->devices.v[0].busy_ns);
	assert_string_equal(d->trace, "rank.json, rank.json, rank.json");
	assert_non_null(d->snapshot);
	digest_free(one);
	run_release(&run);
}

/* Which lists of a digest get the rows of another cycle, and of another rank that is folded. The
   rows of a folded run are not those of one GPU, thread or phase. */
static void test_which_lists(void **state)
{
	(void)state;
#define WHICH(member, cycles, fold)               \
	{                                             \
		offsetof(struct digest, member), #member, \
		{                                         \
			cycles, fold                          \
		}                                         \
	}
	static const struct {
		size_t at;
		const char *what;
		size_t rows[2]; ///< expected rows of a digest without any, if the other has one
	} lists[] = {
		WHICH(env, 1, 1),
		WHICH(summaries, 0, 0),
		WHICH(phase_summaries, 0, 0),
		WHICH(kernels, 1, 1),
		WHICH(devices, 1, 0),
		WHICH(ops, 1, 1),
		WHICH(flops, 0, 1),
		WHICH(calls, 1, 1),
		WHICH(threads, 1, 0),
		WHICH(comms, 1, 1),
		WHICH(collectives, 1, 0),
		WHICH(functions, 1, 0),
		WHICH(code, 1, 1),
		WHICH(ranges, 1, 1),
		WHICH(counters, 1, 0),
		WHICH(phase_kernels, 1, 0),
		WHICH(phase_ops, 1, 0),
		WHICH(memories, 1, 0),
		WHICH(trace_memories, 1, 0),
		WHICH(memory_items, 0, 0),
		WHICH(memory_levels, 0, 0),
		WHICH(memory_evidence, 0, 0),
		WHICH(inputs, 1, 0),
		WHICH(machines, 1, 0),
	};
	assert_int_equal(sizeof lists / sizeof *lists, nr_digest_lists);
	for (size_t i = 0; i < nr_digest_lists; i++)
		for (int folded = 0; folded < 2; folded++) {
			struct run run = { 0 };
			struct digest *d[] = { cycle(100), cycle(200) };
			VEC(char) list[2];
			digest_forget(d[0]);
			digest_forget(d[1]);
			assert_int_equal(digest_lists[i].offset, lists[i].at);
			for (int k = 0; k < 2; k++) {
				d[k]->env.nr = d[k]->inputs.nr = 0;
				memcpy(&list[k], (char *)d[k] + lists[i].at, sizeof list[k]);
			}
			vec_release(&list[1]);
			list[1].v = calloc(1, digest_lists[i].row->size);
			list[1].nr = list[1].cap = 1;
			memcpy((char *)d[1] + lists[i].at, &list[1], sizeof list[1]);
			if (d[1]->env.nr)
				d[1]->env.v[0] = (struct env_entry){ "a", "b" };
			if (d[1]->collectives.nr) /* a collective is of a row of `comms` */
				vec_push_zero(&d[1]->comms);
			if (d[1]->inputs.nr)
				d[1]->inputs.v[0].name = "a";
			if (d[1]->machines.nr)
				d[1]->machines.v[0].id = "0";
			if (d[1]->collectives.nr) /* it names its row of `comms` */
				vec_push_zero(&d[1]->comms);
			if (folded) {
				fold_join_rows(d[0], d[1]);
				digest_free(d[1]);
			} else {
				add(&run, d[0]);
				add(&run, d[1]);
				run_join(&run);
			}
			memcpy(&list[0], (char *)d[0] + lists[i].at, sizeof list[0]);
			if (list[0].nr != lists[i].rows[folded])
				fail_msg("%s, %d: %zu rows", lists[i].what, folded, list[0].nr);
			if (folded)
				digest_free(d[0]);
			run_release(&run);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),       cmocka_unit_test(test_one_digest_is_plain),
		cmocka_unit_test(test_cut_anywhere),     cmocka_unit_test(test_refused),
		cmocka_unit_test(test_order_is_checked), cmocka_unit_test(test_present),
		cmocka_unit_test(test_cycle_faults),     cmocka_unit_test(test_cycles_are_joined),
		cmocka_unit_test(test_lists_are_joined), cmocka_unit_test(test_cut_collectives),
		cmocka_unit_test(test_which_lists),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
