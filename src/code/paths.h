/// Paths of names: operators in operators, callers and callees, modules in modules.
#ifndef GG_CODE_PATHS_H
#define GG_CODE_PATHS_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/span.h"
#include "code/ids.h"
#include "model/code.h"

/// Largest length of the text of a path; names beyond it are left out.
enum { CODE_PATH_BYTES = 2048 };

struct code_path {
	uint32_t parent; ///< id of the path around this path
	uint32_t name;
	uint32_t last; ///< id of the path that was last found directly below, or 0
	uint32_t bytes; ///< length of the path's text in bytes
};

/// A set of paths; path 0 is empty.
struct code_paths {
	const struct name_table *names; ///< names in paths, borrowed; NULL if no text will be needed
	struct idmap ids; ///< ids of pairs (parent, name); path 1 has id 0
	VEC(struct code_path) list;
	VEC(const char *) texts; ///< texts, indexed by path, made on demand
};

/// Initializes a set that has only the empty path.
void code_paths_init(struct code_paths *p, const struct name_table *names);
/// Releases all memory of the set.
void code_paths_release(struct code_paths *p);

/// The path of a name directly below another path.
uint32_t code_path_child(struct code_paths *p, uint32_t parent, uint32_t name);

/// The text of a path, owned by `a`, which must be the same in all calls.
struct span code_path_text(struct code_paths *p, struct arena *a, uint32_t path);

#endif
