/* Sections on changes between two sides: breakdowns, kernels, categories, figures, tensors,
   environment. */
#include <stdlib.h>

#include "base/number.h"
#include "metric/unit.h"
#include "model/category.h"
#include "report/document.h"
#include "report/key_figures.h"
#include "report/table.h"

enum {
	KERNELS_SHOWN = 8,
	KERNELS_LEAST = 3,
	PARTS_SHOWN = 12,
	FIGURE_ROWS = 8,
	CODE_SHOWN = 5,
	BREAKDOWNS_OPEN = 2,
	CHANGES_SHOWN = 3
};

#define LESS_MORE "← less · more →"

/* The title of a breakdown, with the label of its metric. If the report has findings, the table is
   collapsed, and its title says what it shows. */
static const char *title_of(struct document *d, const struct report *r, const struct breakdown *b)
{
	const struct metric *m = b->metric;
	const char *label =
	    arena_printf(&d->arena, "%s%s", metric_label(m), b->title + strlen(m->name));
	const char *title = report_sentence(d->names, label, &d->arena);
	if (r->findings.nr)
		return arena_printf(&d->arena, "where the %s went: %s",
		                    b->memory               ? "memory"
		                    : unit_is_time(b->unit) ? "time"
		                                            : "change",
		                    title);
	bool means = r->kind == REPORT_DIFF && m->per_step && r->candidate.steps > 1;
	if (!means)
		return title;
	/* the breakdown has means, while the table of figures above it has medians */
	return arena_printf(&d->arena, "%s (means over the steps%s)", title,
	                    m->id == METRIC_STEP_PERIOD ? "; above are medians" : "");
}

void doc_breakdowns(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "part", DOC_LEFT }, { "change", DOC_RIGHT }, { LESS_MORE, DOC_BAR }, { "how", DOC_LEFT }
	};
	struct breakdown_list l;
	breakdowns_of(r, &l);
	size_t open = r->kind == REPORT_DIFF ? 1 : BREAKDOWNS_OPEN;
	doc_section(d, "change", "Where the change went", r->findings.nr ? DOC_COLLAPSED : DOC_OPEN);
	for (size_t i = 0; i < l.list.nr; i++) {
		const struct breakdown *b = l.list.v[i];
		if (i == open)
			doc_section(d, "", "where other figures went", DOC_ASIDE);
		struct doc_table *t = doc_table(d, title_of(d, r, b), COLUMNS(columns));
		t->tree = true;
		t->brief = PARTS_SHOWN;
		t->more_text = "parts";
		for (size_t k = 0; k < b->parts.nr; k++) {
			const struct part *p = &b->parts.v[k];
			doc_row(d, p->depth);
			doc_name_cell(d, p->label);
			doc_figure_cell(d, p->text, true, p->change);
			doc_figure_cell(d, "", true, p->change);
			doc_said_cell(d, p->detail);
			if (p->at.changed)
				doc_words(d, p->detail[0] ? ", changed here" : "changed here");
		}
	}
	if (l.list.nr > open)
		doc_end(d);
	doc_end(d);
	vec_release(&l.list);
}

/* Write the path of the part that explains most of a breakdown, such as "forward › Linear ›
   aten::mm (+1.20 ms)". */
static void put_largest(struct document *d, const struct breakdown *b)
{
	const struct part *end = b->parts.v + b->parts.nr, *most = NULL;
	for (const struct part *from = b->parts.v; from < end; from = most + 1) {
		const struct part *last = most;
		int depth = last ? last->depth + 1 : 0;
		most = NULL;
		for (const struct part *p = from; p < end && p->depth >= depth; p++)
			if (p->depth == depth && (p->change > 0) == (b->change > 0) &&
			    (!most || number_distance(p->change, 0) > number_distance(most->change, 0)))
				most = p;
		if (!most ||
		    (last && number_distance(most->change, 0) < number_distance(last->change, 0) / 2)) {
			most = last;
			break;
		}
		if (last && strcmp(last->label, most->label) == 0)
			continue; /* a class and its category have the same name, which is written once */
		doc_say(d, "%w%n", last ? " › " : "", most->label);
	}
	if (most)
		doc_printf(d, " (%s)", most->text);
}

