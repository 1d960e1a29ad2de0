#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/vec.h"
#include "store/row.h"

const struct store_limits store_limits = {
	.bytes = (uint64_t)1 << 30,
	.rows = 1000000,
	.steps = 1000000,
	.ranks = 65536,
};

void row_fail(struct row_reader *r, uint64_t byte, const char *key, const char *what)
{
	if (jscan_status(r->js) != ST_OK)
		return;
	size_t before = key ? row_enter(r, key, 0) : r->path.n;
	struct span place = r->path.n ? strbuf_span(&r->path) : SPAN("document");
	jscan_fail(r->js, byte, "%s %s", text_quote(r->arena, place), what);
	strbuf_setlen(&r->path, before);
}

size_t row_enter(struct row_reader *r, const char *key, size_t index)
{
	size_t before = r->path.n;
	if (key)
		strbuf_addf(&r->path, "%s%s", before ? "." : "", key);
	else
		strbuf_addf(&r->path, "[%zu]", index);
	return before;
}

uint64_t row_byte(struct row_reader *r)
{
	jscan_peek(r->js);
	return jscan_byte(r->js);
}

/* ---- scalars ---- */

static int64_t read_number(struct row_reader *r, const char *key, bool negative)
{
	uint64_t byte = row_byte(r);
	int64_t value;
	struct span text;
	const char *what = NULL;
	if (!jscan_number(r->js, &text))
		what = "is not a number";
	else if (text.p[0] == '-' && !negative)
		what = "is negative";
	else if (memchr(text.p, '.', text.n) || memchr(text.p, 'e', text.n) ||
	         memchr(text.p, 'E', text.n))
		what = "is not a whole number";
	else if (!number_parse(text, 0, &value))
		what = "is too large";
	if (!what)
		return value;
	row_fail(r, byte, key, what);
	return 0;
}

int64_t row_read_count(struct row_reader *r, const char *key)
{
	return read_number(r, key, false);
}

static bool read_bool(struct row_reader *r, const char *key)
{
	uint64_t byte = row_byte(r);
	enum jscan_type type;
	if (jscan_literal(r->js, &type) && type != JSCAN_NULL)
		return type == JSCAN_TRUE;
	row_fail(r, byte, key, "is neither true nor false");
	return false;
}

/* Valid text, owned by the reader's arena; empty after an error. */
static struct span read_text(struct row_reader *r, const char *key)
{
	uint64_t byte = row_byte(r);
	struct span text;
	if (!jscan_string(r->js, &text))
		row_fail(r, byte, key, "is not a string");
	else if (!text_is_valid(text))
		row_fail(r, byte, key, "is not valid UTF-8, or holds a NUL; such bytes are stored as hex");
	else
		return (struct span){ arena_dup(r->arena, text), text.n };
	return SPAN("");
}

/* Value of a lower-case hex digit, or -1. */
static int nibble(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c ? strchr(digits, c) : NULL;
	return p ? (int)(p - digits) : -1;
}

/* The bytes behind `shown`, which is what people see of them. */
static struct span read_hex(struct row_reader *r, const char *key, struct span shown)
{
	uint64_t byte = row_byte(r);
	struct span hex = read_text(r, key);
	char *raw = arena_alloc(r->arena, hex.n / 2 + 1, 1);
	struct strbuf valid = STRBUF_INIT;
	bool ok = hex.n % 2 == 0;
	for (size_t i = 0; ok && i < hex.n; i += 2) {
		int high = nibble(hex.p[i]), low = nibble(hex.p[i + 1]);
		ok = high >= 0 && low >= 0;
		raw[i / 2] = (char)(ok ? high * 16 + low : 0);
	}
	struct span bytes = { raw, hex.n / 2 };
	text_add_valid(&valid, bytes);
	if (!ok)
		row_fail(r, byte, key, "is not hex");
	else if (text_is_valid(bytes) || !span_eq(strbuf_span(&valid), shown))
		row_fail(r, byte, key, "does not stand for the text before it");
	strbuf_release(&valid);
	return bytes;
}

static uint64_t read_hash(struct row_reader *r, const char *key)
{
	uint64_t byte = row_byte(r), value = 0;
	struct span hex = read_text(r, key);
	bool ok = hex.n == 16;
	for (size_t i = 0; ok && i < hex.n; i++) {
		ok = nibble(hex.p[i]) >= 0;
		value = value << 4 | (ok ? (uint64_t)nibble(hex.p[i]) : 0);
	}
	if (!ok)
		row_fail(r, byte, key, "is not 16 hex digits");
	return value;
}

