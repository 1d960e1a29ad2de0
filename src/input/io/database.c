#include "io/database_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/vec.h"
#include "io/opened.h"

/* Size of the file's header, and largest depth of a tree of pages: enough for 2^32 pages. */
enum { HEADER_BYTES = 100, DEPTH = 24 };

/* Kinds of pages: values of a page's first byte. */
enum { PAGE_INTERIOR = 5, PAGE_LEAF = 13 };

struct table {
	struct span name, sql;
	uint32_t root;
};

struct database {
	struct arena arena;
	const char *name; ///< path or "standard input", fit for a message
	int fd;
	uint32_t page_bytes, usable, nr_pages;
	struct source_progress *progress;
	VEC(struct table) tables;
};

/* State of one pass over a table. */
struct scan {
	struct database *db;
	struct diag_log *log;
	unsigned char *pages[DEPTH + 1]; ///< buffers: one page for each depth of the tree, and one for
	                                 ///< overflow pages
	uint32_t page; ///< number of the page that is being read, which messages name
	size_t used; ///< number of bytes of the page that its header and the cells so far take up
	uint32_t budget; ///< number of pages that may still be read, so that reading ends even if
	                 ///< damaged pages refer to each other in a cycle
	bool any; ///< true once a row has been read
	int64_t rowid; ///< id of the last row that was read
	struct strbuf payload; ///< contents of the current row, if the row overflows its page
	const char *table;
	const struct database_column *columns;
	size_t nr;
	struct database_map map;
	database_row_fn *fn;
	void *ctx;
};

static enum status damaged(const struct scan *s, const char *what)
{
	return diag_fail(s->log, ST_INPUT, "%s: page %" PRIu32 ": %s; export it anew", s->db->name,
	                 s->page, what);
}

static uint32_t be(const unsigned char *p, size_t n)
{
	uint32_t v = 0;
	while (n--)
		v = v << 8 | *p++;
	return v;
}

/* Reads `n` bytes at the offset `at` of the file. Returns why they could not be read, or NULL. */
static const char *read_at(const struct database *db, off_t at, unsigned char *p, size_t n)
{
	while (n) {
		ssize_t got = pread(db->fd, p, n, at);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? strerror(errno) : "cut short";
		p += got;
		at += got;
		n -= (size_t)got;
	}
	return NULL;
}

static enum status read_page(struct scan *s, uint32_t page, size_t depth, unsigned char **out)
{
	struct database *db = s->db;
	if (page == 0 || page > db->nr_pages)
		return damaged(s, "refers to a page that is not there");
	if (s->budget-- == 0)
		return damaged(s, "is referred to more than once");
	s->page = page;
	if (!s->pages[depth])
		s->pages[depth] = mem_calloc(1, db->page_bytes);
	const char *fault =
	    read_at(db, (off_t)(page - 1) * db->page_bytes, s->pages[depth], db->page_bytes);
	if (fault)
		return damaged(s, fault);
	if (db->progress)
		atomic_fetch_add(&db->progress->bytes, db->page_bytes);
	*out = s->pages[depth];
	return ST_OK;
}

/* ---- records: the values of a row ---- */

/* Takes a varint, an integer of 1 to 9 bytes, from the front of `s`; false if it does not end
 * within `s`. */
static bool varint(struct span *s, uint64_t *out)
{
	uint64_t v = 0;
	for (size_t i = 0; i < 9 && i < s->n; i++) {
		unsigned char c = (unsigned char)s->p[i];
		v = i == 8 ? v << 8 | c : v << 7 | (c & 127);
		if (i == 8 || c < 128) {
			*s = span_from(*s, i + 1);
			*out = v;
			return true;
		}
	}
	return false;
}

/* Number of bytes of a value with this serial type, which is SQLite's code for type and length of a
 * value. Types 10 and 11 do not occur in files. */
static uint64_t value_bytes(uint64_t type)
{
	static const uint8_t bytes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
	return type < 10 ? bytes[type] : type < 12 ? UINT64_MAX : (type - 12) / 2;
}

static int64_t integer(const char *at, uint64_t type)
{
	if (type >= 8)
		return (int64_t)type - 8;
	size_t n = (size_t)value_bytes(type);
	uint64_t v = n && (signed char)*at < 0 ? UINT64_MAX : 0;
	for (size_t i = 0; i < n; i++)
		v = v << 8 | (unsigned char)at[i];
	return (int64_t)v;
}

