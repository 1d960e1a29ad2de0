/* Diagnoses of the host while the GPU has nothing to do: setup, compilation, and Python functions
   that compute. */
#include <string.h>

#include "base/decimal.h"
#include "base/number.h"
#include "base/text.h"
#include "diagnose/recommend.h"
#include "diagnose/words.h"
#include "diagnose/work.h"

#define HOST_WORTH_NAMING (10 * PERCENT)

/* A Python function counts as computing if at least ALONE_PCT percent of its time is spent in
 * Python, by itself or its callees, without calls that concern the GPU. If a callee has PLACE_PCT
 * percent of that time, the callee is named instead. */
enum { ALONE_PCT = 95, PLACE_PCT = 70 };

/* ---- work that is done only once ---- */

/* Recommend less setup: loading of modules, creation of contexts, capture of graphs, and taking
   memory from the device. */
void start_up(const struct run_view *v, struct arena *a, struct run_report *out)
{
	const struct function_stat *most;
	int64_t share = set_up_share(v->run, &most);
	if (share < HOST_WORTH_NAMING)
		return;
	struct recommendation rec = {
		.of_rows = true,
		.tells_idle = share >= 50 * PERCENT,
		.id = "start-up",
		.title = "the recording holds what is done once",
		/* -1: the saved time is unknown, since the setup may be over before the first step */
		.saves_ns = -1,
		.observation = arena_printf(a,
		                            "calls of the runtime that take a millisecond and more fill %s "
		                            "of the trace while the GPU is idle, '%s' most of it",
		                            unit_text(a, UNIT_PCT, share), text_short(a, most->name, 60)),
		.hypothesis = "contexts are created, modules are loaded, graphs captured or memory is "
		              "taken from the device, as in the first steps of a job",
		.action = "record after some warm-up steps (schedule(wait=…, warmup=…), steps.warmup in "
		          "the rules); where it comes back in every step, keep the memory (no "
		          "empty_cache()) and the shapes",
		.confirm = "function.exclusive_pct",
		.confidence = CONFIDENCE_MEDIUM,
	};
	recommend_add(v, a, out, rec);
}

/* ---- torch.compile ---- */

/* Largest value over the ranks of a figure that the recorder wrote; 0 if no rank has the figure. */
static int64_t input_of(const struct run *run, const char *name)
{
	int64_t most = 0;
	for (size_t r = 0; r < run->ranks.nr; r++)
		for (size_t i = 0; i < run->ranks.v[r]->inputs.nr; i++) {
			const struct input_stat *in = &run->ranks.v[r]->inputs.v[i];
			if (strcmp(in->name, name) == 0)
				number_raise(&most, decimal_scaled((struct decimal){ in->value, in->digits }, 0));
		}
	return most;
}

/* Finds memory that goes back to the device and is taken again: in a step of a trace, or in all of
   a snapshot, whose steps are not known. What is only allocated belongs to a warm-up. */
void allocator_churn(const struct run_view *v, struct arena *a, struct run_report *out)
{
	enum { SEGMENTS = 10 };
	int64_t ns, idle, each = run_memory_calls(v->run, &ns);
	bool calls = each >= MICRO;
	const struct memory_stat *most = NULL;
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		const struct digest *d = v->run->ranks.v[r];
		for (size_t i = 0; i < d->memories.nr; i++) {
			const struct memory_stat *m = &d->memories.v[i];
			bool known = m->segment_churn != MEMORY_UNKNOWN && m->segment_allocs != MEMORY_UNKNOWN;
			if (known && m->segment_allocs >= SEGMENTS &&
			    m->segment_churn - m->segment_allocs >= SEGMENTS &&
			    (!most || m->segment_churn > most->segment_churn))
				most = m;
		}
	}
	if (!calls && !most)
		return;
	struct recommendation rec = {
		.id = "allocator-churn",
		.title = "memory goes back to the device and is taken again while steps run",
		.saves_ns = calls && figure_of_metric(v, METRIC_STEP_IDLE_TIME, &idle)
		                ? (ns < idle ? ns : idle)
		                : -1,
		.observation =
		    calls ? arena_printf(a,
		                         "calls such as cudaFree and cudaMalloc hold the host for %s a "
		                         "step, %s times each or more",
		                         unit_text(a, UNIT_NS, ns), unit_text(a, UNIT_COUNT_PER_STEP, each))
		          : arena_printf(
		                a, "%s segments were allocated and %s freed in the window",
		                unit_text(a, UNIT_COUNT, most->segment_allocs),
		                unit_text(a, UNIT_COUNT, most->segment_churn - most->segment_allocs)),
		.hypothesis = "torch.cuda.empty_cache() is called in the loop, or memory is close to full: "
		              "cudaFree waits for the device",
		.action = "remove torch.cuda.empty_cache() from the loop, warm up with the largest batch "
		          "first, lower the peak",
		.confirm = calls ? "step.idle_time" : "memory.segment_churn",
		.confidence = calls ? CONFIDENCE_HIGH : CONFIDENCE_MEDIUM,
	};
	recommend_add(v, a, out, rec);
}

