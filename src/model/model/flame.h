/// GPU time of baseline and candidate as one tree of the places in the code that launched the work.
#ifndef GG_MODEL_FLAME_H
#define GG_MODEL_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/// The kinds of nodes, from the outermost level to the innermost.
enum flame_kind {
	FLAME_ALL,
	FLAME_MODULE,
	FLAME_PLACE,
	FLAME_OPERATOR,
	FLAME_KERNEL,
	NR_FLAME_KINDS
};

/// A node of the tree: the work that was launched in one place.
struct flame_node {
	enum flame_kind kind;
	int level; ///< depth in the tree; 0 is the root, all GPU time
	const char *name; ///< name as valid UTF-8 for one line, not escaped; it may come from the
	                  ///< recording
	int64_t value[2]; ///< ns per step in baseline and candidate; 0 where the node is absent
};

/// The tree; owns its list.
struct flame {
	bool both; ///< true: two runs; false: only a candidate, so that each value[0] is 0
	VEC(struct flame_node) nodes; ///< nodes, parents first, siblings by size; may be empty
};

#endif
