/* Call paths of Python frames, and their exclusive times. The exclusive time of a path is the time
   in which one of its frames runs without a running callee, and no function of a higher class (GPU
   work or a runtime call) runs. */
#include <ctype.h>
#include <string.h>

#include "code/python_internal.h"

/* Value of path.end_ns if two calls of the path run at the same time. */
#define MIXED INT64_MAX

/* Appends a name without the addresses in it, since they change from run to run. An example of such
 * a name is "<built-in method get of dict object at 0x7f3ab849d0f0>". */
static void add_without_addresses(struct strbuf *b, struct span name)
{
	static const struct span at = { " at 0x", 6 };
	for (const char *found; (found = memmem(name.p, name.n, at.p, at.n));) {
		size_t n = (size_t)(found - name.p), from = n + at.n, end = from;
		while (end < name.n && isxdigit((unsigned char)name.p[end]))
			end++;
		strbuf_add(b, (struct span){ name.p, end > from ? n : end });
		name = (struct span){ name.p + end, name.n - end };
	}
	strbuf_add(b, name);
}

static uint32_t clean_name(struct python_paths *p, uint32_t name)
{
	if (p->clean_of[name] == NO_ID) {
		strbuf_setlen(&p->text, 0);
		add_without_addresses(&p->text, name_span(p->names->by_id[name]));
		/* the table cannot be full: the trace's name table has the same limits, and holds at least
		   as many names, each of which is at least as long */
		p->clean_of[name] = name_intern(&p->clean, strbuf_span(&p->text))->id;
	}
	return p->clean_of[name];
}

static uint32_t path_add(struct python_paths *p, uint32_t caller, uint32_t name)
{
	uint32_t id = idmap_add(&p->path_ids, idmap_pair(caller, name)) + 1;
	if (id == p->paths.nr)
		vec_push(&p->paths, (struct path){ .caller = caller,
		                                   .name = name,
		                                   .next = id,
		                                   .depth = p->paths.v[caller].depth + 1,
		                                   .end_ns = INT64_MIN });
	struct path *v = p->paths.v;
	if (v[caller].last)
		v[v[caller].last].next = id;
	return v[caller].last = id;
}

/* The path of a call of the function `name` from the path `caller`. Two guesses are mostly right:
 * the path that `caller` called last, and the path that `caller` called after it on an earlier
 * occasion. */
static inline uint32_t path_called(struct python_paths *p, uint32_t caller, uint32_t name)
{
	struct path *v = p->paths.v;
	uint32_t last = v[caller].last, next = v[last].next;
	if (v[last].name == name)
		return last;
	if (v[next].name == name)
		return v[caller].last = next;
	return path_add(p, caller, name);
}

/* ---- exclusive times ---- */

/* Start and end of a frame, limited to the window; false if the frame takes no time in the
   window. */
static inline bool frame_within(const struct python_frames *p, const struct python_window *w,
                                const struct python_run *run, const struct python_frame *f,
                                int64_t *start, int64_t *end)
{
	int64_t from = frame_start(run, f), to = from + frame_dur(p, f);
	*start = from > w->first_ns ? from : w->first_ns;
	*end = to < w->last_ns ? to : w->last_ns;
	return *end > *start;
}

/* Replaces the member `name` of each frame by the id of the frame's path. Adds the time of each
   call, without higher classes, to `exclusive_ns` of its path, and subtracts it from `exclusive_ns`
   of the caller's path. The result is wrong only if two calls of a path run at the same time: such
   paths are marked as MIXED. */
static void find_paths(struct python_paths *p, const struct python_window *w,
                       struct python_thread *t)
{
	struct python_frame *v = t->frames.v;
	struct run_walk walk = run_first(t);
	struct higher_walk higher = higher_walk_begin(w->higher);
	const struct python_window window = *w; /* a copy: writes to paths cannot change it */
	/* indexed by the depth of a call that is still open: latest end of its callees so far */
	int64_t ends[FUNCTION_DEPTH + 1], start, end;
	ends[0] = INT64_MIN;
	for (size_t i = 0; i < t->frames.nr; i++) {
		struct python_frame *f = &v[i];
		const struct python_run *run = run_at(t, &walk, i);
		uint32_t from = f->parent == NO_ID ? 0 : v[f->parent].name;
		if (p->paths.v[from].depth == FUNCTION_DEPTH) {
			f->name = from;
			f->parent = (uint32_t)i; /* marks the frame as a part of its caller */
			continue;
		}
		f->name = path_called(p, from, clean_name(p, f->name));
		struct path *x = &p->paths.v[f->name], *caller = &p->paths.v[from];
		x->count++;
		x->total_ns += frame_dur(p->frames, f);
		if (!frame_within(p->frames, &window, run, f, &start, &end))
			continue;
		higher_walk_to(&higher, start);
		int64_t own = higher_free(&higher, start, end), *last = &ends[caller->depth];
		x->exclusive_ns += own;
		if (start < *last) /* another callee has taken all or a part of this time from the caller */
			own = end > *last ? higher_free(&higher, *last, end) : 0;
		caller->exclusive_ns -= own;
		*last = end > *last ? end : *last;
		last[1] = INT64_MIN;
		x->end_ns = start < x->end_ns ? MIXED : end;
	}
}

