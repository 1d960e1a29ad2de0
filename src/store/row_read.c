#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "base/vec.h"
#include "store/digest_schema.h"

const struct store_limits store_limits = {
	.bytes = (uint64_t)1 << 30,
	.rows = 1000000,
	.steps = 1000000,
	.ranks = 65536,
};

/* Least number of bytes that a file must have for each row beyond store_limits.rows. */
#define ROW_BYTES 16

void row_fail(struct row_reader *r, uint64_t byte, const char *key, const char *what)
{
	if (jscan_status(r->js) != ST_OK)
		return;
	size_t before = key ? row_enter(r, key, 0) : r->path.n;
	const char *place = r->path.n ? text_quote(r->arena, strbuf_span(&r->path)) : "the file";
	jscan_fail(r->js, byte, "%s %s", place, what);
	strbuf_setlen(&r->path, before);
}

void row_need(struct row_reader *r, bool fine, const char *key, const char *what)
{
	if (!fine)
		row_fail(r, jscan_byte(r->js), key, what);
}

enum jscan_type row_enter_array(struct row_reader *r, const char *key)
{
	uint64_t byte = row_byte(r);
	if (!jscan_array(r->js))
		row_fail(r, byte, key, "is not an array");
	else if (jscan_element(r->js))
		return jscan_peek(r->js);
	return JSCAN_END;
}

bool row_item(struct row_reader *r, const char *key, size_t i)
{
	return i ? jscan_element(r->js) : row_enter_array(r, key) != JSCAN_END;
}

bool row_next(struct row_reader *r, const char *key, size_t *at, size_t nr)
{
	bool more = *at == 0 || jscan_element(r->js);
	row_need(r, more == (*at < nr), key, "does not have one value for each rank");
	++*at;
	return more && jscan_status(r->js) == ST_OK;
}

size_t row_enter(struct row_reader *r, const char *key, size_t index)
{
	size_t before = r->path.n;
	if (key) { /* strbuf_addf() alone would take a tenth of the time of reading a file */
		strbuf_adds(&r->path, before ? "." : "");
		strbuf_adds(&r->path, key);
	} else
		strbuf_addf(&r->path, "[%zu]", index);
	return before;
}

uint64_t row_byte(struct row_reader *r)
{
	jscan_peek(r->js);
	return jscan_byte(r->js);
}

/* ---- reading of rows ---- */

/* State of the reader in an object: the next key is unread, or has been read, or there is no
 * further key. */
enum next_key { KEY_UNREAD, KEY_READ, KEY_NONE };

static void read_members(struct row_reader *r, const struct schema *s, void *const *rows, size_t nr,
                         enum next_key next, struct span key);

/* The rows of one line of the file, and the indices (`owners`) of the structs that have them. */
struct line {
	char *rows; ///< one zeroed row for each struct
	void **owned; ///< pointers into `rows`, only for the structs that have this line's row
	size_t *owners;
	size_t nr;
};

/* Reads the list of the structs that have the row into l->owners, as ascending indices. A row that
 * all structs have is written without this list. */
static void read_owners(struct row_reader *r, struct line *l, size_t nr)
{
	uint64_t byte = row_byte(r);
	size_t found = 0;
	bool ok = true;
	for (size_t i = 0; ok && row_item(r, ROW_OWNERS, i); i++) {
		int64_t owner = row_read_count(r, ROW_OWNERS);
		ok = (uint64_t)owner < nr && (!found || (size_t)owner > l->owners[found - 1]);
		if (ok)
			l->owners[found++] = (size_t)owner;
	}
	if (!ok || !found)
		row_fail(r, byte, ROW_OWNERS, "is not a rising list of ranks that there are");
	l->nr = found;
}

static void read_line(struct row_reader *r, const struct schema *s, struct line *l, size_t nr)
{
	struct span key = SPAN("");
	uint64_t byte = row_byte(r);
	l->nr = nr;
	for (size_t i = 0; i < nr; i++)
		l->owners[i] = i;
	if (!jscan_object(r->js)) {
		row_fail(r, byte, NULL, "is not an object");
		return;
	}
	enum next_key next = nr == 1 ? KEY_UNREAD : jscan_key(r->js, &key) ? KEY_READ : KEY_NONE;
	if (next == KEY_READ && span_eq(key, SPAN(ROW_OWNERS))) {
		read_owners(r, l, nr);
		next = KEY_UNREAD;
	}
	memset(l->rows, 0, nr * s->size);
	for (size_t i = 0; i < l->nr; i++)
		l->owned[i] = l->rows + i * s->size;
	r->row_is_newer = false;
	read_members(r, s, l->owned, l->nr, next, key);
}

