#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/text.h"
#include "base/vec.h"
#include "store/row.h"

/* json-c takes a failed allocation for null, which must never reach a file. */
static json_object *must(json_object *o)
{
	if (!o)
		mem_fail();
	return o;
}

static void add(json_object *o, const char *key, json_object *value)
{
	if (json_object_object_add(o, key, must(value)) != 0)
		mem_fail();
}

static void put(json_object *value, struct sink *out)
{
	size_t n;
	const char *text = json_object_to_json_string_length(
	    value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &n);
	if (!text)
		mem_fail();
	sink_write(out, (struct span){ text, n });
}

static json_object *new_text(struct span s)
{
	return must(json_object_new_string_len(s.n ? s.p : "", (int)s.n));
}

static void add_text(json_object *o, const char *key, struct span raw)
{
	if (text_is_valid(raw)) {
		add(o, key, new_text(raw));
		return;
	}
	struct strbuf valid = STRBUF_INIT, hex = STRBUF_INIT, hex_key = STRBUF_INIT;
	text_add_valid(&valid, raw);
	for (size_t i = 0; i < raw.n; i++)
		strbuf_addf(&hex, "%02x", (unsigned char)raw.p[i]);
	strbuf_addf(&hex_key, "%s_hex", key);
	add(o, key, new_text(strbuf_span(&valid)));
	add(o, strbuf_str(&hex_key), new_text(strbuf_span(&hex)));
	strbuf_release(&valid);
	strbuf_release(&hex);
	strbuf_release(&hex_key);
}

static void add_shape(json_object *o, const char *key, const int64_t shape[3])
{
	if (shape[0] < 0 || shape[1] < 0 || shape[2] < 0)
		return;
	json_object *array = must(json_object_new_array());
	for (int i = 0; i < 3; i++)
		if (json_object_array_add(array, must(json_object_new_int64(shape[i]))) != 0)
			mem_fail();
	add(o, key, array);
}

static json_object *new_row(const struct schema *s, const void *row);

/* What a field comes to in a row: no key, one, or two where bytes are kept as hex. */
static void add_field(json_object *o, const struct field *f, const void *row)
{
	const char *at = (const char *)row + f->offset;
	const int64_t *number = (const void *)at;
	const char *const *text = (const void *)at;
	char hash[17];
	switch (f->type) {
	case FIELD_OPTIONAL_COUNT:
	case FIELD_OPTIONAL_NUMBER:
		if (*number == f->absent || (*number < 0 && f->type == FIELD_OPTIONAL_COUNT))
			break;
		/* fall through */
	case FIELD_COUNT:
	case FIELD_NUMBER:
		add(o, f->key, json_object_new_int64(*number));
		break;
	case FIELD_BOOL:
		add(o, f->key, json_object_new_boolean(*(const bool *)at));
		break;
	case FIELD_OPTIONAL_TEXT:
		if (!*text)
			break;
		/* fall through */
	case FIELD_TEXT:
		add_text(o, f->key, span_of(*text));
		break;
	case FIELD_NAME:
		add_text(o, f->key, *(const struct span *)(const void *)at);
		break;
	case FIELD_HASH:
		snprintf(hash, sizeof hash, "%016" PRIx64, *(const uint64_t *)(const void *)at);
		add(o, f->key, json_object_new_string(hash));
		break;
	case FIELD_ENUM:
		add(o, f->key, json_object_new_string(f->names[*(const unsigned *)(const void *)at]));
		break;
	case FIELD_SHAPE:
		add_shape(o, f->key, number);
		break;
	case FIELD_ROW:
		add(o, f->key, new_row(f->sub, at));
		break;
	case FIELD_ROWS:
	case FIELD_OPTIONAL_ROWS:
	case FIELD_OWN: /* parts of documents, not of rows */
		break;
	}
}

static json_object *new_row(const struct schema *s, const void *row)
{
	json_object *o = must(json_object_new_object());
	for (size_t i = 0; i < s->nr; i++)
		add_field(o, &s->fields[i], row);
	return o;
}

static void write_rows(const struct field *f, const void *row, struct sink *out)
{
	VEC(char) rows; /* every VEC is a pointer and two sizes */
	memcpy(&rows, (const char *)row + f->offset, sizeof rows);
	if (rows.nr == 0 && f->type == FIELD_OPTIONAL_ROWS)
		return;
	sink_printf(out, ",\n\"%s\": [", f->key);
	for (size_t i = 0; i < rows.nr; i++) {
		json_object *o = new_row(f->sub, rows.v + i * f->sub->size);
		sink_puts(out, i ? ",\n" : "\n");
		put(o, out);
		json_object_put(o);
	}
	sink_puts(out, rows.nr ? "\n]" : "]");
}

void row_write(const struct schema *s, const void *row, struct sink *out)
{
	sink_printf(out, "{\n\"schema\": \"%s\"", s->id);
	for (size_t i = 0; i < s->nr; i++) {
		const struct field *f = &s->fields[i];
		if (f->type == FIELD_ROWS || f->type == FIELD_OPTIONAL_ROWS) {
			write_rows(f, row, out);
			continue;
		}
		if (f->type == FIELD_OWN) {
			sink_printf(out, ",\n\"%s\": ", f->key);
			f->write(row, out);
			continue;
		}
		json_object *o = must(json_object_new_object());
		struct json_object_iter member;
		add_field(o, f, row);
		json_object_object_foreachC(o, member)
		{
			sink_printf(out, ",\n\"%s\": ", member.key);
			put(member.val, out);
		}
		json_object_put(o);
	}
	sink_puts(out, "\n}");
}
