#include "model/view.h"

#include <stdlib.h>

#include "base/number.h"
#include "model/flops.h"
#include "model/fold.h"
#include "model/ranks.h"
#include "model/rows.h"
#include "model/step_figures.h"

/* ---- kernels by match name ---- */

struct span naming_match(const struct naming *n, struct arena *a, struct span name)
{
	struct span match = n->exact ? name : kernel_match_name(a, name);
	for (size_t i = 0; i < n->nr_aliases; i++)
		if (span_glob(n->aliases[i].match, match))
			return n->aliases[i].as;
	return match;
}

/* ---- cache of match names and categories, since the ranks of a job run the same kernels ---- */

enum { CATEGORY_UNASKED = -2 };

struct known_name {
	struct span match;
	int category; /* index of the category, or CATEGORY_UNASKED */
};

struct known_names {
	struct arena arena; /* arena that owns the match names */
	struct name_table names;
	VEC(struct known_name) list; /* names, indexed by id */
};

/* The cache entry of a name; NULL if the table is full. */
static struct known_name *known_name(const struct run_view *v, struct span name)
{
	struct known_names *k = v->known;
	const struct name *nm = name_intern(&k->names, name);
	if (nm && nm->id == k->list.nr)
		vec_push(&k->list, (struct known_name){ naming_match(v->naming, &k->arena, name_span(nm)),
		                                        CATEGORY_UNASKED });
	return nm ? &k->list.v[nm->id] : NULL;
}

struct span view_match(const struct run_view *v, struct span name)
{
	const struct known_name *k = known_name(v, name);
	return k ? k->match : naming_match(v->naming, &v->known->arena, name);
}

/* Compares by match name, then by time, the raw name with the most time first. */
ORDERING(match_cmp, struct kernel_row, BY_SPAN(match) FALLING(stat.step_total_ns) BY_SPAN(name))

ORDERING(by_match, struct kernel_row, BY_SPAN(match))

static void merge_row(void *first, void *more)
{
	struct kernel_row *row = first;
	row_add(&kernel_stat_row, ROWS_SMALL, &row->stat, &((struct kernel_row *)more)->stat);
	row->raw_names++;
}

const struct kernel_row *rank_view_kernel(const struct rank_view *r, struct span match)
{
	const struct kernel_row key = { .match = match };
	return r->nr_kernels ? bsearch(&key, r->kernels, r->nr_kernels, sizeof key, by_match) : NULL;
}

/* The row of a sum of kernels that were too small to be kept one by one. Their names are lost, so
 * the row is named after their category. Communication kernels are never in such a sum. */
static struct kernel_row small_row(struct run_view *v, const struct kernel_stat *s)
{
	const struct category_table *t = v->naming->categories;
	struct kernel_row row = {
		.name = s->name,
		.category = category_index(t, s->name),
		.raw_names = (int)s->names,
		.stat = *s,
	};
	row.cls = category_class_at(t, row.category);
	if (row.cls == CLASS_COMMUNICATION)
		row.cls = CLASS_COMPUTE;
	row.match =
	    span_of(arena_printf(&v->arena, "smaller kernels: %s", category_name(t, row.category)));
	return row;
}

/* Sets category and class of a row. Whether a kernel communicates is decided by the digest's list
 * of communication kernels rather than by today's table of categories, so that the sum over kernels
 * agrees with the figures per step. */
static void classify(struct kernel_row *row, const struct run_view *v, const struct digest *d)
{
	const struct category_table *t = v->naming->categories;
	struct known_name *k = known_name(v, row->name);
	if (k && k->category == CATEGORY_UNASKED)
		k->category = category_of(t, row->name);
	row->category = k ? k->category : category_of(t, row->name);
	row->cls = category_class_at(t, row->category);
	if (kernel_communicates(d, &row->stat))
		row->cls = CLASS_COMMUNICATION;
	else if (row->cls == CLASS_COMMUNICATION)
		row->cls = CLASS_COMPUTE;
}

ORDERING(by_key, struct activity_name, RISING(key))

struct activity_name rank_view_activity(const struct rank_view *r, uint64_t key)
{
	const struct activity_name sought = { .key = key }, *found = NULL;
	if (key && r->activities.nr)
		found = bsearch(&sought, r->activities.v, r->activities.nr, sizeof sought, by_key);
	return found ? *found : (struct activity_name){ 0 };
}

