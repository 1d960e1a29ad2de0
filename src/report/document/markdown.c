/* Renders a document as a comment on GitHub. */
#include "base/text.h"
#include "document/comment.h"
#include "document/render.h"

enum { LINE_CHARS = 400, MARKER_CHARS = 80 };

/* ---- text and names ---- */

static void add_run(struct strbuf *b, const struct doc_run *r, bool in_table)
{
	bool strong = r->tone != TONE_PLAIN && r->kind != DOC_NAME && r->kind != DOC_COMMAND;
	strbuf_adds(b, strong ? "**" : "");
	bool link = r->link && r->link[0] != '#';
	strbuf_adds(b, link ? "[" : "");
	switch (r->kind) {
	case DOC_VERDICT:
	case DOC_WORDS:
		strbuf_adds(b, r->text);
		break;
	case DOC_FIGURE:
		md_figure(b, r->text);
		break;
	case DOC_NAME:
	case DOC_COMMAND:
		md_code(b, r->text, r->kind == DOC_NAME ? MD_NAME_CHARS : (size_t)-1, in_table);
		break;
	case DOC_SAID:
		md_sentence(b, r->text, LINE_CHARS, in_table);
		break;
	}
	if (link)
		strbuf_addf(b, "](%s)", r->link);
	strbuf_adds(b, strong ? "**" : "");
}

static void add_line(struct strbuf *b, const struct doc_line *l, bool in_table)
{
	for (const struct doc_run *r = l->first; r; r = r->next) {
		struct strbuf run = STRBUF_INIT;
		add_run(&run, r, in_table);
		/* adjacent code spans would merge into one */
		if (run.n && b->n && run.p[0] == '`' && b->p[b->n - 1] == '`')
			strbuf_addch(b, ' ');
		strbuf_add(b, strbuf_span(&run));
		strbuf_release(&run);
	}
}

/* ---- tables ---- */

/* Estimated widths in pixels: of a comment on GitHub, of a character, of a unit of a bar, and of a
 * cell's padding. COLUMNS_LEAST columns are kept even if they are wider than the comment. */
enum { COMMENT_PX = 800, CHAR_PX = 8, BAR_PX = 13, PADDING_PX = 28, COLUMNS_LEAST = 2 };

/* The columns of a table that fit into the width of a comment, and those that do not. */
struct columns {
	const struct doc_table *t;
	size_t *list, nr; ///< columns that have room
	size_t *rest, nr_rest; ///< further columns, which have no room
};

static void add_cell(struct strbuf *b, const struct doc_table *t, const struct doc_row *row,
                     size_t i)
{
	for (int depth = t->tree && i == 0 ? row->depth : 0; depth > 0; depth--)
		strbuf_adds(b, "\xC2\xA0\xC2\xA0\xC2\xA0");
	add_line(b, &row->cells[i], true);
}

/* Width in pixels of the longest word of a cell. The cell cannot be narrower. */
static size_t width_of(struct span cell)
{
	size_t word = 0, longest = 0;
	for (size_t i = 0; i < cell.n;) {
		uint32_t cp = text_next(cell, &i);
		if (cp == ' ' || cp == MD_BREAK)
			word = 0;
		else if (cp != '`' && cp != '*')
			word += cp >= 0x2581 && cp <= 0x2588 ? BAR_PX : CHAR_PX;
		longest = word > longest ? word : longest;
	}
	return longest;
}

static size_t column_width(const struct doc_table *t, size_t column, size_t rows)
{
	size_t widest = width_of(span_of(t->columns[column].title));
	for (const struct doc_row *r = t->rows; r && rows; r = r->next, rows--) {
		struct strbuf b = STRBUF_INIT;
		add_cell(&b, t, r, column);
		size_t width = width_of(strbuf_span(&b));
		widest = width > widest ? width : widest;
		strbuf_release(&b);
	}
	return widest + PADDING_PX;
}

static struct columns columns_of(struct arena *a, const struct doc_table *t, size_t rows)
{
	struct columns out = { .t = t,
		                   .list = arena_alloc(a, t->nr_columns, sizeof *out.list),
		                   .rest = arena_alloc(a, t->nr_columns, sizeof *out.rest) };
	size_t width = 0;
	for (size_t i = 0; i < t->nr_columns; i++) {
		if (t->columns[i].align > DOC_RIGHT || doc_column_is_empty(t, i, rows))
			continue;
		width += column_width(t, i, rows);
		if (out.nr_rest || (width > COMMENT_PX && out.nr >= COLUMNS_LEAST))
			out.rest[out.nr_rest++] = i;
		else
			out.list[out.nr++] = i;
	}
	return out;
}

