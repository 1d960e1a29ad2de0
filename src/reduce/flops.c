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
		vec_push(&r->counted,
		         (struct counted_op){ .start_ns = span_start(r, s),
		                              .end_ns = span_end(r, s),
		                              .thread = span_thread(r, s),
		                              .name = (uint32_t)(span_name(r, s) - r->host_names.v),
		                              .flops = f->flops,
		                              .type = f->type });
}

static int counted_cmp(const void *a, const void *b)
{
	const struct counted_op *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static bool begins_by(const struct counted_op *c, uint32_t thread, int64_t at_ns)
{
	return c->thread < thread || (c->thread == thread && c->start_ns <= at_ns);
}

/* The one that the thread is in, or NULL. `*near` is where the last one was found: mostly the
   next is there or soon behind. */
static struct counted_op *counted_at(struct reducer *r, const struct host_span *l, size_t *near)
{
	size_t lo = 0, hi = r->counted.nr; /* lo becomes the number of those that begin by then */
	uint32_t thread = span_thread(r, l);
	int64_t at_ns = span_start(r, l);
	if (begins_by(&r->counted.v[*near], thread, at_ns))
		lo = *near + 1;
	for (size_t step = 1; lo && lo + step <= hi; step *= 2) {
		if (!begins_by(&r->counted.v[lo + step - 1], thread, at_ns)) {
			hi = lo + step - 1;
			break;
		}
		lo += step;
	}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (begins_by(&r->counted.v[mid], thread, at_ns))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return NULL;
	*near = lo - 1;
	struct counted_op *c = &r->counted.v[*near];
	return c->thread == thread && at_ns < c->end_ns ? c : NULL;
}

static void find_launched(struct reducer *r)
{
	size_t near = 0;
	for (size_t i = 0; i < r->activities.nr && r->counted.nr; i++) {
		const struct activity *a = &r->activities.v[i];
		const struct host_span *launch = activity_launch(r, a);
		struct counted_op *c = launch ? counted_at(r, launch, &near) : NULL;
		if (!c)
			continue;
		c->launched = true;
		c->gpu_ns += activity_dur(r, a);
	}
}

/* What a graph replays was recorded at its capture: no operator is seen. */
static int64_t graph_launches(struct reducer *r)
{
	int64_t nr = 0;
	for (size_t i = 0; i < r->spans.nr; i++) {
		const struct host_name *h = span_name(r, &r->spans.v[i]);
		nr += h->launch && !h->kernel_launch &&
		      steps_usable(r, steps_at(r, span_start(r, &r->spans.v[i]))) != NO_ID;
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
			vec_push(&rows, (struct flop_stat){ row_name(&r->host_names.v[c->name]), c->type, known,
			                                    known ? c->flops : 0, !known, c->gpu_ns });
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
