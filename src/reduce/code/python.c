/* Rows of Python functions, by call path. */
#include <string.h>

#include "base/number.h"
#include "code/python_internal.h"
#include "model/rows.h"

void python_init(struct python_frames *p)
{
	p->found.pid = INT64_MIN; /* a value that no thread has */
	idmap_init(&p->ids);
}

static void python_paths_free(struct python_paths *p)
{
	if (!p)
		return;
	name_table_release(&p->clean);
	strbuf_release(&p->text);
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

/* The row of the digest to which a path belongs. */
struct path_row {
	int64_t below_ns; /* exclusive time of the path and of all paths below it */
	uint32_t kept; /* id of the path if it has a row of its own, else of the nearest caller with
	                  such a row; 0 if there is none */
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

/* Appends rows of paths, callers first. Paths below `least_ns` are summed here rather than later,
 * since most paths are small and a row needs more memory than a path. */
void python_figures(const struct python_frames *frames, int64_t least_ns, struct digest *d)
{
	const struct python_paths *p = frames->paths;
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

/* True for the row of a single call path; false for sums of paths and for rows of other classes. */
static bool is_path(const struct function_stat *f)
{
	return f->cls == FUNCTION_PYTHON && f->names == 0;
}

/* Removes frames whose path has no row. Also removes frames that are too deep for a path of their
   own and count as a part of their caller. */
static void keep_counted_frames(struct python_thread *t, int64_t *const *next)
{
	struct python_frame *v = t->frames.v;
	size_t nr = 0;
	for (size_t i = 0; i < t->frames.nr; i++)
		if (next[v[i].name] && v[i].parent != i)
			v[nr++] = v[i];
	t->frames.nr = t->frames.cap = nr;
	t->frames.v = mem_realloc(v, nr, sizeof *v);
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
