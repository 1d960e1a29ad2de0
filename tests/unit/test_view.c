#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "model/rule.h"
#include "model/view.h"
#include "sample_digest.h"

struct fixture {
	struct category_table categories;
	struct alias aliases[2];
	struct naming naming;
	struct run run;
	struct run_view view;
	struct arena scratch;
};

static void add_category(struct category_table *t, const char *name, enum category_class cls,
                         const char *match)
{
	struct category c = { .name = name, .cls = cls };
	vec_push(&c.match, span_of(match));
	vec_push(&t->rows, c);
}

/* Opens a view of a run of `d` (and of `e`, unless it is NULL), with categories and without
 * aliases. */
static struct fixture *open_view(struct digest *d, struct digest *e)
{
	struct fixture *f = mem_calloc(1, sizeof *f);
	add_category(&f->categories, "communication", CLASS_COMMUNICATION, "nccl");
	add_category(&f->categories, "GEMM", CLASS_COMPUTE, "gemm");
	f->naming.categories = &f->categories;
	f->naming.aliases = f->aliases;
	vec_push(&f->run.ranks, d);
	if (e)
		vec_push(&f->run.ranks, e);
	run_view_init(&f->view, &f->run, &f->naming);
	return f;
}

static void close_view(struct fixture *f)
{
	run_view_release(&f->view);
	run_release(&f->run);
	category_table_release(&f->categories);
	arena_release(&f->scratch);
	free(f);
}

static void describe(void *ctx, const struct figure *f)
{
	struct strbuf *b = ctx;
	strbuf_addf(b, "%s%.*s%s", b->n ? " " : "", (int)f->label.n, f->label.p, f->label.n ? "=" : "");
	for (size_t i = 0; i < f->nr; i++)
		strbuf_addf(b, "%s%lld", i ? "," : "", (long long)f->samples[i]);
}

static void assert_figures(const struct fixture *f, const char *metric, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	rank_figures(&f->view, 0, metric_find(span_of(metric)), describe, &b);
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("%s: '%s' instead of '%s'", metric, strbuf_str(&b), want);
	strbuf_release(&b);
}

static void test_rows(void **state)
{
	(void)state;
	struct fixture *f = open_view(sample_digest(0), NULL);
	const struct rank_view *r = &f->view.ranks[0];
	assert_int_equal(r->nr_kernels, 3);
	assert_int_equal(f->view.merged_names, 1);
	const struct kernel_row *triton = &r->kernels[2];
	assert_true(span_eq(triton->match, SPAN("triton_mul")));
	assert_true(span_eq(triton->name, SPAN("triton_mul_4_5")));
	assert_int_equal(triton->raw_names, 2);
	assert_int_equal(triton->category, -1);
	assert_int_equal(triton->cls, CLASS_OTHER);
	assert_int_equal(triton->stat.step_count, 5);
	assert_int_equal(triton->stat.step_total_ns, 400);
	assert_int_equal(triton->stat.step_max_ns, 120);
	assert_int_equal(triton->stat.grid[0], 2);
	/* occupancy is weighted by time: (100·20 + 300·40) / 400 */
	assert_int_equal(triton->stat.occupancy, 35000000);
	assert_int_equal(r->kernels[0].category, 1);
	assert_int_equal(r->kernels[1].cls, CLASS_COMMUNICATION);
	assert_int_equal(r->kernels[1].stat.occupancy, -1);
	close_view(f);
}

static void test_naming(void **state)
{
	(void)state;
	struct fixture *f = open_view(sample_digest(0), NULL);
	run_view_release(&f->view);
	f->naming.exact = true;
	run_view_init(&f->view, &f->run, &f->naming);
	assert_int_equal(f->view.ranks[0].nr_kernels, 4);
	assert_int_equal(f->view.merged_names, 0);
	run_view_release(&f->view);

	/* the first matching alias counts; aliases match the match name of a kernel, categories its
	 * raw name */
	f->naming.exact = false;
	f->aliases[0] = (struct alias){ SPAN("triton_mul"), SPAN("first") };
	f->aliases[1] = (struct alias){ SPAN("*"), SPAN("all") };
	f->naming.nr_aliases = 2;
	run_view_init(&f->view, &f->run, &f->naming);
	assert_int_equal(f->view.ranks[0].nr_kernels, 2);
	assert_true(span_eq(f->view.ranks[0].kernels[0].match, SPAN("all")));
	assert_int_equal(f->view.ranks[0].kernels[0].category, 1);
	assert_true(span_eq(f->view.ranks[0].kernels[1].match, SPAN("first")));
	close_view(f);
}

static void test_class_follows_digest(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	d->communication = "gemm";
	struct fixture *f = open_view(d, NULL);
	assert_int_equal(f->view.ranks[0].kernels[0].cls, CLASS_COMMUNICATION);
	assert_int_equal(f->view.ranks[0].kernels[1].cls, CLASS_COMPUTE);
	close_view(f);
}

