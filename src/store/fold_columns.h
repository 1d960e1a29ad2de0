/// Internal to reading and writing folds: their columns of numbers.
#ifndef GG_STORE_FOLD_COLUMNS_H
#define GG_STORE_FOLD_COLUMNS_H

#include "model/fold.h"

/// A column of numbers as stored, which owns its array.
struct column {
	int64_t *v;
	size_t nr, cap;
};

/// A fold that is being read, and its columns until they are put into the fold's members. The fold
/// comes first, so that fold_free() can release the whole.
struct stored_fold {
	struct fold fold;
	VEC(struct column) columns;
	bool has_columns; ///< true once the document's columns have been read
};

/// Offsets of the members of struct fold_match and of struct fold_member that are stored as
/// columns.
enum { NR_MATCH_COLUMNS = 10, NR_MEMBER_COLUMNS = 3 };
extern const size_t fold_match_columns[NR_MATCH_COLUMNS];
extern const size_t fold_member_columns[NR_MEMBER_COLUMNS];

/// Puts the columns into the members of the fold `s` that they belong to. False if they do not fit
/// the rows, or contradict one another.
bool fold_place_columns(struct stored_fold *s);

#endif
