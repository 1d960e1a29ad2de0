/* Figures, names and rules of the model at both sides of the limits of their conditions. */
#include <stdlib.h>

#include "gate_fixture.h"
#include "model/account.h"
#include "model/figures_internal.h"
#include "model/finding.h"
#include "model/fold.h"
#include "model/memory_view.h"
#include "model/rows.h"
#include "model/step_kinds.h"
#include "sample_digest.h"

/* ---- what a run was judged by ---- */

static void test_account(void **state)
{
	(void)state;
	static const struct {
		int64_t gpu_events, gpu_ns, outside_ns, usable, total, world, ranks;
		bool window, known, empty;
		const char *want;
	} rows[] = {
		{ 20, 400, 100, 2, 3, -1, 1, false, true, false,
		  "judged: 2 of 3 steps, 75.00 % of the GPU time" },
		{ 20, 400, 100, 2, 3, -1, 1, false, false, false, "judged: 2 of 3 steps" },
		{ 20, 0, 0, 2, 3, -1, 1, false, true, false, "judged: 2 of 3 steps" },
		{ 20, 1, 0, 2, 3, -1, 1, true, true, false,
		  "judged: the whole recording, 100.00 % of the GPU time" },
		{ 20, 1, 0, 2, 3, -1, 1, false, false, true, "judged: 2 of 3 steps (1 without GPU work)" },
		{ 20, 1, 0, 2, 3, 1, 1, false, false, false, "judged: 2 of 3 steps" },
		{ 20, 1, 0, 2, 3, 2, 1, false, false, false, "judged: 2 of 3 steps, 1 of 2 ranks" },
		{ 20, 1, 0, 2, 3, -1, 2, false, false, false, "judged: 2 of 3 steps, 2 of 2 ranks" },
		{ 0, 0, 0, 2, 3, -1, 1, false, true, false, NULL },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = sample_digest(0);
		struct run run = fixture_run(d);
		struct arena a = ARENA_INIT;
		d->trust = (struct trust_counts){ .gpu_events = rows[i].gpu_events,
			                              .timed = rows[i].known ? rows[i].gpu_events : 0,
			                              .gpu_ns = rows[i].gpu_ns,
			                              .unattributed_ns = rows[i].outside_ns };
		d->usable_steps = rows[i].usable;
		d->total_steps = rows[i].total;
		d->world_size = rows[i].world;
		d->window = rows[i].window;
		if (rows[i].empty)
			d->step_activities[1] = 0;
		const char *text = account_text(&run, rows[i].ranks, &a);
		if (!text != !rows[i].want || (text && strcmp(text, rows[i].want) != 0))
			fail_msg("row %zu: %s", i, text);
		arena_release(&a);
		run_release(&run);
	}
}

/* Time and number of activities by what is known of their code; waits of the host do not count. */
static void test_known_code(void **state)
{
	(void)state;
	static const struct account_known want[NR_ACCOUNT_ORIGINS] = {
		[KNOWN_OPERATOR] = { 1021, 1021, 0 },
		[KNOWN_MODULE] = { 1001, 1021, 1 },
		[KNOWN_PLACE] = { 620, 1021, 5 },
	};
	struct digest *d = sample_digest(0);
	for (int part = 0; part < NR_ACCOUNT_ORIGINS; part++) {
		struct account_known k = account_known(d, (enum account_origin)part);
		if (k.ns != want[part].ns || k.of_ns != want[part].of_ns || k.others != want[part].others)
			fail_msg("part %d: %lld of %lld, %lld", part, (long long)k.ns, (long long)k.of_ns,
			         (long long)k.others);
	}
	assert_int_equal(account_empty_steps(d), 0);
	d->step_activities[0] = 0;
	assert_int_equal(account_empty_steps(d), 1);
	d->usable_steps = 0;
	assert_int_equal(account_empty_steps(d), 0);
	d->usable_steps = 2;
	d->window = true;
	assert_int_equal(account_empty_steps(d), 0);
	d->window = false;
	vec_push_zero(&d->summaries);
	assert_int_equal(account_empty_steps(d), 0);
	digest_free(d);
}

/* ---- names ---- */

static void test_communication(void **state)
{
	(void)state;
	static const struct {
		const char *patterns, *name;
		bool fits;
	} rows[] = {
		{ "nccl rccl", "ncclKernel", true }, { "nccl rccl", "x_RCCL", true },
		{ "nccl rccl", "gemm", false },      { "nccl  rccl", "gemm", false },
		{ "nccl  rccl", "rccl", true },      { " nccl", "nccl", true },
		{ "nccl ", "gemm", false },          { "", "gemm", false },
		{ "lccn", "nccl", false },           { "ncclx", "nccl", false },
	};
	for (size_t i = 0; i < NR_OF(rows); i++)
		if (category_matches_any(rows[i].patterns, span_of(rows[i].name)) != rows[i].fits)
			fail_msg("row %zu", i);
}

/* How well a text fits an item: an operator whose name is cut is not called after a kernel, and a
   category is also called as reports call it. */
