#include "read/pickle_nodes.h"

#include <string.h>

enum { NEWEST_PROTOCOL = 5 };

/* How the argument of an opcode is encoded. */
enum argument {
	FIXED, ///< argument of `width` bytes
	COUNTED, ///< first the length of the argument, in `width` bytes, then the argument
	COUNTED_SIGNED, ///< like COUNTED, but with a signed length
	LINE, ///< argument as text up to a line feed
	REFUSED,
};

/* All opcodes of pickles. Source: Lib/pickletools.py of CPython 3.13. An opcode is refused if it
 * can name, import, build or call something, or if it needs data from outside the pickle:
 * persistent ids, and buffers with the bytearrays that came with them (PEP 574). */
static const struct {
	const char *name; ///< name of the opcode; NULL if the number is not an opcode
	enum argument argument;
	unsigned width;
	enum pickle_deed deed; ///< this and the members below: as in struct pickle_op
	enum pickle_type type;
	unsigned nr;
} opcodes[256] = {
	['I'] = { "INT", LINE, 0, DEED_DECIMAL },
	['J'] = { "BININT", FIXED, 4, DEED_LONG },
	['K'] = { "BININT1", FIXED, 1, DEED_NATURAL },
	['M'] = { "BININT2", FIXED, 2, DEED_NATURAL },
	['L'] = { "LONG", LINE, 0, DEED_DECIMAL },
	[0x8a] = { "LONG1", COUNTED, 1, DEED_LONG },
	[0x8b] = { "LONG4", COUNTED_SIGNED, 4, DEED_LONG },
	['S'] = { "STRING", LINE, 0, DEED_STRING },
	['T'] = { "BINSTRING", COUNTED_SIGNED, 4, DEED_TEXT },
	['U'] = { "SHORT_BINSTRING", COUNTED, 1, DEED_TEXT },
	['B'] = { "BINBYTES", COUNTED, 4, DEED_VALUE, PICKLE_OTHER },
	['C'] = { "SHORT_BINBYTES", COUNTED, 1, DEED_VALUE, PICKLE_OTHER },
	[0x8e] = { "BINBYTES8", COUNTED, 8, DEED_VALUE, PICKLE_OTHER },
	['V'] = { "UNICODE", LINE, 0, DEED_UNICODE },
	[0x8c] = { "SHORT_BINUNICODE", COUNTED, 1, DEED_TEXT },
	['X'] = { "BINUNICODE", COUNTED, 4, DEED_TEXT },
	[0x8d] = { "BINUNICODE8", COUNTED, 8, DEED_TEXT },
	['F'] = { "FLOAT", LINE, 0, DEED_FLOAT },
	['G'] = { "BINFLOAT", FIXED, 8, DEED_VALUE, PICKLE_OTHER },
	['N'] = { "NONE", FIXED, 0, DEED_VALUE, PICKLE_NULL },
	[0x88] = { "NEWTRUE", FIXED, 0, DEED_VALUE, PICKLE_BOOL, 1 },
	[0x89] = { "NEWFALSE", FIXED, 0, DEED_VALUE, PICKLE_BOOL },
	[']'] = { "EMPTY_LIST", FIXED, 0, DEED_MAKE, PICKLE_LIST },
	['a'] = { "APPEND", FIXED, 0, DEED_EXTEND, PICKLE_LIST, 1 },
	['e'] = { "APPENDS", FIXED, 0, DEED_EXTEND, PICKLE_LIST, PICKLE_MARKED },
	['l'] = { "LIST", FIXED, 0, DEED_MAKE, PICKLE_LIST, PICKLE_MARKED },
	[')'] = { "EMPTY_TUPLE", FIXED, 0, DEED_MAKE, PICKLE_TUPLE },
	['t'] = { "TUPLE", FIXED, 0, DEED_MAKE, PICKLE_TUPLE, PICKLE_MARKED },
	[0x85] = { "TUPLE1", FIXED, 0, DEED_MAKE, PICKLE_TUPLE, 1 },
	[0x86] = { "TUPLE2", FIXED, 0, DEED_MAKE, PICKLE_TUPLE, 2 },
	[0x87] = { "TUPLE3", FIXED, 0, DEED_MAKE, PICKLE_TUPLE, 3 },
	['}'] = { "EMPTY_DICT", FIXED, 0, DEED_MAKE, PICKLE_DICT },
	['d'] = { "DICT", FIXED, 0, DEED_MAKE, PICKLE_DICT, PICKLE_MARKED },
	['s'] = { "SETITEM", FIXED, 0, DEED_EXTEND, PICKLE_DICT, 2 },
	['u'] = { "SETITEMS", FIXED, 0, DEED_EXTEND, PICKLE_DICT, PICKLE_MARKED },
	[0x8f] = { "EMPTY_SET", FIXED, 0, DEED_MAKE, PICKLE_SET },
	[0x90] = { "ADDITEMS", FIXED, 0, DEED_EXTEND, PICKLE_SET, PICKLE_MARKED },
	[0x91] = { "FROZENSET", FIXED, 0, DEED_MAKE, PICKLE_SET, PICKLE_MARKED },
	['0'] = { "POP", FIXED, 0, DEED_POP },
	['2'] = { "DUP", FIXED, 0, DEED_DUP },
	['('] = { "MARK", FIXED, 0, DEED_MARK },
	['1'] = { "POP_MARK", FIXED, 0, DEED_POP_MARK },
	['g'] = { "GET", LINE, 0, DEED_GET },
	['h'] = { "BINGET", FIXED, 1, DEED_GET },
	['j'] = { "LONG_BINGET", FIXED, 4, DEED_GET },
	['p'] = { "PUT", LINE, 0, DEED_PUT },
	['q'] = { "BINPUT", FIXED, 1, DEED_PUT },
	['r'] = { "LONG_BINPUT", FIXED, 4, DEED_PUT },
	[0x94] = { "MEMOIZE", FIXED, 0, DEED_MEMOIZE },
	[0x80] = { "PROTO", FIXED, 1 },
	[0x95] = { "FRAME", FIXED, 8 },
	['.'] = { "STOP", FIXED, 0 },
	['c'] = { "GLOBAL", REFUSED, 0 },
	[0x93] = { "STACK_GLOBAL", REFUSED, 0 },
	['R'] = { "REDUCE", REFUSED, 0 },
	['b'] = { "BUILD", REFUSED, 0 },
	['i'] = { "INST", REFUSED, 0 },
	['o'] = { "OBJ", REFUSED, 0 },
	[0x81] = { "NEWOBJ", REFUSED, 0 },
	[0x92] = { "NEWOBJ_EX", REFUSED, 0 },
	[0x82] = { "EXT1", REFUSED, 0 },
	[0x83] = { "EXT2", REFUSED, 0 },
	[0x84] = { "EXT4", REFUSED, 0 },
	['P'] = { "PERSID", REFUSED, 0 },
	['Q'] = { "BINPERSID", REFUSED, 0 },
	[0x96] = { "BYTEARRAY8", REFUSED, 0 },
	[0x97] = { "NEXT_BUFFER", REFUSED, 0 },
	[0x98] = { "READONLY_BUFFER", REFUSED, 0 },
};

