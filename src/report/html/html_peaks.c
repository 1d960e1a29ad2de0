/* Draws the contents of each memory at its peak: a stacked bar, and lists of categories and
   sites. */
#include "base/number.h"
#include "html/html.h"
#include "html/svg.h"
#include "report/document.h"

enum { COLORS = 12 };

/* True if the row belongs to `memory`. The last column has the name of the memory, such as "0 of
   rank 3" for the first memory of rank 3. */
static bool is_of(const struct report_table *t, size_t row, const char *memory)
{
	return strcmp(t->cells.v[(row + 1) * t->columns.nr - 1].text, memory) == 0;
}

static const char *category_of_row(const struct report_table *t, size_t row)
{
	size_t column = 0;
	while (column < t->columns.nr && strcmp(t->columns.v[column].name, "category") != 0)
		column++;
	return column < t->columns.nr ? t->cells.v[row * t->columns.nr + column].text : "";
}

/* Number of the color of a category: its position in the list of all categories of the candidate,
   then the baseline, without duplicates, modulo COLORS. So a category has the same color on both
   sides. */
static int color_of(const struct report *r, const char *category)
{
	const struct run_report *runs[] = { r->run, r->baseline_run };
	VEC(const char *) seen = VEC_INIT;
	size_t color = SIZE_MAX;
	for (int side = 0; side < 2; side++) {
		const struct report_table *t = run_report_table(runs[side], "memory_categories");
		for (size_t i = 0; t && i < report_table_rows(t) && color == SIZE_MAX; i++) {
			const char *name = category_of_row(t, i);
			if (!ANY(k, seen.nr, strcmp(seen.v[k], name) == 0))
				vec_push(&seen, name);
			if (strcmp(name, category) == 0)
				color = seen.nr - 1;
		}
	}
	vec_release(&seen);
	return (int)(color % COLORS);
}

static void peak_bar(struct html *h, const struct report_table *t, const char *side,
                     const char *memory)
{
	struct bar bar = { .title =
		                   arena_printf(&h->arena, "%s: memory %s at its peak", side, memory) };
	for (size_t i = 0; i < report_table_rows(t); i++) {
		const struct report_cell *row = &t->cells.v[i * t->columns.nr];
		const char *category = category_of_row(t, i);
		if (!is_of(t, i, memory))
			continue;
		bar.whole = number_add(bar.whole, row[0].value);
		vec_push(&bar.parts, (struct bar_part){ color_of(h->r, category), row[0].value, row[0].text,
		                                        category });
	}
	html_bar(h, &bar, "stack", false);
	vec_release(&bar.parts);
}

enum { ROWS_SHOWN = 4 };

/* Write those rows of the table `t` that belong to one memory. If `keys`, the first cell of each
 * row names a category, and gets the category's color. */
static void list(struct html *h, const struct report_table *t, const char *side, const char *memory,
                 bool keys)
{
	struct document d;
	doc_init(&d);
	struct doc_table *table =
	    doc_list(&d, t, arena_printf(&h->arena, "%s: %s", side, t->title), memory, true);
	table->brief = keys ? ROWS_SHOWN : 0;
	table->more_text = "categories";
	for (const struct doc_row *row = table->rows; row && keys; row = row->next)
		row->cells[0].key =
		    color_of(h->r, row->cells[0].first ? row->cells[0].first->text : "") + 1;
	html_tables(h, &d);
}

static void peak(struct html *h, const struct run_report *run, const char *memory)
{
	const char *side = html_side(h, run->candidate);
	const struct report_table *t = run_report_table(run, "memory_categories");
	const struct report_table *sites = run_report_table(run, "memory_sites");
	html_puts(h, "<figure class=\"chart peak\" data-of=\"memory ");
	html_text(h, memory);
	html_printf(h, "\"><figcaption>%s: memory ", side);
	html_text(h, memory);
	html_puts(h, " at its peak</figcaption>\n");
	peak_bar(h, t, side, memory);
	list(h, t, side, memory, true);
	if (sites) {
		html_details(h, sites->title);
		list(h, sites, side, memory, false);
		html_puts(h, "</details>\n");
	}
	html_puts(h, "</figure>\n");
}

/* Draw the peak of each memory that the table names, in the table's order; HTML_CHARTS at most. */
void html_peaks(struct html *h, const struct run_report *run)
{
	const struct report_table *t = run_report_table(run, "memory_categories");
	size_t nr = 0;
	for (size_t i = 0; t && i < report_table_rows(t); i++) {
		const char *memory = t->cells.v[(i + 1) * t->columns.nr - 1].text;
		if ((i == 0 || !is_of(t, i - 1, memory)) && nr++ < HTML_CHARTS)
			peak(h, run, memory);
	}
	html_more_charts(h, nr);
}