static void test_figures(void **state)
{
	(void)state;
	static const struct {
		const char *metric, *figures;
	} rows[] = {
		{ "step.time", "100000000,300000000" },
		{ "step.period", "200000000,600000000" },
		{ "step.cuda_time", "7000,7001" },
		{ "gpu.utilization_pct", "0=50000000" },
		{ "window.busy_time", "0=800" },
		{ "window.idle_time", "0=200" },
		{ "window.compute_time", "0=600" },
		{ "window.non_compute_time", "0=200" },
		{ "comm.overlap_pct", "33333333" },
		{ "throughput.samples_per_s", "640000000" },
		{ "throughput.tokens_per_s", "" },
		{ "throughput.steps_per_s", "2500000" },
		{ "mfu_pct", "" },
		{ "kernel.time", "alpha_gemm=300 ncclAllReduce=45 triton_mul=200" },
		{ "kernel.count", "alpha_gemm=3000000 ncclAllReduce=1000000 triton_mul=2500000" },
		{ "kernel.mean", "alpha_gemm=100 ncclAllReduce=45 triton_mul=80" },
		{ "kernel.max", "alpha_gemm=140 ncclAllReduce=50 triton_mul=120" },
		{ "kernel.share_pct", "alpha_gemm=55045872 ncclAllReduce=8256881 triton_mul=36697248" },
		{ "kernel.occupancy_pct", "alpha_gemm=50000000 triton_mul=35000000" },
		{ "category.time", "GEMM=300 communication=45 other=200" },
		{ "memcpy.bytes", "DtoH=3 HtoD=2001" },
		{ "memcpy.bandwidth", "DtoH=500000000 HtoD=66683333333" },
		{ "op.time", "aten::add=201 aten::mul=5" },
		{ "op.self_time", "aten::add=151 aten::mul=5" },
		{ "op.gpu_time", "aten::addmm=300 aten::copy_=10 aten::linear=300 aten::mul=201" },
		{ "op.self_gpu_time", "aten::addmm=300 aten::copy_=10 aten::mul=201" },
		{ "module.gpu_time", "Net=501 Net > Linear=300" },
		{ "range.gpu_time", "forward=303" },
		{ "place.gpu_time", "(no place)=201 data.py:load=10 model.py:forward=300" },
		{ "place.launch_count", "(no place)=2500000 data.py:load=500000 model.py:forward=3000000" },
		{ "place.sync_time", "train.py:log=16" },
		{ "place.sync_count", "train.py:log=1500000" },
		{ "place.copy_bytes", "data.py:load=500" },
		{ "thread.time", "12/34=777" },
		{ "machine.energy_per_step", "0=240000000" },
		{ "input.*", "accuracy=7612000 tokens_per_s=123400000" },
	};
	struct fixture *f = open_view(sample_digest(0), NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_figures(f, rows[i].metric, rows[i].figures);
	for (size_t i = 0; i < NR_METRICS; i++) { /* the sample digest has every metric */
		const struct metric *m = &metric_table[i];
		struct strbuf b = STRBUF_INIT;
		rank_figures(&f->view, 0, m, describe, &b);
		assert_true(m->label != LABEL_PAIR || b.n == 0);
		assert_true(b.n > 0 || m->label == LABEL_PAIR || m->need == NEED_CONTEXT ||
		            m->need == NEED_MEMORY || m->need == NEED_FLOPS || m->need == NEED_RANKS ||
		            m->need == NEED_MATCHED || m->label == LABEL_COLLECTIVE ||
		            m->label == LABEL_FUNCTION || m->label == LABEL_COUNTER);
		strbuf_release(&b);
	}
	close_view(f);
}

/* The first of several steps has no period. */
static void test_without_a_period(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	d->samples[METRIC_STEP_PERIOD][0] = NO_SAMPLE;
	struct fixture *f = open_view(d, NULL);
	assert_figures(f, "step.period", "600000000");
	assert_figures(f, "step.latency", "250000000,700000000");
	/* one step in the 0.6 s between the ends of two steps */
	assert_figures(f, "throughput.steps_per_s", "1666667");
	d->samples[METRIC_STEP_PERIOD] = NULL;
	assert_figures(f, "step.period", "");
	assert_figures(f, "throughput.steps_per_s", "");
	assert_false(run_has(&f->view, &metric_table[METRIC_STEP_PERIOD]));
	close_view(f);
}

static void test_only_outside_of_steps(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	d->kernels.v[1].step_count = d->kernels.v[1].step_total_ns = 0;
	d->kernels.v[4].step_count = d->kernels.v[5].step_count = d->kernels.v[6].step_count = 0;
	struct fixture *f = open_view(d, NULL);
	assert_figures(f, "kernel.time", "alpha_gemm=300 triton_mul=200");
	assert_figures(f, "kernel.mean", "alpha_gemm=100 triton_mul=80");
	assert_figures(f, "category.time", "GEMM=300 other=200");
	assert_figures(f, "memcpy.bytes", "");
	assert_true(run_has(&f->view, &metric_table[METRIC_STEP_COMM_TIME]));
	close_view(f);
}

static void test_context(void **state)
{
	(void)state;
	static const struct {
		const char *flops, *tflops, *mfu;
	} rows[] = {
		/* 10^12 operations in 0.4 s; the peak is 10^13 per second */
		{ "1000000000000", "10", "25000000" },
		{ "1e12", "10.0", "25000000" },
		{ "1e21", "1e10", "25000000" },
		{ "100000", "0.000001", "25000000" },
		{ "many", "10", "" },
		{ "1e12", "0", "" },
		{ "-1e12", "10", "" },
		{ "1e12", NULL, "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct digest *d = sample_digest(0);
		digest_set_env(d, SPAN("flops_per_step"), span_of(rows[i].flops));
		digest_set_env(d, SPAN("tokens_per_step"), SPAN("0.5"));
		if (rows[i].tflops)
			digest_set_env(d, SPAN("peak_tflops"), span_of(rows[i].tflops));
		struct fixture *f = open_view(d, NULL);
		assert_figures(f, "mfu_pct", rows[i].mfu);
		assert_figures(f, "throughput.tokens_per_s", "1250000");
		assert_int_equal(run_has(&f->view, &metric_table[METRIC_MFU_PCT]), rows[i].tflops != NULL);
		d->window = true;
		assert_figures(f, "mfu_pct", "");
		assert_figures(f, "throughput.steps_per_s", "");
		close_view(f);
	}
}

/* Numbers of the run context count if they are above 0. */
static void test_numbers_of_context(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
		{ "256", "640000000" }, { "0.000001", "3" }, { "0", "" },
		{ "-1", "" },           { "many", "" },      { "", "" }
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct digest *d = sample_digest(0);
		digest_set_env(d, SPAN("samples_per_step"), span_of(rows[i][0]));
		struct fixture *f = open_view(d, NULL);
		assert_figures(f, "throughput.samples_per_s", rows[i][1]);
		close_view(f);
	}
}

/* Sums of what is too small to keep have no figures of their own. */
static void test_sums(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	vec_push(&d->threads, (struct thread_stat){ "", 9, 3, 9 });
	vec_push(&d->ops, (struct op_stat){ SPAN(""), 4, 400, 300, 3 });
	vec_push(&d->ranges, (struct range_stat){ SPAN(""), 7, 600, 3 });
	static const char *const names[] = { "communication", "GEMM", "" };
	for (size_t i = 0; i < 3; i++)
		vec_push(&d->kernels, (struct kernel_stat){ .kind = EVENT_KERNEL,
		                                            .name = span_of(names[i]),
		                                            .names = 2,
		                                            .count = 4,
		                                            .step_count = 4,
		                                            .step_total_ns = 10,
		                                            .largest_ns = 7 + (int64_t)(i == 1),
		                                            .occupancy = -1 });
	struct fixture *f = open_view(d, NULL);
	const struct rank_view *r = &f->view.ranks[0];
	assert_figures(f, "thread.time", "12/34=777");
	assert_figures(f, "op.time", "aten::add=201 aten::mul=5");
	assert_figures(f, "range.gpu_time", "forward=303");
	assert_figures(f, "kernel.time", "alpha_gemm=300 ncclAllReduce=45 triton_mul=200");
	assert_figures(f, "category.time", "GEMM=305 communication=50 other=205");
	assert_int_equal(r->nr_kernels, 3);
	assert_int_equal(r->nr_small, 3);
	assert_int_equal(r->small_ns, 30);
	assert_int_equal(r->small_count, 12);
	assert_int_equal(r->small_most, 4); /* of 8 ns in two steps */
	/* communication is never in such a sum, whatever the category says */
	for (size_t i = 3; i < 6; i++)
		assert_int_equal(r->kernels[i].cls, i == 5 ? CLASS_OTHER : CLASS_COMPUTE);
	assert_true(span_eq(r->kernels[4].match, SPAN("smaller kernels: GEMM")));
	assert_int_equal(r->kernels[4].raw_names, 2);
	assert_true(rank_view_kernel(r, SPAN("triton_mul")) == &r->kernels[2]);
	assert_null(rank_view_kernel(r, SPAN("smaller kernels: GEMM")));
	close_view(f);
}

/* Kernels are selected by their category, as it is called in the rules or in reports, and class. */
static void test_selected_kernels(void **state)
{
	(void)state;
	static const struct {
		const char *category, *cls;
		bool selected;
	} rows[] = {
		{ NULL, NULL, true },
		{ "normalisation", NULL, true },
		{ "normalization", NULL, true },
		{ "norm*", NULL, true },
		{ "GEMM", NULL, false },
		{ "normalization", "communication", false },
		{ "normalization", "compute", true },
		{ NULL, "communication", false },
	};
	struct fixture *f = open_view(sample_digest(0), NULL);
	add_category(&f->categories, "normalisation", CLASS_COMPUTE, "norm");
	const struct kernel_row row = { .category = 2, .cls = CLASS_COMPUTE };
	const struct figure figure = { .metric = &metric_table[METRIC_KERNEL_TIME], .kernel = &row };
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct query q = { .category = rows[i].category, .cls = rows[i].cls };
		if (figure_is_selected(&f->view, &q, &figure) != rows[i].selected)
			fail_msg("row %zu", i);
	}
	close_view(f);
}

