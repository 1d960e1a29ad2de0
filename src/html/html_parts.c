/* The wall time of the steps of each run as a bar of its parts, which add up to it. */
#include "html/html.h"
#include "html/svg.h"
#include "report/table.h"

static int64_t sum_of(const struct run_report *run)
{
	int64_t whole = 0;
	for (int p = 0; p < NR_STEP_PARTS; p++)
		whole += run->classification.part[p];
	return whole;
}

static void step_bar(struct html *h, const struct run_report *run)
{
	const int64_t *part = run->classification.part;
	int64_t whole = sum_of(run), at = 0;
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
	for (int p = 0; p < NR_STEP_PARTS; p++)
		if (part[p])
			html_printf(h, "%s %s. ", unit_text(&h->arena, UNIT_PCT, part[p]), step_part_names[p]);
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

void html_parts(struct html *h)
{
	if (h->r->run)
		step_bar(h, h->r->run);
	if (h->r->baseline_run)
		step_bar(h, h->r->baseline_run);
}
