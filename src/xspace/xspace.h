/// XSpace files (*.xplane.pb), as the profilers of JAX and TensorFlow write them → events.
#ifndef GG_XSPACE_XSPACE_H
#define GG_XSPACE_XSPACE_H

#include "base/diag.h"
#include "events/event.h"
#include "io/source.h"

/// What a file may hold at most; one more is ST_INPUT.
struct xspace_limits {
	uint64_t plane_bytes; ///< of one plane; those of the host together
};

struct xspace_options {
	const struct xspace_limits *limits; ///< NULL: 2^31 - 1, as much as protobuf can write
};

/// True for a file that begins with a plane, by its first bytes with all blanks.
bool xspace_recognise(struct span first);

/// Read one file like trace_read(): work of the GPUs and steps on them, then what the host did,
/// go to `sink`; GPUs to `meta`. One plane at a time, and all of the host, are in memory. `options`
/// may be NULL. ST_INPUT also where all work is of TPUs.
GG_MUST_CHECK enum status xspace_read(struct source *src, const struct xspace_options *options,
                                      struct name_table *names, struct event_sink sink,
                                      struct trace_meta *meta, struct diag_log *log);

#endif
