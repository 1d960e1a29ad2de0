/// Reads the opcodes of a pickle one by one, and refuses the dangerous ones.
#ifndef GG_READ_PICKLE_OPS_H
#define GG_READ_PICKLE_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/span.h"

/// A whole pickle in memory, and the reader's position in it.
struct pickle_input {
	const char *name; ///< name of the input, for messages
	struct span bytes;
	size_t at;
	struct diag_log *log;
};

struct pickle_op {
	unsigned char code;
	const char *name; ///< name of the opcode in Python's pickletools; static
	size_t byte; ///< offset of the opcode in the input
	struct span argument; ///< argument without its length, and without a line feed at its end
};

/// Records the error `FILE: byte N: pickle opcode NAME: what` and returns false.
bool pickle_fail(const struct pickle_input *in, const struct pickle_op *op, const char *what);

/// Reads the next opcode; false with an error if it is unknown, cut short or refused.
bool pickle_next(struct pickle_input *in, struct pickle_op *op);

/// Checks the whole pickle up to the opcode STOP, with which it must end.
bool pickle_check(struct pickle_input in);

/// Little-endian number in the first `n` ≤ 8 bytes at `p`.
uint64_t pickle_number(const char *p, size_t n);

#endif
