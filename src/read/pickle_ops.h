/// The opcodes of a pickle, one after the other, and which of them are refused.
#ifndef GG_READ_PICKLE_OPS_H
#define GG_READ_PICKLE_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"

/// A whole pickle in memory, and how far it has been read.
struct pickle_input {
	const char *name; ///< for messages
	struct span bytes;
	size_t at;
	struct diag_log *log;
};

struct pickle_op {
	unsigned char code;
	const char *name; ///< as in Python's pickletools; static
	size_t byte; ///< where the opcode stands
	struct span argument; ///< without its length and the end of its line
};

/// Record `FILE: byte N: pickle opcode NAME: what` and return false.
bool pickle_fail(const struct pickle_input *in, const struct pickle_op *op, const char *what);

/// Next opcode; false with an error at one that is unknown, cut short or refused.
bool pickle_next(struct pickle_input *in, struct pickle_op *op);

/// Pass over the whole pickle up to STOP, with which it must end.
bool pickle_check(struct pickle_input in);

/// Little-endian number of the first `n` ≤ 8 bytes at `p`.
uint64_t pickle_number(const char *p, size_t n);

#endif
