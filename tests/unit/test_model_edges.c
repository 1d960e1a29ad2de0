/* Orders of rows, and figures of the model where a condition is met exactly. */
#include "gate_fixture.h"
#include "model/collective.h"
#include "model/flops.h"
#include "model/fold.h"
#include "model/ranks.h"
#include "model/rows.h"
#include "model/step_figures.h"
#include "model/view.h"
#include "ranks_rig.h"
#include "replay/memory_rows.h"

/* ---- orders of rows and artifacts, fragmentation, patterns of categories ---- */

typedef int compare_fn(const void *a, const void *b);

/* Asserts that `cmp` orders the rows as they are listed, all of which differ. */
static void assert_order(const char *what, const void *rows, size_t nr, size_t size,
                         compare_fn *cmp)
{
	const char *v = rows;
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < nr; k++) {
			int c = cmp(v + i * size, v + k * size);
			if ((c > 0) - (c < 0) != (i > k) - (i < k))
				fail_msg("%s: rows %zu and %zu compare as %d", what, i, k, c);
		}
}
#define ASSERT_ORDER(rows, cmp) assert_order(#cmp, rows, NR_OF(rows), sizeof *(rows), cmp)

#define SITE(category, kind, file, function, line) \
	NULL, MEMORY_LIST_PEAK, { category, 1 }, kind, { file, 1 }, { function, 1 }, line

static void test_orders(void **state)
{
	(void)state;
	static const struct memory_item rows[] = {
		{ SITE("b", SITE_USER, "g", "g", 2), 9, 1, 1, 0 },
		{ SITE("a", SITE_USER, "f", "f", 1), 8, 1, 9, 0 },
		{ SITE("a", SITE_USER, "f", "f", 1), 8, 1, 7, 0 },
		{ SITE("a", SITE_USER, "f", "f", 2), 8, 1, 9, 0 },
		{ SITE("a", SITE_USER, "f", "g", 1), 8, 1, 9, 0 },
		{ SITE("a", SITE_USER, "g", "f", 1), 8, 1, 9, 0 },
		{ SITE("a", SITE_REST - 1, "f", "f", 1), 8, 1, 9, 0 },
		{ SITE("b", SITE_USER, "f", "f", 1), 8, 1, 9, 0 },
		{ SITE("a", SITE_USER, "f", "f", 1), 7, 1, 9, 0 },
		{ SITE("a", SITE_REST, "f", "f", 1), 90, 1, 9, 0 },
		{ SITE("a", SITE_REST, "f", "f", 1), 80, 1, 9, 0 },
	};
	static int64_t steps[] = { 1, 2, 3 }, others[] = { 1, 3 };
	static const struct fold_pattern patterns[] = {
		{ NULL, 0 }, { steps, 1 }, { steps, 2 }, { steps, 3 }, { others, 2 }, { steps + 1, 1 },
	};
	ASSERT_ORDER(patterns, fold_pattern_cmp);
	ASSERT_ORDER(rows, memory_item_cmp);
}

/* A digest of the rank `rank`, made from an artifact of the kind `kind`: a trace (t), a snapshot
   (s) or a result file (m). It has a step with the number `step` unless this is below 0, and a
   figure `name` and a GPU `gpu` unless these are NULL. */
static struct digest *artifact(int64_t rank, char kind, int64_t step, const char *name,
                               const char *gpu)
{
	struct digest *d = digest_new();
	d->rank = rank;
	d->trace = kind == 't' ? "t" : NULL;
	d->snapshot = kind == 's' ? "s" : NULL;
	d->metrics_file = kind == 'm' ? "m" : NULL;
	digest_set_steps(d, step >= 0);
	if (step >= 0)
		d->step_numbers[0] = step;
	if (name)
		vec_push(&d->inputs, (struct input_stat){ .name = name });
	if (gpu)
		vec_push(&d->machines, (struct machine_stat){ .id = gpu });
	return d;
}

