/// One member of gzip data → bytes, by zlib, or faster by ISA-L where the build has it.
#ifndef GG_IO_INFLATE_H
#define GG_IO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/strbuf.h"

enum inflate_result {
	INFLATE_MORE, ///< go on: with more input, or more room for output
	INFLATE_END, ///< the member is whole, its CRC and its length are right
	INFLATE_DAMAGED, ///< see `message`
	INFLATE_AGAIN, ///< ISA-L stopped: zlib says what is wrong, and where, from the member's begin
	INFLATE_NO_MEMORY
};

struct inflate;

/// A decoder; NULL where zlib cannot start. Released with inflate_free().
struct inflate *inflate_new(void);

/// Begin a member. `zlib_only` keeps ISA-L out: for tests, and where bytes cannot be read twice.
void inflate_begin(struct inflate *in, bool zlib_only);

/// Decode from the front of `*input`, which is advanced, into `out` (room for `cap` > 0 bytes);
/// `*nr` bytes were written. `message` (static) is set only with INFLATE_DAMAGED.
enum inflate_result inflate_step(struct inflate *in, struct span *input, char *out, size_t cap,
                                 size_t *nr, const char **message);

/// True while ISA-L decodes: a cut in the input is then zlib's to report too.
bool inflate_is_fast(const struct inflate *in);

/// Append names and versions of the libraries in use: "zlib 1.3", "zlib 1.3, ISA-L 2.30.0".
void inflate_version(struct strbuf *out);

void inflate_free(struct inflate *in);

#endif
