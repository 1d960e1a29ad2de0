/* Renders a document for a terminal of a given width. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "base/vec.h"
#include "document/render.h"

enum { LINE_CHARS = 1000, COLUMN_MIN = 14, NAME_MIN = 20, GAP = 2, INDENT = 2, LINES_MAX = 5 };

struct text {
	const struct document *d;
	const struct doc_text_options *o;
	struct strbuf *out;
	bool after_title; ///< true: a title was just written, so no blank line is needed before the
	                  ///< next node
};

/* The text of a line, and the enum doc_tone of each of its bytes. */
struct flat {
	struct strbuf text, tones;
};

static void flat_release(struct flat *f)
{
	strbuf_release(&f->text);
	strbuf_release(&f->tones);
}

static void flat_tone(struct flat *f, enum doc_tone tone)
{
	while (f->tones.n < f->text.n)
		strbuf_addch(&f->tones, (char)tone);
}

static void flat_line(struct flat *f, const struct doc_line *line)
{
	for (const struct doc_run *r = line->first; r; r = r->next) {
		size_t max = r->kind == DOC_COMMAND ? (size_t)-1 : LINE_CHARS;
		text_add_log(&f->text, span_of(r->text), max);
		flat_tone(f, r->tone);
	}
}

static void flat_words(struct flat *f, const char *words)
{
	strbuf_adds(&f->text, words);
	flat_tone(f, TONE_PLAIN);
}

static void put_piece(struct text *t, const struct flat *f, size_t from, size_t to)
{
	size_t n = t->out->n;
	while (n && t->out->p[n - 1] == ' ')
		n--;
	bool begins = !n || t->out->p[n - 1] == '\n'; /* true: the line has only blanks so far */
	if (from < to && f->text.p[from] == ':' && begins) {
		text_add_codepoint(t->out, 0xFFFD);
		from++;
	}
	static const char *const colors[NR_TONES] = {
		[TONE_STRONG] = "\033[1m",   [TONE_BAD] = "\033[1;31m",  [TONE_WARN] = "\033[33m",
		[TONE_OPEN] = "\033[35m",    [TONE_GOOD] = "\033[32m",   [TONE_WORSE] = "\033[31m",
		[TONE_CAUTION] = "\033[33m", [TONE_BETTER] = "\033[32m",
	};
	while (from < to) {
		size_t end = from;
		while (end < to && f->tones.p[end] == f->tones.p[from])
			end++;
		const char *color = t->o->color ? colors[(int)f->tones.p[from]] : NULL;
		strbuf_adds(t->out, text_or_empty(color));
		strbuf_add(t->out, (struct span){ f->text.p + from, end - from });
		strbuf_adds(t->out, color ? "\033[0m" : "");
		from = end;
	}
}

static void put_blanks(struct text *t, size_t nr)
{
	while (nr--)
		strbuf_addch(t->out, ' ');
}

/* ---- paragraphs and lists ---- */

/* Write a command. It is broken into lines at blanks outside of quotes, but not between an option
 * and its value. All lines except the last one end in a backslash. */
static void put_command(struct text *t, const struct flat *f)
{
	struct span s = strbuf_span(&f->text);
	for (size_t at = 0, end; at < s.n || !at; at = end + 1) {
		size_t indent = at ? 2 * INDENT : INDENT;
		end = text_command_end(s, at, t->o->width > indent + 2 ? t->o->width - indent - 2 : 0);
		put_blanks(t, indent);
		put_piece(t, f, at, end);
		strbuf_adds(t->out, end < s.n ? " \\\n" : "\n");
	}
}

static void put_wrapped(struct text *t, const struct flat *f, const char *bullet, size_t indent)
{
	size_t hang = indent + strlen(bullet), next = 0,
	       width = t->o->width > hang + COLUMN_MIN ? t->o->width - hang : COLUMN_MIN;
	put_blanks(t, indent);
	strbuf_adds(t->out, bullet);
	for (size_t at = 0; at < f->text.n; at = next) {
		if (at)
			put_blanks(t, hang);
		put_piece(t, f, at, text_piece_end(strbuf_span(&f->text), at, width, &next));
		strbuf_addch(t->out, '\n');
	}
	if (!f->text.n)
		strbuf_addch(t->out, '\n');
}

