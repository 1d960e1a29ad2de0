#include "model/view.h"

#include "base/number.h"

/* ---- kernels by match name ---- */

static struct span match_of(struct run_view *v, struct span name)
{
	const struct naming *n = v->naming;
	struct span match = n->exact ? name : kernel_match_name(&v->arena, name);
	for (size_t i = 0; i < n->nr_aliases; i++)
		if (span_glob(n->aliases[i].match, match))
			return n->aliases[i].as;
	return match;
}

/* By match name; the raw name with the most time first. */
static int row_cmp(const void *a, const void *b)
{
	const struct kernel_row *x = a, *y = b;
	int c = span_cmp(x->match, y->match);
	if (c)
		return c;
	if (x->stat.total_ns != y->stat.total_ns)
		return x->stat.total_ns > y->stat.total_ns ? -1 : 1;
	return span_cmp(x->name, y->name);
}

static void add_stat(struct kernel_stat *sum, const struct kernel_stat *s)
{
	sum->count = number_add(sum->count, s->count);
	sum->total_ns = number_add(sum->total_ns, s->total_ns);
	sum->bytes = number_add(sum->bytes, s->bytes);
	sum->step_count = number_add(sum->step_count, s->step_count);
	sum->step_total_ns = number_add(sum->step_total_ns, s->step_total_ns);
	sum->step_bytes = number_add(sum->step_bytes, s->step_bytes);
	if (s->max_ns > sum->max_ns)
		sum->max_ns = s->max_ns;
	if (s->step_max_ns > sum->step_max_ns)
		sum->step_max_ns = s->step_max_ns;
}

/* Fold rows[0..nr) of one match name into `out`, which may be rows[0]. */
static void merge_rows(struct kernel_row *out, const struct kernel_row *rows, size_t nr)
{
	struct kernel_row sum = rows[0];
	__int128 weighted = 0, weight = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct kernel_stat *s = &rows[i].stat;
		if (i)
			add_stat(&sum.stat, s);
		if (s->occupancy >= 0) {
			weighted += (__int128)s->occupancy * s->total_ns;
			weight += s->total_ns;
		}
	}
	if (weight > 0)
		sum.stat.occupancy = number_div_round(weighted, weight);
	sum.raw_names = (int)nr;
	*out = sum;
}

/* Communication is what the digest's own figures took for it, whatever the
   table of today says, so that kernels and per-step figures add up. */
static void classify(struct kernel_row *row, const struct category_table *t, const struct digest *d)
{
	row->category = category_of(t, row->name);
	row->cls = row->category < 0 ? CLASS_OTHER : t->rows.v[row->category].cls;
	if (category_matches_any(d->communication, row->name))
		row->cls = CLASS_COMMUNICATION;
	else if (row->cls == CLASS_COMMUNICATION)
		row->cls = CLASS_COMPUTE;
}

static void rank_view_init(struct run_view *v, struct rank_view *r, const struct digest *d)
{
	VEC(struct kernel_row) rows = VEC_INIT;
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *s = &d->kernels.v[i];
		if (s->kind == EVENT_KERNEL)
			vec_push(&rows, (struct kernel_row){
			                    .match = match_of(v, s->name), .name = s->name, .stat = *s });
	}
	vec_sort(&rows, row_cmp);
	size_t nr = 0;
	for (size_t i = 0, end; i < rows.nr; i = end) {
		for (end = i + 1; end < rows.nr && span_eq(rows.v[end].match, rows.v[i].match);)
			end++;
		merge_rows(&rows.v[nr], &rows.v[i], end - i);
		classify(&rows.v[nr++], v->naming->categories, d);
	}
	v->merged_names += rows.nr - nr;
	*r = (struct rank_view){ d, rows.v, nr };
}

void run_view_init(struct run_view *v, const struct run *run, const struct naming *naming)
{
	*v = (struct run_view){ .arena = ARENA_INIT, .naming = naming, .run = run };
	v->ranks = arena_alloc(&v->arena, run->ranks.nr, sizeof *v->ranks);
	for (size_t i = 0; i < run->ranks.nr; i++)
		rank_view_init(v, &v->ranks[i], run->ranks.v[i]);
}

void run_view_release(struct run_view *v)
{
	for (size_t i = 0; i < v->run->ranks.nr; i++)
		free(v->ranks[i].kernels);
	arena_release(&v->arena);
}

/* ---- what was recorded ---- */

static bool rank_has_communication(const struct digest *d)
{
	for (size_t i = 0; i < d->kernels.nr; i++)
		if (d->kernels.v[i].kind == EVENT_KERNEL &&
		    category_matches_any(d->communication, d->kernels.v[i].name))
			return true;
	for (size_t i = 0; i < d->nr_steps; i++)
		if (d->samples[METRIC_STEP_COMM_TIME][i])
			return true;
	return false;
}

static bool rank_has_context(const struct digest *d, enum metric_id id)
{
	switch (id) {
	case METRIC_THROUGHPUT_SAMPLES:
		return digest_env(d, "samples_per_step");
	case METRIC_THROUGHPUT_TOKENS:
		return digest_env(d, "tokens_per_step");
	default:
		return digest_env(d, "flops_per_step") && digest_env(d, "peak_tflops");
	}
}

static bool rank_has(const struct digest *d, const struct metric *m)
{
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
		break;
	}
	return rank_has_context(d, m->id);
}

bool run_has(const struct run_view *v, const struct metric *m)
{
	for (size_t i = 0; i < v->run->ranks.nr; i++)
		if (rank_has(v->ranks[i].digest, m))
			return true;
	return false;
}
