#include "model/step_kinds.h"

#include "base/number.h"
#include "model/step_figures.h"

/* STEPS_MIN: least number of steps of a kind in each run for the kind to be judged; equal to the
 * least number of all steps of a run (judge/trust/trust.c) */
enum { STEPS_MIN = 3, FIRST_KIND = NR_INNER_PHASES };

struct kind_times {
	double ns[NR_PHASES]; /* GPU time of all steps of a kind */
	double all_ns;
	int64_t steps, of_kinds; /* number of all steps; number of steps of a known kind */
};

static void add_steps(struct kind_times *t, int64_t *steps, int kind, int64_t nr, int64_t mean_ns)
{
	steps[kind] = number_add(steps[kind], nr);
	t->of_kinds = number_add(t->of_kinds, nr);
	t->ns[kind] += (double)nr * (double)mean_ns;
}

static struct kind_times times_of(const struct run *run, int64_t *steps)
{
	const struct metric *time = &metric_table[METRIC_STEP_CUDA_TIME];
	const struct metric *kernels = &metric_table[METRIC_STEP_KERNEL_COUNT];
	struct kind_times t = { 0 };
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		int64_t before = t.of_kinds, mean_ns;
		struct phase_summary s;
		t.steps = number_add(t.steps, d->usable_steps);
		for (int p = FIRST_KIND; p < NR_PHASES; p++)
			if (phase_summary_of(d, (enum phase)p, time, &s))
				add_steps(&t, steps, p, s.steps, s.value[STAT_MEAN]);
		/* if each step of a run is an update, its digests have no kinds of steps. All steps then
		 * count as updates, since the other run may accumulate gradients. */
		if (t.of_kinds == before && phase_summary_of(d, PHASE_OPTIMIZER, kernels, &s) &&
		    s.value[STAT_MIN] > 0 && digest_step_stat(d, time->id, STAT_MEAN, &mean_ns))
			add_steps(&t, steps, PHASE_UPDATE, s.steps, mean_ns);
	}
	for (int p = FIRST_KIND; p < NR_PHASES; p++)
		t.all_ns += t.ns[p];
	return t;
}

struct step_kinds step_kinds_of(const struct run *first, const struct run *second)
{
	struct step_kinds k = { 0 };
	struct kind_times of[2] = { times_of(first, k.steps[0]), times_of(second, k.steps[1]) };
	double mixed = 0, apart[2] = { 0, 0 };
	int nr = 0;
	for (int s = 0; s < 2; s++)
		if (of[s].all_ns <= 0 || of[s].of_kinds < of[s].steps - of[s].steps / 10)
			return (struct step_kinds){ 0 };
	/* digests of older versions lack the kinds from PHASE_VERIFY on: such steps have no known kind
	 * there */
	bool newer[2] = { false, false };
	for (int s = 0; s < 2; s++)
		for (int p = PHASE_VERIFY; p < NR_PHASES; p++)
			newer[s] = newer[s] || k.steps[s][p];
	for (int s = 0; s < 2; s++)
		if (newer[!s] && !newer[s] && of[s].of_kinds < of[s].steps)
			return (struct step_kinds){ 0 };
	for (int p = FIRST_KIND; p < NR_PHASES; p++) {
		const int64_t n[2] = { k.steps[0][p], k.steps[1][p] };
		int from = n[0] ? 0 : 1;
		nr += n[0] || n[1];
		k.apart[p] = n[0] >= STEPS_MIN && n[1] >= STEPS_MIN;
		for (int s = 0; s < 2; s++)
			apart[s] += k.apart[p] ? of[s].ns[p] : 0;
		if (n[1])
			mixed += (double)n[1] * of[from].ns[p] / (double)n[from];
	}
	if (nr < 2)
		return (struct step_kinds){ 0 };
	k.all_apart = apart[0] >= 0.9 * of[0].all_ns && apart[1] >= 0.9 * of[1].all_ns;
	k.by_mean = !k.all_apart && k.steps[0][PHASE_UPDATE] && k.steps[1][PHASE_UPDATE];
	double by = mixed / (double)of[1].of_kinds / (of[0].all_ns / (double)of[0].of_kinds) - 1;
	k.mix = (int64_t)((by < 0 ? -by : by < 1e6 ? by : 1e6) * 100 * MICRO);
	return k;
}

size_t step_kinds_queries(const struct step_kinds *k, const struct query *q,
                          struct query out[NR_PHASES])
{
	size_t nr = 0;
	bool whole = q->metric->per_step && !q->phase;
	out[0] = *q;
	if (k->by_mean && whole && q->stat == STAT_MEDIAN)
		out[0].stat = STAT_MEAN;
	if (!k->all_apart || !whole || !phase_has_metric(PHASE_DECODE, q->metric))
		return 1;
	for (int p = FIRST_KIND; p < NR_PHASES; p++)
		if (k->apart[p]) {
			out[nr] = *q;
			out[nr++].phase = phase_names[p];
		}
	return nr;
}
