/* Functions: what of their time nothing of a higher class covers (metrics.md,
   function.exclusive_pct). The classes are taken from the highest down; each
   adds its own time to what those below it do not get. */
#include "reduce/functions.h"

#include "base/number.h"
#include "model/digest_fold.h"

/* One execution of a function. */
struct call {
	int64_t start_ns, dur_ns;
	uint32_t function; ///< index in the class
};

/* What one of them moved over its time. */
struct rate {
	int64_t bytes_per_s;
	uint32_t function;
};

/* The functions of one class. */
struct gather {
	struct idmap ids; ///< of names
	VEC(struct function_stat) rows;
	VEC(struct call) calls;
	VEC(struct rate) rates; ///< of the calls that have one
};

static int by_start(const void *a, const void *b)
{
	const struct call *x = a, *y = b;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* --- what higher classes cover --- */

/* Add the calls, which are in order of start. */
static void higher_add(struct higher *h, const struct call *v, size_t nr)
{
	struct higher sum = { 0 };
	for (size_t i = 0, k = 0; i < h->list.nr || k < nr;) {
		bool old = k == nr || (i < h->list.nr && h->list.v[i].start_ns <= v[k].start_ns);
		int64_t start = old ? h->list.v[i].start_ns : v[k].start_ns;
		int64_t end = old ? h->list.v[i].end_ns : start + v[k].dur_ns;
		struct segment *last = sum.list.nr ? &sum.list.v[sum.list.nr - 1] : NULL;
		int64_t before = last ? last->before_ns + last->end_ns - last->start_ns : 0;
		*(old ? &i : &k) += 1;
		if (end <= start)
			continue;
		if (!last || start > last->end_ns)
			vec_push(&sum.list, (struct segment){ start, end, before });
		else if (end > last->end_ns)
			last->end_ns = end;
	}
	vec_release(&h->list);
	*h = sum;
}

/* Length of what is covered before `at`; the first `begun` segments begin by then. */
static int64_t covered_before(const struct higher *h, size_t begun, int64_t at)
{
	const struct segment *v = h->list.v;
	size_t lo = begun, hi = h->list.nr; /* lo becomes the number of segments begun by then */
	for (size_t step = 1; lo + step <= hi; step *= 2) { /* it is near */
		if (v[lo + step - 1].start_ns > at) {
			hi = lo + step - 1;
			break;
		}
		lo += step;
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (v[mid].start_ns <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? higher_before(h, lo - 1, at) : 0;
}

/* --- the figures of one class --- */

static void take(struct gather *g, enum function_class cls, int64_t name_id, struct span name,
                 struct call call, int64_t rate)
{
	call.function = idmap_add(&g->ids, name_id);
	if (call.function == g->rows.nr)
		vec_push(&g->rows,
		         (struct function_stat){
		             .cls = cls, .name = name, .parent = -1, .rate = -1, .rate_mad = -1 });
	vec_push(&g->calls, call);
	if (rate >= 0)
		vec_push(&g->rates, (struct rate){ rate, call.function });
}

static void exclusive_times(struct gather *g, const struct higher *h)
{
	int64_t *ends = mem_calloc(g->rows.nr, sizeof *ends); /* of the union so far */
	for (size_t i = 0; i < g->rows.nr; i++)
		ends[i] = INT64_MIN;
	for (size_t i = 0, begun = 0; i < g->calls.nr; i++) {
		const struct call *c = &g->calls.v[i];
		while (begun < h->list.nr && h->list.v[begun].start_ns <= c->start_ns)
			begun++;
		int64_t end = c->start_ns + c->dur_ns;
		int64_t from = c->start_ns > ends[c->function] ? c->start_ns : ends[c->function];
		if (end <= from)
			continue;
		g->rows.v[c->function].exclusive_ns +=
		    end - from - (covered_before(h, begun, end) - covered_before(h, begun, from));
		ends[c->function] = end;
	}
	free(ends);
}

/* Count, sum, median of the durations. */
static void costs(struct gather *g)
{
	size_t *end = mem_calloc(g->rows.nr + 1, sizeof *end); /* of function i - 1, then of i */
	int64_t *durs = mem_calloc(g->calls.nr, sizeof *durs); /* by function */
	for (size_t i = 0; i < g->calls.nr; i++)
		end[g->calls.v[i].function + 1]++;
	for (size_t i = 1; i <= g->rows.nr; i++)
		end[i] += end[i - 1];
	for (size_t i = 0; i < g->calls.nr; i++) {
		const struct call *c = &g->calls.v[i];
		g->rows.v[c->function].total_ns += c->dur_ns;
		durs[end[c->function]++] = c->dur_ns;
	}
	for (size_t i = 0; i < g->rows.nr; i++) {
		size_t from = i ? end[i - 1] : 0;
		g->rows.v[i].count = (int64_t)(end[i] - from);
		g->rows.v[i].median_ns = number_median(durs + from, end[i] - from);
	}
	free(durs);
	free(end);
}

static int by_function(const void *a, const void *b)
{
	const struct rate *x = a, *y = b;
	return (x->function > y->function) - (x->function < y->function);
}

/* Median of the rates that are known, and their median distance from it. */
static void rates(struct gather *g)
{
	int64_t *own = mem_calloc(g->rates.nr, sizeof *own);
	vec_sort(&g->rates, by_function);
	for (size_t i = 0, nr; i < g->rates.nr; i += nr) {
		uint32_t function = g->rates.v[i].function;
		for (nr = 0; i + nr < g->rates.nr && g->rates.v[i + nr].function == function; nr++)
			own[nr] = g->rates.v[i + nr].bytes_per_s;
		struct function_stat *f = &g->rows.v[function];
		f->rate_mad = number_mad(own, nr, &f->rate);
	}
	free(own);
}

/* `last`: nobody asks what this class covers. */
static void finish_class(struct gather *g, struct higher *h, bool last, struct digest *d)
{
	vec_sort(&g->calls, by_start);
	exclusive_times(g, h);
	if (!last)
		higher_add(h, g->calls.v, g->calls.nr);
	costs(g);
	rates(g);
	for (size_t i = 0; i < g->rows.nr; i++) {
		struct function_stat *f = &g->rows.v[i];
		f->name.p = arena_dup(&d->arena, f->name);
		vec_push(&d->functions, *f);
	}
	idmap_release(&g->ids);
	vec_release(&g->rows);
	vec_release(&g->calls);
	vec_release(&g->rates);
}

/* --- the classes --- */

static enum function_class class_of(const struct gpu_name *g)
{
	if (g->stat.kind != EVENT_KERNEL)
		return FUNCTION_MEMORY;
	return g->communication ? FUNCTION_COMMUNICATION : FUNCTION_COMPUTE;
}

/* Where a walk over the activities is in the lists of those that move bytes. */
struct moved {
	size_t transfer, kernel;
};

/* Bytes that the next activity moves or sends over its time, -1 unknown. */
static int64_t rate_of(const struct reducer *r, struct moved *at, size_t i)
{
	int64_t bytes = 0, dur_ns = r->activities.v[i].dur_ns;
	if (at->transfer < r->transfers.nr && r->transfers.v[at->transfer].activity == i)
		bytes = r->transfers.v[at->transfer++].bytes;
	if (at->kernel < r->comm.kernels.nr && r->comm.kernels.v[at->kernel].activity == i)
		bytes = r->comm.kernels.v[at->kernel++].bytes;
	return bytes > 0 && dur_ns > 0 ? number_div_round((__int128)bytes * NS_PER_S, dur_ns) : -1;
}

static void gpu_class(struct reducer *r, enum function_class cls, struct higher *h,
                      struct digest *d)
{
	struct gather g = { 0 };
	struct moved at = { 0 };
	idmap_init(&g.ids);
	for (size_t i = 0; i < r->activities.nr; i++) {
		const struct activity *a = &r->activities.v[i];
		const struct gpu_name *name = &r->gpu_names.v[a->name];
		int64_t rate = rate_of(r, &at, i);
		if (class_of(name) == cls)
			take(&g, cls, (uint32_t)r->gpu_ids.keys.v[a->name], name->stat.name,
			     (struct call){ a->start_ns, a->dur_ns, 0 }, rate);
	}
	finish_class(&g, h, false, d);
}

static void runtime_class(struct reducer *r, struct higher *h, struct digest *d)
{
	struct gather g = { 0 };
	idmap_init(&g.ids);
	for (size_t i = 0; i < r->spans.nr; i++) {
		const struct host_span *s = &r->spans.v[i];
		int64_t key = r->host_ids.keys.v[s->name]; /* kind and name */
		if (idmap_pair_first(key) == EVENT_RUNTIME)
			take(&g, FUNCTION_RUNTIME, (uint32_t)key, r->host_names.v[s->name].name,
			     (struct call){ s->start_ns, s->dur_ns, 0 }, -1);
	}
	finish_class(&g, h, r->python_threads.nr == 0, d);
}

void function_figures(struct reducer *r, struct digest *d)
{
	struct higher h = { 0 };
	gpu_class(r, FUNCTION_COMPUTE, &h, d);
	gpu_class(r, FUNCTION_MEMORY, &h, d);
	gpu_class(r, FUNCTION_COMMUNICATION, &h, d);
	runtime_class(r, &h, d);
	python_figures(r, &h, d);
	vec_release(&h.list);
	digest_fold_functions(d);
}