static void put_titled(struct text *t, const char *title, const struct doc_line *line)
{
	struct flat f = { 0 };
	flat_line(
	    &f, &(struct doc_line){ .first = &(struct doc_run){ .tone = TONE_STRONG, .text = title } });
	flat_words(&f, ": ");
	flat_line(&f, line);
	put_wrapped(t, &f, "", 0);
	flat_release(&f);
}

static void put_line(struct text *t, const struct doc_line *line, const char *bullet, size_t indent)
{
	struct flat f = { 0 };
	flat_line(&f, line);
	if (line->first && line->first->kind == DOC_COMMAND)
		put_command(t, &f);
	else
		put_wrapped(t, &f, bullet, indent);
	flat_release(&f);
}

/* Write a row as an item of a list, for a table with the flag `items`. */
static void put_item(struct text *t, const struct doc_table *table, const struct doc_row *row)
{
	struct flat f = { 0 };
	flat_line(&f, &row->cells[0]);
	if (row->cells[1].first) {
		flat_words(&f, " · ");
		flat_line(&f, &row->cells[1]);
	}
	put_wrapped(t, &f, "- ", 0);
	flat_release(&f);
	if (!row->cells[2].first)
		return;
	flat_words(&f, table->columns[2].title);
	flat_words(&f, ": ");
	flat_line(&f, &row->cells[2]);
	put_wrapped(t, &f, "", INDENT);
	flat_release(&f);
}

/* ---- tables ---- */

struct layout {
	const struct document *d;
	const struct doc_table *t;
	size_t rows;
	VEC(size_t) columns; ///< indices of the columns that a terminal shows
	VEC(size_t) widths;
	VEC(size_t) least; ///< least width of each column
	size_t key; ///< index in `columns` of the column with the names of the rows: 0 or 1
	const struct doc_row *rest;
};

static size_t indent_of(const struct doc_table *t, const struct doc_row *row, size_t column)
{
	return t->tree && column == 0 && row ? INDENT * (size_t)row->depth : 0;
}

/* Update the width of a column and its least width for one more cell. The least width is that of
 * the longest word, or less for a name, since names can be cut. */
static void measure_cell(const struct doc_line *line, size_t indent, size_t *width, size_t *least)
{
	struct flat f = { 0 };
	size_t word = 0, longest = 0, chars = indent;
	bool name = false;
	flat_line(&f, line);
	for (const struct doc_run *r = line->first; r; r = r->next)
		name = name || r->kind == DOC_NAME || r->kind == DOC_SAID;
	for (size_t i = 0; i < f.text.n; chars++) {
		word = f.text.p[i] == ' ' && text_may_break(f.text.p, i) ? 0 : word + 1;
		longest = word > longest ? word : longest;
		text_next(strbuf_span(&f.text), &i);
	}
	longest = (name && longest > NAME_MIN ? NAME_MIN : longest) + indent;
	*width = chars > *width ? chars : *width;
	*least = longest > *least ? longest : *least;
	flat_release(&f);
}

static void measure(struct layout *l, size_t column)
{
	struct doc_run title = { .text = l->t->columns[column].title };
	size_t head = 0, word = 0, nr = 0, width = 0, least = 0;
	measure_cell(&(struct doc_line){ .first = &title }, 0, &head, &word);
	for (const struct doc_row *r = l->t->rows; r && nr < l->rows; r = r->next, nr++)
		measure_cell(&r->cells[column], indent_of(l->t, r, column), &width, &least);
	if (l->rest)
		measure_cell(&l->rest->cells[column], 0, &width, &least);
	if (!width)
		return;
	least = l->t->columns[column].align == DOC_RIGHT ? width : least;
	least = word > least ? word : least;
	width = head > width ? head : width;
	vec_push(&l->columns, column);
	vec_push(&l->widths, width);
	vec_push(&l->least, least < width ? least : width);
}

static size_t total(const struct layout *l, size_t from, size_t to)
{
	size_t nr = INDENT + (from > l->key ? l->widths.v[l->key] + GAP : 0);
	for (size_t i = from; i < to; i++)
		nr += l->widths.v[i] + (i > from ? GAP : 0);
	return nr;
}

