/// Reads the rows of tables of an SQLite database file as data: no SQL is run, and views, triggers
/// and indexes are ignored. Source: sqlite.org/fileformat2.html (SQLite 3.40).
#ifndef GG_IO_DATABASE_H
#define GG_IO_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"
#include "io/source.h"

struct database;

/// The first bytes of each SQLite database file.
#define DATABASE_MAGIC ((struct span){ "SQLite format 3", 16 })

/// Opens `path` ("-": standard input), which must be a file and not a pipe, since its pages are
/// read in any order. ST_INPUT if it is not such a file, or if the database is damaged, cut short,
/// in use (it has a journal or a write-ahead log) or in another encoding than UTF-8. Bytes read are
/// counted in `progress`, which may be NULL. Caller releases with database_close().
GG_MUST_CHECK enum status database_open(const char *path, struct source_progress *progress,
                                        struct database **out, struct diag_log *log);

/// Closes and releases the database; NULL is fine.
void database_close(struct database *db);

/// Name for messages: the path, or "standard input"; borrowed until the database is closed.
const char *database_name(const struct database *db);

/// True if there is a table whose name begins with `prefix`.
bool database_has(const struct database *db, struct span prefix);

/// A column of integers or of text that a scan asks for. If the column is optional, it may be
/// missing, and its values may be NULL.
struct database_column {
	const char *name;
	bool text, optional;
};

/// A value of a row. Unless it is NULL, `integer` or `text` is set, depending on the type of the
/// column. Text is borrowed until the database_row_fn() returns.
struct database_value {
	bool null;
	int64_t integer;
	struct span text;
};

/// Largest number of columns that can be asked for in one scan.
enum { DATABASE_COLUMNS = 20 };

/// Receives each row: one value for each column that was asked for, in the order of these columns.
/// If it returns a status other than ST_OK, the scan stops with this status.
typedef enum status database_row_fn(void *ctx, const struct database_value *values);

/// Calls `fn` with `ctx` for each row of `table`, in order of row id; a missing table has no rows.
/// `columns` are the `nr` columns asked for. ST_INPUT if the file is damaged, a column is missing
/// or a value has another type.
GG_MUST_CHECK enum status database_scan(struct database *db, const char *table,
                                        const struct database_column *columns, size_t nr,
                                        database_row_fn *fn, void *ctx, struct diag_log *log);

#endif
