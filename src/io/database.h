/// A database file of SQLite → rows of its tables, read as data: no SQL is run, and views,
/// triggers and indexes are not looked at.
/// Source: sqlite.org/fileformat2.html (SQLite 3.40).
#ifndef GG_IO_DATABASE_H
#define GG_IO_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"
#include "io/source.h"

struct database;

/// How each such file begins.
#define DATABASE_MAGIC ((struct span){ "SQLite format 3", 16 })

/// Open `path`, which must be a file: its pages are read in any order. ST_INPUT where it is cut
/// short, in use (a journal beside it, or a write-ahead log) or in another encoding than UTF-8.
/// `progress` may be NULL. Caller releases with database_close().
GG_MUST_CHECK enum status database_open(const char *path, struct source_progress *progress,
                                        struct database **out, struct diag_log *log);

/// Close and release; NULL is fine.
void database_close(struct database *db);

/// Name of the file for messages; borrowed until it is closed.
const char *database_name(const struct database *db);

/// True if it has a table whose name begins so.
bool database_has(const struct database *db, struct span prefix);

/// A column of a table that is asked for: an integer, else text. Where it may be absent, so
/// may its value (NULL).
struct database_column {
	const char *name;
	bool text, optional;
};

/// A value: `integer` or `text` as its column says; text is borrowed for the call.
struct database_value {
	bool null;
	int64_t integer;
	struct span text;
};

/// Columns of one table that can be asked for.
enum { DATABASE_COLUMNS = 16 };

/// Receiver of rows: a value for each column that was asked for, in that order. A status other
/// than ST_OK stops the scan.
typedef enum status database_row_fn(void *ctx, const struct database_value *values);

/// The rows of `table` in order of row id; a table that is not there has none. ST_INPUT where
/// the file is damaged, a column is missing or a value is of another type.
GG_MUST_CHECK enum status database_scan(struct database *db, const char *table,
                                        const struct database_column *columns, size_t nr,
                                        database_row_fn *fn, void *ctx, struct diag_log *log);

#endif
