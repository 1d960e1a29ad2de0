/// Reads XSpace files (*.xplane.pb), as the profilers of JAX and TensorFlow write them, and hands
/// on their events.
#ifndef GG_XSPACE_XSPACE_H
#define GG_XSPACE_XSPACE_H

#include "base/diag.h"
#include "events/event.h"
#include "io/source.h"

/// Largest contents of a file; anything beyond is ST_INPUT.
struct xspace_limits {
	uint64_t plane_bytes; ///< bytes of one plane; for the host, of all its planes together
};

struct xspace_options {
	/// Limits of the file; NULL: 2^31 - 1, the most that protobuf can write.
	const struct xspace_limits *limits;
};

/// True for a file that begins with a plane; `first` is the file's first bytes with all blanks.
bool xspace_recognise(struct span first);

/// Reads one file, as trace_read() does: work of the GPUs and steps on them, then events of the
/// host, go to `sink`; GPUs to `meta`. One plane at a time, and all planes of the host, are in
/// memory. `options` may be NULL. ST_INPUT also if all work is on TPUs.
GG_MUST_CHECK enum status xspace_read(struct source *src, const struct xspace_options *options,
                                      struct name_table *names, struct event_sink sink,
                                      struct trace_meta *meta, struct diag_log *log);

#endif
