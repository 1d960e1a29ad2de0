/* What waivers select, what rules ask for, and what is said of traces without steps. */
#include "gate_fixture.h"
#include "model/phases.h"
#include "model/rows.h"
#include "model/select.h"

/* ---- which checks a waiver covers, and what rules ask for ---- */

static const char **glob_of(struct query *q, const char *name)
{
	for (const struct select_key *key = select_table; key->name; key++)
		if (strcmp(key->name, name) == 0)
			return select_glob(q, key);
	fail_msg("no key %s", name);
	return NULL;
}

/* A glob of a waiver is compared with the check's item. If the item has no value for the glob's
   key, the waiver's glob is compared with the rule's glob for this key instead. */
static void test_covered(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		const char *own_key, *own; ///< glob of the rule; NULL: none
		const char *label;
		int64_t rank;
		const char *key, *glob; ///< key and glob of the waiver
		bool covered;
	} rows[] = {
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "kernel", "gemm*", true },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "kernel", "elem*", false },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "category", "GEMM", true },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "category", "copies", false },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "class", "compute", true },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "class", "communication", false },
		{ METRIC_KERNEL_TIME, NULL, NULL, "nccl_a", -1, "class", "communication", true },
		{ METRIC_CATEGORY_TIME, NULL, NULL, "GEMM", -1, "category", "GEMM", true },
		{ METRIC_CATEGORY_TIME, NULL, NULL, "communication", -1, "class", "communication", true },
		{ METRIC_CATEGORY_TIME, NULL, NULL, "GEMM", -1, "class", "communication", false },
		{ METRIC_CATEGORY_TIME, NULL, NULL, "GEMM", -1, "class", "compute", true },
		{ METRIC_OP_SELF_GPU_TIME, NULL, NULL, "aten::mm", -1, "op", "aten::*", true },
		{ METRIC_OP_SELF_GPU_TIME, NULL, NULL, "aten::mm", -1, "class", "compute", true },
		{ METRIC_OP_SELF_GPU_TIME, NULL, NULL, "nccl", -1, "class", "communication", true },
		{ METRIC_OP_SELF_GPU_TIME, NULL, NULL, "nccl", -1, "class", "compute", false },
		{ METRIC_OP_SELF_GPU_TIME, "class", "compute", "nccl", -1, "class", "compute", true },
		{ METRIC_STEP_CUDA_TIME, NULL, NULL, "", 3, "rank", "3", true },
		{ METRIC_STEP_CUDA_TIME, NULL, NULL, "", 3, "rank", "4", false },
		{ METRIC_STEP_CUDA_TIME, NULL, NULL, "", 0, "rank", "0", true },
		{ METRIC_STEP_CUDA_TIME, NULL, NULL, "", -1, "rank", "3", false },
		{ METRIC_STEP_CUDA_TIME, "rank", "3", "", -1, "rank", "3", true },
		{ METRIC_STEP_CUDA_TIME, "phase", "decode", "decode", -1, "phase", "decode", true },
		{ METRIC_STEP_CUDA_TIME, "phase", "decode", "decode", -1, "phase", "prefill", false },
		{ METRIC_STEP_CUDA_TIME, NULL, NULL, "", -1, "phase", "decode", false },
		{ METRIC_KERNEL_TIME, "phase", "decode", "gemm_a", -1, "phase", "decode", true },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "phase", "*", false },
		/* an item without a name, and keys that the item has no value for */
		{ METRIC_KERNEL_TIME, NULL, NULL, "", -1, "kernel", "*", false },
		{ METRIC_KERNEL_TIME, "kernel", "gemm*", "", -1, "kernel", "gemm*", true },
		{ METRIC_KERNEL_TIME, "kernel", "gemm*", "", -1, "kernel", "elem*", false },
		{ METRIC_KERNEL_TIME, "rank", "3", "gemm_a", -1, "rank", "3", true },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "rank", "*", false },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", -1, "op", "*", false },
		{ METRIC_KERNEL_TIME, NULL, NULL, "gemm_a", 2, "rank", "2", true },
	};
	struct category_table t;
	fixture_categories(&t);
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct rule r = fixture_rule(rows[i].metric);
		struct query waiver = { 0 };
		if (rows[i].own_key)
			*glob_of(&r.query, rows[i].own_key) = rows[i].own;
		*glob_of(&waiver, rows[i].key) = rows[i].glob;
		struct select_item item = { &r, span_of(rows[i].label), rows[i].rank, &t, FIT_NONE };
		if (select_covers(&waiver, &item) != rows[i].covered)
			fail_msg("row %zu", i);
	}
	/* the name must fit as well as it fits any item of the rule; other globs need only fit */
	static const struct {
		const char *key, *glob;
		enum name_fit least;
		bool covered;
	} fits[] = { { "kernel", "gemm*", FIT_PATTERN, true }, { "kernel", "gemm*", FIT_WHOLE, false },
		         { "kernel", "gemm_a", FIT_WHOLE, true },  { "category", "GEMM", FIT_WHOLE, true },
		         { "class", "compute", FIT_WHOLE, true },  { "kernel", "elem*", FIT_NONE, false } };
	struct rule r = fixture_rule(METRIC_KERNEL_TIME);
	for (size_t i = 0; i < NR_OF(fits); i++) {
		struct query waiver = { 0 };
		*glob_of(&waiver, fits[i].key) = fits[i].glob;
		struct select_item item = { &r, SPAN("gemm_a"), -1, &t, fits[i].least };
		if (select_covers(&waiver, &item) != fits[i].covered)
			fail_msg("fit %zu", i);
	}
	category_table_release(&t);
}

