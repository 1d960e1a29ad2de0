#include "results/result_file.h"

#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "results/path.h"
#include "results/readings.h"
#include "results/value.h"

bool result_recognize(struct span first)
{
	static const char *const others[] = { "\"traceEvents\"", "\"schemaVersion\"", "\"ph\"",
		                                  "\"device_traces\"", "\"segments\"" };
	if (!first.n || memchr(first.p, '\0', first.n) || first.p[0] == '<')
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (memmem(first.p, first.n, others[i], strlen(others[i])))
			return false;
	return true;
}

static bool is_foreign(struct span key)
{
	static const char *const keys[] = { "traceEvents",   "schemaVersion", "ph",
		                                "device_traces", "segments",      "segment_type" };
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (span_eq(key, span_of(keys[i])))
			return true;
	return false;
}

bool result_sniff(struct source *src)
{
	struct diag_log own;
	struct span key;
	bool foreign = false;
	diag_init(&own);
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = true }, &own);
	if (jscan_array(js) && !jscan_element(js))
		foreign = true;
	if (!foreign && jscan_object(js))
		while (jscan_key(js, &key) && !(foreign = is_foreign(key)))
			jscan_skip(js);
	jscan_free(js);
	diag_release(&own);
	return !foreign;
}

/* ---- formats of a file ---- */

struct opened {
	struct value_tree tree;
	const char *name; ///< name of the file, for messages
	bool json_read;
	enum status json; ///< status of reading the file as JSON
	struct diag_log said; ///< messages of reading the file as JSON

	/// values of the file in sequence; a list is replaced by its elements
	VEC(struct value *) documents;
};

static void add_documents(struct opened *o, struct value *list, int depth)
{
	for (struct value *v = list->first; v; v = v->next)
		if (v->type == JSCAN_ARRAY && depth > 0)
			add_documents(o, v, depth - 1);
		else
			vec_push(&o->documents, v);
}

/* Lists the values of the file; a list, also a nested one, is replaced by its elements, so that it
 * reads like lines of JSON. */
static void list_documents(struct opened *o)
{
	o->documents.nr = 0;
	add_documents(o, &o->tree.root, 2);
}

static const char *lacks(const struct result_format *f, struct value *v)
{
	for (size_t i = 0; i < f->has.nr; i++)
		if (!path_find(f->has.v[i].p, v))
			return f->has.v[i].p;
	return NULL;
}

/* True if a column may tell a case: its name says neither unit nor direction, and its values are
   texts, whole numbers, or some that are there again. */
static bool tells_case(const struct value *first, struct span column)
{
	enum { ROWS = 100 };
	bool whole = true, again = false;
	size_t nr = 0;
	for (const struct value *row = first; row && nr < ROWS; row = row->next, nr++) {
		const struct value *v = value_get(row, column), *same = value_get(first, column);
		struct decimal number;
		struct span unit;
		again = again || (nr && v && span_eq(v->text, same->text));
		whole =
		    whole && !(v && reading_number(v, &number, &unit) == DECIMAL_OK && number.digits > 0);
	}
	return (whole || again) && !figure_better(column, figure_unit_by_name(column));
}

/* True unless the format names cases by `columns`, and one of these is a figure. */
static bool has_case_columns(const struct result_format *f, const struct value *first)
{
	bool fits = true;
	for (const struct value *m = first ? first->first : NULL; m && fits; m = m->next)
		fits = !m->key.n || memchr(m->key.p, '(', m->key.n) || tells_case(first, m->key);
	return fits || !f->case_name || strcmp(f->case_name, "{columns}") != 0;
}

static void read_json(struct opened *o)
{
	if (o->json_read)
		return;
	o->json_read = true;
	o->json = value_json_add(&o->tree, o->name, o->tree.bytes, &o->said);
	list_documents(o);
}

static void start_anew(struct opened *o)
{
	o->tree.root.first = o->tree.root.last = NULL;
	o->tree.root.steps = false;
	o->tree.nr_values = 0;
	o->json_read = false;
	o->documents.nr = 0;
}

struct records {
	VEC(struct value *) list;
	size_t nr_all; ///< number of records, with those that the format leaves out
};

static void add_record(void *ctx, struct value *v, struct span first_key, struct span last_key)
{
	struct records *r = ctx;
	(void)first_key;
	(void)last_key;
	if (v->type == JSCAN_OBJECT)
		vec_push(&r->list, v);
}

static void count_number(void *nr, struct value *v, struct span first_key, struct span last_key)
{
	(void)first_key;
	(void)last_key;
	*(size_t *)nr += v->type == JSCAN_NUMBER;
}

static size_t numbers_in(const struct value *of, const struct path_ignore *but)
{
	size_t nr = of->type == JSCAN_NUMBER;
	for (size_t i = 0; i < but->nr; i++)
		if (span_glob(but->v[i], of->key))
			return 0;
	for (const struct value *v = of->first; v; v = v->next)
		nr += numbers_in(v, but);
	return nr;
}

