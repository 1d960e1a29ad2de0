/* What is said of each run by itself: facts, bound, recommendations, lists, ranks. */
#include <inttypes.h>

#include "html/html.h"
#include "html/svg.h"
#include "report/findings.h"
#include "report/table.h"

/* ---- summary ---- */

static const struct fact *fact_find(const struct run_report *run, const char *id)
{
	for (size_t i = 0; run && i < run->facts.nr; i++)
		if (strcmp(run->facts.v[i].id, id) == 0)
			return &run->facts.v[i];
	return NULL;
}

static void facts(struct html *h, const struct run_report *run, const struct run_report *other)
{
	html_puts(h, "<dl class=\"facts\">\n");
	for (size_t i = 0; i < run->facts.nr; i++) {
		const struct fact *f = &run->facts.v[i], *before = fact_find(other, f->id);
		html_puts(h, "<div><dt>");
		html_text(h, f->label);
		html_puts(h, "</dt><dd>");
		html_text(h, f->text);
		if (before && strcmp(before->text, f->text) != 0) {
			html_puts(h, " <small>baseline ");
			html_text(h, before->text);
			html_puts(h, "</small>");
		}
		if (f->note && f->note[0]) {
			html_puts(h, " <small>");
			html_text(h, f->note);
			html_puts(h, "</small>");
		}
		html_puts(h, "</dd></div>\n");
	}
	html_puts(h, "</dl>\n");
}

static void bound(struct html *h, const struct run_report *run)
{
	const struct classification *c = &run->classification;
	html_printf(h, "<p><b>%s</b>: ", html_side(h, run->candidate));
	if (c->bound == BOUND_UNKNOWN)
		html_puts(h, "what it is bound by is not known");
	else
		html_printf(h, "%s-bound, confidence %s", bound_names[c->bound],
		            confidence_names[c->confidence]);
	html_puts(h, "</p>\n<ul>\n");
	for (size_t i = 0; i < c->evidence.nr; i++) {
		html_puts(h, "<li>");
		html_text(h, c->evidence.v[i]);
		html_puts(h, "</li>\n");
	}
	for (size_t i = 0; i < c->missing.nr; i++) {
		html_puts(h, "<li>not recorded: ");
		html_text(h, c->missing.v[i]);
		html_puts(h, "</li>\n");
	}
	html_puts(h, "</ul>\n");
}

/* The wall time of the steps as a bar of its parts, which add up to it, with their key. */
static void step_bar(struct html *h, const struct run_report *run)
{
	const int64_t *part = run->classification.part;
	int64_t whole = 0, at = 0;
	for (int p = 0; p < NR_STEP_PARTS; p++)
		whole += part[p];
	if (!whole)
		return;
	int id = ++h->nr_pictures;
	html_printf(h, "<figure class=\"chart\"><figcaption>%s: %s</figcaption>\n",
	            html_side(h, run->candidate),
	            run->window ? "from the first GPU activity to the last" : "wall time of the steps");
	html_printf(h,
	            "<svg class=\"stack\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
	            "role=\"img\" aria-labelledby=\"t%d d%d\"><title id=\"t%d\">what it goes to</title>"
	            "<desc id=\"d%d\">",
	            SVG_WIDTH, SVG_HEIGHT, id, id, id, id);
	for (int p = 0, nr = 0; p < NR_STEP_PARTS; p++)
		if (part[p])
			html_printf(h, "%s%s %s", nr++ ? ", " : "", unit_text(&h->arena, UNIT_PCT, part[p]),
			            step_part_names[p]);
	html_puts(h, "</desc>");
	for (int p = 0; p < NR_STEP_PARTS; at += part[p++])
		if (part[p])
			svg_segment(&h->body, p, at, at + part[p], whole);
	html_puts(h, "</svg>\n<p class=\"note\">");
	for (int p = 0, nr = 0; p < NR_STEP_PARTS; p++)
		if (part[p])
			html_printf(h,
			            "%s<svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
			            "class=\"c%d\" width=\"10\" height=\"10\"/></svg> %s %s",
			            nr++ ? ", " : "", p, unit_text(&h->arena, UNIT_PCT, part[p]),
			            step_part_names[p]);
	html_puts(h, "</p></figure>\n");
}

