/// GPU time of both sides as one tree of the places in the code that launched the work.
#ifndef GG_MODEL_FLAME_H
#define GG_MODEL_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/// What a node is about, from the outermost level to the innermost.
enum flame_kind {
	FLAME_ALL,
	FLAME_MODULE,
	FLAME_PLACE,
	FLAME_OPERATOR,
	FLAME_KERNEL,
	NR_FLAME_KINDS
};

struct flame_node {
	enum flame_kind kind;
	int level; ///< depth in the tree; 0 is the root, all GPU time
	const char *name; ///< name as valid UTF-8 fit for one line, not escaped; maybe a stranger's
	int64_t value[2]; ///< ns per step in the baseline and in the candidate; 0 if absent
};

struct flame {
	bool both; ///< true if there are two runs; otherwise value[0] is 0
	VEC(struct flame_node) nodes; ///< nodes, each before its children, these by size; or empty
};

#endif
