/// Paths into a tree of values, and templates of names. Steps of a path:
///
/// `name`, `."any name"`, `[*]` `[n]` `[-1]` (elements), `.*` (members), `*` within a name,
/// `[tag=text]` (elements, or an object itself, whose member `tag` is the text); `^` before the
/// first name: the path begins at the enclosing object. An empty path means the value itself.
#ifndef GG_RESULTS_PATH_H
#define GG_RESULTS_PATH_H

#include "results/value.h"

/// Returns why a path is invalid, or NULL; static.
const char *path_fault(const char *path);

/// Returns why a template is invalid, or NULL. A template is text in which the words `{path}` (a
/// path), `{key}`, `{KEY}`, `{file}`, `{columns}`, `{index}` and `{combination}` are replaced.
const char *template_fault(const char *text);

/// A value that a path leads to, and the first and the last name that a '*' matched on the way.
struct path_hit {
	struct value *v;
	struct span first_key, last_key;
};
typedef void path_fn(void *ctx, const struct path_hit *hit);

/// Names of members that a '*' in a path does not match.
struct path_ignore {
	const struct span *v;
	size_t nr;
};

/// Calls `fn` for all values at `path`, which begins at the value `from`, in the order of the file.
void path_visit(const char *path, struct value *from, const struct path_ignore *ignore, path_fn *fn,
                void *ctx);

/// The last value at `path`, or NULL if there is none.
struct value *path_find(const char *path, struct value *from);

/// The last name of a path, for figures without a name of their own; "" if it has none.
struct span path_name(const char *path);

/// The data that the words of a template are filled in from.
struct template_words {
	struct value *record;
	const char *file; ///< name of the file without directories and file name endings
	struct span key;
	struct value *value; ///< figure whose name is filled in; NULL for other templates
	bool no_folders; ///< true: of an absolute path only the last part counts
};

/// The template with its words filled in, owned by `a` and NUL-terminated. `{KEY}` is the key with
/// its words of up to four letters in capitals: "TTFT", "E2E_latency". An absent or null value
/// becomes "none"; a path that ends in ".*" becomes ".KEYVALUE" for each of its values. In the name
/// of a figure `{^name}` is a member beside it, `{index}` is its place in its list, from 0 on;
/// `{combination}` is ".A.B", the combination of that place of the lists that follow its list, of
/// which the last varies fastest.
struct span template_fill(const char *text, const struct template_words *w, struct arena *a);

#endif
