/* Tables of work that may be avoidable: fills and zeroing, recomputation of checkpoints. */
#include "base/number.h"
#include "diagnose/tables.h"
#include "diagnose/words.h"
#include "diagnose/work.h"
#include "model/flops.h"
#include "model/rows.h"

struct summed {
	struct span name;
	int64_t ns, count, bytes;
	__int128 steps;
};

struct name_sums {
	VEC(struct summed) list;
};

static void add_name_sum(struct name_sums *s, const struct summed *x)
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

ORDERING(summed_cmp, struct summed, FALLING(ns) BY_SPAN(name))

/* Add a row for each item, with means per step over the ranks that have the item, and with bytes
   per launch if known. */
static void add_rows(struct tabler *t, struct report_table *table, struct name_sums *s, bool sizes)
{
	vec_sort(&s->list, summed_cmp);
	for (size_t i = 0; i < s->list.nr && i < TABLE_ROWS; i++) {
		const struct summed *x = &s->list.v[i];
		cell_figure(t, table, number_div_round(x->ns, x->steps));
		cell_figure(t, table, number_div_round((__int128)x->count * MICRO, x->steps));
		cell_figure(t, table, number_div_round(x->ns, x->count));
		if (sizes)
			cell_figure(t, table,
			            x->bytes > 0 ? number_div_round(x->bytes, x->count) : MEMORY_UNKNOWN);
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
	struct name_sums s = { 0 };
	struct report_table *table = begin(t, "fills", "fill and zero kernels, memory sets",
	                                   "per step; bytes of one, on average", true, "kernel");
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		for (size_t i = 0; i < d->kernels.nr; i++) {
			const struct kernel_stat *k = &d->kernels.v[i];
			if (k->step_count > 0 && kernel_is_fill(k))
				add_name_sum(&s, &(struct summed){ k->name, k->step_total_ns, k->step_count,
				                                   k->step_bytes, d->usable_steps });
		}
	}
	add_rows(t, table, &s, true);
}

static void recomputation(struct tabler *t)
{
	struct name_sums s = { 0 };
	struct report_table *table =
	    begin(t, "recomputation", "recomputation of checkpoints",
	          "host time per step, what is launched and differentiated inside included", false,
	          "operator");
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		for (size_t i = 0; i < d->ops.nr && d->usable_steps; i++) {
			const struct op_stat *o = &d->ops.v[i];
			if (o->count > 0 && op_is_recomputation(o))
				add_name_sum(
				    &s, &(struct summed){ o->name, o->total_ns, o->count, 0, d->usable_steps });
		}
	}
	add_rows(t, table, &s, false);
}

/* ---- floating-point operations ---- */

/* The floating-point operations of one operator with one element type, over all ranks. The peak
   rate `peak` is 0 if unknown. */
struct operations {
	struct flop_stat of;
	__int128 steps;
	int64_t micro_tflops;
};

ORDERING(operations_cmp, struct operations, FALLING(of.flops) THEN(flop_stat_cmp(&x->of, &y->of)))

struct all_operations {
	VEC(struct operations) list;
};

/* Add a row for each operator of a rank; rows of one operator are not joined yet. */
static void add_operations(struct all_operations *all, const struct digest *d)
{
	struct flop_peak peak = { 0 };
	enum flop_type type = flops_type(d);
	bool has_peak = flops_peak(d, &peak);
	for (size_t i = 0; i < d->flops.nr; i++) {
		const struct flop_stat *f = &d->flops.v[i];
		if (!f->count && !f->uncounted)
			continue;
		int64_t micro_tflops = has_peak && f->type == type ? peak.micro_tflops : 0;
		vec_push(&all->list, (struct operations){ *f, d->usable_steps, micro_tflops });
	}
}

ORDERING(by_operator, struct operations, THEN(flop_stat_cmp(&x->of, &y->of)))

/* Join adjacent rows of one operator and element type. The peak rate of the joined row is that of
 * the first rank. */
static void join_operations(struct all_operations *all)
{
	size_t kept = 0;
	for (size_t i = 0; i < all->list.nr; i++) {
		const struct operations *f = &all->list.v[i];
		struct operations *x = kept ? &all->list.v[kept - 1] : NULL;
		if (!x || by_operator(x, f) != 0) {
			all->list.v[kept++] = *f;
			continue;
		}
		x->of.flops = number_add(x->of.flops, f->of.flops);
		x->of.count = number_add(x->of.count, f->of.count);
		x->of.uncounted = number_add(x->of.uncounted, f->of.uncounted);
		x->of.gpu_ns = number_add(x->of.gpu_ns, f->of.gpu_ns);
		x->steps += f->steps;
	}
	all->list.nr = kept;
}

/* Add a row to the table. The rate is the number of operations divided by the GPU time. The rate
   is left out if the operations of some calls were not counted, since these calls took time,
   too. */
