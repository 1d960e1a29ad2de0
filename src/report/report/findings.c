#include "report/findings.h"

#include <inttypes.h>

/* ---- choice of rows ---- */

static bool is_named(const struct report *r, const struct rank_row *row)
{
	return report_names_rank(r, row->candidate, row->rank);
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

/* ---- trust findings and ranks as JSON ---- */

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
		emit_texts(e, "spoils", f->spoils.v, f->spoils.nr);
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
		for (size_t k = 0; k < row->cells.nr; k++)
			emit_str(e, NULL, row->cells.v[k].text);
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
