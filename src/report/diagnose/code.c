/* Diagnoses that need more than conditions on figures, one function each. */
#include <inttypes.h>

#include "base/number.h"
#include "diagnose/diagnose.h"
#include "diagnose/internal.h"
#include "model/fold.h"
#include "model/memory_view.h"
#include "model/phases.h"

/* ---- ranks that others wait for ---- */

/* The rank for which the others wait longest; `*rank` becomes its number. NULL if no rank is waited
 * for, or if the waiting for this rank is less than half of all waiting. */
static const struct cross_rank *awaited(const struct run_view *v, int64_t *rank)
{
	const struct run *run = run_ranks(v->run);
	const struct cross_rank *most = NULL;
	__int128 sum = 0;
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		const struct cross_rank *c = run == v->run ? v->ranks[r].cross : &d->cross;
		if (!c || !c->known || c->late_ns <= 0)
			continue;
		sum += c->late_ns;
		if (most && c->late_ns <= most->late_ns)
			continue;
		most = c;
		*rank = d->rank;
	}
	return most && (__int128)most->late_ns * 2 >= sum ? most : NULL;
}

static void waiting_for_ranks(const struct run_view *v, struct arena *a, struct run_report *out)
{
	int64_t wait, step, wire = 0;
	if (!figure_of_metric(v, METRIC_COMM_WAIT_TIME, &wait) || !figure_of_step(v, &step) ||
	    number_pct(wait, step) <= 5 * PERCENT)
		return;
	figure_of_metric(v, METRIC_COMM_TRANSFER_TIME, &wire);
	int64_t rank = -1;
	const struct cross_rank *last = awaited(v, &rank);
	struct recommendation rec = *diagnose_advice(SPAN("waiting-for-ranks"));
	if (last) {
		rec.hypothesis =
		    arena_printf(a, "rank %" PRId64 " comes last in %" PRId64 " of %" PRId64 " collectives",
		                 rank, last->last_count, last->matched);
		rec.action = arena_printf(
		    a, "see what holds rank %" PRId64 " up: its GPU, its host, its share of the work",
		    rank);
	}
	const char *seen = arena_printf(
	    a, "a rank waits %s a %s in collectives that need %s on the wire",
	    unit_text(a, UNIT_NS, wait), out->window ? "window" : "step", unit_text(a, UNIT_NS, wire));
	recommend(v, a, out, rec, wait, seen);
}

/* ---- gradient checkpoints ---- */

/* Time of one kind of work, summed over all ranks, and the number of steps of these ranks. */
struct work_sum {
	__int128 ns, steps;
};

static int64_t work_per_step(const struct work_sum *w)
{
	return w->steps ? number_div_round(w->ns, w->steps) : 0;
}

static struct work_sum recomputed(const struct run *run)
{
	struct work_sum w = { 0 };
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		w.steps += d->usable_steps;
		for (size_t i = 0; i < d->ops.nr; i++)
			if (op_is_recomputation(&d->ops.v[i]))
				w.ns += d->ops.v[i].total_ns;
	}
	return w;
}

/* Share of the window (the recorded time) that Python functions for recomputation take. A call
 * inside another such call is not counted again. */
static int64_t recomputed_share(const struct run *run)
{
	__int128 ns = 0, window = 0;
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		bool *inside = mem_calloc(d->functions.nr, sizeof *inside);
		window += d->window_ns;
		for (size_t i = 0; i < d->functions.nr; i++) {
			const struct function_stat *f = &d->functions.v[i];
			/* callers come earlier in the list, so that inside[f->parent] is already set */
			inside[i] = f->parent >= 0 && inside[f->parent];
			if (!inside[i] && function_is_recomputation(f)) {
				ns += f->total_ns;
				inside[i] = true;
			}
		}
		free(inside);
	}
	return number_pct(ns, window);
}

/* Mean GPU time of the recompute phase, over the steps of all ranks that have this phase; 0 if no
   step has it. */
static int64_t recompute_phase(const struct run *run)
{
	struct work_sum w = { 0 };
	for (size_t r = 0; r < run->ranks.nr; r++) {
		struct phase_summary s;
		if (!phase_summary_of(run->ranks.v[r], PHASE_RECOMPUTE,
		                      &metric_table[METRIC_STEP_CUDA_TIME], &s))
			continue;
		w.ns += s.value[STAT_TOTAL];
		w.steps += s.steps;
	}
	return work_per_step(&w);
}

