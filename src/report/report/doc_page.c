/* Sections that only the HTML page has, mostly pictures. */
#include "base/number.h"
#include "metric/unit.h"
#include "report/document.h"

enum { HISTORY_POINTS = 3, FLAME_ROWS = 12 };

static void put_picture(struct document *d, const char *id, const char *title, enum doc_place place,
                        const char *kind)
{
	doc_section(d, id, title, place);
	doc_picture(d, kind, 0);
	doc_end(d);
}

/* ---- history of figures ---- */

/* True if the figure is equal in all runs, so that a chart would add nothing. */
static bool is_constant(const struct trend *t)
{
	return ALL(i, t->points.nr, t->points.v[i].value == t->points.v[0].value);
}

int doc_history_weight(const struct report *r, const struct check *c)
{
	if (!c->trend || !c->has_change || c->trend->points.nr < HISTORY_POINTS || c->metric->exact ||
	    is_constant(c->trend))
		return 0;
	bool told = c->verdict == r->verdict && r->verdict != VERDICT_PASS;
	bool step = c->metric->id == METRIC_STEP_COMPUTE_TIME || c->metric->id == METRIC_STEP_PERIOD;
	return told ? 2 : step;
}

void doc_history(struct document *d, const struct report *r)
{
	if (ANY(i, r->checks.nr, doc_history_weight(r, &r->checks.v[i]) > 0))
		put_picture(d, "history", "History", DOC_PAGE, "history");
}

/* ---- parts of a step ---- */

static bool knows_parts(const struct run_report *run)
{
	return run && ANY(i, NR_STEP_PARTS, run->classification.part[i]);
}

void doc_step(struct document *d, const struct report *r)
{
	if (knows_parts(r->run) || knows_parts(r->baseline_run))
		put_picture(d, "step", "What the wall time goes to", DOC_PAGE, "parts");
}

/* ---- GPU time by place in the code ---- */

/* Write a row of the tree. If the verdict is pass, changes are not colored, since none of them
   matters. */
static void put_node(struct document *d, const struct report *r, const struct flame_node *n)
{
	const struct flame *f = &r->flame;
	bool news = r->kind != REPORT_CHECK || r->verdict != VERDICT_PASS;
	const int64_t *v = n->value, change = number_sub(v[1], v[0]);
	struct arena *a = &d->arena;
	doc_row(d, n->depth);
	/* display names, to keep the tree readable; the table of kernels has the complete names */
	const char *text = d->display(d->names, n->name);
	doc_cell(d);
	doc_add(d, n->kind == FLAME_ALL ? DOC_WORDS : DOC_NAME, TONE_PLAIN, text ? text : n->name);
	if (f->both)
		doc_figure_cell(d, v[0] ? unit_text(a, UNIT_NS, v[0]) : UNIT_ABSENT, true, v[0]);
	doc_figure_cell(d, v[1] ? unit_text(a, UNIT_NS, v[1]) : UNIT_ABSENT, true, v[1]);
	if (!f->both) {
		int64_t all = f->nodes.v[0].value[1], share = all > 0 ? number_pct(v[1], all) : 0;
		doc_figure_cell(d, unit_text(a, UNIT_PCT, share), true, share);
		return;
	}
	doc_cell(d);
	doc_value(d, true, change);
	doc_add(d, DOC_FIGURE, news ? doc_tone_of(true, false, change) : TONE_PLAIN,
	        unit_change(a, UNIT_NS, change));
	doc_figure_cell(d, "", true, change);
}

void doc_flame(struct document *d, const struct report *r)
{
	static const struct doc_column both[] = {
		{ "module, place, operator, kernel", DOC_LEFT },
		{ "baseline", DOC_RIGHT },
		{ "candidate", DOC_RIGHT },
		{ "change", DOC_RIGHT },
		{ "← less · more →", DOC_BAR },
	};
	static const struct doc_column one[] = { { "module, place, operator, kernel", DOC_LEFT },
		                                     { "GPU time per step", DOC_RIGHT },
		                                     { "share", DOC_RIGHT } };
	const struct flame *f = &r->flame;
	if (!f->nodes.nr)
		return;
	doc_section(d, "flame", "GPU time by where in the code", DOC_PAGE);
	doc_picture(d, "flame", 0);
	doc_section(d, "", "the same as a table", DOC_COLLAPSED);
	const char *title = "GPU time per step by module, place, operator and kernel";
	struct doc_table *t =
	    f->both ? doc_run_table(d, r, title, COLUMNS(both)) : doc_table(d, title, COLUMNS(one));
	t->tree = true;
	t->more_text = "parts";
	for (size_t i = 0; i < f->nodes.nr; i++)
		put_node(d, r, &f->nodes.v[i]);
	doc_end(d);
	doc_end(d);
}

/* ---- steps of the ranks ---- */

void doc_steps_of_ranks(struct document *d, const struct report *r)
{
	if (r->run && r->run->ranks.nr > 1)
		put_picture(d, "heat", "Ranks by step", DOC_PAGE, "heat");
}

/* ---- charts over time ---- */

bool run_has_series(const struct run_report *run, const char *prefix)
{
	return run && ANY(i, run->series.nr, strncmp(run->series.v[i].id, prefix, strlen(prefix)) == 0);
}

bool run_has_peaks(const struct run_report *run)
{
	return run_report_table(run, "memory_categories");
}

void doc_series(struct document *d, const struct report *r)
{
	const struct run_report *runs[] = { r->run, r->baseline_run };
	bool many = r->run && r->run->ranks.nr > 1, steps = false, memory = false;
	for (int i = 0; i < 2; i++) {
		steps = steps || run_has_series(runs[i], "step.");
		memory = memory || run_has_series(runs[i], "memory.") || run_has_peaks(runs[i]);
	}
	if (steps)
		put_picture(d, "steps", "Step times", many ? DOC_PAGE_COLLAPSED : DOC_PAGE, "steps");
	if (memory)
		put_picture(d, "memory", "Memory", DOC_PAGE, "memory");
}
