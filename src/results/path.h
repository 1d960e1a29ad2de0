/// Paths into a tree of values, and templates of names.
///
/// `name`, `."any name"`, `[*]` `[n]` `[-1]` (elements), `.*` (members), `*` within a name,
/// `[tag=text]` (elements, or an object itself, whose member `tag` is the text); `^` before the
/// first name: from the enclosing object. An empty path is the value itself.
#ifndef GG_RESULTS_PATH_H
#define GG_RESULTS_PATH_H

#include "base/strbuf.h"
#include "results/value.h"

/// What is wrong with a path, or NULL; static.
const char *path_fault(const char *path);

/// The same of a template: text with `{path}` in it, `{key}`, `{file}`, `{columns}`.
const char *template_fault(const char *text);

/// Receives a value; `keys` are the names that '*' took, the first and the last of them.
typedef void path_fn(void *ctx, struct value *v, struct span first_key, struct span last_key);

/// Members that '*' passes over.
struct path_ignore {
	const struct span *v;
	size_t nr;
};

/// Hand on all values at `path` from `from`, in the order of the file.
void path_visit(const char *path, struct value *from, const struct path_ignore *ignore, path_fn *fn,
                void *ctx);

/// The last value at `path`, or NULL.
struct value *path_find(const char *path, struct value *from);

/// The last name of a path, for figures without a name of their own; "" if it has none.
struct span path_name(const char *path);

/// What a template is filled with.
struct template_words {
	struct value *record;
	const char *file; ///< its name without endings
	struct span key;
};

/// Append the template with its words in place. What is absent or null is "none".
void template_fill(const char *text, const struct template_words *w, struct strbuf *out);

#endif
