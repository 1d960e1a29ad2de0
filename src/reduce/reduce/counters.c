/* Sampled counters of the GPUs: median and spread over the complete measured steps. */
#include "base/number.h"
#include "reduce/reducer.h"

/* True if `at_ns` lies between the start of the first complete measured step and the end of the
 * last one (without steps: in the window). */
static bool in_usable_steps(const struct reducer *r, int64_t at_ns)
{
	return r->steps.usable && at_ns >= r->steps.marks.v[r->steps.warmup].start_ns &&
	       at_ns <= r->steps.marks.v[r->steps.warmup + r->steps.usable - 1].end_ns;
}

static void counter_row_add(struct digest *d, struct span name, int64_t *pct, size_t nr)
{
	struct counter_stat row = { .name = arena_span(&d->arena, name), .samples = (int64_t)nr };
	row.mad = number_mad(pct, nr, &row.median);
	vec_push(&d->counters, row);
}

void counter_figures(const struct reducer *r, const struct trace_meta *meta, struct digest *d)
{
	size_t nr = meta->counters.nr;
	size_t *end = mem_calloc(nr + 1, sizeof *end); /* index at which each counter's samples end */
	int64_t *pct = mem_calloc(meta->samples.nr, sizeof *pct);
	for (size_t i = 0; i < meta->samples.nr; i++)
		end[meta->samples.v[i].counter + 1] += in_usable_steps(r, meta->samples.v[i].at_ns);
	for (size_t i = 0; i < nr; i++)
		end[i + 1] += end[i];
	for (size_t i = 0; i < meta->samples.nr; i++) {
		const struct counter_sample *s = &meta->samples.v[i];
		if (in_usable_steps(r, s->at_ns))
			pct[end[s->counter]++] = s->pct * MICRO;
	}
	for (size_t i = 0, from = 0; i < nr; from = end[i++])
		if (end[i] > from)
			counter_row_add(d, meta->counters.v[i], pct + from, end[i] - from);
	vec_sort(&d->counters, counter_stat_cmp);
	free(end);
	free(pct);
}