/* A view of a rank without kernels knows none of them. */
static void test_no_kernels(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	d->kernels.nr = 0;
	struct fixture *f = open_view(d, NULL);
	uint64_t key = code_kernel_key(SPAN("alpha_gemm"));
	assert_null(rank_view_kernel(&f->view.ranks[0], SPAN("alpha_gemm")));
	assert_int_equal(rank_view_activity(&f->view.ranks[0], key).key, 0);
	assert_figures(f, "kernel.time", "");
	close_view(f);
	f = open_view(sample_digest(0), NULL);
	assert_int_equal(rank_view_activity(&f->view.ranks[0], key).key, key);
	assert_int_equal(rank_view_activity(&f->view.ranks[0], key + 1).key, 0);
	assert_int_equal(rank_view_activity(&f->view.ranks[0], 0).key, 0);
	close_view(f);
}

/* What an operator moved, and its shares of the peaks: rows of one operator are added, and one
   whose part is not known makes the share unknown. */
static void test_moved(void **state)
{
	(void)state;
	static const struct {
		struct flop_stat rows[2];
		const char *bytes, *bandwidth, *roofline;
	} rows[] = {
		{ { { .bytes = 600, .sized_ns = 100, .moved_ns = 40, .roof_ns = 50, .flops = 1 },
		    { .bytes = 200, .sized_ns = 100, .moved_ns = 20, .roof_ns = 40, .flops = 1 } },
		  "mm=400",
		  "mm=30000000",
		  "mm=45000000" },
		/* operations without a peak are not in roof_ns */
		{ { { .bytes = 600, .sized_ns = 100, .moved_ns = 40, .roof_ns = 50, .flops = 1 },
		    { .bytes = 200, .sized_ns = 100, .moved_ns = 20, .flops = 1 } },
		  "mm=400",
		  "mm=30000000",
		  "" },
		{ { { .bytes = 600, .sized_ns = 100, .moved_ns = 40, .flops = 1 },
		    { .bytes = 200, .sized_ns = 100, .moved_ns = 20, .roof_ns = 40, .flops = 1 } },
		  "mm=400",
		  "mm=30000000",
		  "" },
		{ { { .bytes = 600, .sized_ns = 100, .moved_ns = 40, .roof_ns = 50, .flops = 1 },
		    { .bytes = 200, .sized_ns = 100, .moved_ns = 20 } },
		  "mm=400",
		  "mm=30000000",
		  "mm=25000000" },
		{ { { .bytes = 600, .sized_ns = 100, .moved_ns = 40 },
		    { .bytes = 200, .sized_ns = 100, .moved_ns = 20, .roof_ns = 50, .flops = 1 } },
		  "mm=400",
		  "mm=30000000",
		  "mm=25000000" },
		/* bytes need all calls, and some time */
		{ { { .bytes = 600, .sized_ns = 100, .moved_ns = 40 }, { .unsized = 1, .flops = 1 } },
		  "",
		  "mm=40000000",
		  "" },
		{ { { .bytes = 600 }, { .bytes = 200, .moved_ns = 20, .roof_ns = 40, .flops = 1 } },
		  "",
		  "",
		  "" },
		{ { { .bytes = 600, .sized_ns = 100 }, { .bytes = 200, .sized_ns = 100 } },
		  "mm=400",
		  "",
		  "" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct digest *d = sample_digest(0);
		d->flops.nr = 0;
		for (size_t k = 0; k < 2; k++) {
			vec_push(&d->flops, rows[i].rows[k]);
			d->flops.v[k].op = SPAN("mm");
		}
		struct fixture *f = open_view(d, NULL);
		assert_figures(f, "op.bytes", rows[i].bytes);
		assert_figures(f, "op.bandwidth_pct", rows[i].bandwidth);
		assert_figures(f, "op.roofline_pct", rows[i].roofline);
		close_view(f);
	}
}

/* Allocations that failed are compared by snapshots alone; memory of the trace counts where it is
   asked for. */
static void test_memory_of_both(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	d->memories.v[0].oom_count = 3;
	struct fixture *f = open_view(d, NULL);
	assert_figures(f, "memory.oom_count", "");
	d->memories.v[0].source = MEMORY_OF_SNAPSHOT;
	assert_figures(f, "memory.oom_count", "0=3");
	f->view.by_trace = true; /* the rank has no other figures than these */
	assert_figures(f, "memory.peak_allocated", "0=4000");
	vec_push(&d->trace_memories, sample_memory("1", MEMORY_OF_TRACE, 77));
	assert_figures(f, "memory.peak_allocated", "1=77");
	f->view.by_trace = false;
	assert_figures(f, "memory.peak_allocated", "0=4000");
	close_view(f);
}

static void test_names_of_sources(void **state)
{
	(void)state;
	enum {
		TRACE = 1 << MEMORY_OF_TRACE,
		SNAPSHOT = 1 << MEMORY_OF_SNAPSHOT,
		TIMELINE = 1 << MEMORY_OF_TIMELINE
	};
	assert_null(memory_source_of(0));
	assert_null(memory_source_of(~0U));
	assert_string_equal(memory_source_of(TRACE), "trace");
	assert_string_equal(memory_source_of(TRACE | SNAPSHOT), "snapshot");
	assert_string_equal(memory_source_of(SNAPSHOT), "snapshot");
	assert_string_equal(memory_source_of(TRACE | TIMELINE), "timeline");
}

static void test_nothing_there(void **state)
{
	(void)state;
	struct digest *d = digest_new();
	d->communication = "nccl";
	digest_set_steps(d, 0);
	struct fixture *f = open_view(d, NULL);
	for (size_t i = 0; i < NR_METRICS; i++) {
		struct answers a;
		struct query q = { .metric = &metric_table[i] };
		run_query(&f->view, &q, &f->scratch, &a);
		assert_int_equal(a.list.nr, 0);
		assert_false(run_has(&f->view, &metric_table[i]));
	}
	digest_set_steps(d, 1);
	d->usable_steps = 1;
	assert_true(run_has(&f->view, &metric_table[METRIC_STEP_TIME]));
	assert_figures(f, "throughput.steps_per_s", "");
	assert_figures(f, "step.cuda_time", "0");
	assert_false(run_has(&f->view, &metric_table[METRIC_STEP_COMM_TIME]));
	d->samples[METRIC_STEP_COMM_TIME][0] = 1;
	assert_true(run_has(&f->view, &metric_table[METRIC_STEP_COMM_TIME]));
	close_view(f);
}

/* A run communicates if a kernel does, or if a step had time of it, in samples or in summaries. */
static void test_communicates(void **state)
{
	(void)state;
	const struct metric *m = &metric_table[METRIC_STEP_COMM_TIME];
	for (int64_t most = 0; most < 2; most++) {
		struct digest *d = digest_new();
		d->communication = "nccl";
		digest_set_steps(d, 0);
		struct step_summary *s = vec_push_zero(&d->summaries);
		s->metric = METRIC_STEP_COMM_TIME;
		s->value[STAT_MAX] = most;
		struct fixture *f = open_view(d, NULL);
		assert_int_equal(run_has(&f->view, m), most);
		close_view(f);
	}
	struct digest *d = sample_digest(0);
	d->samples[METRIC_STEP_COMM_TIME][0] = d->samples[METRIC_STEP_COMM_TIME][1] = 0;
	struct fixture *f = open_view(d, NULL);
	assert_true(run_has(&f->view, m));
	for (size_t i = 0; i < d->kernels.nr; i++)
		d->kernels.v[i].communicates = -1;
	assert_false(run_has(&f->view, m));
	d->samples[METRIC_STEP_COMM_TIME][1] = 1;
	assert_true(run_has(&f->view, m));
	close_view(f);
}

static void test_malformed_figures(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	d->devices.v[0] = (struct device_stat){ "0", 1, 1, 0, INT64_MAX, INT64_MAX, 0, 0, 0, 5 };
	d->memories.v[0] = sample_memory("0", MEMORY_OF_TRACE, INT64_MAX);
	d->memories.v[0].reserved_at_peak = -INT64_MAX;
	for (size_t i = 0; i < d->kernels.nr; i++) {
		struct kernel_stat *s = &d->kernels.v[i];
		s->step_count = s->step_total_ns = s->total_ns = s->step_bytes = s->occupancy = INT64_MAX;
	}
	struct fixture *f = open_view(d, NULL);
	assert_figures(f, "window.idle_time", "0=0");
	assert_figures(f, "gpu.utilization_pct", "");
	assert_figures(f, "comm.overlap_pct", "");
	assert_figures(f, "memory.fragmentation_at_peak_pct", "0=200000000");
	assert_figures(f, "kernel.count",
	               "alpha_gemm=9223372036854775807 ncclAllReduce=9223372036854775807 "
	               "triton_mul=9223372036854775807");
	assert_figures(f, "memcpy.bandwidth", "DtoH=1000000000 HtoD=1000000000");
	close_view(f);
}

/* Figures that a record of XProf lacks are absent; memory of a host counts only if selected. */
static void test_memory_unknown(void **state)
{
	(void)state;
	static const char *const absent[] = {
		"memory.peak_reserved",     "memory.end_allocated",   "memory.end_reserved",
		"memory.fragmentation_pct", "memory.alloc_count",     "memory.free_count",
		"memory.churn_bytes",       "memory.growth_per_step", "memory.headroom",
		"memory.inactive_pct",      "memory.rounding_pct",    "memory.fragmentation_at_peak_pct",
	};
	struct memory_stat *m;
	struct digest *d = sample_digest(0);
	d->memories.nr = 0;
	vec_push(&d->memories, sample_memory("GPU_0_bfc", MEMORY_OF_XPROF, 100));
	vec_push(&d->memories, sample_memory("gpu_host_bfc", MEMORY_OF_XPROF, 900));
	for (m = d->memories.v; m < d->memories.v + 2; m++) {
		m->peak_reserved = m->reserved_at_peak = m->end_allocated = m->end_reserved =
		    MEMORY_UNKNOWN;
		m->alloc_count = m->free_count = m->churn_bytes = m->growth_per_step = MEMORY_UNKNOWN;
		m->capacity = 1000;
	}
	struct fixture *f = open_view(d, NULL);
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		assert_figures(f, absent[i], "");
	assert_figures(f, "memory.peak_allocated", "GPU_0_bfc=100 gpu_host_bfc=900");
	static const struct {
		const char *memory;
		int64_t want;
	} queries[] = { { NULL, 100 }, { "*", 900 }, { "gpu_host_*", 900 }, { "GPU_*", 100 } };
	for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
		struct query q = { .metric = &metric_table[METRIC_MEMORY_PEAK_ALLOCATED],
			               .reduce = REDUCE_MAX,
			               .memory = queries[i].memory };
		struct answers answers;
		int64_t most = 0;
		run_query(&f->view, &q, &f->scratch, &answers);
		for (size_t k = 0; k < answers.list.nr; k++)
			most = answers.list.v[k].value > most ? answers.list.v[k].value : most;
		assert_int_equal(most, queries[i].want);
		vec_release(&answers.list);
	}
	close_view(f);
}

