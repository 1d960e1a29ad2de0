#include "rules/yaml_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "io/opened.h"

/* A map or list that is being read. `tail`: where to attach its next entry. */
struct open_node {
	struct node *node;
	struct node **tail;
	struct node *key; ///< key of a map whose value has not been read yet; else NULL
};

struct builder {
	struct document *d;
	struct span text;
	struct open_node open[DOCUMENT_MAX_DEPTH];
	size_t depth;
	bool began; ///< true once the first document has begun
};

const char *document_quote(struct document *d, struct span text)
{
	return text_quote(&d->arena, text);
}

void document_error(struct document *d, const struct node *at, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	if (d->placeless)
		diag_error(d->log, "%s: %s", d->shown, strbuf_str(&b));
	else
		diag_error(d->log, "%s:%u:%u: %s", d->shown, at->line, at->column, strbuf_str(&b));
	strbuf_release(&b);
}

struct node *node_copy(struct document *d, const struct node *n)
{
	struct node *copy = arena_alloc(&d->arena, 1, sizeof *copy);
	*copy = *n;
	copy->next = NULL;
	return copy;
}

const struct node *node_get(const struct node *map, const char *key)
{
	for (const struct node *n = node_first(map); n; n = n->next)
		if (node_is(n, key))
			return n;
	return NULL;
}

/* A node with the position of `mark`, and nothing else. libyaml counts lines and columns from 0,
   nodes count them from 1. */
static struct node place(const yaml_mark_t *mark)
{
	return (struct node){ .line = (unsigned)mark->line + 1, .column = (unsigned)mark->column + 1 };
}

/* A node with the position of an encoding error, and nothing else. libyaml gives this position as a
   byte offset. */
static struct node place_of_byte(struct span text, size_t offset)
{
	struct node at = { .line = 1, .column = 1 };
	for (size_t i = 0; i < offset && i < text.n; at.column++)
		if (text_next(text, &i) == '\n') {
			at.line++;
			at.column = 0;
		}
	return at;
}

/* True if the character number `index` is a tab. */
static bool is_tab(struct span text, size_t index)
{
	size_t at = 0;
	for (size_t i = 0; i < index && at < text.n; i++)
		text_next(text, &at);
	return at < text.n && text.p[at] == '\t';
}

static enum status syntax_fault(struct builder *b, const yaml_parser_t *p)
{
	if (p->error == YAML_MEMORY_ERROR)
		return diag_fail(b->d->log, ST_OUTPUT, "%s: out of memory", b->d->shown);
	const char *problem = p->problem ? p->problem : "cannot be read";
	if (p->error == YAML_READER_ERROR) {
		struct node at = place_of_byte(b->text, p->problem_offset);
		return document_fail(b->d, &at, "%s: the file must be UTF-8 text", problem);
	}
	struct node at = place(&p->problem_mark);
	if (is_tab(b->text, p->problem_mark.index))
		return document_fail(b->d, &at, "a tab where YAML wants spaces: indent with spaces");
	bool glob = p->context && strstr(p->context, "alias");
	return document_fail(b->d, &at, "%s%s%s%s", p->context ? p->context : "",
	                     p->context ? ": " : "", problem,
	                     glob ? "; put a pattern that begins with '*' in quotes" : "");
}

static struct node *add_node(struct builder *b, enum node_kind kind, const yaml_event_t *e)
{
	struct node *n = arena_alloc(&b->d->arena, 1, sizeof *n);
	*n = place(&e->start_mark);
	n->kind = kind;
	if (kind == NODE_SCALAR) {
		n->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
		n->text.p = arena_dup(&b->d->arena, (struct span){ (const char *)e->data.scalar.value,
		                                                   e->data.scalar.length });
		n->text.n = e->data.scalar.length;
	}
	return n;
}

/* Attach the node to the tree: as the root, a key, the value of a key, or an item of a list. */
static enum status attach(struct builder *b, struct node *n)
{
	struct open_node *l = b->depth ? &b->open[b->depth - 1] : NULL;
	if (!l) {
		b->d->root = n;
	} else if (l->node->kind == NODE_MAP && !l->key) {
		if (n->kind != NODE_SCALAR)
			return document_fail(b->d, n, "a key must be a word");
		l->key = n;
		return ST_OK;
	} else {
		n->key = l->key;
		l->key = NULL;
		*l->tail = n;
		l->tail = &n->next;
	}
	if (n->kind == NODE_SCALAR)
		return ST_OK;
	if (b->depth == DOCUMENT_MAX_DEPTH)
		return document_fail(b->d, n, "nested deeper than %d levels", DOCUMENT_MAX_DEPTH);
	b->open[b->depth++] = (struct open_node){ .node = n, .tail = &n->first };
	return ST_OK;
}

static enum status add_value(struct builder *b, enum node_kind kind, const yaml_event_t *e,
                             const yaml_char_t *anchor, const yaml_char_t *tag)
{
	struct node at = place(&e->start_mark);
	if (anchor)
		return document_fail(b->d, &at,
		                     "anchors are not allowed: write the value out where it is needed");
	if (tag)
		return document_fail(b->d, &at,
		                     "tags are not allowed: leave out the word that begins with '!'");
	return attach(b, add_node(b, kind, e));
}

