/* Steps of a trace without markers: repetitions of one sequence of launches. */
#include "base/period.h"
#include "reduce/reducer.h"

/* Indices of activities in the order in which the host launched them: by the start of their launch
 * or, if most launches are missing, by their own start. */
struct host_order {
	const struct reducer *r;
	bool by_launch;
	uint32_t *v;
	size_t nr;
};

static int64_t launched_ns(const struct host_order *o, uint32_t activity)
{
	const struct activity *a = &o->r->gpu.activities.v[activity];
	const struct host_span *launch = activity_launch(o->r, a); /* never NULL if `by_launch` */
	return o->by_launch ? span_start(&o->r->host, launch) : a->start_ns;
}

/* Compares activities by launched_ns(); activities of one graph launch keep file order. */
static int host_order_cmp(const void *a, const void *b, void *order)
{
	int64_t x = launched_ns(order, *(const uint32_t *)a),
	        y = launched_ns(order, *(const uint32_t *)b);
	return COMPARE(x, y);
}

static void host_order_init(struct host_order *o, const struct reducer *r,
                            const struct trust_counts *t)
{
	*o = (struct host_order){ .r = r, .by_launch = launches_prevail(t) };
	o->v = mem_calloc(r->gpu.activities.nr, sizeof *o->v);
	for (size_t i = 0; i < r->gpu.activities.nr; i++)
		if (!o->by_launch || r->gpu.activities.v[i].has_launch)
			o->v[o->nr++] = (uint32_t)i;
	sort_runs(o->v, o->nr, sizeof *o->v, host_order_cmp, o);
}

static void find_period(const struct host_order *o, struct period *out)
{
	struct launch_sequence s = { .nr = o->nr, .nr_names = o->r->gpu.names.nr };
	uint32_t *names = mem_calloc(o->nr, sizeof *names);
	int64_t *mean_ns = mem_calloc(s.nr_names, sizeof *mean_ns);
	for (size_t i = 0; i < o->nr; i++)
		names[i] = (uint32_t)(activity_name(&o->r->gpu, &o->r->gpu.activities.v[o->v[i]]) -
		                      o->r->gpu.names.v);
	for (size_t i = 0; i < s.nr_names; i++)
		mean_ns[i] = o->r->gpu.names.v[i].stat.total_ns / o->r->gpu.names.v[i].stat.count;
	s.names = names;
	s.mean_ns = mean_ns;
	period_find(&s, out);
	free(names);
	free(mean_ns);
}

/* True if several repetitions belong to one graph launch. The repetitions are then parts of a step
 * rather than steps. */
static bool period_within_launch(const struct host_order *o, const struct period *p)
{
	return ANY(i, p->starts.nr ? p->starts.nr - 1 : 0,
	           i && launched_ns(o, o->v[p->starts.v[i - 1]]) ==
	                    launched_ns(o, o->v[p->starts.v[i]]));
}

/* End of the last step: the end of the outermost runtime call or operator around the last launch of
 * the step. Later host work is not part of the step. */
static int64_t last_step_end(const struct host_order *o, uint32_t activity)
{
	const struct reducer *r = o->r;
	const struct activity *a = &r->gpu.activities.v[activity];
	int64_t at = launched_ns(o, activity), end = at < INT64_MAX ? at + 1 : at;
	const struct host_span *launch = activity_launch(r, a);
	if (!o->by_launch)
		return a->dur ? at + activity_dur(&r->gpu, a) : end;
	uint32_t thread = span_thread(&r->host, launch);
	for (size_t i = 0; i < r->host.spans.nr; i++) {
		const struct host_span *s = &r->host.spans.v[i];
		if (span_thread(&r->host, s) == thread && span_start(&r->host, s) <= at &&
		    span_end(&r->host, s) > end)
			end = span_end(&r->host, s);
	}
	return end;
}

void unmarked_steps(struct reducer *r, struct digest *d)
{
	struct host_order o;
	struct period p;
	host_order_init(&o, r, &d->trust);
	find_period(&o, &p);
	if (period_within_launch(&o, &p))
		period_release(&p);
	size_t count = p.starts.nr ? p.starts.nr - 1 : 0;
	d->period_count = (int64_t)count;
	d->period_launches = p.launches;
	d->period_regularity = p.regularity;
	for (size_t i = 0; i < count && r->options.by_period; i++) {
		int64_t start = launched_ns(&o, o.v[p.starts.v[i]]);
		int64_t end = i + 1 < count ? launched_ns(&o, o.v[p.starts.v[i + 1]])
		                            : last_step_end(&o, o.v[p.starts.v[count] - 1]);
		vec_push(&r->steps.marks,
		         (struct mark){ .start_ns = start, .end_ns = end, .number = (int64_t)i });
	}
	period_release(&p);
	free(o.v);
}
