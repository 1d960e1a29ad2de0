/* Figures of calls that launch work, synchronize or load data: per step, and by name. */
#include "base/number.h"
#include "base/search.h"
#include "model/rows.h"
#include "reduce/reducer.h"

/* Sums over calls: at first over the calls that began in one interval between neighboring starts or
 * ends of steps; later over all calls that began before the end of this interval (calls_walk()). */
struct call_sums {
	int64_t launch_ns, sync_ns, sync_count, dataloader_ns;
};

/* End of a measured step if `end`, else its start. */
static int64_t step_edge(const struct reducer *r, size_t step, bool end)
{
	const struct mark *m = &r->steps.marks.v[r->steps.warmup + step];
	return end ? m->end_ns : m->start_ns;
}

/* Number of elements of the sorted `edges` that are not after `at`. */
static size_t edges_until(const int64_t *edges, size_t nr, int64_t at)
{
	size_t lo = 0, hi = nr;
	SEARCH(lo, hi, i, edges[i] <= at);
	return lo;
}

static void call_samples(struct digest *d, size_t step, const struct call_sums *from,
                         const struct call_sums *to)
{
	d->samples[METRIC_STEP_LAUNCH_TIME][step] = to->launch_ns - from->launch_ns;
	d->samples[METRIC_STEP_SYNC_TIME][step] = to->sync_ns - from->sync_ns;
	d->samples[METRIC_STEP_SYNC_COUNT][step] = to->sync_count - from->sync_count;
	d->samples[METRIC_STEP_DATALOADER_TIME][step] = to->dataloader_ns - from->dataloader_ns;
}

/* For each interval between neighbors in `edges`, the number of complete measured steps that
   contain it. Caller releases with free(). */
static int64_t *count_steps(const struct reducer *r, const int64_t *edges, size_t nr)
{
	int64_t *cover = mem_calloc(nr + 2, sizeof *cover);
	if (r->steps.window)
		cover[0] = (int64_t)r->steps.usable;
	for (size_t i = 0; !r->steps.window && i < r->steps.usable; i++) {
		cover[edges_until(edges, nr, step_edge(r, i, false))]++;
		cover[edges_until(edges, nr, step_edge(r, i, true))]--;
	}
	for (size_t i = 1; i < nr + 2; i++)
		cover[i] += cover[i - 1];
	return cover;
}

/* Adds a call of the name `h`, once for each of the `steps` overlapping steps that contain the
 * start of the call. */
static void call_add(struct host_name *h, int64_t dur_ns, int64_t steps)
{
	h->begun = number_add(h->begun, steps);
	h->begun_ns = number_add(h->begun_ns, number_div_round((__int128)dur_ns * steps, 1));
}

/* The starts and ends of all steps divide the time into intervals; an interval may belong to
 * several overlapping steps. The sum of a step is a difference of prefix sums over the intervals.
 */
void calls_walk(struct reducer *r, struct digest *d)
{
	size_t nr = r->steps.window ? 0 : 2 * d->nr_steps;
	int64_t *edges = mem_calloc(nr, sizeof *edges);
	struct call_sums *until = mem_calloc(
	    nr + 2, sizeof *until); /* until[i + 1]: sums of interval i, later of intervals 0 to i */
	for (size_t i = 0; i < nr; i++)
		edges[i] = step_edge(r, i / 2, i % 2);
	sort_plain(edges, nr, sizeof *edges, number_cmp_i64);
	int64_t *steps = count_steps(r, edges, nr);
	for (size_t i = 0, interval = 0; i < r->host.spans.nr; i++) {
		const struct host_span *s = &r->host.spans.v[i];
		struct host_name *h = span_name(&r->host, s);
		if (!h->timed)
			continue;
		int64_t start_ns = span_start(&r->host, s), dur_ns = span_dur(&r->host, s);
		if ((interval < nr && edges[interval] <= start_ns) ||
		    (interval > 0 &&
		     start_ns < edges[interval - 1])) /* not the interval of the previous call */
			interval = edges_until(edges, nr, start_ns);
		struct call_sums *b = &until[interval + 1];
		call_add(h, dur_ns, steps[interval]);
		b->launch_ns += h->launch ? dur_ns : 0;
		b->sync_ns += h->sync ? dur_ns : 0;
		b->sync_count += h->sync;
		b->dataloader_ns += h->dataloader ? dur_ns : 0;
	}
	for (size_t i = 1; i < nr + 2; i++) {
		until[i].launch_ns += until[i - 1].launch_ns;
		until[i].sync_ns += until[i - 1].sync_ns;
		until[i].sync_count += until[i - 1].sync_count;
		until[i].dataloader_ns += until[i - 1].dataloader_ns;
	}
	for (size_t i = 0; i < d->nr_steps; i++)
		if (r->steps.window)
			call_samples(d, i, &until[0], &until[1]);
		else
			call_samples(d, i, &until[edges_until(edges, nr, step_edge(r, i, false))],
			             &until[edges_until(edges, nr, step_edge(r, i, true))]);
	free(edges);
	free(steps);
	free(until);
}

void call_figures(const struct reducer *r, struct digest *d)
{
	for (size_t i = 0; i < r->host.names.nr; i++) {
		const struct host_name *h = &r->host.names.v[i];
		const bool kinds[] = { h->launch, h->sync, h->dataloader, h->memory };
		for (int kind = CALL_LAUNCH; kind < NR_CALL_KINDS; kind++)
			if (kinds[kind] && h->begun)
				vec_push(&d->calls, (struct call_stat){ .kind = (enum call_kind)kind,
				                                        .name = arena_span(&d->arena, h->name),
				                                        .count = h->begun,
				                                        .total_ns = h->begun_ns });
	}
	/* an annotation and an operator of equal names share a row */
	rows_unite(&call_stat_row, &d->calls);
}
