/* Floating-point operations of a step: of operators that count (flop_count.h), the outermost
   of those nested in one another, where the GPU did the work. */
#include "model/flops.h"
#include "base/number.h"
#include "reduce/flop_count.h"
#include "reduce/reducer.h"

void flops_take(struct reducer *r, const struct flop_rule *rule, const struct event *ev)
{
	struct op_flops f = { .span = (uint32_t)r->spans.nr };
	f.flops = flop_count(rule, ev, &f.type);
	vec_push(&r->op_flops, f);
}

/* By index of the span, in whose order they are. */
static const struct op_flops *flops_of_span(const struct reducer *r, uint32_t span)
{
	size_t lo = 0, hi = r->op_flops.nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (r->op_flops.v[mid].span < span)
			lo = mid + 1;
		else
			hi = mid;
	}
	return &r->op_flops.v[lo];
}

void flops_add(struct reducer *r, const struct host_span *s)
{
	const struct op_flops *f = flops_of_span(r, (uint32_t)(s - r->spans.v));
	if (f->flops != 0)
		vec_push(&r->counted, (struct counted_op){ *s, f->flops, f->type, 0, false });
}

static int counted_cmp(const void *a, const void *b)
{
	const struct host_span *x = &((const struct counted_op *)a)->span;
	const struct host_span *y = &((const struct counted_op *)b)->span;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* The one that the thread is in, or NULL. */
static struct counted_op *counted_at(struct reducer *r, const struct launch *l)
{
	size_t lo = 0, hi = r->counted.nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct host_span *s = &r->counted.v[mid].span;
		if (s->thread < l->thread || (s->thread == l->thread && s->start_ns <= l->start_ns))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	struct counted_op *c = &r->counted.v[lo - 1];
	return c->span.thread == l->thread && l->start_ns < c->span.start_ns + c->span.dur_ns ? c
	                                                                                      : NULL;
}

static void find_launched(struct reducer *r)
{
	for (size_t i = 0; i < r->activities.nr && r->counted.nr; i++) {
		const struct activity *a = &r->activities.v[i];
		struct counted_op *c = a->launch == NO_ID ? NULL : counted_at(r, &r->launches.v[a->launch]);
		if (!c)
			continue;
		c->launched = true;
		c->gpu_ns += a->dur_ns;
	}
}

/* What a graph replays was recorded at its capture: no operator is seen. */
static int64_t graph_launches(struct reducer *r)
{
	int64_t nr = 0;
	for (size_t i = 0; i < r->spans.nr; i++) {
		const struct host_name *h = &r->host_names.v[r->spans.v[i].name];
		nr += h->launch && !h->kernel_launch &&
		      steps_usable(r, steps_at(r, r->spans.v[i].start_ns)) != NO_ID;
	}
	return nr;
}

static void add_row(struct flop_stat *sum, const struct flop_stat *row)
{
	int64_t flops;
	if (__builtin_add_overflow(sum->flops, row->flops, &flops)) {
		sum->uncounted += row->count;
	} else {
		sum->flops = flops;
		sum->count += row->count;
	}
	sum->uncounted += row->uncounted;
	sum->gpu_ns = number_add(sum->gpu_ns, row->gpu_ns);
}

/* Names of Inductor's kernels say what is fused and are many: one row for all. */
static struct span row_name(const struct host_name *h)
{
	return span_starts(h->name, SPAN("triton_")) ? SPAN("triton") : h->name;
}

void flops_figures(struct reducer *r, struct digest *d)
{
	VEC(struct flop_stat) rows = VEC_INIT;
	bool recorded = r->op_inputs.nr; /* nothing at all is said where nothing was */
	vec_sort(&r->counted, counted_cmp);
	find_launched(r);
	for (size_t i = 0; i < r->counted.nr; i++) {
		const struct counted_op *c = &r->counted.v[i];
		bool known = c->flops > 0;
		recorded = recorded || (c->launched && known);
		if (c->launched)
			vec_push(&rows, (struct flop_stat){ row_name(&r->host_names.v[c->span.name]), c->type,
			                                    known, known ? c->flops : 0, !known, c->gpu_ns });
	}
	vec_sort(&rows, flop_stat_cmp);
	int64_t graphs = recorded ? graph_launches(r) : 0;
	if (graphs)
		vec_push(&d->flops, (struct flop_stat){ .op = SPAN(FLOPS_OF_GRAPHS), .uncounted = graphs });
	for (size_t i = 0; recorded && i < rows.nr; i++) {
		struct flop_stat *last = d->flops.nr ? &d->flops.v[d->flops.nr - 1] : NULL;
		if (last && flop_stat_cmp(last, &rows.v[i]) == 0) {
			add_row(last, &rows.v[i]);
			continue;
		}
		rows.v[i].op = (struct span){ arena_dup(&d->arena, rows.v[i].op), rows.v[i].op.n };
		vec_push(&d->flops, rows.v[i]);
	}
	vec_release(&rows);
}
