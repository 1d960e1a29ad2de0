/// The common parts of category files: categories of kernels (rules_file.h) and of allocation
/// sites (sites_file.h).
#ifndef GG_RULES_CATEGORIES_FILE_H
#define GG_RULES_CATEGORIES_FILE_H

#include "model/category.h"
#include "rules/keys.h"

/// The keys of one row: category, class and match.
extern const struct key_map category_keys;

/// Append the rows of a list, which keys_check() has accepted, to `out`. Fails with ST_USAGE if a
/// name occurs twice or a text can never match.
GG_MUST_CHECK enum status category_rows_read(struct document *d, const struct node *list,
                                             struct category_table *out);

#endif
