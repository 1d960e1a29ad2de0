/* SQLite databases, made here page by page: rows and columns, and every kind of damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "io/database_internal.h"
#include "memory_file.h"

#define NR(table) (sizeof(table) / sizeof *(table))

/* ---- the text of CREATE TABLE ---- */

static const struct {
	const char *sql,
	    *want; ///< for each column of the table its index among the columns asked for (a, b, c), or
	           ///< -; then the column that is another name of the row id, if any
} texts[] = {
	{ "CREATE TABLE t (a INT, b TEXT)", "01" },
	{ "CREATE TABLE t(b,x,A)", "1-0" },
	{ "CREATE TABLE \"t (x\" (`b` TEXT, [a] INTEGER NOT NULL PRIMARY KEY, 'c')", "102 row id a" },
	{ "CREATE TABLE t (a integer primary key, b)", "01 row id a" },
	{ "CREATE TABLE t (a INT PRIMARY KEY, b)", "01" },
	{ "CREATE TABLE t (x INTEGER PRIMARY KEY, a, b)", "-01" },
	{ "CREATE TABLE t (a -- it, is (one\n, /* b, ) */ b DEFAULT (max(1, 2)) , x CHECK (a IN "
	  "(1,2)))",
	  "01-" },
	{ "CREATE TABLE t (a, b, PRIMARY KEY (a), CONSTRAINT x CHECK (a > 0), UNIQUE (b), FOREIGN KEY "
	  "(a) REFERENCES u(x))",
	  "01" },
	{ "CREATE TABLE t (\"primary\" INT, a, b)", "-01" },
	{ "CREATE TABLE t (a)", "without b" },
	{ "CREATE TABLE t (b, c)", "without a" },
	{ "CREATE TABLE t (a, b, a)", "cannot be told" },
	{ "CREATE TABLE t (a, b", "cannot be told" },
	{ "CREATE TABLE t (a, (b))", "cannot be told" },
	{ "CREATE TABLE t (a, b /* ", "cannot be told" },
	{ "CREATE TABLE t (a, \"b", "cannot be told" },
	{ "CREATE TABLE t (a INT DEFAULT -1.5, b DEFAULT (1 % 2), c REFERENCES u(x))", "012" },
	{ "CREATE TABLE t (\"not\" INT, a INT NOT NULL, b)", "-01" },
	{ "CREATE TABLE t (a, b\\c)", "cannot be told" },
	{ "CREATE TABLE t (a\x01x, b)", "cannot be told" },
	{ "CREATE TABLE t (a-x, b)", "cannot be told" },
	{ "CREATE TABLE t (a CHECK (a ? 1), b)", "cannot be told" },
	{ "CREATE TABLE t (a, 9b, b)", "cannot be told" },
	{ "CREATE TABLE t (a INT, NOT NULL, b)", "cannot be told" },
	{ "CREATE TABLE t (a INT, in TEGER, b)", "cannot be told" },
	{ "CREATE TABLE t (a INT NOT, b)", "cannot be told" },
	{ "CREATE TABLE t", "cannot be told" },
	{ "CREATE TABLE t x (a, b)", "cannot be told" },
	{ "a, b)", "cannot be told" },
	{ "", "cannot be told" },
};

static void test_columns(void **state)
{
	(void)state;
	static const struct database_column columns[] = { { .name = "a" },
		                                              { .name = "b" },
		                                              { .name = "c", .optional = true } };
	for (size_t i = 0; i < NR(texts); i++) {
		struct database_map map;
		struct strbuf b = STRBUF_INIT;
		size_t n = strlen(texts[i].sql);
		/* a block of exactly this size, so that reads past its end are detected */
		char *sql = malloc(n ? n : 1);
		assert_non_null(sql);
		memcpy(sql, texts[i].sql, n);
		const char *missing = database_map_columns((struct span){ sql, n }, columns, 3, &map);
		if (missing)
			strbuf_addf(&b, "%s%s", *missing ? "without " : "cannot be told", missing);
		for (size_t k = 0; k < map.nr && !missing; k++)
			strbuf_addch(&b, map.slot[k] < 0 ? '-' : (char)('0' + map.slot[k]));
		if (!missing && map.rowid >= 0)
			strbuf_addf(&b, " row id %s", columns[map.rowid].name);
		assert_string_equal(strbuf_str(&b), texts[i].want);
		strbuf_release(&b);
		free(sql);
	}
}

