/// Reads the memory timeline of torch.profiler, as export_memory_timeline() writes it.
#ifndef GG_READ_TIMELINE_H
#define GG_READ_TIMELINE_H

#include "base/diag.h"
#include "events/memory_record.h"
#include "io/source.h"

/// Reads either form, recognized by content: rows of [time, action, bytes, category], or [times,
/// sizes by category]. ST_INPUT leaves `out` unchanged, also if the input is cut short or has more
/// than `rows` rows; 0 means 2^26. Caller releases `out` with memory_timeline_release(). Source:
/// MemoryProfileTimeline of torch/profiler/_memory_profiler.py (torch 2.1 and later).
GG_MUST_CHECK enum status timeline_read(struct source *src, size_t rows,
                                        struct memory_timeline *out, struct diag_log *log);

#endif