static enum status begin_document(struct builder *b, const yaml_event_t *e)
{
	struct node at = place(&e->start_mark);
	if (b->began)
		return document_fail(b->d, &at, "a second document begins here: a file holds one");
	b->began = true;
	if (e->data.document_start.version_directive ||
	    e->data.document_start.tag_directives.start != e->data.document_start.tag_directives.end)
		return document_fail(
		    b->d, &at, "directives are not allowed: leave out the line that begins with '%%'");
	return ST_OK;
}

static enum status take_event(struct builder *b, const yaml_event_t *e)
{
	struct node at = place(&e->start_mark);
	switch (e->type) {
	case YAML_DOCUMENT_START_EVENT:
		return begin_document(b, e);
	case YAML_ALIAS_EVENT:
		return document_fail(
		    b->d, &at, "aliases are not allowed: put a pattern that begins with '*' in quotes");
	case YAML_SCALAR_EVENT:
		return add_value(b, NODE_SCALAR, e, e->data.scalar.anchor, e->data.scalar.tag);
	case YAML_SEQUENCE_START_EVENT:
		return add_value(b, NODE_LIST, e, e->data.sequence_start.anchor,
		                 e->data.sequence_start.tag);
	case YAML_MAPPING_START_EVENT:
		return add_value(b, NODE_MAP, e, e->data.mapping_start.anchor, e->data.mapping_start.tag);
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		b->depth -= b->depth > 0;
		return ST_OK;
	case YAML_STREAM_END_EVENT:
		return b->d->root ? ST_OK : document_fail(b->d, &at, "the file is empty");
	default:
		return ST_OK;
	}
}

static enum status document_parse(struct document *d, struct span text)
{
	yaml_parser_t parser;
	enum status st = ST_OK;
	span_skip(&text, BYTE_ORDER_MARK);
	struct builder b = { .d = d, .text = text };
	if (text.n > DOCUMENT_MAX_BYTES)
		return diag_fail(d->log, ST_USAGE, "%s: is larger than 1 MiB", d->shown);
	if (!yaml_parser_initialize(&parser))
		return diag_fail(d->log, ST_OUTPUT, "%s: out of memory", d->shown);
	yaml_parser_set_input_string(&parser, (const unsigned char *)text.p, text.n);
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	for (bool done = false; st == ST_OK && !done;) {
		yaml_event_t e;
		if (!yaml_parser_parse(&parser, &e)) {
			st = syntax_fault(&b, &parser);
			break;
		}
		done = e.type == YAML_STREAM_END_EVENT;
		st = take_event(&b, &e);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&parser);
	return st;
}

static enum status document_read(struct document *d, const char *path)
{
	struct strbuf text = STRBUF_INIT;
	struct stat sb;
	enum status st = ST_OK;
	/* O_NONBLOCK: otherwise, opening a FIFO would wait for a writer */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return diag_fail(d->log, ST_USAGE, "%s: cannot be opened: %s; name a YAML file", d->shown,
		                 strerror(errno));
	if (fstat(fd, &sb) < 0 || !S_ISREG(sb.st_mode))
		st = diag_fail(d->log, ST_USAGE, "%s: is not a regular file; name a YAML file", d->shown);
	else if (!strbuf_read(&text, fd, DOCUMENT_MAX_BYTES))
		st = diag_fail(d->log, ST_USAGE, "%s: cannot be read: %s", d->shown, strerror(errno));
	close(fd);
	if (st == ST_OK) {
		opened_note(&sb);
		st = document_parse(d, strbuf_span(&text));
	}
	strbuf_release(&text);
	return st;
}

/* Build the document of a compiled-in table. */
static enum status document_copy(struct document *d, const struct table *built_in)
{
	struct builder b = { .d = d };
	const char *texts = built_in->texts;
	enum status st = ST_OK;
	for (const struct table_node *t = built_in->nodes; t->line && st == ST_OK; t++) {
		struct node *n = arena_alloc(&d->arena, 1, sizeof *n);
		*n = (struct node){
			.kind = t->kind, .plain = t->plain, .line = t->line, .column = t->column
		};
		if (t->kind == NODE_SCALAR) {
			n->text = (struct span){ texts, t->length };
			texts += t->length + 1;
		}
		st = attach(&b, n);
		b.depth -= t->ends;
	}
	return st;
}

enum status document_open(const char *path, const struct span *text, const struct table *built_in,
                          document_fn *read, void *out, struct diag_log *log)
{
	struct document d = {
		.name = path ? path : "built in", .built_in = !path, .arena = ARENA_INIT, .log = log
	};
	d.shown = text_short(&d.arena, span_of(d.name), 4096);
	enum status st = !path  ? document_copy(&d, built_in)
	                 : text ? document_parse(&d, *text)
	                        : document_read(&d, path);
	if (st == ST_OK)
		st = read(&d, out);
	arena_release(&d.arena);
	return st;
}

void yaml_add_quoted(struct strbuf *b, struct span text)
{
	strbuf_addch(b, '"');
	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (c < ' ' || c == 0x7F)
			strbuf_addf(b, "\\x%02x", c);
		else
			strbuf_addf(b, c == '"' || c == '\\' ? "\\%c" : "%c", c);
	}
	strbuf_addch(b, '"');
}
