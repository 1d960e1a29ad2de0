#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "base/text.h"
#include "base/vec.h"
#include "store/digest_schema.h"

/* json-c returns NULL if an allocation fails, and writes NULL as the value null. The process ends,
   so that this null gets into no file. */
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

static void append(json_object *array, json_object *value)
{
	if (json_object_array_add(array, value) != 0)
		mem_fail();
}

static void put(json_object *value, struct sink *out)
{
	size_t n;
	errno = 0;
	const char *text = json_object_to_json_string_length(
	    value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &n);
	/* if memory runs out, json-c leaves out a part of the text and continues */
	if (!text || errno == ENOMEM)
		mem_fail();
	sink_write(out, (struct span){ text, n });
}

static json_object *new_text(struct span s)
{
	return must(json_object_new_string_len(s.n ? s.p : "", (int)s.n));
}

/* The JSON of one field. Both members are NULL if the field is left out. `hex` is set only for a
   text that is not valid UTF-8: `value` has the text made valid, `hex` its raw bytes as hex digits.
 */
struct cell {
	json_object *value, *hex;
};

static struct cell text_cell(struct span raw)
{
	if (text_is_valid(raw))
		return (struct cell){ .value = new_text(raw) };
	struct strbuf valid = STRBUF_INIT, hex = STRBUF_INIT;
	text_add_valid(&valid, raw);
	for (size_t i = 0; i < raw.n; i++)
		strbuf_addf(&hex, "%02x", (unsigned char)raw.p[i]);
	struct cell c = { new_text(strbuf_span(&valid)), new_text(strbuf_span(&hex)) };
	strbuf_release(&valid);
	strbuf_release(&hex);
	return c;
}

static json_object *new_shape(const int64_t shape[3])
{
	if (shape[0] < 0 || shape[1] < 0 || shape[2] < 0)
		return NULL;
	json_object *array = must(json_object_new_array());
	for (int i = 0; i < 3; i++)
		append(array, must(json_object_new_int64(shape[i])));
	return array;
}

static struct cell cell_of(const struct field *f, const void *row)
{
	const char *at = (const char *)row + f->offset;
	const int64_t *number = (const void *)at;
	const char *const *text = (const void *)at;
	const struct span *name = (const void *)at;
	char hash[17];
	switch (f->type) {
	case FIELD_OPTIONAL_COUNT:
	case FIELD_OPTIONAL_NUMBER:
		if (*number == f->absent || (*number < 0 && f->type == FIELD_OPTIONAL_COUNT))
			break;
		/* fall through */
	case FIELD_COUNT:
	case FIELD_NUMBER:
		return (struct cell){ .value = must(json_object_new_int64(*number)) };
	case FIELD_BOOL:
		return (struct cell){ .value = must(json_object_new_boolean(*(const bool *)at)) };
	case FIELD_OPTIONAL_TEXT:
		if (!*text)
			break;
		/* fall through */
	case FIELD_TEXT:
		return text_cell(span_of(*text));
	case FIELD_OPTIONAL_NAME:
		if (name->n == 0)
			break;
		/* fall through */
	case FIELD_NAME:
		return text_cell(*name);
	case FIELD_HASH:
		snprintf(hash, sizeof hash, "%016" PRIx64, *(const uint64_t *)(const void *)at);
		return (struct cell){ .value = new_text(span_of(hash)) };
	case FIELD_ENUM:
		return (struct cell){ .value = new_text(
			                      span_of(f->names[*(const unsigned *)(const void *)at])) };
	case FIELD_SHAPE:
		return (struct cell){ .value = new_shape(number) };
	case FIELD_ROW: /* add_merged() writes such a field */
	case FIELD_ROWS:
	case FIELD_OPTIONAL_ROWS:
	case FIELD_STEPS:
	case FIELD_OWN: /* row_write_all() writes lists of rows and FIELD_OWN; only whole documents
	                   have these */
		break;
	}
	return (struct cell){ 0 };
}

/* ---- several structs together ---- */

/* The addresses of one member in `nr` structs. Caller frees. */
static const void **member_of(const void *const *rows, size_t nr, size_t offset)
{
	const void **members = mem_calloc(nr, sizeof *members);
	for (size_t i = 0; i < nr; i++)
		members[i] = (const char *)rows[i] + offset;
	return members;
}

static json_object *new_rows(const struct schema *s, const void *const *rows, size_t nr);