static void test_artifacts(void **state)
{
	(void)state;
	struct digest *v[] = {
		artifact(0, 'm', -1, "a", NULL),  artifact(1, 't', -1, NULL, NULL),
		artifact(1, 't', 0, NULL, NULL),  artifact(1, 't', 7, NULL, NULL),
		artifact(1, 's', -1, NULL, NULL), artifact(1, 'm', -1, NULL, NULL),
		artifact(1, 'm', -1, NULL, "0"),  artifact(1, 'm', -1, NULL, "1"),
		artifact(1, 'm', -1, "a", NULL),  artifact(1, 'm', -1, "b", NULL),
		artifact(2, 't', 0, NULL, NULL),
	};
	for (size_t i = 0; i < NR_OF(v); i++)
		for (size_t k = 0; k < NR_OF(v); k++) {
			int c = run_digest_cmp(v[i], v[k]);
			if ((c > 0) - (c < 0) != (i > k) - (i < k))
				fail_msg("%zu and %zu: %d", i, k, c);
		}
	for (size_t i = 0; i < NR_OF(v); i++)
		digest_free(v[i]);
}

/* The environment of a run is that of the first rank that knows it. */
static void test_environment(void **state)
{
	(void)state;
	static const char *const rows[][4] = { { NULL, NULL, NULL, NULL },
		                                   { NULL, NULL, "x", "x" },
		                                   { NULL, "x", "y", "x" },
		                                   { "x", "y", NULL, "x" } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run = { 0 };
		for (size_t k = 0; k < 3; k++) {
			struct digest *d = digest_new();
			vec_push(&run.ranks, d);
			if (rows[i][k])
				digest_set_env(d, SPAN("key"), span_of(rows[i][k]));
		}
		const char *found = run_env(&run, "key");
		if (!found != !rows[i][3] || (found && strcmp(found, rows[i][3]) != 0))
			fail_msg("row %zu: %s", i, found ? found : "nothing");
		run_release(&run);
	}
}

static void test_fragmentation(void **state)
{
	(void)state;
	static const int64_t rows[][3] = { { 50, 100, PERCENT(50) },    { 0, 0, 0 },
		                               { 0, 1, PERCENT(100) },      { 1, 1, 0 },
		                               { 200, 100, -PERCENT(100) }, { -50, -100, PERCENT(50) },
		                               { 0, -1, PERCENT(100) } };
	for (size_t i = 0; i < NR_OF(rows); i++)
		if (memory_fragmentation(rows[i][0], rows[i][1]) != rows[i][2])
			fail_msg("row %zu: %lld", i, (long long)memory_fragmentation(rows[i][0], rows[i][1]));
}

/* Patterns of categories with '*' and '?': several in a row, and at the ends of a pattern. */
static void test_patterns(void **state)
{
	(void)state;
	static const struct {
		const char *pattern, *name;
		bool fits;
	} rows[] = {
		{ "ge**mm", "gexmm", true }, { "ge**mm", "gemm", true }, { "*mm", "gemm", true },
		{ "ge*", "gemm", true },     { "g?mm", "gemm", true },   { "g??m", "gemm", true },
		{ "g?mm", "gmm", false },    { "ge*xm", "gemm", false }, { "x*", "gemm", false },
		{ "m", "gemm", true },       { "", "gemm", true },       { "mm", "m", false },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct category_table t = { .source = "test" };
		struct category *c = vec_push_zero(&t.rows);
		c->name = "c";
		vec_push(&c->match, span_of(rows[i].pattern));
		if ((category_of(&t, span_of(rows[i].name)) == 0) != rows[i].fits)
			fail_msg("%s in %s", rows[i].pattern, rows[i].name);
		category_table_release(&t);
	}
}

/* ---- occupancy in joined rows ---- */

/* Occupancy of a kernel in two joined profiler cycles: the mean, weighted by time, if both cycles
 * know it, else the known one. */
