#include "store/digest_schema.h"

#include <inttypes.h>

#include "base/sort.h"
#include "base/text.h"
#include "base/vec.h"

/* ---- values of one struct ---- */

/* Appends a text, which is valid UTF-8, as a JSON string. */
static void add_text(struct strbuf *out, struct span s)
{
	static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	strbuf_addch(out, '"');
	for (size_t i = 0, end; i < s.n; i = end + 1) {
		for (end = i;
		     end < s.n && (unsigned char)s.p[end] >= ' ' && s.p[end] != '"' && s.p[end] != '\\';)
			end++;
		strbuf_add(out, (struct span){ s.p + i, end - i });
		const char *at = end < s.n ? memchr(special, s.p[end], sizeof special - 1) : NULL;
		if (at)
			strbuf_addf(out, "\\%c", letters[at - special]);
		else if (end < s.n)
			strbuf_addf(out, "\\u%04x", (unsigned)s.p[end]);
	}
	strbuf_addch(out, '"');
}

/* Appends a text made valid or, if `hex`, the raw bytes of a text that is not valid as hex
   digits. */
static void add_raw(struct strbuf *out, struct span raw, bool hex)
{
	struct strbuf b = STRBUF_INIT;
	bool valid = text_is_valid(raw);
	for (size_t i = 0; hex && !valid && i < raw.n; i++)
		strbuf_addf(&b, "%02x", (unsigned char)raw.p[i]);
	if (!hex && !valid)
		text_add_valid(&b, raw);
	if (!hex || !valid)
		add_text(out, valid ? raw : strbuf_span(&b));
	strbuf_release(&b);
}

/* Appends the value of a field that is not a row; nothing if the field is left out. If `hex`, a
 * text is appended as by add_raw() with `hex`. */
static void add_value(struct strbuf *out, const struct field *f, const void *row, bool hex)
{
	const char *at = (const char *)row + f->offset;
	const int64_t *number = (const void *)at;
	const char *const *text = (const void *)at;
	const struct span *name = (const void *)at;
	switch (f->type) {
	case FIELD_OPTIONAL_COUNT:
	case FIELD_OPTIONAL_NUMBER:
		if (*number == f->absent || (*number < 0 && f->type == FIELD_OPTIONAL_COUNT))
			break;
		/* fall through */
	case FIELD_COUNT:
	case FIELD_NUMBER:
		strbuf_addf(out, "%" PRId64, *number);
		break;
	case FIELD_BOOL:
		strbuf_adds(out, *(const bool *)at ? "true" : "false");
		break;
	case FIELD_TEXT:
	case FIELD_OPTIONAL_TEXT:
		if (*text)
			add_raw(out, span_of(*text), hex);
		break;
	case FIELD_OPTIONAL_NAME:
		if (name->n == 0)
			break;
		/* fall through */
	case FIELD_NAME:
		add_raw(out, *name, hex);
		break;
	case FIELD_HASH:
		strbuf_addf(out, "\"%016" PRIx64 "\"", *(const uint64_t *)(const void *)at);
		break;
	case FIELD_ENUM:
		add_text(out, span_of(f->names[*(const unsigned *)(const void *)at]));
		break;
	case FIELD_SHAPE:
		if (number[0] >= 0 && number[1] >= 0 && number[2] >= 0)
			strbuf_addf(out, "[%" PRId64 ",%" PRId64 ",%" PRId64 "]", number[0], number[1],
			            number[2]);
		break;
	case FIELD_ROW: /* not written here: add_values() writes nested rows */
	case FIELD_ROWS:
	case FIELD_OPTIONAL_ROWS:
	case FIELD_STEPS:
	case FIELD_OWN: /* row_write_all() writes lists of rows and FIELD_OWN; only whole documents
	                   have these */
		break;
	}
}

/* ---- several structs together ---- */

static void add_row(struct strbuf *out, const struct schema *s, const void *const *rows, size_t nr);

/* Appends the values of a field in `nr` rows: nothing if no row has a value, one value if all are
 * equal, else a list with one value, or null, for each row. If `hex`, texts are appended as by
 * add_raw() with `hex`. */
static void add_values(struct strbuf *out, const struct field *f, bool hex, const void *const *rows,
                       size_t nr)
{
	if (f->type == FIELD_ROW) {
		const void **members = mem_calloc(nr, sizeof *members);
		for (size_t i = 0; i < nr; i++)
			members[i] = (const char *)rows[i] + f->offset;
		add_row(out, f->sub, members, nr);
		free(members);
		return;
	}
	size_t start = out->n, alike = 1;
	add_value(out, f, rows[0], hex);
	for (size_t n = out->n - start, at = out->n; alike < nr; alike++) {
		add_value(out, f, rows[alike], hex);
		bool equal = out->n - at == n && (!n || memcmp(out->p + start, out->p + at, n) == 0);
		strbuf_setlen(out, at);
		if (!equal)
			break;
	}
	if (alike >= nr)
		return;
	strbuf_setlen(out, start);
	for (size_t i = 0; i < nr; i++) {
		strbuf_addch(out, i ? ',' : '[');
		size_t before = out->n;
		add_value(out, f, rows[i], hex);
		strbuf_adds(out, out->n == before ? "null" : "");
	}
	strbuf_addch(out, ']');
}