static void test_fits(void **state)
{
	(void)state;
	char longest[65];
	memset(longest, 'x', sizeof longest - 1);
	longest[sizeof longest - 1] = '\0';
	const struct {
		enum metric_id metric;
		const char *asked, *label;
		enum name_fit fit;
	} rows[] = {
		{ METRIC_KERNEL_TIME, "triton_red\u2026ward_8", "triton_red_fused_backward_8",
		  FIT_CUT_FORM },
		{ METRIC_OP_TIME, "triton_red\u2026ward_8", "triton_red_fused_backward_8", FIT_CUT },
		{ METRIC_OP_TIME, "aten::*", "aten::mm", FIT_PATTERN },
		{ METRIC_OP_TIME, "aten::mm", "aten::mm", FIT_WHOLE },
		{ METRIC_CATEGORY_TIME, "normalization", "normalisation", FIT_SHOWN },
		{ METRIC_CATEGORY_TIME, "normalisation", "normalisation", FIT_WHOLE },
		{ METRIC_CATEGORY_TIME, "norm*", "normalisation", FIT_PATTERN },
		{ METRIC_CATEGORY_TIME, "quantization", "normalisation", FIT_NONE },
		{ METRIC_KERNEL_TIME, "normalization", "normalisation", FIT_NONE },
		{ METRIC_CATEGORY_TIME, longest, longest, FIT_WHOLE },
		{ METRIC_CATEGORY_TIME, "normalization", longest, FIT_NONE },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		enum name_fit fit =
		    item_fit(&metric_table[rows[i].metric], span_of(rows[i].asked), span_of(rows[i].label));
		if (fit != rows[i].fit)
			fail_msg("row %zu: %d", i, (int)fit);
	}
}

static void test_memory_names(void **state)
{
	(void)state;
	static const struct {
		const char *id;
		bool host;
	} ids[] = { { "cpu", true },        { "mklCPU", true },    { "gpu_host_bfc", true },
		        { "GPU_0_bfc", false }, { "0", false },        { "hos", false },
		        { "cp", false },        { "xla_HOST_0", true } };
	static const struct {
		enum site_kind kind;
		const char *function, *name, *site;
	} sites[] = {
		{ SITE_USER, "f", "m.py:f", "m.py:f, line 7" },
		{ SITE_FRAMEWORK, "", "m.py", "m.py, line 7" },
		{ SITE_NO_STACK, "f", "blocks without a stack", "blocks without a stack" },
		{ SITE_BEFORE, "f", "blocks from before the recording",
		  "blocks from before the recording" },
		{ SITE_UNEXPLAINED, "f", "what no known block explains", "what no known block explains" },
		{ SITE_REST, "f", "smaller sites", "smaller sites" },
	};
	for (size_t i = 0; i < NR_OF(ids); i++) {
		assert_int_equal(memory_is_host(span_of(ids[i].id)), ids[i].host);
		assert_int_equal(memory_is_selected(NULL, span_of(ids[i].id)), !ids[i].host);
		assert_true(memory_is_selected("*", span_of(ids[i].id)));
	}
	for (size_t i = 0; i < 2 * NR_OF(sites); i++) {
		struct strbuf name = STRBUF_INIT, site = STRBUF_INIT;
		const struct memory_item item = { .kind = sites[i / 2].kind,
			                              .file = SPAN("m.py"),
			                              .function = span_of(sites[i / 2].function),
			                              .line = i % 2 ? 7 : 0 };
		memory_item_add_name(&name, &item);
		memory_item_add_site(&site, &item);
		assert_string_equal(strbuf_str(&name), sites[i / 2].name);
		assert_string_equal(strbuf_str(&site), i % 2 ? sites[i / 2].site : sites[i / 2].name);
		strbuf_release(&name);
		strbuf_release(&site);
	}
}

/* The items of a list of one memory. */
static void test_memory_lists(void **state)
{
	(void)state;
	struct digest *d = sample_snapshot(0);
	size_t nr;
	for (int list = 0; list < NR_MEMORY_LISTS; list++) {
		const struct memory_item *v = memory_list_of(d, "3", (enum memory_list)list, &nr);
		assert_int_equal(nr, 2);
		assert_ptr_equal(v, &d->memory_items.v[2 * (NR_MEMORY_LISTS + list)]);
	}
	assert_null(memory_list_of(d, "1", MEMORY_LIST_PEAK, &nr));
	assert_int_equal(nr, 0);
	assert_null(memory_list_of(d, "4", MEMORY_LIST_PEAK, &nr));
	digest_free(d);
}

/* A place is a file and a function after its last colon. */
static void test_source_lines(void **state)
{
	(void)state;
	static const char *const rows[][2] = { { "m.py:f", "m.py" }, { "C:\\m.py:f", "C:\\m.py" },
		                                   { "x:", "x" },        { ":f", NULL },
		                                   { "m.py", NULL },     { "", NULL } };
	struct arena a = ARENA_INIT;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct source_line l = source_line_of(&a, span_of(rows[i][0]), 7);
		assert_int_equal(l.line, 7);
		if (!l.file != !rows[i][1] || (l.file && strcmp(l.file, rows[i][1]) != 0))
			fail_msg("%s: %s", rows[i][0], l.file);
	}
	arena_release(&a);
}

/* The label of a call path of up to 160 bytes is whole. That of a longer one has a hash, and the
   last frames that fit; at least one. */
