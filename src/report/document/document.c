#include "document/document.h"

#include <stdarg.h>
#include <string.h>

#include "base/strbuf.h"
#include "document/render.h"

void doc_init(struct document *d)
{
	*d = (struct document){ 0 };
	d->sections[0] = arena_alloc(&d->arena, 1, sizeof *d->sections[0]);
	d->marker = "";
}

void doc_release(struct document *d)
{
	arena_release(&d->arena);
	*d = (struct document){ 0 };
}

/* ---- nodes and sections ---- */

static struct doc_node *add_node(struct document *d, enum doc_node_kind kind)
{
	struct doc_node *parent = d->sections[d->depth];
	struct doc_node *node = arena_alloc(&d->arena, 1, sizeof *node);
	node->kind = kind;
	*(parent->last_child ? &parent->last_child->next : &parent->children) = node;
	parent->last_child = node;
	d->node = node;
	d->line = NULL;
	return node;
}

void doc_section(struct document *d, const char *id, const char *title, enum doc_place place)
{
	struct doc_node *node = add_node(d, NODE_SECTION);
	node->id = id;
	node->title = title;
	node->place = place;
	d->sections[++d->depth] = node;
	d->node = NULL;
}

void doc_end(struct document *d)
{
	d->depth--;
	d->node = NULL;
	d->line = NULL;
}

struct doc_node *doc_last(const struct document *d)
{
	return d->sections[0]->last_child;
}

void doc_gather(struct document *d, struct doc_node *before)
{
	struct doc_node *root = d->sections[0], *first = before ? before->next : root->children;
	while (first && doc_is_empty(first))
		first = first->next;
	if (!first || !first->next)
		return;
	first->last_child->next = first->next;
	first->last_child = root->last_child;
	first->next = NULL;
	root->last_child = first;
}

void doc_answer_end(struct document *d)
{
	d->answer = d->sections[0]->last_child;
}

static void add_line(struct document *d, struct doc_node *node)
{
	d->line = arena_alloc(&d->arena, 1, sizeof *d->line);
	*(node->last_line ? &node->last_line->next : &node->lines) = d->line;
	node->last_line = d->line;
}

void doc_paragraph(struct document *d)
{
	add_line(d, add_node(d, NODE_PARAGRAPH));
}

void doc_item(struct document *d, int depth)
{
	struct doc_node *list = d->node && d->node->kind == NODE_LIST ? d->node : NULL;
	add_line(d, list ? list : add_node(d, NODE_LIST));
	d->line->depth = depth;
}

void doc_numbered(struct document *d)
{
	int step = 1;
	if (d->node && d->node->kind == NODE_LIST)
		for (const struct doc_line *l = d->node->lines; l; l = l->next)
			step += l->step > 0;
	doc_item(d, 0);
	d->line->step = step;
}

void doc_picture(struct document *d, const char *kind, size_t nr)
{
	add_node(d, NODE_PICTURE)->picture = (struct picture){ kind, nr };
}

/* ---- tables and cells ---- */

struct doc_table *doc_table(struct document *d, const char *title, const struct doc_column *columns,
                            size_t nr)
{
	struct doc_table *t = &add_node(d, NODE_TABLE)->table;
	t->title = title;
	t->columns = columns;
	t->nr_columns = nr;
	t->more_text = "";
	return t;
}

static struct doc_row *new_row(struct document *d)
{
	struct doc_row *row = d->row = arena_alloc(&d->arena, 1, sizeof *row);
	row->cells = arena_alloc(&d->arena, d->node->table.nr_columns, sizeof *row->cells);
	d->cell = 0;
	d->line = NULL;
	return row;
}

void doc_row(struct document *d, int depth)
{
	struct doc_table *t = &d->node->table;
	struct doc_row *row = new_row(d);
	row->depth = depth;
	*(t->last ? &t->last->next : &t->rows) = row;
	t->last = row;
	t->nr_rows++;
}

void doc_rest(struct document *d, bool brief)
{
	struct doc_table *t = &d->node->table;
	*(brief ? &t->rest_brief : &t->rest) = new_row(d);
}

void doc_cell(struct document *d)
{
	d->line = &d->row->cells[d->cell++];
}

void doc_value(struct document *d, bool has, int64_t value)
{
	d->line->has_value = has;
	d->line->value = value;
}

/* ---- pieces of text ---- */

static void add_run(struct document *d, struct doc_run run)
{
	struct doc_run *r = arena_alloc(&d->arena, 1, sizeof *r);
	*r = run;
	if ((!r->text || !r->text[0]) && !r->tile)
		return;
	*(d->line->last ? &d->line->last->next : &d->line->first) = r;
	d->line->last = r;
}

void doc_add(struct document *d, enum doc_kind kind, enum doc_tone tone, const char *text)
{
	add_run(d, (struct doc_run){ .kind = kind, .tone = tone, .text = text });
}

void doc_words(struct document *d, const char *text)
{
	doc_add(d, DOC_WORDS, TONE_PLAIN, text);
}