static void test_memory_figures(void **state)
{
	(void)state;
	static const struct {
		const char *metric, *trace, *snapshot;
	} rows[] = {
		{ "memory.peak_allocated", "0=4000", "0=8000 3=8001" },
		{ "memory.peak_reserved", "0=5000", "0=5000 3=5000" },
		{ "memory.end_allocated", "0=1000", "0=1000 3=1000" },
		{ "memory.end_reserved", "0=4000", "0=4000 3=4000" },
		{ "memory.fragmentation_pct", "0=75000000", "0=75000000 3=75000000" },
		{ "memory.fragmentation_at_peak_pct", "0=20000000", "0=11111111 3=1662695312" },
		{ "memory.inactive_pct", "", "0=75000000 3=0" },
		{ "memory.free_split_pct", "", "0=33333333 3=0" },
		{ "memory.rounding_pct", "", "0=10000000 3=10000000" },
		{ "memory.alloc_count", "0=5", "0=5 3=5" },
		{ "memory.free_count", "0=4", "0=4 3=4" },
		{ "memory.churn_bytes", "0=6000", "0=6000 3=6000" },
		{ "memory.segment_count", "", "0=4 3=4" },
		{ "memory.segment_churn", "", "0=0 3=0" },
		{ "memory.oom_count", "", "0=0 3=0" },
		{ "memory.growth_per_step", "0=-12", "3=4096" },
		{ "memory.headroom", "", "0=5000" },
	};
	struct digest *d = sample_snapshot(0);
	d->memories.v[1].inactive = d->memories.v[1].largest_inactive = 0;
	struct fixture *trace = open_view(sample_digest(0), NULL), *snapshot = open_view(d, NULL);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_figures(trace, rows[i].metric, rows[i].trace);
		assert_figures(snapshot, rows[i].metric, rows[i].snapshot);
	}
	/* every metric of memory needs a row in the table above, in the order of metrics.def */
	for (size_t i = 0, row = 0; i < NR_METRICS; i++)
		if (metric_table[i].need == NEED_MEMORY)
			assert_string_equal(rows[row++].metric, metric_table[i].name);
	close_view(trace);
	close_view(snapshot);
}

