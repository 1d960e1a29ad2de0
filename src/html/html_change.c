/* What changed between the sides: checks, parts of the change, kernels, categories. */
#include <inttypes.h>

#include "html/html.h"
#include "html/svg.h"
#include "report/table.h"

#define LESS_MORE "← less · more →"
#define COLUMNS(c) (c), sizeof(c) / sizeof *(c)

static void absolute_max(int64_t *max, int64_t v)
{
	int64_t abs = v < 0 ? (v == INT64_MIN ? INT64_MAX : -v) : v;
	*max = abs > *max ? abs : *max;
}

/* ---- checks ---- */

const char *html_direction(const struct check *c)
{
	if (!c->has_change || c->change == 0 || c->worse == WORSE_EITHER)
		return "";
	return (c->change > 0) == (c->worse == WORSE_UP) ? "worse" : "better";
}

static void change_cell(struct html *h, const char *change, const char *pct, bool has,
                        int64_t value, const char *direction)
{
	if (has)
		html_printf(h, "<td class=\"r\" data-v=\"%" PRId64 "\">", value);
	else
		html_puts(h, "<td class=\"r\">");
	html_text(h, change_of(&h->arena, change, pct));
	if (direction[0])
		html_printf(h, " <span class=\"%s\">%s</span>", direction, direction);
	html_puts(h, "</td>");
}

/* Whether some check knows its noise, and what could have been seen. */
struct known {
	bool noise, detectable;
};

static struct known known_of(const struct report *r)
{
	struct known k = { false, false };
	for (size_t i = 0; i < r->checks.nr; i++) {
		k.noise = k.noise || r->checks.v[i].evidence.has_noise;
		k.detectable = k.detectable || r->checks.v[i].evidence.has_detectable;
	}
	return k;
}

static void check_row(struct html *h, const struct check *c, struct known known)
{
	const char *verdict = verdict_name(c->verdict);
	const struct evidence *e = &c->evidence;
	if (!html_row(h, ""))
		return;
	html_printf(h, "<td data-v=\"%d\"><span class=\"badge %s\">%s</span></td>", (int)c->verdict,
	            verdict, verdict);
	html_name_cell(h, c->id);
	html_figure_cell(h, c->baseline_text, c->has_baseline, c->baseline);
	html_figure_cell(h, c->candidate_text, c->has_candidate, c->candidate);
	change_cell(h, c->change_text, c->pct_text, c->has_pct || c->has_change,
	            c->has_pct ? c->change_pct : c->change, html_direction(c));
	html_cell(h, c->limit);
	if (known.noise)
		html_figure_cell(h, text_or_empty(e->noise_text), e->has_noise, e->noise);
	if (known.detectable)
		html_figure_cell(h, text_or_empty(e->detectable_text), e->has_detectable, e->detectable);
	html_puts(h, "</tr>\n");
}

static void checks_table(struct html *h, const char *caption, bool matter)
{
	struct html_column columns[8] = {
		{ "verdict", ALIGN_LEFT },    { "check", ALIGN_LEFT },   { "baseline", ALIGN_RIGHT },
		{ "candidate", ALIGN_RIGHT }, { "change", ALIGN_RIGHT }, { "limit", ALIGN_LEFT },
	};
	struct known known = known_of(h->r);
	size_t nr = 6;
	if (known.noise)
		columns[nr++] = (struct html_column){ "noise", ALIGN_RIGHT };
	if (known.detectable)
		columns[nr++] = (struct html_column){ "detectable", ALIGN_RIGHT };
	html_table(h, caption, columns, nr);
	for (size_t i = 0; i < h->r->checks.nr; i++)
		if (check_matters(&h->r->checks.v[i]) == matter)
			check_row(h, &h->r->checks.v[i], known);
	html_table_end(h, 0);
}