static void test_cycles(void **state)
{
	(void)state;
	static const struct {
		int64_t x[2], y[2]; ///< occupancy and total_ns of the kernel in each cycle
		int64_t want;
	} rows[] = {
		{ { 10, 3 }, { 20, 1 }, 13 }, { { 10, 1 }, { 20, 0 }, 10 }, { { 10, 0 }, { 20, 1 }, 20 },
		{ { 10, 0 }, { 20, 0 }, 10 }, { { -1, 3 }, { 20, 1 }, 20 }, { { 10, 3 }, { -1, 1 }, 10 },
		{ { -1, 3 }, { -1, 1 }, -1 }, { { 0, 1 }, { 20, 1 }, 10 },  { { 20, 1 }, { 0, 1 }, 10 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct kernel_stat x = { .occupancy = rows[i].x[0], .total_ns = rows[i].x[1], .count = 1 };
		struct kernel_stat y = { .occupancy = rows[i].y[0], .total_ns = rows[i].y[1], .count = 1 };
		row_add(&kernel_stat_row, ROWS_OF_CYCLES, &x, &y);
		if (x.occupancy != rows[i].want)
			fail_msg("row %zu: %lld", i, (long long)x.occupancy);
	}
	/* the shape of the cycle with more launches; of the first cycle if both have as many */
	for (int64_t more = 0; more < 2; more++) {
		struct kernel_stat x = { .grid = { 1 }, .block = { 1 }, .count = 5 };
		struct kernel_stat y = { .grid = { 2 }, .block = { 2 }, .count = 5 + more };
		row_add(&kernel_stat_row, ROWS_OF_CYCLES, &x, &y);
		assert_int_equal(x.grid[0], 1 + more);
		assert_int_equal(x.block[0], 1 + more);
		struct counter_stat c = { .samples = 5, .median = 1 },
		                    e = { .samples = 5 + more, .median = 2 };
		row_add(&counter_stat_row, ROWS_OF_CYCLES, &c, &e);
		assert_int_equal(c.median, 1 + more);
	}
}

/* The trust counters of two joined profiler cycles: where the first fault is, the fewest requests
 * of steps, and the wall time of the cycle whose period falls shorter of the distance of markers.
 */
static void test_trust_of_cycles(void **state)
{
	(void)state;
	enum { FAULTS, BYTE, LOW, MARKER, COMPLETION, NR };
	static const int64_t rows[][3][NR] = {
		/* one cycle, the other, and both */
		{ { 0, 0, 0, 0, 0 }, { 1, 7, 4, 50, 60 }, { 1, 7, 4, 50, 60 } },
		{ { 1, 7, 4, 50, 60 }, { 0, 0, 0, 0, 0 }, { 1, 7, 4, 50, 60 } },
		{ { 1, 7, 4, 50, 60 }, { 2, 9, 5, 50, 50 }, { 3, 7, 4, 50, 50 } },
		{ { 2, 9, 5, 50, 50 }, { 1, 7, 4, 50, 60 }, { 3, 9, 4, 50, 50 } },
		{ { 1, 7, 4, 50, 60 }, { 1, 8, 4, 100, 120 }, { 2, 7, 4, 50, 60 } },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct trust_counts t[2];
		for (size_t k = 0; k < 2; k++)
			t[k] = (struct trust_counts){ .json_faults = rows[i][k][FAULTS],
				                          .fault_byte = rows[i][k][BYTE],
				                          .requests_low = rows[i][k][LOW],
				                          .tokens_low = rows[i][k][LOW] * 100,
				                          .marker_ns = rows[i][k][MARKER],
				                          .completion_ns = rows[i][k][COMPLETION] };
		row_add(&trust_counts_row, ROWS_OF_CYCLES, &t[0], &t[1]);
		const int64_t have[NR] = { t[0].json_faults, t[0].fault_byte, t[0].requests_low,
			                       t[0].marker_ns, t[0].completion_ns };
		if (memcmp(have, rows[i][2], sizeof have) != 0 || t[0].tokens_low != have[LOW] * 100)
			fail_msg("row %zu", i);
	}
}

/* Occupancy of two sums of small kernels together: the mean of those known, weighted by time in
   steps. If neither has time in steps, the higher value; if there is time but no known occupancy,
   the lower value. */
static void test_small_kernels(void **state)
{
	(void)state;
	static const struct {
		int64_t x[2], y[2]; ///< of each sum: occupancy (-1: unknown), step_total_ns
		int64_t want[2]; ///< occupancy and occupancy_ns
	} rows[] = {
		{ { 10, 1 }, { 30, 1 }, { 20, 2 } }, { { 10, 1 }, { -1, 1 }, { 10, 1 } },
		{ { -1, 1 }, { 10, 1 }, { 10, 1 } }, { { 10, 0 }, { 20, 0 }, { 20, 0 } },
		{ { 20, 0 }, { 10, 0 }, { 20, 0 } }, { { -1, 1 }, { 0, 0 }, { -1, 0 } },
		{ { 0, 0 }, { -1, 1 }, { -1, 0 } },  { { 0, 1 }, { -1, 0 }, { -1, 0 } },
		{ { -1, 0 }, { 0, 0 }, { 0, 0 } },   { { 0, 1 }, { 30, 1 }, { 30, 1 } },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct kernel_stat x = { .occupancy = rows[i].x[0], .step_total_ns = rows[i].x[1] };
		struct kernel_stat y = { .occupancy = rows[i].y[0], .step_total_ns = rows[i].y[1] };
		row_add(&kernel_stat_row, ROWS_SMALL, &x, &y);
		if (x.occupancy != rows[i].want[0] || x.occupancy_ns != rows[i].want[1])
			fail_msg("row %zu: %lld, %lld", i, (long long)x.occupancy, (long long)x.occupancy_ns);
	}
}

/* ---- names and shapes of collectives ---- */

#define N16 "xxxxxxxxxxxxxxxx"
#define N112 N16 N16 N16 N16 N16 N16 N16

static void test_names_of_collectives(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		enum collective_kind kind;
	} rows[] = {
		/* a letter or digit between the words makes another name; other characters are skipped */
		{ "allAreduce", COLLECTIVE_REDUCE },
		{ "allZreduce", COLLECTIVE_REDUCE },
		{ "allareduce", COLLECTIVE_REDUCE },
		{ "allzreduce", COLLECTIVE_REDUCE },
		{ "all0reduce", COLLECTIVE_REDUCE },
		{ "all9reduce", COLLECTIVE_REDUCE },
		{ "all@reduce", COLLECTIVE_ALL_REDUCE },
		{ "all[reduce", COLLECTIVE_ALL_REDUCE },
		{ "all`reduce", COLLECTIVE_ALL_REDUCE },
		{ "all{reduce", COLLECTIVE_ALL_REDUCE },
		{ "all/reduce", COLLECTIVE_ALL_REDUCE },
		{ "all:reduce", COLLECTIVE_ALL_REDUCE },
		/* only the name's first 128 letters and digits are searched */
		{ N112 "xxxxxxxxxxreduce", COLLECTIVE_REDUCE },
		{ N112 "xxxxxxxxxxxreduce", COLLECTIVE_OTHER },
		{ N112 "__xxxxxxxxxxreduce", COLLECTIVE_REDUCE },
	};
	for (size_t i = 0; i < NR_OF(rows); i++)
		if (collective_kind_of(span_of(rows[i].name)) != rows[i].kind)
			fail_msg("%s", rows[i].name);
}

