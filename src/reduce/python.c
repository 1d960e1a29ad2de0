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

/* The next thing to happen on a thread: a frame begins or ends. */
struct moment {
	int64_t at_ns;
	bool end;
	bool stray; ///< the end of a frame that does not lie in the one around it
	uint32_t thread, frame;
};

/* Where the sweep is on a thread. */
struct lane {
	size_t next; ///< frame to begin
	VEC(uint32_t) inside; ///< frames, each ending before the one below it
};

struct python {
	struct reducer *r;
	const struct higher *higher;
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

/* The index of every frame's caller, NO_ID none, by the ids: true where they are
   those of calls in order of time, each within its caller. A caller that was
   not recorded is none. */
static bool callers_by_id(const struct reducer *r, const struct python_frame *v, size_t nr,
                          uint32_t *caller)
{
	uint32_t top = NO_ID; /* frames that are being called, linked by `caller` */
	for (size_t i = 0; i < nr; i++) {
		if (v[i].id == NO_ID ||
		    (i && (v[i].id == v[i - 1].id || v[i].start_ns < v[i - 1].start_ns)))
			return false;
		while (top != NO_ID && v[top].id != v[i].parent)
			top = caller[top];
		if (top == NO_ID ? v[i].parent != NO_ID && has_id(v, nr, v[i].parent)
		                 : !lies_in(r, &v[i], &v[top]))
			return false;
		caller[i] = top;
		top = (uint32_t)i;
	}
	return true;
}

/* The same by time: a frame is called from the innermost that contains it wholly. */
static void callers_by_nesting(const struct reducer *r, const struct python_frame *v, size_t nr,
                               uint32_t *caller)
{
	uint32_t top = NO_ID;
	for (size_t i = 0; i < nr; i++) {
		while (top != NO_ID &&
		       (frame_end(r, &v[top]) <= v[i].start_ns || !lies_in(r, &v[i], &v[top])))
			top = caller[top];
		caller[i] = top;
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

/* From here on a frame's `name` is its path, `parent` the index of its caller
   and `id` the number of its callees that run. */
static void find_paths(struct python *p, struct python_thread *t)
{
	const struct reducer *r = p->r;
	struct python_frame *v = t->frames.v;
	size_t nr = t->frames.nr;
	uint32_t *caller = mem_calloc(nr, sizeof *caller);
	vec_sort(&t->frames, by_id);
	if (!callers_by_id(r, v, nr, caller)) {
		sort_runs(v, nr, sizeof *v, by_nesting, p->r);
		callers_by_nesting(r, v, nr, caller);
	}
	for (size_t i = 0; i < nr; i++) {
		struct python_frame *f = &v[i];
		uint32_t from = caller[i] == NO_ID ? NO_ID : v[caller[i]].name;
		f->id = 0;
		f->parent = caller[i];
		if (from != NO_ID && p->paths.v[from].depth == FUNCTION_DEPTH) {
			f->name = from;
			continue;
		}
		f->name = path_of(p, from, clean_name(p, f->name));
		p->paths.v[f->name].count++;
		p->paths.v[f->name].total_ns += frame_dur(r, f);
	}
	free(caller);
}

/* --- the sweep --- */

/* Ends come before starts, of frames that end at once the callee first. */
static bool is_earlier(const struct moment *a, const struct moment *b)
{
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns;
	if (a->end != b->end)
		return a->end;
	if (a->thread != b->thread)
		return a->thread < b->thread;
	return a->frame > b->frame;
}

static void heap_push(struct python *p, struct moment m)
{
	vec_push(&p->heap, m);
	size_t i = p->heap.nr - 1;
	for (; i && is_earlier(&m, &p->heap.v[(i - 1) / 2]); i = (i - 1) / 2)
		p->heap.v[i] = p->heap.v[(i - 1) / 2];
	p->heap.v[i] = m;
}

/* `m` in place of the earliest. */
static void heap_replace(struct python *p, struct moment m)
{
	size_t i = 0;
	for (size_t k; (k = 2 * i + 1) < p->heap.nr; i = k) {
		k += k + 1 < p->heap.nr && is_earlier(&p->heap.v[k + 1], &p->heap.v[k]);
		if (!is_earlier(&p->heap.v[k], &m))
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

/* What is covered before `at`, which never goes back. */
static int64_t covered_now(struct python *p, int64_t at)
{
	while (p->segment + 1 < p->higher->list.nr && p->higher->list.v[p->segment + 1].start_ns <= at)
		p->segment++;
	return higher_before(p->higher, p->segment, at);
}

/* One frame more, or less, of a path is at work itself. */
static void path_run(struct python *p, uint32_t path, bool more, int64_t at)
{
	struct path *x = &p->paths.v[path];
	if (more && x->running++ == 0) {
		x->since_ns = at;
		x->covered_ns = covered_now(p, at);
	} else if (!more && --x->running == 0) {
		x->exclusive_ns += at - x->since_ns - (covered_now(p, at) - x->covered_ns);
	}
}

static void frame_begins(struct python *p, struct python_frame *v, uint32_t i, int64_t at)
{
	path_run(p, v[i].name, true, at);
	if (v[i].parent != NO_ID && v[v[i].parent].id++ == 0)
		path_run(p, v[v[i].parent].name, false, at);
}

static void frame_ends(struct python *p, struct python_frame *v, uint32_t i, int64_t at)
{
	path_run(p, v[i].name, false, at);
	if (v[i].parent != NO_ID && --v[v[i].parent].id == 0)
		path_run(p, v[v[i].parent].name, true, at);
}

/* The first frame from `i` on that takes any time within the window. */
static size_t next_frame(const struct reducer *r, const struct python_thread *t, size_t i)
{
	for (; i < t->frames.nr; i++) {
		const struct python_frame *f = &t->frames.v[i];
		int64_t start = f->start_ns > r->first_ns ? f->start_ns : r->first_ns;
		int64_t end = frame_end(r, f) < r->last_ns ? frame_end(r, f) : r->last_ns;
		if (end > start)
			break;
	}
	return i;
}

static struct moment end_of(const struct python *p, uint32_t thread, uint32_t frame)
{
	int64_t end = frame_end(p->r, &p->r->python_threads.v[thread].frames.v[frame]);
	return (struct moment){ end < p->r->last_ns ? end : p->r->last_ns, true, false, thread, frame };
}

/* The next thing to happen on the thread itself: strays left out. */
static bool lane_next(const struct python *p, uint32_t thread, struct moment *out)
{
	const struct reducer *r = p->r;
	const struct python_thread *t = &r->python_threads.v[thread];
	const struct lane *l = &p->lanes[thread];
	bool found = l->inside.nr > 0;
	if (found)
		*out = end_of(p, thread, l->inside.v[l->inside.nr - 1]);
	if (l->next == t->frames.nr)
		return found;
	int64_t at = t->frames.v[l->next].start_ns;
	struct moment start = { at > r->first_ns ? at : r->first_ns, false, false, thread,
		                    (uint32_t)l->next };
	if (!found || is_earlier(&start, out))
		*out = start;
	return true;
}

/* A frame begins: its end is on the stack of its thread where it lies in the frame that is there.
 */
static void lane_begin(struct python *p, const struct moment *m)
{
	struct lane *l = &p->lanes[m->thread];
	struct moment end = end_of(p, m->thread, m->frame), outer;
	frame_begins(p, p->r->python_threads.v[m->thread].frames.v, m->frame, m->at_ns);
	l->next = next_frame(p->r, &p->r->python_threads.v[m->thread], (size_t)m->frame + 1);
	if (l->inside.nr)
		outer = end_of(p, m->thread, l->inside.v[l->inside.nr - 1]);
	if (l->inside.nr == 0 || is_earlier(&end, &outer)) {
		vec_push(&l->inside, m->frame);
	} else {
		end.stray = true;
		heap_push(p, end);
	}
}

/* The heap has one moment of each thread, its next, and those of the strays: mostly none. */
static void sweep(struct python *p)
{
	struct reducer *r = p->r;
	struct moment m, next;
	p->lanes = mem_calloc(r->python_threads.nr, sizeof *p->lanes);
	for (uint32_t i = 0; i < r->python_threads.nr; i++) {
		p->lanes[i].next = next_frame(r, &r->python_threads.v[i], 0);
		if (lane_next(p, i, &next))
			heap_push(p, next);
	}
	while (p->heap.nr) {
		m = p->heap.v[0];
		if (m.end)
			frame_ends(p, r->python_threads.v[m.thread].frames.v, m.frame, m.at_ns);
		if (m.stray) {
			heap_pop(p);
			continue;
		}
		if (m.end)
			p->lanes[m.thread].inside.nr--;
		else /* a stray that comes of it is later */
			lane_begin(p, &m);
		if (lane_next(p, m.thread, &next))
			heap_replace(p, next);
		else
			heap_pop(p);
	}
	for (size_t i = 0; i < r->python_threads.nr; i++)
		vec_release(&p->lanes[i].inside);
	free(p->lanes);
}

/* --- rows --- */

/* Durations of all frames, those of a path together; `first[i]` is where path i
   begins, with one more behind the last. */
static int64_t *durations(const struct python *p, size_t *first)
{
	const struct reducer *r = p->r;
	for (size_t i = 0; i < p->paths.nr; i++)
		first[i + 1] = first[i] + p->paths.v[i].count;
	int64_t *durs = mem_calloc(first[p->paths.nr], sizeof *durs);
	for (size_t t = 0; t < r->python_threads.nr; t++) {
		const struct python_thread *thread = &r->python_threads.v[t];
		for (size_t i = 0; i < thread->frames.nr; i++) {
			const struct python_frame *f = &thread->frames.v[i];
			if (f->parent == NO_ID || thread->frames.v[f->parent].name != f->name)
				durs[first[f->name]++] = frame_dur(r, f);
		}
	}
	for (size_t i = p->paths.nr; i > 0; i--) /* each moved to its end, the next one's begin */
		first[i] = first[i - 1];
	first[0] = 0;
	return durs;
}

static void add_rows(const struct python *p, struct digest *d)
{
	int64_t before = (int64_t)d->functions.nr;
	size_t *first = mem_calloc(p->paths.nr + 1, sizeof *first);
	int64_t *durs = durations(p, first);
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
		                                 .median_ns = number_median(durs + first[i], x->count),
		                                 .rate = -1,
		                                 .rate_mad = -1 });
	}
	free(texts);
	free(durs);
	free(first);
}

void python_figures(struct reducer *r, const struct higher *h, struct digest *d)
{
	struct python p = { .r = r, .higher = h };
	name_table_init(&p.clean);
	p.clean_of = mem_realloc(NULL, r->names->nr + 1, sizeof *p.clean_of);
	memset(p.clean_of, 0xff, r->names->nr * sizeof *p.clean_of); /* NO_ID */
	idmap_init(&p.path_ids);
	for (size_t i = 0; i < r->python_threads.nr; i++)
		find_paths(&p, &r->python_threads.v[i]);
	sweep(&p);
	add_rows(&p, d);
	name_table_release(&p.clean);
	idmap_release(&p.path_ids);
	free(p.clean_of);
	vec_release(&p.paths);
	vec_release(&p.heap);
}
