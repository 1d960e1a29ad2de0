/// Internal to the database reader. No other folder of src/ includes this.
///
///     database.c          the file, its pages, tables → records → values
///     database_schema.c   the text of CREATE TABLE → columns
#ifndef GG_IO_DATABASE_INTERNAL_H
#define GG_IO_DATABASE_INTERNAL_H

#include "io/database.h"

/// Largest number of columns of a table. Source: SQLITE_MAX_COLUMN (sqlite.org/limits.html).
enum { DATABASE_TABLE_COLUMNS = 2000 };

/// The columns of a table, and which of them a scan asks for.
struct database_map {
	/// For each column of the table, its index (slot) among the columns asked for, or -1.
	int16_t slot[DATABASE_TABLE_COLUMNS];
	size_t nr; ///< number of columns of the table
	int rowid; ///< slot of the column that is another name of the row id, or -1; rows store NULL in
	           ///< such a column
};

/// True if `sql` creates the table `name`; `*is_virtual` tells whether it is a virtual one.
bool database_creates(struct span sql, struct span name, bool *is_virtual);

/// Fills `map` from the text of CREATE TABLE. Returns NULL on success, the name of a column that is
/// asked for and missing, or "" if the text cannot be read.
const char *database_map_columns(struct span sql, const struct database_column *columns, size_t nr,
                                 struct database_map *map);

#endif
