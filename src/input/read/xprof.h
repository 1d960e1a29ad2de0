/// Reads the JSON of XProf's memory profile tool.
#ifndef GG_READ_XPROF_H
#define GG_READ_XPROF_H

#include "base/diag.h"
#include "base/span.h"
#include "events/memory_record.h"
#include "io/source.h"

/// Limits of a profile; a profile that exceeds one is refused with ST_INPUT.
struct xprof_limits {
	size_t memories;
	size_t rows; ///< number of snapshots, special allocations and active allocations, added up over
	             ///< all memories
};

/// True for the key by which a profile is recognized.
bool xprof_is_profile_key(struct span key);

/// Reads one profile. As in the JSON mapping of protobuf, fields may be named in lowerCamelCase or
/// as in the proto, and may be null or left out; numbers may be texts. Unknown fields are skipped.
/// If `limits` is NULL, they are 4096 memories and 2^22 rows. ST_INPUT leaves `out` unchanged, also
/// if the input is cut short. Caller releases `out` with xprof_profile_release().
GG_MUST_CHECK enum status xprof_read(struct source *src, const struct xprof_limits *limits,
                                     struct xprof_profile *out, struct diag_log *log);

#endif
