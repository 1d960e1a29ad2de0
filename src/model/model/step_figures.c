#include "model/step_figures.h"

#include "base/number.h"
#include "model/fold.h"
#include "model/phases.h"

const int64_t *digest_summary(const struct digest *d, enum metric_id id)
{
	for (size_t i = 0; i < d->summaries.nr; i++)
		if (d->summaries.v[i].metric == id)
			return d->summaries.v[i].value;
	return NULL;
}

/* True for figures of launches and waits if the runtime calls of the rank were not recorded, as
 * with nsys profile --trace=cuda-hw. These figures are stored as 0. */
static bool calls_are_unknown(const struct digest *d, enum metric_id id)
{
	const struct metric *m = &metric_table[id];
	return m->need == NEED_HOST && m->parts == PARTS_CALLS && (m->rests_on & ON_LAUNCHES) &&
	       !d->trust.launches && !d->trust.with_launch && !d->calls.nr;
}

bool digest_has_steps(const struct digest *d, enum metric_id id)
{
	if (calls_are_unknown(d, id))
		return false;
	return metric_table[id].since == 0 ||
	       (d->summaries.nr ? digest_summary(d, id) != NULL : d->samples[id] != NULL);
}

struct step_samples digest_samples(const struct digest *d, enum metric_id id, struct arena *a)
{
	const int64_t *v = d->samples[id];
	struct step_samples out = { v, d->step_numbers, d->nr_steps, (size_t)d->usable_steps };
	size_t absent = 0;
	for (size_t i = 0; v && i < d->nr_steps; i++)
		absent += v[i] == NO_SAMPLE;
	if (!v)
		return (struct step_samples){ 0 };
	if (!absent)
		return out;
	int64_t *value = arena_alloc(a, d->nr_steps, sizeof *value);
	int64_t *step = arena_alloc(a, d->nr_steps, sizeof *step);
	out = (struct step_samples){ value, step, 0, 0 };
	for (size_t i = 0; i < d->nr_steps; i++)
		if (v[i] != NO_SAMPLE) {
			value[out.nr] = v[i];
			step[out.nr++] = d->step_numbers[i];
			out.usable += i < (size_t)d->usable_steps;
		}
	return out;
}

bool digest_step_stat(const struct digest *d, enum metric_id id, enum statistic stat, int64_t *out)
{
	struct arena scratch = ARENA_INIT;
	if (d->in_fold)
		return stat == STAT_MEDIAN && fold_step_median(d->in_fold, d->fold_index, id, out);
	const int64_t *summary = digest_summary(d, id);
	struct step_samples s = { 0 };
	if (!summary && !d->summaries.nr)
		s = digest_samples(d, id, &scratch);
	if (summary)
		*out = summary[stat];
	else if (s.usable)
		*out = stat_of(stat, s.value, s.usable);
	arena_release(&scratch);
	return summary || s.usable;
}

/* Share of the steps, in 1e-6 %, that are slow for their kind, such as prefill; -1 if the kinds of
   steps are unknown. */
static int64_t slow_of_kinds(const struct digest *d)
{
	struct arena scratch = ARENA_INIT;
	int64_t slow = 0, nr = 0;
	for (int p = NR_INNER_PHASES; p < NR_PHASES && !d->summaries.nr; p++) {
		struct step_samples s;
		if (!phase_samples_of(d, (enum phase)p, &metric_table[METRIC_STEP_PERIOD], &scratch, &s))
			continue;
		int64_t median = s.usable ? stat_of(STAT_MEDIAN, s.value, s.usable) : 0;
		for (size_t i = 0; i < s.usable; i++)
			slow += step_is_slow(s.value[i], median);
		nr += (int64_t)s.usable;
	}
	arena_release(&scratch);
	return nr ? number_pct(slow, nr) : -1;
}

int64_t digest_slow_share(const struct digest *d)
{
	struct arena scratch = ARENA_INIT;
	int64_t median, most, slow = slow_of_kinds(d);
	if (slow >= 0)
		return slow;
	if (!digest_step_stat(d, METRIC_STEP_PERIOD, STAT_MEDIAN, &median) ||
	    !digest_step_stat(d, METRIC_STEP_PERIOD, STAT_MAX, &most))
		return -1;
	for (size_t i = 0; i < d->summaries.nr; i++)
		if (d->summaries.v[i].metric == METRIC_STEP_PERIOD && step_is_slow(most, median))
			return d->summaries.v[i].slow;
	if (d->summaries.nr)
		return 0;
	struct step_samples s = digest_samples(d, METRIC_STEP_PERIOD, &scratch);
	slow = 0;
	for (size_t i = 0; i < s.usable; i++)
		slow += step_is_slow(s.value[i], median);
	slow = number_pct(slow, (int64_t)s.usable);
	arena_release(&scratch);
	return slow;
}

static int64_t step_wall(const struct digest *d)
{
	int64_t ns;
	return digest_step_stat(d, METRIC_STEP_PERIOD, STAT_MEDIAN, &ns) ? ns : 0;
}

int64_t machine_energy_share(const struct digest *d, const struct machine_stat *s)
{
	__int128 steps = (__int128)step_wall(d) * d->usable_steps;
	if (steps <= 0 || s->energy_ns <= 0)
		return -1;
	return s->energy_ns >= steps ? 100 * MICRO : number_pct(s->energy_ns, steps);
}

int64_t machine_energy(const struct digest *d, const struct machine_stat *s)
{
	if (s->energy_uj < 0 || machine_energy_share(d, s) < ENERGY_LEAST_PCT)
		return -1;
	return number_div_round((__int128)s->energy_uj * step_wall(d), s->energy_ns);
}
