#include "reduce/lost.h"

#include "base/number.h"
#include "base/search.h"
#include "reduce/reducer.h"

/* ---- stream captures ---- */

/* A stream capture, from the start of an outermost Begin to the start of its End. A Begin without
 * an End is not a capture: events may be missing. */
struct capture {
	uint32_t thread;
	int64_t start_ns, end_ns;
};
struct captures {
	VEC(struct capture) list; ///< stream captures, sorted by thread, start; disjoint per thread
};

/* A call that begins (+1) or ends (-1) a capture. */
struct capture_call {
	uint32_t thread;
	int64_t at_ns;
	int by;
};

static int capture_call_cmp(const void *a, const void *b)
{
	const struct capture_call *x = a, *y = b;
	ORDER_BY(x->thread, y->thread);
	return COMPARE(x->at_ns, y->at_ns);
}

static void captures_find(const struct host_events *h, struct captures *out)
{
	VEC(struct capture_call) calls = VEC_INIT;
	for (size_t i = 0; i < h->spans.nr; i++) {
		const struct host_span *s = &h->spans.v[i];
		int by = span_name(h, s)->capture;
		if (by)
			vec_push(&calls, (struct capture_call){ span_thread(h, s), span_start(h, s), by });
	}
	vec_sort(&calls, capture_call_cmp);
	int depth = 0;
	struct capture c = { 0 };
	for (size_t i = 0; i < calls.nr; i++) {
		const struct capture_call *call = &calls.v[i];
		if (depth && call->thread != c.thread)
			depth = 0;
		if (call->by > 0 && depth++ == 0)
			c = (struct capture){ call->thread, call->at_ns, 0 };
		else if (call->by < 0 && depth && --depth == 0)
			vec_push(&out->list, (struct capture){ c.thread, c.start_ns, call->at_ns });
	}
	vec_release(&calls);
}

static bool captures_have(const struct captures *c, uint32_t thread, int64_t at_ns)
{
	size_t lo = 0, hi = c->list.nr; /* lo after SEARCH: number of captures up to (thread, at_ns) */
	SEARCH(lo, hi, i,
	       c->list.v[i].thread < thread ||
	           (c->list.v[i].thread == thread && c->list.v[i].start_ns <= at_ns));
	return lo && c->list.v[lo - 1].thread == thread && at_ns < c->list.v[lo - 1].end_ns;
}

void captures_settle(struct reducer *r)
{
	const struct host_events *h = &r->host;
	struct captures captures = { VEC_INIT };
	bool any = false;
	for (size_t i = 0; i < h->names.nr && !any; i++)
		any = h->names.v[i].capture != 0;
	if (any)
		captures_find(h, &captures);
	for (size_t i = 0; i < r->launches.list.nr && captures.list.nr; i++) {
		struct launch *l = &r->launches.list.v[i];
		const struct host_span *s = &h->spans.v[l->span];
		if (launch_is_first(&r->launches, i) && !l->settled)
			l->settled = captures_have(&captures, span_thread(h, s), span_start(h, s));
	}
	vec_release(&captures.list);
}

/* ---- time of lost kernels ---- */

/* A host operator, or a kernel's launch: the first call with the kernel's correlation id. */
struct host_item {
	uint32_t thread, span;
	uint32_t launch; ///< index of the launch; NO_ID for an operator
	int64_t start_ns, end_ns;
};

/* Orders by thread and start; then an outer operator before an inner one, and a launch last. */
static int host_item_cmp(const void *a, const void *b)
{
	const struct host_item *x = a, *y = b;
	ORDER_BY(x->thread, y->thread);
	ORDER_BY(x->start_ns, y->start_ns);
	ORDER_BY(x->launch != NO_ID, y->launch != NO_ID);
	return COMPARE(y->end_ns, x->end_ns);
}

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

struct kernel_sum {
	int64_t count, total_ns;
};

static int64_t kernel_mean(const struct kernel_sum *own, const struct kernel_sum *all)
{
	const struct kernel_sum *s = own->count ? own : all;
	return s->count ? number_div_round(s->total_ns, s->count) : 0;
}

/* Start of the last step if that was cut short, else INT64_MAX. */
static int64_t whole_until(const struct steps *s)
{
	size_t end = s->warmup + s->usable;
	return s->window || end >= s->marks.nr ? INT64_MAX : s->marks.v[end].start_ns;
}

void lost_figures(struct reducer *r, struct trust_counts *t)
{
	const struct host_events *h = &r->host;
	if (t->launches_without_kernel == 0)
		return;
	uint32_t *names = launch_names(r);
	struct kernel_sum *by_name = mem_calloc(h->names.nr, sizeof *by_name), all = { 0 };
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		if (!a->has_launch || activity_name(&r->gpu, a)->stat.kind != EVENT_KERNEL)
			continue;
		struct kernel_sum *own = &by_name[names[a->correlation]];
		int64_t dur = activity_dur(&r->gpu, a);
		own->count++, all.count++;
		own->total_ns += dur, all.total_ns += dur;
	}
	int64_t until = whole_until(&r->steps);
	for (size_t i = 0; i < r->launches.list.nr; i++) {
		const struct launch *l = &r->launches.list.v[i];
		const struct host_span *s = &h->spans.v[l->span];
		if (launch_is_first(&r->launches, i) && !l->settled && span_name(h, s)->kernel_launch &&
		    span_start(h, s) < until)
			t->lost_ns = number_add(t->lost_ns, kernel_mean(&by_name[names[i]], &all));
	}
	free(by_name);
	free(names);
}