static void rank_view_init(struct run_view *v, struct rank_view *r, const struct digest *d)
{
	VEC(struct kernel_row) rows = VEC_INIT;
	*r = (struct rank_view){ .digest = d };
	for (size_t i = 0; i < d->kernels.nr; i++) {
		struct kernel_stat *s = &d->kernels.v[i];
		if (s->names > 0)
			continue;
		struct activity_name a = { kernel_key(s), view_match(v, s->name),
			                       kernel_communicates(d, s) };
		if (d->code.nr)
			vec_push(&r->activities, a);
		if (s->kind == EVENT_KERNEL)
			vec_push(&rows, (struct kernel_row){
			                    .match = a.match, .name = s->name, .raw_names = 1, .stat = *s });
	}
	vec_sort(&r->activities, by_key);
	vec_sort(&rows, match_cmp);
	v->merged_names += rows.nr;
	vec_unite(&rows, by_match, merge_row);
	v->merged_names -= rows.nr;
	r->nr_kernels = rows.nr;
	for (size_t i = 0; i < rows.nr; i++)
		classify(&rows.v[i], v, d);
	int64_t largest = 0;
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *s = &d->kernels.v[i];
		if (s->kind != EVENT_KERNEL || s->names == 0)
			continue;
		vec_push(&rows, small_row(v, s));
		r->nr_small++;
		if (s->largest_ns > largest)
			largest = s->largest_ns;
		r->small_ns = number_add(r->small_ns, s->step_total_ns);
		r->small_count = number_add(r->small_count, s->step_count);
	}
	r->kernels = rows.v;
	if (d->usable_steps > 0)
		r->small_most = number_div_round(largest, d->usable_steps);
}

/* ---- figures of result files ---- */

void run_views_align(struct run_view *v, size_t nr, struct arena *a)
{
	VEC(const struct input_stat *) all = VEC_INIT;
	for (size_t i = 0; i < nr; i++)
		for (size_t r = 0; r < v[i].run->ranks.nr; r++) {
			const struct digest *d = v[i].run->ranks.v[r];
			for (size_t k = 0; k < d->inputs.nr; k++)
				vec_push(&all, &d->inputs.v[k]);
		}
	const struct metric **inputs = arena_alloc(a, all.nr, sizeof *inputs);
	size_t nr_inputs = input_metrics(all.v, all.nr, a, inputs);
	vec_release(&all);
	for (size_t i = 0; i < nr; i++) {
		v[i].inputs = inputs;
		v[i].nr_inputs = nr_inputs;
	}
}

ORDERING_POINTERS(metric_name_cmp, struct metric, BY_TEXT(name))

/* True if `name` is the name under which reports show a figure of result files: "CASE/TITLE", or
 * only the title if the figure has no case. */
static bool is_called(const struct metric *own, const char *name)
{
	size_t n = strlen(own->case_name);
	if (n && (strncmp(name, own->case_name, n) != 0 || name[n++] != '/'))
		return false;
	return strcmp(name + n, own->head) == 0;
}

const struct metric *view_metric(const struct run_view *v, const struct metric *m,
                                 struct span label)
{
	if (m->need != NEED_INPUT)
		return m;
	struct arena scratch = ARENA_INIT;
	const struct metric *key = label.n ? metric_of_input(label, &scratch) : m;
	const struct metric *const *found =
	    v->nr_inputs ? bsearch(&key, v->inputs, v->nr_inputs, sizeof key, metric_name_cmp) : NULL;
	arena_release(&scratch);
	for (size_t i = 0; !found && !label.n && i < v->nr_inputs; i++)
		found = is_called(v->inputs[i], m->name + strlen("input.")) ? &v->inputs[i] : NULL;
	return found ? *found : m;
}

void run_view_init(struct run_view *v, const struct run *run, const struct naming *naming)
{
	*v = (struct run_view){ .arena = ARENA_INIT, .naming = naming, .run = run };
	v->ranks = arena_alloc(&v->arena, run->ranks.nr, sizeof *v->ranks);
	v->labels = arena_alloc(&v->arena, 1, sizeof *v->labels);
	name_table_init(v->labels);
	struct cross_rank *cross = arena_alloc(&v->arena, run->ranks.nr, sizeof *cross);
	ranks_cross(run, cross);
	v->known = arena_alloc(&v->arena, 1, sizeof *v->known);
	name_table_init(&v->known->names);
	for (size_t i = 0; i < run->ranks.nr; i++) {
		rank_view_init(v, &v->ranks[i], run->ranks.v[i]);
		v->ranks[i].cross = &cross[i];
	}
	run_views_align(v, 1, &v->arena);
	const struct fold *f = run_fold(run);
	if (f && f->kept.ranks.nr) {
		v->kept = arena_alloc(&v->arena, 1, sizeof *v->kept);
		run_view_init(v->kept, &f->kept, naming);
	}
}