void doc_changes(struct document *d, const struct report *r)
{
	struct breakdown_list l;
	breakdowns_of(r, &l);
	doc_section(d, "changes", "What changed", DOC_OPEN);
	struct doc_table *t = doc_table(d, "What changed", COLUMNS(doc_change_columns));
	t->items = true;
	for (size_t i = 0; i < l.list.nr && t->nr_rows < CHANGES_SHOWN; i++) {
		const struct breakdown *b = l.list.v[i];
		/* the figure in the report's table; NULL if the table lacks it */
		const struct figure_row *f = b->memory ? NULL : figure_row_find(r, b->metric->id);
		enum doc_tone tone = tone_of_change(b->metric->worse, b->change);
		if (!b->change)
			continue;
		doc_row(d, 0);
		doc_cell(d);
		if (tone == TONE_WORSE || tone == TONE_BETTER)
			doc_add(d, DOC_WORDS, tone, tone == TONE_WORSE ? "worse" : "better");
		doc_words(d, d->line->first ? " " : "");
		doc_words(d, metric_label(b->metric));
		if (b->memory)
			doc_printf(d, " of %s", b->memory);
		if (f)
			doc_say(d, ": %f → %f", f->baseline_text, f->candidate_text);
		doc_cell(d);
		doc_add(d, DOC_FIGURE, tone,
		        f ? change_of(&d->arena, f->change_text, f->pct_text)
		          : unit_change(&d->arena, b->unit, b->change));
		doc_cell(d);
		const struct figure_row *cause = b->metric->id == METRIC_STEP_PERIOD && r->wall_cause
		                                     ? figure_row_find(r, r->wall_cause->id)
		                                     : NULL;
		if (cause) {
			bool data = cause->metric->id == METRIC_STEP_DATALOADER_TIME;
			doc_printf(d, "%s (%s)",
			           data ? "enumerate(DataLoader) on the host" : metric_label(cause->metric),
			           cause->change_text);
		} else {
			put_largest(d, b);
		}
	}
	doc_end(d);
	vec_release(&l.list);
}

/* The table of kernels, which is collapsed in a report with a verdict. */
void doc_kernels(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "differs", DOC_LEFT },   { "kernel", DOC_LEFT },     { "category", DOC_EXTRA },
		{ "baseline", DOC_RIGHT }, { "candidate", DOC_RIGHT }, { "change", DOC_RIGHT },
		{ LESS_MORE, DOC_BAR },    { "launches", DOC_RIGHT },  { "shape", DOC_EXTRA },
	};
	doc_section(d, "kernels", "Kernels per step, largest change first",
	            r->kind == REPORT_DIFF ? DOC_ASIDE : DOC_PAGE_COLLAPSED);
	struct doc_table *t =
	    doc_run_table(d, r, "Kernels per step, largest change first", COLUMNS(columns));
	t->brief = KERNELS_LEAST;
	t->more_text = "kernels";
	for (size_t i = 0; i < r->drift.nr; i++) {
		const struct drift_row *k = &r->drift.v[i];
		bool same = k->drift == DRIFT_SAME;
		/* if a side lacks the kernel, it may have it in its sum of small kernels, so the change is
		   not known */
		if (same && !(k->has_baseline && k->has_candidate))
			continue;
		doc_row(d, 0);
		if (!same && t->nr_rows > t->brief && t->nr_rows <= KERNELS_SHOWN)
			t->brief = t->nr_rows;
		/* only the first word is shown, such as "more" of "more launches": the column "launches"
		 * follows */
		const char *drift = same ? "hardly" : drift_names[k->drift];
		size_t word = strcspn(drift, " ");
		doc_cell(d);
		doc_add(d, DOC_WORDS, same ? TONE_PLAIN : doc_tone_of(true, false, k->change_ns),
		        arena_dup(&d->arena, (struct span){ drift, word }));
		doc_name_cell(d, k->kernel);
		if (k->renamed_to)
			doc_say(d, " → %n", k->renamed_to);
		doc_said_cell(d, category_title(k->category));
		doc_figure_cell(d, k->baseline_text, k->has_baseline, k->baseline_ns);
		doc_figure_cell(d, k->candidate_text, k->has_candidate, k->candidate_ns);
		doc_figure_cell(d, k->change_text, true, k->change_ns);
		doc_figure_cell(d, "", true, k->change_ns);
		doc_figure_cell(d, k->count_text, true,
		                k->has_candidate ? k->candidate_count : k->baseline_count);
		doc_words_cell(d, k->shape_text);
	}
	doc_end(d);
}

