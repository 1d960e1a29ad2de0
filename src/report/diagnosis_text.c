/* `gpugate report` for people. */

#include "report/diagnosis.h"
#include "report/findings.h"
#include "report/table.h"

#define NAME_CHARS 100
#define LINE_CHARS 1000
#define ROWS_SHOWN 12
#define RANK_ROWS 32
#define LINE_COLUMNS 100

struct page {
	const struct report *r;
	const struct run_report *run;
	bool verbose;
	struct sink *out;
	struct arena arena;
};

static void heading(struct page *p, const char *text, bool color)
{
	sink_printf(p->out, "\n%s%s%s\n", color ? "\033[1m" : "", text, color ? "\033[0m" : "");
}

static void write_context(struct page *p)
{
	const struct side *s = &p->r->candidate;
	sink_printf(p->out, "report of %s (%s)%s\n", table_text(&p->arena, s->label, LINE_CHARS),
	            extent_of(&p->arena, s), p->r->partial ? "; partial (--quick)" : "");
	if (p->run->phase)
		sink_printf(p->out, "kernels and operators of the phase %s alone\n", p->run->phase);
}

static void write_summary(struct page *p)
{
	struct table t = { .align = "lrl" };
	for (size_t i = 0; i < p->run->facts.nr; i++) {
		const struct fact *f = &p->run->facts.v[i];
		table_add(&t, NULL,
		          (const char *[]){ f->label, table_text(&p->arena, f->text, NAME_CHARS),
		                            table_text(&p->arena, f->note, NAME_CHARS) });
	}
	table_write(&t, p->out);
}

static void write_table(struct page *p, const struct report_table *k)
{
	struct table t = { 0 };
	size_t columns = k->columns.nr, rows = report_table_rows(k);
	size_t shown = p->verbose || rows <= ROWS_SHOWN ? rows : ROWS_SHOWN;
	char *align = arena_alloc(&t.arena, columns + 1, 1);
	const char **cells = arena_alloc(&t.arena, columns, sizeof *cells);
	t.align = align;
	for (size_t c = 0; c < columns; c++) {
		align[c] = k->columns.v[c].is_text ? 'l' : 'r';
		cells[c] = k->columns.v[c].name;
	}
	table_add(&t, NULL, cells);
	for (size_t i = 0; i < shown; i++) {
		for (size_t c = 0; c < columns; c++)
			cells[c] = table_text(&t.arena, k->cells.v[i * columns + c].text, NAME_CHARS);
		table_add(&t, NULL, cells);
	}
	bool rest = report_table_has_rest(k, shown);
	for (size_t c = 0; c < columns && rest; c++) {
		const struct report_column *column = &k->columns.v[c];
		struct strbuf b = STRBUF_INIT;
		if (column->adds)
			unit_format(&b, column->unit, report_table_rest(k, shown, c), false);
		else if (c + 1 == columns)
			strbuf_addf(&b, "%zu more", rows - shown + k->more);
		cells[c] = arena_take(&t.arena, &b);
	}
	if (rest)
		table_add(&t, NULL, cells);
	sink_printf(p->out, "\n%s%s%s\n", k->title, k->note[0] ? ": " : "", k->note);
	table_write(&t, p->out);
	if (!rest && rows - shown + k->more)
		sink_printf(p->out, "  %zu more\n", rows - shown + k->more);
}

static void write_metrics(struct page *p)
{
	for (size_t i = 0; i < p->run->tables.nr; i++)
		write_table(p, &p->run->tables.v[i]);
	if (!p->run->tables.nr)
		sink_puts(p->out, p->run->phase ? "  no kernel is launched and no operator called in it\n"
		                                : "  none were recorded\n");
	ranks_write_text(p->r, true, RANK_ROWS, "ranks", p->out);
}

static void write_findings(struct page *p)
{
	const struct classification *c = &p->run->classification;
	sink_printf(p->out, "%s\n", p->r->headline);
	for (size_t i = 0; i < c->evidence.nr; i++)
		sink_printf(p->out, "  evidence: %s\n",
		            table_text(&p->arena, c->evidence.v[i], LINE_CHARS));
	for (size_t i = 0; i < c->missing.nr; i++)
		sink_printf(p->out, "  not recorded: %s\n",
		            table_text(&p->arena, c->missing.v[i], LINE_CHARS));
	trust_write_text_of_run(p->r, p->out);
	insights_write_text(p->r, false, p->out);
	for (size_t i = 0; i < p->r->candidate.notes.nr; i++)
		sink_printf(p->out, "note: %s\n",
		            table_span(&p->arena, p->r->candidate.notes.v[i], LINE_CHARS));
}

/* A label and words, broken at blanks. */
static void put_words(struct sink *out, struct arena *a, const char *label, const char *words)
{
	struct table t = { .align = "l" };
	if (!words[0])
		return;
	table_note(&t, label, table_text(a, words, LINE_CHARS));
	table_write(&t, out);
}

void recommendations_write_text(const struct run_report *run, struct sink *out)
{
	struct arena a = ARENA_INIT;
	for (size_t i = 0; i < run->recommendations.nr; i++) {
		const struct recommendation *r = &run->recommendations.v[i];
		sink_printf(out, "  %zu. %s", i + 1, table_text(&a, r->title, LINE_CHARS));
		sink_printf(out, "%s%s (%s: %s confidence)\n", r->saves_text[0] ? ": " : "", r->saves_text,
		            r->id, confidence_names[r->confidence]);
		put_words(out, &a, "seen: ", r->observation);
		put_words(out, &a, "may mean: ", r->hypothesis);
		put_words(out, &a, "try: ", r->action);
		put_words(out, &a, "confirmed by: ", r->confirm);
		put_words(out, &a, "would settle it: ", r->ask);
	}
	arena_release(&a);
}

void run_text_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct page p = { .r = r, .run = r->run, .verbose = o->verbose, .out = out };
	write_context(&p);
	heading(&p, "Summary", o->color);
	write_summary(&p);
	heading(&p, "Metrics", o->color);
	write_metrics(&p);
	heading(&p, "Findings", o->color);
	write_findings(&p);
	heading(&p, "Recommendations", o->color);
	if (r->run->recommendations.nr == 0)
		sink_puts(out, "  none: nothing that is looked for was found\n");
	recommendations_write_text(r->run, out);
	arena_release(&p.arena);
}
