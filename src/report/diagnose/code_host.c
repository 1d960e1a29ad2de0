/* Diagnoses of the host while the GPU has nothing to do: setup, compilation, and Python functions
   that compute. */
#include <string.h>

#include "base/decimal.h"
#include "base/number.h"
#include "base/text.h"
#include "diagnose/diagnose.h"
#include "diagnose/internal.h"

#define HOST_WORTH_NAMING (10 * PERCENT)

/* A Python function counts as computing if at least ALONE_PCT percent of its time is spent in
 * Python, by itself or its callees, without calls that concern the GPU. If a callee in a Python
 * file has PLACE_PCT percent of that time, the callee is named instead. */
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
	struct recommendation rec = *diagnose_advice(SPAN("start-up"));
	rec.tells_idle = share >= 50 * PERCENT;
	const char *seen = arena_printf(a,
	                                "calls of the runtime that take a millisecond and more fill %s "
	                                "of the trace while the GPU is idle, '%s' most of it",
	                                unit_text(a, UNIT_PCT, share), text_short(a, most->name, 60));
	/* -1: the saved time is unknown, since the setup may be over before the first step */
	recommend(v, a, out, rec, -1, seen);
}

/* ---- torch.compile ---- */

/* The largest value that a rank has of the figure `name`, which gpugate_record.py wrote. 0 if no
 * rank has it. */
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

/* Recommend that the allocator keeps memory, instead of returning it to the device and taking it
 * again. A trace shows this by calls within steps. A snapshot, which has no steps, shows it by
 * segments that are both allocated and freed. Segments that are only allocated belong to a
 * warm-up. */
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
	struct recommendation rec = *diagnose_advice(SPAN("allocator-churn"));
	if (!calls) {
		recommend(
		    v, a, out, rec, -1,
		    arena_printf(a, "%s segments were allocated and %s freed in the window",
		                 unit_text(a, UNIT_COUNT, most->segment_allocs),
		                 unit_text(a, UNIT_COUNT, most->segment_churn - most->segment_allocs)));
		return;
	}
	if (!figure_of_metric(v, METRIC_STEP_IDLE_TIME, &idle))
		idle = -1;
	rec.confirm = "step.idle_time";
	rec.confidence = CONFIDENCE_HIGH;
	recommend(v, a, out, rec, ns < idle ? ns : idle,
	          arena_printf(a,
	                       "calls such as cudaFree and cudaMalloc hold the host for %s a step, %s "
	                       "times each or more",
	                       unit_text(a, UNIT_NS, ns), unit_text(a, UNIT_COUNT_PER_STEP, each)));
}

void counts(const struct run_view *v, struct arena *a, struct run_report *out)
{
	static const struct {
		const char *id, *figure, *seen;
	} rows[] = {
		{ "recompiles", "recompiles",
		  "frames were compiled in the recorded steps, behind the warm-up" },
		{ "graph-breaks", "graph_breaks", "graph breaks since the job began" },
		{ "allocator-retries", "alloc_retries",
		  "allocations in the recorded steps failed at first, and the allocator gave its cache "
		  "back "
		  "to the device" },
	};
	for (size_t i = 0; i < NR_OF(rows); i++) {
		int64_t nr = input_of(v->run, rows[i].figure);
		if (nr)
			recommend(v, a, out, *diagnose_advice(span_of(rows[i].id)), -1,
			          arena_printf(a, "%s %s", unit_text(a, UNIT_COUNT, nr), rows[i].seen));
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
	const char *seen = arena_printf(
	    a, "most kernels come out of replays of graphs, and the GPU is busy %s of the time",
	    unit_text(a, UNIT_PCT, busy));
	recommend(v, a, out, *diagnose_advice(SPAN("host-around-graphs")), idle, seen);
}

/* ---- Python functions ---- */

/* The Python functions of a rank, callers before callees. */
struct python_tree {
	const struct digest *d;
	/// Time in ns that each function and its callees spend in Python, without the time in which GPU
	/// work or CUDA calls run, and without functions that only wait.
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
	return name_has_any(name, words);
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
 * computing. If a callee in a Python file has most of this function's time, the callee is taken
 * instead, and so on inwards. -1 if no function computes. */
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
	while (i >= 0 && !name_has_any(d->functions.v[i].name, words))
		i = d->functions.v[i].parent < i ? d->functions.v[i].parent : -1;
	return i >= 0;
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
	const char *seen = arena_printf(a, "%s runs for %s of the trace, with nothing on the GPU",
	                                path_of(most_of, at, a), unit_text(a, UNIT_PCT, most));
	struct span id = compiles ? SPAN("compilation") : SPAN("cpu-preprocessing");
	recommend(v, a, out, *diagnose_advice(id), held < idle ? held : idle, seen);
}
