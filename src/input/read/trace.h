/// Reads Chrome traces of the PyTorch profiler (Kineto), and hands on their events.
#ifndef GG_READ_TRACE_H
#define GG_READ_TRACE_H

#include "base/diag.h"
#include "events/event.h"
#include "io/source.h"

/// Options of reading a trace; a zeroed struct has the defaults.
struct trace_options {
	bool allow_truncated; ///< true to keep the complete events of a trace that is cut short
	uint64_t quick; ///< number of elements of traceEvents after which reading stops; 0 means that
	                ///< all are read
	bool portable; ///< true to use no instructions that only some processors have; set by tests
};

/// Reads one trace from `src`. Events go to `sink` in file order, and their names are interned in
/// `names`. `meta` is initialized, and gets what the trace states about itself; the caller releases
/// its arena and its devices, also after an error. JSON that is not a trace is ST_INPUT, with a
/// message that says what it seems to be.
GG_MUST_CHECK enum status trace_read(struct source *src, const struct trace_options *options,
                                     struct name_table *names, struct event_sink sink,
                                     struct trace_meta *meta, struct diag_log *log);

#endif
