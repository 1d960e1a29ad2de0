/* Reading of fields that are not rows, for one struct or for several together. */
#include "store/digest_schema.h"

#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* ---- single values ---- */

static int64_t read_number(struct row_reader *r, const char *key, bool negative)
{
	int64_t value;
	if (jscan_natural(r->js, &value)) /* fast path for integers ≥ 0 */
		return value;
	uint64_t byte = row_byte(r);
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

int64_t row_read_number(struct row_reader *r, const char *key)
{
	return read_number(r, key, true);
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

struct span row_read_text(struct row_reader *r, const char *key)
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

/* Value of a lower-case hex digit; -1 for any other character. */
static int nibble(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *p = c ? strchr(digits, c) : NULL;
	return p ? (int)(p - digits) : -1;
}

/* Reads the raw bytes of a text from hex. `shown` is the value of the key before it, the text made
 * valid UTF-8; an error if it does not result from the bytes. */
static struct span read_hex(struct row_reader *r, const char *key, struct span shown)
{
	uint64_t byte = row_byte(r);
	struct span hex = row_read_text(r, key);
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
		row_fail(r, byte, key, "does not lead back to the text before it");
	strbuf_release(&valid);
	return bytes;
}

static uint64_t read_hash(struct row_reader *r, const char *key)
{
	uint64_t byte = row_byte(r), value = 0;
	struct span hex = row_read_text(r, key);
	bool ok = hex.n == 16;
	for (size_t i = 0; ok && i < hex.n; i++) {
		ok = nibble(hex.p[i]) >= 0;
		value = value << 4 | (ok ? (uint64_t)nibble(hex.p[i]) : 0);
	}
	if (!ok)
		row_fail(r, byte, key, "is not 16 hex digits");
	return value;
}

static unsigned read_enum(struct row_reader *r, const struct field *f, const char *key)
{
	uint64_t byte = row_byte(r);
	struct span text = row_read_text(r, key);
	int i = span_find(text, f->names);
	if (i >= 0)
		return (unsigned)i;
	bool newer = row_reader_is_lenient(r);
	if (newer && f->names_row && jscan_status(r->js) == ST_OK)
		r->row_is_newer = true;
	else
		row_fail(r, byte, key,
		         arena_printf(r->arena, "is %s, which is not known%s", text_quote(r->arena, text),
		                      newer ? " to this gpugate (" GPUGATE_VERSION
		                              "); use the gpugate that wrote it"
		                            : ""));
	return 0;
}

/* Reads three numbers from an array. The caller has read the opening bracket; the scanner is at the
   first element, which has the type `first`. */
static void read_shape(struct row_reader *r, const char *key, uint64_t byte, enum jscan_type first,
                       int64_t shape[3])
{
	size_t nr = 0;
	for (bool more = first != JSCAN_END; more; more = jscan_element(r->js), nr++) {
		int64_t value = row_read_count(r, key);
		if (nr < 3)
			shape[nr] = value;
	}
	if (nr != 3)
		row_fail(r, byte, key, "does not have three numbers");
}

/* ---- fields of one or several structs ---- */

/* Reads a field whose value is not a row. `key` is the field's key; NULL if the value is an element
 * of a list. */
static void read_field(struct row_reader *r, const struct field *f, const char *key, void *row)
{
	char *at = (char *)row + f->offset;
	uint64_t byte;
	switch (f->type) {
	case FIELD_COUNT:
	case FIELD_OPTIONAL_COUNT:
		*(int64_t *)(void *)at = row_read_count(r, key);
		break;
	case FIELD_NUMBER:
	case FIELD_OPTIONAL_NUMBER:
		*(int64_t *)(void *)at = read_number(r, key, true);
		break;
	case FIELD_BOOL:
		*(bool *)at = read_bool(r, key);
		break;
	case FIELD_TEXT:
	case FIELD_OPTIONAL_TEXT:
		*(const char **)(void *)at = row_read_text(r, key).p;
		break;
	case FIELD_NAME:
	case FIELD_OPTIONAL_NAME:
		*(struct span *)(void *)at = row_read_text(r, key);
		break;
	case FIELD_HASH:
		*(uint64_t *)(void *)at = read_hash(r, key);
		break;
	case FIELD_ENUM:
		*(unsigned *)(void *)at = read_enum(r, f, key);
		break;
	case FIELD_SHAPE:
		byte = row_byte(r);
		read_shape(r, key, byte, row_enter_array(r, key), (void *)at);
		break;
	case FIELD_ROW:
	case FIELD_ROWS:
	case FIELD_OPTIONAL_ROWS:
	case FIELD_STEPS:
	case FIELD_OWN:
		break;
	}
}

/* Reads the value of the key KEY_hex, which follows KEY: the raw bytes of a text in hex. */
static void read_field_hex(struct row_reader *r, const struct field *f, const char *key, void *row)
{
	char *at = (char *)row + f->offset;
	if (f->type == FIELD_NAME || f->type == FIELD_OPTIONAL_NAME) {
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

bool row_is_optional(const struct field *f)
{
	return f->since > 0 || f->type == FIELD_OPTIONAL_COUNT || f->type == FIELD_OPTIONAL_NUMBER ||
	       f->type == FIELD_OPTIONAL_TEXT || f->type == FIELD_OPTIONAL_NAME ||
	       f->type == FIELD_OPTIONAL_ROWS || f->type == FIELD_SHAPE;
}

bool row_is_number(const struct field *f)
{
	return f->type == FIELD_COUNT || f->type == FIELD_OPTIONAL_COUNT || f->type == FIELD_NUMBER ||
	       f->type == FIELD_OPTIONAL_NUMBER;
}

bool row_is_text(const struct field *f)
{
	return f->type == FIELD_TEXT || f->type == FIELD_OPTIONAL_TEXT || f->type == FIELD_NAME ||
	       f->type == FIELD_OPTIONAL_NAME;
}

typedef void read_fn(struct row_reader *r, const struct field *f, const char *key, void *row);

/* Reads one value for each struct from a list; `nulls` allows null for no value. The caller has
   read the opening bracket; the scanner is at the first element. */
static void read_list(struct row_reader *r, const struct field *f, const char *key, bool nulls,
                      read_fn *read, void *const *rows, size_t nr)
{
	size_t before = row_enter(r, key, 0);
	for (size_t at = 0; row_next(r, NULL, &at, nr);) {
		size_t path = row_enter(r, NULL, at - 1);
		if (!nulls || !jscan_null(r->js))
			read(r, f, NULL, rows[at - 1]);
		strbuf_setlen(&r->path, path);
	}
	strbuf_setlen(&r->path, before);
}

/* Reads a field of `nr` structs. A list has one value for each struct; any other value is that of
 * all structs. A shape is itself a list of numbers. So if the field is a shape, a list that begins
 * with a number is the one shape of all structs. */
void row_read_values(struct row_reader *r, const struct field *f, const char *key, bool hex,
                     void *const *rows, size_t nr)
{
	read_fn *read = hex ? read_field_hex : read_field;
	bool is_shape = f->type == FIELD_SHAPE;
	if (nr > 1 && jscan_peek(r->js) == JSCAN_ARRAY) {
		uint64_t byte = row_byte(r);
		enum jscan_type first = row_enter_array(r, key);
		if (first == JSCAN_END)
			row_fail(r, byte, key, "is empty");
		if (!is_shape || first != JSCAN_NUMBER) {
			read_list(r, f, key, hex || row_is_optional(f), read, rows, nr);
			return;
		}
		read_shape(r, key, byte, first, (void *)((char *)rows[0] + f->offset));
	} else {
		read(r, f, key, rows[0]);
	}
	for (size_t i = 1; i < nr; i++)
		memcpy((char *)rows[i] + f->offset, (char *)rows[0] + f->offset, field_size(f));
}