void counts(const struct run_view *v, struct arena *a, struct run_report *out)
{
	static const struct {
		const char *figure, *seen;
		struct recommendation advice;
	} rows[] = {
		{ "recompiles",
		  "frames were compiled in the recorded steps, behind the warm-up",
		  { .id = "recompiles",
		    .title = "torch.compile compiles while steps are measured",
		    .hypothesis = "shapes, types or Python values that a graph is specialized on change "
		                  "from step to step",
		    .action =
		        "mark changing sizes with torch._dynamo.mark_dynamic or dynamic=True, pad them to "
		        "a few, pass numbers as tensors; TORCH_LOGS=recompiles says what changed",
		    .confidence = CONFIDENCE_HIGH } },
		{ "graph_breaks",
		  "graph breaks since the job began",
		  { .id = "graph-breaks",
		    .title = "torch.compile falls back to Python within the model",
		    .hypothesis =
		        "the model prints, reads a value of a tensor (.item()), calls NumPy or branches on "
		        "data: what is before and behind it is compiled apart and not fused",
		    .action = "TORCH_LOGS=graph_breaks names the lines; move them out of the model, or use "
		              "torch.where and torch.cond; fullgraph=True keeps it so",
		    .confidence = CONFIDENCE_MEDIUM } },
		{ "alloc_retries",
		  "allocations in the recorded steps failed at first, and the allocator gave its cache "
		  "back to the device",
		  { .id = "allocator-retries",
		    .title = "allocations are tried again while steps run",
		    .hypothesis = "the device is nearly full, or what is free is in pieces; the host waits "
		                  "for the GPU each time",
		    .action = "lower the peak, warm up with the largest batch first, or set "
		              "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
		    .confidence = CONFIDENCE_HIGH } },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct recommendation rec = rows[i].advice;
		int64_t nr = input_of(v->run, rows[i].figure);
		if (!nr)
			continue;
		rec.saves_ns = -1;
		rec.observation = arena_printf(a, "%s %s", unit_text(a, UNIT_COUNT, nr), rows[i].seen);
		rec.confirm = arena_printf(a, "input.%s", rows[i].figure);
		recommend_add(v, a, out, rec);
	}
}

/* ---- replays of graphs ---- */

/* Recommend less host work around GPU graphs. Within a graph, kernels follow one another without
 * the host, so that the GPU waits only for the host's work between replays of graphs. */
void host_around_graphs(const struct run_view *v, struct arena *a, struct run_report *out)
{
	int64_t busy, idle;
	if (out->classification.share[BOUND_UNKNOWN] < BOUND_BESIDE || !graphs_prevail(v->run) ||
	    !figure_of_metric(v, METRIC_GPU_UTILIZATION_PCT, &busy) || busy >= 80 * PERCENT ||
	    !figure_of_metric(v, METRIC_STEP_IDLE_TIME, &idle))
		return;
	struct recommendation rec = {
		.of_rows = true,
		.tells_idle = true,
		.id = "host-around-graphs",
		.title = "the GPU waits for what the host does around GPU graphs",
		.saves_ns = idle,
		.observation = arena_printf(
		    a, "most kernels come out of replays of graphs, and the GPU is busy %s of the time",
		    unit_text(a, UNIT_PCT, busy)),
		.hypothesis = "inputs are prepared, requests scheduled and results read between replays",
		.action = "prepare the next step while the GPU runs this one (asynchronous or overlapped "
		          "scheduling), sample on the GPU, keep what is copied per step small and pinned",
		.confirm = "gpu.utilization_pct",
		.ask = "a trace of several steps; a trace with Python stacks (with_stack=True)",
		.confidence = CONFIDENCE_MEDIUM,
	};
	recommend_add(v, a, out, rec);
}

/* ---- Python functions ---- */

/* The Python functions of a rank, callers before callees. */
struct python_tree {
	const struct digest *d;
	/// Time of each function and its callees, without the time in which GPU work or CUDA calls run,
	/// since these are functions of higher classes (enum function_class).
	int64_t *alone_ns;
};

static bool is_python(const struct function_stat *f)
{
	return f->cls == FUNCTION_PYTHON && f->names == 0;
}

static bool waits_by_name(struct span name)
{
	static const char *const words[] = {
		"acquire", "sleep",       ": wait", "select", "poll", "recv", "<built-in method read",
		"join",    "synchronize", NULL
	};
	for (size_t i = 0; words[i]; i++)
		if (span_contains_nocase(name, span_of(words[i])))
			return true;
	return false;
}

static void python_tree_fill(struct python_tree *t)
{
	const struct digest *d = t->d;
	t->alone_ns = mem_calloc(d->functions.nr, sizeof *t->alone_ns);
	for (size_t i = d->functions.nr; i-- > 0;) {
		const struct function_stat *f = &d->functions.v[i];
		if (!is_python(f) || waits_by_name(f->name))
			continue;
		t->alone_ns[i] = number_add(t->alone_ns[i], f->exclusive_ns);
		if (f->parent >= 0 && (size_t)f->parent < i)
			t->alone_ns[f->parent] = number_add(t->alone_ns[f->parent], t->alone_ns[i]);
	}
}

