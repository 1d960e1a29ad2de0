#include "cause/suspect.h"

#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "metric/statistic.h"

/* ---- figures of both sides ---- */

bool inquiry_value(const struct inquiry *q, const struct entry *e, int side, int64_t *out)
{
	bool run = side == SIDE_BASELINE && e->is_explained && !q->bench->runs.nr_controls;
	*out = run ? e->explained : e->value[side];
	return run || e->has[side];
}

/* The metric `id` on both sides, with the statistic `stat` over the steps of kind `phase` (NULL:
   over all steps). */
static struct both figure_of(struct inquiry *q, enum metric_id id, enum statistic stat,
                             const char *phase)
{
	const struct metric *m = &metric_table[id];
	struct query query = { .metric = m, .stat = stat, .reduce = m->reduce, .phase = phase };
	struct entries e;
	struct both out = { .metric = m };
	if (query.reduce == REDUCE_EACH)
		query.reduce = REDUCE_MAX;
	bench_query(q->bench, &query, &e);
	if (e.list.nr) {
		const struct entry *first = &e.list.v[0];
		out.known = true;
		for (int s = 0; s < NR_SIDES; s++)
			out.known = inquiry_value(q, first, s, &out.v[s]) && out.known;
	}
	vec_release(&e.list);
	return out;
}

struct both inquiry_stat(struct inquiry *q, enum metric_id id, enum statistic stat)
{
	return figure_of(q, id, stat, NULL);
}

struct both inquiry_figure(struct inquiry *q, enum metric_id id)
{
	bool mean = q->bench->kinds.by_mean && !q->phase && metric_table[id].per_step;
	return figure_of(q, id, mean ? STAT_MEAN : STAT_MEDIAN, q->phase);
}

/* ---- suspects and their texts ---- */

bool inquiry_has(const struct inquiry *q, enum cause cause)
{
	return ANY(i, q->suspects.nr, q->suspects.v[i].finding.cause == cause);
}

struct suspect *suspect_add(struct inquiry *q, enum cause cause)
{
	struct suspect *s = vec_push_zero(&q->suspects);
	s->finding.cause = cause;
	s->finding.title = s->finding.action = "";
	s->finding.cost_amount = s->finding.cost_text = "";
	s->finding.baseline_text = s->finding.candidate_text = s->finding.change_text = "";
	return s;
}

static const char *formatted(struct inquiry *q, const char *fmt, va_list ap)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_vaddf(&b, fmt, ap);
	return arena_take(q->a, &b);
}

void suspect_title(struct inquiry *q, struct suspect *s, const char *fmt, ...)
{
	const char *colon = strstr(fmt, ": ");
	va_list ap;
	if (colon) {
		va_start(ap, fmt);
		const char *head = arena_dup(q->a, (struct span){ fmt, (size_t)(colon - fmt) });
		s->finding.head = strlen(formatted(q, head, ap));
		va_end(ap);
	}
	va_start(ap, fmt);
	s->finding.title = formatted(q, fmt, ap);
	va_end(ap);
}

struct place *suspect_where(struct inquiry *q, struct suspect *s, enum place_kind kind,
                            struct span name)
{
	struct place *p = vec_push_zero(&s->finding.where);
	p->kind = kind;
	p->name = text_line(q->a, name);
	return p;
}

bool suspect_has_place(const struct suspect *s, enum place_kind kind, const char *name)
{
	return ANY(i, s->finding.where.nr,
	           s->finding.where.v[i].kind == kind && strcmp(s->finding.where.v[i].name, name) == 0);
}

void suspect_figure(struct inquiry *q, struct suspect *s, struct both f)
{
	struct finding *out = &s->finding;
	enum unit unit = f.metric->unit;
	if (!f.known)
		return;
	out->has_figure = true;
	out->metric = f.metric;
	out->baseline = f.v[SIDE_BASELINE];
	out->candidate = f.v[SIDE_CANDIDATE];
	out->change = both_rise(f);
	const char *texts[2];
	unit_pair(q->a, unit, out->baseline, out->candidate, texts);
	out->baseline_text = texts[0];
	out->candidate_text = texts[1];
	out->change_text = unit_change(q->a, unit, out->change);
	if (unit != UNIT_PCT && out->baseline > 0)
		out->change_text =
		    arena_printf(q->a, "%s (%s)", out->change_text,
		                 unit_relative(q->a, number_pct(out->change, out->baseline)));
}

void suspect_cost(struct suspect *s, int64_t ns)
{
	s->finding.cost = ns;
	s->finding.cost_is_bytes = false;
}

/* ---- figures as text ---- */

const char *word_times(struct inquiry *q, double factor)
{
	return arena_printf(q->a, "×%.2f", factor);
}

const char *word_movement(struct inquiry *q, struct both f)
{
	if (f.v[SIDE_BASELINE] == f.v[SIDE_CANDIDATE])
		return unit_text(q->a, f.metric->unit, f.v[SIDE_CANDIDATE]);
	return unit_movement(q->a, f.metric->unit, f.v[SIDE_BASELINE], f.v[SIDE_CANDIDATE]);
}

const char *word_kernel(struct inquiry *q, struct span name)
{
	enum { TITLE_CHARS = 60 };
	return name.n ? text_short(q->a, name, TITLE_CHARS) : "(unnamed)";
}