/* ---- paths with several calls that run at the same time ---- */

/* An interval of a call in which no callee runs. */
struct own_interval {
	int64_t start_ns, end_ns;
	uint32_t path;
};

ORDERING(own_cmp, struct own_interval, RISING(path) RISING(start_ns))

struct own_intervals {
	size_t first, end; /* the paths of the present group have the ids [first, end) */
	VEC(struct own_interval) list;
};

static void own_add(struct own_intervals *own, const struct python_paths *p, struct own_interval x)
{
	if (x.start_ns < x.end_ns && x.path >= own->first && x.path < own->end &&
	    p->paths.v[x.path].end_ns == MIXED)
		vec_push(&own->list, x);
}

static void own_of_thread(struct own_intervals *own, const struct python_paths *p,
                          const struct python_window *w, const struct python_thread *t)
{
	const struct python_frame *v = t->frames.v;
	struct run_walk walk = run_first(t);
	struct own_interval
	    open[FUNCTION_DEPTH + 1]; /* by depth: rest of an open call after its last callee */
	uint32_t depth = 0;
	int64_t start, end;
	open[0] = (struct own_interval){ INT64_MAX, INT64_MIN, 0 };
	for (size_t i = 0; i < t->frames.nr; i++) {
		bool within = frame_within(p->frames, w, run_at(t, &walk, i), &v[i], &start, &end);
		uint32_t from = v[i].parent == NO_ID ? 0 : v[v[i].parent].name;
		if (!within || v[i].name == from)
			continue;
		for (; depth > p->paths.v[from].depth; depth--)
			own_add(own, p, open[depth]);
		own_add(own, p, (struct own_interval){ open[depth].start_ns, start, from });
		if (open[depth].start_ns < end)
			open[depth].start_ns = end;
		open[++depth] = (struct own_interval){ start, end, v[i].name };
	}
	for (; depth; depth--)
		own_add(own, p, open[depth]);
}

/* For each path, adds the length of the union of its intervals to its exclusive time. */
static void own_sum(struct own_intervals *own, struct python_paths *p,
                    const struct python_window *w)
{
	const struct higher_walk begin = higher_walk_begin(w->higher);
	int64_t last = INT64_MIN;
	vec_sort(&own->list, own_cmp);
	for (size_t i = 0; i < own->list.nr; i++) {
		const struct own_interval *x = &own->list.v[i];
		if (i && x[-1].path != x->path)
			last = INT64_MIN;
		int64_t start = x->start_ns > last ? x->start_ns : last;
		if (x->end_ns <= start)
			continue;
		p->paths.v[x->path].exclusive_ns += higher_free(&begin, start, x->end_ns);
		last = x->end_ns;
	}
	own->list.nr = 0;
}

/* Computes the exclusive times of paths that are marked as MIXED. Paths are processed in groups, so
 * that the intervals of a group need less memory than all frames. */
static void mixed_times(struct python_paths *p, const struct python_window *w)
{
	struct own_intervals own = { .end = 1 };
	size_t all = 0;
	for (size_t i = 1; i < p->paths.nr; i++)
		all += p->paths.v[i].count;
	while (own.end < p->paths.nr) {
		size_t frames = 0;
		for (own.first = own.end; own.end < p->paths.nr && frames <= all / 16; own.end++)
			if (p->paths.v[own.end].end_ns == MIXED) {
				p->paths.v[own.end].exclusive_ns = 0;
				frames += p->paths.v[own.end].count;
			}
		for (size_t i = 0; i < p->frames->threads.nr && frames; i++)
			own_of_thread(&own, p, w, &p->frames->threads.v[i]);
		own_sum(&own, p, w);
	}
	vec_release(&own.list);
}

void python_make_paths(struct python_frames *frames, const struct name_table *names,
                       const struct python_window *w)
{
	struct python_paths *p = frames->paths = mem_calloc(1, sizeof *p);
	p->frames = frames;
	p->names = names;
	name_table_init(&p->clean);
	p->clean_of = mem_realloc(NULL, names->nr + 1, sizeof *p->clean_of);
	memset(p->clean_of, 0xff, names->nr * sizeof *p->clean_of); /* sets all elements to NO_ID */
	idmap_init(&p->path_ids);
	vec_push(&p->paths, (struct path){ .name = NO_ID });
	for (size_t i = 0; i < frames->threads.nr; i++)
		find_paths(p, w, &frames->threads.v[i]);
	mixed_times(p, w);
}
