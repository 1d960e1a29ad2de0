/* Stores the frames of Python functions in a trace, and finds the caller of each. */
#include "base/search.h"
#include "code/python_internal.h"

/* Number of frames in a block; blocks whose ranges of keys overlap are sorted together. */
#define BLOCK ((size_t)1024)

/* A frame with its start and id, which are its keys for sorting. */
struct loose_frame {
	int64_t start_ns;
	struct python_frame frame;
	uint32_t id;
};

/* A block of frames of a thread, with the range of the frames' keys (ids or starts). */
struct frame_block {
	int64_t least; ///< smallest key in this block and all later blocks
	int64_t most; ///< largest key in this block
	bool ascends; ///< true if the keys of the block ascend
};

/* A call that contains the current frame. */
struct open_call {
	int64_t end_ns;
	uint32_t frame, id; ///< index of the frame, NO_ID in the sentinel at the bottom of the stack;
	                    ///< id of the frame, NO_ID if it has none
};

static inline uint32_t run_id(const struct python_run *run, size_t i)
{
	return run->id == NO_ID ? NO_ID : run->id + (uint32_t)i - run->first;
}

/* ---- intake of frames ---- */

/* The start of the next frame, relative to the base of its run of frames. Begins a new run if the
   frame does not fit into the last run. */
static inline uint32_t frame_start_next(struct python_thread *t, int64_t start_ns, uint32_t id)
{
	if (t->runs.nr) {
		const struct python_run *run = &t->runs.v[t->runs.nr - 1];
		uint64_t start = (uint64_t)start_ns - run->base_ns;
		if (start <= UINT32_MAX && run_id(run, t->frames.nr) == id)
			return (uint32_t)start;
	}
	/* starts are stored as their distance from the base, which cannot be negative: the base is set
	 * to WIDE ns before this frame, so that later frames may start earlier than this one */
	struct python_run next = { (uint64_t)start_ns - WIDE, (uint32_t)t->frames.nr, id };
	vec_push(&t->runs, next);
	return WIDE;
}

/* An id in 32 bits; NO_ID for -1 (no id) and for an id that 32 bits cannot hold. If a frame has no
   id, the calls of its thread are ordered by time. */
static inline uint32_t small_id(int64_t id)
{
	return id >= -1 && id <= NO_ID ? (uint32_t)id : NO_ID;
}

/* Stores a frame in the most frequent case: the frame is of the same thread as the last frame, has
 * the next id, and the list has room for it. Otherwise stores nothing and returns false. */
static inline bool take_next(struct python_frames *p, const struct event *ev)
{
	int64_t end, total;
	if (p->found.pid != ev->pid || p->found.tid != ev->tid || (uint64_t)ev->dur_ns >= WIDE ||
	    __builtin_add_overflow(ev->start_ns, ev->dur_ns, &end) ||
	    __builtin_add_overflow(p->total_ns, ev->dur_ns, &total))
		return false;
	struct python_thread *t = &p->threads.v[p->found.thread];
	const struct python_run *run = &t->runs.v[t->runs.nr - 1];
	uint64_t start = (uint64_t)ev->start_ns - run->base_ns;
	uint64_t ids = ((uint64_t)ev->python_id + 1) | ((uint64_t)ev->python_parent + 1);
	if ((start | ids) > UINT32_MAX || (uint32_t)ev->python_id != run_id(run, t->frames.nr) ||
	    t->frames.nr == t->frames.cap)
		return false;
	p->total_ns = total;
	t->frames.v[t->frames.nr++] =
	    (struct python_frame){ (uint32_t)start, (uint32_t)ev->dur_ns, ev->name->id,
		                       (uint32_t)ev->python_parent };
	return true;
}

static __attribute__((noinline)) void take_any(struct python_frames *p, struct thread_ids *threads,
                                               const struct event *ev, const char **fault)
{
	int64_t end;
	if (__builtin_add_overflow(ev->start_ns, ev->dur_ns, &end) ||
	    __builtin_add_overflow(p->total_ns, ev->dur_ns, &p->total_ns)) {
		*fault = "the durations of Python functions add up to more than 292 years: check 'dur' "
		         "of the trace";
		return;
	}
	struct thread_found *found = &p->found;
	if (found->pid != ev->pid || found->tid != ev->tid) {
		*found =
		    (struct thread_found){ ev->pid, ev->tid, idmap_add(&p->ids, thread_key(threads, ev)) };
		if (found->thread == p->threads.nr)
			vec_push_zero(&p->threads);
	}
	struct python_thread *t = &p->threads.v[found->thread];
	struct python_frame f = { frame_start_next(t, ev->start_ns, small_id(ev->python_id)),
		                      narrow(&p->wide, ev->dur_ns, fault), ev->name->id,
		                      small_id(ev->python_parent) };
	vec_push(&t->frames, f);
}