static unsigned read_enum(struct row_reader *r, const struct field *f)
{
	uint64_t byte = row_byte(r);
	struct span text = read_text(r, f->key);
	unsigned i = 0;
	while (f->names[i] && !span_eq(text, span_of(f->names[i])))
		i++;
	if (f->names[i])
		return i;
	row_fail(r, byte, f->key,
	         arena_printf(r->arena, "is %s, which is not known", text_quote(r->arena, text)));
	return 0;
}

static void read_shape(struct row_reader *r, const char *key, int64_t shape[3])
{
	uint64_t byte = row_byte(r);
	size_t nr = 0;
	if (!jscan_array(r->js)) {
		row_fail(r, byte, key, "is not an array");
		return;
	}
	for (; jscan_element(r->js); nr++) {
		int64_t value = row_read_count(r, key);
		if (nr < 3)
			shape[nr] = value;
	}
	if (nr != 3)
		row_fail(r, byte, key, "does not have three numbers");
}

/* ---- rows ---- */

static void read_rows(struct row_reader *r, const struct field *f, void *row)
{
	const struct schema *s = f->sub;
	VEC(char) rows; /* every VEC is a pointer and two sizes; `cap` is in rows */
	uint64_t byte = row_byte(r);
	size_t before = row_enter(r, f->key, 0);
	memcpy(&rows, (char *)row + f->offset, sizeof rows);
	if (!jscan_array(r->js))
		row_fail(r, byte, NULL, "is not an array");
	while (jscan_status(r->js) == ST_OK && jscan_element(r->js)) {
		size_t path = row_enter(r, NULL, rows.nr);
		byte = row_byte(r);
		if (rows.nr == store_limits.rows)
			row_fail(r, byte, NULL, "is one row too many");
		if (rows.nr == rows.cap)
			rows.v = vec_grow_(rows.v, &rows.cap, rows.nr + 1, s->size);
		char *fresh = rows.v + rows.nr * s->size;
		memset(fresh, 0, s->size);
		row_read(r, s, fresh);
		if (jscan_status(r->js) == ST_OK && rows.nr && s->cmp(fresh - s->size, fresh) >= 0)
			row_fail(r, byte, NULL, "does not come after the row before it");
		strbuf_setlen(&r->path, path);
		rows.nr++;
	}
	strbuf_setlen(&r->path, before);
	memcpy((char *)row + f->offset, &rows, sizeof rows);
}

static void read_row(struct row_reader *r, const struct field *f, void *row)
{
	size_t before = row_enter(r, f->key, 0);
	row_read(r, f->sub, (char *)row + f->offset);
	strbuf_setlen(&r->path, before);
}

static void read_field(struct row_reader *r, const struct field *f, void *row)
{
	char *at = (char *)row + f->offset;
	switch (f->type) {
	case FIELD_COUNT:
	case FIELD_OPTIONAL_COUNT:
		*(int64_t *)(void *)at = row_read_count(r, f->key);
		break;
	case FIELD_NUMBER:
	case FIELD_OPTIONAL_NUMBER:
		*(int64_t *)(void *)at = read_number(r, f->key, true);
		break;
	case FIELD_BOOL:
		*(bool *)at = read_bool(r, f->key);
		break;
	case FIELD_TEXT:
	case FIELD_OPTIONAL_TEXT:
		*(const char **)(void *)at = read_text(r, f->key).p;
		break;
	case FIELD_NAME:
		*(struct span *)(void *)at = read_text(r, f->key);
		break;
	case FIELD_HASH:
		*(uint64_t *)(void *)at = read_hash(r, f->key);
		break;
	case FIELD_ENUM:
		*(unsigned *)(void *)at = read_enum(r, f);
		break;
	case FIELD_SHAPE:
		read_shape(r, f->key, (void *)at);
		break;
	case FIELD_ROW:
		read_row(r, f, row);
		break;
	case FIELD_ROWS:
	case FIELD_OPTIONAL_ROWS:
		read_rows(r, f, row);
		break;
	case FIELD_OWN:
		f->read(r, row);
		break;
	}
}

/* `KEY_hex` behind KEY. */
static void read_field_hex(struct row_reader *r, const struct field *f, const char *key, void *row)
{
	char *at = (char *)row + f->offset;
	if (f->type == FIELD_NAME) {
		struct span *name = (void *)at;
		*name = read_hex(r, key, *name);
		return;
	}
	const char **text = (void *)at;
	uint64_t byte = row_byte(r);
	struct span raw = read_hex(r, key, span_of(*text));
	if (raw.n && memchr(raw.p, '\0', raw.n))
		row_fail(r, byte, key, "holds a NUL");
	*text = raw.p;
}