/* Appends an object with the members of `nr` rows. */
static void add_row(struct strbuf *out, const struct schema *s, const void *const *rows, size_t nr)
{
	const char *before = "\"";
	strbuf_addch(out, '{');
	for (const struct field *f = s->fields; f < s->fields + s->nr; f++)
		for (int hex = 0; hex <= row_is_text(f); hex++) {
			size_t start = out->n;
			strbuf_adds(out, before); /* strbuf_addf() would take most of the time */
			strbuf_adds(out, f->key);
			strbuf_adds(out, hex ? "_hex\":" : "\":");
			size_t n = out->n;
			add_values(out, f, hex, rows, nr);
			if (out->n == n)
				strbuf_setlen(out, start);
			else
				before = ",\"";
		}
	strbuf_addch(out, '}');
}

/* ---- merging the rows of several structs: equal rows share a line ---- */

struct lists {
	const struct schema *schema;
	size_t nr; ///< number of structs
	struct list {
		const char *v;
		size_t nr, at;
	} * list;
	/// true if rows have no key: no two rows then share a line, and the lists are written one after
	/// the other, the last list first
	bool apart;
	size_t *heap; ///< heap of chains. A chain has the lists whose next rows are equal; the chain
	              ///< with the smallest next row is on top
	size_t nr_heap;
	size_t *next; ///< for each list the next list in its chain, or NO_LIST; `nr` elements
	const void **line; ///< equal rows of several lists, which share the present line; `nr` elements
	size_t *owners; ///< for each row in `line`, the index of its struct; `nr` elements
	size_t nr_line;
};

static const char *first_row(const struct lists *l, size_t i)
{
	return l->list[i].v + l->list[i].at * l->schema->size;
}

static bool is_before(const struct lists *l, size_t a, size_t b)
{
	int c = l->apart ? 0 : row_identity(l->schema, first_row(l, a), first_row(l, b));
	return c < 0 || (c == 0 && (l->apart ? a > b : a < b));
}

static void heap_push(struct lists *l, size_t list)
{
	size_t at = l->nr_heap++;
	for (; at > 0 && is_before(l, list, l->heap[(at - 1) / 2]); at = (at - 1) / 2)
		l->heap[at] = l->heap[(at - 1) / 2];
	l->heap[at] = list;
}

static size_t heap_pop(struct lists *l)
{
	size_t top = l->heap[0], last = l->heap[--l->nr_heap], at = 0;
	for (size_t next; (next = 2 * at + 1) < l->nr_heap; at = next) {
		next += next + 1 < l->nr_heap && is_before(l, l->heap[next + 1], l->heap[next]);
		if (!is_before(l, l->heap[next], last))
			break;
		l->heap[at] = l->heap[next];
	}
	l->heap[at] = last;
	return top;
}

#define NO_LIST SIZE_MAX

/* After the rows in `line` have been written: returns their lists to the heap, except lists without
   further rows. Lists whose next rows are equal form one chain. */
static void push_owners(struct lists *l)
{
	size_t first = NO_LIST, last = NO_LIST;
	for (size_t k = 0; k < l->nr_line; k++) {
		size_t i = l->owners[k];
		if (l->list[i].at == l->list[i].nr)
			continue;
		if (first != NO_LIST &&
		    row_identity(l->schema, first_row(l, first), first_row(l, i)) == 0) {
			l->next[last] = i;
		} else {
			if (first != NO_LIST)
				heap_push(l, first);
			first = i;
		}
		last = i;
	}
	if (first != NO_LIST)
		heap_push(l, first);
}

static void lists_init(struct lists *l, const struct field *f, const void *const *rows, size_t nr)
{
	*l = (struct lists){ .schema = f->sub, .nr = nr, .nr_line = nr };
	l->apart = !f->sub->cmp && f->sub->fields->order == KEY_NOT;
	l->list = mem_calloc(nr, sizeof *l->list);
	l->line = mem_calloc(nr, sizeof *l->line);
	l->owners = mem_calloc(nr, sizeof *l->owners);
	l->heap = mem_calloc(nr, sizeof *l->heap);
	l->next = mem_calloc(nr, sizeof *l->next);
	for (size_t i = 0; i < nr; i++) {
		VEC(char) vec; /* fits the list of any type: every VEC is a pointer and two sizes */
		memcpy(&vec, (const char *)rows[i] + f->offset, sizeof vec);
		l->list[i] = (struct list){ vec.v, vec.nr, 0 };
		l->owners[i] = i;
		l->next[i] = NO_LIST;
	}
	push_owners(l);
}

