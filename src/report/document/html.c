/* A document as the body of an HTML page. */
#include <ctype.h>
#include <inttypes.h>

#include "base/intern.h"
#include "base/number.h"
#include "base/text.h"
#include "base/vec.h"
#include "document/render.h"

/* Lengths of names. A name longer than NAME_CHARS is shortened. Where it occurs first on the
 * page, readers can expand it to NAME_CHARS_MAX characters; where it occurs again, to
 * NAME_CHARS_AGAIN. */
enum {
	NAME_CHARS = 90,
	NAME_CHARS_MAX = 4000,
	NAME_CHARS_AGAIN = 200,
	ROWS_MAX = 500,
	DEPTH_MAX = 9,
	FEW = 2
};

struct page {
	const struct doc_page_hooks *hooks;
	struct strbuf *out, *body, *nav;
	struct name_table *told; ///< names that the page has given in full already
	const struct doc_node *answer; ///< node after which the table of contents is written, or NULL
	size_t nav_at; ///< place of the table of contents in `body`
	bool alone; ///< true if the current cell is a single piece of text, so that a name in it can be
	            ///< expanded
	bool headed; ///< true once the first paragraph, which is the page's heading, has been written
};

void doc_html_escape(struct strbuf *out, struct span text)
{
	static const char *const entities[128] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;"
	};
	text_add_escaped(out, text, entities);
}

/* ---- text and names ---- */

static void put_short(struct page *p, const char *name, size_t max_chars)
{
	struct strbuf b = STRBUF_INIT;
	text_add_short(&b, span_of(name), max_chars);
	doc_html_escape(p->out, strbuf_span(&b));
	strbuf_release(&b);
}

/* Write a name that may be broken after its slashes. */
static void put_path(struct page *p, const char *name)
{
	struct strbuf b = STRBUF_INIT;
	text_add_short(&b, span_of(name), NAME_CHARS);
	for (size_t at = 0, end; at < b.n; at = end) {
		const char *slash = memchr(b.p + at, '/', b.n - at);
		end = slash ? (size_t)(slash - b.p) + 1 : b.n;
		doc_html_escape(p->out, (struct span){ b.p + at, end - at });
		strbuf_adds(p->out, end < b.n ? "<wbr>" : "");
	}
	strbuf_release(&b);
}

/* Write a name. A shortened name can be expanded if its cell has nothing else. Elsewhere, a tooltip
 * shows more of it. */
static void put_name(struct page *p, const struct doc_run *r)
{
	const char *whole = r->whole ? r->whole : r->text;
	/* false if nothing was cut from the name, so that there is nothing to expand */
	bool collapse = text_chars(span_of(r->text)) > NAME_CHARS || strlen(whole) != strlen(r->text);
	if (!p->alone) {
		strbuf_adds(p->out, "<code title=\"");
		put_short(p, whole, NAME_CHARS_AGAIN);
		strbuf_adds(p->out, "\">");
		put_path(p, r->text);
		strbuf_adds(p->out, "</code>");
		return;
	}
	strbuf_adds(p->out, collapse ? "<details class=\"name\"><summary>" : "<code>");
	put_path(p, r->text);
	if (collapse) {
		size_t known = p->told->nr;
		bool brief = text_chars(span_of(whole)) <= NAME_CHARS_AGAIN;
		if (!brief)
			name_intern(p->told, span_of(whole));
		strbuf_adds(p->out, "</summary><code>");
		put_short(p, whole, brief || p->told->nr > known ? NAME_CHARS_MAX : NAME_CHARS_AGAIN);
		strbuf_adds(p->out, "</code></details>");
	} else {
		strbuf_adds(p->out, "</code>");
	}
}

/* Write text, with the blank between a figure and its unit as a no-break space. If `figure`, each
   blank after a digit is a no-break space. */
static void put_text(struct page *p, const char *text, bool figure)
{
	for (size_t at = 0, end; text[at]; at = end) {
		end = at + strcspn(text + at, " ");
		doc_html_escape(p->out, (struct span){ text + at, end - at });
		bool digit = text[end] && end && isdigit((unsigned char)text[end - 1]);
		if (text[end])
			strbuf_adds(p->out, digit && (figure || !text_may_break(text, end)) ? "\xC2\xA0" : " ");
		end += text[end] == ' ';
	}
}

