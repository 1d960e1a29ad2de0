#include "diff/units.h"

struct query unit_query(enum unit_kind kind)
{
	static const enum metric_id ids[NR_UNIT_KINDS] = { METRIC_OP_SELF_GPU_TIME,
		                                               METRIC_CATEGORY_TIME };
	const struct metric *m = &metric_table[ids[kind]];
	return (
	    struct query){ .metric = m, .stat = STAT_MEDIAN, .reduce = m->reduce, .cls = "compute" };
}

/* The operator that launched the kernel, from the row of the code table in which the kernel takes
   the most time; empty if no row names an operator. */
static struct span operator_of(const struct digest *d, struct kernel_row *k)
{
	const struct code_stat *best = NULL;
	uint64_t key = kernel_key(&k->stat);
	for (size_t i = 0; i < d->code.nr; i++) {
		const struct code_stat *c = &d->code.v[i];
		if (c->kernel == key && c->op.n && (!best || c->total_ns > best->total_ns))
			best = c;
	}
	return best ? code_path_last(best->op) : SPAN("");
}

struct span unit_of_kernel(const struct run_view *v, enum unit_kind kind, struct span name)
{
	for (size_t r = 0; r < v->run->ranks.nr; r++)
		for (size_t i = 0; i < v->ranks[r].nr_kernels; i++) {
			struct kernel_row *k = &v->ranks[r].kernels[i];
			if (span_eq(k->match, name))
				return kind == UNITS_OPERATORS
				           ? operator_of(v->ranks[r].digest, k)
				           : span_of(category_name(v->naming->categories, k->category));
		}
	return SPAN("");
}

double unit_mean_launch(const struct run_view *v, enum unit_kind kind, struct span unit)
{
	double total = 0, nr = 0;
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		const struct rank_view *rank = &v->ranks[r];
		for (size_t i = 0; kind == UNITS_OPERATORS && i < rank->digest->code.nr; i++) {
			const struct code_stat *c = &rank->digest->code.v[i];
			if (c->kind != CODE_KERNEL || !span_eq(code_path_last(c->op), unit))
				continue;
			total += (double)c->total_ns;
			nr += (double)c->count;
		}
		for (size_t i = 0; kind == UNITS_CATEGORIES && i < rank->nr_kernels; i++) {
			const struct kernel_row *k = &rank->kernels[i];
			const char *name = category_name(v->naming->categories, k->category);
			if (!span_eq(span_of(name), unit))
				continue;
			total += (double)k->stat.total_ns;
			nr += (double)k->stat.count;
		}
	}
	return nr > 0 ? total / nr : 0;
}