/* Narrow columns of words and names, the widest first, until the table fits into `width`. If the
 * table cannot fit, only the first columns, as many as fit, are written side by side. Each further
 * column is written below, beside the names of the rows. */
static void shrink(struct layout *l, size_t width)
{
	size_t nr = 0, least = INDENT;
	while (nr < l->widths.nr && (least += l->least.v[nr] + (nr ? GAP : 0)) <= width)
		nr++;
	nr = nr ? nr : l->widths.nr;
	for (size_t widest = 0; total(l, 0, nr) > width; l->widths.v[widest]--) {
		widest = SIZE_MAX;
		for (size_t i = 0; i < nr; i++)
			if (l->widths.v[i] > l->least.v[i] &&
			    (widest == SIZE_MAX || l->widths.v[i] > l->widths.v[widest]))
				widest = i;
		if (widest == SIZE_MAX)
			return;
	}
	/* narrow each further column until it fits beside the names */
	for (size_t i = nr; i < l->widths.nr; i++)
		for (size_t of; total(l, i, i + 1) > width; l->widths.v[of]--) {
			of = l->widths.v[i] > l->least.v[i] ? i : l->key;
			if (l->widths.v[of] <= l->least.v[of])
				break;
		}
}

/* A cell whose lines are being written. The names in its text are already shortened to the width of
 * the column. `at` is the index in the text at which the present line begins, `next` that of the
 * next line; `indent` is the number of blanks before each line. */
struct cell {
	struct flat f;
	size_t at, next, indent;
};

/* True if no other name in the column begins with the same `head` bytes and ends with the same
 * `tail` bytes, and if the document's is_alone() agrees. A name that is cut to these bytes then
 * cannot be confused with another name. */
static bool is_unique(const struct layout *l, size_t column, struct span name, size_t head,
                      size_t tail)
{
	size_t nr = 0;
	for (const struct doc_row *row = l->t->rows; row && nr < l->rows; row = row->next, nr++)
		for (const struct doc_run *r = row->cells[column].first; r; r = r->next) {
			struct span s = span_of(r->text);
			if (r->kind == DOC_NAME && s.n > head + tail && !span_eq(s, name) &&
			    memcmp(s.p, name.p, head) == 0 &&
			    memcmp(s.p + s.n - tail, name.p + name.n - tail, tail) == 0)
				return false;
		}
	return !l->d->is_alone || l->d->is_alone(l->d->names, name, head, tail);
}

/* Append the text of a cell, in which names that are too long for the column are shortened. A name
 * is shortened in the middle if its beginning and its end still distinguish it from other names.
 * Otherwise it is broken into lines later, and cut at its end only if there would be too many
 * lines. */
static void flat_cut(struct flat *f, const struct doc_line *line, size_t max,
                     const struct layout *l, size_t column)
{
	for (const struct doc_run *r = line->first; r; r = r->next) {
		struct span s = span_of(r->text);
		size_t head = max * 3 / 5, tail = max - head - 1;
		bool plain = ALL(i, s.n, s.p[i] >= ' ' && s.p[i] < 0x7F);
		/* a name of several words, such as "output tokens/s", is not cut if it fits two lines */
		size_t first = s.n < max + 1 ? s.n : max + 1;
		while (first > 0 && s.p[first - 1] != ' ')
			first--;
		bool two = first > 0 && s.n - first <= max;
		if (r->kind == DOC_NAME && plain && s.n > max && !two &&
		    is_unique(l, column, s, head, tail)) {
			text_add_log(&f->text, (struct span){ s.p, head }, head);
			strbuf_adds(&f->text, "…");
			text_add_log(&f->text, (struct span){ s.p + s.n - tail, tail }, tail);
		} else {
			text_add_log(&f->text, s,
			             r->kind == DOC_NAME && s.n > LINES_MAX * max ? max : LINE_CHARS);
		}
		flat_tone(f, r->tone);
	}
}

