/* Functions: the part of their time that no function of a higher class covers (the metric
 * function.exclusive_pct). Classes are processed from the highest to the lowest; the time of a
 * processed class counts as covered for all lower ones. */
#include "base/number.h"
#include "base/search.h"
#include "base/sort_inline.h"
#include "merge/digest_small.h"
#include "reduce/reducer.h"

/* One execution of a function. */
struct function_call {
	int64_t start_ns, end_ns;
	uint32_t function; ///< index of the function in its class
};

/* Functions of one class. `calls` has the indices of their activities or spans, in order of
   start. */
struct class_functions {
	const struct reducer *r;
	enum function_class cls;
	uint32_t *function_of; ///< index of the function for each index in gpu.names or host.names;
	                       ///< NO_ID for names of other classes
	VEC(struct function_stat) rows;
	VEC(uint32_t) calls;
};

static inline struct function_call function_call_get(const struct class_functions *c, size_t i)
{
	const struct reducer *r = c->r;
	if (c->cls == FUNCTION_RUNTIME) {
		struct wide_span s = span_get(&r->host, &r->host.spans.v[c->calls.v[i]]);
		return (
		    struct function_call){ s.start_ns, s.start_ns + s.dur_ns,
			                       c->function_of[idmap_pair_first(r->host.rows.keys.v[s.row])] };
	}
	const struct activity *a = &r->gpu.activities.v[c->calls.v[i]];
	return (struct function_call){ a->start_ns, activity_end(&r->gpu, a),
		                           c->function_of[idmap_pair_first(r->gpu.rows.keys.v[a->row])] };
}

void functions_release(struct functions *f)
{
	vec_release(&f->rates);
}

/* ---- the time in which functions of higher classes run ---- */

static int segment_cmp(const void *a, const void *b, void *unused)
{
	(void)unused;
	return COMPARE(((const struct segment *)a)->start_ns, ((const struct segment *)b)->start_ns);
}

/* Adds the calls of a class to the time that higher classes cover. Works in place: until the last
 * loop, `before_ns` of a segment holds the end of the segment. */
static void higher_add(struct higher *h, const struct class_functions *c)
{
	struct segment *v = h->list.v;
	size_t nr = 0;
	int64_t length = 0, until = 0; /* total length and last end of the first `nr` segments */
	if (!c->calls.nr)
		return;
	for (size_t i = 0; i < h->list.nr; i++)
		v[i].before_ns = segment_end(&v[i]);
	for (size_t i = 0; i < c->calls.nr; i++) {
		struct function_call call = function_call_get(c, i);
		if (call.end_ns > call.start_ns)
			vec_push(&h->list, (struct segment){ call.start_ns, call.end_ns });
	}
	if (v) /* else the list has only the calls, in order */
		sort_inline(h->list.v, h->list.nr, sizeof *v, segment_cmp, NULL);
	vec_reserve(&h->list, 1);
	v = h->list.v;
	for (size_t i = 0; i < h->list.nr; i++) {
		int64_t start = v[i].start_ns, end = v[i].before_ns;
		if (!nr || start > until) {
			v[nr++] = (struct segment){ start, length };
			until = start;
		}
		if (end > until) {
			length += end - until;
			until = end;
		}
	}
	v[nr].before_ns = length;
	h->list.nr = nr;
}

/* ---- figures of one class ---- */

/* Prefix sums: index of each function's first call, and at the end the number of all calls. */
static size_t *first_calls(const struct class_functions *c)
{
	size_t *first = mem_calloc(c->rows.nr + 1, sizeof *first);
	for (size_t i = 0; i < c->rows.nr; i++)
		first[i + 1] = first[i] + (size_t)c->rows.v[i].count;
	return first;
}

