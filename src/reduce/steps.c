#include <string.h>

#include "base/number.h"
#include "reduce/reducer.h"

static int mark_cmp(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->end_ns != y->end_ns)
		return x->end_ns < y->end_ns ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Steps go by the numbers in their names where every step has its own. */
static bool numbers_serve(const struct reducer *r)
{
	size_t nr = r->marks.nr;
	int64_t *numbers = mem_calloc(nr, sizeof *numbers);
	for (size_t i = 0; i < nr; i++)
		numbers[i] = r->marks.v[i].number;
	sort_plain(numbers, nr, sizeof *numbers, number_cmp_i64);
	bool serve = numbers[0] >= 0;
	for (size_t i = 1; serve && i < nr; i++)
		serve = numbers[i] != numbers[i - 1];
	free(numbers);
	return serve;
}

/* An instant belongs to the first step that holds it. As steps come in order
   of start, what is left of one begins where all before it have ended. */
static void divide_time(struct reducer *r)
{
	int64_t ended = INT64_MIN;
	for (size_t i = 0; i < r->marks.nr; i++) {
		const struct mark *m = &r->marks.v[i];
		if (m->end_ns <= ended || m->end_ns <= m->start_ns)
			continue;
		int64_t start = m->start_ns > ended ? m->start_ns : ended;
		vec_push(&r->owned, (struct owned){ start, m->end_ns, (uint32_t)i });
		ended = m->end_ns;
	}
}

uint32_t steps_find(struct reducer *r, int64_t at_ns)
{
	size_t lo = 0, hi = r->owned.nr; /* lo becomes the number of parts begun by then */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->owned.v[mid].start_ns <= at_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0 || at_ns >= r->owned.v[lo - 1].end_ns)
		return NO_ID;
	r->owned_near = lo - 1;
	return r->owned.v[lo - 1].step;
}

void steps_make(struct reducer *r, struct digest *d)
{
	size_t nr = r->marks.nr;
	d->total_steps = (int64_t)nr;
	d->window = r->window = nr == 0 && r->first_ns <= r->last_ns;
	if (nr) {
		vec_sort(&r->marks, mark_cmp);
		if (r->own.serve)
			own_steps_order(r);
		if (!numbers_serve(r))
			for (size_t i = 0; i < nr; i++)
				r->marks.v[i].number = (int64_t)i;
		r->warmup = r->options.warmup < 0              ? 0
		            : (uint64_t)r->options.warmup < nr ? (size_t)r->options.warmup
		                                               : nr;
		divide_time(r);
	} else if (r->window) {
		vec_push(&r->marks, (struct mark){ .start_ns = r->first_ns, .end_ns = r->last_ns });
	}
	digest_set_steps(d, r->marks.nr - r->warmup);
	for (size_t i = 0; i < d->nr_steps; i++) {
		const struct mark *m = &r->marks.v[r->warmup + i];
		d->step_numbers[i] = m->number;
		d->samples[METRIC_STEP_TIME][i] = m->end_ns - m->start_ns;
		if (m->phase != PHASE_ALL && !d->step_phases)
			d->step_phases = arena_alloc(&d->arena, d->nr_steps, sizeof *d->step_phases);
		if (m->phase != PHASE_ALL)
			d->step_phases[i] = step_phase_code(m->phase);
	}
}

/* A correlation id as an integer. Ids that are no int64 come as text; beyond
   37 digits all are equally far. */
static bool ident_integer(const struct name_table *names, int64_t ident, __int128 *out)
{
	if (ident >= 0) {
		*out = ident;
		return true;
	}
	if (ident == IDENT_NONE)
		return false;
	struct span s = name_span(names->by_id[-2 - ident]);
	bool negative = s.n && s.p[0] == '-';
	__int128 v = 0, limit = (__int128)1000000000000000000 * 1000000000000000000;
	for (size_t i = negative; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v < limit ? v * 10 + (s.p[i] - '0') : v;
	}
	*out = negative ? -v : v;
	return s.n > (size_t)negative;
}

static int launch_cmp(const void *a, const void *b, void *reducer)
{
	const struct reducer *r = reducer;
	const struct launch *x = a, *y = b;
	int64_t cx = widen(r, x->correlation), cy = widen(r, y->correlation);
	if (cx != cy)
		return cx < cy ? -1 : 1;
	int64_t sx = span_start(r, &r->spans.v[x->span]), sy = span_start(r, &r->spans.v[y->span]);
	if (sx != sy)
		return sx < sy ? -1 : 1;
	return (x->span > y->span) - (x->span < y->span);
}

static bool smallest_launch(const struct reducer *r, __int128 *low)
{
	bool found = false;
	for (size_t i = 0; i < r->launches.nr; i++) {
		int64_t id = widen(r, r->launches.v[i].correlation);
		__int128 v;
		if (ident_integer(r->names, id, &v) && (!found || v < *low)) {
			*low = v;
			found = true;
		}
		if (id >= 0)
			break; /* those behind it are larger */
	}
	return found;
}