/* True unless the format wants all numbers of the file, and there is one that it does not take. */
static bool is_whole(const struct result_format *f, struct value *document)
{
	struct path_ignore ignore = { f->ignore.v, f->ignore.nr };
	struct records all = { 0 };
	size_t nr = 0;
	path_visit(f->records ? f->records : "", document, NULL, add_record, &all);
	for (size_t i = 0; i < all.list.nr; i++)
		for (size_t k = 0; k < f->take.nr; k++)
			path_visit(f->take.v[k].at, all.list.v[i], &ignore, count_number, &nr);
	vec_release(&all.list);
	return !f->whole || nr == numbers_in(document, &ignore);
}

/* Sets `*fits` if the file is of format `f`; o->documents then has the values in the file, in
   order: JSON values, or the rows of a table. */
static enum status open_as(struct opened *o, const struct result_format *f, bool *fits,
                           struct diag_log *log)
{
	bool json = value_is_json(o->tree.bytes);
	*fits = false;
	if (f->read == READ_JSON) {
		if (!json)
			return ST_OK;
		read_json(o);
		*fits = o->documents.nr && o->documents.v[0]->type == JSCAN_OBJECT &&
		        !lacks(f, o->documents.v[0]) && is_whole(f, o->documents.v[0]);
		if (*fits && o->json != ST_OK)
			diag_move(log, &o->said);
		return *fits ? o->json : ST_OK;
	}
	if (json && f->read == READ_CSV)
		return ST_OK;
	if (f->read == READ_CSV) {
		start_anew(o);
		TRY(csv_add(&o->tree, o->name, f->has.v, f->has.nr, false, fits, log));
		*fits = *fits && has_case_columns(f, o->tree.root.first);
	} else if (f->read == READ_TEXT) {
		start_anew(o);
		o->tree.root.steps = true; /* a path out of a line leads to all of them */
		TRY(text_lines_add(&o->tree, o->name, f->pattern, log));
		*fits = o->tree.root.first && !lacks(f, o->tree.root.first);
	} else if (memmem(o->tree.bytes.p, o->tree.bytes.n, f->prefix, strlen(f->prefix))) {
		start_anew(o);
		TRY(value_lines_add(&o->tree, o->name, f->prefix, log));
		*fits = o->tree.root.first && !lacks(f, o->tree.root.first);
	}
	list_documents(o);
	return ST_OK;
}

/* True if `match` fits the file's name, or the end of its path. */
static bool is_named(const char *match, const struct result_reader *r)
{
	struct span path = span_of(r->path), glob = span_of(match);
	bool fits = span_glob(glob, span_of(r->file)) || span_glob(glob, path);
	for (const char *p = strchr(r->path, '/'); p && !fits; p = strchr(p + 1, '/'))
		fits = span_glob(glob, span_of(p + 1));
	return fits;
}

/* ---- records of the file ---- */

static bool holds_pair(const struct result_pair *p, struct value *record)
{
	const struct value *v = path_find(p->at, record);
	return v && span_glob(span_of(p->text), v->text);
}

static bool is_wanted(const struct result_format *f, struct value *record)
{
	for (size_t i = 0; i < f->skip.nr; i++)
		if (holds_pair(&f->skip.v[i], record))
			return false;
	for (size_t i = 0; i < f->only.nr; i++)
		if (!holds_pair(&f->only.v[i], record))
			return false;
	return true;
}

static enum status list_records(const struct opened *o, const struct result_format *f,
                                struct records *out, struct diag_log *log)
{
	struct records all = { 0 };
	for (size_t i = 0; i < o->documents.nr; i++) {
		const char *lacking = f->read == READ_CSV ? NULL
		                      : o->documents.v[i]->type == JSCAN_OBJECT
		                          ? lacks(f, o->documents.v[i])
		                          : "an object";
		if (lacking) {
			vec_release(&all.list);
			return diag_fail(log, ST_INPUT,
			                 "%s: value %zu is not of the format %s of the first: it "
			                 "lacks %s",
			                 o->name, i + 1, f->name, text_quote(&log->arena, span_of(lacking)));
		}
		path_visit(f->records ? f->records : "", o->documents.v[i], NULL, add_record, &all);
	}
	for (size_t i = 0; i < all.list.nr; i++)
		if (is_wanted(f, all.list.v[i]))
			vec_push(&out->list, all.list.v[i]);
	out->nr_all = all.list.nr;
	vec_release(&all.list);
	return ST_OK;
}

/* True unless the format leaves out all records of the file, of which another one may be. */
static bool has_record(const struct opened *o, const struct result_format *f)
{
	struct records all = { 0 };
	size_t i = 0;
	for (size_t k = 0; k < o->documents.nr; k++)
		path_visit(f->records ? f->records : "", o->documents.v[k], NULL, add_record, &all);
	while (i < all.list.nr && !is_wanted(f, all.list.v[i]))
		i++;
	bool any = i < all.list.nr;
	vec_release(&all.list);
	return any;
}

/* ---- reading of a whole file ---- */