void python_take(struct python_frames *p, struct thread_ids *threads, const struct event *ev,
                 const char **fault)
{
	if (!take_next(p, ev))
		take_any(p, threads, ev, fault);
}

/* ---- sorting of frames ---- */

static int frame_id_cmp(const void *a, const void *b, void *unused)
{
	const struct loose_frame *x = a, *y = b;
	(void)unused;
	return COMPARE(x->id, y->id);
}

static int frame_nesting_cmp(const void *a, const void *b, void *frames)
{
	const struct loose_frame *x = a, *y = b;
	int64_t dx = frame_dur(frames, &x->frame), dy = frame_dur(frames, &y->frame);
	ORDER_BY(x->start_ns, y->start_ns);
	ORDER_BY(dy, dx);
	return COMPARE(x->frame.name, y->frame.name);
}

static size_t block_end(const struct python_thread *t, size_t block)
{
	size_t end = (block + 1) * BLOCK;
	return end < t->frames.nr ? end : t->frames.nr;
}

static struct frame_block *blocks_of(const struct python_thread *t, size_t nr, bool ids)
{
	struct frame_block *blocks = mem_calloc(nr, sizeof *blocks);
	struct run_walk walk = run_first(t);
	for (size_t k = 0, i = 0; k < nr; k++) {
		struct frame_block b = { INT64_MAX, INT64_MIN, true };
		for (size_t end = block_end(t, k); i < end; i++) {
			const struct python_run *run = run_at(t, &walk, i);
			int64_t key = ids ? run_id(run, i) : frame_start(run, &t->frames.v[i]);
			b.ascends &= key > b.most;
			b.most = key > b.most ? key : b.most;
			b.least = key < b.least ? key : b.least;
		}
		blocks[k] = b;
	}
	for (size_t k = nr - 1; k-- > 0;)
		if (blocks[k + 1].least < blocks[k].least)
			blocks[k].least = blocks[k + 1].least;
	return blocks;
}

/* Keeps the order of the frames up to index `end`, and appends their runs to t->runs; returns
 * `end`. */
static size_t keep_frames(struct python_thread *t, const struct python_thread *old,
                          struct run_walk *w, size_t end)
{
	for (size_t i = t->frames.nr; i < end; i = w->end) {
		const struct python_run *run = run_at(old, w, i);
		vec_push(&t->runs, (struct python_run){ run->base_ns, (uint32_t)i, run_id(run, i) });
	}
	t->frames.nr = end;
	return end;
}

/* Sorts frames by id if `ids`, else by start, callers first. Only blocks whose ranges of keys
 * overlap are copied and sorted, since mostly few frames are out of order. */
static void frames_reorder(struct python_frames *p, struct python_thread *t, bool ids)
{
	/* the new list uses the memory of the old one: each frame is read before the new list reaches
	 * its place */
	struct python_thread old = *t;
	size_t nr = (t->frames.nr + BLOCK - 1) / BLOCK;
	struct frame_block *blocks = blocks_of(t, nr, ids);
	struct run_walk walk = run_first(&old);
	VEC(struct loose_frame) out = VEC_INIT;
	*t = (struct python_thread){ .frames = { old.frames.v, 0, old.frames.cap } };
	for (size_t k = 0, i = 0; k < nr;) {
		bool ascends = blocks[k].ascends;
		int64_t most = blocks[k].most;
		for (k++; k < nr && blocks[k].least <= most; k++) {
			ascends = false;
			most = blocks[k].most > most ? blocks[k].most : most;
		}
		size_t end = block_end(&old, k - 1);
		if (ascends)
			i = keep_frames(t, &old, &walk, end);
		for (out.nr = 0; i < end; i++) {
			const struct python_run *run = run_at(&old, &walk, i);
			vec_push(&out, (struct loose_frame){ frame_start(run, &old.frames.v[i]),
			                                     old.frames.v[i], run_id(run, i) });
		}
		sort_runs(out.v, out.nr, sizeof *out.v, ids ? frame_id_cmp : frame_nesting_cmp, p);
		for (size_t j = 0; j < out.nr; j++) {
			struct python_frame f = out.v[j].frame;
			f.start = frame_start_next(t, out.v[j].start_ns, out.v[j].id);
			vec_push(&t->frames, f);
		}
	}
	vec_release(&out);
	vec_release(&old.runs);
	free(blocks);
}

