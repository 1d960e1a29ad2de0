/// Categories of kernel (or operator) names: an ordered list of substrings with wildcards.
#ifndef GG_MODEL_CATEGORY_H
#define GG_MODEL_CATEGORY_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"

enum category_class { CLASS_COMPUTE, CLASS_COMMUNICATION, CLASS_MEMORY, CLASS_OTHER };

/// One row of the data file: first match wins, without case.
struct category {
	const char *name;
	enum category_class cls;
	VEC(struct span) match; ///< substrings, in which `*` and `?` are special
};

/// What the rules add to a category.
struct category_addition {
	const char *category;
	VEC(struct span) match; ///< as above
};

/// A substring of an addition, which comes before all rows.
struct category_text {
	struct span text;
	int row;
};

struct category_table {
	struct arena arena; ///< owns names and substrings
	VEC(struct category) rows;
	VEC(struct category_text) added;
	const char *source; ///< path, or "built in"
};

/// Row index of `name`, or -1 where none matches.
int category_of(const struct category_table *t, struct span name);

/// Put the texts of `a`, borrowed, before all others of the table; false where it has no such
/// category.
bool category_add(struct category_table *t, const struct category_addition *a);

/// Name of row `index`; "other" for -1.
const char *category_name(const struct category_table *t, int index);

/// How a category is called in reports; `name` itself if it has no other name.
const char *category_title(const char *name);

/// Class of what has a name that categories match: CLASS_OTHER where none does.
enum category_class category_class_of(const struct category_table *t, struct span name);

/// Class of the category that is called `name`; CLASS_OTHER where none is.
enum category_class category_class_named(const struct category_table *t, struct span name);

/// "compute", "communication", "memory", "other".
const char *class_name(enum category_class cls);

/// Space-separated substrings of all communication rows, owned by `a`: what
/// the reducer tells communication kernels by, and the digest records.
const char *category_communication(const struct category_table *t, struct arena *a);

/// `name` contains one of the space-separated substrings of `patterns`, without case.
bool category_matches_any(const char *patterns, struct span name);

/// Give the memory back.
void category_table_release(struct category_table *t);

#endif