/* A sentence of each check that matters, with what stands behind it. */
static void sentences(struct html *h)
{
	size_t nr = 0;
	html_puts(h, "<ul class=\"remarks\">\n");
	for (size_t i = 0; i < h->r->checks.nr && nr < HTML_ROWS; i++) {
		const struct check *c = &h->r->checks.v[i];
		const char *runs = runs_of(&h->arena, c), *text = text_or_empty(c->evidence.text);
		if (!check_matters(c) && c->verdict != VERDICT_WAIVED)
			continue;
		nr++;
		html_printf(h, "<li><b class=\"kind\">%s</b> ", verdict_name(c->verdict));
		html_text(h, c->message);
		if (text[0] || runs[0]) {
			html_puts(h, "<br><small>");
			html_text(h, text);
			html_puts(h, text[0] && runs[0] ? "; " : "");
			html_text(h, runs);
			html_puts(h, "</small>");
		}
		html_puts(h, "</li>\n");
	}
	html_puts(h, "</ul>\n");
}

static size_t nr_matter(const struct report *r)
{
	size_t nr = 0;
	for (size_t i = 0; i < r->checks.nr; i++)
		nr += check_matters(&r->checks.v[i]);
	return nr;
}

void html_checks(struct html *h)
{
	size_t nr = h->r->checks.nr, matter = nr_matter(h->r);
	if (!nr || h->r->kind == REPORT_DIFF)
		return;
	html_section(h, "checks", "Checks");
	if (matter) {
		checks_table(h, "checks beyond their limits or undecided", true);
		sentences(h);
	}
	if (nr > matter) {
		html_details(h, arena_printf(&h->arena, "%zu other checks", nr - matter));
		checks_table(h, "other checks", false);
		html_details_end(h);
	}
	html_section_end(h);
}

/* ---- figures of a diff ---- */

void html_figures(struct html *h)
{
	static const struct html_column columns[] = {
		{ "figure", ALIGN_LEFT },     { "of", ALIGN_LEFT },      { "baseline", ALIGN_RIGHT },
		{ "candidate", ALIGN_RIGHT }, { "change", ALIGN_RIGHT },
	};
	if (h->r->kind != REPORT_DIFF || !h->r->figures.nr)
		return;
	html_section(h, "figures", "Figures");
	html_table(h, "figures of both sides", COLUMNS(columns));
	for (size_t i = 0; i < h->r->figures.nr; i++) {
		const struct figure_row *f = &h->r->figures.v[i];
		bool both = f->has_baseline && f->has_candidate;
		if (!html_row(h, ""))
			continue;
		html_cell(h, f->metric->name);
		html_name_cell(h, f->item);
		html_figure_cell(h, f->baseline_text, f->has_baseline, f->baseline);
		html_figure_cell(h, f->candidate_text, f->has_candidate, f->candidate);
		const char *word = "";
		if (both && f->change != 0 && f->metric->worse != WORSE_EITHER)
			word = (f->change > 0) == (f->metric->worse == WORSE_UP) ? "worse" : "better";
		change_cell(h, f->change_text, f->pct_text, f->has_pct || both,
		            f->has_pct ? f->change_pct : f->change, word);
		html_puts(h, "</tr>\n");
	}
	html_table_end(h, 0);
	html_section_end(h);
}

/* ---- where the change went ---- */

/* Rows stand in their tree, so that this table is not to be sorted. */
static void part_rows(struct html *h, const struct breakdown *b)
{
	static const struct html_column columns[] = {
		{ "part", ALIGN_LEFT },
		{ "change", ALIGN_RIGHT },
		{ LESS_MORE, ALIGN_BAR },
		{ "how", ALIGN_LEFT },
	};
	int64_t max = 0;
	for (size_t i = 0; i < b->parts.nr; i++)
		absolute_max(&max, b->parts.v[i].change);
	html_puts(h, "<div class=\"tree\">");
	html_table(h, b->title, COLUMNS(columns));
	for (size_t i = 0; i < b->parts.nr; i++) {
		const struct part *p = &b->parts.v[i];
		if (!html_row(h, ""))
			continue;
		html_printf(h, "<td class=\"n l%d\">", p->level < 3 ? p->level : 3);
		html_name(h, p->label);
		html_puts(h, "</td>");
		html_figure_cell(h, p->text, true, p->change);
		html_bar_cell(h);
		svg_bar_signed(&h->body, p->change, max);
		html_puts(h, "</td>");
		html_cell(h, p->detail);
		html_puts(h, "</tr>\n");
	}
	html_table_end(h, 0);
	html_puts(h, "</div>\n");
}

