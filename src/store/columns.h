/// Columns of numbers in stored files: those for the steps of a digest, and those for the figures
/// of all ranks in a fold (of a folded run). Internal to the store.
#ifndef GG_STORE_COLUMNS_H
#define GG_STORE_COLUMNS_H

#include "model/fold.h"

/* ---- steps: keys of columns in files, and members of struct digest that hold the columns ---- */

/// The columns, in the order in which they are stored.
enum {
	NUMBER_COLUMN,
	ACTIVITIES_COLUMN,
	METRIC_COLUMN, ///< first of the columns of metrics, in the order of metric_table
	STEP_PHASE_COLUMN = METRIC_COLUMN + NR_STEP_METRICS,
	PHASE_COLUMN, ///< first column of PHASE_FORWARD; the columns of the other phases follow
	NR_COLUMNS = PHASE_COLUMN + (NR_INNER_PHASES - 1) * NR_PHASE_COLUMNS,
	COUNT_COLUMN = NR_COLUMNS, ///< number of steps; the only column if statistics replace the
	                           ///< samples
	NR_ALL_COLUMNS
};

/// The key of a column in a stored digest; static.
const char *step_column_key(size_t column);

/// True for a column that holds the samples of a metric.
bool step_column_is_metric(size_t column);

/// The minor version of the stored format that added the column.
int step_column_since(size_t column);

/// True for a column that a digest may lack: a column of a phase, or of a metric that a later minor
/// version of the format added.
bool step_column_is_optional(size_t column);

/// True for columns that are left out of a file if all their values are 0: all columns of a phase
/// except its first.
bool step_column_may_be_zero(size_t column);

/// Address of the member of a digest that points to a column. The member is NULL if the digest
/// lacks the column.
int64_t **step_column_place(struct digest *d, size_t column);

/// The values of a column, one for each step, borrowed from the digest; NULL if the digest lacks
/// the column.
int64_t *step_column(const struct digest *d, size_t column);

/* ---- folds ---- */

/// A column of numbers that was read from a file or is to be written; `v` is owned.
struct column {
	int64_t *v;
	size_t nr, cap;
};

/// A fold that is being read. `columns` has its columns until fold_place_columns() moves them into
/// the members of `fold`. `fold` is the first member, so that fold_free() frees the whole struct.
struct stored_fold {
	struct fold fold;
	VEC(struct column) columns;
	bool has_columns; ///< true once the document's columns have been read
};

/// Offsets of the members of struct fold_match and of struct fold_member that are stored as
/// columns, in the order of these columns.
enum { NR_MATCH_COLUMNS = 10, NR_MEMBER_COLUMNS = 3 };
extern const size_t fold_match_columns[NR_MATCH_COLUMNS];
extern const size_t fold_member_columns[NR_MEMBER_COLUMNS];

/// Moves the columns of `s` into the members of its fold. False if the number or the lengths of the
/// columns do not fit the rows that they belong to, or if columns contradict one another.
bool fold_place_columns(struct stored_fold *s);

#endif