/* Computes total, exclusive and median time of the functions of a class. */
static void class_costs(struct class_functions *c, const struct higher *h)
{
	size_t *next = first_calls(c);
	int64_t *durs = mem_calloc(c->calls.nr, sizeof *durs); /* durations, grouped by function */
	/* end of the union of each function's calls so far */
	int64_t *ends = mem_calloc(c->rows.nr, sizeof *ends);
	for (size_t i = 0; i < c->rows.nr; i++)
		ends[i] = INT64_MIN;
	struct higher_walk walk = higher_walk_begin(h);
	for (size_t i = 0; i < c->calls.nr; i++) {
		struct function_call call = function_call_get(c, i);
		struct function_stat *f = &c->rows.v[call.function];
		int64_t *end = &ends[call.function], from = call.start_ns > *end ? call.start_ns : *end;
		f->total_ns += call.end_ns - call.start_ns;
		durs[next[call.function]++] = call.end_ns - call.start_ns;
		higher_walk_to(&walk, call.start_ns);
		if (call.end_ns <= from)
			continue;
		f->exclusive_ns += higher_free(&walk, from, call.end_ns);
		*end = call.end_ns;
	}
	for (size_t i = 0; i < c->rows.nr; i++) {
		struct function_stat *f = &c->rows.v[i];
		f->median_ns = number_median(durs + next[i] - f->count, (size_t)f->count);
	}
	free(next);
	free(durs);
	free(ends);
}

/* Appends the rows of a class. `last`: true if no lower class follows, which would need the time
 * that this class covers. */
static void class_finish(struct class_functions *c, struct higher *h, bool last, struct digest *d)
{
	class_costs(c, h);
	if (!last)
		higher_add(h, c);
	for (size_t i = 0; i < c->rows.nr; i++) {
		struct function_stat *f = &c->rows.v[i];
		f->name.p = arena_dup(&d->arena, f->name);
		vec_push(&d->functions, *f);
	}
	free(c->function_of);
	vec_release(&c->rows);
	vec_release(&c->calls);
}

/* ---- rows of each class ---- */

static enum function_class function_class_of(const struct gpu_name *g)
{
	if (g->stat.kind != EVENT_KERNEL)
		return FUNCTION_MEMORY;
	return g->communication ? FUNCTION_COMMUNICATION : FUNCTION_COMPUTE;
}

static void function_row_add(struct class_functions *c, struct span name)
{
	vec_push(&c->rows, (struct function_stat){
	                       .cls = c->cls, .name = name, .parent = -1, .rate = -1, .rate_mad = -1 });
}

/* Adds activity `i` as a call of `function`; does nothing if `function` is NO_ID. */
static void function_call_add(struct class_functions *c, size_t i, uint32_t function)
{
	if (function == NO_ID)
		return;
	vec_push(&c->calls, (uint32_t)i);
	c->rows.v[function].count++;
}

/* Makes the rows of a GPU class; kinds of activities that share a name share a row. */
static void gpu_class_rows(struct class_functions *c)
{
	const struct reducer *r = c->r;
	struct idmap ids; /* index of the row of each name id */
	idmap_init(&ids);
	c->function_of = mem_calloc(r->gpu.names.nr, sizeof *c->function_of);
	for (size_t i = 0; i < r->gpu.names.nr; i++) {
		const struct gpu_name *g = &r->gpu.names.v[i];
		c->function_of[i] = NO_ID;
		if (function_class_of(g) != c->cls)
			continue;
		uint32_t row = c->function_of[i] = idmap_add(&ids, (uint32_t)r->gpu.name_ids.keys.v[i]);
		if (row == c->rows.nr)
			function_row_add(c, g->stat.name);
	}
	idmap_release(&ids);
}

/* For each function: median and MAD (median absolute deviation) of the known rates of its calls. */
static void gpu_class_rates(struct class_functions *c)
{
	size_t *first = first_calls(c), *next = first_calls(c); /* indices in `rates`, by function */
	int64_t *rates = mem_calloc(c->calls.nr, sizeof *rates); /* bandwidths, grouped by function */
	for (size_t i = 0; i < c->r->functions.rates.nr; i++) {
		uint32_t function = c->function_of[c->r->functions.rates.v[i].name];
		if (function != NO_ID)
			rates[next[function]++] = c->r->functions.rates.v[i].bytes_per_s;
	}
	for (size_t i = 0; i < c->rows.nr; i++) {
		struct function_stat *f = &c->rows.v[i];
		if (next[i] > first[i])
			f->rate_mad = number_mad(rates + first[i], next[i] - first[i], &f->rate);
	}
	free(first);
	free(next);
	free(rates);
}

static void gpu_class(struct reducer *r, enum function_class cls, struct higher *h,
                      struct digest *d)
{
	struct class_functions c = { .r = r, .cls = cls };
	gpu_class_rows(&c);
	for (size_t i = 0; i < r->gpu.activities.nr && c.rows.nr; i++)
		function_call_add(
		    &c, i, c.function_of[idmap_pair_first(r->gpu.rows.keys.v[r->gpu.activities.v[i].row])]);
	gpu_class_rates(&c);
	class_finish(&c, h, false, d);
}

