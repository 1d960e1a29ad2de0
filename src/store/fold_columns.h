/// Internal to reading and writing what is folded: columns of numbers.
#ifndef GG_STORE_FOLD_COLUMNS_H
#define GG_STORE_FOLD_COLUMNS_H

#include "fold/fold.h"

/// Numbers as they are stored; owned.
struct column {
	int64_t *v;
	size_t nr, cap;
};

/// A fold whose columns are not in their places yet. It begins with the fold, which releases it.
struct stored_fold {
	struct fold fold;
	VEC(struct column) columns;
	bool has_columns; ///< the document has them
};

/// Members of struct fold_match and of struct fold_member that are columns, by offset.
enum { NR_MATCH_COLUMNS = 10, NR_MEMBER_COLUMNS = 3 };
extern const size_t fold_match_columns[NR_MATCH_COLUMNS];
extern const size_t fold_member_columns[NR_MEMBER_COLUMNS];

/// Put the columns where rows and lists of `s` want them; false where they do not fit, or what they
/// say cannot be.
bool fold_place_columns(struct stored_fold *s);

#endif
