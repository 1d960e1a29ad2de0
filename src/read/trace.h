/// PyTorch profiler / Kineto Chrome trace → events.
#ifndef GG_READ_TRACE_H
#define GG_READ_TRACE_H

#include "base/diag.h"
#include "events/event.h"
#include "io/source.h"

struct trace_options {
	bool allow_truncated; ///< keep the complete events of a trace that is cut short
	uint64_t quick; ///< stop after this many events; 0: read all
	size_t threads; ///< that read the events; 0: 1, and more than are of use are not begun
	bool portable; ///< without instructions that only some processors have, for tests
	size_t piece; ///< bytes that one of them reads at a time, for tests; 0: 512 KiB
};

/// Read one trace from `src`: events go to `sink` in file order, what the trace
/// says of itself to `meta` (initialized here; the caller releases its arena and
/// its devices, whatever the outcome). Names are interned in `names`. JSON that is not a trace is
/// ST_INPUT and named for what it seems to be.
GG_MUST_CHECK enum status trace_read(struct source *src, const struct trace_options *options,
                                     struct name_table *names, struct event_sink sink,
                                     struct trace_meta *meta, struct diag_log *log);

#endif
