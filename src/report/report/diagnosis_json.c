/* Writes gpugate-report-1, the JSON of `gpugate report --json`. */
#include "model/fold.h"
#include "report/findings.h"

static void put_figure(struct emit *e, const char *key, enum unit unit, int64_t value)
{
	emit_number(e, key, value, unit_digits(unit));
}

static void put_facts(struct emit *e, const struct run_report *run)
{
	emit_open_line(e, 1, "summary", '[');
	for (size_t i = 0; i < run->facts.nr; i++) {
		const struct fact *f = &run->facts.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "id", f->id);
		emit_str(e, "label", f->label);
		if (f->has_value) {
			emit_str(e, "unit", unit_name(f->unit));
			put_figure(e, "value", f->unit, f->value);
		}
		emit_str(e, "text", f->text);
		emit_str(e, "note", f->note[0] ? f->note : NULL);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

static void put_table(struct emit *e, const struct report_table *t)
{
	size_t columns = t->columns.nr;
	emit_open_line(e, 2, NULL, '{');
	emit_str(e, "id", t->id);
	emit_str(e, "title", t->title);
	emit_str(e, "note", t->note[0] ? t->note : NULL);
	emit_open(e, "columns", '[');
	for (size_t c = 0; c < columns; c++) {
		emit_open(e, NULL, '{');
		emit_str(e, "name", t->columns.v[c].name);
		emit_str(e, "unit", t->columns.v[c].is_text ? NULL : unit_name(t->columns.v[c].unit));
		emit_close(e, '}');
	}
	emit_close(e, ']');
	emit_open(e, "rows", '[');
	for (size_t i = 0; i < report_table_rows(t); i++) {
		emit_open_line(e, 3, NULL, '[');
		for (size_t c = 0; c < columns; c++) {
			const struct report_cell *cell = &t->cells.v[i * columns + c];
			if (cell->kind == CELL_FIGURE)
				put_figure(e, NULL, t->columns.v[c].unit, cell->value);
			else
				emit_str(e, NULL, cell->kind == CELL_TEXT ? cell->text : NULL);
		}
		emit_close(e, ']');
	}
	emit_close(e, ']');
	emit_number(e, "more", (int64_t)t->more, 0);
	emit_open(e, "rest", '[');
	for (size_t c = 0; c < columns && report_table_has_rest(t, report_table_rows(t)); c++)
		if (t->columns.v[c].adds)
			put_figure(e, NULL, t->columns.v[c].unit, t->columns.v[c].rest);
		else
			emit_str(e, NULL, NULL);
	emit_close(e, ']');
	emit_close(e, '}');
}

static void put_series(struct emit *e, const struct series *s)
{
	emit_open_line(e, 2, NULL, '{');
	emit_str(e, "id", s->id);
	emit_str(e, "label", s->label);
	emit_number(e, "rank", s->rank, 0);
	emit_str(e, "x_unit", unit_name(s->x_unit));
	emit_str(e, "unit", unit_name(s->unit));
	emit_open(e, "points", '[');
	for (size_t i = 0; i < s->points.nr; i++) {
		emit_open(e, NULL, '[');
		put_figure(e, NULL, s->x_unit, s->points.v[i].x);
		put_figure(e, NULL, s->unit, s->points.v[i].y);
		emit_close(e, ']');
	}
	emit_close(e, ']');
	emit_close(e, '}');
}

static void put_classification(struct emit *e, const struct classification *c)
{
	emit_open_line(e, 1, "classification", '{');
	emit_str(e, "bound", bound_names[c->bound]);
	emit_str(e, "confidence", confidence_names[c->confidence]);
	emit_texts(e, "evidence", c->evidence.v, c->evidence.nr);
	emit_texts(e, "missing", c->missing.v, c->missing.nr);
	emit_close(e, '}');
}

/* Write as findings the observations on which recommendations rest. Insights on ranks and trust
 * findings are written by other functions, into the members "insights" and "trust". */
static void put_findings(struct emit *e, const struct run_report *run)
{
	emit_open_line(e, 1, "findings", '[');
	for (size_t i = 0; i < run->recommendations.nr; i++) {
		const struct recommendation *r = &run->recommendations.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "id", r->id);
		emit_str(e, "title", r->title);
		emit_texts(e, "evidence", &r->observation, 1);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

void recommendations_write_json(const struct run_report *run, struct emit *e)
{
	emit_open_line(e, 1, "recommendations", '[');
	for (size_t i = 0; run && i < run->recommendations.nr; i++) {
		const struct recommendation *r = &run->recommendations.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "id", r->id);
		emit_str(e, "title", r->title);
		emit_number_if(e, "saves_ns", r->saves_ns >= 0, r->saves_ns, 0);
		emit_str(e, "confidence", confidence_names[r->confidence]);
		emit_str(e, "observation", r->observation);
		emit_str(e, "hypothesis", r->hypothesis);
		emit_str(e, "action", r->action);
		emit_str(e, "confirm", r->confirm);
		emit_str(e, "ask", r->ask[0] ? r->ask : NULL);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

static void put_run(struct emit *e, const struct report *r)
{
	const struct run_report *run = r->run;
	put_facts(e, run);
	emit_open_line(e, 1, "tables", '[');
	for (size_t i = 0; i < run->tables.nr; i++)
		put_table(e, &run->tables.v[i]);
	emit_close(e, ']');
	emit_open_line(e, 1, "series", '[');
	for (size_t i = 0; i < run->series.nr; i++)
		put_series(e, &run->series.v[i]);
	emit_close(e, ']');
	ranks_write_json(r, "ranks", false, e);
	trust_write_json(r, false, e);
	put_classification(e, &run->classification);
	put_findings(e, run);
	recommendations_write_json(run, e);
	if (run->view && !run_fold(run->view->run)) { /* a folded run has no rows of single ranks */
		emit_open_line(e, 1, "figures", '{');
		figures_write_json(run->view, e);
		emit_close(e, '}');
	}
}

void run_json_write(const struct report *r, struct sink *out)
{
	struct emit e = { out, false };
	emit_open(&e, NULL, '{');
	emit_str(&e, "schema", "gpugate-report-1");
	emit_str(&e, "run", r->candidate.label);
	emit_str(&e, "workload", r->workload);
	emit_str(&e, "phase", r->run ? r->run->phase : NULL);
	emit_bool(&e, "window", r->run && r->run->window);
	emit_bool(&e, "partial", r->partial);
	emit_str(&e, "judged", r->candidate.judged);
	emit_str(&e, "error", r->error);
	if (r->run && !r->error)
		put_run(&e, r);
	emit_close(&e, '}');
	sink_puts(out, "\n");
}