static int span_start_cmp(const void *a, const void *b, void *reducer)
{
	const struct reducer *r = reducer;
	int64_t x = span_start(&r->host, &r->host.spans.v[*(const uint32_t *)a]);
	int64_t y = span_start(&r->host, &r->host.spans.v[*(const uint32_t *)b]);
	return COMPARE(x, y);
}

void function_runtime(struct reducer *r, struct digest *d)
{
	struct class_functions c = { .r = r, .cls = FUNCTION_RUNTIME };
	c.function_of = mem_calloc(r->host.names.nr, sizeof *c.function_of);
	for (size_t i = 0; i < r->host.names.nr; i++)
		if (idmap_pair_first(r->host.name_ids.keys.v[i]) == EVENT_RUNTIME) {
			c.function_of[i] = (uint32_t)c.rows.nr;
			function_row_add(&c, r->host.names.v[i].name);
		}
	for (size_t i = 0; i < r->host.spans.nr; i++) {
		uint32_t row = span_get(&r->host, &r->host.spans.v[i]).row;
		uint32_t name = idmap_pair_first(r->host.rows.keys.v[row]);
		if (idmap_pair_first(r->host.name_ids.keys.v[name]) != EVENT_RUNTIME)
			continue;
		vec_push(&c.calls, (uint32_t)i);
		c.rows.v[c.function_of[name]].count++;
	}
	sort_inline(c.calls.v, c.calls.nr, sizeof *c.calls.v, span_start_cmp, r);
	class_finish(&c, &r->functions.higher, r->python.threads.nr == 0, d);
	if (!r->python.threads.nr)
		vec_release(&r->functions.higher.list); /* from here on only needed for Python functions */
}

/* Positions in the lists of transfers and of communication kernels, during a walk over activities
 * in file order. */
struct moved_cursor {
	size_t transfer, kernel;
};

/* Bytes per second of activity `i`; -1 if unknown. The activities must come in file order. */
static int64_t activity_rate(const struct reducer *r, struct moved_cursor *at, size_t i)
{
	int64_t bytes = 0, dur_ns = activity_dur(&r->gpu, &r->gpu.activities.v[i]);
	if (at->transfer < r->gpu.transfers.nr && r->gpu.transfers.v[at->transfer].activity == i)
		bytes = widen(&r->gpu.wide, r->gpu.transfers.v[at->transfer++].bytes);
	if (at->kernel < r->comm.kernels.nr && r->comm.kernels.v[at->kernel].activity == i)
		bytes = r->comm.kernels.v[at->kernel++].bytes;
	return bytes > 0 && dur_ns > 0 ? number_div_round((__int128)bytes * NS_PER_S, dur_ns) : -1;
}

void function_rates(struct reducer *r)
{
	struct moved_cursor at = { 0 };
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		int64_t rate = activity_rate(r, &at, i);
		if (rate >= 0)
			vec_push(&r->functions.rates,
			         (struct gpu_rate){
			             rate, idmap_pair_first(r->gpu.rows.keys.v[r->gpu.activities.v[i].row]) });
	}
	vec_release(&r->gpu.transfers);
}

void function_classes(struct reducer *r, struct digest *d)
{
	gpu_class(r, FUNCTION_COMPUTE, &r->functions.higher, d);
	gpu_class(r, FUNCTION_MEMORY, &r->functions.higher, d);
	gpu_class(r, FUNCTION_COMMUNICATION, &r->functions.higher, d);
	vec_release(&r->functions.rates);
}

void function_paths(struct reducer *r)
{
	struct python_window w = { &r->functions.higher, r->first_ns, r->last_ns };
	python_make_paths(&r->python, r->names, &w);
	vec_release(&r->functions.higher.list);
}

void function_figures(struct reducer *r, struct digest *d)
{
	/* paths with less time get no row of their own, since digest_small_functions() would add it to
	 * a sum */
	int64_t least_ns = d->window_ns > 0 ? (d->window_ns - 1) / KEEP_SHARE + 1 : 0;
	python_figures(&r->python, least_ns, d);
	digest_small_functions(d);
	python_medians(&r->python, d);
}
