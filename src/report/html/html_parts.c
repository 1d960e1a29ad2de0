/* Draws bars of parts that add up: what the wall time of each run's steps was spent on, and what a
   finding's change is made of. */
#include "base/number.h"
#include "base/text.h"
#include "html/html.h"
#include "html/svg.h"
#include "metric/unit.h"

enum { NAME_CHARS = 120 };

void html_bar(struct html *h, const struct bar *bar, const char *class, bool legend)
{
	int64_t at = 0;
	html_picture(h, arena_printf(&h->arena, "class=\"%s\" " SVG_BOX, class), bar->title);
	for (size_t i = 0; i < bar->parts.nr; i++) {
		html_printf(h, "%s ", bar->parts.v[i].text);
		html_text(h, bar->parts.v[i].name);
		html_puts(h, ". ");
	}
	html_puts(h, "</desc>");
	for (size_t i = 0; i < bar->parts.nr; i++) {
		int64_t to = number_add(at, bar->parts.v[i].size);
		svg_segment(&h->body, bar->parts.v[i].color, at, to, bar->whole);
		at = to;
	}
	html_puts(h, "</svg>\n");
	if (!legend)
		return;
	html_puts(h, "<span class=\"legend\">");
	for (size_t i = 0; i < bar->parts.nr; i++) {
		html_swatch(h, arena_printf(&h->arena, "c%d", bar->parts.v[i].color));
		html_printf(h, "%s ", bar->parts.v[i].text);
		html_text(h, text_short(&h->arena, span_of(bar->parts.v[i].name), NAME_CHARS));
		html_puts(h, "</span>");
	}
	html_puts(h, "</span>");
}

/* ---- bars of the wall time ---- */

static void step_bar(struct html *h, const struct run_report *run)
{
	const int64_t *part = run->classification.part;
	int64_t whole = 0;
	for (int p = 0; p < NR_STEP_PARTS; p++)
		whole += part[p];
	if (!whole)
		return;
	struct bar bar = { .title = "what it goes to", .whole = whole };
	for (int p = 0; p < NR_STEP_PARTS; p++)
		if (part[p])
			vec_push(&bar.parts,
			         (struct bar_part){ p, part[p], unit_text(&h->arena, UNIT_PCT, part[p]),
			                            step_part_names[p] });
	html_printf(h, "<figure class=\"chart\"><figcaption>%s: %s</figcaption>\n",
	            html_side(h, run->candidate),
	            run->window ? "from the first GPU activity to the last" : "wall time of the steps");
	html_bar(h, &bar, "stack", true);
	html_puts(h, "</figure>\n");
	vec_release(&bar.parts);
}

/* ---- bars of findings ---- */

void html_finding(struct html *h, size_t i)
{
	static const int colors[] = { 0, 1, 3, 4, 5, 6 }; /* color 2, which is green, is left out */
	const struct finding *f = &h->r->findings.v[i];
	struct bar bar = { .title = "what it is made of", .whole = number_distance(f->cost, 0) };
	for (size_t k = 0; k < f->parts.nr; k++) {
		const struct finding_part *p = &f->parts.v[k];
		vec_push(&bar.parts, (struct bar_part){ colors[k], number_distance(p->change, 0), p->text,
		                                        html_display(h, p->name) });
	}
	if (bar.parts.nr)
		html_bar(h, &bar, "stack thin", true);
	vec_release(&bar.parts);
}

void html_parts(struct html *h)
{
	if (h->r->run)
		step_bar(h, h->r->run);
	if (h->r->baseline_run)
		step_bar(h, h->r->baseline_run);
}