/* Reads a value; false if it is of another type than its column. */
static bool take_value(struct database_value *v, const struct database_column *column,
                       const char *at, uint64_t type)
{
	v->null = type == 0;
	if (v->null)
		return true;
	if (column->text)
		v->text = (struct span){ at, (size_t)value_bytes(type) };
	else
		v->integer = integer(at, type);
	return column->text ? type >= 13 && type % 2 == 1 : type <= 9 && type != 7;
}

static enum status unusable(const struct scan *s, size_t slot)
{
	const struct database_column *c = &s->columns[slot];
	return diag_fail(s->log, ST_INPUT, "%s: %s, row %" PRId64 ": '%s' is not %s; export it anew",
	                 s->db->name, s->table, s->rowid, c->name, c->text ? "text" : "an integer");
}

static enum status take_record(struct scan *s, struct span payload)
{
	struct database_value values[DATABASE_COLUMNS];
	struct span types = payload, body;
	uint64_t header, type;
	for (size_t i = 0; i < s->nr; i++)
		values[i] = (struct database_value){ .null = true };
	if (!varint(&types, &header) || header > payload.n || header < payload.n - types.n)
		return damaged(s, "holds a row whose header is wrong");
	body = span_from(payload, (size_t)header);
	types.n = (size_t)header - (payload.n - types.n);
	for (size_t i = 0; types.n; i++) {
		if (i == s->map.nr || !varint(&types, &type) || value_bytes(type) > body.n)
			return damaged(s, "holds a row that does not fit its table");
		int slot = s->map.slot[i];
		if (slot >= 0 && !take_value(&values[slot], &s->columns[slot], body.p, type))
			return unusable(s, (size_t)slot);
		body = span_from(body, (size_t)value_bytes(type));
	}
	if (body.n)
		return damaged(s, "holds a row that does not fit its table");
	if (s->map.rowid >= 0 && values[s->map.rowid].null)
		values[s->map.rowid] = (struct database_value){ .integer = s->rowid };
	for (size_t i = 0; i < s->nr; i++)
		if (values[i].null && !s->columns[i].optional)
			return unusable(s, i);
	return s->fn(s->ctx, values);
}

/* ---- pages of a table ---- */

/* Reads the rest of a row that overflows its page and whose first bytes are in s->payload. */
static enum status read_overflow(struct scan *s, uint32_t page, uint64_t bytes)
{
	unsigned char *p;
	uint32_t room = s->db->usable - 4;
	while (s->payload.n < bytes) {
		TRY(read_page(s, page, DEPTH, &p));
		uint64_t left = bytes - s->payload.n;
		strbuf_add(&s->payload, (struct span){ (char *)p + 4, left < room ? (size_t)left : room });
		page = be(p, 4);
	}
	return ST_OK;
}

static enum status read_cell(struct scan *s, struct span cell)
{
	uint64_t bytes, key, usable = s->db->usable;
	const char *start = cell.p;
	if (!varint(&cell, &bytes) || !varint(&cell, &key) || bytes > usable * s->db->nr_pages)
		return damaged(s, "holds a row that is longer than the file");
	if (s->any && (int64_t)key <= s->rowid)
		return damaged(s, "holds a row out of order");
	s->any = true;
	s->rowid = (int64_t)key;
	uint64_t most = usable - 35, least = (usable - 12) * 32 / 255 - 23, local = bytes;
	if (bytes > most) {
		local = least + (bytes - least) % (usable - 4);
		if (local > most)
			local = least;
	}
	if (cell.n < local + (bytes > most ? 4 : 0))
		return damaged(s, "holds a row that passes its end");
	/* without the check below, cells of one page could overlap, and the page could hold gigabytes
	 * of rows */
	s->used += (size_t)(cell.p - start) + (size_t)local;
	if (s->used > usable)
		return damaged(s, "has rows that share bytes");
	if (bytes <= most)
		return take_record(s, (struct span){ cell.p, (size_t)bytes });
	strbuf_setlen(&s->payload, 0);
	strbuf_add(&s->payload, (struct span){ cell.p, (size_t)local });
	TRY(read_overflow(s, be((const unsigned char *)cell.p + local, 4), bytes));
	return take_record(s, strbuf_span(&s->payload));
}

