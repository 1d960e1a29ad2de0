/* Draws bars of parts that add up: the wall time of each run's steps, and the change behind a
   finding. */
#include "base/number.h"
#include "base/text.h"
#include "html/html.h"
#include "html/svg.h"
#include "metric/unit.h"

/* BAR_LESS: color of a negative part. */
enum { BAR_LESS = 12, NAME_CHARS = 60 };

struct bar_part {
	int color;
	int64_t size;
	const char *text, *name; ///< texts of a part; the name may come from the input
};

struct bar {
	const char *title;
	int64_t whole;
	VEC(struct bar_part) parts;
};

static void put_bar(struct html *h, const struct bar *bar, const char *class)
{
	int id = ++h->nr_pictures;
	int64_t at = 0;
	html_printf(h,
	            "<svg class=\"%s\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
	            "role=\"img\" aria-labelledby=\"t%d d%d\"><title id=\"t%d\">%s</title>"
	            "<desc id=\"d%d\">",
	            class, SVG_WIDTH, SVG_HEIGHT, id, id, id, bar->title, id);
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
	html_puts(h, "</svg>\n<span class=\"legend\">");
	for (size_t i = 0; i < bar->parts.nr; i++) {
		html_printf(h,
		            "<span><svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
		            "class=\"c%d\" width=\"10\" height=\"10\"/></svg> %s ",
		            bar->parts.v[i].color, bar->parts.v[i].text);
		html_text(h, text_short(&h->arena, span_of(bar->parts.v[i].name), NAME_CHARS));
		html_puts(h, "</span>");
	}
	html_puts(h, "</span>");
}

/* ---- bars of the wall time ---- */

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
	int64_t whole = sum_of(run);
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
	put_bar(h, &bar, "stack");
	html_puts(h, "</figure>\n");
	vec_release(&bar.parts);
}

/* ---- bars of findings ---- */

enum { PARTS_SHOWN = 5 };

static const struct breakdown *breakdown_of_finding(const struct report *r, const struct finding *f)
{
	for (size_t i = 0; i < f->checks.nr; i++)
		if (r->checks.v[f->checks.v[i]].breakdown)
			return r->checks.v[f->checks.v[i]].breakdown;
	return NULL;
}

static int64_t size_of(const struct part *p)
{
	return p->change < 0 ? number_sub(0, p->change) : p->change;
}

/* The outermost level with at least two considerable parts; -1 if there is none. */
static int level_of(const struct breakdown *b)
{
	int64_t all = b->change < 0 ? number_sub(0, b->change) : b->change;
	for (int level = 0;; level++) {
		size_t nr = 0, deeper = 0;
		for (size_t i = 0; i < b->parts.nr; i++) {
			const struct part *p = &b->parts.v[i];
			nr += p->level == level && (__int128)size_of(p) * 50 > all;
			deeper += p->level > level;
		}
		if (nr > 1)
			return level;
		if (!deeper)
			return -1;
	}
}

static void add_part(struct html *h, const struct part *p, struct bar *bar)
{
	int64_t size = size_of(p);
	/* Colors of parts: all but green, which means an improvement. */
	static const int colors[PARTS_SHOWN + 1] = { 0, 1, 3, 4, 5, 6 };
	int color = p->change < 0 ? BAR_LESS : colors[bar->parts.nr];
	bar->whole = number_add(bar->whole, size);
	vec_push(&bar->parts, (struct bar_part){ color, size, p->text, html_display(h, p->label) });
}

static int by_size(const void *a, const void *b)
{
	const struct part *const *x = a, *const *y = b;
	int64_t m = size_of(*x), n = size_of(*y);
	return m != n ? (m > n ? -1 : 1) : (*x > *y) - (*x < *y);
}

void html_finding(struct html *h, size_t i)
{
	const struct finding *f = &h->r->findings.v[i];
	const struct breakdown *b = breakdown_of_finding(h->r, f);
	int level = b ? level_of(b) : -1;
	struct bar bar = { .title = "where the change went" };
	VEC(const struct part *) list = VEC_INIT;
	for (size_t k = 0; level >= 0 && k < b->parts.nr; k++)
		if (b->parts.v[k].level == level && b->parts.v[k].change)
			vec_push(&list, &b->parts.v[k]);
	vec_sort(&list, by_size);
	for (size_t k = 0; k < list.nr && k < PARTS_SHOWN; k++)
		add_part(h, list.v[k], &bar);
	if (list.nr > PARTS_SHOWN) {
		__int128 rest = 0;
		for (size_t k = PARTS_SHOWN; k < list.nr; k++)
			rest += list.v[k]->change;
		struct part others = {
			.label = arena_printf(&h->arena, "%zu more", list.nr - PARTS_SHOWN),
			.change = (int64_t)rest,
			.text = unit_change(&h->arena, b->unit, (int64_t)rest),
		};
		add_part(h, &others, &bar);
	}
	if (bar.parts.nr)
		put_bar(h, &bar, "stack thin");
	vec_release(&bar.parts);
	vec_release(&list);
}

void html_parts(struct html *h)
{
	if (h->r->run)
		step_bar(h, h->r->run);
	if (h->r->baseline_run)
		step_bar(h, h->r->baseline_run);
}
