#include "reduce/lost.h"

#include "base/number.h"
#include "reduce/reducer.h"

/* Kernel launches, graph launches and copies are summed separately, since a graph launch runs many
   kernels. Other calls have the kind NR_SUMS. */
enum { OF_KERNELS, OF_GRAPHS, OF_COPIES, NR_SUMS };

static int kind_of(const struct reducer *r, const struct launch *l)
{
	const struct host_name *call = span_name(&r->host, &r->host.spans.v[l->span]);
	/* memory sets do not count, since the driver makes no activity for some of them */
	return call->kernel_launch            ? OF_KERNELS
	       : call->launch                 ? OF_GRAPHS
	       : call->copies == EVENT_MEMCPY ? OF_COPIES
	                                      : NR_SUMS;
}

void launches_settle(struct reducer *r, bool open_end, struct trust_counts *t)
{
	const struct host_events *h = &r->host;
	struct launches *all = &r->launches;
	struct launch *l = NULL; /* the first launch with the present id */
	bool captured = false;
	graphs_find(r);
	all->pending_ns = INT64_MAX;
	all->open_ns = open_end ? number_sub(r->last_ns, all->delay_ns) : INT64_MAX;
	for (size_t i = 0; i < all->list.nr; i++) {
		if (launch_is_first(all, i)) {
			l = &all->list.v[i];
			const struct host_span *s = &h->spans.v[l->span];
			captured = !l->settled && graphs_take(r, l->span);
			l->settled |= captured;
			if (!l->settled && kind_of(r, l) != NR_SUMS && span_start(h, s) >= all->open_ns)
				number_lower(&all->pending_ns, span_start(h, s));
		}
		bool launch = span_name(h, &h->spans.v[all->list.v[i].span])->launch;
		t->launches += launch;
		t->captured += launch && captured;
	}
}

bool reducer_replays(const struct reducer *r)
{
	return ANY(i, r->host.names.nr, launches_graph(&r->host.names.v[i]));
}

/* ---- time of lost kernels ---- */

/* A host operator, or a kernel's launch: the first call with the kernel's correlation id. */
struct host_item {
	uint32_t thread, span;
	uint32_t launch; ///< index of the launch; NO_ID for an operator
	int64_t start_ns, end_ns;
};

/* Orders by thread and start. If starts are equal, outer operators come before inner ones, and
 * launches last. */
ORDERING(host_item_cmp, struct host_item,
         RISING(thread) RISING(start_ns) RISING(launch != NO_ID) FALLING(end_ns))

struct host_items {
	VEC(struct host_item) list;
};

static void host_items_find(const struct reducer *r, struct host_items *out)
{
	const struct host_events *h = &r->host;
	for (size_t i = 0; i < h->spans.nr; i++) {
		const struct host_span *s = &h->spans.v[i];
		if (span_name(h, s)->op)
			vec_push(&out->list, (struct host_item){ span_thread(h, s), (uint32_t)i, NO_ID,
			                                         span_start(h, s), span_end(h, s) });
	}
	for (size_t i = 0; i < r->launches.list.nr; i++) {
		uint32_t span = r->launches.list.v[i].span;
		const struct host_span *s = &h->spans.v[span];
		if (launch_is_first(&r->launches, i))
			vec_push(&out->list, (struct host_item){ span_thread(h, s), span, (uint32_t)i,
			                                         span_start(h, s), span_end(h, s) });
	}
	vec_sort(&out->list, host_item_cmp);
}

/* For each launch an index into `host.names`: the innermost operator around it, else the call
   itself. Caller releases with free(). */
static uint32_t *launch_names(const struct reducer *r)
{
	const struct host_events *h = &r->host;
	struct host_items items = { VEC_INIT };
	VEC(struct host_item) open = VEC_INIT;
	uint32_t *names = mem_calloc(r->launches.list.nr, sizeof *names);
	host_items_find(r, &items);
	for (size_t i = 0; i < items.list.nr; i++) {
		const struct host_item *it = &items.list.v[i];
		while (open.nr && (open.v[open.nr - 1].thread != it->thread ||
		                   open.v[open.nr - 1].end_ns <= it->start_ns))
			open.nr--;
		if (it->launch == NO_ID)
			vec_push(&open, *it);
		else
			names[it->launch] =
			    (uint32_t)(span_name(h,
			                         &h->spans.v[open.nr ? open.v[open.nr - 1].span : it->span]) -
			               h->names.v);
	}
	vec_release(&open);
	vec_release(&items.list);
	return names;
}