/* A rule needs the time of a step, or the noise, if the rule itself or one of its overrides needs
 * it. */
static void test_asked(void **state)
{
	(void)state;
	for (int where = 0; where < 5; where++) {
		struct rule r = fixture_rule(METRIC_KERNEL_TIME);
		for (int k = 0; k < 2; k++)
			vec_push_zero(&r.overrides);
		struct limits *maps[] = { &r.fail, &r.warn, &r.overrides.v[1].fail,
			                      &r.overrides.v[1].warn };
		if (where < 4) {
			maps[where]->and_of = AND_OF_STEP;
			fixture_limit(maps[where], COND_INCREASE, true, 1, "x");
		}
		assert_int_equal(rule_asks_step(&r), where < 4);
		assert_int_equal(rule_asks_noise(&r), where == 0 || where == 2);
		for (int k = 0; k < 4; k++)
			vec_release(&maps[k]->list);
		vec_release(&r.overrides);
	}
}

/* ---- what is said of traces without steps ---- */

static void test_unmarked(void **state)
{
	(void)state;
	static const struct {
		bool window;
		int64_t period, steps; ///< repetitions of the launches; steps that the proposed marker
		                       ///< would make, 0: no marker is proposed
		const char *unmarked, *text;
	} rows[] = {
		{ false, 0, 0, NULL, NULL },
		{ false, 1, 0, NULL,
		  "steps: recognized from the period of launches: 1 × 7 launches, regularity 90.00 %" },
		{ true, 0, 0, NULL, "no steps: figures are those of the whole trace" },
		{ true, 0, 1, NULL,
		  "no steps: figures are those of the whole trace; its annotations 'it*' would make 1 "
		  "step: "
		  "measure them with --marker 'it*'" },
		{ true, 5, 2, NULL,
		  "no steps: figures are those of the whole trace; its annotations 'it*' would make 2 "
		  "steps: measure them with --marker 'it*'" },
		{ true, 5, 0, NULL,
		  "no steps: figures are those of the whole trace; its launches repeat 5 times, regularity "
		  "90.00 %: measure them as steps with 'steps: {unmarked: period}' in the rules" },
		{ true, 0, 0, UNMARKED_PERIOD,
		  "no steps: figures are those of the whole trace, as its launches have no period: "
		  "regularity 90.00 %, needed 90 %" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = digest_new();
		struct arena a = ARENA_INIT;
		d->window = rows[i].window;
		d->period_count = rows[i].period;
		d->period_launches = 7;
		d->period_regularity = PERCENT(90);
		d->proposed_marker = rows[i].steps ? "it*" : NULL;
		d->proposed_steps = rows[i].steps;
		d->unmarked = rows[i].unmarked;
		const char *text = digest_unmarked_text(d, &a);
		if (!text != !rows[i].text || (text && strcmp(text, rows[i].text) != 0))
			fail_msg("row %zu: '%s'", i, text);
		arena_release(&a);
		digest_free(d);
	}
}

/* ---- summaries of phases ---- */

/* A summary of a phase needs a usable step of the phase, and counts only its usable steps. */
static void test_phase_summaries(void **state)
{
	(void)state;
	static const struct {
		int64_t usable;
		bool known;
		int64_t steps, median;
	} rows[] = { { 0, false, 0, 0 }, { 1, true, 1, 10 }, { 2, true, 1, 10 }, { 3, true, 2, 20 } };
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = fixture_digest(3, (struct activity[]){ { EVENT_KERNEL, "k", 3, 9 } }, 1);
		struct phase_summary out;
		d->step_phases = arena_alloc(&d->arena, 3, sizeof *d->step_phases);
		for (size_t k = 0; k < 3; k++) {
			d->step_phases[k] = step_phase_code(k == 1 ? PHASE_PREFILL : PHASE_DECODE);
			d->samples[METRIC_STEP_CUDA_TIME][k] = 10 + 10 * (int64_t)k;
		}
		d->usable_steps = rows[i].usable;
		bool known = phase_summary_of(d, PHASE_DECODE, &metric_table[METRIC_STEP_CUDA_TIME], &out);
		assert_int_equal(known, rows[i].known);
		if (known && (out.steps != rows[i].steps || out.value[STAT_MEDIAN] != rows[i].median))
			fail_msg("row %zu: %lld, %lld", i, (long long)out.steps,
			         (long long)out.value[STAT_MEDIAN]);
		digest_free(d);
	}
}

