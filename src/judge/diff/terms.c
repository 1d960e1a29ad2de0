#include "diff/terms.h"

#include "model/phases.h"
#include "model/step_figures.h"

#define PLUS(metric)                                      \
	{                                                     \
		TERM_STEP_METRIC, 1, (size_t)METRIC_STEP_##metric \
	}
#define MINUS(metric)                                      \
	{                                                      \
		TERM_STEP_METRIC, -1, (size_t)METRIC_STEP_##metric \
	}
#define PLUS_OF(type, member)                         \
	{                                                 \
		TERM_##type, 1, offsetof(struct type, member) \
	}
#define MINUS_OF(type, member)                         \
	{                                                  \
		TERM_##type, -1, offsetof(struct type, member) \
	}

/* clang-format off */
/* A part of the wall time of a step, as the whole minus the three other parts. */
#define PART_OF_PERIOD(metric, rest, x, y, z)                                                  \
	{ METRIC_STEP_##metric, true, "what surrounds it", {                                        \
	  { "from step to step", { PLUS(PERIOD_COMPUTE), PLUS(PERIOD_EXPOSED_COMM),                 \
	                           PLUS(PERIOD_EXPOSED_MEMORY), PLUS(IDLE_TIME) }, 0 },             \
	  { rest, { MINUS(x), MINUS(y), MINUS(z) }, 0 } } }
/* A member of a memory, and the difference of two members. */
#define MEMORY(member) PLUS_OF(memory_stat, member)
#define MEMORY_LESS(member, other) MEMORY(member), MINUS_OF(memory_stat, other)
#define MEMBER_COMM PLUS_OF(device_stat, comm_ns), MINUS_OF(device_stat, overlap_ns)
#define MEMBER_MEMORY                                                            \
	PLUS_OF(device_stat, busy_ns), MINUS_OF(device_stat, compute_ns),            \
	MINUS_OF(device_stat, comm_ns), PLUS_OF(device_stat, overlap_ns)

