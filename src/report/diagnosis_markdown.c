/* `gpugate report --markdown`, and recommendations under the checks of the gate. */

#include "report/diagnosis.h"
#include "report/table.h"

#define LINE_CHARS 400
#define ROWS_SHOWN 20

static void add_sentence(struct strbuf *b, const char *text)
{
	md_code(b, text, LINE_CHARS, false);
}

/* "  - seen: `…`" */
static void add_line(struct md_section *s, const char *what, const char *text)
{
	if (!text[0])
		return;
	struct strbuf *row = md_row(s);
	strbuf_addf(row, "  - %s: ", what);
	add_sentence(row, text);
	strbuf_addch(row, '\n');
}

void md_recommendations(struct markdown *m)
{
	const struct run_report *run = m->r->run;
	if (m->r->kind == REPORT_DIFF)
		return;
	struct md_section *s = md_section(&m->doc, false);
	strbuf_adds(&s->head, m->r->kind == REPORT_RUN ? "\n**Recommendations**\n\n"
	                                               : "\n**what to do about it:**\n\n");
	for (size_t i = 0; run && i < run->recommendations.nr; i++) {
		const struct recommendation *r = &run->recommendations.v[i];
		struct strbuf *row = md_row(s);
		strbuf_adds(row, "- ");
		add_sentence(row, r->title);
		strbuf_addf(row, "%s%s (%s: %s confidence)\n", r->saves_text[0] ? ", " : "", r->saves_text,
		            r->id, confidence_names[r->confidence]);
		add_line(s, "seen", r->observation);
		add_line(s, "may mean", r->hypothesis);
		add_line(s, "try", r->action);
		add_line(s, "confirmed by", r->confirm);
		add_line(s, "would settle it", r->ask);
	}
	md_close(&m->doc);
}

static void add_summary(struct markdown *m)
{
	struct md_section *s = md_section(&m->doc, false);
	strbuf_adds(&s->head, "\n**Summary**\n\n| figure | | |\n| --- | ---: | --- |\n");
	for (size_t i = 0; i < m->r->run->facts.nr; i++) {
		const struct fact *f = &m->r->run->facts.v[i];
		struct strbuf *row = md_table_row(s);
		md_cell(row, f->label);
		if (f->has_value)
			md_cell(row, f->text);
		else
			md_code_cell(row, f->text);
		md_cell(row, f->note);
		md_end_row(row);
	}
	md_close(&m->doc);
}

static void add_findings(struct markdown *m)
{
	const struct classification *c = &m->r->run->classification;
	struct md_section *s = md_section(&m->doc, false);
	strbuf_addf(&s->head, "\n**Findings**\n\n");
	for (size_t i = 0; i < c->evidence.nr; i++) {
		struct strbuf *row = md_row(s);
		strbuf_adds(row, "- evidence: ");
		add_sentence(row, c->evidence.v[i]);
		strbuf_addch(row, '\n');
	}
	for (size_t i = 0; i < c->missing.nr; i++) {
		struct strbuf *row = md_row(s);
		strbuf_adds(row, "- not recorded: ");
		add_sentence(row, c->missing.v[i]);
		strbuf_addch(row, '\n');
	}
	md_close(&m->doc);
}

static void add_rest(struct md_section *s, const struct report_table *t, size_t shown)
{
	struct strbuf *row = md_table_row(s);
	for (size_t c = 0; c < t->columns.nr; c++) {
		struct strbuf b = STRBUF_INIT;
		if (t->columns.v[c].adds)
			unit_format(&b, t->columns.v[c].unit, report_table_rest(t, shown, c), false);
		else if (c + 1 == t->columns.nr)
			strbuf_addf(&b, "%zu more", report_table_rows(t) - shown + t->more);
		md_cell(row, strbuf_str(&b));
		strbuf_release(&b);
	}
	md_end_row(row);
}

static void add_table(struct markdown *m, const struct report_table *t)
{
	size_t columns = t->columns.nr, rows = report_table_rows(t);
	size_t shown = rows < ROWS_SHOWN ? rows : ROWS_SHOWN;
	struct strbuf head = STRBUF_INIT;
	strbuf_adds(&head, "| ");
	for (size_t c = 0; c < columns; c++)
		md_cell(&head, t->columns.v[c].name);
	strbuf_setlen(&head, head.n - 1);
	strbuf_adds(&head, "\n|");
	for (size_t c = 0; c < columns; c++)
		strbuf_adds(&head, t->columns.v[c].is_text ? " --- |" : " ---: |");
	strbuf_addch(&head, '\n');
	struct md_section *s = md_details(
	    &m->doc, arena_printf(&m->arena, "%s%s%s", t->title, t->note[0] ? ": " : "", t->note),
	    strbuf_str(&head));
	strbuf_release(&head);
	bool rest = report_table_has_rest(t, shown);
	s->more = rest ? 0 : t->more + rows - shown;
	for (size_t i = 0; i < shown; i++) {
		struct strbuf *row = md_table_row(s);
		for (size_t c = 0; c < columns; c++) {
			const struct report_cell *cell = &t->cells.v[i * columns + c];
			if (cell->kind == CELL_TEXT)
				md_code_cell(row, cell->text);
			else
				md_cell(row, cell->text);
		}
		md_end_row(row);
	}
	if (rest)
		add_rest(s, t, shown);
	md_close(&m->doc);
}

void md_run_summary(struct markdown *m)
{
	struct strbuf *b = &md_section(&m->doc, true)->head;
	strbuf_adds(b, "\nreport of ");
	md_code(b, m->r->candidate.label, MD_NAME_CHARS, false);
	strbuf_addf(b, " (%s)%s%s\n", extent_of(&m->arena, &m->r->candidate),
	            m->r->partial ? "; partial (`--quick`)" : "",
	            m->r->run->phase ? arena_printf(&m->arena, "; phase %s alone", m->r->run->phase)
	                             : "");
	add_summary(m);
	add_findings(m);
}

void md_run_tables(struct markdown *m)
{
	for (size_t i = 0; i < m->r->run->tables.nr; i++)
		add_table(m, &m->r->run->tables.v[i]);
}
