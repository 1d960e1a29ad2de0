#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"
#include "diagnose/diagnose.h"
#include "diagnose/internal.h"
#include "model/flops.h"
#include "model/fold.h"

enum { INPUTS_SHOWN = 50 };

struct summary {
	const struct run_view *v;
	struct arena *a;
	struct run_report *out;
	bool gpu; /* true if GPU activities were recorded */
};

static void add_figure(struct summary *s, const char *id, const char *label, enum unit unit,
                       int64_t value, const char *note)
{
	vec_push(&s->out->facts,
	         (struct fact){ id, label, unit_text(s->a, unit, value), true, value, unit, note });
}

static void add_count(struct summary *s, const char *id, const char *label, int64_t value,
                      const char *note)
{
	add_figure(s, id, label, UNIT_COUNT, value, note);
}

/* A note that names the worst rank, if the figures of a run's ranks differ; else "". The note is
   shown beside the value `shown`, and does not repeat this value. */
static const char *worst_rank(struct summary *s, enum metric_id id, int64_t shown)
{
	const struct metric *m = &metric_table[id];
	bool any = false, differ = false;
	int64_t worst = 0, at = 0;
	for (size_t r = 0; r < s->v->run->ranks.nr; r++) {
		int64_t value;
		if (!figure_of_rank(s->v, r, id, &value))
			continue;
		differ = differ || (any && value != worst);
		if (!any || (m->worse == WORSE_DOWN ? value < worst : value > worst)) {
			worst = value;
			at = s->v->ranks[r].digest->rank;
		}
		any = true;
	}
	if (!differ)
		return "";
	if (worst == shown)
		return arena_printf(s->a, "rank %" PRId64 ", the worst", at);
	return arena_printf(s->a, "worst rank %" PRId64 ": %s", at, unit_text(s->a, m->unit, worst));
}

/* A note on a figure of floating-point operations: the peak rate to which a share refers, or which
 * operations are counted. */
static const char *flops_note(struct summary *s, enum metric_id id)
{
	struct flop_peak peak;
	if (id == METRIC_FLOPS_PER_STEP)
		return "products, convolutions and attention that operators of PyTorch launched";
	if (id != METRIC_FLOPS_PEAK_PCT && id != METRIC_MFU_PCT)
		return "";
	for (size_t i = 0; i < s->v->run->ranks.nr; i++)
		if (flops_peak(s->v->run->ranks.v[i], &peak))
			return arena_printf(s->a, "of %s: %s%s",
			                    unit_text(s->a, UNIT_FLOPS_PER_S,
			                              number_div_round((__int128)peak.micro_tflops * MICRO, 1)),
			                    peak.source,
			                    id == METRIC_MFU_PCT ? "" : "; recomputed work counts");
	return "";
}

static void add_metric(struct summary *s, enum metric_id id)
{
	const struct metric *m = &metric_table[id];
	const char *label = m->title;
	int64_t value;
	/* without steps, idle time and utilization refer to the time from the first to the last GPU
	 * activity */
	bool to_last =
	    s->out->window && (id == METRIC_STEP_IDLE_TIME || id == METRIC_GPU_UTILIZATION_PCT);
	if (s->out->window && id == METRIC_STEP_TIME)
		return;
	bool of_gpu = m->need == NEED_GPU || m->need == NEED_COMM;
	if ((of_gpu && !s->gpu) || !figure_of_metric(s->v, id, &value) ||
	    (value == 0 && m->need == NEED_COMM))
		return;
	if (s->out->window && (m->per_step || id == METRIC_FLOPS_PER_STEP))
		label = arena_printf(s->a, "%s, whole window", label);
	else if ((m->per_step && m->need != NEED_HOST) || id == METRIC_FLOPS_PER_STEP)
		label = arena_printf(s->a, "%s per step", label);
	const char *note = worst_rank(s, id, value);
	if (to_last && !note[0])
		note = "from the first GPU activity to the last";
	add_figure(s, m->name, label, m->unit, value, note[0] ? note : flops_note(s, id));
}

/* How much was recorded. Events and activities are sums over the ranks; the other figures are the
 * largest value of any rank. */
struct extent {
	int64_t steps, total_steps, window_ns, events, activities, world_size;
	bool traces;
	const char *gpu;
};

static struct extent extent_of(const struct run_view *v)
{
	struct extent e = { .world_size = -1 };
	for (size_t i = 0; i < v->run->ranks.nr; i++) {
		const struct digest *d = v->run->ranks.v[i];
		const char *gpu = digest_env(d, "gpu.name");
		e.gpu = e.gpu ? e.gpu : gpu;
		number_raise(&e.world_size, d->world_size);
		if (!digest_has_trace(d))
			continue;
		e.traces = true;
		number_raise(&e.steps, d->window ? 0 : d->usable_steps);
		number_raise(&e.total_steps, d->window ? 0 : d->total_steps);
		number_raise(&e.window_ns, d->window_ns);
		e.events = number_add(e.events, d->events);
		e.activities = number_add(e.activities, d->trust.gpu_events);
	}
	return e;
}