/* The snapshot's memories replace those of the trace. */
static void test_joined_figures(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	uint64_t hash = d->source_hash;
	d->device_memory = 7000;
	d->memories.v[0].peak_op = "aten::mm";
	d->memories.v[0].peak_dims = "[8, 4]";
	d->memories.v[0].peak_types = "float";
	digest_join(d, sample_snapshot(0));
	assert_int_equal(d->memories.v[0].source, MEMORY_OF_SNAPSHOT);
	assert_string_equal(d->memories.v[0].peak_op, "aten::mm");
	assert_string_equal(d->memories.v[0].peak_dims, "[8, 4]");
	assert_string_equal(d->memories.v[0].peak_types, "float");
	assert_null(d->memories.v[1].peak_op);
	assert_true(d->source_hash != hash && d->source_hash != 99);
	assert_string_equal(d->trace, "rank.json");
	assert_string_equal(d->snapshot, "rank.snapshot.json");
	assert_int_equal(d->memory_items.nr, 4 * NR_MEMORY_LISTS);
	assert_int_equal(d->memory_levels.nr, 4);
	assert_int_equal(d->memory_evidence.nr, 2);
	struct fixture *f = open_view(d, NULL);
	assert_figures(f, "memory.peak_allocated", "0=8000 3=8001");
	assert_figures(f, "memory.headroom", "0=5000 3=2000");
	assert_figures(f, "window.busy_time", "0=800");
	close_view(f);
}

