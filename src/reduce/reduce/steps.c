#include "base/number.h"
#include "base/search.h"
#include "reduce/reducer.h"

void steps_init(struct steps *s)
{
	idmap_init(&s->own.groups);
}

void steps_release(struct steps *s)
{
	idmap_release(&s->own.groups);
	vec_release(&s->marks);
	vec_release(&s->own.marks);
	vec_release(&s->own.intervals);
	vec_release(&s->own.numbered);
	vec_release(&s->annotations);
	vec_release(&s->owned);
}

void steps_take(struct reducer *r, const struct event *ev, bool marker)
{
	struct span name = name_span(ev->name);
	struct mark mark = { .start_ns = ev->start_ns,
		                 .end_ns = ev->start_ns + ev->dur_ns,
		                 .number = ev->numbered ? ev->step : step_number_of(name),
		                 .pid = ev->pid,
		                 .told = step_told_by(name) };
	if (marker)
		vec_push(&r->steps.marks, mark);
	else
		vec_push(&r->steps.own.numbered, mark);
}

/* ---- marks: intervals of steps ---- */

ORDERING(mark_cmp, struct mark, RISING(start_ns) RISING(end_ns))

/* True if `m`, which begins no earlier than `l`, marks the same step: a file may have the step
 * twice, or two threads may have written it. Both marks have the same number, or none, and most of
 * their time in common. */
static bool is_same_step(const struct mark *l, const struct mark *m)
{
	__int128 shared = (__int128)(m->end_ns < l->end_ns ? m->end_ns : l->end_ns) - m->start_ns;
	__int128 all = (__int128)(m->end_ns > l->end_ns ? m->end_ns : l->end_ns) - l->start_ns;
	return m->number == l->number && 2 * shared > all;
}

static void join_same(struct steps *s)
{
	size_t nr = 0, last = 0; /* `last`: index of the kept mark that ends last */
	for (size_t i = 0; i < s->marks.nr; i++) {
		struct mark m = s->marks.v[i];
		if (nr && is_same_step(&s->marks.v[last], &m)) {
			number_raise(&s->marks.v[last].end_ns, m.end_ns);
			continue;
		}
		if (!nr || m.end_ns > s->marks.v[last].end_ns)
			last = nr;
		s->marks.v[nr++] = m;
	}
	s->marks.nr = nr;
}

/* True if every step has a different number in its name. */
static bool numbers_are_distinct(const struct reducer *r)
{
	size_t nr = r->steps.marks.nr;
	int64_t *numbers = mem_calloc(nr, sizeof *numbers);
	for (size_t i = 0; i < nr; i++)
		numbers[i] = r->steps.marks.v[i].number;
	sort_plain(numbers, nr, sizeof *numbers, number_cmp_i64);
	bool distinct = numbers[0] >= 0 && ALL(i, nr - 1, numbers[i] != numbers[i + 1]);
	free(numbers);
	return distinct;
}

/* Divides the time among steps. An instant in several steps belongs to the first of them. */
static void divide_time(struct reducer *r)
{
	int64_t ended = INT64_MIN;
	for (size_t i = 0; i < r->steps.marks.nr; i++) {
		const struct mark *m = &r->steps.marks.v[i];
		if (m->end_ns <= ended || m->end_ns <= m->start_ns)
			continue;
		int64_t start = m->start_ns > ended ? m->start_ns : ended;
		vec_push(&r->steps.owned, (struct owned){ start, m->end_ns, (uint32_t)i });
		ended = m->end_ns;
	}
}

uint32_t steps_find(struct steps *s, int64_t at_ns)
{
	size_t lo = 0, hi = s->owned.nr; /* SEARCH makes `lo` the number of intervals that have begun at
	                                    `at_ns` */
	SEARCH(lo, hi, i, s->owned.v[i].start_ns <= at_ns);
	if (lo == 0 || at_ns >= s->owned.v[lo - 1].end_ns)
		return NO_ID;
	s->owned_near = lo - 1;
	return s->owned.v[lo - 1].step;
}