static void cell_init(struct cell *c, const struct doc_line *line, const struct layout *l,
                      size_t column, size_t width, size_t indent)
{
	*c = (struct cell){ .indent = indent < width ? indent : 0 };
	width -= c->indent;
	flat_line(&c->f, line);
	size_t chars = text_chars(strbuf_span(&c->f.text));
	size_t names = 0, longest = 0;
	for (const struct doc_run *r = line->first; r; r = r->next)
		if (r->kind == DOC_NAME) {
			size_t n = text_chars(span_of(r->text));
			longest = n > longest ? n : longest;
			names++;
		}
	if (chars <= width || !names || longest <= COLUMN_MIN)
		return;
	size_t others = chars > longest && names == 1 ? chars - longest : 0;
	size_t max = width > others + COLUMN_MIN ? width - others : width;
	flat_release(&c->f);
	c->f = (struct flat){ 0 };
	flat_cut(&c->f, line, max < COLUMN_MIN ? COLUMN_MIN : max, l, column);
}

static void put_cells(struct text *t, const struct layout *l, struct cell *cells, size_t from,
                      size_t to)
{
	bool more = true;
	while (more) {
		size_t owed = INDENT;
		more = false;
		bool again = from > l->key; /* the column of names is in an earlier block */
		for (size_t i = again ? l->key : from; i < to; i = again && i == l->key ? from : i + 1) {
			struct cell *c = &cells[i];
			struct span s = strbuf_span(&c->f.text);
			size_t width = l->widths.v[i];
			size_t end = text_piece_end(s, c->at, width - c->indent, &c->next);
			size_t chars = text_chars((struct span){ s.p + c->at, end - c->at }) + c->indent;
			bool right = l->t->columns[l->columns.v[i]].align == DOC_RIGHT;
			if (end > c->at) {
				put_blanks(t, owed + c->indent + (right && chars < width ? width - chars : 0));
				put_piece(t, &c->f, c->at, end);
				owed = GAP + (right || chars > width ? 0 : width - chars);
			} else {
				owed += width + GAP;
			}
			c->at = c->next;
			more = more || c->at < s.n;
		}
		strbuf_addch(t->out, '\n');
	}
}

static void put_row(struct text *t, const struct layout *l, const struct doc_row *row, size_t from,
                    size_t to)
{
	VEC(struct cell) cells = VEC_INIT;
	for (size_t i = 0; i < l->columns.nr; i++) {
		struct doc_run head = { .text = l->t->columns[l->columns.v[i]].title };
		struct doc_line title = { .first = &head };
		size_t column = l->columns.v[i];
		cell_init(vec_push_zero(&cells), row ? &row->cells[column] : &title, l, column,
		          l->widths.v[i], indent_of(l->t, row, column));
	}
	put_cells(t, l, cells.v, from, to);
	for (size_t i = 0; i < cells.nr; i++)
		flat_release(&cells.v[i].f);
	vec_release(&cells);
}

static void put_block(struct text *t, const struct layout *l, size_t from, size_t to)
{
	size_t nr = 0;
	bool head =
	    ANY(i, l->t->nr_columns, l->t->columns[i].align <= DOC_RIGHT && l->t->columns[i].title[0]);
	if (head)
		put_row(t, l, NULL, from, to);
	for (const struct doc_row *r = l->t->rows; r && nr < l->rows; r = r->next, nr++)
		put_row(t, l, r, from, to);
	if (l->rest)
		put_row(t, l, l->rest, from, to);
}

/* Write the columns that fit into the width, and a line with the number of columns that do not fit.
 * With --verbose, the columns that do not fit follow below in further tables, each with the column
 * of names again. */
static void put_blocks(struct text *t, const struct layout *l)
{
	for (size_t from = 0, to; from < l->columns.nr; from = to) {
		for (to = from + 1; to < l->columns.nr && total(l, from, to + 1) <= t->o->width; to++)
			;
		strbuf_adds(t->out, from ? "\n" : "");
		put_block(t, l, from, to);
		if (t->o->verbose || to == l->columns.nr)
			continue;
		put_blanks(t, INDENT);
		strbuf_addf(t->out, "%zu more column%s with --verbose\n", l->columns.nr - to,
		            text_s(l->columns.nr - to));
		return;
	}
}