static void test_shapes_of_collectives(void **state)
{
	(void)state;
	static const struct {
		const char *name, *dims, *types;
		int64_t bytes;
	} rows[] = {
		{ "nccl:all_reduce", "[6, 2]", "float", 48 },
		{ "nccl:all_reduce", "[6, 2], [3]", "float, float", 60 },
		{ "nccl:all_reduce", "[]", "float", 4 },
		{ "nccl:all_reduce", "[0]", "float", 0 },
		{ "nccl:all_reduce", "[6;2]", "float", -1 },
		{ "nccl:all_reduce", "[6", "float", -1 },
		{ "nccl:all_reduce", "[6, ", "float", -1 },
		{ "nccl:all_reduce", "6", "float", -1 },
		{ "nccl:all_reduce", "[6], [3]", "float, int", -1 },
		{ "nccl:all_reduce", "[6], [3]", "float;float", -1 },
		{ "nccl:all_reduce", "[6];[3]", "float, float", -1 },
		{ "nccl:all_reduce", "[6]", "float, float", -1 },
		{ "nccl:all_reduce", "[6], [3]", "float", -1 },
		{ "nccl:all_reduce", "[6]", "none", -1 },
		{ "nccl:all_reduce", "[4294967296, 4294967296]", "float", -1 },
		{ "nccl:all_reduce", "[9223372036854775807], [1]", "bool, bool", -1 },
		{ "nccl:all_reduce", "[9223372036854775807]", "bool", INT64_MAX },
		/* the second names of some types */
		{ "nccl:all_reduce", "[6]", "long int", 48 },
		{ "nccl:all_reduce", "[6]", "long", 48 },
		{ "nccl:all_reduce", "[6]", "short", 12 },
		{ "nccl:all_reduce", "[6]", "short unsigned int", 12 },
		{ "nccl:all_reduce", "[6]", "long unsigned int", 48 },
		{ "nccl:all_gather", "[6]", "float", -1 },
		{ "nccl:gather", "[6]", "float", -1 },
		{ "nccl:scatter", "[6]", "float", 24 },
		{ "nccl:all_reduce", "", "", -1 },
	};
	struct name_table names;
	name_table_init(&names);
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct event e = { .kind = EVENT_ANNOTATION,
			               .name = name_intern(&names, span_of(rows[i].name)),
			               .input_dims = span_of(rows[i].dims),
			               .input_types = span_of(rows[i].types) };
		if (collective_of(&e).bytes != rows[i].bytes)
			fail_msg("%s %s: %lld", rows[i].dims, rows[i].types,
			         (long long)collective_of(&e).bytes);
	}
	name_table_release(&names);
}