static int by_number(const void *a, const void *b)
{
	const size_t *x = a, *y = b;
	return COMPARE(*x, *y);
}

/* Moves the smallest next row of all lists, and all rows equal to it, to l->line; false at the
   end. */
static bool lists_next(struct lists *l)
{
	size_t chains = 0;
	l->nr_line = 0;
	while (l->nr_heap && (chains == 0 || row_identity(l->schema, first_row(l, l->heap[0]),
	                                                  first_row(l, l->owners[0])) == 0)) {
		for (size_t i = heap_pop(l), next; i != NO_LIST; i = next) {
			next = l->next[i];
			l->next[i] = NO_LIST;
			l->owners[l->nr_line++] = i;
		}
		chains++;
	}
	if (chains > 1)
		sort_plain(l->owners, l->nr_line, sizeof *l->owners, by_number);
	for (size_t k = 0; k < l->nr_line; k++) {
		l->line[k] = first_row(l, l->owners[k]);
		l->list[l->owners[k]].at++;
	}
	push_owners(l);
	return l->nr_line > 0;
}

static void write_line(const struct lists *l, struct sink *out)
{
	struct strbuf b = STRBUF_INIT;
	bool some = l->nr_line < l->nr;
	add_row(&b, l->schema, l->line, l->nr_line);
	for (size_t i = 0; i < l->nr_line && some; i++)
		sink_printf(out, "%s%zu", i ? "," : "{\"" ROW_OWNERS "\":[", l->owners[i]);
	sink_puts(out, some ? "]," : "");
	sink_write(out, span_from(strbuf_span(&b), some));
	strbuf_release(&b);
}

/* Writes the key of a member of a document; each member is on a line of its own. */
static void write_key(const char **before, const char *key, const char *suffix, struct sink *out)
{
	sink_printf(out, "%s\n\"%s%s\": ", *before, key, suffix);
	*before = ",";
}

static void write_rows(const struct field *f, const void *const *rows, size_t nr,
                       const char **before, struct sink *out)
{
	struct lists l;
	lists_init(&l, f, rows, nr);
	bool any = lists_next(&l);
	if (any || f->type != FIELD_OPTIONAL_ROWS) {
		write_key(before, f->key, "", out);
		for (const char *between = "[\n"; l.nr_line; lists_next(&l), between = ",\n") {
			sink_puts(out, between);
			write_line(&l, out);
		}
		sink_puts(out, any ? "\n]" : "[]");
	}
	free(l.list);
	free(l.line);
	free(l.owners);
	free(l.heap);
	free(l.next);
}

/* ---- documents ---- */

static void write_members(const struct field *f, const void *const *rows, size_t nr,
                          const char **before, struct sink *out)
{
	for (int hex = 0; hex <= row_is_text(f); hex++) {
		struct strbuf b = STRBUF_INIT;
		add_values(&b, f, hex, rows, nr);
		if (b.n)
			write_key(before, f->key, hex ? "_hex" : "", out);
		sink_write(out, strbuf_span(&b));
		strbuf_release(&b);
	}
}

void row_write_all(const struct schema *s, const void *const *rows, size_t nr, struct sink *out)
{
	const char *before = "{";
	if (s->id) {
		write_key(&before, "schema", "", out);
		sink_printf(out, "\"%s\"", s->id);
		if (STORE_MINOR > 0) {
			write_key(&before, "minor", "", out);
			sink_printf(out, "%d", STORE_MINOR);
		}
	}
	if (s->counted) {
		write_key(&before, ROW_OWNERS, "", out);
		sink_printf(out, "%zu", nr);
	}
	for (size_t i = 0; i < s->nr; i++) {
		const struct field *f = &s->fields[i];
		if (f->type == FIELD_ROWS || f->type == FIELD_OPTIONAL_ROWS) {
			write_rows(f, rows, nr, &before, out);
		} else if (f->type == FIELD_STEPS) {
			write_key(&before, f->key, "", out);
			steps_write(rows, nr, out);
		} else if (f->type == FIELD_OWN && nr == 1 && (!f->has || f->has(rows[0]))) {
			write_key(&before, f->key, "", out);
			f->write(rows[0], out);
		} else if (f->type != FIELD_OWN) {
			write_members(f, rows, nr, &before, out);
		}
	}
	sink_puts(out, "\n}");
}

void row_write(const struct schema *s, const void *row, struct sink *out)
{
	row_write_all(s, &row, 1, out);
}

size_t row_size(const struct schema *s, const void *const *rows, size_t nr)
{
	struct sink *out = sink_open_memory();
	row_write_all(s, rows, nr, out);
	size_t n = sink_memory(out).n;
	sink_abort(out);
	return n;
}