/* ---- which metrics a digest has, by what was recorded ---- */

static void with_machine(struct digest *d)
{
	vec_push(&d->machines, (struct machine_stat){ .id = "0" });
}
static void with_flops(struct digest *d)
{
	vec_push(&d->flops, (struct flop_stat){ .op = SPAN("mm"), .count = 1, .sized_ns = 1 });
}
static void with_memory(struct digest *d)
{
	vec_push(&d->memories, (struct memory_stat){ .id = "0" });
}
static void with_kernel(struct digest *d)
{
	vec_push(&d->kernels, (struct kernel_stat){ .kind = EVENT_KERNEL, .name = SPAN("gemm") });
}
static void with_communication(struct digest *d)
{
	vec_push(&d->kernels, (struct kernel_stat){ .kind = EVENT_KERNEL, .name = SPAN("nccl") });
}
static void with_copy(struct digest *d)
{
	vec_push(&d->kernels, (struct kernel_stat){ .kind = EVENT_MEMCPY, .name = SPAN("nccl") });
}
static void with_sum(struct digest *d)
{
	vec_push(&d->kernels,
	         (struct kernel_stat){ .kind = EVENT_KERNEL, .name = SPAN("nccl"), .names = 1 });
}
static void with_step(struct digest *d)
{
	digest_set_steps(d, 1);
}
static void with_samples(struct digest *d)
{
	digest_set_env(d, SPAN("samples_per_step"), SPAN("8"));
}
static void with_tokens(struct digest *d)
{
	digest_set_env(d, SPAN("tokens_per_step"), SPAN("8"));
}
static void with_work(struct digest *d)
{
	digest_set_env(d, SPAN("flops_per_step"), SPAN("8"));
}
static void with_peak(struct digest *d)
{
	with_work(d);
	digest_set_env(d, SPAN("peak_tflops"), SPAN("8"));
}
static void with_gpu(struct digest *d)
{
	with_work(d);
	digest_set_env(d, SPAN("precision"), SPAN("fp16"));
	digest_set_env(d, SPAN("gpu.name"), SPAN("Tesla T4"));
}
static void with_range(struct digest *d)
{
	vec_push(&d->ranges, (struct range_stat){ .name = SPAN("r") });
}
static void with_module(struct digest *d)
{
	vec_push(&d->code, (struct code_stat){
	                       .module = SPAN("m"), .place = SPAN(""), .op = SPAN(""), .line = -1 });
}
static void with_place(struct digest *d)
{
	vec_push(&d->code, (struct code_stat){
	                       .module = SPAN(""), .place = SPAN("p"), .op = SPAN(""), .line = -1 });
}

