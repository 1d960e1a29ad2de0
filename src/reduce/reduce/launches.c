#include "base/number.h"
#include "base/search.h"
#include "reduce/reducer.h"

void launches_release(struct launches *l)
{
	vec_release(&l->list);
	vec_release(&l->wide.list);
}

void launches_take(struct reducer *r, const struct event *ev)
{
	struct launches *l = &r->launches;
	vec_push(&l->list, (struct launch){ .correlation = narrow(&l->wide, ev->correlation, &r->fault),
	                                    .span = (uint32_t)r->host.spans.nr });
}

/* ---- access to the sorted launches ---- */

static inline int64_t launch_id(const struct launches *l, size_t i)
{
	return widen(&l->wide, l->list.v[i].correlation);
}

static int launch_cmp(const void *a, const void *b, void *reducer)
{
	const struct reducer *r = reducer;
	const struct launch *x = a, *y = b;
	int64_t cx = widen(&r->launches.wide, x->correlation);
	int64_t cy = widen(&r->launches.wide, y->correlation);
	ORDER_BY(cx, cy);
	int64_t sx = span_start(&r->host, &r->host.spans.v[x->span]);
	int64_t sy = span_start(&r->host, &r->host.spans.v[y->span]);
	return COMPARE(sx, sy);
}

static bool smallest_launch(const struct reducer *r, __int128 *low)
{
	bool found = false;
	for (size_t i = 0; i < r->launches.list.nr; i++) {
		int64_t id = launch_id(&r->launches, i);
		__int128 v;
		if (ident_integer(r->names, id, &v) && (!found || v < *low)) {
			*low = v;
			found = true;
		}
		if (id >= 0)
			break; /* all further launches have larger ids */
	}
	return found;
}

/* Index of the first launch with this id, or NO_ID. Searches outwards from `from`, the index that
   was found last, in steps that double. */
static uint32_t launch_find(const struct launches *l, int64_t id, size_t from)
{
	size_t lo = 0, hi = l->list.nr; /* lo becomes the number of launches with smaller ids */
	for (size_t step = 1; from + step < hi; step *= 2) {
		if (launch_id(l, from + step) >= id) {
			hi = from + step;
			break;
		}
		lo = from + step;
	}
	for (size_t step = 1; hi <= from + 1 && step <= from; step *= 2) {
		if (launch_id(l, from - step) < id) {
			lo = from - step;
			break;
		}
		hi = from - step;
	}
	SEARCH(lo, hi, i, launch_id(l, i) < id);
	return lo < l->list.nr && launch_id(l, lo) == id ? (uint32_t)lo : NO_ID;
}

/* Sets the launch of an activity. An activity without a start begins with its launch. A call that
 * launches a single kernel cannot have two, so a second kernel with its id belongs to another
 * launch. */
static void take_match(struct reducer *r, struct activity *a, uint32_t launch)
{
	struct launch *l = &r->launches.list.v[launch];
	const struct host_span *call = &r->host.spans.v[l->span];
	int64_t start = span_start(&r->host, call);
	bool kernel = activity_name(&r->gpu, a)->stat.kind == EVENT_KERNEL;
	r->launches.extra += kernel && l->settled && span_name(&r->host, call)->kernel_launch;
	l->settled = true;
	a->correlation = launch;
	a->has_launch = true;
	if (a->start_ns == NO_START)
		a->start_ns = start;
	else if (!a->untimed)
		number_raise(&r->launches.delay_ns, activity_end(&r->gpu, a) - start);
}

void launches_match(struct reducer *r, bool open_end, struct trust_counts *t)
{
	t->gpu_events = (int64_t)r->gpu.activities.nr;
	__int128 low = 0, id;
	struct launches *l = &r->launches;
	sort_runs(l->list.v, l->list.nr, sizeof *l->list.v, launch_cmp, r);
	bool has_low = smallest_launch(r, &low);
	uint32_t near = 0;
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		struct activity *a = &r->gpu.activities.v[i];
		int64_t correlation = activity_correlation(r, a);
		uint32_t launch = correlation == IDENT_NONE ? NO_ID : launch_find(l, correlation, near);
		if (launch != NO_ID) {
			take_match(r, a, near = launch);
			t->with_launch++;
		} else if (has_low && ident_integer(r->names, correlation, &id) && id < low) {
			a->before = true;
			t->carried_over++;
		} else {
			t->dropped++;
			t->dropped_ns += activity_dur(&r->gpu, a);
			l->extra += activity_name(&r->gpu, a)->stat.kind == EVENT_KERNEL;
		}
		if (a->start_ns == NO_START)
			a->start_ns = r->first_ns;
	}
	account_launched(r, t);
	t->gpu_ns = r->gpu.total_ns;
	launches_settle(r, open_end, t);
}

void launches_end(struct reducer *r)
{
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		struct activity *a = &r->gpu.activities.v[i];
		if (a->has_launch)
			a->correlation = r->launches.list.v[a->correlation].span;
	}
	launches_release(&r->launches);
}

bool launches_prevail(const struct trust_counts *t)
{
	return t->gpu_events && t->with_launch * 2 >= t->gpu_events;
}
