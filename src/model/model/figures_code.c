/* Computes figures by operator, module, place and annotation, from the rows of struct code_stat. */
#include <stdlib.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "model/figures_internal.h"

/* ---- names of items ---- */

struct span code_path_label(const struct run_view *v, struct span path)
{
	struct strbuf b = STRBUF_INIT;
	struct span name;
	while (code_path_next(&path, &name)) {
		strbuf_adds(&b, b.n ? " > " : "");
		strbuf_add(&b, name);
	}
	return label_take(v, &b);
}

/* Adds the amount once to each operator on the path to the launch, even if an operator calls
 * itself. */
static void add_ops(struct figure_parts *parts, struct span path, int64_t amount)
{
	struct span rest = path, name;
	while (code_path_next(&rest, &name)) {
		struct span before = { path.p, (size_t)(name.p - path.p) };
		if (!code_path_has(before.n ? (struct span){ before.p, before.n - 1 } : before, name))
			vec_push(&parts->list, (struct figure_part){ .label = name, .num = amount });
	}
}

static void add_modules(struct emitter *e, struct figure_parts *parts, struct span path,
                        int64_t amount)
{
	struct span rest = path, name;
	while (code_path_next(&rest, &name)) {
		struct span outer = { path.p, (size_t)(name.p + name.n - path.p) };
		vec_push(&parts->list,
		         (struct figure_part){ .label = code_path_label(e->view, outer), .num = amount });
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

static void collect_rows(struct emitter *e, const char *phase, const char *cls,
                         struct figure_parts *parts)
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
			add_ops(parts, c->op, c->total_ns);
		else if (m->label == LABEL_OP && c->op.n)
			vec_push(&parts->list,
			         (struct figure_part){ .label = code_path_last(c->op), .num = c->total_ns });
		else if (m->label == LABEL_MODULE)
			add_modules(e, parts, c->module, c->total_ns);
		else if (places)
			vec_push(&parts->list,
			         (struct figure_part){ .label = c->place.n ? c->place : span_of(CODE_NO_PLACE),
			                               .num = code_amount(m, c) });
	}
}

void figures_of_code(struct emitter *e, const char *phase, const char *cls)
{
	struct figure_parts parts = { 0 };
	const struct digest *d = e->rank->digest;
	bool ranges = e->figure.metric->label == LABEL_RANGE;
	for (size_t i = 0; ranges && i < d->ranges.nr && !phase; i++)
		if (d->ranges.v[i].names == 0)
			vec_push(&parts.list, (struct figure_part){ .label = d->ranges.v[i].name,
			                                            .num = d->ranges.v[i].total_ns });
	if (!ranges)
		collect_rows(e, phase, cls, &parts);
	for (size_t i = 0; i < parts.list.nr && e->figure.metric->unit == UNIT_COUNT_PER_STEP; i++)
		parts.list.v[i].num *= MICRO;
	figure_emit_parts(e, &parts);
}
