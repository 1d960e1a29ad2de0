/// Reads the memory timeline of torch.profiler, as export_memory_timeline() writes it.
#ifndef GG_READ_TIMELINE_H
#define GG_READ_TIMELINE_H

#include "base/diag.h"
#include "events/memory_record.h"
#include "io/source.h"

/// Options of timeline_read(); a zeroed struct has the defaults.
struct timeline_read_options {
	size_t rows; ///< largest number of rows, beyond which ST_INPUT is returned; 0 means 2^26
	size_t window; ///< size of the JSON scanner's window in bytes, set by tests; 0 means the
	               ///< default
};

/// Reads either form, recognized by content: rows of [time, action, bytes, category], or [times,
/// sizes by category]. `options` may be NULL. ST_INPUT leaves `out` unchanged, also if the input is
/// cut short. Caller releases `out` with memory_timeline_release(). Source: MemoryProfileTimeline
/// of torch/profiler/_memory_profiler.py (torch 2.1 and later).
GG_MUST_CHECK enum status timeline_read(struct source *src,
                                        const struct timeline_read_options *options,
                                        struct memory_timeline *out, struct diag_log *log);

#endif
