/* Computes figures by operator, module, place and annotation, from the rows of struct code_stat. */
#include <stdlib.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "model/figures_internal.h"

/* An item of a metric (an operator, module or place), and the amount that one struct code_stat adds
 * to it. */
struct item {
	struct span label;
	__int128 amount;
};

struct items {
	VEC(struct item) list;
};

ORDERING(item_cmp, struct item, BY_SPAN(label))

/* ---- names of items ---- */

struct span code_path_label(const struct run_view *v, struct span path)
{
	struct strbuf b = STRBUF_INIT;
	struct span name;
	while (code_path_next(&path, &name)) {
		strbuf_adds(&b, b.n ? " > " : "");
		strbuf_add(&b, name);
	}
	const struct name *nm = name_intern(v->labels, strbuf_span(&b));
	strbuf_release(&b);
	return nm ? name_span(nm) : SPAN("");
}

/* Add the amount once to each operator on the path to the launch, even if it calls itself. */
static void add_ops(struct items *items, struct span path, int64_t amount)
{
	struct span rest = path, name;
	while (code_path_next(&rest, &name)) {
		struct span before = { path.p, (size_t)(name.p - path.p) };
		if (!code_path_has(before.n ? (struct span){ before.p, before.n - 1 } : before, name))
			vec_push(&items->list, (struct item){ name, amount });
	}
}

static void add_modules(struct emitter *e, struct items *items, struct span path, int64_t amount)
{
	struct span rest = path, name;
	while (code_path_next(&rest, &name)) {
		struct span outer = { path.p, (size_t)(name.p + name.n - path.p) };
		vec_push(&items->list, (struct item){ code_path_label(e->view, outer), amount });
	}
}

/* ---- rows that a metric includes ---- */

int64_t code_amount(const struct metric *m, const struct code_stat *c)
{
	if (m->unit == UNIT_BYTES || m->unit == UNIT_BYTES_PER_STEP)
		return c->bytes;
	return m->unit == UNIT_COUNT || m->unit == UNIT_COUNT_PER_STEP ? c->count : c->total_ns;
}

bool code_is_of_class(const struct rank_view *r, const struct code_stat *c, const char *cls)
{
	return !cls ||
	       (c->kind == CODE_KERNEL &&
	        class_is_asked(cls, rank_view_activity(r, c->kernel).communicates ? CLASS_COMMUNICATION
	                                                                          : CLASS_COMPUTE));
}

static void collect_rows(struct emitter *e, const char *phase, const char *cls, struct items *items)
{
	const struct digest *d = e->rank->digest;
	const struct metric *m = e->figure.metric;
	bool places = m->label == LABEL_PLACE && ANY(i, d->code.nr, d->code.v[i].place.n);
	for (size_t i = 0; i < d->code.nr; i++) {
		const struct code_stat *c = &d->code.v[i];
		if (!(m->sums & 1u << c->kind) || !code_is_of_class(e->rank, c, cls) ||
		    (phase &&
		     (c->phase == PHASE_ALL || !span_glob(span_of(phase), span_of(phase_names[c->phase])))))
			continue;
		if (m->label == LABEL_OP && !m->adds)
			add_ops(items, c->op, c->total_ns);
		else if (m->label == LABEL_OP && c->op.n)
			vec_push(&items->list, (struct item){ code_path_last(c->op), c->total_ns });
		else if (m->label == LABEL_MODULE)
			add_modules(e, items, c->module, c->total_ns);
		else if (places)
			vec_push(&items->list, (struct item){ c->place.n ? c->place : span_of(CODE_NO_PLACE),
			                                      code_amount(m, c) });
	}
}

void figures_of_code(struct emitter *e, const char *phase, const char *cls)
{
	struct items items = { 0 };
	const struct digest *d = e->rank->digest;
	bool counts = e->figure.metric->unit == UNIT_COUNT_PER_STEP;
	bool ranges = e->figure.metric->label == LABEL_RANGE;
	for (size_t i = 0; ranges && i < d->ranges.nr && !phase; i++)
		if (d->ranges.v[i].names == 0)
			vec_push(&items.list, (struct item){ d->ranges.v[i].name, d->ranges.v[i].total_ns });
	if (!ranges)
		collect_rows(e, phase, cls, &items);
	vec_sort(&items.list, item_cmp);
	for (size_t i = 0, end; i < items.list.nr; i = end) {
		__int128 sum = 0;
		for (end = i;
		     end < items.list.nr && span_eq(items.list.v[end].label, items.list.v[i].label); end++)
			sum += items.list.v[end].amount;
		figure_emit(e, items.list.v[i].label,
		            number_div_round(counts ? sum * MICRO : sum, e->rank->digest->usable_steps));
	}
	vec_release(&items.list);
}