static void put_run(struct page *p, const struct doc_run *r)
{
	static const char *const classes[NR_TONES] = {
		[TONE_STRONG] = "strong",           [TONE_BAD] = "badge fail",  [TONE_WARN] = "badge warn",
		[TONE_OPEN] = "badge inconclusive", [TONE_GOOD] = "badge pass", [TONE_WORSE] = "worse",
		[TONE_CAUTION] = "caution",         [TONE_BETTER] = "better",
	};
	if (r->kind == DOC_NAME) {
		put_name(p, r);
		return;
	}
	if (r->tone)
		strbuf_addf(p->out, "<span class=\"%s\">", classes[r->tone]);
	strbuf_adds(p->out, r->kind == DOC_COMMAND ? "<pre><code>" : "");
	if (r->kind == DOC_FIGURE || r->kind == DOC_SAID)
		put_text(p, r->text, r->kind == DOC_FIGURE);
	else
		doc_html_escape(p->out, span_of(r->text));
	strbuf_adds(p->out, r->kind == DOC_COMMAND ? "</code></pre>" : "");
	strbuf_adds(p->out, r->tone ? "</span>" : "");
}

static void put_line(struct page *p, const struct doc_line *l)
{
	for (const struct doc_run *r = l->first; r; r = r->next) {
		if (l->first->kind == DOC_VERDICT && r == l->first->next && strcmp(r->text, " · ") == 0) {
			strbuf_addch(p->out, ' '); /* a badge needs no separator behind it */
			continue;
		}
		if (r->link)
			strbuf_addf(p->out, "<a href=\"%s\">", r->link);
		put_run(p, r);
		strbuf_adds(p->out, r->link ? "</a>" : "");
	}
	if (l->picture.kind)
		p->hooks->picture(p->hooks->ctx, l->picture, p->out);
}

/* Write a line that has tiles: first the text before the piece `tile` as a paragraph, then the
 * tiles, which begin at this piece. */
static void put_tiles(struct page *p, const struct doc_line *l, const struct doc_run *tile)
{
	struct picture picture = { 0 };
	strbuf_adds(p->out, tile == l->first ? "" : "<p>");
	for (const struct doc_run *r = l->first; r != tile; r = r->next)
		put_run(p, r);
	strbuf_adds(p->out, tile == l->first ? "" : "</p>\n");
	strbuf_adds(p->out, "<ul class=\"tiles\">");
	for (const struct doc_run *r = tile; r; r = r->next) {
		if (r->tile) {
			strbuf_adds(p->out, r == tile ? "\n<li><p>" : "</p></li>\n<li><p>");
			picture = r->picture;
			continue;
		}
		put_run(p, r);
		if (picture.kind && (!r->next || r->next->tile))
			p->hooks->picture(p->hooks->ctx, picture, p->out);
	}
	strbuf_adds(p->out, "</p></li>\n</ul>\n");
}

/* ---- tables ---- */

/* Write the head of a table, in a box that scrolls (also by keyboard) if the table is wider than
 * the page. If `told`, the title is already above the table, so the caption is only for screen
 * readers. */
static void put_head(struct page *p, const struct doc_table *t, bool told, const int64_t *longest)
{
	static const char *const classes[] = { [DOC_LEFT] = "",
		                                   [DOC_RIGHT] = " class=\"r\"",
		                                   [DOC_BAR] = " class=\"bars\"",
		                                   [DOC_EXTRA] = "" };
	const char *title = t->title[0] ? t->title : "figures";
	bool wide = ANY(i, t->nr_columns, t->columns[i].align == DOC_BAR);
	strbuf_adds(p->out, t->tree ? "<div class=\"tree\">" : "");
	strbuf_adds(p->out, "<div class=\"box\" role=\"region\" tabindex=\"0\" aria-label=\"");
	doc_html_escape(p->out, span_of(title));
	strbuf_adds(p->out, wide ? "\"><table class=\"wide\">" : "\"><table>");
	strbuf_adds(p->out, told ? "<caption class=\"told\">" : "<caption>");
	doc_html_escape(p->out, span_of(title));
	strbuf_adds(p->out, "</caption>\n<thead><tr>");
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (longest[i] < 0)
			continue;
		strbuf_addf(p->out, "<th scope=\"col\"%s>", classes[t->columns[i].align]);
		doc_html_escape(p->out, span_of(t->columns[i].title));
		strbuf_adds(p->out, "</th>");
	}
	strbuf_adds(p->out, "</tr></thead>\n<tbody>\n");
}

/* The largest absolute value in a column, which gets the longest bar; -1 if the column is empty. */
static int64_t longest_of(const struct doc_table *t, size_t column)
{
	int64_t max = 0;
	if (doc_column_is_empty(t, column, t->nr_rows))
		return -1;
	for (const struct doc_row *r = t->rows; r; r = r->next) {
		int64_t v = r->cells[column].value, abs = v < 0 ? number_sub(0, v) : v;
		max = abs > max ? abs : max;
	}
	return max;
}

