#include "store/digest_json.h"

#include <inttypes.h>

#include "metric/statistic.h"
#include "model/step_figures.h"

static int64_t sample(const struct digest *d, enum metric_id id, size_t step)
{
	return d->samples[id][step];
}

static const char *step_fault(const struct digest *d, struct arena *a)
{
	for (size_t i = 0; i < d->nr_steps; i++) {
		__int128 kernels = sample(d, METRIC_STEP_KERNEL_TIME, i);
		__int128 copies =
		    (__int128)sample(d, METRIC_STEP_MEMCPY_TIME, i) + sample(d, METRIC_STEP_MEMSET_TIME, i);
		const char *fault =
		    sample(d, METRIC_STEP_CUDA_TIME, i) != kernels + copies
		        ? "step.cuda_time is not the sum of kernels, copies and memory sets"
		    : kernels != (__int128)sample(d, METRIC_STEP_COMPUTE_TIME, i) +
		                     sample(d, METRIC_STEP_COMM_TIME, i)
		        ? "step.kernel_time is not the sum of compute and communication"
		    : sample(d, METRIC_STEP_BUSY_TIME, i) > sample(d, METRIC_STEP_CUDA_TIME, i)
		        ? "step.busy_time is above step.cuda_time"
		    : sample(d, METRIC_STEP_BUSY_TIME, i) > sample(d, METRIC_STEP_SPAN, i)
		        ? "step.busy_time is above step.span"
		        : NULL;
		if (fault)
			return arena_printf(a, "in step %" PRId64 " %s", d->step_numbers[i], fault);
	}
	return NULL;
}

static const char *summary_fault(const struct digest *d, struct arena *a)
{
	static const enum statistic rising[] = { STAT_MIN, STAT_MEDIAN, STAT_P90,
		                                     STAT_P95, STAT_P99,    STAT_MAX };
	for (size_t i = 0; i < d->summaries.nr; i++) {
		const struct step_summary *s = &d->summaries.v[i];
		bool rises =
		    s->value[STAT_MEAN] >= s->value[STAT_MIN] && s->value[STAT_MEAN] <= s->value[STAT_MAX];
		for (size_t k = 1; k < NR_OF(rising); k++)
			rises = rises && s->value[rising[k - 1]] <= s->value[rising[k]];
		if (!rises)
			return arena_printf(a, "minimum, median and maximum of %s are in no possible order",
			                    metric_table[s->metric].name);
	}
	return NULL;
}

/* True if `sum`, made from rows of kernels, equals the sum of the step metric `id` over the
   usable steps. */
static bool is_sum_of(const struct digest *d, enum metric_id id, __int128 sum)
{
	const int64_t *summary = digest_summary(d, id);
	/* the mean in a summary is rounded, so the sum is off by up to one unit per step */
	int64_t slack = summary ? d->usable_steps : 0;
	__int128 of_steps = summary ? (__int128)summary[STAT_MEAN] * d->usable_steps : 0;
	for (int64_t i = 0; !summary && i < d->usable_steps; i++)
		of_steps += d->samples[id][i];
	return sum >= of_steps - slack && sum <= of_steps + slack;
}

/* Checks that kernels, copies and memory sets add up to the GPU time of the usable steps (the steps
 * without warm-up, and without a last step that is cut short), that the launches of kernels add up
 * to their number in these steps, and that only what was launched has a time. NULL if so. */
static const char *kernels_fault(const struct digest *d)
{
	__int128 time = 0, count = 0;
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		time += k->step_total_ns;
		count += k->kind == EVENT_KERNEL ? k->step_count : 0;
		if ((k->total_ns > 0 && k->count == 0) || (k->step_total_ns > 0 && k->step_count == 0))
			return "a kernel, copy or memory set has a time, but was never launched";
	}
	if (d->fold)
		return NULL; /* figures of a folded digest combine many ranks, and need not add up */
	if (!is_sum_of(d, METRIC_STEP_CUDA_TIME, time))
		return "kernels, copies and memory sets do not add up to step.cuda_time";
	if (!is_sum_of(d, METRIC_STEP_KERNEL_COUNT, count))
		return "kernels were not launched as often as step.kernel_count says";
	return NULL;
}

const char *digest_contradiction(const struct digest *d, struct arena *a)
{
	const char *fault = summary_fault(d, a);
	if (fault || d->devices.nr != 1 || d->usable_steps == 0)
		return fault;
	if (!d->summaries.nr)
		fault = step_fault(d, a);
	return fault ? fault : kernels_fault(d);
}
