#include "report/emit.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"

static void add_quoted(struct sink *out, struct span text)
{
	static const char *const escapes[128] = { ['"'] = "\\\"", ['\\'] = "\\\\" };
	struct strbuf b = STRBUF_INIT;
	strbuf_addch(&b, '"');
	for (size_t i = 0; i < text.n;) {
		size_t end = text_plain_end(text, i, escapes);
		strbuf_add(&b, (struct span){ text.p + i, end - i });
		if ((i = end) == text.n)
			break;
		uint32_t cp = text_next(text, &i);
		if (cp < 128 && escapes[cp])
			strbuf_adds(&b, escapes[cp]);
		else if (cp && text_breaks_a_line(cp))
			strbuf_addf(&b, "\\u%04" PRIx32, cp);
		else
			text_add_codepoint(&b, cp ? cp : 0xFFFD);
	}
	strbuf_addch(&b, '"');
	sink_write(out, strbuf_span(&b));
	strbuf_release(&b);
}

static void before(struct emit *e, const char *key)
{
	if (e->comma)
		sink_puts(e->out, ", ");
	if (key) {
		add_quoted(e->out, span_of(key));
		sink_puts(e->out, ": ");
	}
	e->comma = true;
}

void emit_open(struct emit *e, const char *key, char bracket)
{
	before(e, key);
	sink_write(e->out, (struct span){ &bracket, 1 });
	e->comma = false;
}

void emit_close(struct emit *e, char bracket)
{
	sink_write(e->out, (struct span){ &bracket, 1 });
	e->comma = true;
}

void emit_text(struct emit *e, const char *key, struct span text)
{
	before(e, key);
	add_quoted(e->out, text);
}

void emit_str(struct emit *e, const char *key, const char *text)
{
	if (text) {
		emit_text(e, key, span_of(text));
		return;
	}
	before(e, key);
	sink_puts(e->out, "null");
}

void emit_texts(struct emit *e, const char *key, const char *const *v, size_t nr)
{
	emit_open(e, key, '[');
	for (size_t i = 0; i < nr; i++)
		emit_str(e, NULL, v[i]);
	emit_close(e, ']');
}

void emit_number(struct emit *e, const char *key, int64_t value, int digits)
{
	char buf[NUMBER_TEXT];
	before(e, key);
	sink_puts(e->out, number_format(value, digits, buf));
}

void emit_bool(struct emit *e, const char *key, bool value)
{
	before(e, key);
	sink_puts(e->out, value ? "true" : "false");
}

void emit_id(struct emit *e, const char *key, struct span id)
{
	int64_t v;
	if (number_parse(id, 0, &v) && id.p[0] != '-' && id.n <= 18 && !memchr(id.p, '.', id.n) &&
	    !memchr(id.p, 'e', id.n) && !memchr(id.p, 'E', id.n))
		emit_number(e, key, v, 0);
	else
		emit_text(e, key, id);
}

void emit_number_if(struct emit *e, const char *key, bool has, int64_t value, int digits)
{
	if (has)
		emit_number(e, key, value, digits);
	else
		emit_str(e, key, NULL);
}

static void emit_member(struct emit *e, const struct field *f, const void *row)
{
	const void *at = (const char *)row + f->offset;
	const int64_t *number = at;
	switch (f->type) {
	case FIELD_TEXT:
		emit_id(e, f->shown, span_of(*(const char *const *)at));
		break;
	case FIELD_NAME:
		emit_text(e, f->shown, *(const struct span *)at);
		break;
	case FIELD_ENUM:
		emit_str(e, f->shown, f->names[*(const unsigned *)at]);
		break;
	case FIELD_BOOL:
		emit_bool(e, f->shown, *(const bool *)at);
		break;
	case FIELD_OPTIONAL_COUNT:
	case FIELD_OPTIONAL_NUMBER:
		emit_number_if(e, f->shown, *number != f->absent, *number, 0);
		break;
	default:
		emit_number(e, f->shown, *number, 0);
	}
}

void emit_row(struct emit *e, const struct schema *s, const void *row)
{
	for (const struct field *f = s->fields; f < s->fields + s->nr; f++)
		if (f->shown)
			emit_member(e, f, row);
}

void emit_line(struct emit *e, int indent)
{
	if (e->comma)
		sink_puts(e->out, ",");
	sink_printf(e->out, "\n%*s", indent, "");
	e->comma = false;
}

void emit_open_line(struct emit *e, int indent, const char *key, char bracket)
{
	emit_line(e, indent);
	emit_open(e, key, bracket);
}