void html_change(struct html *h)
{
	struct breakdown_list l;
	breakdowns_of(h->r, &l);
	if (l.list.nr) {
		html_section(h, "change", "Where the change went");
		html_puts(h, "<p class=\"note\">The outermost rows add up to the change, and the rows "
		             "below a row to it.</p>\n");
		for (size_t i = 0; i < l.list.nr; i++)
			part_rows(h, l.list.v[i]);
		html_section_end(h);
	}
	vec_release(&l.list);
}

/* ---- kernels ---- */

#define KERNELS_OPEN 20

static bool is_same(const struct drift_row *k)
{
	return k->drift == DRIFT_SAME || k->change_ns == 0;
}

static void kernel_row(struct html *h, const struct drift_row *k, int64_t max)
{
	if (!html_row(h, ""))
		return;
	html_printf(h, "<td><span class=\"%s\">%s</span></td>",
	            is_same(k)         ? ""
	            : k->change_ns > 0 ? "worse"
	                               : "better",
	            drift_names[k->drift]);
	html_puts(h, "<td class=\"n\">");
	html_name(h, k->kernel);
	if (k->renamed_to) {
		html_puts(h, " → ");
		html_name(h, k->renamed_to);
	}
	if (k->shape_text[0]) {
		html_puts(h, " <small>");
		html_text(h, k->shape_text);
		html_puts(h, "</small>");
	}
	html_puts(h, "</td>");
	html_cell(h, k->category);
	html_figure_cell(h, k->baseline_text, k->has_baseline, k->baseline_ns);
	html_figure_cell(h, k->candidate_text, k->has_candidate, k->candidate_ns);
	html_figure_cell(h, k->change_text, true, k->change_ns);
	html_bar_cell(h);
	svg_bar_signed(&h->body, k->change_ns, max);
	html_puts(h, "</td>");
	html_figure_cell(h, k->count_text, true,
	                 k->has_candidate ? k->candidate_count : k->baseline_count);
	html_puts(h, "</tr>\n");
}

static void kernel_rows(struct html *h, const char *caption, size_t from, size_t to, int64_t max)
{
	static const struct html_column columns[] = {
		{ "drift", ALIGN_LEFT },     { "kernel", ALIGN_LEFT },     { "category", ALIGN_LEFT },
		{ "baseline", ALIGN_RIGHT }, { "candidate", ALIGN_RIGHT }, { "change", ALIGN_RIGHT },
		{ LESS_MORE, ALIGN_BAR },    { "launches", ALIGN_RIGHT },
	};
	html_table(h, caption, COLUMNS(columns));
	for (size_t i = from; i < to; i++)
		kernel_row(h, &h->r->drift.v[i], max);
	html_table_end(h, 0);
}

/* What stayed the same is folded away, and what changed but little beside much. */
static size_t nr_open(const struct report *r)
{
	size_t open = 0;
	for (size_t i = 0; i < r->drift.nr && i < KERNELS_OPEN; i++)
		open = is_same(&r->drift.v[i]) ? open : i + 1;
	return open;
}

void html_kernels(struct html *h)
{
	size_t nr = h->r->drift.nr, open = nr_open(h->r);
	int64_t max = 0;
	if (!nr)
		return;
	for (size_t i = 0; i < nr; i++)
		absolute_max(&max, h->r->drift.v[i].change_ns);
	html_section(h, "kernels", "Kernels");
	html_puts(h, "<p class=\"note\">Time per step, largest change first.</p>\n");
	if (open)
		kernel_rows(h, "kernels that changed", 0, open, max);
	if (nr > open) {
		html_details(
		    h, arena_printf(&h->arena, "%zu %s kernels", nr - open, open ? "more" : "unchanged"));
		kernel_rows(h, open ? "more kernels" : "unchanged kernels", open, nr, max);
		html_details_end(h);
	}
	html_section_end(h);
}

