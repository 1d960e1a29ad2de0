#include "model/phases.h"

#include "base/number.h"
#include "model/figures_internal.h"

static const struct phase_sum sums[] = {
	{ .metric = METRIC_STEP_TIME, .whole = true },
	{ METRIC_STEP_PERIOD,
	  true,
	  { METRIC_STEP_PERIOD_COMPUTE, METRIC_STEP_PERIOD_EXPOSED_COMM,
	    METRIC_STEP_PERIOD_EXPOSED_MEMORY, METRIC_STEP_IDLE_TIME } },
	{ .metric = METRIC_STEP_LATENCY, .whole = true },
	{ .metric = METRIC_STEP_PERIOD_COMPUTE, .whole = true },
	{ .metric = METRIC_STEP_PERIOD_EXPOSED_COMM, .whole = true },
	{ .metric = METRIC_STEP_PERIOD_EXPOSED_MEMORY, .whole = true },
	{ .metric = METRIC_STEP_IDLE_TIME, .whole = true },
	{ .metric = METRIC_STEP_EXPOSED_COMM_TIME, .whole = true },
	{ .metric = METRIC_STEP_SYNC_COUNT, .whole = true },
	{ .metric = METRIC_STEP_MEMCPY_BYTES, .whole = true },
	{ METRIC_STEP_CUDA_TIME, .terms = { METRIC_STEP_COMPUTE_TIME, METRIC_STEP_COMM_TIME,
	                                    METRIC_STEP_MEMCPY_TIME, METRIC_STEP_MEMSET_TIME } },
	{ METRIC_STEP_KERNEL_TIME, .terms = { METRIC_STEP_COMPUTE_TIME, METRIC_STEP_COMM_TIME } },
	{ METRIC_STEP_MEMCPY_TIME, .terms = { METRIC_STEP_MEMCPY_TIME } },
	{ METRIC_STEP_MEMSET_TIME, .terms = { METRIC_STEP_MEMSET_TIME } },
	{ METRIC_STEP_COMPUTE_TIME, .terms = { METRIC_STEP_COMPUTE_TIME } },
	{ METRIC_STEP_COMM_TIME, .terms = { METRIC_STEP_COMM_TIME } },
	{ METRIC_STEP_KERNEL_COUNT, .terms = { METRIC_STEP_KERNEL_COUNT } },
};

const struct phase_sum *phase_sum_of(const struct metric *m)
{
	return FIND(i, sums, NR_OF(sums), sums[i].metric == m->id);
}

bool phase_has_metric(enum phase p, const struct metric *m)
{
	const struct phase_sum *sum = phase_sum_of(m);
	if (p == PHASE_ALL || !sum)
		return false;
	return phase_is_whole(p) ||
	       (!sum->whole && (m->id != METRIC_STEP_COMM_TIME || p == PHASE_COMMUNICATION));
}

/* Value of the metric `id`, a term of a struct phase_sum, in phase `p` of the step with index
 * `step`. */
static int64_t term_within(const struct digest *d, enum phase p, enum metric_id id, size_t step)
{
	static const enum metric_id columns[NR_PHASE_COLUMNS] = {
		[PHASE_COMPUTE] = METRIC_STEP_COMPUTE_TIME,
		[PHASE_MEMCPY] = METRIC_STEP_MEMCPY_TIME,
		[PHASE_MEMSET] = METRIC_STEP_MEMSET_TIME,
		[PHASE_KERNELS] = METRIC_STEP_KERNEL_COUNT,
	};
	if (id == METRIC_STEP_COMM_TIME)
		return p == PHASE_COMMUNICATION ? d->samples[id][step] : 0;
	for (int c = 0; c < NR_PHASE_COLUMNS; c++)
		if (columns[c] == id && d->phases[p][c])
			return d->phases[p][c][step];
	return 0;
}

bool phase_samples_of(const struct digest *d, enum phase p, const struct metric *m, struct arena *a,
                      struct step_samples *out)
{
	const struct phase_sum *sum_of = phase_sum_of(m);
	bool whole = phase_is_whole(p);
	if (!phase_has_metric(p, m) || !digest_has_steps(d, m->id) ||
	    !(whole ? d->step_phases : d->phases[p][0]))
		return false;
	int64_t *value = arena_alloc(a, d->nr_steps, sizeof *value);
	int64_t *step = arena_alloc(a, d->nr_steps, sizeof *step);
	*out = (struct step_samples){ .value = value, .step = step };
	for (size_t i = 0; i < d->nr_steps; i++) {
		if (whole && (d->step_phases[i] != step_phase_code(p) || d->samples[m->id][i] == NO_SAMPLE))
			continue;
		int64_t *sum = &value[out->nr];
		*sum = whole ? d->samples[m->id][i] : 0;
		for (size_t k = 0; !whole && k < PHASE_TERMS && sum_of->terms[k]; k++)
			*sum = number_add(*sum, term_within(d, p, sum_of->terms[k], i));
		step[out->nr++] = d->step_numbers[i];
		out->usable += (int64_t)i < d->usable_steps;
	}
	return out->nr > 0;
}

struct phase_summary phase_summarize(enum phase p, const struct metric *m,
                                     const struct step_samples *s)
{
	struct phase_summary out = { .phase = p, .metric = m->id, .steps = (int64_t)s->usable };
	for (int stat = 0; stat < NR_STATISTICS; stat++)
		out.value[stat] = stat_of((enum statistic)stat, s->value, s->usable);
	return out;
}

static const struct phase_summary *stored(const struct digest *d, enum phase p,
                                          const struct metric *m)
{
	return FIND(i, d->phase_summaries.v, d->phase_summaries.nr,
	            d->phase_summaries.v[i].phase == p && d->phase_summaries.v[i].metric == m->id);
}

bool phase_summary_of(const struct digest *d, enum phase p, const struct metric *m,
                      struct phase_summary *out)
{
	struct arena scratch = ARENA_INIT;
	struct step_samples s;
	const struct phase_summary *kept = stored(d, p, m);
	bool sampled = !kept && phase_samples_of(d, p, m, &scratch, &s) && s.usable > 0;
	if (kept)
		*out = *kept;
	else if (sampled)
		*out = phase_summarize(p, m, &s);
	arena_release(&scratch);
	return kept || sampled;
}

void rank_phase_figures(const struct run_view *v, size_t r, const struct metric *m, figure_fn *fn,
                        void *ctx)
{
	const struct digest *d = v->ranks[r].digest;
	for (int p = PHASE_ALL + 1; p < NR_PHASES; p++) {
		struct arena scratch = ARENA_INIT;
		struct step_samples s = { 0 };
		const struct phase_summary *kept = stored(d, (enum phase)p, m);
		struct figure f = { .metric = m, .rank = d->rank, .label = span_of(phase_names[p]) };
		if (kept)
			f.summary = kept->value;
		else if (phase_samples_of(d, (enum phase)p, m, &scratch, &s))
			figure_take_samples(&f, &s);
		if (kept || s.usable)
			fn(ctx, &f);
		arena_release(&scratch);
	}
}

void rank_asked_figures(const struct run_view *v, size_t r, const struct query *q, figure_fn *fn,
                        void *ctx)
{
	if ((q->phase || q->cls) && q->metric->parts == PARTS_CODE)
		rank_code_figures(v, r, q->metric, q->phase, q->cls, fn, ctx);
	else if (q->phase)
		rank_phase_figures(v, r, q->metric, fn, ctx);
	else
		rank_figures(v, r, q->metric, fn, ctx);
}