static void add_table_head(struct strbuf *b, const struct columns *c)
{
	strbuf_addch(b, '|');
	for (size_t i = 0; i < c->nr; i++)
		strbuf_addf(b, " %s |", c->t->columns[c->list[i]].title);
	strbuf_adds(b, "\n|");
	for (size_t i = 0; i < c->nr; i++)
		strbuf_adds(b, c->t->columns[c->list[i]].align == DOC_RIGHT ? " ---: |" : " --- |");
	strbuf_addch(b, '\n');
}

static void add_row(struct md_section *s, const struct columns *c, const struct doc_row *row)
{
	struct strbuf *b = vec_push_zero(&s->rows);
	strbuf_addch(b, '|');
	for (size_t i = 0; i < c->nr; i++) {
		strbuf_addch(b, ' ');
		add_cell(b, c->t, row, c->list[i]);
		strbuf_adds(b, " |");
	}
	strbuf_addch(b, '\n');
}

static void put_table(struct md_section *s, const struct doc_table *t, const char *section)
{
	size_t shown = doc_rows_shown(t, true), nr = 0;
	struct arena a = ARENA_INIT;
	struct columns columns = columns_of(&a, t, shown);
	if (t->title[0] && strcmp(t->title, section) != 0) {
		strbuf_addch(&s->head, '\n');
		md_sentence(&s->head, t->title, LINE_CHARS, false);
		strbuf_addch(&s->head, '\n');
	}
	strbuf_addch(&s->head, '\n');
	add_table_head(&s->head, &columns);
	for (const struct doc_row *r = t->rows; r && nr < shown; r = r->next, nr++)
		add_row(s, &columns, r);
	const struct doc_row *rest = doc_rest_of(t, shown);
	if (rest)
		add_row(s, &columns, rest);
	else
		s->more = t->more + t->nr_rows - shown;
	s->more_text = t->more_text;
	for (size_t i = 0; i < columns.nr_rest; i++)
		strbuf_addf(&s->columns, "%s%s", i ? ", " : "", t->columns[columns.rest[i]].title);
	arena_release(&a);
}

/* ---- nodes and sections ---- */

static bool is_command(const struct doc_node *n)
{
	return n->kind == NODE_PARAGRAPH && n->lines->first && n->lines->first->kind == DOC_COMMAND;
}

/* Append a node to the section `s` of the comment. `section` is the title of that section. */
static void put_node(struct md_section *s, const struct doc_node *n, const char *section)
{
	if (n->kind == NODE_TABLE) {
		put_table(s, &n->table, section);
		return;
	}
	strbuf_adds(&s->head, "\n");
	if (is_command(n)) {
		md_command(&s->head, n->lines->first->text);
		return;
	}
	for (const struct doc_line *l = n->lines; l; l = l->next) {
		struct strbuf *row = n->kind == NODE_LIST ? vec_push_zero(&s->rows) : &s->head;
		if (n->kind == NODE_LIST && l->step)
			strbuf_addf(row, "%d. ", l->step);
		else if (n->kind == NODE_LIST)
			strbuf_addf(row, "%*s- ", (n->lines->step ? 3 : 2) * l->depth, "");
		add_line(row, l, false);
		strbuf_addch(row, '\n');
	}
}

static bool is_shown(const struct doc_node *n)
{
	return n->kind != NODE_PICTURE && !doc_is_empty(n) &&
	       (n->kind != NODE_SECTION || n->place < DOC_PAGE);
}

/* Add each node of a section of the document as a section of the comment, so that it can be removed
 * without the others. If the section of the document is collapsed, each node is in a <details> of
 * its own, but successive paragraphs share one. */