/* ---- categories ---- */

struct category_pair {
	const char *name;
	const struct report_cell *cells[2]; ///< baseline, candidate; NULL absent
};
struct category_pairs {
	VEC(struct category_pair) list;
};

/* Time first, name last: diagnose/tables.c. */
static void pair_side(struct category_pairs *out, const struct run_report *run, int side)
{
	const struct report_table *t = run ? run_report_table(run, "categories") : NULL;
	for (size_t i = 0; t && i < report_table_rows(t); i++) {
		const struct report_cell *row = &t->cells.v[i * t->columns.nr];
		const char *name = row[t->columns.nr - 1].text;
		size_t k = 0;
		while (k < out->list.nr && strcmp(out->list.v[k].name, name) != 0)
			k++;
		if (k == out->list.nr)
			vec_push(&out->list, (struct category_pair){ .name = name });
		out->list.v[k].cells[side] = row;
	}
}

static void category_rows(struct html *h, const struct category_pairs *pairs)
{
	static const struct html_column columns[] = {
		{ "category", ALIGN_LEFT },
		{ "baseline", ALIGN_RIGHT },
		{ "candidate", ALIGN_RIGHT },
		{ "baseline above, candidate below", ALIGN_BAR },
	};
	int64_t max = 0;
	for (size_t i = 0; i < pairs->list.nr; i++)
		for (int side = 0; side < 2; side++)
			if (pairs->list.v[i].cells[side])
				absolute_max(&max, pairs->list.v[i].cells[side]->value);
	html_table(h, "categories of kernels, time per step", COLUMNS(columns));
	for (size_t i = 0; i < pairs->list.nr; i++) {
		const struct category_pair *p = &pairs->list.v[i];
		int64_t value[2] = { 0, 0 };
		if (!html_row(h, ""))
			continue;
		html_name_cell(h, p->name);
		for (int side = 0; side < 2; side++) {
			value[side] = p->cells[side] ? p->cells[side]->value : 0;
			html_figure_cell(h, p->cells[side] ? p->cells[side]->text : "–", p->cells[side] != NULL,
			                 value[side]);
		}
		html_bar_cell(h);
		svg_bar(&h->body, "base", value[0], "cand", value[1], max);
		html_puts(h, "</td></tr>\n");
	}
	html_table_end(h, 0);
}

/* Of one run alone the list of it says the same. */
void html_categories(struct html *h)
{
	struct category_pairs pairs = { 0 };
	if (!h->r->run || !h->r->baseline_run)
		return;
	pair_side(&pairs, h->r->run, 1);
	pair_side(&pairs, h->r->baseline_run, 0);
	if (pairs.list.nr) {
		html_section(h, "categories", "Categories");
		category_rows(h, &pairs);
		html_section_end(h);
	}
	vec_release(&pairs.list);
}

/* ---- environment ---- */

void html_environment(struct html *h)
{
	static const struct html_column columns[] = {
		{ "", ALIGN_LEFT },
		{ "key", ALIGN_LEFT },
		{ "baseline", ALIGN_LEFT },
		{ "candidate", ALIGN_LEFT },
	};
	if (!h->r->environment.nr)
		return;
	html_section(h, "environment", "Environment");
	html_table(h, "environment of both sides", COLUMNS(columns));
	for (size_t i = 0; i < h->r->environment.nr; i++) {
		const struct env_row *e = &h->r->environment.v[i];
		if (!html_row(h, e->match ? "" : "differs"))
			continue;
		html_cell(h, e->match ? "same" : "differs");
		html_name_cell(h, e->key);
		html_cell(h, e->baseline ? e->baseline : "–");
		html_cell(h, e->candidate ? e->candidate : "–");
		html_puts(h, "</tr>\n");
	}
	html_table_end(h, 0);
	html_section_end(h);
}