void steps_make(struct reducer *r, struct digest *d)
{
	vec_sort(&r->steps.marks, mark_cmp);
	if (r->steps.own.in_use)
		own_steps_order(r);
	else
		join_same(&r->steps);
	size_t nr = r->steps.marks.nr;
	d->total_steps = (int64_t)nr;
	d->window = r->steps.window = nr == 0 && r->first_ns <= r->last_ns;
	if (nr) {
		if (!numbers_are_distinct(r))
			for (size_t i = 0; i < nr; i++)
				r->steps.marks.v[i].number = (int64_t)i;
		r->steps.warmup = r->options.warmup < 0              ? 0
		                  : (uint64_t)r->options.warmup < nr ? (size_t)r->options.warmup
		                                                     : nr;
		divide_time(r);
	} else if (r->steps.window) {
		vec_push(&r->steps.marks, (struct mark){ .start_ns = r->first_ns, .end_ns = r->last_ns });
	}
	digest_set_steps(d, r->steps.marks.nr - r->steps.warmup);
	for (size_t i = 0; i < d->nr_steps; i++) {
		const struct mark *m = &r->steps.marks.v[r->steps.warmup + i];
		d->step_numbers[i] = m->number;
		d->samples[METRIC_STEP_TIME][i] = m->end_ns - m->start_ns;
		if (m->told.phase != PHASE_ALL && !d->step_phases)
			d->step_phases = arena_alloc(&d->arena, d->nr_steps, sizeof *d->step_phases);
		if (m->told.phase != PHASE_ALL)
			d->step_phases[i] = step_phase_code(m->told.phase);
	}
}

/* Number of complete measured steps. All steps from the first one that ends after the first pending
 * launch are left out. So is a last step with less than half of the median number of activities,
 * since the profiler stopped in it, unless it is an idle step of a server. */
static size_t usable_steps(const struct reducer *r, const struct digest *d)
{
	if (d->window)
		return d->nr_steps;
	for (size_t i = 0; i < d->nr_steps; i++)
		if (r->steps.marks.v[r->steps.warmup + i].end_ns > r->launches.pending_ns)
			return i;
	if (d->nr_steps < 3 || r->steps.marks.v[r->steps.marks.nr - 1].told.phase == PHASE_IDLE)
		return d->nr_steps;
	int64_t median = stat_of(STAT_MEDIAN, d->step_activities, d->nr_steps);
	return d->nr_steps - (d->step_activities[d->nr_steps - 1] * 2 < median ? 1 : 0);
}

/* What the name of complete measured step `i` says about the step. In a trace without steps: what
 * name `i` of `host.names` says, since the steps of a server may be annotations that do not match
 * the marker. */
static struct step_told told_by(const struct reducer *r, size_t i)
{
	if (!r->steps.window)
		return r->steps.marks.v[r->steps.warmup + i].told;
	const struct host_name *h = &r->host.names.v[i];
	return h->annotated ? step_told_by(h->name) : (struct step_told){ 0 };
}

static void take_range(int64_t nr, int64_t *low, int64_t *high)
{
	if (nr && (!*high || nr < *low))
		*low = nr;
	number_raise(high, nr);
}

/* Finds the lowest and highest number of tokens, and of requests in decode steps (in all steps, if
 * none is a decode step). */
static void find_requests(const struct reducer *r, struct trust_counts *t)
{
	size_t nr = r->steps.window ? r->host.names.nr : r->steps.usable;
	bool decode = ANY(i, nr, told_by(r, i).phase == PHASE_DECODE);
	for (size_t i = 0; i < nr; i++) {
		struct step_told told = told_by(r, i);
		take_range(told.tokens, &t->tokens_low, &t->tokens_high);
		if (!decode || told.phase == PHASE_DECODE)
			take_range(told.requests, &t->requests_low, &t->requests_high);
	}
}

void steps_attribute(struct reducer *r, struct digest *d)
{
	struct trust_counts *t = &d->trust;
	bool by_launch = !r->steps.own.in_use && launches_prevail(t);
	d->attribution = d->total_steps == 0 ? ATTRIBUTION_NONE
	                 : by_launch         ? ATTRIBUTION_LAUNCH
	                                     : ATTRIBUTION_TIMESTAMP;
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		struct activity *a = &r->gpu.activities.v[i];
		const struct host_span *launch = activity_launch(r, a);
		if (r->steps.own.in_use)
			a->step = own_steps_at(r, a);
		else if (r->steps.window || !by_launch)
			a->step = steps_at(&r->steps, a->start_ns);
		else
			a->step = launch ? steps_at(&r->steps, span_start(&r->host, launch)) : NO_ID;
		if (a->step == NO_ID) {
			t->unattributed++;
			t->unattributed_ns += activity_dur(&r->gpu, a);
		}
		if (steps_measured(&r->steps, a->step) != NO_ID)
			d->step_activities[steps_measured(&r->steps, a->step)]++;
	}
	r->steps.usable = usable_steps(r, d);
	d->usable_steps = (int64_t)r->steps.usable;
	find_requests(r, t);
}
