/* Exclusive times of Python functions: a sweep over the calls of all threads at once. */
#include "reduce/python.h"

/* When something happens next: on a thread, or the end of one of its frames that does not lie in
   the one around it, a stray. What happens at once may happen in any order. */
struct moment {
	int64_t at_ns;
	uint32_t thread;
	uint32_t stray; ///< frame, NO_ID none
};

/* A frame that runs. */
struct inside {
	int64_t end_ns;
	uint32_t frame;
};

/* Where the sweep is on a thread. */
struct lane {
	size_t next; ///< frame to begin
	const struct python_run *run; ///< its
	int64_t start_ns, end_ns; ///< of that, within the window; INT64_MAX where there is none
	VEC(struct inside) inside; ///< each ends no later than the one below it, the lowest never
};

struct sweep {
	const struct reducer *r;
	struct path *paths;
	struct lane *lanes; ///< of each thread
	VEC(struct moment) heap; ///< the earliest first
	size_t segment; ///< of `higher`: the next
	int64_t next_ns; ///< when that begins; INT64_MAX none
	int64_t until_ns; ///< the end of the one before it
	int64_t still_ns, covered_ns; ///< uncovered() until then; what to take off afterwards
};

static void heap_push(struct sweep *s, struct moment m)
{
	vec_push(&s->heap, m);
	size_t i = s->heap.nr - 1;
	for (; i && m.at_ns < s->heap.v[(i - 1) / 2].at_ns; i = (i - 1) / 2)
		s->heap.v[i] = s->heap.v[(i - 1) / 2];
	s->heap.v[i] = m;
}

/* `m` in place of the earliest. */
static void heap_replace(struct sweep *s, struct moment m)
{
	size_t i = 0;
	for (size_t k; (k = 2 * i + 1) < s->heap.nr; i = k) {
		k += k + 1 < s->heap.nr && s->heap.v[k + 1].at_ns < s->heap.v[k].at_ns;
		if (m.at_ns <= s->heap.v[k].at_ns)
			break;
		s->heap.v[i] = s->heap.v[k];
	}
	s->heap.v[i] = m;
}

static void heap_pop(struct sweep *s)
{
	struct moment last = s->heap.v[--s->heap.nr];
	if (s->heap.nr)
		heap_replace(s, last);
}

/* When the second of them comes. */
static int64_t heap_second(const struct sweep *s)
{
	int64_t at = INT64_MAX;
	for (size_t i = 1; i < 3 && i < s->heap.nr; i++)
		at = s->heap.v[i].at_ns < at ? s->heap.v[i].at_ns : at;
	return at;
}

static void next_segment(struct sweep *s)
{
	const struct higher *h = &s->r->higher;
	const struct segment *v = &h->list.v[s->segment++];
	s->until_ns = v->end_ns;
	s->still_ns = v->start_ns - s->r->first_ns - v->before_ns;
	s->covered_ns = s->r->first_ns + v->before_ns + (v->end_ns - v->start_ns);
	s->next_ns = s->segment < h->list.nr ? h->list.v[s->segment].start_ns : INT64_MAX;
}

/* Length of what nothing of a higher class covers, from the begin of the window to `at`, which
   never goes back. */
static int64_t uncovered(struct sweep *s, int64_t at)
{
	while (at > s->next_ns)
		next_segment(s);
	return at < s->until_ns ? s->still_ns : at - s->covered_ns;
}

/* One frame more of a path is at work itself, from then on; or less. */
static void path_begins(struct path *x, int64_t uncovered_ns)
{
	if (x->running++ == 0)
		x->exclusive_ns -= uncovered_ns;
}

static void path_ends(struct path *x, int64_t uncovered_ns)
{
	if (--x->running == 0)
		x->exclusive_ns += uncovered_ns;
}

/* From here on the frame's `start` is the number of its callees that run. */
static void frame_begins(struct sweep *s, struct python_frame *v, uint32_t i, int64_t at)
{
	int64_t uncovered_ns = uncovered(s, at);
	uint32_t caller = v[i].parent;
	v[i].start = 0;
	path_begins(&s->paths[v[i].name], uncovered_ns);
	if (caller != NO_ID && v[caller].start++ == 0)
		path_ends(&s->paths[v[caller].name], uncovered_ns);
}