static bool is_optional(const struct field *f)
{
	return f->type == FIELD_OPTIONAL_COUNT || f->type == FIELD_OPTIONAL_NUMBER ||
	       f->type == FIELD_OPTIONAL_TEXT || f->type == FIELD_OPTIONAL_ROWS ||
	       f->type == FIELD_SHAPE;
}

static bool is_text(const struct field *f)
{
	return f->type == FIELD_TEXT || f->type == FIELD_OPTIONAL_TEXT || f->type == FIELD_NAME;
}

/* Index of the field of `key`, looked for from `from` on, as files come in the
   order of the table; s->nr where there is none. */
static size_t find_field(const struct schema *s, struct span key, size_t from, bool *hex)
{
	*hex = false;
	for (size_t i = 0; i < s->nr; i++) {
		size_t k = (from + i) % s->nr;
		if (span_eq(key, span_of(s->fields[k].key)))
			return k;
	}
	*hex = key.n > 4 && memcmp(key.p + key.n - 4, "_hex", 4) == 0;
	if (*hex)
		key.n -= 4;
	for (size_t i = 0; *hex && i < s->nr; i++)
		if (is_text(&s->fields[i]) && span_eq(key, span_of(s->fields[i].key)))
			return i;
	return s->nr;
}

/* The leading key says what the rest is: nothing is read before it. */
static void read_schema(struct row_reader *r, const char *id)
{
	struct span key, family = { id, (size_t)(strrchr(id, '-') + 1 - id) };
	uint64_t byte, version, own_version;
	if (!jscan_key(r->js, &key) || !span_eq(key, SPAN("schema"))) {
		row_fail(r, jscan_byte(r->js), NULL,
		         arena_printf(r->arena, "does not begin with the key 'schema': no %s", id));
		return;
	}
	byte = row_byte(r);
	struct span text = read_text(r, "schema");
	if (span_eq(text, span_of(id)))
		return;
	const char *quoted = text_quote(r->arena, text);
	if (span_starts(text, family) && number_parse_u64(span_of(id + family.n), &own_version) &&
	    number_parse_u64((struct span){ text.p + family.n, text.n - family.n }, &version) &&
	    version > own_version)
		jscan_fail(
		    r->js, byte,
		    "schema %s is newer than this gpugate reads ('%s'); use the gpugate that wrote it, "
		    "or make it anew",
		    quoted, id);
	else
		row_fail(r, byte, "schema",
		         arena_printf(r->arena, "is %s where '%s' is expected", quoted, id));
}

static void set_defaults(const struct schema *s, void *row)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct field *f = &s->fields[i];
		int64_t *at = (void *)((char *)row + f->offset);
		if (f->type == FIELD_OPTIONAL_COUNT || f->type == FIELD_OPTIONAL_NUMBER)
			*at = f->absent;
		if (f->type == FIELD_SHAPE)
			*at = -1;
	}
}

void row_read(struct row_reader *r, const struct schema *s, void *row)
{
	uint64_t seen = 0, seen_hex = 0, byte = row_byte(r);
	struct span key;
	size_t at = 0;
	if (!jscan_object(r->js)) {
		row_fail(r, byte, NULL, "is not an object");
		return;
	}
	set_defaults(s, row);
	if (s->id)
		read_schema(r, s->id);
	while (jscan_status(r->js) == ST_OK && jscan_key(r->js, &key)) {
		bool hex;
		byte = jscan_byte(r->js);
		at = find_field(s, key, at, &hex);
		uint64_t bit = at < s->nr ? (uint64_t)1 << at : 0;
		const char *name = bit && !hex ? s->fields[at].key : arena_dup(r->arena, key);
		if (!bit)
			row_fail(r, byte, name, "is not known");
		else if ((hex ? seen_hex : seen) & bit)
			row_fail(r, byte, name, "is there twice");
		else if (hex && !(seen & bit))
			row_fail(r, byte, name, "comes before its text");
		else if (byte > store_limits.bytes)
			row_fail(r, byte, name, "lies beyond what a stored file may hold");
		else if (hex)
			read_field_hex(r, &s->fields[at], name, row);
		else
			read_field(r, &s->fields[at], row);
		*(hex ? &seen_hex : &seen) |= bit;
	}
	for (size_t i = 0; i < s->nr; i++)
		if (!(seen >> i & 1) && !is_optional(&s->fields[i]))
			row_fail(r, jscan_byte(r->js), s->fields[i].key, "is missing");
}