uint64_t pickle_number(const char *p, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)(unsigned char)p[i] << (8 * i);
	return v;
}

bool pickle_fail(const struct pickle_input *in, const struct pickle_op *op, const char *what)
{
	diag_error(in->log, "%s: byte %zu: pickle opcode %s: %s", in->name, op->byte, op->name, what);
	return false;
}

static bool fail_cut(const struct pickle_input *in, const struct pickle_op *op)
{
	return pickle_fail(
	    in, op, "its argument reaches beyond the end of the file, which is cut short or damaged");
}

static bool take_argument(struct pickle_input *in, struct pickle_op *op, uint64_t n)
{
	if (n > in->bytes.n - in->at)
		return fail_cut(in, op);
	op->argument = (struct span){ in->bytes.p + in->at, (size_t)n };
	in->at += (size_t)n;
	return true;
}

static bool take_line_argument(struct pickle_input *in, struct pickle_op *op)
{
	size_t left = in->bytes.n - in->at;
	const char *p = in->bytes.p + in->at, *end = left ? memchr(p, '\n', left) : NULL;
	if (!end)
		return fail_cut(in, op);
	op->argument = (struct span){ p, (size_t)(end - p) };
	in->at += op->argument.n + 1;
	return true;
}

bool pickle_next(struct pickle_input *in, struct pickle_op *op)
{
	*op = (struct pickle_op){ .byte = in->at };
	if (in->at == in->bytes.n) {
		diag_error(in->log, "%s: byte %zu: the pickle ends without STOP; it is empty or cut short",
		           in->name, in->at);
		return false;
	}
	op->code = (unsigned char)in->bytes.p[in->at++];
	op->name = opcodes[op->code].name;
	op->deed = opcodes[op->code].deed;
	op->type = opcodes[op->code].type;
	op->nr = opcodes[op->code].nr;
	unsigned width = opcodes[op->code].width;
	if (!op->name) {
		diag_error(
		    in->log,
		    "%s: byte %zu: 0x%02x is not a pickle opcode; the file is damaged or not a pickle",
		    in->name, op->byte, op->code);
		return false;
	}
	switch (opcodes[op->code].argument) {
	case FIXED:
		return take_argument(in, op, width);
	case COUNTED:
	case COUNTED_SIGNED:
		if (!take_argument(in, op, width))
			return false;
		if (opcodes[op->code].argument == COUNTED_SIGNED && op->argument.p[3] & 0x80)
			return pickle_fail(in, op, "a length below 0; the file is damaged");
		return take_argument(in, op, pickle_number(op->argument.p, width));
	case LINE:
		return take_line_argument(in, op);
	case REFUSED:
		break;
	}
	return pickle_fail(in, op,
	                   "refused, since it could run code and a snapshot has no need of it; where "
	                   "you trust the file, "
	                   "export it as JSON with Python and give that");
}

bool pickle_check(struct pickle_input in)
{
	struct pickle_op op;
	do {
		if (!pickle_next(&in, &op))
			return false;
		uint64_t number =
		    op.code == 0x80 || op.code == 0x95 ? pickle_number(op.argument.p, op.argument.n) : 0;
		if (op.code == 0x80 && number > NEWEST_PROTOCOL)
			return pickle_fail(&in, &op, "a protocol newer than 5; export the snapshot as JSON");
		if (op.code == 0x95 && number > in.bytes.n - in.at)
			return fail_cut(&in, &op);
	} while (op.code != '.');
	if (in.at < in.bytes.n) {
		diag_error(
		    in.log,
		    "%s: byte %zu: extra data after the end of the pickle; give one snapshot per file",
		    in.name, in.at);
		return false;
	}
	return true;
}