/* Memories of a trace that its snapshot lacks are kept apart; the size of the device is that of
   all memories but the host's, unless it is known. */
static void test_joined_memories(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0), *snapshot = sample_snapshot(0);
	d->device_memory = 7000;
	d->memories.v[0].id = "2";
	d->memories.v[0].peak_op = "aten::mm";
	vec_push(&d->memories, sample_memory("3", MEMORY_OF_TRACE, 700));
	d->memories.v[1].peak_op = "aten::add";
	vec_push(&snapshot->memories, sample_memory("cpu", MEMORY_OF_SNAPSHOT, 600));
	digest_join(d, snapshot);
	assert_int_equal(d->memories.nr, 3);
	assert_int_equal(d->trace_memories.nr, 2);
	assert_string_equal(d->trace_memories.v[0].id, "2");
	assert_int_equal(d->memories.v[0].capacity, 10000);
	assert_int_equal(d->memories.v[1].capacity, 7000);
	assert_int_equal(d->memories.v[2].capacity, MEMORY_UNKNOWN);
	assert_null(d->memories.v[0].peak_op);
	assert_string_equal(d->memories.v[1].peak_op, "aten::add");
	assert_null(d->memories.v[2].peak_op);
	digest_free(d);
}

/* A trace joined with a torch memory timeline, which has fewer figures: memories that the timeline
 * lacks keep the figures of the trace. */
static void test_joined_record(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0), *record = digest_new();
	record->snapshot = "memory.raw.json";
	digest_set_steps(record, 0);
	vec_push(&record->memories, sample_memory("timeline", MEMORY_OF_TIMELINE, 600));
	struct memory_stat first = d->memories.v[0];
	vec_push(&d->memories, sample_memory("unknown", MEMORY_OF_TRACE, 700));
	digest_join(d, record);
	assert_int_equal(d->memories.nr, 3);
	assert_string_equal(d->memories.v[0].id, first.id);
	assert_int_equal(d->memories.v[0].source, MEMORY_OF_TRACE);
	assert_int_equal(d->memories.v[1].source, MEMORY_OF_TIMELINE);
	assert_string_equal(d->memories.v[2].id, "unknown");
	struct fixture *f = open_view(d, NULL);
	assert_figures(f, "memory.peak_allocated", "0=4000 timeline=600 unknown=700");
	close_view(f);
}

