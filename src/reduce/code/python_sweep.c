/* Computes exclusive times of Python functions by one sweep in time over the calls of all
   threads. */
#include "code/python_internal.h"

/* A frame that is running at the present moment. */
struct running_frame {
	int64_t end_ns;
	struct path *path;
	struct python_frame *caller; ///< frame that called this frame, or NULL
};

/* The time of the next event on a thread, or of the end of a stray frame (one that ends after the
 * frame around it). The order of simultaneous events does not matter. */
struct moment {
	int64_t at_ns;
	uint32_t thread;
	uint32_t stray; ///< index of the frame that ends, if it ends after the frame around it; NO_ID
	                ///< for the next event of the thread
};

/* Position of the sweep on one thread. */
struct sweep_thread {
	size_t next; ///< index of the next frame to begin
	struct run_walk walk; ///< position of the walk, which is at the next frame
	int64_t start_ns, end_ns; ///< start and end of the next frame, limited to the window; INT64_MAX
	                          ///< after the last frame
	VEC(struct running_frame)
	/// Stack of running frames: each ends no later than the frame below it; the sentinel at the
	/// bottom never ends.
	inside;
};

struct sweep {
	const struct python_frames *frames;
	const struct python_window *w;
	struct path *paths;
	struct sweep_thread *threads;
	VEC(struct moment) heap; ///< heap with the earliest moment on top
	size_t segment; ///< index of the next segment in `w->higher`, the time in which functions of
	                ///< higher classes run
	int64_t next_ns; ///< start of the next segment, or INT64_MAX
	int64_t until_ns; ///< end of the previous segment
	int64_t still_ns, covered_ns; ///< uncovered time up to `until_ns`; number to subtract from a
	                              ///< later moment to get the uncovered time up to that moment
};

static void heap_push(struct sweep *s, struct moment m)
{
	vec_push(&s->heap, m);
	size_t i = s->heap.nr - 1;
	for (; i && m.at_ns < s->heap.v[(i - 1) / 2].at_ns; i = (i - 1) / 2)
		s->heap.v[i] = s->heap.v[(i - 1) / 2];
	s->heap.v[i] = m;
}

/* Replaces the earliest moment in the heap by the moment `m`. */
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

/* Time of the second earliest moment in the heap, or INT64_MAX. */
static int64_t heap_second(const struct sweep *s)
{
	int64_t at = INT64_MAX - 1;
	for (size_t i = 1; i < 3 && i < s->heap.nr; i++)
		at = s->heap.v[i].at_ns < at ? s->heap.v[i].at_ns : at;
	return at;
}

static void sweep_next_segment(struct sweep *s)
{
	const struct higher *h = s->w->higher;
	const struct segment *v = &h->list.v[s->segment++];
	s->until_ns = v->start_ns + v[1].before_ns - v->before_ns;
	s->still_ns = v->start_ns - s->w->first_ns - v->before_ns;
	s->covered_ns = s->w->first_ns + v[1].before_ns;
	s->next_ns = s->segment < h->list.nr ? h->list.v[s->segment].start_ns : INT64_MAX;
}

/* Time from the beginning of the window to `at` that no GPU work or runtime call covers. `at` must
 * not decrease from one call to the next. */
static inline int64_t uncovered(struct sweep *s, int64_t at)
{
	while (at > s->next_ns)
		sweep_next_segment(s);
	return at < s->until_ns ? s->still_ns : at - s->covered_ns;
}

/* A path gets exclusive time while at least one of its frames runs without a running callee:
   path_begins() is called when a frame of the path begins to do so, path_ends() when it stops. */
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

static inline struct running_frame running_frame_of(const struct sweep *s, struct python_frame *v,
                                                    size_t i)
{
	return (struct running_frame){ .path = &s->paths[v[i].name],
		                           .caller = v[i].parent == NO_ID ? NULL : &v[v[i].parent] };
}

/* Begins a frame whose start time is `at`. The frame's member `start` is not needed as a time any
   more: from now on it counts those callees of the frame that are running. */
static inline void frame_begins(struct sweep *s, const struct running_frame *f, int64_t at)
{
	int64_t uncovered_ns = uncovered(s, at);
	path_begins(f->path, uncovered_ns);
	if (f->caller && f->caller->start++ == 0)
		path_ends(&s->paths[f->caller->name], uncovered_ns);
}

static inline void frame_ends(struct sweep *s, const struct running_frame *f, int64_t at)
{
	int64_t uncovered_ns = uncovered(s, at);
	path_ends(f->path, uncovered_ns);
	if (f->caller && --f->caller->start == 0)
		path_begins(&s->paths[f->caller->name], uncovered_ns);
}

