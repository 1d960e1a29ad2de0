/// Paths of names: operators in operators, callers and callees, modules in modules.
#ifndef GG_CODE_PATHS_H
#define GG_CODE_PATHS_H

#include "base/arena.h"
#include "base/idmap.h"
#include "base/intern.h"
#include "base/span.h"
#include "model/code.h"

/// Largest length in bytes of the text of a path; a name that would exceed it is not appended to
/// the path.
enum { CODE_PATH_BYTES = 2048 };

/// A path: another path and one more name.
struct code_path {
	uint32_t parent; ///< id of the path without its last name
	uint32_t name;
	uint32_t last; ///< cache: id of the path that was last looked up among those that extend this
	               ///< path by one name; 0 if there is none
	uint32_t bytes; ///< length of the path's text in bytes
};

/// A set of paths; path 0 is empty.
struct code_paths {
	const struct name_table *names; ///< table of the names in paths, borrowed; NULL if no text will
	                                ///< be needed
	struct idmap ids; ///< pairs (id of parent, id of name); the pair with index i is path i + 1
	VEC(struct code_path) list;
	VEC(const char *) texts; ///< texts of paths, indexed by path; made on demand
};

/// Initializes a set that has only the empty path.
void code_paths_init(struct code_paths *p, const struct name_table *names);
/// Releases all memory of the set.
void code_paths_release(struct code_paths *p);

/// Id of the path that consists of `parent` and one more name; `parent` if the text would be too
/// long.
uint32_t code_path_child(struct code_paths *p, uint32_t parent, uint32_t name);

/// The text of a path. It is owned by `a`, which must be the same arena in all calls.
struct span code_path_text(struct code_paths *p, struct arena *a, uint32_t path);

#endif