static bool computes(const struct python_tree *t, size_t i)
{
	const struct function_stat *f = &t->d->functions.v[i];
	return is_python(f) && !waits_by_name(f->name) && t->alone_ns[i] > 0 &&
	       (__int128)t->alone_ns[i] * 100 >= (__int128)f->total_ns * ALONE_PCT;
}

/* Index of the function that computes longest, among those whose caller does not count as
 * computing. If one of its callees has most of its time, that callee is taken instead, and so on
 * inwards. */
static int64_t busiest_function(const struct python_tree *t)
{
	size_t nr = t->d->functions.nr;
	int64_t best = -1;
	bool *inside = mem_calloc(nr, sizeof *inside);
	for (size_t i = 0; i < nr; i++) {
		const struct function_stat *f = &t->d->functions.v[i];
		bool caller = f->parent >= 0 && (size_t)f->parent < i;
		inside[i] = computes(t, i);
		if (inside[i] && !(caller && inside[f->parent]) &&
		    (best < 0 || t->alone_ns[i] > t->alone_ns[best]))
			best = (int64_t)i;
		if (caller && inside[f->parent])
			inside[i] = true;
	}
	for (size_t i = best < 0 ? nr : (size_t)best + 1; i < nr; i++) {
		const struct function_stat *f = &t->d->functions.v[i];
		bool named = span_contains_nocase(f->name, SPAN(".py("));
		if (f->parent == best && named &&
		    (__int128)t->alone_ns[i] * 100 >= (__int128)t->alone_ns[best] * PLACE_PCT)
			best = (int64_t)i;
	}
	free(inside);
	return best;
}

/* Text such as "train.py(9): main > data.py(3): normalize", with the function's caller first. */
static const char *path_of(const struct digest *d, int64_t i, struct arena *a)
{
	const struct function_stat *f = &d->functions.v[i];
	const char *own = text_short(a, f->name, 80);
	if (f->parent < 0 || f->parent >= i)
		return own;
	return arena_printf(a, "%s > %s", text_short(a, d->functions.v[f->parent].name, 80), own);
}

/* True if a function on the path from the thread's first function to function `i` has one of the
   words in its name. */
static bool path_has(const struct digest *d, int64_t i, const char *const *words)
{
	for (; i >= 0; i = d->functions.v[i].parent < i ? d->functions.v[i].parent : -1)
		for (size_t k = 0; words[k]; k++)
			if (span_contains_nocase(d->functions.v[i].name, span_of(words[k])))
				return true;
	return false;
}

void python_computes(const struct run_view *v, struct arena *a, struct run_report *out)
{
	static const char *const compilers[] = { "torch/_dynamo", "torch/_inductor", "triton/compiler",
		                                     "triton/runtime", NULL };
	static const char *const threads[] = { "_bootstrap_inner", NULL };
	const struct digest *most_of = NULL;
	int64_t most = 0, at = -1, step, idle;
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		struct python_tree t = { .d = v->run->ranks.v[r] };
		python_tree_fill(&t);
		int64_t i = busiest_function(&t);
		int64_t share =
		    i >= 0 && t.d->window_ns > 0 ? number_pct(t.alone_ns[i], t.d->window_ns) : 0;
		if (share > most && !path_has(t.d, i, threads)) {
			most = share;
			most_of = t.d;
			at = i;
		}
		free(t.alone_ns);
	}
	if (most < HOST_WORTH_NAMING || !figure_of_step(v, &step) ||
	    !figure_of_metric(v, METRIC_STEP_IDLE_TIME, &idle))
		return;
	bool compiles = path_has(most_of, at, compilers);
	int64_t held = number_div_round((__int128)step * most, (__int128)100 * PERCENT);
	struct recommendation rec = {
		.of_rows = true,
		.tells_idle = true,
		.id = compiles ? "compilation" : "cpu-preprocessing",
		.title = compiles ? "code is compiled while it is recorded"
		                  : "Python computes while the GPU waits",
		.saves_ns = held < idle ? held : idle,
		.observation = arena_printf(a, "%s runs for %s of the trace, with nothing on the GPU",
		                            path_of(most_of, at, a), unit_text(a, UNIT_PCT, most)),
		.hypothesis = compiles ? "the first call, or shapes and types that change from step to step"
		                       : "the input is prepared, or results are worked on, on the CPU and "
		                         "in the thread that launches",
		.action = compiles
		              ? "record after warm-up; mark changing sizes with torch._dynamo.mark_dynamic "
		                "or dynamic=True; TORCH_LOGS=recompiles says why"
		              : "do it in the workers of a DataLoader, ahead of time, or on the GPU; "
		                "vectorize it",
		.confirm = "function.exclusive_pct",
		.confidence = CONFIDENCE_MEDIUM,
	};
	recommend_add(v, a, out, rec);
}
