/// What a pickle holds, as plain nodes.
#ifndef GG_READ_PICKLE_NODES_H
#define GG_READ_PICKLE_NODES_H

#include "base/arena.h"
#include "base/vec.h"
#include "read/pickle_ops.h"
#include "read/snapshot.h"

enum pickle_type {
	PICKLE_NULL,
	PICKLE_BOOL,
	PICKLE_INTEGER,
	PICKLE_TEXT,
	PICKLE_OTHER, ///< float, bytes, integer beyond 64 bits
	PICKLE_LIST,
	PICKLE_TUPLE,
	PICKLE_DICT, ///< its items are key, value, key, value, …
	PICKLE_SET,
};

/// Items of a container, in order. The chunks form a ring; a key and its value
/// lie in the same one.
struct pickle_chunk {
	struct pickle_chunk *next;
	uint32_t nr, cap;
	uint32_t items[]; ///< ids of nodes
};

struct pickle_node {
	enum pickle_type type;
	bool negative; ///< integer
	uint32_t byte; ///< where its opcode stands
	uint32_t nr; ///< bytes of the text, items of the container
	union {
		uint64_t magnitude; ///< integer; bool: 0 or 1
		const char *text; ///< in the input or the arena
		struct pickle_chunk *last; ///< of the ring; NULL where there are no items
	};
};

struct pickle_nodes {
	VEC(struct pickle_node) nodes;
	struct arena arena; ///< owns chunks and decoded texts
	uint32_t root;
};

/// Make nodes of a pickle that pickle_check() has passed; false with an error.
/// `out` borrows the input. Nodes can be shared and can hold themselves.
bool pickle_build(struct pickle_input in, const struct snapshot_limits *limits,
                  struct pickle_nodes *out);

/// Give the memory back; no depth of nesting matters.
void pickle_nodes_release(struct pickle_nodes *n);

/// The value of an opcode that needs no stack, its decoded text owned by `a`;
/// false if it is not one. `*problem` is set where the argument is malformed; static.
bool pickle_value(const struct pickle_op *op, struct arena *a, struct pickle_node *out,
                  const char **problem);

#endif