/* What the formats of a file have read of it so far. */
struct taken {
	const struct result_format *first; ///< NULL if no format fits
	const struct result_format *without; ///< format that fits, and leaves out all records, or NULL
	size_t nr; ///< number of records that were read, without those of a format with `rest`
	size_t nr_all; ///< number of all records of the first format
	struct result_known *known; ///< if not NULL, formats are listed here, and no record is read
};

static enum status read_records(const struct opened *o, const struct result_format *f,
                                const struct result_reader *r, struct digest *d,
                                struct taken *taken, struct diag_log *log)
{
	struct records records = { 0 };
	enum status st = list_records(o, f, &records, log);
	if (st == ST_OK && records.list.nr)
		st = readings_take(&(struct reading_file){ f, o->name, r->file }, records.list.v,
		                   records.list.nr, d, log);
	if (!taken->first) {
		taken->first = f;
		taken->nr_all = records.nr_all;
	}
	taken->nr += f->rest ? 0 : records.list.nr;
	vec_release(&records.list);
	return st;
}

/* Reads the file as the first format of a table that fits. Formats that say `only` describe a part
   of the records: others of the table that do so and fit are read, too. */
static enum status read_table(struct opened *o, const struct result_reader *r,
                              const struct result_formats *table, struct digest *d,
                              struct taken *taken, struct diag_log *log)
{
	for (size_t i = 0; i < table->list.nr; i++) {
		const struct result_format *f = &table->list.v[i];
		bool fits;
		bool part = f->rest || (f->only.nr && taken->first && taken->first->only.nr);
		if ((taken->first && !part) || (f->match && !is_named(f->match, r)))
			continue;
		TRY(open_as(o, f, &fits, log));
		if (fits && !f->only.nr && !has_record(o, f)) {
			taken->without = f;
			fits = false;
		}
		if (fits && taken->known)
			vec_push(&taken->known->list, taken->first = f);
		else if (fits)
			TRY(read_records(o, f, r, d, taken, log));
	}
	return ST_OK;
}

/* Says how many records no format takes; a file of which none is taken is refused. */
static enum status say_others(const struct opened *o, const struct taken *t, struct diag_log *log)
{
	const struct result_format *none = !t->first                                  ? t->without
	                                   : t->first->only.nr && !t->nr && t->nr_all ? t->first
	                                                                              : NULL;
	if (none)
		return diag_fail(log, ST_INPUT, "%s: no record in a result file of format %s", o->name,
		                 none->name);
	if (!t->first || !t->first->only.nr || t->nr >= t->nr_all)
		return ST_OK;
	diag_warn(log, "%s: %zu of %zu records are of none of its formats, as 'only' says", o->name,
	          t->nr_all - t->nr, t->nr_all);
	return ST_OK;
}

enum status result_refuse_lines(struct source *src, bool *found, struct diag_log *log)
{
	struct value_tree t;
	struct diag_log own;
	diag_init(&own);
	enum status st = value_bytes_read(src, &t, log);
	enum status json = st == ST_OK && value_is_json(t.bytes)
	                       ? value_json_add(&t, source_name(src), t.bytes, &own)
	                       : ST_OK;
	*found = t.nr_documents > 1 || (t.nr_documents && json != ST_OK);
	if (*found && json != ST_OK)
		diag_move(log, &own);
	else if (*found)
		json = diag_fail(log, ST_INPUT,
		                 "%s: JSON lines, where a metrics file has one object; " TEXT_NO_FORMAT,
		                 source_name(src));
	diag_release(&own);
	value_tree_release(&t);
	return *found ? json : st;
}

enum status result_known_list(struct source *src, const struct result_reader *r,
                              struct result_known *out, struct diag_log *log)
{
	struct taken taken = { .known = out };
	struct opened o = { .name = source_name(src) };
	*out = (struct result_known){ .list = VEC_INIT };
	diag_init(&o.said);
	enum status st = value_bytes_read(src, &o.tree, log);
	for (size_t t = 0; r->tables[t] && st == ST_OK && !taken.first; t++)
		st = read_table(&o, r, r->tables[t], NULL, &taken, log);
	diag_release(&o.said);
	vec_release(&o.documents);
	value_tree_release(&o.tree);
	return st;
}

enum status result_read(struct source *src, const struct result_reader *r, struct digest *d,
                        bool *found, struct diag_log *log)
{
	struct taken taken = { 0 };
	struct opened o = { .name = source_name(src) };
	diag_init(&o.said);
	enum status st = value_bytes_read(src, &o.tree, log);
	for (size_t t = 0; r->tables[t] && st == ST_OK && !taken.first; t++)
		st = read_table(&o, r, r->tables[t], d, &taken, log);
	if (st == ST_OK)
		st = say_others(&o, &taken, log);
	*found = taken.first || st != ST_OK;
	d->trust.json_faults = (int64_t)o.tree.nr_faults;
	d->trust.fault_byte = (int64_t)o.tree.fault_byte;
	diag_release(&o.said);
	vec_release(&o.documents);
	value_tree_release(&o.tree);
	return st;
}