static void assert_answers(struct fixture *f, struct query q, const char *metric, const char *want)
{
	struct strbuf b = STRBUF_INIT;
	struct answers a;
	q.metric = metric_find(span_of(metric));
	run_query(&f->view, &q, &f->scratch, &a);
	for (size_t i = 0; i < a.list.nr; i++)
		strbuf_addf(&b, "%s%.*s@%lld=%lld", i ? " " : "", (int)a.list.v[i].label.n,
		            a.list.v[i].label.p, (long long)a.list.v[i].rank, (long long)a.list.v[i].value);
	if (strcmp(strbuf_str(&b), want) != 0)
		fail_msg("%s: '%s' instead of '%s'", metric, strbuf_str(&b), want);
	strbuf_release(&b);
	vec_release(&a.list);
}

static void test_query_one_rank(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0);
	vec_push(&d->memories, sample_memory("2", MEMORY_OF_TRACE, 6000));
	d->samples[METRIC_STEP_KERNEL_COUNT][0] = 40;
	d->samples[METRIC_STEP_KERNEL_COUNT][1] = 42;
	struct fixture *f = open_view(d, NULL);
	const struct query max = { .reduce = REDUCE_MAX };
	assert_answers(f, max, "step.time", "@-1=200000000");
	assert_answers(f, (struct query){ .stat = STAT_MAX }, "step.time", "@-1=300000000");
	assert_answers(f, (struct query){ .reduce = REDUCE_EACH }, "step.kernel_count", "@-1=41");
	assert_answers(f, max, "memory.peak_allocated", "@-1=6000");
	assert_answers(f, (struct query){ .reduce = REDUCE_MIN }, "memory.peak_allocated", "@-1=4000");
	assert_answers(f, (struct query){ .reduce = REDUCE_MEAN }, "memory.peak_allocated", "@-1=5000");
	assert_answers(f, (struct query){ .reduce = REDUCE_EACH }, "memory.peak_allocated",
	               "0@-1=4000 2@-1=6000");
	assert_answers(f, (struct query){ .memory = "0" }, "memory.peak_allocated", "0@-1=4000");
	assert_answers(f, (struct query){ .memory = "?" }, "memory.peak_allocated",
	               "0@-1=4000 2@-1=6000");
	assert_answers(f, (struct query){ .device = "1" }, "window.busy_time", "");
	assert_answers(f, (struct query){ .kernel = "*mul" }, "kernel.time", "triton_mul@-1=200");
	assert_answers(f, (struct query){ .category = "GE*" }, "kernel.time", "alpha_gemm@-1=300");
	assert_answers(f, (struct query){ .category = "other" }, "category.time", "other@-1=200");
	assert_answers(f, (struct query){ .op = "*add" }, "op.time", "aten::add@-1=201");
	assert_answers(f, (struct query){ .direction = "H*" }, "memcpy.bytes", "HtoD@-1=2001");
	assert_answers(f, (struct query){ .thread = "13/*" }, "thread.time", "");
	assert_answers(f, (struct query){ .rank = "1" }, "step.time", "");
	assert_answers(f, max, "kernel.drift_pct", "");
	close_view(f);
}

static void test_query_ranks(void **state)
{
	(void)state;
	struct digest *d = sample_digest(0), *e = sample_digest(10);
	e->samples[METRIC_STEP_TIME][0] = 500000000; /* the median step time becomes 400 ms */
	e->kernels.v[0].step_total_ns = 1000; /* alpha_gemm takes 500 ns per step */
	vec_push(&e->devices, (struct device_stat){ "1", 3, 40, 1000, 900, 600, 0, 0, 0, 0 });
	struct fixture *f = open_view(d, e);
	assert_answers(f, (struct query){ .reduce = REDUCE_MEDIAN }, "step.time", "@-1=300000000");
	assert_answers(f, (struct query){ .reduce = REDUCE_MAX }, "step.time", "@-1=400000000");
	assert_answers(f, (struct query){ .reduce = REDUCE_EACH }, "step.time",
	               "@0=200000000 @10=400000000");
	assert_answers(f, (struct query){ .reduce = REDUCE_MIN, .rank = "1*" }, "step.time",
	               "@-1=400000000");
	assert_answers(f, (struct query){ .reduce = REDUCE_MAX, .kernel = "a*" }, "kernel.time",
	               "alpha_gemm@-1=500");
	assert_answers(f, (struct query){ .reduce = REDUCE_EACH, .kernel = "a*" }, "kernel.time",
	               "alpha_gemm@0=300 alpha_gemm@10=500");
	/* values are reduced over devices first, then over ranks: median of 800 and median(800, 900) */
	assert_answers(f, (struct query){ .reduce = REDUCE_MEDIAN }, "window.busy_time", "@-1=825");
	assert_answers(f, (struct query){ .reduce = REDUCE_EACH }, "window.busy_time",
	               "0@0=800 0@10=800 1@10=900");
	close_view(f);
}

/* A digest of one step, with the times of three kernels. */
static struct digest *digest_of_three(int64_t rank, int64_t a, int64_t b, int64_t c)
{
	struct digest *d = digest_new();
	const struct {
		const char *name;
		int64_t ns;
	} rows[] = { { "gemm_a", a }, { "gemm_b", b }, { "nccl_c", c } };
	d->trace = "rank.json";
	d->rank = rank;
	d->communication = "nccl";
	d->attribution = ATTRIBUTION_LAUNCH;
	digest_set_steps(d, 1);
	d->usable_steps = d->total_steps = 1;
	for (size_t i = 0; i < 3; i++)
		vec_push(&d->kernels, (struct kernel_stat){ .kind = EVENT_KERNEL,
		                                            .name = span_of(rows[i].name),
		                                            .count = 1,
		                                            .step_count = 1,
		                                            .total_ns = rows[i].ns,
		                                            .step_total_ns = rows[i].ns,
		                                            .grid = { -1 },
		                                            .occupancy = -1 });
	return d;
}

