#include "report/findings.h"

#include <inttypes.h>

#include "report/table.h"

#define CELL_CHARS 40
#define LINE_CHARS 1000
#define SPOILS_SHOWN 4
#define NO_FIGURE "–"

/* ---- which rows ---- */

static bool is_named(const struct report *r, const struct rank_row *row)
{
	for (size_t i = 0; i < r->insights.nr; i++)
		if (r->insights.v[i].candidate == row->candidate && r->insights.v[i].rank == row->rank)
			return true;
	return false;
}

void ranks_choose(const struct report *r, bool candidate, size_t max, struct rank_choice *out)
{
	size_t nr = 0, named = 0;
	*out = (struct rank_choice){ 0 };
	for (size_t i = 0; i < r->ranks.nr; i++)
		if (r->ranks.v[i].candidate == candidate) {
			nr++;
			named += is_named(r, &r->ranks.v[i]);
		}
	size_t others = nr > max ? max - (named < max ? named : max) : nr;
	for (size_t i = 0; i < r->ranks.nr && out->rows.nr < max; i++) {
		const struct rank_row *row = &r->ranks.v[i];
		if (row->candidate != candidate || (!is_named(r, row) && !others))
			continue;
		others -= !is_named(r, row);
		vec_push(&out->rows, row);
	}
	out->more = nr - out->rows.nr;
}

const char *rank_cell(const struct rank_row *row, size_t i)
{
	return i < row->cells.nr ? row->cells.v[i] : NO_FIGURE;
}

/* ---- text ---- */

/* Columns that say something of some rank shown, and are narrow enough. */
struct columns {
	VEC(size_t) list;
};

static void columns_of(const struct report *r, const struct rank_choice *choice,
                       struct columns *out)
{
	for (size_t i = 0; i < r->rank_columns.nr; i++) {
		const struct rank_column *c = &r->rank_columns.v[i];
		bool any = false, differ = false;
		for (size_t k = 0; k < choice->rows.nr; k++) {
			const char *cell = rank_cell(choice->rows.v[k], i);
			any = any || strcmp(cell, NO_FIGURE) != 0;
			differ = differ || strcmp(cell, rank_cell(choice->rows.v[0], i)) != 0;
		}
		if (c->head && any && (differ || !c->plain))
			vec_push(&out->list, i);
	}
}

static void add_row(struct table *t, const char *first, const struct columns *columns,
                    const struct report *r, const struct rank_row *row)
{
	size_t nr = columns->list.nr;
	const char **cells = arena_alloc(&t->arena, nr + 1, sizeof *cells);
	cells[0] = first;
	for (size_t i = 0; i < nr; i++) {
		size_t at = columns->list.v[i];
		cells[i + 1] = table_text(&t->arena, row ? rank_cell(row, at) : r->rank_columns.v[at].head,
		                          CELL_CHARS);
	}
	table_add(t, NULL, cells);
}

void ranks_write_text(const struct report *r, bool candidate, size_t max, const char *title,
                      struct sink *out)
{
	struct rank_choice choice;
	struct columns columns = { 0 };
	struct table t = { 0 };
	ranks_choose(r, candidate, max, &choice);
	columns_of(r, &choice, &columns);
	char *align = arena_alloc(&t.arena, columns.list.nr + 2, 1);
	memset(align, 'r', columns.list.nr + 1);
	t.align = align;
	add_row(&t, "rank", &columns, r, NULL);
	for (size_t i = 0; i < choice.rows.nr; i++)
		add_row(&t, arena_printf(&t.arena, "%" PRId64, choice.rows.v[i]->rank), &columns, r,
		        choice.rows.v[i]);
	if (choice.rows.nr)
		sink_printf(out, "\n%s\n", title);
	else
		t.rows.nr = 0;
	table_write(&t, out);
	if (choice.more)
		sink_printf(out, "  %zu more ranks\n", choice.more);
	vec_release(&columns.list);
	vec_release(&choice.rows);
}