void html_summary(struct html *h)
{
	const struct run_report *run = h->r->run;
	if (!run || !run->facts.nr)
		return;
	html_section(h, "summary", "Summary");
	facts(h, run, h->r->baseline_run);
	step_bar(h, run);
	if (h->r->baseline_run)
		step_bar(h, h->r->baseline_run);
	bound(h, run);
	if (h->r->baseline_run && h->r->baseline_run->classification.bound != run->classification.bound)
		bound(h, h->r->baseline_run);
	html_section_end(h);
}

/* ---- what to do ---- */

static void sentence(struct html *h, const char *what, const char *text)
{
	if (!text || !text[0])
		return;
	html_printf(h, "<dt>%s</dt><dd>", what);
	html_text(h, text);
	html_puts(h, "</dd>\n");
}

void html_recommendations(struct html *h)
{
	const struct run_report *run = h->r->run;
	if (!run || !run->recommendations.nr)
		return;
	html_section(h, "recommendations", "Recommendations");
	html_puts(h, h->r->baseline_run && h->r->kind != REPORT_DIFF
	                 ? "<p class=\"note\">What the baseline does not have as well.</p>\n<ol>\n"
	                 : "<ol>\n");
	for (size_t i = 0; i < run->recommendations.nr; i++) {
		const struct recommendation *r = &run->recommendations.v[i];
		html_puts(h, "<li class=\"advice\"><h3>");
		html_text(h, r->title);
		html_puts(h, "</h3>\n<p class=\"note\">");
		html_text(h, r->saves_text);
		html_printf(h, "%sconfidence %s</p>\n<dl>\n", r->saves_text[0] ? "; " : "",
		            confidence_names[r->confidence]);
		sentence(h, "seen", r->observation);
		sentence(h, "may mean", r->hypothesis);
		sentence(h, "try", r->action);
		sentence(h, "confirmed by", r->confirm);
		sentence(h, "would settle it", r->ask);
		html_puts(h, "</dl></li>\n");
	}
	html_puts(h, "</ol>\n");
	html_section_end(h);
}

/* ---- lists ---- */

/* In the foot, where sorting leaves it. */
static void rest_row(struct html *h, const struct report_table *t, const size_t *order, size_t nr)
{
	html_table_foot(h);
	for (size_t k = 0; k < nr; k++) {
		const struct report_column *c = &t->columns.v[order[k]];
		struct strbuf b = STRBUF_INIT;
		int64_t sum = report_table_rest(t, report_table_rows(t), order[k]);
		if (c->adds)
			unit_format(&b, c->unit, sum, false);
		else if (k == 0)
			strbuf_addf(&b, "%zu more", t->more);
		if (c->is_text)
			html_cell(h, strbuf_str(&b));
		else
			html_figure_cell(h, strbuf_str(&b), c->adds, sum);
		strbuf_release(&b);
	}
	html_puts(h, "</tr>\n");
}

void html_list(struct html *h, const char *caption, const struct report_table *t,
               const struct html_filter *filter)
{
	size_t nr = 0, *order = arena_alloc(&h->arena, t->columns.nr + 1, sizeof *order);
	struct html_column *columns = arena_alloc(&h->arena, t->columns.nr + 1, sizeof *columns);
	/* names first: where a table scrolls they are what is to be seen */
	for (size_t i = t->columns.nr - (filter ? 1 : 0); i-- > 0;)
		if (t->columns.v[i].is_text)
			order[nr++] = i;
	for (size_t i = 0; i < t->columns.nr; i++)
		if (!t->columns.v[i].is_text)
			order[nr++] = i;
	for (size_t i = 0; i < nr; i++)
		columns[i] =
		    (struct html_column){ t->columns.v[order[i]].name,
			                      t->columns.v[order[i]].is_text ? ALIGN_LEFT : ALIGN_RIGHT };
	html_table(h, caption, columns, nr);
	for (size_t row = 0; row < report_table_rows(t); row++) {
		if ((filter && !filter->wants(t, row, filter->memory)) || !html_row(h, ""))
			continue;
		for (size_t k = 0; k < nr; k++) {
			const struct report_cell *c = &t->cells.v[row * t->columns.nr + order[k]];
			if (!t->columns.v[order[k]].is_text)
				html_figure_cell(h, c->text, c->kind == CELL_FIGURE, c->value);
			else if (filter && filter->key)
				filter->key(h, t, row, c->text);
			else
				html_name_cell(h, c->text);
		}
		html_puts(h, "</tr>\n");
	}
	if (!filter && report_table_has_rest(t, report_table_rows(t)))
		rest_row(h, t, order, nr);
	html_table_end(h, 0);
	if (!filter && t->more)
		html_printf(h,
		            "<p class=\"note\">%zu more; <code>gpugate metrics RUN</code> has them, as far "
		            "as the run keeps them</p>\n",
		            t->more);
}