/* ---- collectives matched between two ranks, and the skew of their compute ---- */

static int64_t matched_of(struct run *run)
{
	struct cross_rank *cross = mem_calloc(run->ranks.nr, sizeof *cross);
	ranks_cross(run, cross);
	int64_t nr = cross[0].matched;
	free(cross);
	return nr;
}

/* Which collectives have a partner on the other rank. */
static void test_matched(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: a10 | 5: f10", "4: a15 | 5: f15", NULL };
	struct run run = rig_run(lines);
	assert_int_equal(matched_of(&run), 1); /* two sends do not match each other */
	for (int r = 0; r < 2; r++)
		run.ranks.v[r]->comms.v[5].kind = COLLECTIVE_RECV;
	assert_int_equal(matched_of(&run), 1); /* two receives do not match */
	for (int r = 0; r < 2; r++)
		run.ranks.v[r]->comms.v[5].kind = COLLECTIVE_BARRIER;
	assert_int_equal(matched_of(&run), 2);
	for (int64_t size = -1; size <= 2; size++) { /* what a group of two ranks says of its size */
		for (int r = 0; r < 2; r++)
			run.ranks.v[r]->comms.v[5].group_size = size;
		assert_int_equal(matched_of(&run), size < 0 || size == 2 ? 2 : 1);
	}
	for (int r = 0; r < 2; r++)
		run.ranks.v[r]->collectives.v[1].comm = -1;
	assert_int_equal(matched_of(&run), 1);
	for (int r = 0; r < 2; r++)
		run.ranks.v[r]->collectives.v[0].step = -1;
	assert_int_equal(matched_of(&run), 0);
	run_release(&run);
}

/* Number of steps all of whose collectives are in the list, if the list was cut off. */
static void test_covered(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: a10 | 5: a10 | 6: a10", "4: a15 | 5: a15 | 6: a15",
		                                 NULL };
	static const struct {
		int64_t cut, usable;
		size_t listed;
		int64_t steps;
	} rows[] = { { 0, 3, 3, 3 }, { 1, 3, 3, 2 }, { 1, 2, 3, 2 }, { 1, 1, 3, 1 },
		         { 1, 3, 2, 1 }, { 1, 3, 1, 0 }, { 1, 3, 0, 3 }, { 0, 3, 2, 3 } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run = rig_run(lines);
		struct cross_rank cross[2];
		run.ranks.v[0]->collectives_cut = rows[i].cut;
		run.ranks.v[0]->usable_steps = rows[i].usable;
		run.ranks.v[0]->collectives.nr = rows[i].listed;
		ranks_cross(&run, cross);
		if (cross[0].steps != rows[i].steps || cross[0].step_ns != rows[i].steps * RIG_STEP_NS)
			fail_msg("row %zu: %lld steps", i, (long long)cross[0].steps);
		run_release(&run);
	}
}

/* The skew of compute needs two ranks with compute, and a median above 0. */
static void test_skew(void **state)
{
	(void)state;
	static const char *const lines[] = { "4: a10", "4: a15", "4: a20", NULL };
	static const struct {
		int64_t compute[3]; ///< ns; -1: the rank has no kernels
		int64_t skew[3];
	} rows[] = {
		{ { 1, 1, 3 }, { 0, 0, PERCENT(200) } },
		{ { 0, 0, 3 }, { MEMORY_UNKNOWN, MEMORY_UNKNOWN, MEMORY_UNKNOWN } },
		{ { 2, -1, 4 }, { -33333333, MEMORY_UNKNOWN, 33333333 } },
		{ { 2, -1, -1 }, { MEMORY_UNKNOWN, MEMORY_UNKNOWN, MEMORY_UNKNOWN } },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run = rig_run(lines);
		struct cross_rank cross[3];
		for (size_t r = 0; r < 3; r++) {
			run.ranks.v[r]->samples[METRIC_STEP_COMPUTE_TIME][0] = rows[i].compute[r];
			if (rows[i].compute[r] < 0)
				run.ranks.v[r]->kernels.nr = 0;
		}
		ranks_cross(&run, cross);
		for (size_t r = 0; r < 3; r++)
			if (cross[r].compute_skew != rows[i].skew[r])
				fail_msg("row %zu, rank %zu: %lld", i, r, (long long)cross[r].compute_skew);
		run_release(&run);
	}
}

