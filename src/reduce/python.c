/* Python functions by call path: the time in which a frame runs, none of its
   callees does, and nothing of a higher class. */
#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "reduce/functions.h"

/* A path: a function as called from another path. */
struct path {
	uint32_t caller, name; ///< NO_ID; id in `clean`
	uint32_t depth, count;
	int64_t total_ns, exclusive_ns;
	uint32_t running; ///< frames that are at work themselves
	uint32_t last; ///< the path that was called from it last, NO_ID none
	uint32_t next; ///< the path that its caller called after it when it last did; or itself
};

/* When something happens next: on a thread, or the end of one of its frames that does not lie in
   the one around it, a stray. What happens at once may happen in any order. */
struct moment {
	int64_t at_ns;
	uint32_t thread;
	uint32_t stray; ///< frame, NO_ID none
};

/* Where the sweep is on a thread. */
struct lane {
	size_t next; ///< frame to begin
	const struct python_run *run; ///< its
	int64_t start_ns, end_ns; ///< of that, within the window; INT64_MAX where there is none
	VEC(struct inside {
		int64_t end_ns;
		uint32_t frame;
	})
	inside; ///< frames, each ending no later than the one below it
};

/* One of the calls that a frame is inside of. */
struct call {
	int64_t end_ns;
	uint32_t frame, id; ///< NO_ID of the lowest, which stands for none
};

struct python {
	struct reducer *r;
	size_t segment; ///< of `higher`: the last that begins by now
	struct name_table clean;
	uint32_t *clean_of; ///< by id of an event's name; NO_ID not asked for yet
	struct idmap path_ids; ///< caller and name
	VEC(struct path) paths;
	VEC(struct call) calls; ///< of the frame at hand: itself, below it its caller and so on
	struct lane *lanes; ///< of each thread
	VEC(struct moment) heap; ///< the earliest first
};

/* A frame on its own, to be put in another order. */
struct loose {
	int64_t start_ns;
	struct python_frame frame;
	uint32_t id;
};

static int64_t frame_dur(const struct reducer *r, const struct python_frame *f)
{
	return widen(r, f->dur);
}

/* The run that frame `i` belongs to, which that of the frame before it does to `run`. */
static const struct python_run *run_at(const struct python_thread *t, const struct python_run *run,
                                       size_t i)
{
	const struct python_run *end = t->runs.v + t->runs.nr;
	return run + 1 < end && run[1].first == i ? run + 1 : run;
}

static uint32_t run_id(const struct python_run *run, size_t i)
{
	return run->id == NO_ID ? NO_ID : run->id + (uint32_t)i - run->first;
}

static int64_t frame_start(const struct python_run *run, const struct python_frame *f)
{
	return (int64_t)(run->base_ns + f->start);
}

/* --- intake --- */

/* `f` without its start. */
static void frame_add(struct python_thread *t, int64_t start_ns, uint32_t id, struct python_frame f)
{
	const struct python_run *run = t->runs.nr ? &t->runs.v[t->runs.nr - 1] : NULL;
	if (!run || (uint64_t)start_ns - run->base_ns > UINT32_MAX || run_id(run, t->frames.nr) != id) {
		/* starts before this one are near, too */
		vec_push(&t->runs,
		         (struct python_run){ (uint64_t)start_ns - WIDE, (uint32_t)t->frames.nr, id });
		run = &t->runs.v[t->runs.nr - 1];
	}
	f.start = (uint32_t)((uint64_t)start_ns - run->base_ns);
	vec_push(&t->frames, f);
}

/* What is no small number stands for none; a thread with such ids goes without. */
static uint32_t small_id(int64_t id)
{
	return id >= 0 && id < NO_ID ? (uint32_t)id : NO_ID;
}

void python_take(struct reducer *r, const struct event *ev)
{
	int64_t end;
	if (__builtin_add_overflow(ev->start_ns, ev->dur_ns, &end) ||
	    __builtin_add_overflow(r->python_ns, ev->dur_ns, &r->python_ns)) {
		r->fault = "the durations of Python functions add up to more than 292 years: check 'dur' "
		           "of the trace";
		return;
	}
	struct thread_found *found = &r->python_found;
	if (found->thread == NO_ID || found->pid != ev->pid || found->tid != ev->tid) {
		int64_t key = idmap_pair(idmap_add(&r->pids, ev->pid), idmap_add(&r->tids, ev->tid));
		*found = (struct thread_found){ ev->pid, ev->tid, idmap_add(&r->python_ids, key) };
	}
	if (found->thread == r->python_threads.nr)
		vec_push_zero(&r->python_threads);
	frame_add(&r->python_threads.v[found->thread], ev->start_ns, small_id(ev->python_id),
	          (struct python_frame){ .dur = narrow(r, ev->dur_ns),
	                                 .name = ev->name->id,
	                                 .parent = small_id(ev->python_parent) });
}