/* Appends a row to a VEC of any row type; every VEC is a pointer and two sizes, which count
   rows. Skips a row of a kind that was added after the document's minor version. */
static void append(struct row_reader *r, const struct schema *s, void *vec, const void *row,
                   uint64_t byte)
{
	VEC(char) rows;
	if (s->since && s->since(row) > r->minor)
		return;
	memcpy(&rows, vec, sizeof rows);
	if (jscan_status(r->js) == ST_OK && rows.nr &&
	    row_order(s, rows.v + (rows.nr - 1) * s->size, row) >= 0)
		row_fail(r, byte, NULL, "does not come after the row before it");
	if (rows.nr == rows.cap)
		rows.v = vec_grow_(rows.v, &rows.cap, rows.nr + 1, s->size, "rows");
	memcpy(rows.v + rows.nr++ * s->size, row, s->size);
	memcpy(vec, &rows, sizeof rows);
}

static void read_rows(struct row_reader *r, const struct field *f, void *const *rows, size_t nr)
{
	const struct schema *s = f->sub;
	struct line l = { mem_calloc(nr, s->size), mem_calloc(nr, sizeof *l.owned),
		              mem_calloc(nr, sizeof *l.owners), 0 };
	size_t before = row_enter(r, f->key, 0), nr_lines = 0, nr_rows = 0;
	while (row_item(r, NULL, nr_lines)) {
		size_t path = row_enter(r, NULL, nr_lines);
		uint64_t byte = row_byte(r);
		nr_lines++;
		read_line(r, s, &l, nr);
		nr_rows += l.nr;
		/* many ranks may have many rows, but a small file must not claim millions of rows */
		if (nr_lines > store_limits.rows ||
		    (nr_rows > store_limits.rows &&
		     nr_rows - store_limits.rows > (byte - r->start) / ROW_BYTES))
			row_fail(r, byte, NULL, "is one row too many");
		for (size_t i = 0; i < l.nr && !r->row_is_newer && jscan_status(r->js) == ST_OK; i++)
			append(r, s, (char *)rows[l.owners[i]] + f->offset, l.rows + i * s->size, byte);
		strbuf_setlen(&r->path, path);
	}
	strbuf_setlen(&r->path, before);
	free(l.rows);
	free(l.owned);
	free(l.owners);
}

static void read_row(struct row_reader *r, const struct field *f, void *const *rows, size_t nr)
{
	size_t before = row_enter(r, f->key, 0);
	void **members = mem_calloc(nr, sizeof *members);
	uint64_t byte = row_byte(r);
	for (size_t i = 0; i < nr; i++)
		members[i] = (char *)rows[i] + f->offset;
	if (jscan_object(r->js))
		read_members(r, f->sub, members, nr, KEY_UNREAD, SPAN(""));
	else
		row_fail(r, byte, NULL, "is not an object");
	free(members);
	strbuf_setlen(&r->path, before);
}

static void read_own(struct row_reader *r, const struct field *f, void *const *rows, size_t nr)
{
	size_t before = row_enter(r, f->key, 0);
	if (f->type == FIELD_STEPS)
		steps_read(r, rows, nr);
	else if (nr > 1)
		row_fail(r, row_byte(r), NULL, "stands beside other ranks");
	else
		f->read(r, rows[0]);
	strbuf_setlen(&r->path, before);
}

static void read_any(struct row_reader *r, const struct field *f, void *const *rows, size_t nr)
{
	if (f->type == FIELD_ROW)
		read_row(r, f, rows, nr);
	else if (f->type == FIELD_ROWS || f->type == FIELD_OPTIONAL_ROWS)
		read_rows(r, f, rows, nr);
	else if (f->type == FIELD_STEPS || f->type == FIELD_OWN)
		read_own(r, f, rows, nr);
	else
		row_read_values(r, f, f->key, false, rows, nr);
}

/* Index of the field with this key; s->nr if there is none. `*hex` is true if the key is
   KEY_hex, for the raw bytes of the text KEY. The search begins at `from`, because files are in
   the order of the table. */
static size_t find_field(const struct schema *s, struct span key, size_t from, bool *hex)
{
	for (*hex = false;; *hex = true) {
		for (size_t i = 0; i < s->nr; i++) {
			size_t k = (from + i) % s->nr;
			if (span_eq(key, span_of(s->fields[k].key)) && (!*hex || row_is_text(&s->fields[k])))
				return k;
		}
		if (*hex || key.n <= 4 || memcmp(key.p + key.n - 4, "_hex", 4) != 0)
			return s->nr;
		key.n -= 4;
	}
}

