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
	int64_t since_ns, covered_ns; ///< when that began; what was covered before then
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
	int64_t start_ns, end_ns; ///< of that, within the window; INT64_MAX where there is none
	VEC(struct inside {
		int64_t end_ns;
		uint32_t frame;
	})
	inside; ///< frames, each ending no later than the one below it
};

struct python {
	struct reducer *r;
	size_t segment; ///< of `higher`: the last that begins by now
	struct name_table clean;
	uint32_t *clean_of; ///< by id of an event's name; NO_ID not asked for yet
	struct idmap path_ids; ///< caller and name
	VEC(struct path) paths;
	struct lane *lanes; ///< of each thread
	VEC(struct moment) heap; ///< the earliest first
};

static int64_t frame_dur(const struct reducer *r, const struct python_frame *f)
{
	return widen(r, f->dur);
}

static int64_t frame_end(const struct reducer *r, const struct python_frame *f)
{
	return f->start_ns + frame_dur(r, f);
}

/* --- intake --- */

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
	uint32_t thread = found->thread;
	if (thread == r->python_threads.nr)
		vec_push_zero(&r->python_threads);
	struct python_frame f = { ev->start_ns, narrow(r, ev->dur_ns), ev->name->id,
		                      small_id(ev->python_id), small_id(ev->python_parent) };
	vec_push(&r->python_threads.v[thread].frames, f);
}

/* --- who calls whom --- */