/* Adds the values of `nr` rows to an object under one key; NULL means that a row has no value.
   If all values are NULL, no key is added; if all are equal, one value is, else a list with one
   value for each row. Takes ownership of the values. */
static void add_values(json_object *o, const char *key, json_object **values, size_t nr)
{
	size_t alike = 1;
	while (alike < nr && json_object_equal(values[alike], values[0]))
		alike++;
	if (alike < nr) {
		json_object *list = must(json_object_new_array());
		for (size_t i = 0; i < nr; i++)
			append(list, values[i]);
		add(o, key, list);
		return;
	}
	for (size_t i = 1; i < nr; i++)
		json_object_put(values[i]);
	if (values[0])
		add(o, key, values[0]);
}

/* Adds the field `f` to the object `o`: the values that the `nr` rows have in this field. */
static void add_merged(json_object *o, const struct field *f, const void *const *rows, size_t nr)
{
	if (f->type == FIELD_ROW) {
		const void **members = member_of(rows, nr, f->offset);
		add(o, f->key, new_rows(f->sub, members, nr));
		free(members);
		return;
	}
	json_object *one[2], **values = nr == 1 ? one : mem_calloc(2 * nr, sizeof *values);
	json_object **hex = values + nr;
	bool any_hex = false;
	for (size_t i = 0; i < nr; i++) {
		struct cell c = cell_of(f, rows[i]);
		values[i] = c.value;
		hex[i] = c.hex;
		any_hex = any_hex || c.hex;
	}
	add_values(o, f->key, values, nr);
	if (any_hex) {
		struct strbuf key = STRBUF_INIT;
		strbuf_addf(&key, "%s_hex", f->key);
		add_values(o, strbuf_str(&key), hex, nr);
		strbuf_release(&key);
	}
	if (values != one)
		free(values);
}

static json_object *new_rows(const struct schema *s, const void *const *rows, size_t nr)
{
	json_object *o = must(json_object_new_object());
	for (size_t i = 0; i < s->nr; i++)
		add_merged(o, &s->fields[i], rows, nr);
	return o;
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
	json_object *o = new_rows(l->schema, l->line, l->nr_line);
	if (l->nr_line < l->nr) {
		json_object *all = must(json_object_new_object()), *owners = must(json_object_new_array());
		for (size_t i = 0; i < l->nr_line; i++)
			append(owners, must(json_object_new_int64((int64_t)l->owners[i])));
		add(all, ROW_OWNERS, owners);
		json_object_object_foreach(o, key, value)
		{
			add(all, key, json_object_get(value));
		}
		json_object_put(o);
		o = all;
	}
	put(o, out);
	json_object_put(o);
}

/* Writes the key of a member of a document; each member is on a line of its own. */
static void write_key(const char **before, const char *key, struct sink *out)
{
	sink_printf(out, "%s\n\"%s\": ", *before, key);
	*before = ",";
}

static void write_rows(const struct field *f, const void *const *rows, size_t nr,
                       const char **before, struct sink *out)
{
	struct lists l;
	lists_init(&l, f, rows, nr);
	bool any = lists_next(&l);
	if (any || f->type != FIELD_OPTIONAL_ROWS) {
		write_key(before, f->key, out);
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
	json_object *o = must(json_object_new_object());
	struct json_object_iter member;
	add_merged(o, f, rows, nr);
	json_object_object_foreachC(o, member)
	{
		write_key(before, member.key, out);
		put(member.val, out);
	}
	json_object_put(o);
}

void row_write_all(const struct schema *s, const void *const *rows, size_t nr, struct sink *out)
{
	const char *before = "{";
	if (s->id) {
		write_key(&before, "schema", out);
		sink_printf(out, "\"%s\"", s->id);
		if (STORE_MINOR > 0) {
			write_key(&before, "minor", out);
			sink_printf(out, "%d", STORE_MINOR);
		}
	}
	if (s->counted) {
		write_key(&before, ROW_OWNERS, out);
		sink_printf(out, "%zu", nr);
	}
	for (size_t i = 0; i < s->nr; i++) {
		const struct field *f = &s->fields[i];
		if (f->type == FIELD_ROWS || f->type == FIELD_OPTIONAL_ROWS) {
			write_rows(f, rows, nr, &before, out);
		} else if (f->type == FIELD_STEPS) {
			write_key(&before, f->key, out);
			steps_write(rows, nr, out);
		} else if (f->type == FIELD_OWN && nr == 1 && (!f->has || f->has(rows[0]))) {
			write_key(&before, f->key, out);
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
