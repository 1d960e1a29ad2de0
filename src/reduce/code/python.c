/* Python functions by call path. The exclusive time of a path is the time in which one of its
 * frames runs without a running callee, and no function of a higher class (GPU work or a runtime
 * call) runs. */
#include <ctype.h>
#include <string.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "code/python_internal.h"
#include "model/rows.h"

void python_init(struct python_frames *p)
{
	p->found.thread = NO_ID;
	idmap_init(&p->ids);
}

static void python_paths_free(struct python_paths *p)
{
	if (!p)
		return;
	name_table_release(&p->clean);
	idmap_release(&p->path_ids);
	free(p->clean_of);
	vec_release(&p->paths);
	free(p);
}

void python_release(struct python_frames *p)
{
	idmap_release(&p->ids);
	for (size_t i = 0; i < p->threads.nr; i++) {
		vec_release(&p->threads.v[i].frames);
		vec_release(&p->threads.v[i].runs);
	}
	vec_release(&p->threads);
	vec_release(&p->wide.list);
	python_paths_free(p->paths);
}

/* ---- call paths ---- */

/* Appends a name without the addresses in it, which change from run to run: "<built-in method get
 * of dict object at 0x7f3ab849d0f0>". */
static void add_without_addresses(struct strbuf *b, struct span name)
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

static uint32_t clean_name(struct python_paths *p, uint32_t name)
{
	if (p->clean_of[name] == NO_ID) {
		struct strbuf b = STRBUF_INIT;
		add_without_addresses(&b, name_span(p->names->by_id[name]));
		/* the table cannot be full: the trace's name table has the same limits, and it holds at
		 * least as many names, each at least as long */
		p->clean_of[name] = name_intern(&p->clean, strbuf_span(&b))->id;
		strbuf_release(&b);
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
		                                   .depth = p->paths.v[caller].depth + 1 });
	struct path *v = p->paths.v;
	if (v[caller].last)
		v[v[caller].last].next = id;
	return v[caller].last = id;
}

/* The path of a call of the function `name` from the path `caller`. Two guesses are mostly right:
   the path that `caller` called last, and the path that it called after that one the last time. */
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

/* Replaces the member `name` of each frame by the id of the frame's path. */
static void find_paths(struct python_paths *p, struct python_thread *t)
{
	struct python_frame *v = t->frames.v;
	for (size_t i = 0; i < t->frames.nr; i++) {
		struct python_frame *f = &v[i];
		uint32_t from = f->parent == NO_ID ? 0 : v[f->parent].name;
		if (p->paths.v[from].depth == FUNCTION_DEPTH) {
			f->name = from;
			continue;
		}
		f->name = path_called(p, from, clean_name(p, f->name));
		struct path *x = &p->paths.v[f->name];
		x->count++;
		x->total_ns += frame_dur(p->frames, f);
	}
}

/* ---- rows of call paths ---- */

/* A path among the rows of all paths. */
struct path_row {
	int64_t below_ns; /* exclusive time of the path and of all paths below it */
	uint32_t kept; /* id of the path, or of its nearest caller, that has a row of its own; or 0 */
	int64_t row; /* index of the path's row; -1 if it has none */
	int64_t sum; /* index of the row that sums small paths below the path; -1 if there is none */
};

static struct path_row *sum_below(const struct python_paths *p)
{
	struct path_row *rows = mem_calloc(p->paths.nr, sizeof *rows);
	for (size_t i = p->paths.nr; i-- > 0;) {
		rows[i].row = rows[i].sum = -1;
		rows[i].below_ns += p->paths.v[i].exclusive_ns;
		if (i)
			rows[p->paths.v[i].caller].below_ns += rows[i].below_ns;
	}
	return rows;
}

static void add_small_path(struct digest *d, const struct path *x, struct path_row *kept)
{
	struct function_stat f = { .cls = FUNCTION_PYTHON, .parent = kept->row };
	if (kept->sum < 0) {
		row_make_sum(&function_stat_row, &f);
		f.names = 0;
		kept->sum = (int64_t)d->functions.nr;
		vec_push(&d->functions, f);
	}
	struct function_stat *sum = &d->functions.v[kept->sum];
	sum->names++;
	sum->count += x->count;
	sum->total_ns += x->total_ns;
	sum->exclusive_ns += x->exclusive_ns;
}