/* ---- peak rates of GPUs, and shares of them ---- */

/* Rates of every known GPU in 0.1 TFLOP/s; 0 if unknown. */
static void test_peaks(void **state)
{
	(void)state;
	static const struct {
		const char *gpus[5];
		int64_t rate[3]; ///< float16, bfloat16, float8
	} rows[] = {
		{ { "Tesla V100-SXM2-16GB", "Tesla V100-SXM2-32GB" }, { 1250, 0, 0 } },
		{ { "Tesla V100-PCIE-16GB", "Tesla V100-PCIE-32GB" }, { 1120, 0, 0 } },
		{ { "Tesla T4", "NVIDIA Tesla T4" }, { 650, 0, 0 } },
		{ { "A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB", "A100-PCIE-40GB", "A100 80GB PCIe" },
		  { 3120, 3120, 0 } },
		{ { "NVIDIA H100 80GB HBM3", "NVIDIA H200" }, { 9895, 9895, 19790 } },
		{ { "NVIDIA H100 PCIe" }, { 7565, 7565, 15130 } },
		{ { "AMD Instinct MI210" }, { 1810, 1810, 0 } },
		{ { "AMD Instinct MI300X", "AMD Instinct MI300X VF" }, { 13074, 13074, 26149 } },
		{ { "NVIDIA", "A100", "NVIDIA NVIDIA H200" }, { 0, 0, 0 } },
	};
	static const char *const types[] = { "float16", "bfloat16", "fp8" };
	for (size_t i = 0; i < NR_OF(rows) * NR_OF(types); i++) {
		size_t row = i / NR_OF(types), type = i % NR_OF(types);
		for (size_t k = 0; k < 5 && rows[row].gpus[k]; k++) {
			struct digest *d = digest_new();
			struct flop_peak peak = { 0 };
			digest_set_env(d, SPAN("precision"), span_of(types[type]));
			digest_set_env(d, SPAN("gpu.name"), span_of(rows[row].gpus[k]));
			bool known = flops_peak(d, &peak);
			if (known != (rows[row].rate[type] > 0) ||
			    peak.micro_tflops != rows[row].rate[type] * 100000)
				fail_msg("%s, %s: %lld", rows[row].gpus[k], types[type],
				         (long long)peak.micro_tflops);
			digest_free(d);
		}
	}
}

