/// Inside of the database reader: what its files share. No other room includes this.
///
///     database.c          the file, its pages, tables → records → values
///     database_schema.c   the text of CREATE TABLE → columns
#ifndef GG_IO_DATABASE_INTERNAL_H
#define GG_IO_DATABASE_INTERNAL_H

#include "io/database.h"

/// Columns that a table may have. Source: SQLITE_MAX_COLUMN (sqlite.org/limits.html).
enum { DATABASE_TABLE_COLUMNS = 2000 };

/// Which columns of a table are asked for.
struct database_map {
	int16_t slot[DATABASE_TABLE_COLUMNS]; ///< by column: index among those asked for, or -1
	size_t nr; ///< columns of the table
	int rowid; ///< slot of the one that is the row id and stored nowhere else, or -1
};

/// Fill `map` from the text of CREATE TABLE. NULL, or the name of a column that is asked for
/// and missing; "" where the text cannot be read.
const char *database_map_columns(struct span sql, const struct database_column *columns, size_t nr,
                                 struct database_map *map);

#endif