static int by_id(const void *a, const void *b)
{
	const struct python_frame *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static int by_nesting(const void *a, const void *b, void *reducer)
{
	const struct python_frame *x = a, *y = b;
	int64_t dx = frame_dur(reducer, x), dy = frame_dur(reducer, y);
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (dx != dy)
		return dx > dy ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static bool lies_in(const struct reducer *r, const struct python_frame *f,
                    const struct python_frame *outer)
{
	return f->start_ns >= outer->start_ns && frame_end(r, f) <= frame_end(r, outer);
}

static bool has_id(const struct python_frame *v, size_t nr, uint32_t id)
{
	struct python_frame key = { .id = id };
	return bsearch(&key, v, nr, sizeof *v, by_id) != NULL;
}

/* Every frame's `parent` becomes the index of its caller, NO_ID none, by the ids: true where they
   are those of calls in order of time, each within its caller. A caller that was not recorded is
   none. */
static bool callers_by_id(const struct reducer *r, struct python_frame *v, size_t nr)
{
	uint32_t top = NO_ID; /* frames that are being called, linked by `parent` */
	for (size_t i = 0; i < nr; i++) {
		if (v[i].id == NO_ID ||
		    (i && (v[i].id == v[i - 1].id || v[i].start_ns < v[i - 1].start_ns)))
			return false;
		while (top != NO_ID && v[top].id != v[i].parent)
			top = v[top].parent;
		if (top == NO_ID ? v[i].parent != NO_ID && has_id(v, nr, v[i].parent)
		                 : !lies_in(r, &v[i], &v[top]))
			return false;
		v[i].parent = top;
		top = (uint32_t)i;
	}
	return true;
}

/* The same by time: a frame is called from the innermost that contains it wholly. */
static void callers_by_nesting(const struct reducer *r, struct python_frame *v, size_t nr)
{
	uint32_t top = NO_ID;
	for (size_t i = 0; i < nr; i++) {
		while (top != NO_ID &&
		       (frame_end(r, &v[top]) <= v[i].start_ns || !lies_in(r, &v[i], &v[top])))
			top = v[top].parent;
		v[i].parent = top;
		top = (uint32_t)i;
	}
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
	uint32_t last = caller == NO_ID ? NO_ID : p->paths.v[caller].last;
	if (last != NO_ID && p->paths.v[last].name == name)
		return last;
	uint32_t id = idmap_add(&p->path_ids, idmap_pair(caller, name));
	if (id == p->paths.nr)
		vec_push(&p->paths,
		         (struct path){ .caller = caller,
		                        .name = name,
		                        .last = NO_ID,
		                        .depth = caller == NO_ID ? 1 : p->paths.v[caller].depth + 1 });
	if (caller != NO_ID)
		p->paths.v[caller].last = id;
	return id;
}

/* From here on a frame's `name` is its path and `id` the number of its callees that run. */
static void find_paths(struct python *p, struct python_thread *t)
{
	const struct reducer *r = p->r;
	struct python_frame *v = t->frames.v;
	size_t nr = t->frames.nr;
	vec_sort(&t->frames, by_id);
	if (!callers_by_id(r, v, nr)) {
		sort_runs(v, nr, sizeof *v, by_nesting, p->r);
		callers_by_nesting(r, v, nr);
	}
	for (size_t i = 0; i < nr; i++) {
		struct python_frame *f = &v[i];
		uint32_t from = f->parent == NO_ID ? NO_ID : v[f->parent].name;
		f->id = 0;
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

/* What is covered before `at`, which never goes back. */
static int64_t covered_now(struct python *p, int64_t at)
{
	const struct higher *h = &p->r->higher;
	while (p->segment + 1 < h->list.nr && h->list.v[p->segment + 1].start_ns <= at)
		p->segment++;
	return higher_before(h, p->segment, at);
}

/* One frame more of a path is at work itself, from `at` on; or less. */
static void path_begins(struct path *x, int64_t at, int64_t covered_ns)
{
	if (x->running++ == 0) {
		x->since_ns = at;
		x->covered_ns = covered_ns;
	}
}

static void path_ends(struct path *x, int64_t at, int64_t covered_ns)
{
	if (--x->running == 0)
		x->exclusive_ns += at - x->since_ns - (covered_ns - x->covered_ns);
}

static void frame_begins(struct python *p, struct python_frame *v, uint32_t i, int64_t at)
{
	int64_t covered_ns = covered_now(p, at);
	path_begins(&p->paths.v[v[i].name], at, covered_ns);
	if (v[i].parent != NO_ID && v[v[i].parent].id++ == 0)
		path_ends(&p->paths.v[v[v[i].parent].name], at, covered_ns);
}

static void frame_ends(struct python *p, struct python_frame *v, uint32_t i, int64_t at)
{
	int64_t covered_ns = covered_now(p, at);
	path_ends(&p->paths.v[v[i].name], at, covered_ns);
	if (v[i].parent != NO_ID && --v[v[i].parent].id == 0)
		path_begins(&p->paths.v[v[v[i].parent].name], at, covered_ns);
}

/* The next frame is the first from `i` on that takes any time within the window. */
static void lane_find(struct lane *l, const struct reducer *r, const struct python_thread *t,
                      size_t i)
{
	for (; i < t->frames.nr; i++) {
		const struct python_frame *f = &t->frames.v[i];
		int64_t end = frame_end(r, f);
		l->start_ns = f->start_ns > r->first_ns ? f->start_ns : r->first_ns;
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

/* Durations of all frames, narrow, those of a path together; `first[i]` is where path i
   begins, with one more behind the last. */
static uint32_t *durations(const struct python *p, size_t *first)
{
	const struct reducer *r = p->r;
	for (size_t i = 0; i < p->paths.nr; i++)
		first[i + 1] = first[i] + p->paths.v[i].count;
	uint32_t *durs = mem_calloc(first[p->paths.nr], sizeof *durs);
	for (size_t t = 0; t < r->python_threads.nr; t++) {
		const struct python_thread *thread = &r->python_threads.v[t];
		for (size_t i = 0; i < thread->frames.nr; i++) {
			const struct python_frame *f = &thread->frames.v[i];
			if (f->parent == NO_ID || thread->frames.v[f->parent].name != f->name)
				durs[first[f->name]++] = f->dur;
		}
	}
	for (size_t i = p->paths.nr; i > 0; i--) /* each moved to its end, the next one's begin */
		first[i] = first[i - 1];
	first[0] = 0;
	return durs;
}

/* Median of durations; `room` is for as many. */
static int64_t median(const struct reducer *r, const uint32_t *durs, size_t nr, int64_t *room)
{
	for (size_t i = 0; i < nr; i++)
		room[i] = widen(r, durs[i]);
	return number_median(room, nr);
}

static void add_rows(const struct python *p, struct digest *d)
{
	int64_t before = (int64_t)d->functions.nr;
	size_t *first = mem_calloc(p->paths.nr + 1, sizeof *first);
	uint32_t *durs = durations(p, first), most = 0;
	for (size_t i = 0; i < p->paths.nr; i++)
		most = p->paths.v[i].count > most ? p->paths.v[i].count : most;
	int64_t *room = mem_calloc(most, sizeof *room);
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
		                                 .median_ns = median(p->r, durs + first[i], x->count, room),
		                                 .rate = -1,
		                                 .rate_mad = -1 });
	}
	free(texts);
	free(room);
	free(durs);
	free(first);
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
	vec_release(&p->heap);
	free(p);
}