/* Whether an SQL statement creates the table `name`, and whether the table is virtual. */
static void test_creates(void **state)
{
	(void)state;
	static const struct {
		const char *sql, *name;
		bool creates, is_virtual;
	} rows[] = {
		{ "CREATE TABLE t(a)", "t", true, false },
		{ "create table T (a)", "t", true, false },
		{ "CREATE TABLE \"t (x\" (a)", "t (x", true, false },
		{ "CREATE TABLE [t](a)", "t", true, false },
		{ "CREATE TABLE \"t\"\"u\"(a)", "t\"u", true, false },
		{ "CREATE VIRTUAL TABLE t USING x", "t", true, true },
		{ "CREATE TABLE u(a)", "t", false, false },
		{ "CREATE TABLE tt(a)", "t", false, false },
		{ "CREATE INDEX t ON u(a)", "t", false, false },
		{ "CREATED TABLE t(a)", "t", false, false },
		{ "CREATE TABLE", "", false, false },
		{ "", "", false, false },
	};
	for (size_t i = 0; i < NR(rows); i++) {
		bool is_virtual,
		    creates = database_creates(span_of(rows[i].sql), span_of(rows[i].name), &is_virtual);
		if (creates != rows[i].creates || is_virtual != rows[i].is_virtual)
			fail_msg("%s", rows[i].sql);
	}
}

/* ---- a database file ---- */

#define T_SQL "CREATE TABLE t (id INTEGER PRIMARY KEY, n INT, s TEXT, r ANY)"

/* Page 1 holds the schema; page 2 is the root of table t, with the leaves 3 and 4; pages 5 and 6
 * hold the rest of a text of row 2; page 7 is the root of table u, a leaf. */
enum { PAGE = 512, PAGES = 7, LONG = 1200 };
/* Offset of the statement of table t, after type, name, tbl_name and root. */
enum { SQL_AT = PAGE - (sizeof T_SQL - 1) };

static void put(unsigned char *p, size_t n, size_t v)
{
	while (n--) {
		p[n] = (unsigned char)v;
		v >>= 8;
	}
}

/* Adds a cell to a page. Cells are stored from the end of the page towards its beginning. */
static void add_cell(unsigned char *page, size_t head, const char *cell, size_t n)
{
	size_t nr = (size_t)page[head + 3] << 8 | page[head + 4];
	size_t first = (size_t)page[head + 5] << 8 | page[head + 6];
	size_t at = (first ? first : PAGE) - n;
	memcpy(page + at, cell, n);
	put(page + head + 3, 2, nr + 1);
	put(page + head + 5, 2, at);
	put(page + head + (page[head] == 5 ? 12 : 8) + nr * 2, 2, at);
}

/* Adds a row to SQLite's table of tables. `sql` must have at least 58 bytes, so that its type takes
   two bytes. */
static void add_table(unsigned char *file, char id, const char *name, char root, const char *sql)
{
	char cell[200];
	size_t n = strlen(sql), type = 13 + 2 * n;
	int head = snprintf(cell, sizeof cell, "%c%c\x07\x17\x0f\x0f\x01%c%ctable%s%s%c%s",
	                    (char)(7 + 5 + 3 + n), id, (char)(0x80 | type >> 7), (char)(type & 127),
	                    name, name, root, sql);
	assert_true(head > 0 && type >= 128);
	add_cell(file, 100, cell, (size_t)head);
}