/* The items that a rule checks: with for_each the largest items, by the mean of two ranks or, if
 * each rank is judged, by the larger value; without for_each all items that the rule selects. */
static void test_rule_items(void **state)
{
	(void)state;
	static const struct {
		enum metric_id metric;
		bool for_each;
		enum reduce reduce;
		int64_t top;
		const char *kernel, *items;
	} rows[] = {
		{ METRIC_KERNEL_TIME, true, REDUCE_MEDIAN, 2, NULL, "gemm_b nccl_c" },
		{ METRIC_KERNEL_TIME, true, REDUCE_EACH, 2, NULL, "gemm_a gemm_b" },
		{ METRIC_KERNEL_TIME, true, REDUCE_MIN, 1, NULL, "nccl_c" },
		/* the largest items are those with the most time, whatever the metric */
		{ METRIC_KERNEL_COUNT, true, REDUCE_EACH, 1, NULL, "gemm_a" },
		{ METRIC_KERNEL_COUNT, true, REDUCE_EACH, 0, NULL, "" },
		{ METRIC_KERNEL_TIME, false, REDUCE_EACH, 1, NULL, "gemm_a gemm_b nccl_c" },
		{ METRIC_KERNEL_TIME, false, REDUCE_MEDIAN, 0, "gemm*", "gemm_a gemm_b" },
		{ METRIC_KERNEL_DRIFT_PCT, false, REDUCE_MAX, 2, NULL, "gemm_b nccl_c" },
	};
	struct fixture *f = open_view(digest_of_three(0, 100, 40, 80), digest_of_three(1, 10, 90, 80));
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct metric *m = &metric_table[rows[i].metric];
		struct rule rule = { .metric = m, .query = { .metric = m } };
		struct names names = { 0 };
		struct strbuf b = STRBUF_INIT;
		rule.for_each = rows[i].for_each;
		rule.query.reduce = rows[i].reduce;
		rule.query.kernel = rows[i].kernel;
		for (int twice = 0; twice < 2; twice++)
			rule_items_add(&f->view, &rule, rows[i].top, &f->scratch, &names);
		names_finish(&names);
		for (size_t k = 0; k < names.list.nr; k++)
			strbuf_addf(&b, "%s%.*s", k ? " " : "", (int)names.list.v[k].n, names.list.v[k].p);
		if (strcmp(strbuf_str(&b), rows[i].items) != 0)
			fail_msg("row %zu: '%s'", i, strbuf_str(&b));
		assert_int_equal(names_has(&names, SPAN("gemm_a")),
		                 strstr(rows[i].items, "gemm_a") != NULL);
		strbuf_release(&b);
		vec_release(&names.list);
	}
	close_view(f);
}

/* A figure of a result file is found by its own name and by the name that reports give it: its
   case, if it has one, and its title. */
static void test_called(void **state)
{
	(void)state;
	static const struct {
		const char *name, *found;
	} rows[] = {
		{ "input.a/ttft_ms", "input.a/ttft_ms" },
		{ "input.a/mean TTFT", "input.a/ttft_ms" },
		{ "input.b/mean TTFT", "input.b/ttft_ms" },
		{ "input.c/mean TTFT", NULL },
		{ "input.a mean TTFT", NULL },
		{ "input.mean TTFT", NULL },
		{ "input.time of it", "input.t_ms" },
	};
	struct digest *d = sample_digest(0);
	d->inputs.nr = 0;
	vec_push(&d->inputs, (struct input_stat){ .name = "a/ttft_ms", .title = "mean TTFT" });
	vec_push(&d->inputs, (struct input_stat){ .name = "b/ttft_ms", .title = "mean TTFT" });
	vec_push(&d->inputs, (struct input_stat){ .name = "t_ms", .title = "time of it" });
	struct fixture *f = open_view(d, NULL);
	run_views_align(&f->view, 1, &f->scratch);
	for (size_t i = 0; i < NR_OF(rows); i++) {
		struct metric m = { .name = rows[i].name, .need = NEED_INPUT };
		const struct metric *found = view_metric(&f->view, &m, SPAN(""));
		assert_string_equal(found->name, rows[i].found ? rows[i].found : rows[i].name);
	}
	close_view(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_naming),
		cmocka_unit_test(test_class_follows_digest),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_without_a_period),
		cmocka_unit_test(test_only_outside_of_steps),
		cmocka_unit_test(test_context),
		cmocka_unit_test(test_numbers_of_context),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_selected_kernels),
		cmocka_unit_test(test_no_kernels),
		cmocka_unit_test(test_moved),
		cmocka_unit_test(test_memory_of_both),
		cmocka_unit_test(test_names_of_sources),
		cmocka_unit_test(test_joined_memories),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_communicates),
		cmocka_unit_test(test_malformed_figures),
		cmocka_unit_test(test_memory_unknown),
		cmocka_unit_test(test_memory_figures),
		cmocka_unit_test(test_joined_figures),
		cmocka_unit_test(test_joined_record),
		cmocka_unit_test(test_query_one_rank),
		cmocka_unit_test(test_query_ranks),
		cmocka_unit_test(test_rule_items),
		cmocka_unit_test(test_called),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