/* Reads the first key, "schema", whose value names the kind of document. */
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
	struct span text = row_read_text(r, "schema");
	if (span_eq(text, span_of(id)))
		return;
	const char *quoted = text_quote(r->arena, text);
	if (span_starts(text, family) && number_parse_u64(span_of(id + family.n), &own_version) &&
	    number_parse_u64((struct span){ text.p + family.n, text.n - family.n }, &version) &&
	    version != own_version)
		jscan_fail(r->js, byte,
		           "schema %s is %s than what this gpugate (" GPUGATE_VERSION
		           ") reads ('%s'); use the gpugate that wrote it, or make it anew",
		           quoted, version > own_version ? "newer" : "older", id);
	else
		row_fail(r, byte, "schema",
		         arena_printf(r->arena, "is %s where '%s' is expected", quoted, id));
}

/* Reads the minor version of the schema. If it is above 0, it is the value of the next key,
   "minor". Otherwise `*key` becomes the next key, which is that of the first member. */
static enum next_key read_minor(struct row_reader *r, struct span *key)
{
	r->minor = 0;
	if (jscan_status(r->js) != ST_OK || !jscan_key(r->js, key))
		return KEY_NONE;
	if (!span_eq(*key, SPAN("minor")))
		return KEY_READ;
	r->minor = row_read_count(r, "minor");
	return KEY_UNREAD;
}

static void set_defaults(const struct schema *s, void *row)
{
	for (size_t i = 0; i < s->nr; i++) {
		const struct field *f = &s->fields[i];
		int64_t *at = (void *)((char *)row + f->offset);
		if (row_is_number(f))
			*at = f->absent;
		if (f->type == FIELD_SHAPE)
			*at = -1;
		/* default of a text, for a document whose minor version lacks the field */
		if (f->type == FIELD_TEXT)
			*(const char **)(void *)at = "";
	}
}

/* Keys for times of steps on the host, which earlier releases wrote and no figure uses. */
const char *const row_gone_keys[] = { "time.compute", "time.communication", "time.memory",
	                                  "time.idle", NULL };

bool row_is_passed_over(const struct row_reader *r, struct span key)
{
	return span_find(key, row_gone_keys) >= 0 || row_reader_is_lenient(r);
}

/* Reads the remaining members of an object into `nr` structs. If `next` is KEY_READ, `key` has
   been read, and its value comes next. */
static void read_members(struct row_reader *r, const struct schema *s, void *const *rows, size_t nr,
                         enum next_key next, struct span key)
{
	uint64_t seen = 0, seen_hex = 0;
	size_t at = 0;
	for (size_t i = 0; i < nr; i++)
		set_defaults(s, rows[i]);
	while (jscan_status(r->js) == ST_OK && next != KEY_NONE &&
	       (next == KEY_READ || jscan_key(r->js, &key))) {
		bool hex;
		uint64_t byte = jscan_byte(r->js);
		next = KEY_UNREAD;
		at = find_field(s, key, at, &hex);
		uint64_t bit = at < s->nr ? (uint64_t)1 << at : 0;
		const char *name = bit && !hex ? s->fields[at].key : arena_dup(r->arena, key);
		if (bit ? s->fields[at].since > r->minor : row_is_passed_over(r, key))
			jscan_skip(r->js);
		else if (!bit)
			row_fail(r, byte, name, "is not known");
		else if ((hex ? seen_hex : seen) & bit)
			row_fail(r, byte, name, "is there twice");
		else if (hex && !(seen & bit))
			row_fail(r, byte, name, "comes before its text");
		else if (byte - r->start > store_limits.bytes)
			row_fail(r, byte, name, "lies beyond what a stored file may hold");
		else if (hex)
			row_read_values(r, &s->fields[at], name, true, rows, nr);
		else
			read_any(r, &s->fields[at], rows, nr);
		*(hex ? &seen_hex : &seen) |= bit;
	}
	for (size_t i = 0; i < s->nr; i++)
		row_need(r, (seen >> i & 1) || row_is_optional(&s->fields[i]), s->fields[i].key,
		         "is missing: the file is damaged, or older than version 0.1; make it anew");
}

void row_read(struct row_reader *r, const struct schema *s, void *row)
{
	uint64_t byte = row_byte(r);
	if (!jscan_object(r->js)) {
		row_fail(r, byte, NULL, "is not an object");
		return;
	}
	struct span key = SPAN("");
	int64_t outer = r->minor;
	enum next_key next = KEY_UNREAD;
	if (s->id) {
		read_schema(r, s->id);
		next = read_minor(r, &key);
	}
	read_members(r, s, &row, 1, next, key);
	r->minor = outer;
}

void row_read_all(struct row_reader *r, const struct schema *s, void *const *rows, size_t nr)
{
	read_members(r, s, rows, nr, KEY_UNREAD, SPAN(""));
}