static void make(unsigned char *file)
{
	memset(file, 0, PAGE * PAGES);
	memcpy(file, "SQLite format 3", 16);
	put(file + 16, 2, PAGE);
	file[18] = file[19] = 1;
	put(file + 28, 4, PAGES);
	put(file + 56, 4, 1);
	for (size_t i = 2; i < PAGES; i++)
		file[i * PAGE] = 13;
	file[100] = 13;
	file[PAGE] = 5;
	add_table(file, 1, "t", 2, T_SQL);
	add_table(file, 2, "u", 7, "CREATE TABLE u (a INT, b INT, c INT, d INT, e INT, f, s TEXT)");
	add_cell(file + PAGE, 0, "\0\0\0\3\2", 5);
	put(file + PAGE + 8, 4, 4);
	/* row 1: 7, "one"; row 2: NULL, a text of LONG bytes; row 5: -2, "" and one column fewer */
	add_cell(file + 2 * PAGE, 0, "\x09\x01\5\0\1\x13\0\7one", 11);
	char cell[200];
	size_t usable = PAGE, bytes = 6 + LONG, local = 39 + (bytes - 39) % (usable - 4);
	memcpy(cell, "\x89\x36\x02\6\0\0\x92\x6d\0", 9);
	memset(cell + 9, 'x', local - 6);
	put((unsigned char *)cell + 3 + local, 4, 5);
	add_cell(file + 2 * PAGE, 0, cell, 3 + local + 4);
	for (size_t i = 4; i < 6; i++) {
		memset(file + i * PAGE, 'x', PAGE);
		put(file + i * PAGE, 4, i == 4 ? 6 : 0);
	}
	add_cell(file + 3 * PAGE, 0, "\5\5\4\0\1\x0d\xfe", 7);
	/* integers of 2, 3, 4, 6 and 8 bytes, then 0 and 1 */
	add_cell(file + 6 * PAGE, 0,
	         "\x1f\x03\x08\2\3\4\5\6\x08\x09"
	         "\x7f\xff\x80\0\0\xff\xff\xff\xff\1\2\3\4\5\6\x80\0\0\0\0\0\0\1",
	         33);
}

static const struct database_column t_columns[] = { { .name = "id" },
	                                                { .name = "n", .optional = true },
	                                                { .name = "s", .text = true },
	                                                { .name = "none", .optional = true } };
static const struct database_column u_columns[] = { { .name = "a" }, { .name = "b" },
	                                                { .name = "c" }, { .name = "d" },
	                                                { .name = "e" }, { .name = "f" } };

struct seen {
	struct strbuf b;
	size_t nr;
};

static enum status see(void *ctx, const struct database_value *v)
{
	struct seen *s = ctx;
	for (size_t i = 0; i < s->nr; i++)
		if (v[i].null)
			strbuf_adds(&s->b, "NULL ");
		else if (s->nr == 4 && i == 2)
			strbuf_addf(&s->b, "'%.*s'%zu ", v[i].text.n > 3 ? 3 : (int)v[i].text.n,
			            v[i].text.p ? v[i].text.p : "", v[i].text.n);
		else
			strbuf_addf(&s->b, "%lld ", (long long)v[i].integer);
	strbuf_adds(&s->b, "\n");
	return ST_OK;
}

/* Writes the rows of the tables "t" and "u" to `out` as text, or else the error message. */
static enum status read_all(const void *file, size_t n, struct strbuf *out)
{
	struct memory_file f = memory_file(file, n);
	struct diag_log log;
	struct database *db = NULL;
	struct seen t = { .nr = NR(t_columns) }, u = { .nr = NR(u_columns) };
	diag_init(&log);
	enum status st = database_open(f.path, NULL, &db, &log);
	if (st == ST_OK)
		st = database_scan(db, "t", t_columns, t.nr, see, &t, &log);
	if (st == ST_OK)
		st = database_scan(db, "u", u_columns, u.nr, see, &u, &log);
	if (st == ST_OK)
		st = database_scan(db, "none", u_columns, u.nr, see, &u, &log);
	database_close(db);
	strbuf_add(out, strbuf_span(&t.b));
	strbuf_add(out, strbuf_span(&u.b));
	assert_true((st == ST_OK) == !diag_first_error(&log));
	if (st != ST_OK) {
		assert_int_equal(st, ST_INPUT);
		strbuf_setlen(out, 0);
		strbuf_adds(out, strchr(diag_first_error(&log), ':') + 2);
	}
	strbuf_release(&t.b);
	strbuf_release(&u.b);
	diag_release(&log);
	close(f.fd);
	return st;
}