/* --- who calls whom --- */

static int by_id(const void *a, const void *b, void *unused)
{
	const struct loose *x = a, *y = b;
	(void)unused;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_nesting(const void *a, const void *b, void *reducer)
{
	const struct loose *x = a, *y = b;
	int64_t dx = frame_dur(reducer, &x->frame), dy = frame_dur(reducer, &y->frame);
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return (x->frame.name > y->frame.name) - (x->frame.name < y->frame.name);
}

static void reorder(struct reducer *r, struct python_thread *t,
                    int (*cmp)(const void *, const void *, void *))
{
	size_t nr = t->frames.nr;
	struct loose *v = mem_calloc(nr, sizeof *v);
	const struct python_run *run = t->runs.v;
	for (size_t i = 0; i < nr; i++) {
		run = run_at(t, run, i);
		v[i] = (struct loose){ frame_start(run, &t->frames.v[i]), t->frames.v[i], run_id(run, i) };
	}
	sort_runs(v, nr, sizeof *v, cmp, r);
	t->frames.nr = t->runs.nr = 0;
	for (size_t i = 0; i < nr; i++)
		frame_add(t, v[i].start_ns, v[i].id, v[i].frame);
	free(v);
}

/* True where each frame has an id above that of the one before it. */
static bool ids_ascend(const struct python_thread *t)
{
	uint64_t least = 0;
	for (size_t k = 0; k < t->runs.nr; k++) {
		const struct python_run *run = &t->runs.v[k];
		size_t end = k + 1 < t->runs.nr ? run[1].first : t->frames.nr;
		if (run->id < least || run->id + (end - run->first) > NO_ID)
			return false;
		least = run->id + (end - run->first);
	}
	return true;
}

/* Of ids that ascend. */
static bool has_id(const struct python_thread *t, uint32_t id)
{
	size_t lo = 0, hi = t->runs.nr; /* lo becomes the number of runs that begin by then */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->runs.v[mid].id <= id)
			lo = mid + 1;
		else
			hi = mid;
	}
	size_t end = lo < t->runs.nr ? t->runs.v[lo].first : t->frames.nr;
	return lo && id - t->runs.v[lo - 1].id < end - t->runs.v[lo - 1].first;
}

/* Every frame's `parent` becomes the index of its caller, NO_ID none. By ids that ascend: true
   where they are those of calls in order of time, each within its caller; a caller that was not
   recorded is none. Else by time: a frame is called from the innermost that contains it wholly. */
static bool find_callers(struct python *p, struct python_thread *t, bool ids)
{
	const struct python_run *run = t->runs.v;
	int64_t last_ns = INT64_MIN;
	p->calls.nr = 0;
	vec_push(&p->calls, (struct call){ INT64_MAX, NO_ID, NO_ID });
	for (size_t i = 0; i < t->frames.nr; i++) {
		struct python_frame *f = &t->frames.v[i];
		run = run_at(t, run, i);
		int64_t start = frame_start(run, f), end = start + frame_dur(p->r, f);
		struct call *top = &p->calls.v[p->calls.nr - 1];
		if (ids) {
			while (top->id != f->parent && top->frame != NO_ID)
				top--;
			if (start < last_ns || end > top->end_ns ||
			    (top->id != f->parent && has_id(t, f->parent)))
				return false;
		} else {
			while (top->frame != NO_ID && (top->end_ns <= start || end > top->end_ns))
				top--;
		}
		last_ns = start;
		f->parent = top->frame;
		p->calls.nr = (size_t)(top - p->calls.v) + 1;
		vec_push(&p->calls, (struct call){ end, (uint32_t)i, run_id(run, i) });
	}
	return true;
}

/* --- paths --- */

/* Without addresses, which change from run to run: "<built-in method get of dict
   object at 0x7f3ab849d0f0>". */