/* Appends the rows of paths that are large enough, and sums of the others, callers first. Most
 * paths are small, and a row costs more than a path. */
static void path_rows(const struct python_paths *p, int64_t least_ns, struct digest *d)
{
	const char **texts = mem_calloc(p->clean.nr, sizeof *texts);
	struct path_row *rows = sum_below(p);
	for (size_t i = 1; i < p->paths.nr; i++) {
		const struct path *x = &p->paths.v[i];
		uint32_t caller = rows[x->caller].kept;
		rows[i].kept = caller;
		if (rows[i].below_ns < least_ns) {
			add_small_path(d, x, &rows[caller]);
			continue;
		}
		struct span name = name_span(p->clean.by_id[x->name]);
		if (!texts[x->name])
			texts[x->name] = arena_dup(&d->arena, name);
		rows[i].kept = (uint32_t)i;
		rows[i].row = (int64_t)d->functions.nr;
		vec_push(&d->functions, (struct function_stat){ .cls = FUNCTION_PYTHON,
		                                                .name = { texts[x->name], name.n },
		                                                .parent = rows[caller].row,
		                                                .count = x->count,
		                                                .total_ns = x->total_ns,
		                                                .exclusive_ns = x->exclusive_ns,
		                                                .median_ns = (int64_t)i,
		                                                .rate = -1,
		                                                .rate_mad = -1 });
	}
	free(texts);
	free(rows);
}

/* True for the row of a single call path; false for other rows, also for a sum of small rows. */
static bool is_path(const struct function_stat *f)
{
	return f->cls == FUNCTION_PYTHON && f->names == 0;
}

/* Removes the frames whose path has no row, and frames whose caller has the same path. Goes
 * backwards, so that callers, which come before, are still there. */
static void keep_counted_frames(struct python_thread *t, int64_t *const *next)
{
	struct python_frame *v = t->frames.v;
	size_t from = t->frames.nr;
	for (size_t i = t->frames.nr; i-- > 0;)
		if (next[v[i].name] && (v[i].parent == NO_ID || v[v[i].parent].name != v[i].name))
			v[--from] = v[i];
	t->frames.nr = t->frames.cap = t->frames.nr - from;
	memmove(v, v + from, t->frames.nr * sizeof *v);
	t->frames.v = mem_realloc(v, t->frames.nr, sizeof *v);
}

void python_medians(struct python_frames *p, struct digest *d)
{
	size_t nr = 0;
	for (size_t i = 0; i < d->functions.nr; i++)
		nr += is_path(&d->functions.v[i]) ? (size_t)d->functions.v[i].count : 0;
	/* for each path, a pointer into `durs`: the path's next duration is stored there */
	int64_t **next = mem_calloc(p->paths->paths.nr, sizeof *next);
	int64_t *durs = mem_calloc(nr, sizeof *durs), *at = durs; /* durations, grouped by row */
	for (size_t i = 0; i < d->functions.nr; i++) {
		const struct function_stat *f = &d->functions.v[i];
		if (is_path(f)) {
			next[f->median_ns] = at;
			at += f->count;
		}
	}
	/* frames whose path has no row are removed before the next loop first writes to `durs`,
	 * so that less memory is in use at the same time */
	for (size_t t = 0; t < p->threads.nr; t++)
		keep_counted_frames(&p->threads.v[t], next);
	for (size_t t = 0; t < p->threads.nr; t++) {
		const struct python_thread *thread = &p->threads.v[t];
		for (size_t i = 0; i < thread->frames.nr; i++)
			*next[thread->frames.v[i].name]++ = frame_dur(p, &thread->frames.v[i]);
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

void python_make_paths(struct python_frames *frames, const struct name_table *names)
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
		find_paths(p, &frames->threads.v[i]);
}

void python_figures(struct python_frames *p, const struct python_window *w, struct digest *d)
{
	python_sweep(p->paths, w);
	path_rows(p->paths, w->least_ns, d);
}