static void put_cell(struct page *p, const struct doc_table *t, const struct doc_row *row,
                     size_t column, int64_t longest)
{
	const struct doc_line *cell = &row->cells[column];
	enum doc_align align = t->columns[column].align;
	bool name = cell->first && cell->first->kind == DOC_NAME;
	strbuf_adds(p->out, "<td");
	if (cell->id)
		strbuf_addf(p->out, " id=\"%s\"", cell->id);
	if (align == DOC_BAR)
		strbuf_adds(p->out, " class=\"bars\"");
	else if (align == DOC_RIGHT)
		strbuf_adds(p->out, " class=\"r\"");
	else if (t->tree && column == 0)
		strbuf_addf(p->out, " class=\"n d%d\"", row->depth < DEPTH_MAX ? row->depth : DEPTH_MAX);
	else if (name)
		strbuf_adds(p->out, " class=\"n\"");
	if (cell->has_value && align != DOC_BAR && !t->tree) /* rows of trees cannot be sorted */
		strbuf_addf(p->out, " data-v=\"%" PRId64 "\"", cell->value);
	strbuf_addch(p->out, '>');
	if (align == DOC_BAR && cell->has_value)
		p->hooks->bar(cell->value, longest, p->out);
	if (cell->key)
		strbuf_addf(p->out,
		            "<svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
		            "class=\"c%d\" width=\"10\" height=\"10\"/></svg> ",
		            cell->key - 1);
	p->alone = cell->first && !cell->first->next;
	put_line(p, cell);
	p->alone = false;
	strbuf_adds(p->out, "</td>");
}

static void put_row(struct page *p, const struct doc_table *t, const struct doc_row *row,
                    const int64_t *longest)
{
	strbuf_adds(p->out, "<tr>");
	for (size_t i = 0; i < t->nr_columns; i++)
		if (longest[i] >= 0)
			put_cell(p, t, row, i, longest[i]);
	strbuf_adds(p->out, "</tr>\n");
}

static const struct doc_row *put_rows(struct page *p, const struct doc_table *t,
                                      const struct doc_row *from, size_t nr, const int64_t *longest)
{
	for (; from && nr; from = from->next, nr--)
		put_row(p, t, from, longest);
	strbuf_adds(p->out, "</tbody>");
	if (!from && t->rest) { /* the row of sums is written into the table's foot, because sorting
		                       does not move the foot */
		strbuf_adds(p->out, "<tfoot>\n");
		put_row(p, t, t->rest, longest);
		strbuf_adds(p->out, "</tfoot>");
	}
	strbuf_adds(p->out, t->tree ? "</table></div></div>\n" : "</table></div>\n");
	return from;
}

/* Write a table. Rows that a terminal and a comment leave out are in a collapsed block, unless they
 * are few. */
static void put_table(struct page *p, const struct doc_table *t, const char *section)
{
	struct arena a = ARENA_INIT;
	int64_t *longest = arena_alloc(&a, t->nr_columns, sizeof *longest);
	/* like `longest`, but -1 also for a column that has values only in collapsed rows */
	int64_t *first = arena_alloc(&a, t->nr_columns, sizeof *first);
	size_t rows = t->nr_rows < ROWS_MAX ? t->nr_rows : ROWS_MAX;
	size_t open = doc_rows_shown(t, true), more = t->nr_rows - rows + (t->rest ? 0 : t->more);
	open = open + FEW >= rows ? rows : open;
	for (size_t i = 0; i < t->nr_columns; i++) {
		longest[i] = longest_of(t, i);
		first[i] = doc_column_is_empty(t, i, open) ? -1 : longest[i];
	}
	put_head(p, t, section && strcmp(t->title, section) == 0, first);
	const struct doc_row *left = put_rows(p, t, t->rows, open, first);
	if (open < rows) {
		strbuf_addf(p->out, "<details class=\"more\"><summary>%zu more%s%s</summary>\n",
		            rows - open, t->more_text[0] ? " " : "", t->more_text);
		put_head(p, t, true, longest);
		put_rows(p, t, left, rows - open, longest);
		strbuf_adds(p->out, "</details>\n");
	}
	if (more)
		strbuf_addf(p->out, "<p class=\"note\">%zu more%s%s in the JSON</p>\n", more,
		            t->more_text[0] ? " " : "", t->more_text);
	arena_release(&a);
}

/* ---- nodes and sections ---- */

