/// GPU time of both sides as one tree of where in the code it was launched.
#ifndef GG_MODEL_FLAME_H
#define GG_MODEL_FLAME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

/// What a node is, from the outside to the inside.
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
	int level; ///< 0: all GPU time
	const char *name; ///< untrusted text is valid UTF-8, fit for a line, not escaped
	int64_t value[2]; ///< ns per step of the baseline and the candidate; 0 absent
};

struct flame {
	bool both; ///< of two runs; else value[0] is 0
	VEC(struct flame_node) nodes; ///< each before its children, those by size; none: not known
};

#endif
