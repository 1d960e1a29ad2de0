#include <inttypes.h>

#include "base/number.h"
#include "diagnose/diagnose.h"
#include "model/step_figures.h"

static struct series *series_new(struct run_report *out, const char *id, const char *title,
                                 const char *label, int64_t rank)
{
	struct series *s = vec_push_zero(&out->series);
	*s = (struct series){ .id = id, .title = title, .label = label, .rank = rank };
	return s;
}

static void add_steps(const struct digest *d, enum metric_id id, const char *title, struct arena *a,
                      struct run_report *out)
{
	const int64_t *summary = digest_summary(d, id);
	struct step_samples steps = { 0 };
	if (!d->summaries.nr)
		steps = digest_samples(d, id, a);
	bool has_points = !summary && steps.usable > 1;
	if (d->window || (!has_points && !summary))
		return;
	struct series *s = series_new(out, metric_table[id].name, title,
	                              arena_printf(a, "rank %" PRId64, d->rank), d->rank);
	s->x_unit = UNIT_COUNT;
	s->unit = metric_table[id].unit;
	s->summary = summary;
	for (size_t i = 0; has_points && i < steps.usable; i++)
		vec_push(&s->points, (struct series_point){ steps.step[i], steps.value[i] });
}

/* Add the level of each memory of a rank over its history: reserved bytes if `reserved` is true,
 * else allocated bytes. */
static void add_levels(const struct digest *d, bool reserved, bool alone, struct arena *a,
                       struct run_report *out)
{
	const struct memory_level *v = d->memory_levels.v;
	for (size_t i = 0, end; i < d->memory_levels.nr; i = end) {
		bool timed = true;
		for (end = i; end < d->memory_levels.nr && strcmp(v[end].memory, v[i].memory) == 0; end++)
			timed = timed && v[end].time_us >= 0;
		if (reserved && v[i].reserved == MEMORY_UNKNOWN)
			continue;
		struct series *s =
		    series_new(out, reserved ? "memory.reserved" : "memory.allocated",
		               reserved ? "reserved memory" : "allocated memory",
		               alone ? arena_printf(a, "memory %s", v[i].memory)
		                     : arena_printf(a, "memory %s of rank %" PRId64, v[i].memory, d->rank),
		               d->rank);
		s->x_unit = timed ? UNIT_NS : UNIT_COUNT;
		s->unit = UNIT_BYTES;
		for (size_t k = i; k < end; k++)
			vec_push(&s->points,
			         (struct series_point){
			             timed ? number_div_round((__int128)(v[k].time_us - v[i].time_us) * 1000, 1)
			                   : v[k].entries,
			             reserved ? v[k].reserved : v[k].allocated });
	}
}

/* Add the compute time of each step of a rank. Compute time contains no waiting for other ranks. */
static void add_rank(const struct digest *d, struct arena *a, struct run_report *out)
{
	if (d->window || d->summaries.nr || !digest_has_steps(d, METRIC_STEP_COMPUTE_TIME))
		return;
	struct step_samples steps = digest_samples(d, METRIC_STEP_COMPUTE_TIME, a);
	struct series *s = vec_push_zero(&out->ranks);
	s->rank = d->rank;
	s->unit = metric_table[METRIC_STEP_COMPUTE_TIME].unit;
	for (size_t i = 0; i < steps.usable; i++)
		vec_push(&s->points, (struct series_point){ steps.step[i], steps.value[i] });
}

void diagnose_series(const struct run_view *v, struct arena *a, struct run_report *out)
{
	for (size_t i = 0; i < v->run->ranks.nr && v->run->ranks.nr > 1; i++)
		add_rank(v->run->ranks.v[i], a, out);
	for (size_t i = 0; i < v->run->ranks.nr && i < SERIES_RANKS; i++) {
		const struct digest *d = v->run->ranks.v[i];
		add_steps(d, METRIC_STEP_PERIOD, "wall time per step", a, out);
		add_steps(d, METRIC_STEP_TIME, "host time of steps", a, out);
		if (d->trust.gpu_events)
			add_steps(d, METRIC_STEP_CUDA_TIME, "CUDA time of steps", a, out);
		add_levels(d, false, v->run->ranks.nr == 1, a, out);
		add_levels(d, true, v->run->ranks.nr == 1, a, out);
	}
}
