/* Tables of work that may not be needed: fills and zeroes, recomputation of checkpoints. */
#include "base/number.h"
#include "diagnose/tables.h"
#include "diagnose/work.h"

struct summed {
	struct span name;
	int64_t ns, count, bytes;
	__int128 steps;
};

struct sums {
	VEC(struct summed) list;
};

static void add_sum(struct sums *s, const struct summed *x)
{
	for (size_t i = 0; i < s->list.nr; i++) {
		struct summed *y = &s->list.v[i];
		if (!span_eq(y->name, x->name))
			continue;
		y->ns = number_add(y->ns, x->ns);
		y->count = number_add(y->count, x->count);
		y->bytes = number_add(y->bytes, x->bytes);
		y->steps += x->steps;
		return;
	}
	vec_push(&s->list, *x);
}

static int summed_cmp(const void *a, const void *b)
{
	const struct summed *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return span_cmp(x->name, y->name);
}

/* Means per step of the ranks that have it; bytes of one launch where they are known. */
static void add_rows(struct tabler *t, struct report_table *table, struct sums *s, bool sizes)
{
	vec_sort(&s->list, summed_cmp);
	for (size_t i = 0; i < s->list.nr && i < TABLE_ROWS; i++) {
		const struct summed *x = &s->list.v[i];
		cell_figure(t, table, number_div_round(x->ns, x->steps));
		cell_figure(t, table, number_div_round((__int128)x->count * MICRO, x->steps));
		cell_figure(t, table, number_div_round(x->ns, x->count));
		if (sizes && x->bytes > 0)
			cell_figure(t, table, number_div_round(x->bytes, x->count));
		else if (sizes)
			cell_absent(table);
		cell_name(t, table, x->name);
	}
	table->more = s->list.nr > TABLE_ROWS ? s->list.nr - TABLE_ROWS : 0;
	vec_release(&s->list);
	table_end(t);
}

static struct report_table *begin(struct tabler *t, const char *id, const char *title,
                                  const char *note, bool sizes, const char *names)
{
	struct report_table *table = table_begin(t, id, title, note);
	table_column(table, "time", UNIT_NS_PER_STEP);
	table_column(table, "count", UNIT_COUNT_PER_STEP);
	table_column(table, "mean", UNIT_NS);
	if (sizes)
		table_column(table, "bytes each", UNIT_BYTES);
	table_names(table, names);
	return table;
}

static void fills(struct tabler *t)
{
	struct sums s = { 0 };
	struct report_table *table = begin(t, "fills", "fill and zero kernels, memory sets",
	                                   "per step; bytes of one, on average", true, "kernel");
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		for (size_t i = 0; i < d->kernels.nr; i++) {
			const struct kernel_stat *k = &d->kernels.v[i];
			if (k->step_count > 0 && kernel_is_fill(k))
				add_sum(&s, &(struct summed){ k->name, k->step_total_ns, k->step_count,
				                              k->step_bytes, d->usable_steps });
		}
	}
	add_rows(t, table, &s, true);
}

static void recomputation(struct tabler *t)
{
	struct sums s = { 0 };
	struct report_table *table =
	    begin(t, "recomputation", "recomputation of checkpoints",
	          "host time per step, what is launched and differentiated inside included", false,
	          "operator");
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		for (size_t i = 0; i < d->ops.nr && d->usable_steps; i++) {
			const struct op_stat *o = &d->ops.v[i];
			if (o->count > 0 && op_is_recomputation(o))
				add_sum(&s, &(struct summed){ o->name, o->total_ns, o->count, 0, d->usable_steps });
		}
	}
	add_rows(t, table, &s, false);
}

void tables_of_work(struct tabler *t)
{
	fills(t);
	recomputation(t);
}