static void add_clean(struct strbuf *b, struct span name)
{
	static const struct span at = { " at 0x", 6 };
	for (size_t i = 0; i < name.n;) {
		size_t from = i + at.n, end = from;
		bool found = from <= name.n && memcmp(name.p + i, at.p, at.n) == 0;
		while (found && end < name.n && isxdigit((unsigned char)name.p[end]))
			end++;
		if (end > from)
			i = end;
		else
			strbuf_addch(b, name.p[i++]);
	}
}

static uint32_t clean_name(struct python *p, uint32_t name)
{
	if (p->clean_of[name] == NO_ID) {
		struct strbuf b = STRBUF_INIT;
		add_clean(&b, name_span(p->r->names->by_id[name]));
		/* has room: the table of the trace held no fewer and no shorter ones */
		p->clean_of[name] = name_intern(&p->clean, strbuf_span(&b))->id;
		strbuf_release(&b);
	}
	return p->clean_of[name];
}

static uint32_t path_of(struct python *p, uint32_t caller, uint32_t name)
{
	uint32_t last = caller == NO_ID ? NO_ID : p->paths.v[caller].last, id = last;
	if (last != NO_ID && p->paths.v[last].name == name)
		return last;
	if (last == NO_ID || p->paths.v[id = p->paths.v[last].next].name != name) {
		id = idmap_add(&p->path_ids, idmap_pair(caller, name));
		if (id == p->paths.nr)
			vec_push(&p->paths,
			         (struct path){ .caller = caller,
			                        .name = name,
			                        .last = NO_ID,
			                        .next = id,
			                        .depth = caller == NO_ID ? 1 : p->paths.v[caller].depth + 1 });
	}
	if (last != NO_ID)
		p->paths.v[last].next = id;
	if (caller != NO_ID)
		p->paths.v[caller].last = id;
	return id;
}

/* From here on a frame's `name` is its path. */
static void find_paths(struct python *p, struct python_thread *t)
{
	const struct reducer *r = p->r;
	if (!ids_ascend(t))
		reorder(p->r, t, by_id);
	if (!ids_ascend(t) || !find_callers(p, t, true)) {
		reorder(p->r, t, by_nesting);
		find_callers(p, t, false);
	}
	struct python_frame *v = t->frames.v;
	for (size_t i = 0; i < t->frames.nr; i++) {
		struct python_frame *f = &v[i];
		uint32_t from = f->parent == NO_ID ? NO_ID : v[f->parent].name;
		if (from != NO_ID && p->paths.v[from].depth == FUNCTION_DEPTH) {
			f->name = from;
			continue;
		}
		f->name = path_of(p, from, clean_name(p, f->name));
		p->paths.v[f->name].count++;
		p->paths.v[f->name].total_ns += frame_dur(r, f);
	}
}

/* --- the sweep --- */

static void heap_push(struct python *p, struct moment m)
{
	vec_push(&p->heap, m);
	size_t i = p->heap.nr - 1;
	for (; i && m.at_ns < p->heap.v[(i - 1) / 2].at_ns; i = (i - 1) / 2)
		p->heap.v[i] = p->heap.v[(i - 1) / 2];
	p->heap.v[i] = m;
}

/* `m` in place of the earliest. */
static void heap_replace(struct python *p, struct moment m)
{
	size_t i = 0;
	for (size_t k; (k = 2 * i + 1) < p->heap.nr; i = k) {
		k += k + 1 < p->heap.nr && p->heap.v[k + 1].at_ns < p->heap.v[k].at_ns;
		if (m.at_ns <= p->heap.v[k].at_ns)
			break;
		p->heap.v[i] = p->heap.v[k];
	}
	p->heap.v[i] = m;
}

static void heap_pop(struct python *p)
{
	struct moment last = p->heap.v[--p->heap.nr];
	if (p->heap.nr)
		heap_replace(p, last);
}

/* When the second of them comes. */
static int64_t heap_second(const struct python *p)
{
	int64_t at = INT64_MAX;
	for (size_t i = 1; i < 3 && i < p->heap.nr; i++)
		at = p->heap.v[i].at_ns < at ? p->heap.v[i].at_ns : at;
	return at;
}