void doc_figure(struct document *d, const char *text)
{
	doc_add(d, DOC_FIGURE, TONE_PLAIN, text);
}

void doc_said(struct document *d, const char *text)
{
	doc_add(d, DOC_SAID, TONE_PLAIN, text);
}

void doc_name(struct document *d, const char *whole)
{
	const char *text = whole && d->display ? d->display(d->names, whole) : NULL;
	add_run(d, (struct doc_run){
	               .kind = DOC_NAME, .text = text ? text : whole, .whole = text ? whole : NULL });
}

void doc_link(struct document *d, const char *text, const char *address)
{
	add_run(d, (struct doc_run){ .text = text, .link = address });
}

void doc_commit(struct document *d, const char *commit, const char *address)
{
	enum { COMMIT_CHARS = 10 };
	size_t hex = strspn(commit, "0123456789abcdef");
	bool dirty = strcmp(commit + hex, "-dirty") == 0;
	/* true: the commit is shown in full, because it is short or not an id of git; false: it is
	   cut */
	bool whole = (commit[hex] && !dirty) || hex <= COMMIT_CHARS;
	const char *text =
	    whole ? commit
	          : arena_printf(&d->arena, "%.*s%s", COMMIT_CHARS, commit, dirty ? "-dirty" : "");
	add_run(d, (struct doc_run){ .kind = DOC_NAME,
	                             .text = text,
	                             .whole = commit,
	                             .link = !commit[hex] && address
	                                         ? arena_printf(&d->arena, "%s%s", address, commit)
	                                         : NULL });
}

void doc_tile(struct document *d, struct picture picture)
{
	add_run(d, (struct doc_run){
	               .text = d->line->first ? " · " : "", .tile = true, .picture = picture });
}

void doc_pieces(struct document *d, const char *form, const char *const *pieces)
{
	for (const char *at; (at = strchr(form, '%')); form = at + 2) {
		const char *piece = *pieces++;
		doc_words(d, arena_dup(&d->arena, (struct span){ form, (size_t)(at - form) }));
		if (at[1] == 'n')
			doc_name(d, piece);
		else
			doc_add(d,
			        at[1] == 'f'   ? DOC_FIGURE
			        : at[1] == 's' ? DOC_SAID
			                       : DOC_WORDS,
			        TONE_PLAIN, piece);
	}
	doc_words(d, form);
}

void doc_printf(struct document *d, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	doc_words(d, arena_take(&d->arena, &b));
}

void doc_command(struct document *d, const char *title, enum doc_place place, const char *command)
{
	if (!command || !command[0])
		return;
	doc_section(d, "", title, place);
	doc_paragraph(d);
	doc_add(d, DOC_COMMAND, TONE_PLAIN, command);
	doc_end(d);
}

void doc_words_cell(struct document *d, const char *text)
{
	doc_cell(d);
	doc_words(d, text);
}

void doc_name_cell(struct document *d, const char *text)
{
	doc_cell(d);
	doc_name(d, text);
}

void doc_said_cell(struct document *d, const char *text)
{
	doc_cell(d);
	doc_said(d, text);
}

void doc_figure_cell(struct document *d, const char *text, bool has, int64_t value)
{
	doc_cell(d);
	doc_value(d, has, value);
	doc_figure(d, text);
}

enum doc_tone doc_tone_of(bool more_is_worse, bool less_is_worse, int64_t change)
{
	if (change == 0 || more_is_worse == less_is_worse)
		return TONE_PLAIN;
	return (change > 0) == more_is_worse ? TONE_WORSE : TONE_BETTER;
}

size_t doc_rows_shown(const struct doc_table *t, bool brief)
{
	return brief && t->brief && t->brief < t->nr_rows ? t->brief : t->nr_rows;
}

bool doc_column_is_empty(const struct doc_table *t, size_t column, size_t rows)
{
	for (const struct doc_row *r = t->rows; r && rows; r = r->next, rows--)
		if (r->cells[column].first ||
		    (r->cells[column].has_value && t->columns[column].align == DOC_BAR))
			return false;
	return true;
}

bool doc_is_empty(const struct doc_node *node)
{
	if (node->kind == NODE_PICTURE)
		return false;
	if (node->kind != NODE_SECTION)
		return !node->lines && !node->table.nr_rows && !node->table.more;
	for (const struct doc_node *n = node->children; n; n = n->next)
		if (!doc_is_empty(n))
			return false;
	return true;
}

const struct doc_line *doc_only_line(const struct doc_node *section)
{
	const struct doc_node *n = section->children;
	bool one = section->title && section->title[0] && n && n->kind == NODE_LIST && !n->lines->next;
	const struct doc_line *line = one ? n->lines : NULL;
	/* a list after a command belongs to the section, too: then the item is not the only one */
	for (; one && n->next; n = n->next)
		line = n->next->kind == NODE_LIST ? NULL : line;
	return line;
}

const struct doc_row *doc_rest_of(const struct doc_table *t, size_t shown)
{
	return shown < t->nr_rows ? t->rest_brief : t->rest;
}
