/// Categories of names of kernels or operators. A category is a list of substrings, in which `*`
/// and `?` are wildcards. The first category with a substring that occurs in a name is the category
/// of this name.
#ifndef GG_MODEL_CATEGORY_H
#define GG_MODEL_CATEGORY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

/// The class of a category: what its kernels do.
#define CLASSES(X)                          \
	X(CLASS_COMPUTE, "compute")             \
	X(CLASS_COMMUNICATION, "communication") \
	X(CLASS_MEMORY, "memory")               \
	X(CLASS_OTHER, "other")
enum category_class { CLASSES(ENUM_VALUE) };
extern const char *const class_names[]; ///< names of the classes, ended by NULL

/// A category of kernels, one row in rules/categories.yaml. The first row that matches a name
/// counts; case does not matter.
struct category {
	const char *name;
	enum category_class cls;
	VEC(struct span) match; ///< substrings, in which `*` and `?` are wildcards
};

/// Substrings that the rules add to a category.
struct category_addition {
	const char *category;
	VEC(struct span) match; ///< substrings, in which `*` and `?` are wildcards
};

/// A substring that the rules add to a category; it is tried before the rows of the table.
struct category_text {
	struct span text;
	int row; ///< index of the category in category_table.rows
};

/// The categories of kernels, with the additions of the rules.
struct category_table {
	struct arena arena; ///< arena that holds all names and substrings of the table
	VEC(struct category) rows;
	VEC(struct category_text) added;
	const char *source; ///< path of the file that the table was read from, or "built in"
};

/// Index of the row of the category of `name`: that of the first added substring that occurs in
/// `name`, else the first row with such a substring; -1 if there is none.
int category_of(const struct category_table *t, struct span name);

/// Adds the substrings of `a`, which are borrowed. They are tried before the table's rows, and
/// after earlier additions. Returns false if the table has no such category.
bool category_add(struct category_table *t, const struct category_addition *a);

/// Name of the category of row `index`; "other" for -1.
const char *category_name(const struct category_table *t, int index);

/// The name of a category in reports. Most categories are shown by `name` itself.
const char *category_title(const char *name);

/// Class of the category of row `index`; CLASS_OTHER for -1.
enum category_class category_class_at(const struct category_table *t, int index);

/// Class of the category of `name`, as from category_of(); CLASS_OTHER if `name` has none.
enum category_class category_class_of(const struct category_table *t, struct span name);

/// Index of the category that is called `name`, or -1.
int category_index(const struct category_table *t, struct span name);

/// Class of the category that is called `name`; CLASS_OTHER if there is no such category.
enum category_class category_class_named(const struct category_table *t, struct span name);

/// Space-separated substrings of all communication rows, owned by `a`. Communication kernels of a
/// trace are recognized by these substrings, which the digest records.
const char *category_communication(const struct category_table *t, struct arena *a);

/// True if `name` contains one of the space-separated substrings of `patterns`; case does not
/// matter.
bool category_matches_any(const char *patterns, struct span name);

/// Releases all memory of the table.
void category_table_release(struct category_table *t);

#endif