static void test_rows(void **state)
{
	(void)state;
	unsigned char file[PAGE * PAGES];
	struct strbuf b = STRBUF_INIT;
	make(file);
	read_all(file, sizeof file, &b);
	assert_string_equal(strbuf_str(&b),
	                    "1 7 'one'3 NULL \n"
	                    "2 NULL 'xxx'1200 NULL \n"
	                    "5 -2 ''0 NULL \n"
	                    "32767 -8388608 -1 1108152157446 -9223372036854775807 0 \n");
	strbuf_release(&b);
}

static const struct {
	size_t at, n, v;
	const char *want;
} damages[] = {
	{ 0, 1, 's',
	  "not a database of SQLite as it was exported: damaged, or compressed; export it anew" },
	{ 16, 2, 256, "not a database" },
	{ 16, 2, 1000, "not a database" },
	{ 20, 1, 40, "not a database" },
	{ 19, 1, 2, "written with a log of its own (WAL)" },
	{ 28, 4, PAGES + 1, "cut short; export it anew" },
	{ 56, 4, 2, "its texts are in UTF-16" },
	{ 100, 1, 10, "page 1: is not a page of a table with row ids; export it anew" },
	{ PAGE, 1, 2, "page 2: is not a page of a table" },
	{ PAGE + 3, 2, 300, "page 2: has more cells than fit" },
	{ PAGE + 8, 4, 99, "page 2: refers to a page that is not there" },
	{ PAGE + 8, 4, 2, "page 3: holds a row out of order" },
	{ PAGE + 8, 4, 3, "page 3: holds a row out of order" },
	{ PAGE + 12, 2, PAGE - 3, "page 2: has a cell beyond its end" },
	{ 2 * PAGE + 8, 2, PAGE - 4, "page 3: holds a row that passes its end" },
	{ 4 * PAGE, 4, 0, "page 5: refers to a page that is not there" },
	{ PAGE + 4, 8, 2, "page 2: is referred to more than once" },
	{ 3 * PAGE - 9, 1, 0, "page 3: holds a row whose header is wrong" },
	{ 3 * PAGE - 9, 1, 10, "page 3: holds a row whose header is wrong" },
	{ 3 * PAGE - 9, 1, 9, "page 3: holds a row that does not fit its table" },
	{ 3 * PAGE - 8, 1, 10, "page 3: holds a row that does not fit its table" },
	{ 3 * PAGE - 6, 1, 0x17, "page 3: holds a row that does not fit its table" },
	{ 3 * PAGE - 7, 1, 14, "t, row 1: 'n' is not an integer; export it anew" },
	{ 3 * PAGE - 6, 1, 0x12, "t, row 1: 's' is not text; export it anew" },
	{ 3 * PAGE - 7, 2, 4 << 8, "t, row 1: 's' is not text; export it anew" },
	{ 3 * PAGE - 6, 1, 0, "page 3: holds a row that does not fit its table" },
	{ SQL_AT - 8, 1, 'x', "page 1: describes a table in two ways; export it anew" },
	{ SQL_AT - 3, 1, 'x', "page 1: describes a table in two ways" },
	{ SQL_AT - 2, 1, 'x', "page 1: describes a table in two ways" },
	{ SQL_AT - 1, 1, 0, "page 1: describes a table in two ways" },
	{ SQL_AT - 1, 1, 0x7f, "page 0: refers to a page that is not there" },
	{ SQL_AT + 4, 1, 'x', "page 1: describes a table in two ways" },
	{ SQL_AT + 13, 1, 'x', "page 1: describes a table in two ways" },
	{ SQL_AT + 18, 1, '?', "t: its columns cannot be told" },
	{ 7 * PAGE - 33, 1, 0xff, "page 7: holds a row that is longer than the file" },
};