/* Number of launches of one name (launch_names()) and kind that have activities, and the GPU time
   of these activities. */
struct work_sum {
	int64_t count, total_ns;
};

static void sum_work(const struct reducer *r, const uint32_t *names,
                     struct work_sum (*by_name)[NR_SUMS], struct work_sum all[NR_SUMS])
{
	const struct launch *v = r->launches.list.v;
	bool *counted = mem_calloc(r->launches.list.nr, sizeof *counted);
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		int kind = a->has_launch ? kind_of(r, &v[a->correlation]) : NR_SUMS;
		if (kind == NR_SUMS)
			continue;
		int64_t dur = activity_dur(&r->gpu, a), first = !counted[a->correlation];
		counted[a->correlation] = true;
		by_name[names[a->correlation]][kind].count += first;
		by_name[names[a->correlation]][kind].total_ns += dur;
		all[kind].count += first;
		all[kind].total_ns += dur;
	}
	free(counted);
}

/* Start of the first incomplete step after the complete measured ones; INT64_MAX if there is
   none. */
static int64_t whole_until(const struct steps *s)
{
	size_t end = s->warmup + s->usable;
	return s->window || end >= s->marks.nr ? INT64_MAX : s->marks.v[end].start_ns;
}

/* Launches of one kind without an activity: their number, the number of those whose time cannot be
   estimated, and the estimated time of the others. */
struct missing {
	int64_t count, unknown, total_ns;
};

static void take_missing(struct missing *m, const struct work_sum *own, const struct work_sum *all)
{
	const struct work_sum *s = own->count ? own : all;
	m->count++;
	m->unknown += !s->count;
	if (s->count)
		m->total_ns = number_add(m->total_ns, number_div_round(s->total_ns, s->count));
}

/* Adds the lost launches to `t`: all launches without an activity, except `left_over` many, whose
 * kernels were recorded with the id of another launch. */
static void add_lost(struct trust_counts *t, const struct missing *m, int64_t left_over)
{
	int64_t lost = m->count - left_over;
	if (lost <= 0)
		return;
	t->launches_without_kernel += lost;
	t->lost_unknown += m->unknown < lost ? m->unknown : lost;
	t->lost_ns = number_add(t->lost_ns, number_div_round((__int128)m->total_ns * lost, m->count));
}

void lost_figures(struct reducer *r, struct trust_counts *t)
{
	const struct host_events *h = &r->host;
	const struct launches *l = &r->launches;
	struct work_sum(*by_name)[NR_SUMS] = NULL, all[NR_SUMS] = { 0 };
	struct missing missing[NR_SUMS] = { 0 };
	uint32_t *names = NULL;
	int64_t until = whole_until(&r->steps);
	const struct launch *first = NULL; /* the first launch with the present id */
	if (l->pending_ns < until)
		until = l->pending_ns;
	for (size_t i = 0; i < l->list.nr; i++) {
		if (launch_is_first(l, i))
			first = &l->list.v[i];
		int kind = kind_of(r, &l->list.v[i]);
		if (first->settled || kind == NR_SUMS)
			continue;
		if (span_start(h, &h->spans.v[first->span]) >= until) {
			t->pending += kind != OF_COPIES;
			continue;
		}
		if (!names) {
			names = launch_names(r);
			by_name = mem_calloc(h->names.nr, sizeof *by_name);
			sum_work(r, names, by_name, all);
		}
		take_missing(&missing[kind], &by_name[names[first - l->list.v]][kind], &all[kind]);
	}
	t->left_over = l->extra < missing[OF_KERNELS].count ? l->extra : missing[OF_KERNELS].count;
	add_lost(t, &missing[OF_KERNELS], t->left_over);
	add_lost(t, &missing[OF_GRAPHS], 0);
	t->lost_copies = missing[OF_COPIES].count;
	t->lost_copies_ns = missing[OF_COPIES].total_ns;
	lost_nodes(r, until < l->open_ns ? until : l->open_ns, t);
	free(by_name);
	free(names);
}