static void put_nodes(struct md_document *d, const struct doc_node *parent, bool collapsed)
{
	const char *title = text_or_empty(parent->title), *heading = collapsed ? "" : title;
	struct md_section *s = NULL;
	const struct doc_node *last = NULL;
	for (const struct doc_node *n = parent->children; n; n = n->next) {
		if (!is_shown(n))
			continue;
		if (n->kind == NODE_SECTION) {
			put_nodes(d, n, n->place >= DOC_ASIDE && n->place <= DOC_COLLAPSED);
			last = NULL;
			continue;
		}
		/* paragraphs that follow one another are collapsed together */
		if (collapsed && last && last->kind == NODE_PARAGRAPH && n->kind == NODE_PARAGRAPH) {
			put_node(s, n, title);
			continue;
		}
		last = n;
		s = vec_push_zero(&d->sections);
		s->fixed = parent->fixed;
		const struct doc_line *only =
		    collapsed || n != parent->children ? NULL : doc_only_line(parent);
		/* a DOC_ASIDE section is collapsed by itself, not in the common block, so that readers find
		   it */
		s->collapsed = collapsed && parent->place != DOC_ASIDE;
		if (only) {
			strbuf_addf(&s->head, "\n**%s:** ", title);
			add_line(&s->head, only, false);
			strbuf_addch(&s->head, '\n');
			heading = "";
			continue;
		}
		if (heading[0] && is_command(n))
			strbuf_addf(&s->head, "\n%s\n", heading);
		else if (heading[0] && !n->table.items)
			strbuf_addf(&s->head, "\n**%s**\n", heading);
		heading = "";
		if (collapsed) {
			const char *own = n->kind == NODE_TABLE ? n->table.title : "";
			struct span summary = span_of(own[0] ? own : title);
			summary.n -= summary.n && summary.p[summary.n - 1] == ':';
			strbuf_adds(&s->head, "\n<details><summary>");
			doc_html_escape(&s->head, summary);
			strbuf_adds(&s->head, "</summary>\n");
			strbuf_adds(&s->tail, "\n</details>\n");
		}
		put_node(s, n, collapsed && n->kind == NODE_TABLE ? n->table.title : title);
	}
}

/* Append an HTML comment by which a later run finds this comment on GitHub. It differs for each
 * workload: a hash is added to a name of a workload that had to be changed or cut. */
static void add_marker(struct strbuf *b, const char *name)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	size_t n = 0;
	strbuf_adds(b, "<!-- gpugate:");
	for (; n < MARKER_CHARS && name[n]; n++)
		strbuf_addch(b, strchr(plain, name[n]) ? name[n] : '-');
	if (name[n] || strspn(name, plain) < n)
		strbuf_addf(b, "-%08x", text_hash32(span_of(name)));
	strbuf_adds(b, " -->\n");
}

/* Append the heading, which begins with a symbol that is easy to see. */
static void add_heading(struct strbuf *b, const struct doc_line *l)
{
	static const char *const signs[NR_TONES] = { [TONE_BAD] = "\u274C ",
		                                         [TONE_WARN] = "\u26A0\uFE0F ",
		                                         [TONE_OPEN] = "\u2754 ",
		                                         [TONE_GOOD] = "\u2705 " };
	const struct doc_run *r = l->first;
	const char *sign = r && r->kind == DOC_VERDICT ? signs[r->tone] : NULL;
	/* several verdicts have the same symbol, so the word is needed */
	strbuf_addf(b, "### %sgpugate \u00B7 %s", text_or_empty(sign), sign ? r->text : "");
	for (r = sign ? r->next : r; r; r = r->next) {
		struct doc_run plain = *r; /* a heading is bold already */
		plain.tone = TONE_PLAIN;
		plain.next = NULL;
		add_line(b, &(struct doc_line){ .first = &plain }, false);
	}
}

void doc_markdown(const struct document *d, size_t max, struct strbuf *out)
{
	struct md_document comment = { .collapse = d->collapse };
	const struct doc_node *root = d->sections[0], *first = root->children;
	struct md_section *s = vec_push_zero(&comment.sections);
	s->fixed = true;
	add_marker(&s->head, d->marker);
	if (first && first->kind == NODE_PARAGRAPH) { /* the first paragraph is the verdict */
		add_heading(&s->head, first->lines);
		strbuf_addch(&s->head, '\n');
		first = first->next;
	}
	put_nodes(&comment, &(struct doc_node){ .children = (struct doc_node *)first, .fixed = true },
	          false);
	md_write(&comment, max, out);
}
