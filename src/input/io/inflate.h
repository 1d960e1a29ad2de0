/// Decodes one member of gzip data with zlib, or with ISA-L, which is faster, if the build has it.
#ifndef GG_IO_INFLATE_H
#define GG_IO_INFLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/strbuf.h"

/// Result of inflate_step().
enum inflate_result {
	INFLATE_MORE, ///< the caller continues with more input, or with more room for output
	INFLATE_END, ///< the member is complete, and its CRC and length are right
	INFLATE_DAMAGED, ///< the data is damaged; `message` says how
	INFLATE_AGAIN, ///< ISA-L has met an error: the caller must decode the member again with zlib,
	               ///< which reports what is damaged and where
	INFLATE_NO_MEMORY
};

struct inflate;

/// A new decoder, released with inflate_free().
struct inflate *inflate_new(void);

/// Begins a member. `zlib_only` excludes ISA-L: for tests, if the input cannot be read twice, and
/// to decode a member again after ISA-L has met an error.
void inflate_begin(struct inflate *in, bool zlib_only);

/// Decodes from the front of `*input`, which is advanced, into `out` (room for `cap` > 0 bytes);
/// `*nr` becomes the number of bytes written. `message` (static) is set only with INFLATE_DAMAGED.
enum inflate_result inflate_step(struct inflate *in, struct span *input, char *out, size_t cap,
                                 size_t *nr, const char **message);

/// True if ISA-L decodes the current member. If the input then ends too early, the caller must
/// decode the member again with zlib, so that the error message is zlib's.
bool inflate_is_fast(const struct inflate *in);

/// Appends names and versions of the libraries in use: "zlib 1.3" or "zlib 1.3, ISA-L 2.30.0".
void inflate_version(struct strbuf *out);

/// Releases the decoder; NULL is allowed.
void inflate_free(struct inflate *in);

#endif