static const struct term_sum sums[] = {
	{ METRIC_STEP_PERIOD, false, "what runs in it", {
	  { "compute", { PLUS(PERIOD_COMPUTE) }, ROW_PER_DEVICE },
	  { "exposed communication", { PLUS(PERIOD_EXPOSED_COMM) }, ROW_PER_DEVICE },
	  { "exposed memory operations", { PLUS(PERIOD_EXPOSED_MEMORY) }, ROW_PER_DEVICE },
	  { "idle GPU", { PLUS(IDLE_TIME) }, ROW_PER_DEVICE } } },
	{ METRIC_STEP_LATENCY, false, "what lasts", {
	  { "the step's annotation", { PLUS(TIME) }, 0 },
	  { "GPU work after its end", { PLUS(LATENCY), MINUS(TIME) }, 0 } } },
	PART_OF_PERIOD(PERIOD_COMPUTE, "all else", PERIOD_EXPOSED_COMM, PERIOD_EXPOSED_MEMORY, IDLE_TIME),
	PART_OF_PERIOD(PERIOD_EXPOSED_COMM, "all else", PERIOD_COMPUTE, PERIOD_EXPOSED_MEMORY, IDLE_TIME),
	PART_OF_PERIOD(PERIOD_EXPOSED_MEMORY, "all else", PERIOD_COMPUTE, PERIOD_EXPOSED_COMM, IDLE_TIME),
	PART_OF_PERIOD(IDLE_TIME, "GPU busy", PERIOD_COMPUTE, PERIOD_EXPOSED_COMM, PERIOD_EXPOSED_MEMORY),
	/* a second sum for idle time: for traces without steps, for which no period is known */
	{ METRIC_STEP_IDLE_TIME, true, "what surrounds it", {
	  { "from the first start to the last end", { PLUS(IDLE_TIME), PLUS(BUSY_TIME) }, 0 },
	  { "GPU busy", { MINUS(BUSY_TIME) }, 0 } } },
	{ METRIC_STEP_BUSY_TIME, false, "what runs", {
	  { "compute and memory operations", { PLUS(BUSY_TIME), MINUS(EXPOSED_COMM_TIME) }, 0 },
	  { "exposed communication", { PLUS(EXPOSED_COMM_TIME) }, 0 } } },
	{ METRIC_STEP_SPAN, false, "what runs in it", {
	  { "compute and memory operations", { PLUS(BUSY_TIME), MINUS(EXPOSED_COMM_TIME) }, 0 },
	  { "exposed communication", { PLUS(EXPOSED_COMM_TIME) }, 0 },
	  { "gaps", { PLUS(SPAN), MINUS(BUSY_TIME) }, ROW_OF_DEVICES } } },
	{ METRIC_STEP_EXPOSED_COMM_TIME, true, "communication and what hides it", {
	  { "communication kernels", { PLUS(COMM_TIME) }, 0 },
	  { "hidden by compute kernels or by each other",
	    { PLUS(EXPOSED_COMM_TIME), MINUS(COMM_TIME) }, 0 } } },
	{ METRIC_WINDOW_BUSY_TIME, false, "what runs", {
	  { "compute", { PLUS_OF(device_stat, compute_ns) }, 0 },
	  { "exposed communication", { MEMBER_COMM }, 0 },
	  { "exposed memory operations", { MEMBER_MEMORY }, 0 } } },
	{ METRIC_WINDOW_IDLE_TIME, false, "what surrounds it", {
	  { "from the first start to the last end", { PLUS_OF(device_stat, span_ns) }, 0 },
	  { "GPU busy", { MINUS_OF(device_stat, busy_ns) }, 0 } } },
	{ METRIC_WINDOW_COMPUTE_TIME, false, "what surrounds it", {
	  { "GPU busy", { PLUS_OF(device_stat, busy_ns) }, 0 },
	  { "only communication or memory operations",
	    { PLUS_OF(device_stat, compute_ns), MINUS_OF(device_stat, busy_ns) }, 0 } } },
	{ METRIC_WINDOW_NON_COMPUTE_TIME, false, "what runs", {
	  { "exposed communication", { MEMBER_COMM }, 0 },
	  { "exposed memory operations", { MEMBER_MEMORY }, 0 } } },
	{ METRIC_KERNEL_MEAN, true, "launch", {
	  { "the longest launch", { PLUS_OF(kernel_stat, step_max_ns) }, ROW_PER_ONE },
	  { "all other launches", { PLUS_OF(kernel_stat, step_total_ns) },
	    ROW_PER_ONE | ROW_LESS_ABOVE } } },
	{ METRIC_KERNEL_MAX, true, "mean and what is beyond it", {
	  { "mean of the launches", { PLUS_OF(kernel_stat, step_total_ns) }, ROW_PER_ONE },
	  { "the longest beyond the mean", { PLUS_OF(kernel_stat, step_max_ns) }, ROW_LESS_ABOVE } } },
	{ METRIC_THREAD_TIME, true, "what runs", {
	  { "operators", { PLUS_OF(thread_stat, op_ns) }, 0 },
	  { "runtime calls outside of operators",
	    { PLUS_OF(thread_stat, busy_ns), MINUS_OF(thread_stat, op_ns) }, 0 } } },
	{ METRIC_MEMORY_PEAK_ALLOCATED, false, "when it was taken", {
	  { "held before the recording", { MEMORY(start_allocated) }, 0 },
	  { "taken in it and held at its end", { MEMORY_LESS(end_allocated, start_allocated) }, 0 },
	  { "freed between the peak and the end",
	    { MEMORY_LESS(peak_allocated, end_allocated) }, ROW_AT_PEAK } } },
	{ METRIC_MEMORY_PEAK_ALLOCATED, false, "when it was taken", {
	  { "held at the end", { MEMORY(end_allocated) }, 0 },
	  { "freed between the peak and the end",
	    { MEMORY_LESS(peak_allocated, end_allocated) }, ROW_AT_PEAK } } },
	{ METRIC_MEMORY_PEAK_RESERVED, false, "what is in use", {
	  { "allocated at its peak", { MEMORY(peak_allocated) }, ROW_HAS_SITES },
	  { "not in use at that moment",
	    { MEMORY_LESS(reserved_at_peak, peak_allocated) }, ROW_UNUSED },
	  { "reserved at another moment", { MEMORY_LESS(peak_reserved, reserved_at_peak) }, 0 } } },
	{ METRIC_MEMORY_END_ALLOCATED, false, "when it was taken", {
	  { "held before the recording", { MEMORY(start_allocated) }, 0 },
	  { "taken in it and held at its end", { MEMORY_LESS(end_allocated, start_allocated) }, 0 } } },
	{ METRIC_MEMORY_END_ALLOCATED, false, "when it was taken", {
	  { "reserved", { MEMORY(end_reserved) }, 0 },
	  { "reserved and not in use",
	    { MEMORY_LESS(end_allocated, end_reserved) }, ROW_TAKEN_OFF } } },
	{ METRIC_MEMORY_END_RESERVED, false, "what is in use", {
	  { "allocated", { MEMORY(end_allocated) }, ROW_HAS_SITES },
	  { "not in use", { MEMORY_LESS(end_reserved, end_allocated) }, ROW_UNUSED } } },
	{ METRIC_MEMORY_ALLOC_COUNT, false, "what it is made of", {
	  { "frees", { MEMORY(free_count) }, 0 },
	  { "allocations beyond the frees", { MEMORY_LESS(alloc_count, free_count) }, 0 } } },
	{ METRIC_MEMORY_FREE_COUNT, false, "what it is made of", {
	  { "allocations", { MEMORY(alloc_count) }, 0 },
	  { "frees beyond the allocations", { MEMORY_LESS(free_count, alloc_count) }, 0 } } },
	{ METRIC_MEMORY_SEGMENT_CHURN, false, "what it is made of", {
	  { "allocated or mapped", { MEMORY(segment_allocs) }, 0 },
	  { "freed or unmapped", { MEMORY_LESS(segment_churn, segment_allocs) }, 0 } } },
	{ METRIC_MEMORY_GROWTH_PER_STEP, false, "what is taken and freed", {
	  { "taken per step", { MEMORY(churn_bytes) }, ROW_PER_ONE },
	  { "freed per step",
	    { MEMORY_LESS(end_allocated, start_allocated),
	      MINUS_OF(memory_stat, churn_bytes) },
	    ROW_PER_ONE | ROW_TAKEN_OFF },
	  { "the typical step beyond the mean", { MEMORY(growth_per_step) }, ROW_LESS_ABOVE } } },
	{ METRIC_MEMORY_HEADROOM, false, "what it is made of", {
	  { "size of the device", { MEMORY(capacity) }, 0 },
	  { "allocated at its peak", { MINUS_OF(memory_stat, peak_allocated) }, ROW_TAKEN_OFF },
	  { "not in use at that moment",
	    { MEMORY_LESS(peak_allocated, reserved_at_peak) }, ROW_TAKEN_OFF },
	  { "reserved at another moment",
	    { MEMORY_LESS(reserved_at_peak, peak_reserved) }, ROW_TAKEN_OFF } } },
	/* Metrics that are the share of a part in a whole: the first row is the whole. The second row
	   is the part or, with ROW_COMPLEMENT, what remains of the whole without that part. */
	{ METRIC_MEMORY_FRAGMENTATION_PCT, false, "reserved and allocated", {
	  { "reserved", { MEMORY(end_reserved) }, 0 },
	  { "allocated", { MEMORY(end_allocated) }, ROW_COMPLEMENT } } },
	{ METRIC_MEMORY_FRAGMENTATION_AT_PEAK_PCT, false, "reserved and allocated", {
	  { "reserved", { MEMORY(reserved_at_peak) }, 0 },
	  { "allocated", { MEMORY(peak_allocated) }, ROW_COMPLEMENT } } },
	{ METRIC_MEMORY_INACTIVE_PCT, false, "what it is made of", {
	  { "reserved", { MEMORY(end_reserved) }, 0 },
	  { "free blocks", { MEMORY(inactive) }, 0 } } },
	{ METRIC_MEMORY_FREE_SPLIT_PCT, false, "what it is made of", {
	  { "free memory", { MEMORY(inactive) }, 0 },
	  { "outside the largest free block", { MEMORY_LESS(inactive, largest_inactive) }, 0 } } },
	{ METRIC_MEMORY_ROUNDING_PCT, false, "what it is made of", {
	  { "allocated", { MEMORY(end_allocated) }, 0 },
	  { "not requested", { MEMORY_LESS(end_allocated, end_requested) }, 0 } } },
};
/* clang-format on */