/* Which metrics are known if a digest has one row of one kind. Metrics of steps are left out. */
static void test_recorded(void **state)
{
	(void)state;
	static const struct {
		void (*with)(struct digest *d);
		enum need need; ///< need of the metrics that are then known; unused if `label` is set
		enum label_kind label; ///< label that the known metrics of code have; LABEL_NONE: `need`
		                       ///< says which metrics are known
		enum metric_id only; ///< the only known metric; NR_METRICS: all with that need or label
	} rows[] = {
		{ with_machine, NEED_MACHINE, LABEL_NONE, NR_METRICS },
		{ with_flops, NEED_FLOPS, LABEL_NONE, NR_METRICS },
		{ with_memory, NEED_MEMORY, LABEL_NONE, NR_METRICS },
		{ with_kernel, NEED_GPU, LABEL_NONE, NR_METRICS },
		{ with_copy, NEED_GPU, LABEL_NONE, NR_METRICS },
		{ with_sum, NEED_GPU, LABEL_NONE, NR_METRICS },
		{ with_step, NEED_HOST, LABEL_NONE, NR_METRICS },
		{ with_samples, NEED_CONTEXT, LABEL_NONE, METRIC_THROUGHPUT_SAMPLES },
		{ with_tokens, NEED_CONTEXT, LABEL_NONE, METRIC_THROUGHPUT_TOKENS },
		{ with_peak, NEED_CONTEXT, LABEL_NONE, METRIC_MFU_PCT },
		{ with_gpu, NEED_CONTEXT, LABEL_NONE, METRIC_MFU_PCT },
		{ with_range, NEED_HOST, LABEL_RANGE, NR_METRICS },
		{ with_module, NEED_HOST, LABEL_MODULE, NR_METRICS },
		{ with_place, NEED_HOST, LABEL_PLACE, NR_METRICS },
		{ with_work, NEED_CONTEXT, LABEL_PAIR, NR_METRICS }, /* nothing */
	};
	struct category_table categories;
	struct naming naming = { .categories = &categories };
	fixture_categories(&categories);
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = digest_new();
		struct run run = fixture_run(d);
		struct run_view v;
		d->communication = "nccl";
		rows[i].with(d);
		run_view_init(&v, &run, &naming);
		for (size_t k = 0; k < NR_METRICS; k++) {
			const struct metric *m = &metric_table[k];
			bool code = m->parts == PARTS_CODE;
			bool want = rows[i].label ? code && m->label == rows[i].label
			                          : !code && m->need == rows[i].need;
			if (m->per_step || m->label == LABEL_PAIR)
				continue;
			if (rows[i].only != NR_METRICS)
				want = m->id == rows[i].only;
			if (run_has(&v, m) != want)
				fail_msg("row %zu: %s", i, m->name);
		}
		run_view_release(&v);
		run_release(&run);
	}
	category_table_release(&categories);
}

static void with_waiting(struct digest *d)
{
	digest_set_steps(d, 2);
	d->samples[METRIC_STEP_COMM_TIME][1] = 1;
}

/* Communication was recorded if there is a communication kernel, or a step with communication
   time. */
static void test_communication(void **state)
{
	(void)state;
	static const struct {
		void (*with)(struct digest *d);
		bool known;
	} rows[] = { { with_communication, true }, { with_waiting, true }, { with_kernel, false },
		         { with_copy, false },         { with_sum, false },    { with_step, false } };
	struct category_table categories;
	struct naming naming = { .categories = &categories };
	fixture_categories(&categories);
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct digest *d = digest_new();
		struct run run = fixture_run(d);
		struct run_view v;
		d->communication = "nccl";
		rows[i].with(d);
		run_view_init(&v, &run, &naming);
		if (run_has(&v, &metric_table[METRIC_COMM_TIME]) != rows[i].known)
			fail_msg("row %zu", i);
		run_view_release(&v);
		run_release(&run);
	}
	category_table_release(&categories);
}

/* ---- figures of joined profiler cycles ---- */

/* Figures that both cycles must have: absent if one lacks them, else their sum. */
static void test_of_both(void **state)
{
	(void)state;
	static const int64_t rows[][3] = {
		{ 5, 7, 12 }, { -1, 7, -1 }, { 5, -1, -1 }, { -1, -1, -1 }, { 0, 0, 0 }
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct device_stat x = { .id = "0", .measured_ns = rows[i][0], .streams = 3 },
		                   y = { .id = "0", .measured_ns = rows[i][1], .streams = 2 + (int64_t)i };
		row_add(&device_stat_row, ROWS_OF_CYCLES, &x, &y);
		assert_int_equal(x.measured_ns, rows[i][2]);
		assert_int_equal(x.streams, i < 2 ? 3 : 2 + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_covered),       cmocka_unit_test(test_asked),
		cmocka_unit_test(test_unmarked),      cmocka_unit_test(test_phase_summaries),
		cmocka_unit_test(test_of_both),       cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_communication),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