static void frame_ends(struct sweep *s, struct python_frame *v, uint32_t i, int64_t at)
{
	int64_t uncovered_ns = uncovered(s, at);
	uint32_t caller = v[i].parent;
	path_ends(&s->paths[v[i].name], uncovered_ns);
	if (caller != NO_ID && --v[caller].start == 0)
		path_begins(&s->paths[v[caller].name], uncovered_ns);
}

/* The next frame is the first from `i` on that takes any time within the window. */
static void lane_find(struct lane *l, const struct reducer *r, const struct python_thread *t,
                      size_t i)
{
	l->start_ns = INT64_MAX;
	for (; i < t->frames.nr; i++) {
		l->run = run_at(t, l->run, i);
		int64_t start = frame_start(l->run, &t->frames.v[i]);
		int64_t end = start + frame_dur(r, &t->frames.v[i]);
		start = start > r->first_ns ? start : r->first_ns;
		end = end < r->last_ns ? end : r->last_ns;
		if (end > start) {
			l->start_ns = start;
			l->end_ns = end;
			break;
		}
	}
	l->next = i;
}

/* When something happens next on the thread, strays left out; INT64_MAX: nothing. */
static int64_t lane_at(const struct lane *l)
{
	int64_t end = l->inside.v[l->inside.nr - 1].end_ns;
	return end < l->start_ns ? end : l->start_ns;
}

/* What happens on the thread up to `until`, and to the first stray. */
static void lane_run(struct sweep *s, uint32_t thread, int64_t until)
{
	const struct python_thread *t = &s->r->python_threads.v[thread];
	struct lane *l = &s->lanes[thread];
	for (int64_t at; (at = lane_at(l)) <= until && at != INT64_MAX;) {
		const struct inside *top = &l->inside.v[l->inside.nr - 1];
		if (top->end_ns == at) {
			frame_ends(s, t->frames.v, top->frame, at);
			l->inside.nr--;
			continue;
		}
		struct inside f = { l->end_ns, (uint32_t)l->next };
		frame_begins(s, t->frames.v, f.frame, at);
		lane_find(l, s->r, t, l->next + 1);
		if (f.end_ns > top->end_ns) {
			heap_push(s, (struct moment){ f.end_ns, thread, f.frame });
			return;
		}
		vec_push(&l->inside, f);
	}
}

static void lane_begin(struct sweep *s, uint32_t thread)
{
	const struct python_thread *t = &s->r->python_threads.v[thread];
	struct lane *l = &s->lanes[thread];
	l->run = t->runs.v;
	vec_push(&l->inside, (struct inside){ INT64_MAX, NO_ID });
	lane_find(l, s->r, t, 0);
	heap_push(s, (struct moment){ lane_at(l), thread, NO_ID });
}

/* The heap has one moment of each thread, its next, and those of the strays: mostly none. */
void python_sweep(struct python *p)
{
	const struct reducer *r = p->r;
	size_t nr = r->python_threads.nr;
	struct sweep s = { .r = r, .paths = p->paths.v, .lanes = mem_calloc(nr, sizeof *s.lanes) };
	s.next_ns = r->higher.list.nr ? r->higher.list.v[0].start_ns : INT64_MAX;
	s.until_ns = INT64_MIN;
	s.covered_ns = r->first_ns;
	for (uint32_t i = 0; i < nr; i++)
		lane_begin(&s, i);
	while (s.heap.nr) {
		struct moment m = s.heap.v[0];
		if (m.stray != NO_ID) {
			frame_ends(&s, r->python_threads.v[m.thread].frames.v, m.stray, m.at_ns);
			heap_pop(&s);
			continue;
		}
		lane_run(&s, m.thread, heap_second(&s));
		m.at_ns = lane_at(&s.lanes[m.thread]);
		if (m.at_ns == INT64_MAX)
			heap_pop(&s);
		else
			heap_replace(&s, m);
	}
	for (size_t i = 0; i < nr; i++)
		vec_release(&s.lanes[i].inside);
	free(s.lanes);
	vec_release(&s.heap);
}