/* Moves to the first frame, from index `i` on, that takes time within the window. */
static inline void sweep_thread_next(struct sweep_thread *l, const struct sweep *s,
                                     const struct python_thread *t, size_t i)
{
	l->start_ns = INT64_MAX;
	for (; i < t->frames.nr; i++) {
		int64_t start = frame_start(run_at(t, &l->walk, i), &t->frames.v[i]);
		int64_t end = start + frame_dur(s->frames, &t->frames.v[i]);
		start = start > s->w->first_ns ? start : s->w->first_ns;
		end = end < s->w->last_ns ? end : s->w->last_ns;
		if (end > start) {
			l->start_ns = start;
			l->end_ns = end;
			break;
		}
	}
	l->next = i;
}

/* Time of the next event on the thread, not counting the ends of stray frames (which end after the
 * frame around them); INT64_MAX if there is none. */
static int64_t sweep_thread_at(const struct sweep_thread *l)
{
	int64_t end = l->inside.v[l->inside.nr - 1].end_ns;
	return end < l->start_ns ? end : l->start_ns;
}

/* Processes the thread's events up to the time `until`, or to its first stray frame (see struct
   moment). */
static void sweep_thread_run(struct sweep *s, uint32_t thread, int64_t until)
{
	const struct python_thread *t = &s->frames->threads.v[thread];
	struct sweep_thread l = s->threads[thread];
	struct running_frame *top = &l.inside.v[l.inside.nr - 1];
	while ((top->end_ns < l.start_ns ? top->end_ns : l.start_ns) <= until) {
		if (top->end_ns <= l.start_ns) {
			frame_ends(s, top, top->end_ns);
			top--;
			continue;
		}
		uint32_t i = (uint32_t)l.next;
		struct running_frame f = running_frame_of(s, t->frames.v, i);
		f.end_ns = l.end_ns;
		t->frames.v[i].start = 0;
		frame_begins(s, &f, l.start_ns);
		sweep_thread_next(&l, s, t, l.next + 1);
		if (f.end_ns > top->end_ns) {
			heap_push(s, (struct moment){ f.end_ns, thread, i });
			break;
		}
		if (++top == l.inside.v + l.inside.cap) {
			l.inside.nr = l.inside.cap;
			vec_reserve(&l.inside, 1);
			top = &l.inside.v[l.inside.nr];
		}
		*top = f;
	}
	l.inside.nr = (size_t)(top - l.inside.v) + 1;
	s->threads[thread] = l;
}

static void sweep_thread_begin(struct sweep *s, uint32_t thread)
{
	const struct python_thread *t = &s->frames->threads.v[thread];
	struct sweep_thread *l = &s->threads[thread];
	l->walk = run_first(t);
	vec_push(&l->inside, (struct running_frame){ .end_ns = INT64_MAX });
	sweep_thread_next(l, s, t, 0);
	heap_push(s, (struct moment){ sweep_thread_at(l), thread, NO_ID });
}

/* Sweeps over all threads; the heap holds the next moment of each thread, and the ends of stray
 * frames, which are rare. */
void python_sweep(struct python_paths *p, const struct python_window *w)
{
	const struct python_frames *frames = p->frames;
	size_t nr = frames->threads.nr;
	struct sweep s = {
		.frames = frames, .w = w, .paths = p->paths.v, .threads = mem_calloc(nr, sizeof *s.threads)
	};
	s.next_ns = w->higher->list.nr ? w->higher->list.v[0].start_ns : INT64_MAX;
	s.until_ns = INT64_MIN;
	s.covered_ns = w->first_ns;
	for (uint32_t i = 0; i < nr; i++)
		sweep_thread_begin(&s, i);
	while (s.heap.nr) {
		struct moment m = s.heap.v[0];
		if (m.stray != NO_ID) {
			struct running_frame f =
			    running_frame_of(&s, frames->threads.v[m.thread].frames.v, m.stray);
			frame_ends(&s, &f, m.at_ns);
			heap_pop(&s);
			continue;
		}
		sweep_thread_run(&s, m.thread, heap_second(&s));
		m.at_ns = sweep_thread_at(&s.threads[m.thread]);
		if (m.at_ns == INT64_MAX)
			heap_pop(&s);
		else
			heap_replace(&s, m);
	}
	for (size_t i = 0; i < nr; i++)
		vec_release(&s.threads[i].inside);
	free(s.threads);
	vec_release(&s.heap);
}