void run_view_release(struct run_view *v)
{
	if (v->kept)
		run_view_release(v->kept);
	for (size_t i = 0; i < v->run->ranks.nr; i++) {
		free(v->ranks[i].kernels);
		vec_release(&v->ranks[i].activities);
	}
	name_table_release(v->labels);
	name_table_release(&v->known->names);
	vec_release(&v->known->list);
	arena_release(&v->known->arena);
	arena_release(&v->arena);
}

/* ---- which metrics were recorded ---- */

static bool rank_has_communication(const struct digest *d)
{
	const int64_t *summary = digest_summary(d, METRIC_STEP_COMM_TIME);
	return ANY(i, d->kernels.nr, kernel_communicates(d, &d->kernels.v[i])) ||
	       ANY(i, d->nr_steps, d->samples[METRIC_STEP_COMM_TIME][i]) ||
	       (summary && summary[STAT_MAX] > 0);
}

static bool rank_has_context(const struct digest *d, enum metric_id id)
{
	switch (id) {
	case METRIC_THROUGHPUT_SAMPLES:
		return digest_env(d, "samples_per_step");
	case METRIC_THROUGHPUT_TOKENS:
		return digest_env(d, "tokens_per_step");
	default:
		return digest_env(d, "flops_per_step") &&
		       (digest_env(d, "peak_tflops") || flops_peak(d, &(struct flop_peak){ 0 }));
	}
}

static bool rank_has_code(const struct digest *d, enum label_kind kind)
{
	if (kind == LABEL_RANGE)
		return d->ranges.nr > 0;
	for (size_t i = 0; i < d->code.nr; i++) {
		const struct code_stat *c = &d->code.v[i];
		if ((kind == LABEL_OP ? c->op : kind == LABEL_PLACE ? c->place : c->module).n)
			return true;
	}
	return false;
}

static bool rank_has(const struct rank_view *r, const struct metric *m)
{
	const struct digest *d = r->digest;
	if (m->per_step && !digest_has_steps(d, m->id))
		return false;
	if (m->parts == PARTS_CODE)
		return rank_has_code(d, m->label);
	switch (m->need) {
	case NEED_HOST:
		return d->nr_steps > 0;
	case NEED_GPU:
		return d->kernels.nr > 0;
	case NEED_COMM:
		return rank_has_communication(d);
	case NEED_MEMORY:
		return d->memories.nr > 0;
	case NEED_CONTEXT:
		return rank_has_context(d, m->id);
	case NEED_FLOPS:
		return ANY(i, d->flops.nr,
		           m->label == LABEL_OP ? d->flops.v[i].sized_ns > 0
		                                : d->flops.v[i].count > 0 || d->flops.v[i].uncounted > 0);
	case NEED_RANKS:
		return r->cross->known;
	case NEED_MATCHED:
		return r->cross->known && r->cross->matched > 0;
	case NEED_MACHINE:
		return d->machines.nr > 0;
	case NEED_INPUT:
		return ANY(i, d->inputs.nr, input_is_of(m, &d->inputs.v[i]));
	}
	return false;
}

const struct memory_stat *digest_memories(const struct digest *d, bool by_trace, size_t *nr)
{
	bool kept = by_trace && d->trace_memories.nr;
	*nr = kept ? d->trace_memories.nr : d->memories.nr;
	return kept ? d->trace_memories.v : d->memories.v;
}

unsigned memory_sources(const struct run *run)
{
	const struct fold *f = run_fold(run);
	unsigned common = ~0U;
	/* ranks with snapshots are not folded */
	if (f)
		return fold_has(f, &metric_table[METRIC_MEMORY_PEAK_ALLOCATED]) ? 1U << MEMORY_OF_TRACE
		                                                                : common;
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		unsigned traced = d->trace_memories.nr ? 1U << MEMORY_OF_TRACE : 0;
		common &= d->memories.nr ? traced | 1U << d->memories.v[0].source : ~0U;
	}
	return common;
}

const char *memory_source_of(unsigned sources)
{
	unsigned others = sources & ~(1U << MEMORY_OF_TRACE);
	size_t i = MEMORY_OF_TRACE;
	if (!sources || sources == ~0U)
		return NULL;
	while (others && !(others >> i & 1))
		i++;
	return memory_source_names[i];
}

bool run_has(const struct run_view *v, const struct metric *m)
{
	/* metrics of folded runs come from the fold, except those that compare runs (LABEL_PAIR) */
	if (run_fold(v->run) && m->label != LABEL_PAIR)
		return fold_has(run_fold(v->run), m);
	return ANY(i, v->run->ranks.nr, rank_has(&v->ranks[i], m));
}
