#include "base/number.h"
#include "reduce/reducer.h"

static enum status step_bytes(struct reducer *r, struct digest *d, struct diag_log *log)
{
	bool over = false;
	for (size_t i = 0; i < r->gpu.transfers.nr; i++) {
		const struct transfer *t = &r->gpu.transfers.v[i];
		const struct activity *a = &r->gpu.activities.v[t->activity];
		struct kernel_stat *k = &activity_name(&r->gpu, a)->stat;
		uint32_t step = steps_measured(&r->steps, a->step);
		int64_t bytes = widen(&r->gpu.wide, t->bytes);
		if (step == NO_ID)
			continue;
		if (steps_usable(&r->steps, a->step) != NO_ID)
			over |= __builtin_add_overflow(k->step_bytes, bytes, &k->step_bytes);
		int64_t *sample = &d->samples[METRIC_STEP_MEMCPY_BYTES][step];
		if (k->kind == EVENT_MEMCPY)
			over |= __builtin_add_overflow(*sample, bytes, sample);
	}
	return over ? diag_fail(log, ST_INPUT,
	                        "the bytes of a step's copies add up to more than 2^63: check 'bytes' "
	                        "of the trace")
	            : ST_OK;
}

static void kernel_step_add(struct kernel_stat *k, int64_t dur_ns)
{
	k->step_count++;
	k->step_total_ns += dur_ns;
	number_raise(&k->step_max_ns, dur_ns);
}

enum status kernel_figures(struct reducer *r, struct digest *d, struct diag_log *log)
{
	TRY(step_bytes(r, d, log));
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		struct gpu_name *g = activity_name(&r->gpu, a);
		if (steps_usable(&r->steps, a->step) == NO_ID)
			continue;
		kernel_step_add(&g->stat, activity_dur(&r->gpu, a));
		if (phases_has_activity(r, a))
			kernel_step_add(&g->phase, activity_dur(&r->gpu, a));
	}
	for (size_t i = 0; i < r->gpu.names.nr; i++) {
		const struct gpu_name *g = &r->gpu.names.v[i];
		struct kernel_stat k = g->stat;
		k.name = arena_span(&d->arena, k.name);
		if (g->occupancy_ns)
			k.occupancy = number_div_round(g->occupancy_sum, g->occupancy_ns);
		vec_push(&d->kernels, k);
	}
	vec_sort(&d->kernels, kernel_stat_cmp);
	return ST_OK;
}
