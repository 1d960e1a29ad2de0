#include <errno.h>
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
	errno = 0;
	const char *text = json_object_to_json_string_length(
	    value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &n);
	/* its writers go on behind a part for which there was no memory */
	if (!text || errno == ENOMEM)
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

static json_object *new_rows(const struct schema *s, const void *const *rows, size_t nr);

/* Write a field of a row: no key, one, or two if the bytes are kept as hex too. */
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
	case FIELD_OPTIONAL_NAME:
		if (((const struct span *)(const void *)at)->n == 0)
			break;
		/* fall through */
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
		add(o, f->key, new_rows(f->sub, (const void *const[]){ at }, 1));
		break;
	case FIELD_ROWS:
	case FIELD_OPTIONAL_ROWS:
	case FIELD_OWN: /* parts of documents, not of rows */
		break;
	}
}

/* ---- several structs together ---- */

/* The members of `nr` structs. Caller frees. */
static const void **member_of(const void *const *rows, size_t nr, size_t offset)
{
	const void **members = mem_calloc(nr, sizeof *members);
	for (size_t i = 0; i < nr; i++)
		members[i] = (const char *)rows[i] + offset;
	return members;
}

/* What `nr` objects have at `key`: NULL where none has it, the value that is that of all,
   or a list with one for each. Caller releases. */
static json_object *merged_value(json_object *const *objects, size_t nr, const char *key)
{
	json_object *first = json_object_object_get(objects[0], key);
	bool alike = true, any = first;
	for (size_t i = 1; i < nr; i++) {
		json_object *value = json_object_object_get(objects[i], key);
		alike = alike && json_object_equal(value, first);
		any = any || value;
	}
	if (alike || !any)
		return json_object_get(first);
	json_object *list = must(json_object_new_array());
	for (size_t i = 0; i < nr; i++)
		if (json_object_array_add(list, json_object_get(json_object_object_get(objects[i], key))) !=
		    0)
			mem_fail();
	return list;
}

static void add_merged_value(json_object *o, json_object *const *objects, size_t nr,
                             const char *key)
{
	json_object *value = merged_value(objects, nr, key);
	if (value)
		add(o, key, value);
}

/* Write a field into one object for `nr` rows. */
static void add_merged(json_object *o, const struct field *f, const void *const *rows, size_t nr)
{
	if (nr == 1) {
		add_field(o, f, rows[0]);
		return;
	}
	if (f->type == FIELD_ROW) {
		const void **members = member_of(rows, nr, f->offset);
		add(o, f->key, new_rows(f->sub, members, nr));
		free(members);
		return;
	}
	struct strbuf hex_key = STRBUF_INIT;
	json_object **objects = mem_calloc(nr, sizeof *objects);
	for (size_t i = 0; i < nr; i++) {
		objects[i] = must(json_object_new_object());
		add_field(objects[i], f, rows[i]);
	}
	strbuf_addf(&hex_key, "%s_hex", f->key);
	add_merged_value(o, objects, nr, f->key);
	add_merged_value(o, objects, nr, strbuf_str(&hex_key));
	for (size_t i = 0; i < nr; i++)
		json_object_put(objects[i]);
	free(objects);
	strbuf_release(&hex_key);
}

static json_object *new_rows(const struct schema *s, const void *const *rows, size_t nr)
{
	json_object *o = must(json_object_new_object());
	for (size_t i = 0; i < s->nr; i++)
		add_merged(o, &s->fields[i], rows, nr);
	return o;
}

/* ---- rows, one line for those that are the same in several structs ---- */

struct lists {
	const struct schema *schema;
	size_t nr; ///< of structs
	struct list {
		const char *v;
		size_t nr, at;
	} * list;
	const void **line; ///< nr: rows that are the same
	size_t *owners; ///< nr: whose they are
	size_t nr_line;
};

static void lists_init(struct lists *l, const struct field *f, const void *const *rows, size_t nr)
{
	*l = (struct lists){ .schema = f->sub, .nr = nr };
	l->list = mem_calloc(nr, sizeof *l->list);
	l->line = mem_calloc(nr, sizeof *l->line);
	l->owners = mem_calloc(nr, sizeof *l->owners);
	for (size_t i = 0; i < nr; i++) {
		VEC(char) vec; /* every VEC is a pointer and two sizes */
		memcpy(&vec, (const char *)rows[i] + f->offset, sizeof vec);
		l->list[i] = (struct list){ vec.v, vec.nr, 0 };
	}
}

static void lists_release(struct lists *l)
{
	free(l->list);
	free(l->line);
	free(l->owners);
}

/* The first rows that are left, of as many structs as have the same; false at the end. */
static bool lists_next(struct lists *l)
{
	l->nr_line = 0;
	for (size_t i = 0; i < l->nr; i++) {
		struct list *list = &l->list[i];
		if (list->at == list->nr)
			continue;
		const char *row = list->v + list->at * l->schema->size;
		int c = l->nr_line ? row_identity(l->schema, row, l->line[0]) : 0;
		if (c < 0)
			l->nr_line = 0;
		if (c > 0)
			continue;
		l->line[l->nr_line] = row;
		l->owners[l->nr_line++] = i;
	}
	for (size_t i = 0; i < l->nr_line; i++)
		l->list[l->owners[i]].at++;
	return l->nr_line > 0;
}

static void write_line(const struct lists *l, struct sink *out)
{
	json_object *o = new_rows(l->schema, l->line, l->nr_line);
	if (l->nr_line < l->nr) {
		json_object *all = must(json_object_new_object()), *owners = must(json_object_new_array());
		for (size_t i = 0; i < l->nr_line; i++)
			if (json_object_array_add(owners, must(json_object_new_int64((int64_t)l->owners[i]))))
				mem_fail();
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

/* The key of a document's value, each on a line of its own. */
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
	lists_release(&l);
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
		} else if (f->type == FIELD_OWN) {
			write_key(&before, f->key, out);
			f->write(rows, nr, out);
		} else {
			write_members(f, rows, nr, &before, out);
		}
	}
	sink_puts(out, "\n}");
}

void row_write(const struct schema *s, const void *row, struct sink *out)
{
	row_write_all(s, &row, 1, out);
}