/* Of the window what nothing of a higher class covers before `at`, which never goes back. */
static int64_t uncovered(struct python *p, int64_t at)
{
	const struct higher *h = &p->r->higher;
	while (p->segment + 1 < h->list.nr && h->list.v[p->segment + 1].start_ns <= at)
		p->segment++;
	return at - p->r->first_ns - higher_before(h, p->segment, at);
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
static void frame_begins(struct python *p, struct python_frame *v, uint32_t i, int64_t at)
{
	int64_t uncovered_ns = uncovered(p, at);
	v[i].start = 0;
	path_begins(&p->paths.v[v[i].name], uncovered_ns);
	if (v[i].parent != NO_ID && v[v[i].parent].start++ == 0)
		path_ends(&p->paths.v[v[v[i].parent].name], uncovered_ns);
}

static void frame_ends(struct python *p, struct python_frame *v, uint32_t i, int64_t at)
{
	int64_t uncovered_ns = uncovered(p, at);
	path_ends(&p->paths.v[v[i].name], uncovered_ns);
	if (v[i].parent != NO_ID && --v[v[i].parent].start == 0)
		path_begins(&p->paths.v[v[v[i].parent].name], uncovered_ns);
}

/* The next frame is the first from `i` on that takes any time within the window. */
static void lane_find(struct lane *l, const struct reducer *r, const struct python_thread *t,
                      size_t i)
{
	for (; i < t->frames.nr; i++) {
		const struct python_frame *f = &t->frames.v[i];
		l->run = run_at(t, l->run, i);
		int64_t start = frame_start(l->run, f), end = start + frame_dur(r, f);
		l->start_ns = start > r->first_ns ? start : r->first_ns;
		l->end_ns = end < r->last_ns ? end : r->last_ns;
		if (l->end_ns > l->start_ns)
			break;
	}
	l->next = i;
	if (i == t->frames.nr)
		l->start_ns = INT64_MAX;
}

/* When something happens next on the thread, strays left out; INT64_MAX: nothing. */
static int64_t lane_at(const struct lane *l)
{
	int64_t end = l->inside.nr ? l->inside.v[l->inside.nr - 1].end_ns : INT64_MAX;
	return end < l->start_ns ? end : l->start_ns;
}

/* What happens on the thread up to `until`, and to the first stray. */
static void lane_run(struct python *p, uint32_t thread, int64_t until)
{
	const struct python_thread *t = &p->r->python_threads.v[thread];
	struct lane *l = &p->lanes[thread];
	for (int64_t at; (at = lane_at(l)) <= until && at != INT64_MAX;) {
		const struct inside *top = l->inside.nr ? &l->inside.v[l->inside.nr - 1] : NULL;
		if (top && top->end_ns == at) {
			frame_ends(p, t->frames.v, top->frame, at);
			l->inside.nr--;
			continue;
		}
		struct inside f = { l->end_ns, (uint32_t)l->next };
		frame_begins(p, t->frames.v, f.frame, at);
		lane_find(l, p->r, t, l->next + 1);
		if (top && f.end_ns > top->end_ns) {
			heap_push(p, (struct moment){ f.end_ns, thread, f.frame });
			return;
		}
		vec_push(&l->inside, f);
	}
}

/* The heap has one moment of each thread, its next, and those of the strays: mostly none. */
static void sweep(struct python *p)
{
	struct reducer *r = p->r;
	p->lanes = mem_calloc(r->python_threads.nr, sizeof *p->lanes);
	for (uint32_t i = 0; i < r->python_threads.nr; i++) {
		p->lanes[i].run = r->python_threads.v[i].runs.v;
		lane_find(&p->lanes[i], r, &r->python_threads.v[i], 0);
		heap_push(p, (struct moment){ lane_at(&p->lanes[i]), i, NO_ID });
	}
	while (p->heap.nr) {
		struct moment m = p->heap.v[0];
		if (m.stray != NO_ID) {
			frame_ends(p, r->python_threads.v[m.thread].frames.v, m.stray, m.at_ns);
			heap_pop(p);
			continue;
		}
		lane_run(p, m.thread, heap_second(p));
		m.at_ns = lane_at(&p->lanes[m.thread]);
		if (m.at_ns == INT64_MAX)
			heap_pop(p);
		else
			heap_replace(p, m);
	}
	for (size_t i = 0; i < r->python_threads.nr; i++)
		vec_release(&p->lanes[i].inside);
	free(p->lanes);
}

/* --- rows --- */

static void add_rows(const struct python *p, struct digest *d)
{
	int64_t before = (int64_t)d->functions.nr;
	const char **texts = mem_calloc(p->clean.nr, sizeof *texts);
	for (size_t i = 0; i < p->paths.nr; i++) {
		const struct path *x = &p->paths.v[i];
		struct span name = name_span(p->clean.by_id[x->name]);
		if (!texts[x->name])
			texts[x->name] = arena_dup(&d->arena, name);
		vec_push(&d->functions,
		         (struct function_stat){ .cls = FUNCTION_PYTHON,
		                                 .name = { texts[x->name], name.n },
		                                 .parent = x->caller == NO_ID ? -1 : before + x->caller,
		                                 .count = x->count,
		                                 .total_ns = x->total_ns,
		                                 .exclusive_ns = x->exclusive_ns,
		                                 .median_ns = (int64_t)i,
		                                 .rate = -1,
		                                 .rate_mad = -1 });
	}
	free(texts);
}

/* A path that has a row of its own. */
static bool is_path(const struct function_stat *f)
{
	return f->cls == FUNCTION_PYTHON && f->names == 0;
}

/* Of the thread's frames those that are counted for a path with `next` stay; each takes its place
   in the row of durations. */
static void keep_frames(struct python_thread *t, int64_t *const *next)
{
	struct python_frame *v = t->frames.v;
	size_t nr = 0;
	for (size_t i = 0; i < t->frames.nr; i++)
		v[i].start = next[v[i].name] && (v[i].parent == NO_ID || v[v[i].parent].name != v[i].name);
	for (size_t i = 0; i < t->frames.nr; i++)
		if (v[i].start)
			v[nr++] = v[i];
	t->frames.v = mem_realloc(v, nr, sizeof *v);
	t->frames.nr = t->frames.cap = nr;
}

void python_medians(struct reducer *r, struct digest *d)
{
	const struct python *p = r->python;
	size_t nr = 0;
	int64_t **next = mem_calloc(p->paths.nr, sizeof *next); /* by path */
	for (size_t i = 0; i < d->functions.nr; i++) {
		struct function_stat *f = &d->functions.v[i];
		if (is_path(f)) {
			next[f->median_ns] = &f->median_ns; /* no more than a mark yet */
			nr += (size_t)f->count;
		}
	}
	for (size_t t = 0; t < r->python_threads.nr; t++)
		keep_frames(&r->python_threads.v[t], next);
	int64_t *durs = mem_calloc(nr, sizeof *durs), *at = durs; /* by row */
	for (size_t i = 0; i < d->functions.nr; i++) {
		const struct function_stat *f = &d->functions.v[i];
		if (is_path(f)) {
			next[f->median_ns] = at;
			at += f->count;
		}
	}
	for (size_t t = 0; t < r->python_threads.nr; t++) {
		const struct python_thread *thread = &r->python_threads.v[t];
		for (size_t i = 0; i < thread->frames.nr; i++)
			*next[thread->frames.v[i].name]++ = frame_dur(r, &thread->frames.v[i]);
	}
	at = durs;
	for (size_t i = 0; i < d->functions.nr; i++) {
		struct function_stat *f = &d->functions.v[i];
		if (is_path(f)) {
			f->median_ns = number_median(at, (size_t)f->count);
			at += f->count;
		}
	}
	free(next);
	free(durs);
}

void python_paths(struct reducer *r)
{
	struct python *p = r->python = mem_calloc(1, sizeof *p);
	p->r = r;
	name_table_init(&p->clean);
	p->clean_of = mem_realloc(NULL, r->names->nr + 1, sizeof *p->clean_of);
	memset(p->clean_of, 0xff, r->names->nr * sizeof *p->clean_of); /* NO_ID */
	idmap_init(&p->path_ids);
	for (size_t i = 0; i < r->python_threads.nr; i++)
		find_paths(p, &r->python_threads.v[i]);
}

void python_figures(struct reducer *r, struct digest *d)
{
	sweep(r->python);
	add_rows(r->python, d);
}

void python_free(struct python *p)
{
	if (!p)
		return;
	name_table_release(&p->clean);
	idmap_release(&p->path_ids);
	free(p->clean_of);
	vec_release(&p->paths);
	vec_release(&p->calls);
	vec_release(&p->heap);
	free(p);
}