/* ---- categories of kernels ---- */

/* The row of a category in the table of a run. Its first cell is the time, its last one the name
   (diagnose/tables.c). NULL if there is none. */
static const struct report_cell *category_row(const struct run_report *run, const char *name)
{
	const struct report_table *t = run_report_table(run, "categories");
	for (size_t i = 0; t && i < report_table_rows(t); i++)
		if (strcmp(t->cells.v[(i + 1) * t->columns.nr - 1].text, name) == 0)
			return &t->cells.v[i * t->columns.nr];
	return NULL;
}

/* The table of categories. A report on one run has this table among its lists instead. */
void doc_categories(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = { { "category", DOC_LEFT },
		                                         { "baseline", DOC_RIGHT },
		                                         { "candidate", DOC_RIGHT },
		                                         { "change", DOC_RIGHT },
		                                         { LESS_MORE, DOC_BAR } };
	const struct run_report *runs[] = { r->baseline_run, r->run };
	doc_section(d, "categories", "Categories", DOC_PAGE_COLLAPSED);
	doc_run_table(d, r, "Categories", COLUMNS(columns));
	for (int of = 1; of >= 0; of--) {
		const struct report_table *t = run_report_table(runs[of], "categories");
		for (size_t i = 0; t && i < report_table_rows(t); i++) {
			const char *name = t->cells.v[(i + 1) * t->columns.nr - 1].text;
			int64_t value[2];
			if (of == 0 && category_row(r->run, name))
				continue;
			doc_row(d, 0);
			doc_name_cell(d, name);
			for (int side = 0; side < 2; side++) {
				const struct report_cell *cell = category_row(runs[side], name);
				value[side] = cell ? cell->value : 0;
				doc_figure_cell(d, cell ? cell->text : "–", cell, value[side]);
			}
			int64_t change = number_sub(value[1], value[0]);
			doc_figure_cell(d, unit_change(&d->arena, UNIT_NS, change), true, change);
			doc_figure_cell(d, "", true, change);
		}
	}
	doc_end(d);
}

/* ---- figures of a diff ---- */

/* Size of a change in 1e-6 %; for shares, and if no percentage is known, in the unit of the metric.
 * -1 if a side lacks the figure. */
static int64_t size_of(const struct figure_row *f)
{
	if (!f->has_baseline || !f->has_candidate)
		return -1;
	int64_t size = f->metric->unit == UNIT_PCT || !f->has_pct ? f->change : f->change_pct;
	return size < 0 ? number_sub(0, size) : size;
}

/* Sort figures of the whole run before those of kernels and categories, largest change first. */
ORDERING_POINTERS(by_change, struct figure_row,
                  THEN(!y->item[0] - !x->item[0]) THEN(COMPARE(size_of(y), size_of(x)))
                      THEN(COMPARE(x, y)))

void doc_figures(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "figure", DOC_LEFT },     { "of", DOC_LEFT },      { "baseline", DOC_RIGHT },
		{ "candidate", DOC_RIGHT }, { "change", DOC_RIGHT },
	};
	size_t nr = r->figures.nr;
	const struct figure_row **rows = arena_alloc(&d->arena, nr + 1, sizeof *rows);
	for (size_t i = 0; i < nr; i++)
		rows[i] = &r->figures.v[i];
	qsort(rows, nr, sizeof *rows, by_change);
	doc_section(d, "figures", "Figures, largest change first", DOC_OPEN);
	struct doc_table *t = doc_table(d, "Figures, largest change first", COLUMNS(columns));
	t->brief = FIGURE_ROWS;
	t->more_text = "figures";
	for (size_t i = 0; i < nr; i++) {
		const struct figure_row *f = rows[i];
		bool both = f->has_baseline && f->has_candidate;
		doc_row(d, 0);
		bool input = f->metric->need == NEED_INPUT;
		if (input)
			doc_name_cell(d, f->metric->head);
		else
			doc_words_cell(d, metric_label(f->metric));
		doc_name_cell(d, input ? text_or_empty(f->metric->case_name) : f->item);
		doc_figure_cell(d, f->baseline_text, f->has_baseline, f->baseline);
		doc_figure_cell(d, f->candidate_text, f->has_candidate, f->candidate);
		doc_cell(d);
		doc_value(d, f->has_pct || both, f->has_pct ? f->change_pct : f->change);
		doc_add(d, DOC_FIGURE, !both ? TONE_PLAIN : tone_of_change(f->metric->worse, f->change),
		        change_of(&d->arena, f->change_text, f->pct_text));
	}
	doc_end(d);
}