/* Visits the rows in a page and in the pages below it in the tree, in order. */
static enum status walk(struct scan *s, uint32_t page, size_t depth)
{
	unsigned char *p;
	if (depth == DEPTH)
		return damaged(s, "is deeper than a table can be");
	TRY(read_page(s, page, depth, &p));
	const unsigned char *head = p + (page == 1 ? HEADER_BYTES : 0);
	size_t from = (size_t)(head - p) + (*head == PAGE_INTERIOR ? 12 : 8);
	size_t nr = be(head + 3, 2), usable = s->db->usable;
	if (*head != PAGE_INTERIOR && *head != PAGE_LEAF)
		return damaged(s, "is not a page of a table with row ids");
	s->used = from + nr * 2;
	if (s->used > usable)
		return damaged(s, "has more cells than fit");
	for (size_t i = 0; i < nr; i++) {
		size_t cell = be(p + from + i * 2, 2);
		s->page = page; /* the page number is set again for messages, because read_cell() and walk()
		                   may read other pages */
		if (cell + 4 > usable)
			return damaged(s, "has a cell beyond its end");
		TRY(*head == PAGE_LEAF ? read_cell(s, (struct span){ (char *)p + cell, usable - cell })
		                       : walk(s, be(p + cell, 4), depth + 1));
	}
	s->page = page;
	return *head == PAGE_INTERIOR ? walk(s, be(head + 8, 4), depth + 1) : ST_OK;
}

static enum status run(struct scan *s, uint32_t root)
{
	s->budget = s->db->nr_pages;
	enum status st = walk(s, root, 0);
	for (size_t i = 0; i <= DEPTH; i++)
		free(s->pages[i]);
	strbuf_release(&s->payload);
	return st;
}

/* ---- the file and its table of tables ---- */

static const struct database_column schema_columns[] = {
	{ "type", true, false },          { "name", true, false }, { "tbl_name", true, false },
	{ "rootpage", .optional = true }, { "sql", true, true },
};

/* Takes an entry of the table of all tables. A table with a damaged entry must not count as
   missing: like SQLite, this function refuses an entry whose name differs from the name in the
   entry's CREATE TABLE statement. */
static enum status take_table(void *ctx, const struct database_value *v)
{
	const struct scan *s = ctx;
	struct database *db = s->db;
	bool is_virtual = false;
	if (span_is_listed(v[0].text, "index view trigger"))
		return ST_OK;
	if (!span_eq(v[0].text, SPAN("table")) || !span_eq_nocase(v[1].text, v[2].text) ||
	    !database_creates(v[4].text, v[1].text, &is_virtual) || is_virtual != (v[3].integer == 0))
		return damaged(s, "describes a table in two ways");
	if (is_virtual)
		return ST_OK; /* a virtual table has no pages, so its rows cannot be read */
	bool beyond = v[3].integer < 0 || v[3].integer > UINT32_MAX;
	struct table t = { .root = beyond ? UINT32_MAX : (uint32_t)v[3].integer };
	t.name = arena_span(&db->arena, v[1].text);
	t.sql = arena_span(&db->arena, v[4].text);
	vec_push(&db->tables, t);
	return ST_OK;
}

/* Reads the table of all tables (sqlite_schema), which begins on page 1. */
static enum status read_schema(struct database *db, struct diag_log *log)
{
	struct scan s = { .db = db,
		              .log = log,
		              .table = "sqlite_schema",
		              .columns = schema_columns,
		              .nr = NR_OF(schema_columns),
		              .fn = take_table,
		              .ctx = &s };
	s.map.nr = s.nr;
	s.map.rowid = -1;
	for (size_t i = 0; i < s.nr; i++)
		s.map.slot[i] = (int16_t)i;
	return run(&s, 1);
}

/* Takes page size and page count from the file's header. Returns why the file cannot be read, or
 * NULL. */
