/// The JSON of XProf's memory profile tool.
#ifndef GG_READ_XPROF_H
#define GG_READ_XPROF_H

#include "base/diag.h"
#include "base/span.h"
#include "events/memory_record.h"
#include "io/source.h"

/// What a profile may hold at most; one more is ST_INPUT.
struct xprof_limits {
	size_t memories;
	size_t rows; ///< snapshots, special and active allocations of all memories together
};

struct xprof_read_options {
	const struct xprof_limits *limits; ///< NULL: 4096 memories, 2^22 rows
	size_t window; ///< bytes of the JSON scanner's window, for tests; 0: its default
};

/// True for the key that a profile is recognized by.
bool xprof_is_profile_key(struct span key);

/// Read one profile. Fields may be named in lowerCamelCase or as in the proto, be left out, null,
/// numbers or text, as the JSON mapping of protobuf has it; unknown ones are passed over. `options`
/// may be NULL. ST_INPUT leaves `out` untouched; a cut input is too. Caller:
/// xprof_profile_release(out).
GG_MUST_CHECK enum status xprof_read(struct source *src, const struct xprof_read_options *options,
                                     struct xprof_profile *out, struct diag_log *log);

#endif
