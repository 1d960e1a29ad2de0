/// Reads a pickle without running code in it: refuses opcodes that could run code (pickle_ops.c),
/// and makes plain values, here called nodes, of the others (pickle_build.c).
#ifndef GG_READ_PICKLE_NODES_H
#define GG_READ_PICKLE_NODES_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/span.h"
#include "base/vec.h"
#include "read/snapshot.h"

/// A whole pickle in memory, and the reader's position in it.
struct pickle_input {
	const char *name; ///< name of the input, for messages
	struct span bytes;
	size_t at;
	struct diag_log *log;
};

/// The Python types of the values in a snapshot.
enum pickle_type {
	PICKLE_NULL,
	PICKLE_BOOL,
	PICKLE_INTEGER,
	PICKLE_TEXT,
	PICKLE_OTHER, ///< float, bytes, or integer beyond 64 bits: no snapshot needs these values
	PICKLE_LIST,
	PICKLE_TUPLE,
	PICKLE_DICT, ///< dict; its items are key, value, key, value, …
	PICKLE_SET,
};

/// What an opcode does: it pushes a value, works on a container, or on memo and stack.
enum pickle_deed {
	DEED_NONE,
	DEED_VALUE, ///< pushes a value of `type`; if it is a bool, its value is `nr`
	DEED_LONG, ///< pushes the argument, an integer in two's complement
	DEED_NATURAL, ///< pushes the argument, an integer that is not negative
	DEED_DECIMAL, ///< pushes the argument, an integer as decimal text
	DEED_FLOAT,
	DEED_TEXT,
	DEED_STRING, ///< pushes the argument, text in quotes with the escapes of a bytes literal
	DEED_UNICODE, ///< pushes the argument, text whose only escapes are \u and \U
	DEED_MAKE, ///< replaces `nr` values by a container of `type` that holds them
	DEED_EXTEND, ///< adds `nr` values to the container of `type` below them
	DEED_GET, ///< pushes a value of the memo
	DEED_PUT, ///< puts the last value into the memo
	DEED_MEMOIZE, ///< like DEED_PUT, under the next index
	DEED_MARK,
	DEED_POP,
	DEED_POP_MARK,
	DEED_DUP,
};

/// A value of `nr` that means: all values above the last mark.
#define PICKLE_MARKED UINT_MAX

/// An opcode with its argument, which points into the input.
struct pickle_op {
	enum pickle_deed deed;
	enum pickle_type type; ///< type of the value, or of the container
	unsigned nr; ///< number of values that the opcode takes off the stack, or PICKLE_MARKED; for a
	             ///< bool its value
	unsigned char code;
	const char *name; ///< name of the opcode in Python's pickletools; static
	size_t byte; ///< offset of the opcode in the input
	struct span argument; ///< argument without its length, and without a line feed at its end
};

/// Records the error `FILE: byte N: pickle opcode NAME: what` and returns false.
bool pickle_fail(const struct pickle_input *in, const struct pickle_op *op, const char *what);

/// Reads the next opcode; false with an error if it is unknown, cut short or refused.
bool pickle_next(struct pickle_input *in, struct pickle_op *op);

/// Checks all opcodes of the pickle, the last of which must be STOP. False with an error if
/// something is wrong.
bool pickle_check(struct pickle_input in);

/// Little-endian number in the first `n` ≤ 8 bytes at `p`.
uint64_t pickle_number(const char *p, size_t n);

/// Items of a container, in order. The chunks of a container form a ring; a key and its value are
/// in the same chunk.
struct pickle_chunk {
	struct pickle_chunk *next;
	uint32_t nr, cap;
	uint32_t items[]; ///< items, as ids of nodes
};

/// A value. Containers refer to their items by id, the index in `nodes`.
struct pickle_node {
	enum pickle_type type;
	bool negative; ///< true for an integer below 0
	uint32_t byte; ///< offset of the value's opcode
	uint32_t nr; ///< length of the text in bytes, or number of items in the container
	union {
		uint64_t magnitude; ///< absolute value of an integer; for a bool 0 or 1
		const char *text; ///< text, borrowed from the input or from the arena
		struct pickle_chunk *last; ///< last chunk of the ring of items; NULL if there are no items
	};
};

/// All values of a pickle; `root` is the id of the outermost value.
struct pickle_nodes {
	VEC(struct pickle_node) nodes;
	struct arena arena; ///< arena that owns chunks and decoded texts
	uint32_t root;
};

/// Makes nodes of a pickle that pickle_check() has accepted; false on an error. `out` borrows the
/// input. Nodes can be shared and can contain themselves. Caller releases with
/// pickle_nodes_release(), also after an error.
bool pickle_build(struct pickle_input in, const struct snapshot_limits *limits,
                  struct pickle_nodes *out);

/// Releases all memory of the nodes, without recursion.
void pickle_nodes_release(struct pickle_nodes *n);

/// Reads the value of an opcode that takes nothing from the stack; decoded text is owned by `a`.
/// False for any other opcode. `*problem` (static) is set if the argument is malformed.
bool pickle_value(const struct pickle_op *op, struct arena *a, struct pickle_node *out,
                  const char **problem);

#endif