void insights_write_text(const struct report *r, bool sides, struct sink *out)
{
	struct arena a = ARENA_INIT;
	for (size_t i = 0; i < r->insights.nr; i++) {
		const struct insight *n = &r->insights.v[i];
		if (!sides && !n->candidate)
			continue;
		sink_printf(out, "insight:%s", !sides ? "" : n->candidate ? " candidate" : " baseline");
		if (n->rank >= 0)
			sink_printf(out, " rank %" PRId64, n->rank);
		sink_printf(out, "%s %s: %s\n", sides || n->rank >= 0 ? ":" : "", n->id,
		            table_text(&a, n->message, LINE_CHARS));
	}
	arena_release(&a);
}

void trust_write_text(const struct trust_lines *l, struct sink *out)
{
	struct arena a = ARENA_INIT;
	for (size_t i = 0; i < l->list.nr; i++) {
		const struct trust_line *line = &l->list.v[i];
		const struct trust_finding *f = line->first;
		sink_printf(out, "trust:%s%s %s: %s%s", line->whose, *line->whose ? ":" : "", f->id,
		            table_text(&a, f->message, LINE_CHARS), line->others ? TRUST_OTHERS : "");
		if (f->spoils.nr > SPOILS_SHOWN)
			sink_printf(out, "; spoils %zu figures", f->spoils.nr);
		for (size_t k = 0; k < f->spoils.nr && f->spoils.nr <= SPOILS_SHOWN; k++)
			sink_printf(out, "%s%s", k ? ", " : "; spoils ", f->spoils.v[k]);
		sink_puts(out, "\n");
	}
	arena_release(&a);
}

void trust_write_text_of_run(const struct report *r, struct sink *out)
{
	struct trust_lines l;
	trust_lines_init(&l, r, false);
	trust_write_text(&l, out);
	trust_lines_release(&l);
}

/* ---- JSON ---- */

static void put_whose(struct emit *e, bool sides, bool candidate, int64_t rank)
{
	emit_number_if(e, "rank", rank >= 0, rank, 0);
	if (sides)
		emit_str(e, "side", candidate ? "candidate" : "baseline");
}

void trust_write_json(const struct report *r, bool sides, struct emit *e)
{
	emit_open_line(e, 1, "trust", '[');
	for (size_t i = 0; i < r->trust.nr; i++) {
		const struct trust_finding *f = &r->trust.v[i];
		if (!sides && !f->candidate)
			continue;
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "finding", f->id);
		put_whose(e, sides, f->candidate, f->rank);
		emit_open(e, "spoils", '[');
		for (size_t k = 0; k < f->spoils.nr; k++)
			emit_str(e, NULL, f->spoils.v[k]);
		emit_close(e, ']');
		emit_str(e, "message", f->message);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

static void put_ranks(const struct report *r, const char *key, bool sides, struct emit *e)
{
	emit_open_line(e, 1, key, '{');
	emit_open(e, "columns", '[');
	for (size_t i = 0; i < r->rank_columns.nr; i++)
		emit_str(e, NULL, r->rank_columns.v[i].title);
	emit_close(e, ']');
	emit_open(e, "rows", '[');
	for (size_t i = 0; i < r->ranks.nr; i++) {
		const struct rank_row *row = &r->ranks.v[i];
		if (!sides && !row->candidate)
			continue;
		emit_open_line(e, 2, NULL, '{');
		put_whose(e, sides, row->candidate, row->rank);
		emit_open(e, "cells", '[');
		for (size_t k = 0; k < r->rank_columns.nr; k++)
			emit_str(e, NULL, rank_cell(row, k));
		emit_close(e, ']');
		emit_close(e, '}');
	}
	emit_close(e, ']');
	emit_close(e, '}');
}

void ranks_write_json(const struct report *r, const char *key, bool sides, struct emit *e)
{
	put_ranks(r, key, sides, e);
	emit_open_line(e, 1, "insights", '[');
	for (size_t i = 0; i < r->insights.nr; i++) {
		const struct insight *n = &r->insights.v[i];
		if (!sides && !n->candidate)
			continue;
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "insight", n->id);
		put_whose(e, sides, n->candidate, n->rank);
		emit_str(e, "message", n->message);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}