static void add_operations_row(struct tabler *t, struct report_table *table,
                               const struct operations *x)
{
	bool rated = x->of.gpu_ns > 0 && x->of.flops > 0 && x->of.uncounted == 0;
	const struct {
		bool known;
		__int128 amount, of;
	} cells[] = {
		{ x->of.flops, x->of.flops, x->steps },
		{ true, (__int128)x->of.count * MICRO, x->steps },
		{ x->of.uncounted, (__int128)x->of.uncounted * MICRO, x->steps },
		{ x->of.gpu_ns > 0, x->of.gpu_ns, x->steps },
		{ rated, (__int128)x->of.flops * NS_PER_S, x->of.gpu_ns },
		{ rated && x->micro_tflops, (__int128)x->of.flops * 100 * NS_PER_S,
		  (__int128)x->of.gpu_ns * x->micro_tflops },
	};
	for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
		cell_figure(t, table,
		            cells[i].known ? number_div_round(cells[i].amount, cells[i].of)
		                           : MEMORY_UNKNOWN);
	cell_name(t, table, span_of(x->of.type == FLOP_OTHER ? "" : flop_type_names[x->of.type]));
	cell_name(t, table, x->of.op);
}

static void operations(struct tabler *t)
{
	struct all_operations all = { 0 };
	struct report_table *table =
	    table_begin(t, "operations", "floating-point operations by operator",
	                "per step, by the shapes of inputs; rate in the kernels that they launch");
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		if (d->usable_steps)
			add_operations(&all, d);
	}
	vec_sort(&all.list, by_operator);
	join_operations(&all);
	table_column(table, "operations", UNIT_FLOPS);
	table_column(table, "calls", UNIT_COUNT_PER_STEP);
	table_column(table, "not counted", UNIT_COUNT_PER_STEP);
	table_column(table, "kernels", UNIT_NS_PER_STEP);
	table_column(table, "rate", UNIT_FLOPS_PER_S);
	table_column(table, "of the peak", UNIT_PCT);
	table_names(table, "type");
	table_names(table, "operator");
	vec_sort(&all.list, operations_cmp);
	for (size_t i = 0; i < all.list.nr && i < TABLE_ROWS; i++)
		add_operations_row(t, table, &all.list.v[i]);
	table->more = all.list.nr > TABLE_ROWS ? all.list.nr - TABLE_ROWS : 0;
	vec_release(&all.list);
	table_end(t);
}

/* ---- bytes, and what limits an operator ---- */

ORDERING(by_sized_time, struct flop_stat, FALLING(sized_ns) THEN(flop_stat_cmp(x, y)))

static const char *limit_of(const struct flop_stat *f)
{
	int64_t most = f->sized_ns / 2;
	return f->memory_ns > most    ? bound_names[BOUND_MEMORY]
	       : f->compute_ns > most ? bound_names[BOUND_COMPUTE]
	       : f->short_ns > most   ? bound_names[BOUND_LATENCY]
	                              : bound_names[BOUND_UNKNOWN];
}

static void limits(struct tabler *t)
{
	VEC(struct flop_stat) all = VEC_INIT;
	__int128 steps = 0;
	struct report_table *table =
	    table_begin(t, "limits", "what limits operators",
	                "by the bytes that their inputs and outputs have, and the peaks of the GPU");
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		steps += d->usable_steps;
		for (size_t i = 0; i < d->flops.nr && d->usable_steps; i++)
			if (d->flops.v[i].sized_ns)
				vec_push(&all, d->flops.v[i]);
	}
	vec_sort(&all, flop_stat_cmp);
	size_t nr = 0;
	for (size_t i = 0; i < all.nr; i++)
		if (nr && flop_stat_cmp(&all.v[nr - 1], &all.v[i]) == 0)
			row_add(&flop_stat_row, ROWS_OF_CYCLES, &all.v[nr - 1], &all.v[i]);
		else
			all.v[nr++] = all.v[i];
	all.nr = nr;
	vec_sort(&all, by_sized_time);
	table_column(table, "bytes", UNIT_BYTES_PER_STEP);
	table_column(table, "kernels", UNIT_NS_PER_STEP);
	table_column(table, metric_table[METRIC_OP_BANDWIDTH_PCT].head, UNIT_PCT);
	table_column(table, metric_table[METRIC_OP_ROOFLINE_PCT].head, UNIT_PCT);
	table_names(table, "limit");
	table_names(table, "type");
	table_names(table, "operator");
	for (size_t i = 0; i < all.nr && i < TABLE_ROWS; i++) {
		const struct flop_stat *f = &all.v[i];
		const int64_t parts[] = { f->moved_ns, f->roof_ns };
		cell_figure(t, table, number_div_round(f->bytes, steps));
		cell_figure(t, table, number_div_round(f->sized_ns, steps));
		for (int k = 0; k < 2; k++)
			cell_figure(t, table, parts[k] ? number_pct(parts[k], f->sized_ns) : MEMORY_UNKNOWN);
		cell_name(t, table, span_of(limit_of(f)));
		cell_name(t, table, span_of(f->type == FLOP_OTHER ? "" : flop_type_names[f->type]));
		cell_name(t, table, f->op);
	}
	table->more = all.nr > TABLE_ROWS ? all.nr - TABLE_ROWS : 0;
	vec_release(&all);
	table_end(t);
}

void tables_of_work(struct tabler *t)
{
	operations(t);
	limits(t);
	fills(t);
	recomputation(t);
}