static const char *take_header(struct database *db, const unsigned char *h, uint64_t bytes)
{
	uint32_t pages = be(h + 28, 4);
	db->page_bytes = be(h + 16, 2) == 1 ? 65536 : be(h + 16, 2);
	if (memcmp(h, DATABASE_MAGIC.p, DATABASE_MAGIC.n) != 0 || db->page_bytes < 512 ||
	    (db->page_bytes & (db->page_bytes - 1)) || db->page_bytes - h[20] < 480)
		return "not a database of SQLite as it was exported: damaged, or compressed; export it "
		       "anew";
	if (h[19] != 1)
		return "written with a log of its own (WAL); close it first: sqlite3 FILE 'PRAGMA "
		       "journal_mode=DELETE'";
	if (be(h + 56, 4) > 1)
		return "its texts are in UTF-16; export it anew, in UTF-8";
	/* old versions of SQLite do not keep the page count in the header up to date; the file's size
	   then gives it */
	if (!pages || be(h + 24, 4) != be(h + 92, 4))
		pages =
		    bytes / db->page_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)(bytes / db->page_bytes);
	if (!pages || (uint64_t)pages * db->page_bytes > bytes)
		return "cut short; export it anew";
	db->usable = db->page_bytes - h[20];
	db->nr_pages = pages;
	return NULL;
}

/* True if there is a journal beside the file: its writer is still running or has died, and the file
 * by itself may be inconsistent. */
static bool has_journal(const char *path)
{
	struct strbuf b = STRBUF_INIT;
	struct stat sb;
	strbuf_addf(&b, "%s-journal", path);
	bool found = stat(strbuf_str(&b), &sb) == 0 && sb.st_size > 0;
	strbuf_release(&b);
	return found;
}

static enum status open_file(struct database *db, const char *path, struct diag_log *log)
{
	unsigned char header[HEADER_BYTES] = { 0 };
	struct stat sb;
	db->fd = strcmp(path, "-") == 0 ? dup(STDIN_FILENO)
	                                : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (db->fd < 0 || fstat(db->fd, &sb) < 0)
		return diag_fail(log, ST_INPUT, "%s: cannot be opened: %s", db->name, strerror(errno));
	if (!S_ISREG(sb.st_mode))
		return diag_fail(log, ST_INPUT,
		                 "%s: a database of SQLite is read in any order: give it as a file, not as "
		                 "a stream",
		                 db->name);
	opened_note(&sb);
	if (has_journal(path))
		return diag_fail(log, ST_INPUT,
		                 "%s: being written, or not finished (%s-journal); export it anew",
		                 db->name, db->name);
	const char *fault = read_at(db, 0, header, sizeof header);
	if (!fault)
		fault = take_header(db, header, (uint64_t)sb.st_size);
	return fault ? diag_fail(log, ST_INPUT, "%s: %s", db->name, fault) : ST_OK;
}

enum status database_open(const char *path, struct source_progress *progress, struct database **out,
                          struct diag_log *log)
{
	struct database *db = mem_calloc(1, sizeof *db);
	bool is_stdin = strcmp(path, "-") == 0;
	db->name = text_short(&db->arena, span_of(is_stdin ? "standard input" : path), 4096);
	db->progress = progress;
	enum status st = open_file(db, path, log);
	if (st == ST_OK)
		st = read_schema(db, log);
	if (st == ST_OK)
		*out = db;
	else
		database_close(db);
	return st;
}

void database_close(struct database *db)
{
	if (!db)
		return;
	if (db->fd >= 0)
		close(db->fd);
	vec_release(&db->tables);
	arena_release(&db->arena);
	free(db);
}

const char *database_name(const struct database *db)
{
	return db->name;
}

bool database_has(const struct database *db, struct span prefix)
{
	return ANY(i, db->tables.nr, span_starts(db->tables.v[i].name, prefix));
}

enum status database_scan(struct database *db, const char *table,
                          const struct database_column *columns, size_t nr, database_row_fn *fn,
                          void *ctx, struct diag_log *log)
{
	const struct table *t = NULL;
	for (size_t i = 0; i < db->tables.nr && !t; i++)
		if (span_eq(db->tables.v[i].name, span_of(table)))
			t = &db->tables.v[i];
	if (!t)
		return ST_OK;
	struct scan s = {
		.db = db, .log = log, .table = table, .columns = columns, .nr = nr, .fn = fn, .ctx = ctx
	};
	const char *missing = database_map_columns(t->sql, columns, nr, &s.map);
	if (missing && *missing)
		return diag_fail(log, ST_INPUT,
		                 "%s: %s: no column '%s'; export it anew with a newer version", db->name,
		                 table, missing);
	if (missing)
		return diag_fail(log, ST_INPUT, "%s: %s: its columns cannot be told", db->name, table);
	return run(&s, t->root);
}