static void test_long_paths(void **state)
{
	(void)state;
	static const struct {
		size_t n[3]; ///< lengths of the frames, the caller first
		size_t frames; ///< number of frames that the label shows
	} rows[] = { { { 1, 2, 151 }, 3 },   { { 1, 2, 152 }, 2 },  { { 10, 10, 134 }, 3 },
		         { { 10, 10, 135 }, 2 }, { { 5, 10, 147 }, 2 }, { { 5, 10, 148 }, 1 },
		         { { 1, 1, 200 }, 1 },   { { 200, 1, 1 }, 2 },  { { 1, 200, 1 }, 1 } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		char text[3][201];
		struct strbuf want = STRBUF_INIT;
		struct digest *d = sample_digest(0);
		struct run run = fixture_run(d);
		struct category_table categories = { 0 };
		struct naming naming = { .categories = &categories };
		struct run_view v;
		for (size_t k = 0; k < 3; k++) {
			memset(text[k], 'a' + (int)k, rows[i].n[k]);
			text[k][rows[i].n[k]] = '\0';
			vec_push(&d->functions, (struct function_stat){ .cls = FUNCTION_PYTHON,
			                                                .name = span_of(text[k]),
			                                                .parent = (int64_t)k - 1,
			                                                .exclusive_ns = 1 });
			if (k + rows[i].frames >= 3)
				strbuf_addf(&want, "%s%s", want.n ? " > " : "", text[k]);
		}
		run_view_init(&v, &run, &naming);
		struct answers answers;
		struct query q = { .metric = &metric_table[METRIC_FUNCTION_EXCLUSIVE_PCT],
			               .reduce = REDUCE_EACH };
		run_query(&v, &q, &v.arena, &answers);
		bool whole = rows[i].frames == 3, found = false;
		for (size_t k = 0; k < answers.list.nr; k++) {
			struct span label = answers.list.v[k].label;
			size_t skip = whole ? 0 : strlen("~01234567 > ");
			bool hash = label.n > skip && label.p[0] == '~';
			if (hash != whole && label.n > skip)
				found = found || span_eq((struct span){ label.p + skip, label.n - skip },
				                         strbuf_span(&want));
		}
		if (!found)
			fail_msg("row %zu: no %s", i, strbuf_str(&want));
		strbuf_release(&want);
		vec_release(&answers.list);
		run_view_release(&v);
		run_release(&run);
	}
}

/* ---- figures of ranks, machines and calls ---- */

/* What is known of a rank in comparison with others. */
static void test_cross(void **state)
{
	(void)state;
	static const struct {
		struct cross_rank c;
		int64_t want[5]; ///< wait, transfer, straggler, skew, missing steps; -1: unknown
	} rows[] = {
		{ { true, 1, 10, 20, 3, 1, 2, 30, 4, 5 }, { 5, 10, PERCENT(10), 5, 4 } },
		{ { false, 1, 10, 20, 3, 1, 2, 30, 4, 5 }, { -1, -1, -1, -1, -1 } },
		{ { true, 0, 10, 20, 3, 1, 2, 30, 4, 5 }, { -1, -1, -1, 5, 4 } },
		{ { true, 1, 10, 20, 3, 1, 0, 30, 4, 5 }, { -1, -1, -1, 5, 4 } },
		{ { true, 1, 10, 20, 3, 1, 1, 0, 4, 5 }, { 10, 20, -1, 5, 4 } },
		{ { true, 1, 10, 20, 3, 1, 1, 1, 0, MEMORY_UNKNOWN }, { 10, 20, PERCENT(300), -1, 0 } },
	};
	static const enum metric_id ids[] = { METRIC_COMM_WAIT_TIME, METRIC_COMM_TRANSFER_TIME,
		                                  METRIC_RANK_STRAGGLER_PCT, METRIC_RANK_COMPUTE_SKEW_PCT,
		                                  METRIC_RANK_MISSING_STEPS };
	for (size_t i = 0; i < NR_OF(rows); i++)
		for (size_t k = 0; k < NR_OF(ids); k++) {
			struct rank_view r = { .cross = &rows[i].c };
			int64_t value, got = figure_of_ranks(&r, ids[k], &value) ? value : -1;
			if (got != rows[i].want[k])
				fail_msg("row %zu, %s: %lld", i, metric_table[ids[k]].name, (long long)got);
		}
}

/* Whether a digest has figures of steps: all have those of the first version. */
static void test_has_steps(void **state)
{
	(void)state;
	const enum metric_id first = METRIC_STEP_CUDA_TIME, later = METRIC_STEP_PERIOD;
	struct digest *d = sample_digest(0);
	assert_true(digest_has_steps(d, first) && digest_has_steps(d, later));
	d->samples[first] = d->samples[later] = NULL;
	assert_true(digest_has_steps(d, first));
	assert_false(digest_has_steps(d, later));
	struct step_summary *s = vec_push_zero(&d->summaries);
	s->metric = METRIC_STEP_LATENCY;
	assert_true(digest_has_steps(d, first) && digest_has_steps(d, METRIC_STEP_LATENCY));
	assert_false(digest_has_steps(d, later));
	s->metric = later;
	assert_true(digest_has_steps(d, later));
	digest_free(d);
}

/* Energy per step, of two steps of 400 ns in the median. */
static void test_energy(void **state)
{
	(void)state;
	static const struct {
		int64_t uj, ns, share, energy;
	} rows[] = {
		{ 80, 800, PERCENT(100), 40 },
		{ 80, 801, PERCENT(100), 40 },
		{ 80, 640, PERCENT(80), 50 },
		{ 80, 639, 79875000, -1 },
		{ -1, 800, PERCENT(100), -1 },
		{ 0, 800, PERCENT(100), 0 },
		{ 80, 0, -1, -1 },
		{ 80, -1, -1, -1 },
	};
	struct digest *d = sample_digest(0);
	d->samples[METRIC_STEP_PERIOD][0] = d->samples[METRIC_STEP_PERIOD][1] = 400;
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct machine_stat m = { .energy_uj = rows[i].uj, .energy_ns = rows[i].ns };
		if (machine_energy_share(d, &m) != rows[i].share || machine_energy(d, &m) != rows[i].energy)
			fail_msg("row %zu: %lld", i, (long long)machine_energy(d, &m));
	}
	d->usable_steps = 0;
	assert_int_equal(machine_energy_share(d, &(struct machine_stat){ .energy_ns = 800 }), -1);
	digest_free(d);
}