const struct term_sum *terms_of(enum metric_id id, size_t nth)
{
	return FIND(i, sums, NR_OF(sums), sums[i].metric == id && nth-- == 0);
}

bool step_metric_total(const struct digest *d, enum metric_id id, __int128 *out)
{
	const int64_t *summary = digest_summary(d, id);
	*out = summary ? summary[STAT_TOTAL] : 0;
	if (!digest_has_steps(d, id))
		return false;
	for (int64_t i = 0; i < d->usable_steps && !d->summaries.nr; i++)
		if (d->samples[id][i] != NO_SAMPLE)
			*out += d->samples[id][i];
	return true;
}

int64_t step_metric_nr(const struct digest *d, enum metric_id id)
{
	const int64_t *summary = digest_summary(d, id);
	int64_t nr = 0;
	if (summary && metric_table[id].since > 0 && summary[STAT_MEAN] > 0)
		return number_div_round(summary[STAT_TOTAL], summary[STAT_MEAN]);
	if (d->summaries.nr || !digest_has_steps(d, id))
		return d->usable_steps;
	for (int64_t i = 0; i < d->usable_steps; i++)
		nr += d->samples[id][i] != NO_SAMPLE;
	return nr;
}

static bool term_value(const struct term *t, const struct term_place *p, __int128 *out)
{
	if (t->from == TERM_STEP_METRIC)
		return step_metric_total(p->digest, (enum metric_id)t->at, out);
	int64_t value = *(const int64_t *)((const char *)p->row + t->at);
	*out = value;
	return value != p->unknown;
}