static void checkpoint_recomputation(const struct run_view *v, struct arena *a,
                                     struct run_report *out)
{
	struct work_sum w = recomputed(v->run);
	int64_t step, ns = work_per_step(&w), python = recomputed_share(v->run);
	int64_t gpu_ns = recompute_phase(v->run);
	const char *seen;
	if (ns && figure_of_step(v, &step) && number_pct(ns, step) >= 5 * PERCENT)
		seen = arena_printf(a,
		                    "CheckpointFunctionBackward takes %s of host time a %s, the backward "
		                    "of what it recomputes included",
		                    unit_text(a, UNIT_NS, ns), out->window ? "window" : "step");
	else if (gpu_ns > 0)
		seen = arena_printf(
		    a,
		    "%s of GPU time a %s are launched by recompute_fn of torch/utils/checkpoint.py%s%s%s",
		    unit_text(a, UNIT_NS, gpu_ns), out->window ? "window" : "step",
		    python ? ", which runs for " : "", python ? unit_text(a, UNIT_PCT, python) : "",
		    python ? " of the trace" : "");
	else if (!ns && python >= 5 * PERCENT)
		seen = arena_printf(
		    a, "functions of torch/utils/checkpoint.py that recompute run for %s of the trace",
		    unit_text(a, UNIT_PCT, python));
	else
		return;
	int64_t headroom;
	struct recommendation rec = *diagnose_advice(SPAN("checkpoint-recomputation"));
	if (figure_of_metric(v, METRIC_MEMORY_HEADROOM, &headroom))
		rec.hypothesis =
		    arena_printf(a,
		                 "gradient checkpoints trade time for memory; %s of the device "
		                 "are left above the peak",
		                 unit_text(a, UNIT_BYTES, headroom));
	recommend(v, a, out, rec, gpu_ns > 0 ? gpu_ns : -1, seen);
}

/* ---- kernels that write zeroes ---- */

/* Recommend less zeroing if kernels that write a single value, together with memory sets, take much
 * time. No rule in diagnosis.yaml can do this, since figures by category show kernels and memory
 * sets separately. */
static void excessive_zeroing(const struct run_view *v, struct arena *a, struct run_report *out)
{
	struct work_sum w = { 0 };
	__int128 count = 0;
	int64_t cuda;
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		const struct digest *d = v->run->ranks.v[r];
		w.steps += d->usable_steps;
		for (size_t i = 0; i < d->kernels.nr; i++)
			if (kernel_is_fill(&d->kernels.v[i])) {
				w.ns += d->kernels.v[i].step_total_ns;
				count += d->kernels.v[i].step_count;
			}
	}
	int64_t ns = work_per_step(&w);
	if (!ns || !figure_of_metric(v, METRIC_STEP_CUDA_TIME, &cuda) ||
	    number_pct(ns, cuda) <= 2 * PERCENT)
		return;
	const char *seen = arena_printf(
	    a, "%s fills and memory sets take %s (%s of GPU time) a %s",
	    unit_text(a, UNIT_COUNT, number_div_round(count, w.steps)), unit_text(a, UNIT_NS, ns),
	    unit_text(a, UNIT_PCT, number_pct(ns, cuda)), out->window ? "window" : "step");
	recommend(v, a, out, *diagnose_advice(SPAN("excessive-zeroing")), ns, seen);
}

/* ---- CUDA graphs ---- */

/* CUDA graphs are only recommended if kernels are shorter on average than GRAPH_KERNEL_NS: during a
 * longer kernel, the host has time to launch the next one. */
enum { GRAPH_KERNEL_NS = 50000 };

/* True if the rank has at least three steps with samples, all steps have the same number of
   kernels, the host waits for the GPU at most once in each (as at its end), and it launches no GPU
   graph. False for a stored baseline, which has no samples. */
static bool steps_are_alike(const struct digest *d)
{
	const int64_t *count = d->samples[METRIC_STEP_KERNEL_COUNT];
	const int64_t *waits = d->samples[METRIC_STEP_SYNC_COUNT];
	if (d->window || d->usable_steps < 3 || !count || d->summaries.nr || count[0] == 0)
		return false;
	return !ANY(i, (size_t)d->usable_steps, count[i] != count[0] || (waits && waits[i] > 1)) &&
	       !ANY(i, d->functions.nr,
	            d->functions.v[i].cls == FUNCTION_RUNTIME &&
	                span_contains_nocase(d->functions.v[i].name, SPAN("GraphLaunch")));
}