/* How often a step frees and allocates memory of the device, on the rank that does so most. */
static void test_memory_calls(void **state)
{
	(void)state;
	static const struct {
		int64_t count[2]
		             [2]; ///< of each rank: allocations, frees; each takes 10 ns, or 20 on rank 1
		int64_t steps;
		bool window[2];
		int64_t nr, ns;
	} rows[] = {
		{ { { 6, 4 }, { 0, 0 } }, 2, { false, false }, 2 * MICRO, 50 },
		{ { { 4, 6 }, { 0, 0 } }, 2, { false, false }, 2 * MICRO, 50 },
		{ { { 4, 6 }, { 6, 6 } }, 2, { false, false }, 3 * MICRO, 120 },
		{ { { 4, 6 }, { 4, 4 } }, 2, { false, false }, 2 * MICRO, 50 },
		{ { { 4, 6 }, { 6, 6 } }, 2, { false, true }, 2 * MICRO, 50 },
		{ { { 4, 6 }, { 6, 6 } }, 2, { true, true }, 0, 0 },
		{ { { 4, 6 }, { 6, 6 } }, 1, { false, false }, 0, 0 },
		{ { { 4, 0 }, { 0, 6 } }, 2, { false, false }, 0, 0 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run = fixture_run(sample_digest(0));
		int64_t ns;
		vec_push(&run.ranks, sample_digest(1));
		for (int r = 0; r < 2; r++) {
			struct digest *d = run.ranks.v[r];
			d->usable_steps = rows[i].steps;
			d->window = rows[i].window[r];
			for (int k = 0; k < 2; k++)
				vec_push(&d->calls,
				         (struct call_stat){ .kind = CALL_MEMORY,
				                             .name = k ? SPAN("cudaFree") : SPAN("cudaMalloc"),
				                             .count = rows[i].count[r][k],
				                             .total_ns = rows[i].count[r][k] * (r + 1) * 10 });
			vec_push(&d->calls, (struct call_stat){ .kind = CALL_SYNC,
			                                        .name = SPAN("cudaFreeX"),
			                                        .count = 99,
			                                        .total_ns = 99 });
		}
		int64_t nr = run_memory_calls(&run, &ns);
		if (nr != rows[i].nr || ns != rows[i].ns)
			fail_msg("row %zu: %lld in %lld ns", i, (long long)nr, (long long)ns);
		run_release(&run);
	}
}

/* What a row of code adds to a metric. */
static void test_amounts(void **state)
{
	(void)state;
	static const struct {
		enum metric_id id;
		int64_t amount;
	} rows[] = {
		{ METRIC_STEP_MEMCPY_BYTES, 9 }, { METRIC_PLACE_COPY_BYTES, 9 },
		{ METRIC_STEP_SYNC_COUNT, 5 },   { METRIC_PLACE_SYNC_COUNT, 5 },
		{ METRIC_STEP_SYNC_TIME, 7 },    { METRIC_PLACE_GPU_TIME, 7 },
	};
	const struct code_stat c = { .count = 5, .total_ns = 7, .bytes = 9 };
	for (size_t i = 0; i < NR_OF(rows); i++)
		assert_int_equal(code_amount(&metric_table[rows[i].id], &c), rows[i].amount);
}

/* A digest owns all that another owned. */
static void test_owned(void **state)
{
	(void)state;
	struct digest *d[4];
	for (int i = 0; i < 4; i++)
		d[i] = digest_new();
	digest_own(d[2], d[3]);
	digest_own(d[0], d[1]);
	digest_own(d[0], d[2]);
	assert_ptr_equal(d[0]->joined, d[2]);
	assert_ptr_equal(d[2]->joined, d[3]);
	assert_ptr_equal(d[3]->joined, d[1]);
	assert_null(d[1]->joined);
	digest_free(d[0]);
}

/* ---- orders, and folds of baselines ---- */

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

static void test_orders(void **state)
{
	(void)state;
	const struct span a = SPAN("a"), b = SPAN("b"), no = SPAN("");
	const struct fold_figure figures[] = {
		{ 1, 1, 1, b, 1, b, NULL, { 0 } }, { 2, 0, 1, b, 1, b, NULL, { 0 } },
		{ 2, 1, 0, b, 1, b, NULL, { 0 } }, { 2, 1, 1, a, 1, b, NULL, { 0 } },
		{ 2, 1, 1, b, 0, b, NULL, { 0 } }, { 2, 1, 1, b, 1, a, NULL, { 0 } },
		{ 2, 1, 1, b, 1, b, NULL, { 0 } },
	};
	const struct fold_series series[] = {
		{ .kind = 1, .group_size = 8, .group = b },
		{ .kind = 2, .group_size = -1, .group = b },
		{ .kind = 2, .group_size = 8, .group = a },
		{ .kind = 2, .group_size = 8, .group = b },
	};
	static const struct fold_match matches[] = { { 1, 9, { 0 } },
		                                         { 2, 0, { 0 } },
		                                         { 2, 1, { 0 } } };
	const struct fold_deed deeds[] = {
		{ a, b, b, b, b, b, b }, { b, a, b, b, b, b, b },  { b, b, a, b, b, b, b },
		{ b, b, b, a, b, b, b }, { b, b, b, b, no, b, b }, { b, b, b, b, b, a, b },
		{ b, b, b, b, b, b, a }, { b, b, b, b, b, b, b },
	};
	const struct past_value values[] = {
		{ "a", b, 9, 9, 0 }, { "b", a, 9, 9, 0 }, { "b", b, -1, 9, 0 }, { "b", b, 0, 5, 0 }
	};
	ASSERT_ORDER(figures, fold_figure_cmp);
	ASSERT_ORDER(series, fold_series_cmp);
	ASSERT_ORDER(matches, fold_match_cmp);
	ASSERT_ORDER(deeds, fold_deed_cmp);
	ASSERT_ORDER(values, past_value_cmp);
}

/* Order and identity of rows of two numbers, by what the members are: 'o' for a key by which rows
   are sorted, 's' for one that only distinguishes rows, 'n' for neither. -1: in the order of the
   writer. */
static void test_keys(void **state)
{
	(void)state;
	static const struct {
		const char *members;
		int64_t rows[2][2];
		int order, identity;
	} rows[] = {
		{ "oo", { { 1, 2 }, { 1, 2 } }, 0, 0 },   { "oo", { { 1, 2 }, { 1, 3 } }, -1, -1 },
		{ "oo", { { 1, 3 }, { 1, 2 } }, 1, 1 },   { "on", { { 1, 3 }, { 1, 2 } }, 0, 0 },
		{ "on", { { 2, 2 }, { 1, 3 } }, 1, 1 },   { "os", { { 1, 2 }, { 1, 2 } }, -1, 0 },
		{ "os", { { 1, 3 }, { 1, 2 } }, -1, 1 },  { "os", { { 2, 2 }, { 1, 3 } }, 1, 1 },
		{ "ss", { { 2, 2 }, { 1, 3 } }, -1, 1 },  { "ss", { { 1, 2 }, { 1, 2 } }, -1, 0 },
		{ "nn", { { 2, 2 }, { 1, 3 } }, -1, -1 }, { "nn", { { 1, 2 }, { 1, 2 } }, -1, -1 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct field fields[2] = { { .type = FIELD_NUMBER }, { .type = FIELD_NUMBER } };
		const struct schema schema = { .fields = fields, .nr = 2, .size = sizeof rows->rows[0] };
		for (size_t k = 0; k < 2; k++) {
			char kind = rows[i].members[k];
			fields[k].offset = k * sizeof(int64_t);
			fields[k].order = kind == 'o' ? KEY_ORDER : kind == 's' ? KEY_SAME : KEY_NOT;
		}
		const int64_t *x = rows[i].rows[0], *y = rows[i].rows[1];
		if (row_order(&schema, x, y) != rows[i].order ||
		    row_identity(&schema, x, y) != rows[i].identity)
			fail_msg("row %zu: %d, %d", i, row_order(&schema, x, y), row_identity(&schema, x, y));
	}
}

/* The baseline of a folded run knows of machines only the worst value and its rank. */
static void test_worst_machine(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		enum reduce within;
		int64_t most, rank;
		int64_t throttled, others; ///< of rank 3; 0: it has no machine
	} rows[] = {
		{ METRIC_MACHINE_THROTTLED_PCT, REDUCE_EACH, 7, 3, 7, -1 },
		{ METRIC_MACHINE_THROTTLED_PCT, REDUCE_MAX, 1, 3, 1, -1 },
		{ METRIC_MACHINE_OTHER_PROCESSES, REDUCE_MAX, 7, 3, -1, 7 },
		{ METRIC_MACHINE_THROTTLED_PCT, REDUCE_MIN, 7, 3, 0, 0 },
		{ METRIC_MACHINE_THROTTLED_PCT, REDUCE_MAX, 0, 3, 0, 0 },
		{ METRIC_MACHINE_THROTTLED_PCT, REDUCE_MAX, 7, 4, 0, 0 },
		{ METRIC_MACHINE_POWER, REDUCE_MAX, 7, 3, 0, 0 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = sample_digest(0);
		struct fold *f = d->fold = mem_calloc(1, sizeof *f);
		f->nr = 2;
		f->rank = mem_calloc(2, sizeof *f->rank);
		f->rank[1] = 3;
		vec_push(&f->figures,
		         (struct fold_figure){ .metric = rows[i].metric, .within = rows[i].within });
		tally_add(&f->figures.v[0].tally, rows[i].most, rows[i].rank);
		const struct run *thin = fold_thin(d);
		assert_int_equal(thin->ranks.nr, 2);
		assert_int_equal(thin->ranks.v[0]->machines.nr, 0);
		const struct digest *rank = thin->ranks.v[1];
		bool found = rows[i].throttled != 0;
		if (rank->machines.nr != found ||
		    (found &&
		     (rank->machines.v[0].throttled_pct != rows[i].throttled ||
		      rank->machines.v[0].other_processes != rows[i].others || rank->machines.v[0].id[0])))
			fail_msg("row %zu", i);
		digest_free(d);
	}
}

/* ---- rows of reports ---- */

/* The figure of a metric that changed most: those with a worse direction first, then what was 0. */
static void test_largest_change(void **state)
{
	(void)state;
	struct metric up = metric_table[METRIC_INPUT], either = up, other = up;
	up.worse = other.worse = WORSE_UP;
	either.worse = WORSE_EITHER;
	up.place = either.place = 2;
	other.place = 1;
	const struct {
		struct figure_row rows[3];
		int most; ///< index of the row; -1: none
	} cases[] = {
/* how: 'p' for a share, '0' for a change from 0, '=' for none; 'b' and 'c' for one side alone */
#define ROW(metric_, pct, how)                             \
	{ .metric = (metric_),                                 \
	  .pct_text = (how) == '0' || (how) == '=' ? "" : "%", \
	  .change = (how) != '=',                              \
	  .has_baseline = (how) != 'c',                        \
	  .has_candidate = (how) != 'b',                       \
	  .change_pct = (pct) }
		{ { ROW(&up, 5, 'p'), ROW(&up, 7, 'p'), ROW(&up, 6, 'p') }, 1 },
		{ { ROW(&up, 5, 'p'), ROW(&up, -7, 'p'), ROW(&up, 6, 'p') }, 1 },
		{ { ROW(&either, 9, 'p'), ROW(&up, 5, 'p'), ROW(&either, 9, 'p') }, 1 },
		{ { ROW(&up, 9, 'p'), ROW(&up, 0, '0'), ROW(&up, 9, 'p') }, 1 },
		{ { ROW(&up, 9, 'p'), ROW(&up, 0, '='), ROW(&up, 8, 'p') }, 0 },
		{ { ROW(&either, 9, '0'), ROW(&up, 1, 'p'), ROW(&up, 0, 'p') }, 1 },
		{ { ROW(&up, 5, 'p'), ROW(&other, 5, 'p'), ROW(&up, 5, 'p') }, 1 },
		{ { ROW(&other, 5, 'p'), ROW(&up, 5, 'p'), ROW(&other, 5, 'p') }, 0 },
		{ { ROW(&up, 5, 'c'), ROW(&up, 1, 'p'), ROW(&up, 9, 'b') }, 1 },
		{ { ROW(&metric_table[METRIC_STEP_TIME], 9, 'p'), ROW(&up, 1, 'p'), ROW(&up, 0, 'p') }, 1 },
		{ { ROW(&metric_table[METRIC_STEP_TIME], 9, 'p'),
		    ROW(&metric_table[METRIC_STEP_TIME], 1, 'p'), ROW(&up, 5, 'c') },
		  -1 },
	};
	for (size_t i = 0; i < NR_OF(cases); i++) {
		struct report r;
		report_init(&r);
		for (size_t k = 0; k < 3; k++)
			vec_push(&r.figures, cases[i].rows[k]);
		const struct figure_row *most = report_figure(&r, METRIC_INPUT);
		if (most != (cases[i].most < 0 ? NULL : &r.figures.v[cases[i].most]))
			fail_msg("case %zu", i);
		report_release(&r);
	}
}

/* A figure that falls counts by how many times it was larger before, up to 1000 times. */
static void test_sizes(void **state)
{
	(void)state;
	static const int64_t rows[][2] = { { PERCENT(50), 500 },
		                               { -PERCENT(50), 1000 },
		                               { 0, 0 },
		                               { -PERCENT(90), 9000 },
		                               { -PERCENT(100), 999000 },
		                               { -PERCENT(200), 999000 },
		                               { -PERCENT(20), 250 },
		                               { 40000, 0 },
		                               { 60000, 1 } };
	for (size_t i = 0; i < NR_OF(rows); i++)
		if (check_size(&(struct check){ .change_pct = rows[i][0] }) != rows[i][1])
			fail_msg("row %zu: %lld", i,
			         (long long)check_size(&(struct check){ .change_pct = rows[i][0] }));
}

/* ---- rules that need no baseline ---- */

/* Limits: "+" an absolute one, "-" a relative one, "" none; of fail, of warn, and of an override of
 * each, whether the user wrote them or not. */
static void test_absolute(void **state)
{
	(void)state;
	static const struct {
		const char *limits[4];
		bool own, own_fail, own_warn, pair, absolute;
	} rows[] = {
		{ { "+", "", "", "" }, true, true, false, false, true },
		{ { "+", "", "", "" }, false, true, false, false, false },
		{ { "+", "", "", "" }, true, false, false, false, false },
		{ { "-", "", "", "" }, true, true, false, false, false },
		{ { "+-", "", "", "" }, true, true, false, false, false },
		{ { "", "+", "", "" }, true, false, true, false, true },
		{ { "-", "+", "", "" }, true, false, true, false, true },
		{ { "-", "+", "", "" }, true, true, true, false, false },
		{ { "+", "-", "", "" }, true, true, false, false, true },
		{ { "+", "-", "", "" }, true, true, true, false, false },
		{ { "+", "+", "", "" }, true, true, true, true, false },
		{ { "+", "", "+", "" }, true, true, false, false, true },
		{ { "+", "", "-", "" }, true, true, false, false, false },
		{ { "+", "", "+", "-" }, true, true, false, false, false },
		{ { "+", "", "+", "+" }, true, true, false, false, true },
	};
	for (size_t i = 0; i < NR_OF(rows); i++)
		for (int more = 0; more < 3; more++) {
			struct rules rules = fixture_rules();
			struct rule r =
			    fixture_rule(rows[i].pair ? METRIC_KERNEL_DRIFT_PCT : METRIC_KERNEL_TIME);
			vec_push_zero(&r.overrides);
			struct limits *of[] = { &r.fail, &r.warn, &r.overrides.v[0].fail,
				                    &r.overrides.v[0].warn };
			for (size_t k = 0; k < 4; k++)
				for (const char *c = rows[i].limits[k]; *c; c++)
					fixture_limit(of[k], *c == '+' ? COND_MAX : COND_INCREASE, *c == '-', 5, "5");
			assert_int_equal(rule_compares(&r),
			                 strchr(rows[i].limits[0], '-') || strchr(rows[i].limits[1], '-'));
			r.own = rows[i].own;
			r.fail.own = rows[i].own_fail;
			r.warn.own = rows[i].own_warn;
			fixture_add(&rules, r);
			if (more) { /* a further rule of the user's, with an absolute limit or without one */
				struct rule own = fixture_rule(METRIC_KERNEL_TIME);
				own.own = own.fail.own = true;
				fixture_limit(&own.fail, more == 1 ? COND_MIN : COND_DECREASE, more == 2, 5, "5");
				fixture_add(&rules, own);
			}
			bool want = more == 2 ? false : more && !rows[i].own ? true : rows[i].absolute;
			if (rules_are_absolute(&rules) != want)
				fail_msg("row %zu with %d", i, more);
			rules_release(&rules);
		}
}

/* ---- kinds of steps ---- */

/* A digest with a step of 100 ns for each letter, or longer if it is given behind the letter: p, d
 * and m of a server, u and a of training, v that verifies, - of no kind. */
static struct run run_of_kinds(const char *steps)
{
	static const char letters[] = "pdmuav";
	static const enum phase phases[] = { PHASE_PREFILL, PHASE_DECODE,       PHASE_MIXED,
		                                 PHASE_UPDATE,  PHASE_ACCUMULATION, PHASE_VERIFY };
	struct digest *d = digest_new();
	size_t nr = 0;
	for (const char *c = steps; *c; c++)
		nr += *c < '0' || *c > '9';
	digest_set_steps(d, nr);
	d->usable_steps = d->total_steps = (int64_t)nr;
	d->communication = "nccl";
	d->step_phases = arena_alloc(&d->arena, nr, sizeof *d->step_phases);
	for (size_t i = 0; i < nr; i++) {
		const char *kind = strchr(letters, *steps++);
		d->step_numbers[i] = (int64_t)i;
		d->step_phases[i] = kind ? step_phase_code(phases[kind - letters]) : 0;
		d->samples[METRIC_STEP_CUDA_TIME][i] =
		    *steps >= '0' && *steps <= '9' ? 100 * (*steps++ - '0') : 100;
	}
	return fixture_run(d);
}

static void test_kinds(void **state)
{
	(void)state;
	static const struct {
		const char *steps[2];
		const char *apart; ///< letters of the kinds that are judged by themselves
		bool all_apart, by_mean;
		int64_t mix;
		size_t queries; ///< that replace step.cuda_time
	} rows[] = {
		{ { "pppddd", "pppddd" }, "pd", true, false, 0, 2 },
		{ { "ppddd", "pppddd" }, "d", false, false, 0, 1 },
		{ { "pppddd", "ppddd" }, "d", false, false, 0, 1 },
		/* kinds that are judged by themselves have nine tenths of the time on both sides */
		{ { "ppp3ddddp", "ppp3dddd" }, "pd", true, false, 2857142, 2 },
		{ { "mp3p3p3", "mp3p3p3" }, "p", true, false, 0, 1 },
		{ { "mp3p3p2", "mp3p3p3" }, "p", false, false, 0, 1 },
		{ { "mp3p3p3", "mp3p3p2" }, "p", false, false, 0, 1 },
		/* the same kind on both sides, or unknown kinds */
		{ { "pppppp", "pppppp" }, "", false, false, 0, 1 },
		{ { "ppp---", "pppddd" }, "", false, false, 0, 1 },
		{ { "pppddd", "ppp---" }, "", false, false, 0, 1 },
		{ { "pppd0d0d0", "pppddd" }, "pd", true, false, 0, 2 },
		{ { "p0p0p0d0d0d0", "pppddd" }, "", false, false, 0, 1 },
		{ { "pppddd", "p0p0p0d0d0d0" }, "", false, false, 0, 1 },
		/* gradients accumulate: without enough updates, the mean is judged */
		{ { "uaaaaa", "uaaaaa" }, "a", false, true, 0, 1 },
		{ { "uuuaaa", "uuuaaa" }, "ua", true, false, 0, 2 },
		{ { "u4aaa", "aaaa" }, "a", false, false, 42857142, 1 },
		{ { "aaaa", "u4aaa" }, "a", false, false, 75000000, 1 },
		/* a kind that older digests do not tell */
		{ { "ppppppppddv", "ppppppppdd-" }, "", false, false, 0, 1 },
		{ { "ppppppppdd-", "ppppppppddv" }, "", false, false, 0, 1 },
		{ { "ppppppppddv", "ppppppppddd" }, "p", false, false, 0, 1 },
	};
	static const char letters[] = "pdmuav";
	static const enum phase phases[] = { PHASE_PREFILL, PHASE_DECODE,       PHASE_MIXED,
		                                 PHASE_UPDATE,  PHASE_ACCUMULATION, PHASE_VERIFY };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run[2] = { run_of_kinds(rows[i].steps[0]), run_of_kinds(rows[i].steps[1]) };
		struct step_kinds k = step_kinds_of(&run[0], &run[1]);
		char apart[8] = "";
		for (size_t p = 0; p < NR_OF(phases); p++)
			if (k.apart[phases[p]])
				apart[strlen(apart)] = letters[p];
		struct query out[NR_PHASES],
		    q = { .metric = &metric_table[METRIC_STEP_CUDA_TIME], .stat = STAT_MEDIAN };
		size_t nr = step_kinds_queries(&k, &q, out);
		if (strcmp(apart, rows[i].apart) != 0 || k.all_apart != rows[i].all_apart ||
		    k.by_mean != rows[i].by_mean || k.mix != rows[i].mix || nr != rows[i].queries)
			fail_msg("row %zu: %s, %d, %d, %lld, %zu", i, apart, k.all_apart, k.by_mean,
			         (long long)k.mix, nr);
		assert_int_equal(out[0].stat, k.by_mean ? STAT_MEAN : STAT_MEDIAN);
		assert_int_equal(out[0].phase != NULL, k.all_apart);
		assert_int_equal(step_kinds_other_mix(&k), k.all_apart && k.mix > MICRO);
		run_release(&run[0]);
		run_release(&run[1]);
	}
}

/* If each step of a run has kernels of the optimizer, and no step a kind, all are updates. */
static void test_updates(void **state)
{
	(void)state;
	static const struct {
		int64_t least; ///< number of the optimizer's kernels in the first of four steps
		const char *steps;
		bool by_mean;
		int64_t updates, mix;
	} rows[] = { { 1, "uaaa", true, 4, 0 },
		         { 0, "uaaa", false, 0, 0 },
		         { 5, "u3aaa", true, 4, 0 },
		         { 1, "aaaa", false, 4, 0 },
		         { 1, "uuaa", true, 4, 0 } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run[2] = { run_of_kinds("----"), run_of_kinds(rows[i].steps) };
		struct digest *d = run[0].ranks.v[0];
		d->step_phases = NULL;
		for (int c = 0; c < NR_PHASE_COLUMNS; c++) {
			d->phases[PHASE_OPTIMIZER][c] = arena_alloc(&d->arena, 4, sizeof(int64_t));
			for (size_t k = 0; k < 4; k++)
				d->phases[PHASE_OPTIMIZER][c][k] = k ? 1 : rows[i].least;
		}
		struct step_kinds k = step_kinds_of(&run[0], &run[1]);
		if (k.by_mean != rows[i].by_mean || k.steps[0][PHASE_UPDATE] != rows[i].updates ||
		    k.mix != rows[i].mix)
			fail_msg("row %zu: %d, %lld, %lld", i, k.by_mean, (long long)k.steps[0][PHASE_UPDATE],
			         (long long)k.mix);
		run_release(&run[0]);
		run_release(&run[1]);
	}
}

/* Slow steps take more than a sixth longer than the median, of their kind if the kinds are known.
 */
static void test_slow_steps(void **state)
{
	(void)state;
	static const struct {
		const char *steps; ///< as run_of_kinds() reads them; these are the periods here
		int64_t want;
	} rows[] = {
		{ "----", 0 },
		{ "-6-6-6-7", 0 },
		{ "-6-6-6-8", PERCENT(25) },
		{ "-1-1-1-1-9-9-9", 42857143 },
		{ "p9p9p9d1d1d1d1", 0 },
		{ "p9p9p9d1d1d1d2", 14285714 },
		{ "p4p4p4p9d1d1d1d2", PERCENT(25) },
		{ "p4p4p4p4d1d1d1-9", 0 },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct run run = run_of_kinds(rows[i].steps);
		struct digest *d = run.ranks.v[0];
		d->samples[METRIC_STEP_PERIOD] = d->samples[METRIC_STEP_CUDA_TIME];
		if (digest_slow_share(d) != rows[i].want)
			fail_msg("%s: %lld", rows[i].steps, (long long)digest_slow_share(d));
		run_release(&run);
	}
	/* a summary of all steps tells it, if its largest step is slow */
	struct digest *d = digest_new();
	digest_set_steps(d, 0);
	assert_int_equal(digest_slow_share(d), -1);
	struct step_summary *s = vec_push_zero(&d->summaries);
	s->metric = METRIC_STEP_PERIOD;
	s->value[STAT_MEDIAN] = 600;
	s->value[STAT_MAX] = 700;
	s->slow = PERCENT(7);
	assert_int_equal(digest_slow_share(d), 0);
	s->value[STAT_MAX] = 701;
	assert_int_equal(digest_slow_share(d), PERCENT(7));
	s->metric = METRIC_STEP_LATENCY;
	assert_int_equal(digest_slow_share(d), -1);
	digest_free(d);
}

/* Only the median of a figure of all steps is replaced. */
static void test_queries_of_kinds(void **state)
{
	(void)state;
	const struct step_kinds mean = { .by_mean = true },
	                        apart = { .all_apart = true,
		                              .apart = { [PHASE_DECODE] = true, [PHASE_MIXED] = true } };
	static const struct {
		enum metric_id metric;
		enum statistic stat;
		const char *phase;
		size_t apart; ///< number of queries by kind
		enum statistic mean; ///< the statistic if the mean is judged
	} rows[] = {
		{ METRIC_STEP_CUDA_TIME, STAT_MEDIAN, NULL, 2, STAT_MEAN },
		{ METRIC_STEP_CUDA_TIME, STAT_MAX, NULL, 2, STAT_MAX },
		{ METRIC_STEP_CUDA_TIME, STAT_MEDIAN, "decode", 1, STAT_MEDIAN },
		{ METRIC_KERNEL_TIME, STAT_MEDIAN, NULL, 1, STAT_MEDIAN },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct query out[NR_PHASES], q = { .metric = &metric_table[rows[i].metric],
			                               .stat = rows[i].stat,
			                               .phase = rows[i].phase };
		if (step_kinds_queries(&mean, &q, out) != 1 || out[0].stat != rows[i].mean)
			fail_msg("row %zu: the mean", i);
		size_t nr = step_kinds_queries(&apart, &q, out);
		if (nr != rows[i].apart || out[0].stat != rows[i].stat)
			fail_msg("row %zu: %zu queries", i, nr);
		if (nr == 2) {
			assert_string_equal(out[0].phase, "decode");
			assert_string_equal(out[1].phase, "mixed");
		}
	}
	assert_false(step_kinds_other_mix(&(struct step_kinds){ .all_apart = true, .mix = MICRO }));
	assert_true(step_kinds_other_mix(&(struct step_kinds){ .all_apart = true, .mix = MICRO + 1 }));
	assert_false(step_kinds_other_mix(&(struct step_kinds){ .mix = MICRO + 1 }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_account),       cmocka_unit_test(test_known_code),
		cmocka_unit_test(test_communication), cmocka_unit_test(test_fits),
		cmocka_unit_test(test_memory_names),  cmocka_unit_test(test_memory_lists),
		cmocka_unit_test(test_source_lines),  cmocka_unit_test(test_long_paths),
		cmocka_unit_test(test_cross),         cmocka_unit_test(test_has_steps),
		cmocka_unit_test(test_energy),        cmocka_unit_test(test_memory_calls),
		cmocka_unit_test(test_amounts),       cmocka_unit_test(test_owned),
		cmocka_unit_test(test_orders),        cmocka_unit_test(test_keys),
		cmocka_unit_test(test_worst_machine), cmocka_unit_test(test_largest_change),
		cmocka_unit_test(test_sizes),         cmocka_unit_test(test_absolute),
		cmocka_unit_test(test_kinds),         cmocka_unit_test(test_updates),
		cmocka_unit_test(test_slow_steps),    cmocka_unit_test(test_queries_of_kinds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