static void put_list(struct page *p, const struct doc_line *l)
{
	int depth = 0;
	bool steps = l->step > 0;
	strbuf_adds(p->out, steps ? "<ol class=\"remarks\">\n<li>" : "<ul class=\"remarks\">\n<li>");
	for (bool first = true; l; l = l->next, first = false) {
		for (; depth > l->depth; depth--)
			strbuf_adds(p->out, "</li>\n</ul>");
		if (depth < l->depth)
			strbuf_adds(p->out, "\n<ul>\n<li>");
		else if (!first)
			strbuf_adds(p->out, "</li>\n<li>");
		depth = l->depth > depth ? depth + 1 : depth;
		put_line(p, l);
	}
	for (; depth > 0; depth--)
		strbuf_adds(p->out, "</li>\n</ul>");
	strbuf_adds(p->out, steps ? "</li>\n</ol>\n" : "</li>\n</ul>\n");
}

static void put_nodes(struct page *p, const struct doc_node *parent, int depth);

static void put_section(struct page *p, const struct doc_node *n, int depth)
{
	bool collapsed = n->place >= DOC_ASIDE && n->place != DOC_PAGE;
	if (depth == 0) {
		if (!collapsed && !p->answer)
			strbuf_addf(p->nav, "<li><a href=\"#%s\">%s</a></li>", n->id, n->title);
		strbuf_addf(p->out, "<section id=\"%s\" aria-labelledby=\"%s-title\"%s>\n", n->id, n->id,
		            collapsed ? " class=\"folded\"" : "");
		strbuf_adds(p->out, collapsed ? "<details><summary>" : "");
		strbuf_addf(p->out, "<h2 id=\"%s-title\">%s</h2>%s\n", n->id, n->title,
		            collapsed ? "</summary>" : "");
	} else if (!n->title[0] && n->id[0]) {
		strbuf_addf(p->out, "<div id=\"%s\">\n", n->id);
		put_nodes(p, n, depth + 1);
		strbuf_adds(p->out, "</div>\n");
		return;
	} else if (collapsed) {
		strbuf_addf(p->out,
		            n->id[0] ? "<details class=\"more\" id=\"%s\"><summary>"
		                     : "<details class=\"more\"><summary>",
		            n->id);
		doc_html_escape(p->out, span_of(n->title));
		strbuf_adds(p->out, "</summary>\n");
	} else if (n->title[0]) {
		strbuf_adds(p->out, "<h3>");
		doc_html_escape(p->out, span_of(n->title));
		strbuf_adds(p->out, "</h3>\n");
	}
	put_nodes(p, n, depth + 1);
	strbuf_adds(p->out, collapsed ? "</details>\n" : "");
	strbuf_adds(p->out, depth == 0 ? "</section>\n" : "");
}

static void put_paragraph(struct page *p, const struct doc_line *l)
{
	bool command = l->first && l->first->kind == DOC_COMMAND;
	const struct doc_run *tile = l->first;
	while (tile && !tile->tile)
		tile = tile->next;
	if (tile) {
		put_tiles(p, l, tile);
		return;
	}
	bool heading = p->out != p->body && !p->headed;
	p->headed = true;
	strbuf_adds(p->out, command ? "" : heading ? "<h1>" : "<p>");
	put_line(p, l);
	strbuf_adds(p->out, command ? "\n" : heading ? "</h1>\n" : "</p>\n");
}

static void put_nodes(struct page *p, const struct doc_node *parent, int depth)
{
	const struct doc_node *last = NULL;
	for (const struct doc_node *n = parent->children; n; last = n, n = n->next) {
		if (depth == 0 && n->kind != NODE_PARAGRAPH)
			p->out = p->body;
		if (last && last == p->answer) {
			p->answer = NULL;
			p->nav_at = p->body->n;
		}
		if (doc_is_empty(n))
			continue;
		switch (n->kind) {
		case NODE_SECTION:
			put_section(p, n, n->title[0] ? depth : depth + 1);
			break;
		case NODE_PARAGRAPH:
			put_paragraph(p, n->lines);
			break;
		case NODE_LIST:
			put_list(p, n->lines);
			break;
		case NODE_TABLE:
			put_table(p, &n->table, parent->title);
			break;
		case NODE_PICTURE:
			p->hooks->picture(p->hooks->ctx, n->picture, p->out);
			break;
		}
	}
}

size_t doc_html(const struct document *d, const struct doc_page_hooks *hooks, struct strbuf *head,
                struct strbuf *body, struct strbuf *nav)
{
	struct name_table told;
	struct page p = {
		.hooks = hooks, .out = head, .body = body, .nav = nav, .told = &told, .answer = d->answer
	};
	name_table_init(&told);
	put_nodes(&p, d->sections[0], 0);
	name_table_release(&told);
	return p.nav_at;
}