static void test_damage(void **state)
{
	(void)state;
	for (size_t i = 0; i < NR(damages); i++) {
		unsigned char file[PAGE * PAGES];
		struct strbuf b = STRBUF_INIT;
		make(file);
		put(file + damages[i].at, damages[i].n, damages[i].v);
		read_all(file, sizeof file, &b);
		if (!span_starts(strbuf_span(&b), span_of(damages[i].want)))
			fail_msg("%zu: %s: %s", i, damages[i].want, strbuf_str(&b));
		strbuf_release(&b);
	}
}

/* Rows overlap, so that together they claim many times the bytes of the page; refused. */
static void test_shared_bytes(void **state)
{
	enum { NESTED = 20, HEAD = 9, FROM = PAGE - 400 };
	unsigned char file[PAGE * PAGES], *page = file + 2 * PAGE;
	struct strbuf b = STRBUF_INIT;
	(void)state;
	make(file);
	put(page + 3, 2, NESTED);
	for (size_t i = 0; i < NESTED; i++) {
		size_t at = FROM + i * HEAD, bytes = PAGE - at - 3, type = 13 + 2 * (bytes - 7);
		char cell[HEAD + 1];
		snprintf(cell, sizeof cell, "%c%c%c%c%c%c%c%c%c", (char)(0x80 | bytes >> 7),
		         (char)(bytes & 127), (char)(i + 1), 6, 0, 1, (char)(0x80 | type >> 7),
		         (char)(type & 127), 0);
		memcpy(page + at, cell, HEAD);
		put(page + 8 + i * 2, 2, at);
	}
	read_all(file, sizeof file, &b);
	assert_string_equal(strbuf_str(&b), "page 3: has rows that share bytes; export it anew");
	strbuf_release(&b);
}

static void test_any_damage(void **state)
{
	(void)state;
	static const unsigned char bytes[] = { 0, 1, 5, 13, 127, 128, 255 };
	unsigned char file[PAGE * PAGES];
	for (size_t i = 0; i < sizeof file; i++)
		for (size_t k = 0; k < sizeof bytes && (i < 3 * PAGE || i >= 6 * PAGE); k++) {
			struct strbuf b = STRBUF_INIT;
			make(file);
			file[i] = bytes[k];
			(void)read_all(file, sizeof file, &b);
			strbuf_release(&b);
		}
	make(file);
	for (size_t n = 0; n < sizeof file; n++) {
		struct strbuf b = STRBUF_INIT;
		assert_int_equal(read_all(file, n, &b), ST_INPUT);
		strbuf_release(&b);
	}
}

static void test_no_file(void **state)
{
	(void)state;
	static const struct {
		const char *path, *want;
	} rows[] = { { "/none", "/none: cannot be opened: No such file or directory" },
		         { "/dev/null",
		           "/dev/null: a database of SQLite is read in any order: give it as a "
		           "file, not as a stream" },
		         { "/", "/: a database" } };
	for (size_t i = 0; i < NR(rows); i++) {
		struct database *db;
		struct diag_log log;
		diag_init(&log);
		assert_int_equal(database_open(rows[i].path, NULL, &db, &log), ST_INPUT);
		assert_memory_equal(diag_first_error(&log), rows[i].want, strlen(rows[i].want));
		diag_release(&log);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns),      cmocka_unit_test(test_creates),
		cmocka_unit_test(test_rows),         cmocka_unit_test(test_damage),
		cmocka_unit_test(test_shared_bytes), cmocka_unit_test(test_any_damage),
		cmocka_unit_test(test_no_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
