#include "results/result_file.h"

#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "results/path.h"
#include "results/readings.h"
#include "results/value.h"

/* Keys of traces, snapshots and other recordings. In a result file, the first NR_SURE keys occur
   nowhere, and the other keys do not occur in the outermost object. */
static const char *const others[] = { "\"traceEvents\"",
	                                  "\"schemaVersion\"",
	                                  "\"ph\"",
	                                  "\"device_traces\"",
	                                  "\"segments\"",
	                                  "\"segment_type\"",
	                                  "\"memoryProfilePerAllocator\"",
	                                  "\"memory_profile_per_allocator\"" };
enum { NR_SURE = 5 };

bool result_recognize(struct span first)
{
	bool fits = first.n && !memchr(first.p, '\0', first.n) && first.p[0] != '<';
	for (size_t i = 0; i < NR_SURE && fits; i++)
		fits = !memmem(first.p, first.n, others[i], strlen(others[i]));
	return fits;
}

bool result_is_foreign(struct span key)
{
	return ANY(i, NR_OF(others),
	           span_eq(key, (struct span){ others[i] + 1, strlen(others[i]) - 2 }));
}

bool result_sniff(struct source *src)
{
	struct span key;
	bool foreign = false;
	struct jscan *js = jscan_new(src, &(struct jscan_options){ .tolerant = true }, NULL);
	if (jscan_array(js) && !jscan_element(js))
		foreign = true;
	if (!foreign && jscan_object(js))
		while (jscan_key(js, &key) && !(foreign = result_is_foreign(key)))
			jscan_skip(js);
	jscan_free(js);
	return !foreign;
}

/* ---- formats of a file ---- */

/// A file on which formats are tried one after the other.
struct opened {
	struct value_tree tree;
	const char *name; ///< name of the file, for messages
	bool json_read;
	enum status json; ///< status of reading the file as JSON
	struct diag_log said; ///< messages of reading the file as JSON

	/// values of the file in sequence; a list is replaced by its elements
	VEC(struct value *) documents;
};

/* Adds the values of a list to the documents. A list within it is replaced by its elements, down to
   the given depth, so that a JSON list is read like JSON lines. */
static void add_documents(struct opened *o, struct value *list, int depth)
{
	for (struct value *v = list->first; v; v = v->next)
		if (v->type == JSCAN_ARRAY && depth > 0)
			add_documents(o, v, depth - 1);
		else
			vec_push(&o->documents, v);
}

static const char *lacks(const struct result_format *f, struct value *v)
{
	for (size_t i = 0; i < f->has.nr; i++)
		if (!path_find(f->has.v[i].p, v))
			return f->has.v[i].p;
	return NULL;
}

/* True if a column may identify a case: its name shows neither a unit nor whether higher or lower
 * is better, and its values are texts, whole numbers, or numbers that repeat. */
static bool tells_case(const struct value *v)
{
	enum { ROWS = 100 };
	bool again = false;
	size_t nr = 1;
	for (const struct value *r = v->parent->next; r && nr < ROWS && !again; r = r->next, nr++) {
		const struct value *own = value_get(r, v->key);
		again = own && span_eq(own->text, v->text);
	}
	return (again || !reading_is_fraction(v)) &&
	       !figure_better(v->key, figure_unit_by_name(v->key));
}

/* False if the format names cases by `{columns}`, and one of the columns that would be in the name
 * is a figure. */
static bool has_case_columns(const struct result_format *f, const struct value *first)
{
	bool fits = true;
	for (const struct value *m = first ? first->first : NULL; m && fits; m = m->next)
		fits = !m->key.n || memchr(m->key.p, '(', m->key.n) || tells_case(m);
	return fits || !f->case_name || strcmp(f->case_name, "{columns}") != 0;
}

static void read_json(struct opened *o)
{
	if (o->json_read)
		return;
	o->json_read = true;
	diag_release(&o->said); /* drops the messages of an earlier attempt */
	o->json = value_json_add(&o->tree, o->name, o->tree.bytes, &o->said);
	o->documents.nr = 0;
	add_documents(o, &o->tree.root, 2);
}

static void start_anew(struct opened *o)
{
	o->tree.root.first = o->tree.root.last = NULL;
	o->tree.nr_values = o->tree.nr_documents = 0;
	o->tree.nr_faults = 0; /* those of this text are counted again if it is read as JSON again */
	o->json_read = false;
	o->documents.nr = 0;
}

struct records {
	VEC(struct value *) list;
};