static void add_extent(struct summary *s)
{
	struct extent e = extent_of(s->v);
	size_t ranks = run_nr_ranks(s->v->run);
	s->gpu = e.activities > 0;
	if (e.gpu)
		vec_push(&s->out->facts, (struct fact){ .id = "gpu",
		                                        .label = "GPU",
		                                        .text = text_line(s->a, span_of(e.gpu)),
		                                        .note = "" });
	if (ranks > 1 || e.world_size > 1)
		add_count(s, "ranks", "ranks", (int64_t)ranks,
		          e.world_size > (int64_t)ranks
		              ? arena_printf(s->a, "of a job of %" PRId64, e.world_size)
		              : "");
	if (!e.traces)
		return;
	add_count(s, "steps", "steps measured", e.steps,
	          s->out->window ? "no step annotations: figures are of the whole trace"
	          : e.total_steps > e.steps
	              ? arena_printf(s->a, "of %" PRId64 " in the trace", e.total_steps)
	              : "");
	add_figure(s, "window", "trace window", UNIT_NS, e.window_ns, "");
	const char *of = run_fold(s->v->run) ? "a rank, in the mean" : ranks > 1 ? "all ranks" : "";
	add_count(s, "events", "events", e.events, of);
	add_count(s, "gpu_activities", "GPU activities", e.activities, of);
}

/* Collect the distinct names of figures in the result files of all ranks. */
static void collect_inputs(const struct run *run, struct texts *out)
{
	size_t nr = 0;
	for (size_t r = 0; r < run->ranks.nr; r++)
		for (size_t i = 0; i < run->ranks.v[r]->inputs.nr; i++)
			vec_push(out, run->ranks.v[r]->inputs.v[i].name);
	vec_sort(out, text_cmp);
	for (size_t i = 0; i < out->nr; i++)
		if (nr == 0 || strcmp(out->v[nr - 1], out->v[i]) != 0)
			out->v[nr++] = out->v[i];
	out->nr = nr;
}

static void add_inputs(struct summary *s)
{
	struct texts names = { 0 };
	collect_inputs(s->v->run, &names);
	for (size_t i = 0; i < names.nr && i < INPUTS_SHOWN; i++) {
		const struct metric *m =
		    view_metric(s->v, &metric_table[METRIC_INPUT], span_of(names.v[i]));
		struct query q = diagnosis_query(m);
		int64_t value;
		const char *name = arena_dup(s->a, span_of(m->name));
		if (figure_of_run(s->v, &q, &value))
			add_figure(s, name, name, m->unit, value, "from a result file");
	}
	if (names.nr > INPUTS_SHOWN)
		add_count(s, "inputs", "more figures of result files", (int64_t)(names.nr - INPUTS_SHOWN),
		          "'gpugate report --verbose' lists them");
	vec_release(&names);
}

const enum metric_id fact_metrics[NR_FACT_METRICS] = {
	METRIC_STEP_PERIOD,
	METRIC_STEP_LATENCY,
	METRIC_STEP_TIME,
	METRIC_STEP_CUDA_TIME,
	METRIC_STEP_KERNEL_TIME,
	METRIC_STEP_EXPOSED_COMM_TIME,
	METRIC_STEP_IDLE_TIME,
	METRIC_STEP_KERNEL_COUNT,
	METRIC_GPU_UTILIZATION_PCT,
	METRIC_GPU_OCCUPANCY_PCT,
	METRIC_THROUGHPUT_STEPS,
	METRIC_THROUGHPUT_SAMPLES,
	METRIC_THROUGHPUT_TOKENS,
	METRIC_FLOPS_PER_STEP,
	METRIC_FLOPS_PER_S,
	METRIC_FLOPS_PEAK_PCT,
	METRIC_MFU_PCT,
	METRIC_MEMORY_PEAK_RESERVED,
	METRIC_MEMORY_PEAK_ALLOCATED,
	METRIC_MEMORY_END_ALLOCATED,
	METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT,
	METRIC_MEMORY_HEADROOM,
};

void diagnose_facts(const struct run_view *v, struct arena *a, struct run_report *out)
{
	struct summary s = { .v = v, .a = a, .out = out };
	add_extent(&s);
	for (size_t i = 0; i < NR_FACT_METRICS; i++)
		add_metric(&s, fact_metrics[i]);
	add_inputs(&s);
}
