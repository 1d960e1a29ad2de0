/// Paths of names: operators in operators, frames below frames, modules in modules.
#ifndef GG_CODE_PATHS_H
#define GG_CODE_PATHS_H

#include "base/arena.h"
#include "base/intern.h"
#include "base/span.h"
#include "code/ids.h"
#include "model/code.h"

/// The longest text of a path; what is further in belongs to the end of what fits.
enum { CODE_PATH_BYTES = 2048 };

struct code_path {
	uint32_t parent; ///< path
	uint32_t name;
	uint32_t last; ///< path that was found below it last, or 0
	uint32_t bytes; ///< of its text
};

/// Path 0 is empty.
struct code_paths {
	const struct name_table *names; ///< of path.name, borrowed; NULL: no text will be asked for
	struct idmap ids; ///< (parent, name); path 1 has id 0
	VEC(struct code_path) list;
	VEC(const char *) texts; ///< by path, made as they are asked for
};

/// Makes it ready for use.
void code_paths_init(struct code_paths *p, const struct name_table *names);
/// Releases what it holds.
void code_paths_release(struct code_paths *p);

/// The path of a name within another.
uint32_t code_path_child(struct code_paths *p, uint32_t parent, uint32_t name);

/// Text of a path, owned by `a`, which must be the same each time.
struct span code_path_text(struct code_paths *p, struct arena *a, uint32_t path);

#endif
