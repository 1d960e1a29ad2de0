#include "results/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

enum { LATER_WINDOW = 2048 };

enum status value_bytes_read(struct source *src, struct value_tree *out, struct diag_log *log)
{
	struct strbuf b = STRBUF_INIT;
	enum status st = source_read_all(src, VALUE_BYTES, &b, log);
	/* a larger file is not a result file, so nothing of it is used */
	*out = (struct value_tree){ .root = { .type = JSCAN_ARRAY },
		                        .bytes = { b.p, b.n > VALUE_BYTES ? 0 : b.n } };
	return st;
}

bool value_line(struct span *rest, struct span *line)
{
	size_t all = rest->n;
	*line = span_cut(rest, '\n');
	return line->n < all;
}

void value_tree_release(struct value_tree *t)
{
	free((void *)(uintptr_t)t->bytes.p);
	arena_release(&t->arena);
}

struct value *value_add(struct value_tree *t, struct value *parent, enum jscan_type type,
                        struct span key, struct span text)
{
	if (++t->nr_values > VALUE_NUMBER)
		return NULL;
	struct value *v = arena_alloc(&t->arena, 1, sizeof *v);
	*v = (struct value){ .type = type, .key = key, .text = text, .parent = parent };
	if (parent->last)
		parent->last->next = v;
	else
		parent->first = v;
	parent->last = v;
	return v;
}

const struct value *value_get(const struct value *of, struct span key)
{
	const struct value *found = NULL;
	if (of->type == JSCAN_OBJECT)
		for (const struct value *m = of->first; m; m = m->next)
			if (span_eq(m->key, key))
				found = m; /* as in other JSON readers, the last of several equal keys counts */
	return found;
}

/* ---- values from JSON ---- */

struct value_builder {
	struct value_tree *t;
	struct jscan *js;
	struct span text; ///< text that is scanned
};

static struct span kept(struct value_builder *b, struct span s)
{
	return arena_span(&b->t->arena, s);
}

/* Makes a member of `parent` from the next value; an object or array is entered, not read. */
static struct value *build_one(struct value_builder *b, struct value *parent, struct span key)
{
	struct span text = SPAN("");
	enum jscan_type type = jscan_peek(b->js);
	uint64_t from = jscan_value_byte(b->js);
	if (type == JSCAN_OBJECT) {
		jscan_object(b->js);
	} else if (type == JSCAN_ARRAY) {
		jscan_array(b->js);
	} else if (type == JSCAN_STRING || type == JSCAN_NUMBER) {
		if (type == JSCAN_STRING ? jscan_string(b->js, &text) : jscan_number(b->js, &text))
			text = kept(b, text);
	} else if (type != JSCAN_END) {
		jscan_literal(b->js, &type);
		uint64_t to = jscan_byte(b->js);
		if (jscan_status(b->js) == ST_OK && to <= b->text.n)
			text = (struct span){ b->text.p + from, (size_t)(to - from) };
	}
	if (jscan_status(b->js) != ST_OK || type == JSCAN_END)
		return NULL;
	struct value *v = value_add(b->t, parent, type, key, text);
	if (!v)
		jscan_fail(b->js, from, "more than %d values in a result file", VALUE_NUMBER);
	return v;
}

static bool is_container(const struct value *v)
{
	return v && (v->type == JSCAN_OBJECT || v->type == JSCAN_ARRAY);
}

/* Reads one value with all values below it, without recursion; the scanner limits the depth. */
static void build(struct value_builder *b, struct value *parent)
{
	struct value *at = build_one(b, parent, SPAN(""));
	if (!is_container(at))
		return;
	while (at != parent && jscan_status(b->js) == ST_OK) {
		struct span key = SPAN("");
		bool more = at->type == JSCAN_OBJECT ? jscan_key(b->js, &key) : jscan_element(b->js);
		if (!more) {
			at = at->parent;
			continue;
		}
		struct value *v = build_one(b, at, kept(b, key));
		at = is_container(v) ? v : at;
	}
}

static size_t blanks(struct span s)
{
	size_t n = 0;
	while (n < s.n && s.p[n] && strchr(" \t\r\n\x1e", s.p[n]))
		n++;
	return n;
}