static void add_record(void *ctx, const struct path_hit *hit)
{
	struct records *r = ctx;
	if (hit->v->type == JSCAN_OBJECT)
		vec_push(&r->list, hit->v);
}

static void count_number(void *nr, const struct path_hit *hit)
{
	*(size_t *)nr += hit->v->type == JSCAN_NUMBER;
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

/* False if the format is only for files all of whose numbers it takes (`whole`), and this file has
   other numbers. */
static bool is_whole(const struct result_format *f, struct value *document)
{
	struct path_ignore ignore = { f->ignore.v, f->ignore.nr };
	struct records all = { 0 };
	size_t nr = 0;
	if (!f->whole)
		return true;
	path_visit(f->records ? f->records : "", document, NULL, add_record, &all);
	for (size_t i = 0; i < all.list.nr; i++)
		for (size_t k = 0; k < f->take.nr; k++)
			path_visit(f->take.v[k].at, all.list.v[i], &ignore, count_number, &nr);
	vec_release(&all.list);
	return nr == numbers_in(document, &ignore);
}

/* Sets `*fits` if the file is of format `f`; o->documents then has the values in the file, in
   order: JSON values, the rows of a table, or the lines of a log that the pattern fits. */
static enum status open_as(struct opened *o, const struct result_format *f, bool *fits,
                           struct diag_log *log)
{
	bool json = value_is_json(o->tree.bytes);
	*fits = false;
	if (json ? f->read == READ_CSV : f->read == READ_JSON)
		return ST_OK;
	if (f->read == READ_JSON) {
		read_json(o);
		*fits = o->documents.nr && o->documents.v[0]->type == JSCAN_OBJECT &&
		        !lacks(f, o->documents.v[0]) && is_whole(f, o->documents.v[0]);
		if (*fits && o->json != ST_OK)
			diag_move(log, &o->said);
		return *fits ? o->json : ST_OK;
	}
	if (f->read == READ_LINES &&
	    !memmem(o->tree.bytes.p, o->tree.bytes.n, f->prefix, strlen(f->prefix)))
		return ST_OK;
	start_anew(o);
	o->tree.root.steps = f->read == READ_TEXT; /* so that a path with `^` in front leads to all
	                                              lines */
	if (f->read == READ_CSV)
		TRY(csv_add(&o->tree, o->name, f->has.v, f->has.nr, false, fits, log));
	else if (f->read == READ_TEXT)
		TRY(text_lines_add(&o->tree, o->name, f->pattern, log));
	else
		TRY(value_lines_add(&o->tree, o->name, f->prefix, log));
	struct value *first = o->tree.root.first;
	*fits = f->read == READ_CSV ? *fits && has_case_columns(f, first) : first && !lacks(f, first);
	o->documents.nr = 0;
	add_documents(o, &o->tree.root, 2);
	return ST_OK;
}

/* True if `match` fits the file's name, its path, or the end of its path after a '/'. */
static bool is_named(const char *match, const struct result_reader *r)
{
	struct span path = span_of(r->path), glob = span_of(match);
	bool fits = span_glob(glob, span_of(r->file)) || span_glob(glob, path);
	for (const char *p = r->path; (p = strchr(p, '/')) && !fits; p++)
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
	return !ANY(i, f->skip.nr, holds_pair(&f->skip.v[i], record)) &&
	       ALL(i, f->only.nr, holds_pair(&f->only.v[i], record));
}

/* Lists the records of the file that the format takes; returns the number of all records, taken
   or not. */
static size_t list_records(const struct opened *o, const struct result_format *f,
                           struct records *out)
{
	size_t nr = 0;
	for (size_t i = 0; i < o->documents.nr; i++)
		path_visit(f->records ? f->records : "", o->documents.v[i], NULL, add_record, out);
	size_t all = out->list.nr;
	for (size_t i = 0; i < all; i++)
		if (is_wanted(f, out->list.v[i]))
			out->list.v[nr++] = out->list.v[i];
	out->list.nr = nr;
	return all;
}

/* Refuses a file if one of its values lacks something by which the format was recognized. */
static enum status check_documents(const struct opened *o, const struct result_format *f,
                                   struct diag_log *log)
{
	for (size_t i = 0; i < o->documents.nr && f->read != READ_CSV; i++) {
		struct value *v = o->documents.v[i];
		const char *lacking = v->type == JSCAN_OBJECT ? lacks(f, v) : "an object";
		if (lacking)
			return diag_fail(log, ST_INPUT,
			                 "%s: value %zu is not of the format %s of the first: it lacks %s",
			                 o->name, i + 1, f->name, text_quote(&log->arena, span_of(lacking)));
	}
	return ST_OK;
}

/* ---- reading of a whole file ---- */

/* What the formats that were tried so far have read of a file. */
struct taken {
	const struct result_format *first; ///< first format that fits; NULL if there is none
	const struct result_format *without; ///< format that fits but leaves out all records; NULL if
	                                     ///< there is none
	size_t nr; ///< number of records that were read by formats without the key `rest`
	size_t nr_all; ///< number of all records of the first format
	struct result_known *known; ///< if not NULL, formats are listed here, and no record is read
	uint64_t nr_faults, fault_byte; ///< number of tolerated faults of JSON; offset of the first one
};

/* Reads the file as the first format of a table that fits. A format with the key `only` takes a
 * part of the records: if the first format has this key, further formats that fit and have it are
 * read, too. Formats with the key `rest` are always read if they fit. */
static enum status read_table(struct opened *o, const struct result_reader *r,
                              const struct result_formats *table, struct digest *d,
                              struct taken *taken, struct diag_log *log)
{
	enum status st = ST_OK;
	for (size_t i = 0; i < table->list.nr && st == ST_OK; i++) {
		const struct result_format *f = &table->list.v[i];
		struct records records = { 0 };
		bool fits;
		bool some = f->rest || (f->only.nr && taken->first && taken->first->only.nr);
		if ((taken->first && !some) || (f->match && !is_named(f->match, r)))
			continue;
		TRY(open_as(o, f, &fits, log));
		size_t all = fits ? list_records(o, f, &records) : 0;
		if (fits && !f->only.nr && !records.list.nr) {
			taken->without = f;
		} else if (fits && taken->known) {
			vec_push(&taken->known->list, taken->first = f);
		} else if (fits) {
			st = check_documents(o, f, log);
			if (st == ST_OK && records.list.nr)
				st = readings_take(&(struct reading_file){ f, o->name, r->file }, records.list.v,
				                   records.list.nr, d, log);
			taken->nr_all = taken->first ? taken->nr_all : all;
			taken->first = taken->first ? taken->first : f;
			taken->nr += f->rest ? 0 : records.list.nr;
		}
		vec_release(&records.list);
	}
	return st;
}

/* Warns of the number of records that no format takes; refuses a file if no record is taken. */
static enum status say_others(const char *name, const struct taken *t, struct diag_log *log)
{
	const struct result_format *none = !t->first                                  ? t->without
	                                   : t->first->only.nr && !t->nr && t->nr_all ? t->first
	                                                                              : NULL;
	if (none)
		return diag_fail(log, ST_INPUT, "%s: no record in a result file of format %s", name,
		                 none->name);
	if (!t->first || !t->first->only.nr || t->nr >= t->nr_all)
		return ST_OK;
	diag_warn(log, "%s: %zu of %zu records are of none of its formats, as 'only' says", name,
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

/* Reads the file, or lists its formats in taken->known. */
static enum status read_tables(struct source *src, const struct result_reader *r, struct digest *d,
                               struct taken *taken, struct diag_log *log)
{
	struct opened o = { .name = source_name(src) };
	diag_init(&o.said);
	enum status st = value_bytes_read(src, &o.tree, log);
	for (size_t t = 0; r->tables[t] && st == ST_OK && !taken->first; t++)
		st = read_table(&o, r, r->tables[t], d, taken, log);
	taken->nr_faults = o.tree.nr_faults;
	taken->fault_byte = o.tree.fault_byte;
	diag_release(&o.said);
	vec_release(&o.documents);
	value_tree_release(&o.tree);
	return st;
}

enum status result_known_list(struct source *src, const struct result_reader *r,
                              struct result_known *out, struct diag_log *log)
{
	*out = (struct result_known){ .list = VEC_INIT };
	return read_tables(src, r, NULL, &(struct taken){ .known = out }, log);
}

enum status result_read(struct source *src, const struct result_reader *r, struct digest *d,
                        bool *found, struct diag_log *log)
{
	struct taken taken = { 0 };
	enum status st = read_tables(src, r, d, &taken, log);
	if (st == ST_OK)
		st = say_others(source_name(src), &taken, log);
	*found = taken.first || st != ST_OK;
	d->trust.json_faults = (int64_t)taken.nr_faults;
	d->trust.fault_byte = (int64_t)taken.fault_byte;
	return st;
}
