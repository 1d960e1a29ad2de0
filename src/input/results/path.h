/// Paths into a tree of values, and templates of names. Steps of a path:
///
///     name  ."any name"   the member of this name; '*' in a name without quotes matches any text
///     .*                  all members
///     [*]  [n]  [-1]      all elements; element n, counted from 0; the last element
///     [tag=text]          the elements, or the object itself, whose member `tag` is the text
///
/// A path with `^` in front begins at the enclosing object, with `^^` one object further out. An
/// empty path means the value itself.
#ifndef GG_RESULTS_PATH_H
#define GG_RESULTS_PATH_H

#include "results/value.h"

/// Returns why a path is invalid, as a static text, or NULL.
const char *path_fault(const char *path);

/// Returns why a template is invalid, as a static text, or NULL. A template is text in which words
/// in braces are replaced: `{path}` (a path), `{key}`, `{KEY}`, `{file}`, `{columns}`, `{index}`
/// and `{combination}`, as template_fill() says.
const char *template_fault(const char *text);

/// A value that a path leads to, and the first and the last name of a member that a '*' matched on
/// the way; these are empty spans with `p` NULL if the path has no such '*'.
struct path_hit {
	struct value *v;
	struct span first_key, last_key;
};
typedef void path_fn(void *ctx, const struct path_hit *hit);

/// Names of members that a '*' in a path does not match; in these names, a '*' matches any text.
struct path_ignore {
	const struct span *v;
	size_t nr;
};

/// Calls `fn`, in the order of the file, for all values that `path` leads to from the value `from`.
/// `ignore` may be NULL.
void path_visit(const char *path, struct value *from, const struct path_ignore *ignore, path_fn *fn,
                void *ctx);

/// The last value at `path`, or NULL if there is none.
struct value *path_find(const char *path, struct value *from);

/// The last name in a path, for figures that the format gives no name; "" if there is none.
struct span path_name(const char *path);

/// The data that the words of a template are filled in from.
struct template_words {
	struct value *record; ///< value at which paths in the template begin
	const char *file; ///< name of the file without directories and file name endings
	struct span key; ///< text for `{key}` and `{KEY}`
	struct value *value; ///< figure whose name is filled in; NULL for other templates
	bool
	    no_folders; ///< true if absolute file paths in values are shortened to their last component
};

/// The template with its words filled in, owned by `a` and NUL-terminated:
///
///     {path}          the value at the path; "none" if it is absent or null
///     {path.*}        ".KEYVALUE" for each of the values
///     {key}, {KEY}    the key; {KEY} has words of up to four letters in capitals: "E2E_latency"
///     {columns}       names and values of the record's columns without a unit: "N_256.K_64"
///     {index}         place of the figure in its list, counted from 0
///     {combination}   ".A.B": one element from each list of parameters after the figure's list
///
/// The figures in a list are in the order of the combinations of parameters; the last list varies
/// fastest. If there are not as many figures as combinations, `{combination}` is the place of the
/// figure, counted from 1: ".3". In the name of a figure, a path with `^` begins at the figure, not
/// at the record.
struct span template_fill(const char *text, const struct template_words *w, struct arena *a);

#endif