/* ---- callers of frames ---- */

/* True if the ids of frames ascend from frame to frame. */
static bool frame_ids_ascend(const struct python_thread *t)
{
	uint64_t least = 0;
	for (size_t k = 0; k < t->runs.nr; k++) {
		const struct python_run *run = &t->runs.v[k];
		uint64_t end = run->id + (run_end(t, run) - run->first);
		if (run->id < least || end > NO_ID)
			return false;
		least = end;
	}
	return true;
}

/* True if the thread has a frame with the id `id`. The ids of the thread's frames must ascend. */
static bool ids_contain(const struct python_thread *t, uint32_t id)
{
	/* lo becomes the number of elements of `runs` whose first frame has an id up to `id` */
	size_t lo = 0, hi = t->runs.nr;
	SEARCH(lo, hi, i, t->runs.v[i].id <= id);
	if (lo == 0)
		return false;
	const struct python_run *run = &t->runs.v[lo - 1];
	return id - run->id < run_end(t, run) - run->first;
}

/* Sets the `parent` of every frame to the index of its caller, or to NO_ID if it has none. If
 * `ids`, callers are found by their ids, which must ascend; a frame whose caller was not recorded
 * gets NO_ID. The result is then false if starts do not ascend, or a call does not lie within its
 * caller. Without `ids`, the caller is the innermost frame whose time wholly contains the call; the
 * result is true. */
static inline bool find_callers(const struct python_frames *p, struct python_thread *t, bool ids)
{
	struct run_walk walk = run_first(t);
	/* stack of calls, with the current frame on top and its caller below */
	VEC(struct open_call) calls = VEC_INIT;
	bool fits = true;
	int64_t last = INT64_MIN;
	vec_push(&calls, (struct open_call){ INT64_MAX, NO_ID, NO_ID });
	struct open_call *top = calls.v, *limit = calls.v + calls.cap;
	for (size_t i = 0; i < t->frames.nr; i++) {
		struct python_frame *f = &t->frames.v[i];
		const struct python_run *run = run_at(t, &walk, i);
		int64_t start = frame_start(run, f), end = start + frame_dur(p, f);
		if (ids) {
			calls.v[0].id = f->parent;
			while (top->id != f->parent)
				top--;
			fits = start >= last && end <= top->end_ns &&
			       (top > calls.v || !ids_contain(t, f->parent));
			if (!fits)
				break;
			last = start;
		} else {
			while (top->frame != NO_ID && (top->end_ns <= start || end > top->end_ns))
				top--;
		}
		f->parent = top->frame;
		if (++top == limit) {
			calls.nr = calls.cap;
			vec_reserve(&calls, 1);
			top = calls.v + calls.nr;
			limit = calls.v + calls.cap;
		}
		*top = (struct open_call){ end, (uint32_t)i, run_id(run, i) };
	}
	vec_release(&calls);
	return fits;
}

static void python_callers(struct python_frames *p, struct python_thread *t)
{
	if (!frame_ids_ascend(t))
		frames_reorder(p, t, true);
	if (!frame_ids_ascend(t) || !find_callers(p, t, true)) {
		frames_reorder(p, t, false);
		find_callers(p, t, false);
	}
}

void python_order(struct python_frames *p)
{
	for (size_t i = 0; i < p->threads.nr; i++)
		python_callers(p, &p->threads.v[i]);
}

/* ---- walks over calls ---- */

struct python_walk python_walk_thread(const struct python_frames *p, int64_t thread)
{
	uint32_t id = p->threads.nr ? idmap_find(&p->ids, thread) : NO_ID;
	const struct python_thread *t = id == NO_ID ? NULL : &p->threads.v[id];
	return (struct python_walk){ p, t, t ? run_first(t) : (struct run_walk){ 0 }, 0 };
}

bool python_walk_next(struct python_walk *w, int64_t at_ns, int64_t *start_ns, int64_t *dur_ns,
                      uint32_t *name)
{
	const struct python_thread *t = w->thread;
	size_t i = w->next, nr = t ? t->frames.nr : 0;
	bool found = false;
	for (; i < nr && !found; i++) {
		const struct python_frame *f = &t->frames.v[i];
		int64_t start = frame_start(run_at(t, &w->runs, i), f), dur = frame_dur(w->frames, f);
		if (start > at_ns)
			break;
		found = dur == 0 || start + dur > at_ns;
		*start_ns = start;
		*dur_ns = dur;
		*name = f->name;
	}
	w->next = i;
	return found;
}