/* ---- changes by place in the code ---- */

static void put_code_table(struct document *d, const struct report *r, enum metric_id id,
                           const char *name, const char *heading)
{
	struct doc_column *columns = arena_alloc(&d->arena, 5, sizeof *columns);
	columns[0] = (struct doc_column){ heading, DOC_LEFT };
	columns[1] = (struct doc_column){ "baseline", DOC_RIGHT };
	columns[2] = (struct doc_column){ "candidate", DOC_RIGHT };
	columns[3] = (struct doc_column){ "change", DOC_RIGHT };
	columns[4] = (struct doc_column){ LESS_MORE, DOC_BAR };
	struct doc_table *t = NULL;
	for (size_t i = 0; i < r->code.nr; i++) {
		const struct figure_row *f = &r->code.v[i];
		if (f->metric->id != id)
			continue;
		if (!t) {
			t = doc_table(d, arena_printf(&d->arena, "GPU time by %s", name), columns, 5);
			t->brief = CODE_SHOWN;
			t->more_text = arena_printf(&d->arena, "%ss", name);
		}
		doc_row(d, 0);
		doc_name_cell(d, f->item);
		doc_words(d, f->at.changed ? " (changed here)" : "");
		doc_figure_cell(d, f->baseline_text, true, f->baseline);
		doc_figure_cell(d, f->candidate_text, true, f->candidate);
		doc_cell(d);
		doc_value(d, true, f->change);
		doc_add(d, DOC_FIGURE, doc_tone_of(true, false, f->change),
		        change_of(&d->arena, f->change_text, f->pct_text));
		doc_figure_cell(d, "", true, f->change);
	}
}

void doc_code(struct document *d, const struct report *r)
{
	doc_section(d, "code", "Where in the code, largest change first", DOC_COLLAPSED);
	put_code_table(d, r, METRIC_OP_SELF_GPU_TIME, "operator", "operator");
	put_code_table(d, r, METRIC_MODULE_GPU_TIME, "module", "module");
	put_code_table(d, r, METRIC_PLACE_GPU_TIME, "line", "place");
	doc_end(d);
}

void doc_scaling(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "memory", DOC_LEFT },     { "category", DOC_LEFT }, { "baseline", DOC_RIGHT },
		{ "candidate", DOC_RIGHT }, { "ratio", DOC_RIGHT },
	};
	doc_section(d, "scaling", "Largest tensors by category", DOC_ASIDE);
	doc_table(d, "Largest tensors by category", COLUMNS(columns));
	for (size_t i = 0; i < r->scaling.nr; i++) {
		const struct scaling_row *k = &r->scaling.v[i];
		doc_row(d, 0);
		doc_name_cell(d, k->memory);
		doc_name_cell(d, k->category);
		doc_figure_cell(d, k->baseline_text, true, k->baseline);
		doc_figure_cell(d, k->candidate_text, true, k->candidate);
		doc_words_cell(d, k->ratio_text);
	}
	doc_end(d);
}

static void put_environment(struct document *d, const struct report *r, bool match)
{
	for (size_t i = 0; i < r->environment.nr; i++) {
		const struct env_row *e = &r->environment.v[i];
		if (e->match != match)
			continue;
		doc_row(d, 0);
		doc_words_cell(d, match ? "same" : "differs");
		doc_name_cell(d, e->key);
		doc_name_cell(d, e->baseline);
		doc_name_cell(d, e->candidate);
	}
}

void doc_environment(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "", DOC_LEFT }, { "key", DOC_LEFT }, { "baseline", DOC_LEFT }, { "candidate", DOC_LEFT }
	};
	size_t differ = 0;
	for (size_t i = 0; i < r->environment.nr; i++)
		differ += !r->environment.v[i].match;
	bool open = r->kind == REPORT_DIFF && differ;
	doc_section(d, "environment", "Environment", open ? DOC_ASIDE : DOC_PAGE_COLLAPSED);
	struct doc_table *t = doc_table(d, "Environment", COLUMNS(columns));
	t->brief = open ? differ : 0;
	t->more_text = open ? "that are the same" : "";
	put_environment(d, r, false);
	put_environment(d, r, true);
	doc_end(d);
}