static void list(struct html *h, const struct run_report *run, const struct report_table *t)
{
	struct arena *a = &h->arena;
	const char *title = t->note[0] ? arena_printf(a, "%s; %s", t->title, t->note) : t->title;
	if (h->r->baseline_run)
		title = arena_printf(a, "%s: %s", html_side(h, run->candidate), title);
	html_list(h, title, t, NULL);
}

/* Lists that stand in sections of their own. */
static bool is_shown(const struct report *r, const char *id)
{
	return strcmp(id, "memory_categories") == 0 || strcmp(id, "memory_sites") == 0 ||
	       (strcmp(id, "categories") == 0 && r->baseline_run);
}

/* Of both sides one below the other; of one run alone they are what the report is about. */
void html_tables(struct html *h)
{
	const struct run_report *runs[] = { h->r->run, h->r->baseline_run };
	if (!runs[0] || !runs[0]->tables.nr)
		return;
	html_section(h, "lists", "Lists");
	for (size_t i = 0; i < runs[0]->tables.nr; i++) {
		if (is_shown(h->r, runs[0]->tables.v[i].id))
			continue;
		const struct report_table *t = &runs[0]->tables.v[i];
		const struct report_table *other = runs[1] ? run_report_table(runs[1], t->id) : NULL;
		if (runs[1])
			html_details(h, t->title);
		list(h, runs[0], t);
		if (other)
			list(h, runs[1], other);
		if (runs[1])
			html_details_end(h);
	}
	html_section_end(h);
}

/* ---- ranks ---- */

static bool has_column(const struct report *r, size_t column)
{
	for (size_t i = 0; i < r->ranks.nr; i++)
		if (strcmp(rank_cell(&r->ranks.v[i], column), "–") != 0)
			return true;
	return false;
}

static void rank_row(struct html *h, const struct rank_row *row, const size_t *order, size_t nr)
{
	if (!html_row(h, ""))
		return;
	html_printf(h, "<td>%s</td><td class=\"r\" data-v=\"%" PRId64 "\">%" PRId64 "</td>",
	            html_side(h, row->candidate), row->rank, row->rank);
	for (size_t i = 0; i < nr; i++) {
		size_t k = order[i];
		bool has = k < row->values.nr && row->values.v[k] != INT64_MIN;
		html_figure_cell(h, rank_cell(row, k), has, has ? row->values.v[k] : 0);
	}
	html_puts(h, "</tr>\n");
}

void html_ranks(struct html *h)
{
	const struct report *r = h->r;
	size_t nr = 0, more = 0, all = r->rank_columns.nr;
	if (!r->ranks.nr)
		return;
	struct html_column *columns = arena_alloc(&h->arena, all + 2, sizeof *columns);
	size_t *order = arena_alloc(&h->arena, all + 1, sizeof *order);
	columns[0] = (struct html_column){ "side", ALIGN_LEFT };
	columns[1] = (struct html_column){ "rank", ALIGN_RIGHT };
	for (size_t i = 0; i < all; i++)
		if (has_column(r, i)) {
			columns[nr + 2] = (struct html_column){ r->rank_columns.v[i].title, ALIGN_RIGHT };
			order[nr++] = i;
		}
	html_section(h, "ranks", "Ranks side by side");
	html_table(h, "figures of each rank", columns, nr + 2);
	for (int side = 0; side < 2; side++) {
		struct rank_choice choice;
		ranks_choose(r, side == 0, HTML_ROWS / 2, &choice);
		for (size_t i = 0; i < choice.rows.nr; i++)
			rank_row(h, choice.rows.v[i], order, nr);
		more += choice.more;
		vec_release(&choice.rows);
	}
	html_table_end(h, more);
	html_section_end(h);
}