static void cuda_graphs_suit(const struct run_view *v, struct arena *a, struct run_report *out)
{
	int64_t busy, count, kernel_ns, idle = -1;
	for (size_t r = 0; r < v->run->ranks.nr; r++)
		if (!steps_are_alike(v->run->ranks.v[r]))
			return;
	if (!figure_of_metric(v, METRIC_GPU_UTILIZATION_PCT, &busy) || busy >= 75 * PERCENT ||
	    !figure_of_metric(v, METRIC_STEP_KERNEL_COUNT, &count) || count < 100 ||
	    !figure_of_metric(v, METRIC_STEP_KERNEL_TIME, &kernel_ns) ||
	    kernel_ns / count >= GRAPH_KERNEL_NS || blocking_copies_share(v->run) >= 10 * PERCENT)
		return;
	figure_of_metric(v, METRIC_STEP_IDLE_TIME, &idle);
	const char *seen = arena_printf(a,
	                                "each of the steps launches %s kernels of %s on average, none "
	                                "waits for the GPU, and the GPU is busy %s of the time",
	                                unit_text(a, UNIT_COUNT, count),
	                                unit_text(a, UNIT_NS, number_div_round(kernel_ns, count)),
	                                unit_text(a, UNIT_PCT, busy));
	recommend(v, a, out, *diagnose_advice(SPAN("cuda-graphs")), idle, seen);
}

/* ---- copies that block the host ---- */

static void blocking_copies(const struct run_view *v, struct arena *a, struct run_report *out)
{
	int64_t share = blocking_copies_share(v->run), busy, step, idle;
	if (share < 10 * PERCENT || !figure_of_metric(v, METRIC_GPU_UTILIZATION_PCT, &busy) ||
	    busy >= 90 * PERCENT || !figure_of_step(v, &step) ||
	    !figure_of_metric(v, METRIC_STEP_IDLE_TIME, &idle))
		return;
	int64_t held = number_div_round((__int128)step * share, (__int128)100 * PERCENT);
	const char *seen = arena_printf(
	    a,
	    "the host is in calls that copy memory for %s of the trace, and the GPU is busy %s of the "
	    "time",
	    unit_text(a, UNIT_PCT, share), unit_text(a, UNIT_PCT, busy));
	recommend(v, a, out, *diagnose_advice(SPAN("blocking-copies")), held < idle ? held : idle,
	          seen);
}

/* ---- fragmentation ---- */

static void fragmentation(const struct run_view *v, struct arena *a, struct run_report *out)
{
	const struct memory_stat *worst = NULL;
	int64_t rank = 0, most = 0;
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		const struct digest *d = v->run->ranks.v[r];
		for (size_t i = 0; i < d->memories.nr; i++) {
			const struct memory_stat *m = &d->memories.v[i];
			int64_t unused = number_sub(m->reserved_at_peak, m->peak_allocated);
			/* fragmentation does no harm where a quarter of the device's memory is free */
			bool ample = m->capacity != MEMORY_UNKNOWN && m->peak_reserved != MEMORY_UNKNOWN &&
			             m->capacity - m->peak_reserved > m->capacity / 4;
			if (memory_expandable(d, m) != EXPANDABLE_HELPS || ample || unused <= most)
				continue;
			worst = m;
			rank = d->rank;
			most = unused;
		}
	}
	if (!worst)
		return;
	struct recommendation rec = *diagnose_advice(SPAN("fragmentation"));
	if (worst->source == MEMORY_OF_SNAPSHOT)
		rec.ask = "";
	if (worst->capacity == MEMORY_UNKNOWN)
		rec.confidence = CONFIDENCE_LOW;
	const char *seen = arena_printf(
	    a,
	    "memory %s of rank %" PRId64
	    ": %s (%s of reserved) were not allocated when memory was shortest",
	    worst->id, rank, unit_text(a, UNIT_BYTES, most),
	    unit_text(a, UNIT_PCT,
	              memory_fragmentation(worst->peak_allocated, worst->reserved_at_peak)));
	recommend(v, a, out, rec, -1, seen);
}

diagnosis_fn *const diagnoses_in_code[] = { waiting_for_ranks,
	                                        checkpoint_recomputation,
	                                        excessive_zeroing,
	                                        cuda_graphs_suit,
	                                        blocking_copies,
	                                        fragmentation,
	                                        attention_unfused,
	                                        layout_transposes,
	                                        start_up,
	                                        host_around_graphs,
	                                        counts,
	                                        python_computes,
	                                        allocator_churn,
	                                        NULL };