static void put_title(struct text *t, const char *title)
{
	struct doc_run run = { .kind = DOC_SAID, .tone = TONE_STRONG, .text = title };
	if (!title[0])
		return;
	if (t->out->n && !t->after_title)
		strbuf_addch(t->out, '\n');
	put_line(t, &(struct doc_line){ .first = &run }, "", 0);
	t->after_title = true;
}

/* True if the row's cell in the column begins with a name, rather than a verdict or a word. */
static bool is_name(const struct doc_row *row, size_t column)
{
	const struct doc_run *r = row->cells[column].first;
	return r && (r->kind == DOC_NAME || r->kind == DOC_SAID);
}

static void put_table(struct text *t, const struct doc_table *table, const char *section)
{
	struct layout l = { .d = t->d, .t = table, .rows = doc_rows_shown(table, !t->o->verbose) };
	l.rest = doc_rest_of(table, l.rows);
	size_t more = l.rest ? 0 : table->nr_rows - l.rows + table->more;
	if (table->title[0] && strcmp(table->title, section) != 0)
		put_title(t, table->title);
	else if (t->out->n && !t->after_title)
		strbuf_addch(t->out, '\n');
	for (size_t i = 0; i < table->nr_columns && !table->items; i++)
		if (table->columns[i].align <= DOC_RIGHT)
			measure(&l, i);
	l.key = l.columns.nr > 1 && l.rows && !is_name(table->rows, l.columns.v[0]) &&
	        is_name(table->rows, l.columns.v[1]);
	shrink(&l, t->o->width);
	put_blocks(t, &l);
	const struct doc_row *row = table->rows;
	for (size_t i = 0; table->items && i < l.rows; i++, row = row->next)
		put_item(t, table, row);
	if (more) {
		put_blanks(t, INDENT);
		strbuf_addf(t->out, "%zu more%s%.*s\n", more, table->more_text[0] ? " " : "",
		            doc_noun_chars(table->more_text, more), table->more_text);
	}
	vec_release(&l.columns);
	vec_release(&l.widths);
	vec_release(&l.least);
}

/* ---- nodes and sections ---- */

static bool is_shown(const struct text *t, const struct doc_node *node)
{
	if (node->kind == NODE_PICTURE || doc_is_empty(node))
		return false;
	if (node->kind != NODE_SECTION)
		return true;
	bool any = false; /* a section is shown only if something in it is shown */
	for (const struct doc_node *n = node->children; n && !any; n = n->next)
		any = is_shown(t, n);
	return any && (node->place <= DOC_TERMINAL || (t->o->verbose && node->place != DOC_PAGE));
}

static void put_nodes(struct text *t, const struct doc_node *parent)
{
	const char *title = text_or_empty(parent->title);
	for (const struct doc_node *n = parent->children; n; n = n->next) {
		if (!is_shown(t, n))
			continue;
		if (n->kind == NODE_SECTION) {
			const struct doc_line *only = doc_only_line(n);
			if (n->title[0] && !only)
				put_title(t, n->title);
			else if (t->out->n && !t->after_title && n->children->kind != NODE_SECTION)
				strbuf_addch(t->out, '\n');
			if (only) {
				put_titled(t, n->title, only);
				t->after_title = false;
				put_nodes(t, &(struct doc_node){ .children = n->children->next });
			} else {
				put_nodes(t, n);
			}
			continue;
		}
		if (n->kind == NODE_TABLE)
			put_table(t, &n->table, title);
		for (const struct doc_line *l = n->lines; l; l = l->next) {
			char step[16];
			snprintf(step, sizeof step, "%d. ", l->step);
			put_line(t, l,
			         n->kind != NODE_LIST ? ""
			         : l->step            ? step
			                              : "- ",
			         (size_t)l->depth * INDENT);
		}
		t->after_title = false;
	}
}

void doc_text(const struct document *d, const struct doc_text_options *o, struct strbuf *out)
{
	struct text t = { .d = d, .o = o, .out = out };
	put_nodes(&t, d->sections[0]);
	if (d->more && !o->verbose) {
		strbuf_addch(out, '\n');
		put_line(&t, &(struct doc_line){ .first = &(struct doc_run){ .text = d->more } }, "", 0);
	}
}
