/* Rules of diagnosis: the file of rules; every rule and every diagnosis in code is triggered by a
 * run with its problem, and not by a healthy run; what limits a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "diagnose/diagnose.h"
#include "rules/rules_file.h"

enum { STEPS = 4, MS = 1000000, GB = 1000000000, PCT = 1000000 };

/* ---- the file of rules ---- */

#define TEXTS \
	"title: t, observation: o, hypothesis: h, action: a, confirm: step.time, confidence: low"
#define ROW(when, more) "version: 1\nfindings:\n- {id: a, when: [" when "], " TEXTS more "}\n"

static void test_refused(void **state)
{
	(void)state;
	size_t wrong = 0;
	static const struct {
		const char *text, *error;
	} rows[] = {
		{ "findings: []\n", "f:1:11: 'findings' is empty" },
		{ "version: 2\nfindings: [a]\n", "'version' must be 1" },
		{ ROW("{metric: step.time, above: 1ms}", ", when2: b"), "did you mean 'when'?" },
		{ ROW("{metric: step.tme, above: 1ms}", ""),
		  "'step.tme' is not a known metric: did you mean 'step.time'?" },
		{ ROW("{metric: step.time}", ""), "a condition needs at least one of 'above', 'below'" },
		{ ROW("{metric: step.time, above: 1ms, below: 2ms}", ""),
		  "'above' and 'below' are two conditions: write two" },
		{ ROW("{metric: step.time, above: 1MiB}", ""), "does not fit 'step.time'" },
		{ ROW("{metric: step.kernel_count, above: 1ms}", ""), "does not fit 'step.kernel_count'" },
		{ ROW("{metric: step.time, of: step.kernel_count, above: 1%}", ""), "there is no share" },
		{ ROW("{metric: step.time, of: step.span, above: 1ms}", ""),
		  "'1ms' must be a share from 0% to 100%" },
		{ ROW("{metric: step.time, per: step.span, above: 1ms}", ""),
		  "'step.span' is not a count" },
		{ ROW("{metric: step.time, of: step.span, per: step.kernel_count, above: 1%}", ""),
		  "'of' and 'per' exclude each other" },
		{ ROW("{metric: kernel.mean, above: 1ms}", ""),
		  "'kernel.mean' has a figure for each kernel that cannot be added up" },
		{ ROW("{metric: kernel.drift_pct, above: 1%}", ""), "'kernel.drift_pct' needs two runs" },
		{ ROW("{metric: step.time, select: {kernel: a}, above: 1ms}", ""),
		  "'step.time' has no kernel to select" },
		{ ROW("{metric: step.time, above: 1ms}", ", saves: {metric: step.kernel_count}"),
		  "'step.kernel_count' is not a time per step" },
		{ ROW("{metric: step.time, above: 1ms}", ", saves: {metric: step.time, share: 101%}"),
		  "must be a share" },
		{ "version: 1\nfindings:\n- {id: a, when: [{metric: step.time, above: 1ms}], title: t, "
		  "observation: \"{step.tim}\", hypothesis: h, action: a, confirm: step.time, confidence: "
		  "low}\n",
		  "f:3:75: 'step.tim' in 'observation' is not a metric: did you mean 'step.time'?" },
		{ "version: 1\nfindings:\n- {id: a, when: [{metric: step.time, above: 1ms}], title: t, "
		  "observation: \"{step.time of step.tim}\", hypothesis: h, action: a, confirm: step.time, "
		  "confidence: "
		  "low}\n",
		  "'step.tim' in 'observation' is not a metric: did you mean 'step.time'?" },
		{ "version: 1\nfindings:\n- {id: a, when: [{metric: step.time, above: 1ms}], title: t, "
		  "observation: \"{step.time per step.kernel_coun}\", hypothesis: h, action: a, confirm: "
		  "step.time, confidence: "
		  "low}\n",
		  "'step.kernel_coun' in 'observation' is not a metric: did you mean "
		  "'step.kernel_count'?" },
		{ "version: 1\nfindings:\n- {id: a, when: [{metric: step.time, above: 1ms}], title: t, "
		  "observation: \"{step.tim per step.kernel_count}\", hypothesis: h, action: a, confirm: "
		  "step.time, confidence: "
		  "low}\n",
		  "'step.tim' in 'observation' is not a metric: did you mean 'step.time'?" },
		{ "version: 1\nfindings:\n- {id: a, when: [{metric: step.time, above: 1ms}], " TEXTS
		  "}\n- {id: a, when: [{metric: step.time, above: 1ms}], " TEXTS "}\n",
		  "two findings are called 'a'" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct diagnosis_rules r;
		struct diag_log log;
		diag_init(&log);
		assert_int_equal(diagnosis_read("f", (struct span[]){ span_of(rows[i].text) }, &r, &log),
		                 ST_USAGE);
		if (!strstr(diag_first_error(&log), rows[i].error))
			print_error("row %zu: %s\n", i, diag_first_error(&log)), wrong++;
		diagnosis_rules_release(&r);
		diag_release(&log);
	}
	assert_int_equal(wrong, 0);
}

/* ---- a healthy run, to which problems are added ---- */

struct rig {
	struct digest *d;
	struct run run;
	struct category_table categories;
	struct naming naming;
	struct diagnosis_rules rules;
	struct diag_log log;
};

static void set(struct digest *d, enum metric_id id, int64_t value)
{
	for (int i = 0; i < STEPS; i++)
		d->samples[id][i] = value;
}

/* Set a metric of the periods of all steps but the first, which has no period. */
static void set_of_period(struct digest *d, enum metric_id id, int64_t value)
{
	set(d, id, value);
	d->samples[id][0] = NO_SAMPLE;
}

/* Set how the single device spends each period. */
static void set_parts(struct digest *d, int64_t compute, int64_t comm, int64_t memory, int64_t idle)
{
	set_of_period(d, METRIC_STEP_PERIOD, (compute + comm + memory + idle) * MS);
	set_of_period(d, METRIC_STEP_PERIOD_COMPUTE, compute * MS);
	set_of_period(d, METRIC_STEP_PERIOD_EXPOSED_COMM, comm * MS);
	set_of_period(d, METRIC_STEP_PERIOD_EXPOSED_MEMORY, memory * MS);
	set_of_period(d, METRIC_STEP_IDLE_TIME, idle * MS);
}

static void add_kernel(struct digest *d, enum event_kind kind, const char *name, int64_t ms,
                       int64_t count, int64_t bytes)
{
	vec_push(&d->kernels, (struct kernel_stat){ .kind = kind,
	                                            .name = span_of(name),
	                                            .count = count * STEPS,
	                                            .total_ns = ms * MS * STEPS,
	                                            .max_ns = ms * MS,
	                                            .step_count = count * STEPS,
	                                            .step_total_ns = ms * MS * STEPS,
	                                            .step_max_ns = ms * MS,
	                                            .bytes = bytes * STEPS,
	                                            .step_bytes = bytes * STEPS,
	                                            .grid = { -1 },
	                                            .occupancy = -1 });
	vec_sort(&d->kernels, kernel_stat_cmp);
}

static void add_call(struct digest *d, const char *name, int64_t count, int64_t ms)
{
	vec_push(&d->functions, (struct function_stat){ .cls = FUNCTION_RUNTIME,
	                                                .name = span_of(name),
	                                                .parent = -1,
	                                                .count = count,
	                                                .total_ns = ms * MS,
	                                                .rate = -1 });
}

/* A step every 100 ms, of which the GPU computes for 95. The host runs ahead, so that shares in
   diagnoses refer to the period. */
static void healthy(struct digest *d)
{
	d->trace = "t.json";
	d->marker = "ProfilerStep#*";
	d->communication = "nccl";
	d->attribution = ATTRIBUTION_LAUNCH;
	d->rank = 0;
	d->world_size = 1;
	d->events = 1000;
	d->total_steps = STEPS;
	d->window_ns = (int64_t)STEPS * 100 * MS;
	d->trust.gpu_events = d->trust.with_launch = 400;
	digest_set_steps(d, STEPS);
	d->usable_steps = STEPS;
	for (int i = 0; i < STEPS; i++)
		d->step_numbers[i] = i;
	set(d, METRIC_STEP_TIME, 85 * MS);
	set(d, METRIC_STEP_LATENCY, 110 * MS);
	set(d, METRIC_STEP_CUDA_TIME, 96 * MS);
	set(d, METRIC_STEP_KERNEL_TIME, 95 * MS);
	set(d, METRIC_STEP_COMPUTE_TIME, 95 * MS);
	set(d, METRIC_STEP_MEMCPY_TIME, 1 * MS);
	set(d, METRIC_STEP_KERNEL_COUNT, 200);
	set(d, METRIC_STEP_LAUNCH_TIME, 5 * MS);
	set(d, METRIC_STEP_SYNC_COUNT, 1);
	set(d, METRIC_STEP_SYNC_TIME, 80 * MS);
	set_parts(d, 95, 0, 1, 4);
	add_kernel(d, EVENT_KERNEL, "some_gemm", 50, 100, 0);
	add_kernel(d, EVENT_KERNEL, "own_kernel", 45, 100, 0);
	add_call(d, "cudaLaunchKernel", 800, 20);
	vec_push(&d->devices, (struct device_stat){ .id = "0",
	                                            .streams = 1,
	                                            .activities = 400,
	                                            .measured_ns = 100,
	                                            .measured_busy_ns = 96 });
	vec_push(&d->threads, (struct thread_stat){ "1/1", (int64_t)STEPS * 20 * MS, 0, 0 });
}

static void busy(struct digest *d, int64_t pct)
{
	d->devices.v[0].measured_busy_ns = pct;
}

static struct memory_stat *add_memory(struct digest *d)
{
	struct memory_stat *m = vec_push_zero(&d->memories);
	*m = (struct memory_stat){ .id = "0",
		                       .source = MEMORY_OF_SNAPSHOT,
		                       .peak_allocated = (int64_t)49 * GB,
		                       .peak_reserved = (int64_t)50 * GB,
		                       .reserved_at_peak = (int64_t)50 * GB,
		                       .growth_per_step = 0,
		                       .capacity = (int64_t)80 * GB };
	return m;
}

static void rig_init(struct rig *g)
{
	*g = (struct rig){ .d = digest_new() };
	diag_init(&g->log);
	healthy(g->d);
	vec_push(&g->run.ranks, g->d);
	assert_int_equal(categories_read(NULL, NULL, &g->categories, &g->log), ST_OK);
	assert_int_equal(diagnosis_read(NULL, NULL, &g->rules, &g->log), ST_OK);
	g->naming = (struct naming){ .categories = &g->categories };
}

static void rig_release(struct rig *g)
{
	run_release(&g->run);
	category_table_release(&g->categories);
	diagnosis_rules_release(&g->rules);
	diag_release(&g->log);
}

/* Diagnose the run; the ids are listed in order, each followed by a blank. */
static void diagnose(struct rig *g, struct strbuf *ids, struct classification *c)
{
	struct run_view v;
	struct arena a = ARENA_INIT;
	run_view_init(&v, &g->run, &g->naming);
	struct run_report *r = diagnose_run(&v, &g->rules, true, true, &a);
	for (size_t i = 0; i < r->recommendations.nr; i++)
		strbuf_addf(ids, "%s ", r->recommendations.v[i].id);
	*c = (struct classification){ .bound = r->classification.bound,
		                          .confidence = r->classification.confidence };
	run_report_release(r);
	run_view_release(&v);
	arena_release(&a);
}

/* ---- a problem for each diagnosis ---- */

static void host_busy(struct digest *d, int64_t pct)
{
	d->threads.v[0].busy_ns = d->window_ns / 100 * pct;
}

static void launches(struct digest *d)
{
	busy(d, 50);
	host_busy(d, 60);
	d->trust.gpu_events = (int64_t)STEPS * 400;
	set(d, METRIC_STEP_LAUNCH_TIME, 30 * MS);
	set(d, METRIC_STEP_KERNEL_TIME, 5 * MS);
	set(d, METRIC_STEP_KERNEL_COUNT, 400);
	/* with 400 kernels in this step as in all others, CUDA graphs would be advised */
	d->samples[METRIC_STEP_KERNEL_COUNT][0] = 401;
	set_parts(d, 54, 0, 1, 45);
}

static void modules(struct digest *d)
{
	launches(d);
	d->trust.gpu_events = 400; /* 600 µs of host time per activity: more than a launch takes */
}

static void graphs(struct digest *d)
{
	launches(d);
	set(d, METRIC_STEP_KERNEL_COUNT, 400);
}

static void graphs_waiting(struct digest *d)
{
	graphs(d);
	set(d, METRIC_STEP_SYNC_COUNT, 2);
}

static void graphs_used(struct digest *d)
{
	graphs(d);
	add_call(d, "cudaGraphLaunch", 4, 1);
}

static void tiny(struct digest *d)
{
	busy(d, 85);
	d->kernels.nr = 0;
	set(d, METRIC_STEP_KERNEL_TIME, 5 * MS);
	set(d, METRIC_STEP_KERNEL_COUNT, 1000);
}

static void loader(struct digest *d)
{
	set_parts(d, 80, 0, 1, 19);
	set(d, METRIC_STEP_DATALOADER_TIME, 11 * MS);
}

static void waits(struct digest *d)
{
	busy(d, 60);
	set(d, METRIC_STEP_SYNC_COUNT, 5);
	set_parts(d, 59, 0, 1, 40);
}

static void exposed(struct digest *d)
{
	set(d, METRIC_STEP_EXPOSED_COMM_TIME, 20 * MS);
}

static void churn(struct digest *d)
{
	add_memory(d)->segment_churn = 20;
	d->memories.v[d->memories.nr - 1].segment_allocs = 10;
}

static void leak(struct digest *d)
{
	add_memory(d)->growth_per_step = 2 << 20;
}

static void risk(struct digest *d)
{
	add_memory(d)->capacity = (int64_t)51 * GB;
}

static void oom(struct digest *d)
{
	add_memory(d)->oom_count = 1;
}

static void gaps(struct digest *d)
{
	struct memory_stat *m = add_memory(d);
	m->peak_allocated = (int64_t)40 * GB;
	m->capacity = (int64_t)60 * GB;
}

static void gaps_ample(struct digest *d)
{
	gaps(d);
	d->memories.v[0].capacity = (int64_t)80 * GB;
}

static void pcie(struct digest *d)
{
	add_kernel(d, EVENT_MEMCPY, "Memcpy HtoD (Pageable -> Device)", 6, 1, 1000);
	add_kernel(d, EVENT_MEMCPY, "Memcpy DtoD (Device -> Device)", 1, 1, 999);
	set(d, METRIC_STEP_MEMCPY_TIME, 7 * MS);
	set(d, METRIC_STEP_MEMCPY_BYTES, 1999);
}

static void on_device(struct digest *d)
{
	pcie(d);
	set(d, METRIC_STEP_MEMCPY_BYTES, 2001);
}

static void conversions(struct digest *d)
{
	add_kernel(d, EVENT_KERNEL, "bfloat16_copy_kernel_cuda", 4, 10, 0);
}

static void elementwise(struct digest *d)
{
	add_kernel(d, EVENT_KERNEL, "at::native::elementwise_kernel", 20, 10, 0);
}

static void moving(struct digest *d)
{
	vec_push(&d->flops, (struct flop_stat){ .op = SPAN("aten::copy_"),
	                                        .sized_ns = 1000 * MS,
	                                        .memory_ns = 1000 * MS });
}

static void attention(struct digest *d)
{
	add_kernel(d, EVENT_KERNEL, "flash_fwd_kernel", 40, 10, 0);
}

static void gemm(struct digest *d)
{
	add_kernel(d, EVENT_KERNEL, "ampere_sgemm", 10, 10, 0);
}

static void moe(struct digest *d)
{
	add_kernel(d, EVENT_KERNEL, "fused_moe_kernel", 25, 10, 0);
}

static void occupancy(struct digest *d)
{
	for (size_t i = 0; i < d->kernels.nr; i++)
		d->kernels.v[i].occupancy = 10 * PCT;
}

static void occupancy_unknown(struct digest *d)
{
	occupancy(d);
	/* some_gemm, which takes more than half of the time, gets an occupancy of 0 */
	d->kernels.v[1].occupancy = 0;
}

static void fills(struct digest *d)
{
	add_kernel(d, EVENT_KERNEL, "vectorized_elementwise_kernel<4, FillFunctor<float>>", 2, 10, 0);
	add_kernel(d, EVENT_MEMSET, "Memset (Device)", 1, 10, 1 << 20);
}

static void few_fills(struct digest *d)
{
	add_kernel(d, EVENT_MEMSET, "Memset (Device)", 1, 10, 1 << 20);
}

static void checkpoints(struct digest *d)
{
	vec_push(&d->ops, (struct op_stat){ SPAN("CheckpointFunctionBackward"), STEPS,
	                                    (int64_t)STEPS * 30 * MS, 0, 0 });
}

static void checkpoints_python(struct digest *d)
{
	vec_push(&d->functions,
	         (struct function_stat){ .cls = FUNCTION_PYTHON,
	                                 .name = SPAN("torch/utils/checkpoint.py(99): recompute_fn"),
	                                 .parent = -1,
	                                 .count = 1,
	                                 .total_ns = 100 * MS,
	                                 .rate = -1 });
}

static void blocking(struct digest *d)
{
	busy(d, 60);
	set_parts(d, 59, 0, 1, 40);
	add_call(d, "cudaMemcpyAsync", 8, STEPS * 20);
}

static void enqueued(struct digest *d)
{
	busy(d, 60);
	set_parts(d, 59, 0, 1, 40);
	add_call(d, "cudaMemcpyAsync", 5000, STEPS * 20); /* calls of 16 µs each */
}

/* Copies within the device, without other problems. */
static void clones(struct digest *d)
{
	set_parts(d, 30, 0, 66, 4);
	add_kernel(d, EVENT_MEMCPY, "Memcpy DtoD (Device -> Device)", 66, 1, 2000);
	set(d, METRIC_STEP_MEMCPY_TIME, 66 * MS);
	set(d, METRIC_STEP_MEMCPY_BYTES, 2000);
}

static void softmax(struct digest *d)
{
	add_kernel(d, EVENT_KERNEL, "softmax_warp_forward", 10, 12, 0);
	vec_push(&d->ops, (struct op_stat){ SPAN("aten::bmm"), (int64_t)STEPS * 24, MS, MS, 0 });
}

/* A softmax as in a loss or a router, which does not lie between two matrix products. */
static void softmax_alone(struct digest *d)
{
	softmax(d);
	d->ops.v[0].count = (int64_t)STEPS * 23;
	add_kernel(d, EVENT_KERNEL, "cunn_SoftMaxForward<LogSoftMaxForwardEpilogue>", 10, 1, 0);
}

static void transposes(struct digest *d)
{
	add_kernel(d, EVENT_KERNEL, "cudnn::ops::nchwToNhwcKernel<float>", 3, 10, 0);
}

/* The host loads GPU code (modules) during half of the trace. */
static void first_steps(struct digest *d)
{
	modules(d);
	add_call(d, "cuModuleLoadData", 4, 200);
	d->functions.v[d->functions.nr - 1].exclusive_ns = 200 * MS;
}

static void replays(struct digest *d)
{
	launches(d);
	d->functions.v[0].count = 10;
	add_call(d, "cudaGraphLaunch", 4, 1);
}

static int64_t add_frame(struct digest *d, const char *name, int64_t parent, int64_t ms,
                         int64_t own_ms)
{
	vec_push(&d->functions, (struct function_stat){ .cls = FUNCTION_PYTHON,
	                                                .name = span_of(name),
	                                                .parent = parent,
	                                                .count = STEPS,
	                                                .total_ns = ms * MS,
	                                                .exclusive_ns = own_ms * MS,
	                                                .rate = -1 });
	return (int64_t)d->functions.nr - 1;
}

/* Python computes for 108 of 400 ms; the caller also launches kernels. */
static void normalizes(struct digest *d)
{
	busy(d, 60);
	set_parts(d, 59, 0, 1, 40);
	int64_t caller = add_frame(d, "train.py(9): main", -1, 400, 20);
	int64_t data = add_frame(d, "data.py(3): load", caller, 112, 4);
	add_frame(d, "data.py(7): normalize", data, 108, 108);
}

static void compiles(struct digest *d)
{
	normalizes(d);
	d->functions.v[d->functions.nr - 2].name = SPAN("torch/_dynamo/convert_frame.py(9): compile");
}

/* A thread that waits for a lock computes nothing. */
static void locked(struct digest *d)
{
	normalizes(d);
	d->functions.v[d->functions.nr - 1].name =
	    SPAN("<built-in method acquire of _thread.lock object>");
}

static void nothing(struct digest *d)
{
	(void)d;
}

static const struct {
	void (*change)(struct digest *d);
	const char *ids;
} diagnoses[] = {
	{ nothing, "compute-bound " },
	{ launches, "launch-bound " },
	{ modules, "unexplained-idle " },
	{ graphs, "cuda-graphs launch-bound " },
	{ graphs_waiting, "host-synchronization " },
	{ graphs_used, "launch-bound " },
	{ tiny, "tiny-kernels compute-bound " },
	{ loader, "input-pipeline compute-bound " },
	{ waits, "host-synchronization " },
	{ exposed, "exposed-communication compute-bound " },
	{ churn, "allocator-churn compute-bound " },
	{ leak, "compute-bound memory-leak " },
	{ risk, "compute-bound out-of-memory-risk " },
	{ oom, "compute-bound out-of-memory " },
	{ gaps, "compute-bound fragmentation " },
	{ gaps_ample, "compute-bound " },
	{ pcie, "copies-over-pcie compute-bound " },
	{ on_device, "compute-bound " },
	{ conversions, "dtype-conversion compute-bound " },
	{ elementwise, "unfused-elementwise compute-bound " },
	{ moving, "memory-bound " },
	{ attention, "compute-bound dominated-by-attention " },
	{ gemm, "compute-bound dominated-by-gemm " },
	{ moe, "compute-bound moe-routing " },
	{ occupancy, "compute-bound low-occupancy " },
	{ occupancy_unknown, "compute-bound " },
	{ fills, "excessive-zeroing compute-bound " },
	{ few_fills, "compute-bound " },
	{ checkpoints, "checkpoint-recomputation compute-bound " },
	{ checkpoints_python, "checkpoint-recomputation compute-bound " },
	{ blocking, "blocking-copies " },
	{ enqueued, "unexplained-idle " },
	{ clones, "exposed-copies " },
	{ softmax, "unfused-attention compute-bound " },
	{ softmax_alone, "compute-bound " },
	{ transposes, "layout-transposes compute-bound " },
	{ first_steps, "start-up " },
	{ replays, "host-around-graphs " },
	{ normalizes, "cpu-preprocessing " },
	{ compiles, "compilation " },
	{ locked, "unexplained-idle " },
};

static void test_diagnoses(void **state)
{
	(void)state;
	size_t wrong = 0;
	for (size_t i = 0; i < sizeof diagnoses / sizeof *diagnoses; i++) {
		struct rig g;
		struct classification c;
		struct strbuf ids = STRBUF_INIT;
		rig_init(&g);
		diagnoses[i].change(g.d);
		diagnose(&g, &ids, &c);
		if (strcmp(strbuf_str(&ids), diagnoses[i].ids) != 0)
			print_error("row %zu: \"%s\", not \"%s\"\n", i, strbuf_str(&ids), diagnoses[i].ids),
			    wrong++;
		strbuf_release(&ids);
		rig_release(&g);
	}
	assert_int_equal(wrong, 0);
}

/* Every rule of the built-in file is in the table above, and its categories exist. */
static void test_built_in(void **state)
{
	(void)state;
	struct rig g;
	rig_init(&g);
	for (size_t i = 0; i < g.rules.list.nr; i++) {
		const struct diagnosis_rule *r = &g.rules.list.v[i];
		bool tested = false;
		for (size_t k = 0; k < sizeof diagnoses / sizeof *diagnoses; k++)
			tested = tested || strstr(diagnoses[k].ids, r->advice.id);
		if (!tested)
			fail_msg("no run triggers '%s'", r->advice.id);
		for (size_t k = 0; k < r->when.nr; k++) {
			const char *glob = r->when.v[k].figure.query.category;
			bool found = !glob;
			for (size_t j = 0; j < g.categories.rows.nr; j++)
				found = found || span_glob(span_of(glob), span_of(g.categories.rows.v[j].name));
			if (!found)
				fail_msg("'%s' asks for category '%s', which there is not", r->advice.id, glob);
		}
	}
	rig_release(&g);
}

/* A run with one window instead of steps, which has no periods. */
static void without_steps(struct digest *d)
{
	static const enum metric_id absent[] = { METRIC_STEP_PERIOD, METRIC_STEP_LATENCY,
		                                     METRIC_STEP_PERIOD_COMPUTE,
		                                     METRIC_STEP_PERIOD_EXPOSED_COMM,
		                                     METRIC_STEP_PERIOD_EXPOSED_MEMORY };
	d->window = true;
	d->nr_steps = 1;
	d->total_steps = d->usable_steps = 1;
	d->samples[METRIC_STEP_IDLE_TIME][0] = 4 * MS;
	d->kernels.nr = 0; /* remove the kernels of the four steps */
	for (size_t i = 0; i < sizeof absent / sizeof *absent; i++)
		d->samples[absent[i]] = NULL;
}

/* A saving on the host is limited by the idle time of the GPU, and any saving by the period of a
   step or by the window. */
static void test_saving(void **state)
{
	(void)state;
	static const struct {
		bool window;
		int64_t idle_ms, saves_ms;
		const char *saves, *observation;
	} rows[] = {
		{ false, 40, 40, "up to 40.00 ms (40.00 %) per step",
		  "250.00 ms of 100.00 ms a step are spent in enumerate(DataLoader)" },
		{ false, 200, 100, "up to 100.00 ms (100.00 %) per step",
		  "250.00 ms of 100.00 ms a step are spent in enumerate(DataLoader)" },
		{ true, 200, 85, "up to 85.00 ms (100.00 %) per window",
		  "250.00 ms of 85.00 ms a window are spent in enumerate(DataLoader)" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct run_view v;
		struct arena a = ARENA_INIT;
		rig_init(&g);
		set(g.d, METRIC_STEP_DATALOADER_TIME, 250 * MS);
		if (rows[i].window)
			without_steps(g.d);
		busy(g.d, 60);
		set(g.d, METRIC_STEP_IDLE_TIME, rows[i].idle_ms * MS);
		run_view_init(&v, &g.run, &g.naming);
		struct run_report *r = diagnose_run(&v, &g.rules, true, false, &a);
		assert_true(r->recommendations.nr > 0);
		assert_int_equal(r->recommendations.v[0].saves_ns, rows[i].saves_ms * MS);
		assert_string_equal(r->recommendations.v[0].saves_text, rows[i].saves);
		assert_string_equal(r->recommendations.v[0].observation, rows[i].observation);
		run_report_release(r);
		run_view_release(&v);
		arena_release(&a);
		rig_release(&g);
	}
}

/* ---- what limits a run ---- */

static void test_bound(void **state)
{
	(void)state;
	size_t wrong = 0;
	static const struct {
		int64_t compute, comm, memory, idle; /* time of each kind in a step of 100 ms, in ms */
		int64_t loader_ms, sync_ms, syncs, host_pct;
		enum bound bound;
		enum confidence confidence;
		int64_t activity_us; /* µs of the window per GPU activity */
	} rows[] = {
		/* nothing tells what limits the kernels */
		{ 95, 0, 1, 4, 0, 80, 1, 90, BOUND_COMPUTE, CONFIDENCE_LOW, 100 },
		{ 60, 20, 0, 20, 0, 0, 1, 20, BOUND_COMPUTE, CONFIDENCE_LOW, 100 },
		{ 10, 80, 0, 10, 0, 0, 1, 20, BOUND_COMMUNICATION, CONFIDENCE_HIGH, 100 },
		{ 10, 0, 80, 10, 0, 0, 1, 20, BOUND_MEMORY, CONFIDENCE_HIGH, 100 },
		{ 20, 0, 0, 80, 75, 0, 1, 95, BOUND_INPUT, CONFIDENCE_HIGH, 100 },
		{ 20, 0, 0, 80, 0, 70, 9, 90, BOUND_SYNCHRONIZATION, CONFIDENCE_MEDIUM, 100 },
		/* a single wait at the end of a step explains nothing */
		{ 20, 0, 0, 80, 0, 70, 1, 90, BOUND_LAUNCH, CONFIDENCE_MEDIUM, 100 },
		{ 20, 0, 0, 80, 0, 0, 0, 90, BOUND_LAUNCH, CONFIDENCE_MEDIUM, 100 },
		/* in the second row the host needs more time per GPU activity than a launch takes: modules
		   are loaded, or the host computes */
		{ 20, 0, 0, 80, 0, 0, 0, 90, BOUND_LAUNCH, CONFIDENCE_MEDIUM, 200 },
		{ 20, 0, 0, 80, 0, 0, 0, 90, BOUND_UNKNOWN, CONFIDENCE_LOW, 250 },
		/* no slow launches are seen, but the GPU waits longer for each activity than the activity
		   takes */
		{ 20, 0, 0, 80, 0, 0, 0, 40, BOUND_LAUNCH, CONFIDENCE_LOW, 100 },
		{ 20, 0, 0, 80, 0, 0, 0, 40, BOUND_UNKNOWN, CONFIDENCE_LOW, 300 },
		{ 30, 66, 0, 4, 0, 0, 0, 40, BOUND_COMMUNICATION, CONFIDENCE_MEDIUM, 100 },
		{ 55, 0, 0, 45, 40, 0, 0, 40, BOUND_MIXED, CONFIDENCE_MEDIUM, 100 },
		{ 40, 35, 0, 25, 0, 0, 0, 40, BOUND_MIXED, CONFIDENCE_LOW, 100 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rig g;
		struct classification c;
		struct strbuf ids = STRBUF_INIT;
		rig_init(&g);
		set_parts(g.d, rows[i].compute, rows[i].comm, rows[i].memory, rows[i].idle);
		set(g.d, METRIC_STEP_DATALOADER_TIME, rows[i].loader_ms * MS);
		set(g.d, METRIC_STEP_SYNC_TIME, rows[i].sync_ms * MS);
		set(g.d, METRIC_STEP_SYNC_COUNT, rows[i].syncs);
		host_busy(g.d, rows[i].host_pct);
		g.d->trust.gpu_events = g.d->trust.with_launch =
		    g.d->window_ns / 1000 / rows[i].activity_us;
		diagnose(&g, &ids, &c);
		if (c.bound != rows[i].bound || c.confidence != rows[i].confidence)
			print_error("row %zu: %s, %s\n", i, bound_names[c.bound],
			            confidence_names[c.confidence]),
			    wrong++;
		strbuf_release(&ids);
		rig_release(&g);
	}
	assert_int_equal(wrong, 0);
}

/* A run that has one window instead of steps is classified by how the window is spent. */
static void test_bound_of_window(void **state)
{
	(void)state;
	struct rig g;
	struct classification c;
	struct strbuf ids = STRBUF_INIT;
	rig_init(&g);
	without_steps(g.d);
	g.d->devices.nr = 0;
	vec_push(&g.d->devices, (struct device_stat){ .id = "0",
	                                              .span_ns = 100 * MS,
	                                              .busy_ns = 90 * MS,
	                                              .compute_ns = 10 * MS,
	                                              .comm_ns = 85 * MS,
	                                              .overlap_ns = 5 * MS });
	host_busy(g.d, 20);
	diagnose(&g, &ids, &c);
	assert_int_equal(c.bound, BOUND_COMMUNICATION);
	assert_int_equal(c.confidence, CONFIDENCE_LOW);
	strbuf_release(&ids);
	rig_release(&g);
}

static void test_bound_without_gpu(void **state)
{
	(void)state;
	struct rig g;
	struct classification c;
	struct strbuf ids = STRBUF_INIT;
	rig_init(&g);
	g.d->trust.gpu_events = 0;
	diagnose(&g, &ids, &c);
	assert_int_equal(c.bound, BOUND_UNKNOWN);
	strbuf_release(&ids);
	rig_release(&g);
}

/* ---- recommendations in the gate ---- */

static size_t limited(void (*before)(struct digest *), void (*after)(struct digest *),
                      void (*pinned)(struct digest *))
{
	struct rig x, y;
	struct run_view vx, vy;
	struct arena a = ARENA_INIT;
	rig_init(&x);
	rig_init(&y);
	before(x.d);
	pinned(x.d);
	after(y.d);
	run_view_init(&vx, &x.run, &x.naming);
	run_view_init(&vy, &y.run, &y.naming);
	struct run_report *b = diagnose_run(&vx, &x.rules, false, false, &a);
	struct run_report *c = diagnose_run(&vy, &y.rules, true, false, &a);
	diagnose_limit(c, &y.rules, b, &vx);
	size_t nr = c->recommendations.nr;
	run_report_release(b);
	run_report_release(c);
	run_view_release(&vx);
	run_view_release(&vy);
	arena_release(&a);
	rig_release(&x);
	rig_release(&y);
	return nr;
}

static void loader_10_pct_more(struct digest *d)
{
	loader(d);
	set(d, METRIC_STEP_DATALOADER_TIME, 12100000);
}

static void loader_more(struct digest *d)
{
	loader(d);
	set(d, METRIC_STEP_DATALOADER_TIME, 12100001);
}

static void without_functions(struct digest *d)
{
	d->functions.nr = 0;
}

static void test_limit(void **state)
{
	(void)state;
	assert_int_equal(limited(nothing, loader, nothing), 1);
	assert_int_equal(limited(loader, loader, nothing), 0);
	assert_int_equal(limited(loader, loader_10_pct_more, nothing), 0);
	assert_int_equal(limited(loader, loader_more, nothing), 1);
	assert_int_equal(limited(nothing, blocking, nothing), 1);
	/* the baseline has no functions to compare the candidate's with */
	assert_int_equal(limited(nothing, blocking, without_functions), 0);
	assert_int_equal(limited(nothing, leak, nothing), 0);
}

/* A metric has a title if, and only if, the summary shows it. */
static void test_titles(void **state)
{
	(void)state;
	bool told[NR_METRICS] = { false };
	for (size_t i = 0; i < NR_FACT_METRICS; i++) {
		assert_false(told[fact_metrics[i]]);
		told[fact_metrics[i]] = true;
	}
	for (size_t i = 0; i < NR_METRICS; i++)
		assert_true(!told[i] || metric_table[i].title);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_titles),          cmocka_unit_test(test_refused),
		cmocka_unit_test(test_diagnoses),       cmocka_unit_test(test_built_in),
		cmocka_unit_test(test_saving),          cmocka_unit_test(test_bound),
		cmocka_unit_test(test_bound_of_window), cmocka_unit_test(test_bound_without_gpu),
		cmocka_unit_test(test_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
