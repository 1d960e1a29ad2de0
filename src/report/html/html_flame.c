/* Draws GPU time by place in the code as a flame graph: outer nodes above, inner ones below.
   Widths show the candidate's times, colors show changes. */
#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"
#include "html/html.h"
#include "metric/unit.h"

enum {
	ROW = 20,
	WIDE = 100000, /* width of the picture: widths are in thousandths of a percent of it */
	LEAST = 100, /* least width of a box */
	LABEL = 2500, /* least width of a box with a name in it */
	NAME_CHARS = 90,
	TITLE_CHARS = 160,
};

static const char *const kinds[NR_FLAME_KINDS] = { [FLAME_ALL] = "",
	                                               [FLAME_MODULE] = "module ",
	                                               [FLAME_PLACE] = "place ",
	                                               [FLAME_OPERATOR] = "operator ",
	                                               [FLAME_KERNEL] = "kernel " };

struct box {
	const struct flame_node *node;
	int64_t x, width;
};

struct boxes {
	VEC(struct box) list;
	int depth;
};

/* Place the boxes: children of one parent side by side, below the parent. A node that the candidate
   lacks has no width: only the table shows it. */
static void lay_out(const struct flame *f, struct boxes *out)
{
	int64_t all = f->nodes.v[0].value[1], *next = NULL; /* start of the next box at each depth */
	VEC(int64_t) at = VEC_INIT;
	for (size_t i = 0; i < f->nodes.nr; i++) {
		const struct flame_node *n = &f->nodes.v[i];
		while (at.nr < (size_t)n->depth + 2)
			vec_push(&at, 0);
		next = at.v;
		int64_t width = number_div_round((__int128)n->value[1] * WIDE, all);
		if (next[n->depth] + width > WIDE)
			width = WIDE - next[n->depth];
		next[n->depth + 1] = next[n->depth];
		if (width >= LEAST) {
			vec_push(&out->list, (struct box){ n, next[n->depth], width });
			out->depth = n->depth >= out->depth ? n->depth + 1 : out->depth;
		}
		next[n->depth] += width;
	}
	vec_release(&at);
}

/* Name of the color's class in the style sheet: "u2" for a node that grew by 5 % to 20 %, "l1" for
   one that shrank a little; if there is only one run, "k0" to "k4" by the kind of node. */
static const char *class_of(const struct flame *f, const struct flame_node *n)
{
	static const char *const names[2][3] = { { "u1", "u2", "u3" }, { "l1", "l2", "l3" } };
	static const char *const of_kind[NR_FLAME_KINDS] = { "k0", "k1", "k2", "k3", "k4" };
	int64_t change = number_sub(n->value[1], n->value[0]), size = change < 0 ? -change : change;
	if (!f->both)
		return of_kind[n->kind];
	/* a change below a thousandth of the total time, or below 1 % of the node's time in the
	   baseline, gets no color */
	if ((__int128)size * 1000 < f->nodes.v[0].value[1] || (__int128)size * 100 < n->value[0])
		return "k0";
	int grade = (__int128)size * 5 >= n->value[0] ? 2 : (__int128)size * 20 >= n->value[0];
	return names[change < 0][grade];
}

/* Write text such as "operator aten::mm: 1.20 ms → 1.30 ms (+8.33 %)". */
static void put_words(struct html *h, const struct flame *f, const struct flame_node *n)
{
	const int64_t *v = n->value;
	html_puts(h, kinds[n->kind]);
	html_text(h, text_short(&h->arena, span_of(n->name), TITLE_CHARS));
	html_puts(h, ": ");
	if (f->both)
		html_printf(h, "%s → ", v[0] ? unit_text(&h->arena, UNIT_NS, v[0]) : "new, ");
	html_printf(h, "%s", unit_text(&h->arena, UNIT_NS, v[1]));
	if (f->both && v[0])
		html_printf(h, " (%s)", unit_relative(&h->arena, number_pct((__int128)v[1] - v[0], v[0])));
	else if (!f->both)
		html_printf(h, " (%s)",
		            unit_text(&h->arena, UNIT_PCT, number_pct(v[1], f->nodes.v[0].value[1])));
}

/* Write an attribute such as x="12.34%". */
static void put_percent(struct html *h, const char *name, int64_t v)
{
	html_printf(h, " %s=\"%" PRId64 ".%02" PRId64 "%%\"", name, v / 1000, v % 1000 / 10);
}

static void put_box(struct html *h, const struct flame *f, const struct box *b)
{
	html_puts(h, "<svg");
	put_percent(h, "x", b->x);
	put_percent(h, "width", b->width);
	html_printf(h, " y=\"%d\" height=\"%d\" class=\"%s\"><title>", b->node->depth * ROW, ROW,
	            class_of(f, b->node));
	put_words(h, f, b->node);
	html_printf(h, "</title><rect width=\"100%%\" height=\"%d\"/>", ROW - 1);
	if (b->width >= LABEL) {
		html_puts(h, "<text x=\"4\" y=\"14\">");
		if (b->node->kind == FLAME_ALL)
			put_words(h, f, b->node);
		else
			html_text(h,
			          text_short(&h->arena, span_of(html_display(h, b->node->name)), NAME_CHARS));
		html_puts(h, "</text>");
	}
	html_puts(h, "</svg>\n");
}

static void put_legend(struct html *h, const struct flame *f)
{
	static const struct {
		const char *class, *text;
	} both[] = { { "l3", "−20 % and beyond" }, { "l2", "−5 %" }, { "l1", "−1 %" },
		         { "k0", "as before" },        { "u1", "+1 %" }, { "u2", "+5 %" },
		         { "u3", "+20 % and new" } },
	  one[] = { { "k1", "module" }, { "k2", "place" }, { "k3", "operator" }, { "k4", "kernel" } };
	size_t nr = f->both ? NR_OF(both) : NR_OF(one);
	html_puts(h, "<p class=\"legend\">");
	for (size_t i = 0; i < nr; i++) {
		html_swatch(h, (f->both ? both : one)[i].class);
		html_printf(h, "%s</span>", (f->both ? both : one)[i].text);
	}
	html_puts(h, "</p>\n");
}

void html_flame(struct html *h)
{
	const struct flame *f = &h->r->flame;
	struct boxes boxes = { 0 };
	if (!f->nodes.nr || f->nodes.v[0].value[1] <= 0)
		return;
	lay_out(f, &boxes);
	html_puts(h, "<figure class=\"chart\"><figcaption>");
	html_puts(h, f->both ? "As wide as the candidate's GPU time per step, colored by the change"
	                     : "As wide as the GPU time per step");
	html_puts(h, "</figcaption>\n");
	if (h->r->kind != REPORT_RUN && h->r->baseline.ranks && !f->both)
		html_puts(h,
		          "<p class=\"note\">The baseline does not know where its work comes from.</p>\n");
	put_legend(h, f);
	html_picture(
	    h,
	    arena_printf(&h->arena, "class=\"flame\" width=\"100%%\" height=\"%d\"", boxes.depth * ROW),
	    "GPU time by where in the code");
	html_printf(h, "%zu parts, in the table below. ", f->nodes.nr);
	put_words(h, f, &f->nodes.v[0]);
	html_puts(h, "</desc>\n");
	for (size_t i = 0; i < boxes.list.nr; i++)
		put_box(h, f, &boxes.list.v[i]);
	html_puts(h, "</svg>\n</figure>\n");
	vec_release(&boxes.list);
}