/* The share of the peak needs operations above 0, all of them counted, and steps. */
static void test_share_of_peak(void **state)
{
	(void)state;
	static const struct {
		const char *per_step, *peak;
		int64_t flops, uncounted, steps;
		int64_t mfu, share, rate; ///< expected figures, with steps of 1 µs; -1: unknown
	} rows[] = {
		{ "1", "1", 2, 0, 2, 100, 100, 1000000 },
		{ "1000000", "1", 2000000, 0, 2, PERCENT(100), PERCENT(100), 1000000000000 },
		{ "0", "1", 0, 0, 2, -1, -1, -1 },
		{ "1", "0", 2, 0, 2, -1, -1, 1000000 },
		{ "1", "0.000001", 2, 0, 2, PERCENT(100), PERCENT(100), 1000000 },
		{ "1", "1", 2, 1, 2, 100, -1, -1 },
		{ "1", "1", 2, 0, 0, 100, -1, -1 },
		{ "1", "1", 2, 0, 1, 100, 200, 2000000 },
		{ NULL, "1", 2, 0, 2, -1, 100, 1000000 },
		{ "x", "1", 2, 0, 2, -1, 100, 1000000 },
		{ "1", NULL, 2, 0, 2, -1, -1, 1000000 },
		{ "-1e19", "1", 2, 0, 2, -1, 100, 1000000 },
		{ "1e19", "1000000000", 2, 0, 2, 1000000000000, 0, 1000000 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		static const enum metric_id ids[] = { METRIC_MFU_PCT, METRIC_FLOPS_PEAK_PCT,
			                                  METRIC_FLOPS_PER_S };
		const int64_t want[] = { rows[i].mfu, rows[i].share, rows[i].rate };
		struct digest *d = digest_new();
		if (rows[i].per_step)
			digest_set_env(d, SPAN("flops_per_step"), span_of(rows[i].per_step));
		if (rows[i].peak)
			digest_set_env(d, SPAN("peak_tflops"), span_of(rows[i].peak));
		d->usable_steps = rows[i].steps;
		vec_push(&d->flops, (struct flop_stat){ .op = SPAN("mm"),
		                                        .flops = rows[i].flops,
		                                        .uncounted = rows[i].uncounted });
		for (size_t k = 0; k < NR_OF(ids); k++) {
			int64_t out = -1;
			if (flops_figure(d, ids[k], 1000, &out) != (want[k] >= 0) || out != want[k])
				fail_msg("row %zu, %s: %lld", i, metric_table[ids[k]].name, (long long)out);
		}
		digest_free(d);
	}
}

/* A peak that the user gives counts if it is a number above 0; else none does, not even that of a
   known GPU. */
static void test_own_peak(void **state)
{
	(void)state;
	static const struct {
		const char *own;
		int64_t peak;
		const char *source;
	} rows[] = { { "2", 2000000, "peak_tflops of the run context" },
		         { "0.000001", 1, "peak_tflops of the run context" },
		         { "0", 0, NULL },
		         { "-1", 0, NULL },
		         { "many", 0, NULL },
		         { NULL, 989500000, "H200 data sheet, NVIDIA, without sparsity" } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = digest_new();
		struct flop_peak peak = { 0 };
		digest_set_env(d, SPAN("precision"), SPAN("bfloat16"));
		digest_set_env(d, SPAN("gpu.name"), SPAN("NVIDIA H200"));
		if (rows[i].own)
			digest_set_env(d, SPAN("peak_tflops"), span_of(rows[i].own));
		assert_int_equal(flops_peak(d, &peak), rows[i].peak > 0);
		assert_int_equal(peak.micro_tflops, rows[i].peak);
		if (rows[i].source)
			assert_string_equal(peak.source, rows[i].source);
		digest_free(d);
	}
}

/* The type of operations is that of 99 % of them; of none, that of the context. */
static void test_type_of_most(void **state)
{
	(void)state;
	static const struct {
		int64_t flops[2];
		enum flop_type type;
	} rows[] = { { { 99, 1 }, FLOP_BFLOAT16 }, { { 98, 2 }, FLOP_OTHER },
		         { { 1, 99 }, FLOP_FLOAT8 },   { { 98, 1 }, FLOP_OTHER },
		         { { 0, 1 }, FLOP_FLOAT8 },    { { 0, 0 }, FLOP_FLOAT16 } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = digest_new();
		digest_set_env(d, SPAN("precision"), SPAN("fp16"));
		for (int k = 0; k < 2; k++)
			vec_push(&d->flops, (struct flop_stat){ .op = SPAN("mm"),
			                                        .type = k ? FLOP_FLOAT8 : FLOP_BFLOAT16,
			                                        .flops = rows[i].flops[k] });
		if (flops_type(d) != rows[i].type)
			fail_msg("row %zu: %d", i, (int)flops_type(d));
		digest_free(d);
	}
}

static void test_type_of_one_operation(void **state)
{
	(void)state;
	struct digest *d = digest_new();
	vec_push(&d->flops, (struct flop_stat){ .op = SPAN("mm"), .type = FLOP_BFLOAT16, .flops = 1 });
	assert_int_equal(flops_type(d), FLOP_BFLOAT16);
	d->flops.v[0].flops = 0;
	digest_set_env(d, SPAN("precision"), SPAN("fp16"));
	assert_int_equal(flops_type(d), FLOP_FLOAT16);
	digest_free(d);
}

/* ---- joining a trace and a snapshot ---- */

/* Faults of both files are added up; the first byte is that of the first file with a fault. */
static void test_faults_of_both(void **state)
{
	(void)state;
	static const int64_t rows[][4] = {
		/* faults of the trace and of the snapshot; expected number, and first byte */
		{ 2, 3, 5, 7 },
		{ 1, 0, 1, 7 },
		{ 0, 3, 3, 9 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = artifact(0, 't', 0, NULL, NULL),
		              *snapshot = artifact(0, 's', -1, NULL, NULL);
		d->trust.json_faults = rows[i][0];
		d->trust.fault_byte = 7;
		snapshot->trust.json_faults = rows[i][1];
		snapshot->trust.fault_byte = 9;
		digest_join(d, snapshot);
		assert_int_equal(d->trust.json_faults, rows[i][2]);
		assert_int_equal(d->trust.fault_byte, rows[i][3]);
		assert_string_equal(d->snapshot, "s");
		digest_free(d);
	}
}

/* ---- checks that a report leaves out ---- */

/* A letter for each check: i, of a figure of files; v, with a value; u, of a recording that is not
 * there; b and c, with one on a side. The checks that are left out are marked by "-". */
static void test_left_out(void **state)
{
	(void)state;
	static const char *const rows[][2] = { { "iuu", "i--" }, { "ui", "-i" },   { "iuv", "iuv" },
		                                   { "uu", "uu" },   { "iub", "iub" }, { "iuc", "iuc" },
		                                   { "iJu", "iJ-" }, { "", "" } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct report r;
		char have[8] = "";
		report_init(&r);
		for (const char *c = rows[i][0]; *c; c++) {
			bool files = *c == 'i' || *c == 'J';
			struct check *check = vec_push_zero(&r.checks);
			check->metric = &metric_table[files ? METRIC_INPUT : METRIC_STEP_TIME];
			check->verdict = *c == 'v' || *c == 'i' ? VERDICT_PASS : VERDICT_SKIPPED;
			check->has_baseline = *c == 'b';
			check->has_candidate = *c == 'c';
		}
		for (size_t k = 0; k < r.checks.nr; k++)
			have[k] = report_leaves_out(&r, &r.checks.v[k]) ? '-' : rows[i][0][k];
		assert_string_equal(have, rows[i][1]);
		report_release(&r);
	}
}

/* ---- samples of steps ---- */

/* Steps without a value are left out; usable steps are counted among the others. */
static void test_samples(void **state)
{
	(void)state;
	static const struct {
		int64_t v[4]; /* -1: absent */
		const char *want; /* values with the number of their step; number of usable ones; median */
	} rows[] = {
		{ { 5, 6, 7, 9 }, "5/10 6/11 7/12 9/13 3 6" },
		{ { -1, 6, 7, 9 }, "6/11 7/12 9/13 2 7" },
		{ { 5, -1, 7, 9 }, "5/10 7/12 9/13 2 6" },
		{ { 5, 6, -1, -1 }, "5/10 6/11 2 6" },
		{ { -1, -1, -1, 9 }, "9/13 0 -1" },
		{ { -1, -1, -1, -1 }, "0 -1" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = digest_new();
		struct strbuf b = STRBUF_INIT;
		int64_t median = -1;
		digest_set_steps(d, 4);
		d->usable_steps = 3;
		for (size_t k = 0; k < 4; k++) {
			d->step_numbers[k] = 10 + (int64_t)k;
			d->samples[METRIC_STEP_TIME][k] = rows[i].v[k] < 0 ? NO_SAMPLE : rows[i].v[k];
		}
		struct step_samples s = digest_samples(d, METRIC_STEP_TIME, &d->arena);
		for (size_t k = 0; k < s.nr; k++)
			strbuf_addf(&b, "%lld/%lld ", (long long)s.value[k], (long long)s.step[k]);
		assert_int_equal(digest_step_stat(d, METRIC_STEP_TIME, STAT_MEDIAN, &median), s.usable > 0);
		strbuf_addf(&b, "%zu %lld", s.usable, (long long)median);
		if (strcmp(strbuf_str(&b), rows[i].want) != 0)
			fail_msg("row %zu: %s", i, strbuf_str(&b));
		/* if summaries are there, samples are not used, also for metrics without a summary */
		struct step_summary *sum = vec_push_zero(&d->summaries);
		sum->metric = METRIC_STEP_KERNEL_COUNT;
		sum->value[STAT_MEDIAN] = 77;
		assert_false(digest_step_stat(d, METRIC_STEP_TIME, STAT_MEDIAN, &median));
		assert_true(digest_step_stat(d, METRIC_STEP_KERNEL_COUNT, STAT_MEDIAN, &median));
		assert_int_equal(median, 77);
		strbuf_release(&b);
		digest_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_artifacts),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_fragmentation),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_small_kernels),
		cmocka_unit_test(test_names_of_collectives),
		cmocka_unit_test(test_shapes_of_collectives),
		cmocka_unit_test(test_matched),
		cmocka_unit_test(test_covered),
		cmocka_unit_test(test_skew),
		cmocka_unit_test(test_peaks),
		cmocka_unit_test(test_share_of_peak),
		cmocka_unit_test(test_own_peak),
		cmocka_unit_test(test_type_of_most),
		cmocka_unit_test(test_type_of_one_operation),
		cmocka_unit_test(test_faults_of_both),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_trust_of_cycles),
		cmocka_unit_test(test_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