int64_t terms_devices(const struct digest *d)
{
	const struct phase_sum *parts = phase_sum_of(&metric_table[METRIC_STEP_PERIOD]);
	__int128 sum = 0, part, period;
	for (size_t i = 0; i < PHASE_TERMS; i++)
		sum += step_metric_total(d, parts->terms[i], &part) ? part : 0;
	if (!step_metric_total(d, METRIC_STEP_PERIOD, &period) || period <= 0)
		return 0;
	return (int64_t)(sum / period);
}

bool terms_values(const struct term_sum *t, const struct term_place *p, __int128 out[TERM_ROWS])
{
	__int128 above = 0;
	for (size_t i = 0; i < TERM_ROWS && t->rows[i].label; i++) {
		const struct term_row *row = &t->rows[i];
		__int128 sum = 0, value;
		for (size_t k = 0; k < ROW_TERMS && row->terms[k].from != TERM_END; k++) {
			if (!term_value(&row->terms[k], p, &value))
				return false;
			sum += row->terms[k].sign * value;
		}
		if (row->flags & ROW_PER_ONE && p->ones <= 0)
			return false;
		if (row->flags & ROW_PER_ONE)
			sum = number_div_round(sum, p->ones);
		if (row->flags & ROW_PER_DEVICE && terms_devices(p->digest) <= 0)
			return false;
		if (row->flags & ROW_PER_DEVICE)
			sum = number_div_round(sum, terms_devices(p->digest));
		if (row->flags & ROW_LESS_ABOVE)
			sum -= above;
		out[i] = sum;
		above += sum;
	}
	return true;
}