/* True if a text that begins with '[' is a JSON list; false if it is a line of a log, such as
   "[2026-11-28 10:00:00]", "[rank0]: ", "[0] loss", "[1,0]<stdout>: ". */
static bool is_list(struct span text)
{
	static const char *const words[] = { "true", "false", "null", "NaN", "Infinity" };
	size_t n = 1 + blanks(span_from(text, 1)), number = 0;
	struct span rest = span_from(text, n);
	if (ANY(i, NR_OF(words), span_starts(rest, span_of(words[i]))))
		return true;
	while (number < rest.n &&
	       (is_digit(rest.p[number]) || strchr(".eE", rest.p[number]) ||
	        (strchr("-+", rest.p[number]) && (!number || (rest.p[number - 1] | 0x20) == 'e'))))
		number++;
	if (!number)
		return !rest.n || strchr("{[]\"", rest.p[0]);
	if (number < rest.n && rest.p[number] == ',')
		while (number < rest.n && (is_digit(rest.p[number]) || rest.p[number] == ','))
			number++;
	if (number == rest.n || rest.p[number] != ']')
		return number == rest.n || strchr(", \t\r\n.", rest.p[number]);
	for (number++; number < rest.n && strchr(" \t\r", rest.p[number]);)
		number++;
	return number == rest.n || rest.p[number] == '\n';
}

bool value_is_json(struct span text)
{
	size_t n = blanks(text);
	return n < text.n && (text.p[n] == '{' || (text.p[n] == '[' && is_list(span_from(text, n))));
}

enum status value_json_add(struct value_tree *out, const char *name, struct span text,
                           struct diag_log *log)
{
	enum status st = ST_OK;
	size_t nr = 0, line = 1, counted = 0;
	for (size_t at = blanks(text); at < text.n && st == ST_OK; nr++) {
		struct span rest = span_from(text, at);
		size_t before = line;
		for (; counted < at; counted++)
			line += text.p[counted] == '\n';
		if (nr && line == before && text.p[at - 1] != '\x1e')
			return diag_fail(log, ST_INPUT,
			                 "%s: byte %zu: another value on the line of the one before it; write "
			                 "one JSON value, or one a line",
			                 name, at);
		const char *place = nr ? arena_printf(&log->arena, "%s:%zu", name, line) : name;
		/* the window is small, since bytes scanned ahead of one value are scanned again for the
		 * next */
		struct source_options so = { .max_bytes = VALUE_BYTES, .window = nr ? LATER_WINDOW : 0 };
		struct source *src = source_memory(place, rest.p, rest.n, &so);
		struct diag_log own;
		diag_init(&own);
		struct jscan *js =
		    jscan_new(src, &(struct jscan_options){ .tolerant = true, .nan = true }, &own);
		struct value_builder b = { out, js, rest };
		build(&b, &out->root);
		st = jscan_status(js);
		if (st != ST_OK && nr && jscan_byte(js) < rest.n)
			diag_error(log, "%s; JSON lines hold nothing else", diag_first_error(&own));
		else
			diag_move(log, &own);
		diag_release(&own);
		out->nr_documents += st == ST_OK;
		uint64_t byte, faults = jscan_faults(js, &byte);
		if (faults && !out->nr_faults)
			out->fault_byte = (uint64_t)(rest.p - out->bytes.p) + byte;
		out->nr_faults += faults;
		at += (size_t)jscan_byte(js);
		at += at < text.n ? blanks(span_from(text, at)) : 0;
		jscan_free(js);
		source_close(src);
	}
	return st;
}

enum status value_lines_add(struct value_tree *out, const char *name, const char *prefix,
                            struct diag_log *log)
{
	struct span rest = out->bytes, s;
	for (size_t line = 1; rest.n; line++) {
		value_line(&rest, &s);
		const char *at = memmem(s.p, s.n, prefix, strlen(prefix));
		if (!at)
			continue;
		at += strlen(prefix);
		TRY(value_json_add(out, arena_printf(&log->arena, "%s:%zu", name, line),
		                   (struct span){ at, (size_t)(s.p + s.n - at) }, log));
	}
	return ST_OK;
}
