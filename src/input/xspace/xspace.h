/// Reads XSpace files (*.xplane.pb) of the profilers of JAX and TensorFlow as events of a trace.
#ifndef GG_XSPACE_XSPACE_H
#define GG_XSPACE_XSPACE_H

#include "base/diag.h"
#include "events/event.h"
#include "io/source.h"

/// Limits of a file. A file beyond them is refused with ST_INPUT.
struct xspace_limits {
	uint64_t plane_bytes; ///< limit in bytes of one field of the file, such as a plane, and of all
	                      ///< planes of the host together
};

/// True for a file that begins with a plane, the timeline of a device or host. `first` holds the
/// first bytes of the file, white space included.
bool xspace_recognize(struct span first);

/// Reads one file. Passes work and steps of the GPUs to `sink`, then events of the host; fills
/// `meta` with the GPUs. One plane at a time, and all planes of the host, are in memory. If
/// `limits` is NULL, planes have at most 2^31 - 1 bytes, the most that protobuf can write. ST_INPUT
/// is also returned if the file has no GPU. `names` owns the events' names.
GG_MUST_CHECK enum status xspace_read(struct source *src, const struct xspace_limits *limits,
                                      struct name_table *names, struct event_sink sink,
                                      struct trace_meta *meta, struct diag_log *log);

#endif
