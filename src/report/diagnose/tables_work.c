/* Tables of floating-point operations, of what limits operators, and of work that may be avoidable:
 * kernels that fill memory, and recomputation for gradient checkpoints. */
#include "base/number.h"
#include "diagnose/internal.h"
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

/* Add a table with a row for each item, with means per step over the ranks that have the item, and
   with bytes per launch if known. */
static void add_sums(struct tabler *t, const char *id, const char *title, const char *note,
                     const char *names, struct name_sums *s)
{
	const struct column columns[] = { { "time", UNIT_NS_PER_STEP },
		                              { "count", UNIT_COUNT_PER_STEP },
		                              { "mean", UNIT_NS },
		                              { "bytes each", UNIT_BYTES },
		                              { names, TEXT } };
	table_begin(t, id, title, note, COLUMNS(columns));
	vec_sort(&s->list, summed_cmp);
	size_t shown = table_shows(t, s->list.nr);
	for (size_t i = 0; i < shown; i++) {
		const struct summed *x = &s->list.v[i];
		CELLS(t, number_div_round(x->ns, x->steps),
		      number_div_round((__int128)x->count * MICRO, x->steps),
		      number_div_round(x->ns, x->count),
		      x->bytes > 0 ? number_div_round(x->bytes, x->count) : MEMORY_UNKNOWN);
		cell_name(t, x->name);
	}
	vec_release(&s->list);
	table_end(t);
}

static void fills(struct tabler *t)
{
	struct name_sums s = { 0 };
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		for (size_t i = 0; i < d->kernels.nr; i++) {
			const struct kernel_stat *k = &d->kernels.v[i];
			if (k->step_count > 0 && kernel_is_fill(k))
				add_name_sum(&s, &(struct summed){ k->name, k->step_total_ns, k->step_count,
				                                   k->step_bytes, d->usable_steps });
		}
	}
	add_sums(t, "fills", "fill and zero kernels, memory sets", "per step; bytes of one, on average",
	         "kernel", &s);
}

static void recomputation(struct tabler *t)
{
	struct name_sums s = { 0 };
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		for (size_t i = 0; i < d->ops.nr && d->usable_steps; i++) {
			const struct op_stat *o = &d->ops.v[i];
			if (o->count > 0 && op_is_recomputation(o))
				add_name_sum(
				    &s, &(struct summed){ o->name, o->total_ns, o->count, 0, d->usable_steps });
		}
	}
	add_sums(t, "recomputation", "recomputation of checkpoints",
	         "host time per step, what is launched and differentiated inside included", "operator",
	         &s);
}

/* ---- floating-point operations ---- */

/* The floating-point operations of one operator with one element type, summed over all ranks.
 * `micro_tflops` is the peak rate of the GPU for this type in 1e-6 TFLOP/s; 0 if unknown. */
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
		row_add(&flop_stat_row, ROWS_OF_CYCLES, &x->of, &f->of);
		x->steps += f->steps;
	}
	all->list.nr = kept;
}

/* Add a row to the table. The rate is the number of operations divided by the GPU time. The rate
   is left out if the operations of some calls were not counted, since these calls took time,
   too. */
static void add_operations_row(struct tabler *t, const struct operations *x)
{
	const struct flop_stat *f = &x->of;
	bool rated = f->gpu_ns > 0 && f->flops > 0 && f->uncounted == 0;
	CELLS(t, f->flops ? number_div_round(f->flops, x->steps) : MEMORY_UNKNOWN,
	      number_div_round((__int128)f->count * MICRO, x->steps),
	      f->uncounted ? number_div_round((__int128)f->uncounted * MICRO, x->steps)
	                   : MEMORY_UNKNOWN,
	      f->gpu_ns > 0 ? number_div_round(f->gpu_ns, x->steps) : MEMORY_UNKNOWN,
	      rated ? number_div_round((__int128)f->flops * NS_PER_S, f->gpu_ns) : MEMORY_UNKNOWN,
	      rated && x->micro_tflops ? number_div_round((__int128)f->flops * 100 * NS_PER_S,
	                                                  (__int128)f->gpu_ns * x->micro_tflops)
	                               : MEMORY_UNKNOWN);
	cell_name(t, span_of(f->type == FLOP_OTHER ? "" : flop_type_names[f->type]));
	cell_name(t, f->op);
}

static void operations(struct tabler *t)
{
	static const struct column columns[] = {
		{ "operations", UNIT_FLOPS },
		{ "calls", UNIT_COUNT_PER_STEP },
		{ "not counted", UNIT_COUNT_PER_STEP },
		{ "kernels", UNIT_NS_PER_STEP },
		{ "rate", UNIT_FLOPS_PER_S },
		{ "of the peak", UNIT_PCT },
		{ "type", TEXT },
		{ "operator", TEXT },
	};
	struct all_operations all = { 0 };
	table_begin(t, "operations", "floating-point operations by operator",
	            "per step, by the shapes of inputs; rate in the kernels that they launch",
	            COLUMNS(columns));
	for (size_t r = 0; r < t->v->run->ranks.nr; r++) {
		const struct digest *d = t->v->run->ranks.v[r];
		if (d->usable_steps)
			add_operations(&all, d);
	}
	vec_sort(&all.list, by_operator);
	join_operations(&all);
	vec_sort(&all.list, operations_cmp);
	size_t shown = table_shows(t, all.list.nr);
	for (size_t i = 0; i < shown; i++)
		add_operations_row(t, &all.list.v[i]);
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
	const struct column columns[] = {
		{ "bytes", UNIT_BYTES_PER_STEP },
		{ "kernels", UNIT_NS_PER_STEP },
		{ metric_table[METRIC_OP_BANDWIDTH_PCT].head, UNIT_PCT },
		{ metric_table[METRIC_OP_ROOFLINE_PCT].head, UNIT_PCT },
		{ "limit", TEXT },
		{ "type", TEXT },
		{ "operator", TEXT },
	};
	VEC(struct flop_stat) all = VEC_INIT;
	__int128 steps = 0;
	table_begin(t, "limits", "what limits operators",
	            "by the bytes that their inputs and outputs have, and the peaks of the GPU",
	            COLUMNS(columns));
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
	size_t shown = table_shows(t, all.nr);
	for (size_t i = 0; i < shown; i++) {
		const struct flop_stat *f = &all.v[i];
		CELLS(t, number_div_round(f->bytes, steps), number_div_round(f->sized_ns, steps),
		      f->moved_ns ? number_pct(f->moved_ns, f->sized_ns) : MEMORY_UNKNOWN,
		      f->roof_ns ? number_pct(f->roof_ns, f->sized_ns) : MEMORY_UNKNOWN);
		cell_name(t, span_of(limit_of(f)));
		cell_name(t, span_of(f->type == FLOP_OTHER ? "" : flop_type_names[f->type]));
		cell_name(t, f->op);
	}
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