/* Index of the first launch with this id, or NO_ID; near `from`, that of the last one, it is found
 * soon.
 */
static uint32_t launch_find(const struct reducer *r, int64_t id, size_t from)
{
	size_t lo = 0, hi = r->launches.nr; /* lo becomes the number of those with smaller ids */
	for (size_t step = 1; from + step < hi; step *= 2) {
		if (widen(r, r->launches.v[from + step].correlation) >= id) {
			hi = from + step;
			break;
		}
		lo = from + step;
	}
	for (size_t step = 1; hi <= from + 1 && step <= from; step *= 2) {
		if (widen(r, r->launches.v[from - step].correlation) < id) {
			lo = from - step;
			break;
		}
		hi = from - step;
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (widen(r, r->launches.v[mid].correlation) < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < r->launches.nr && widen(r, r->launches.v[lo].correlation) == id ? (uint32_t)lo
	                                                                            : NO_ID;
}

void steps_launches(struct reducer *r, struct trust_counts *t)
{
	t->gpu_events = (int64_t)r->activities.nr;
	t->gpu_ns = r->gpu_ns;
	__int128 low = 0, id;
	sort_runs(r->launches.v, r->launches.nr, sizeof *r->launches.v, launch_cmp, r);
	bool has_low = smallest_launch(r, &low);
	uint32_t near = 0;
	for (size_t i = 0; i < r->activities.nr; i++) {
		struct activity *a = &r->activities.v[i];
		int64_t correlation = activity_correlation(r, a);
		uint32_t launch = correlation == IDENT_NONE ? NO_ID : launch_find(r, correlation, near);
		if (launch != NO_ID) {
			a->correlation = near = launch;
			a->has_launch = true;
			r->launches.v[launch].has_activity = true;
			t->with_launch++;
		} else if (has_low && ident_integer(r->names, correlation, &id) && id < low) {
			t->carried_over++;
		} else {
			t->dropped++;
			t->dropped_ns += activity_dur(r, a);
		}
	}
	bool has_activity = false; /* the first with the id */
	for (size_t i = 0; i < r->launches.nr; i++) {
		if (launch_is_first(r, i))
			has_activity = r->launches.v[i].has_activity;
		bool kernel = span_name(r, &r->spans.v[r->launches.v[i].span])->kernel_launch;
		t->launches += kernel;
		t->launches_without_kernel += kernel && !has_activity;
	}
}

void steps_launches_end(struct reducer *r)
{
	for (size_t i = 0; i < r->activities.nr; i++) {
		struct activity *a = &r->activities.v[i];
		if (a->has_launch)
			a->correlation = r->launches.v[a->correlation].span;
	}
	vec_release(&r->launches);
}

bool steps_by_launch(const struct trust_counts *t)
{
	return t->gpu_events && t->with_launch * 2 >= t->gpu_events;
}

/* Without a last step that has less than half of the usual activities: the
   profiler stopped within it. */
static size_t usable_steps(const struct digest *d)
{
	if (d->window || d->nr_steps < 3)
		return d->nr_steps;
	int64_t *sorted = mem_calloc(d->nr_steps, sizeof *sorted);
	memcpy(sorted, d->step_activities, d->nr_steps * sizeof *sorted);
	int64_t median = number_median(sorted, d->nr_steps);
	free(sorted);
	return d->nr_steps - (d->step_activities[d->nr_steps - 1] * 2 < median ? 1 : 0);
}

void steps_attribute(struct reducer *r, struct digest *d)
{
	struct trust_counts *t = &d->trust;
	bool by_launch = !r->own.serve && steps_by_launch(t);
	d->attribution = d->total_steps == 0 ? ATTRIBUTION_NONE
	                 : by_launch         ? ATTRIBUTION_LAUNCH
	                                     : ATTRIBUTION_TIMESTAMP;
	for (size_t i = 0; i < r->activities.nr; i++) {
		struct activity *a = &r->activities.v[i];
		const struct host_span *launch = activity_launch(r, a);
		if (r->own.serve)
			a->step = own_steps_at(r, a);
		else if (r->window || !by_launch)
			a->step = steps_at(r, a->start_ns);
		else
			a->step = launch ? steps_at(r, span_start(r, launch)) : NO_ID;
		if (a->step == NO_ID) {
			t->unattributed++;
			t->unattributed_ns += activity_dur(r, a);
		}
		if (steps_measured(r, a->step) != NO_ID)
			d->step_activities[steps_measured(r, a->step)]++;
	}
	r->usable = usable_steps(d);
	d->usable_steps = (int64_t)r->usable;
}
