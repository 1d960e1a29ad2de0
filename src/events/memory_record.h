/// What profilers other than the allocator's own snapshot recorded of memory, as they wrote it.
#ifndef GG_EVENTS_MEMORY_RECORD_H
#define GG_EVENTS_MEMORY_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

/// No level, change or sum of changes of a record reaches this many bytes.
#define RECORD_BYTES ((int64_t)1 << 62)

/// Categories of a memory timeline, in the order of its columns.
/// Source: _CATEGORY_TO_COLORS of torch/profiler/_memory_profiler.py (torch 2.1 and later).
enum { TIMELINE_CATEGORIES = 8 };

/// Source: Action of torch/profiler/_memory_profiler.py; TIMELINE_LEVEL is of this program, a
/// change between two moments of the form that has sizes.
enum timeline_action {
	TIMELINE_LEVEL,
	TIMELINE_PREEXISTING,
	TIMELINE_CREATE,
	TIMELINE_VERSION,
	TIMELINE_DESTROY,
};

/// A change of one category.
struct timeline_row {
	int64_t time_us; ///< -1 before the recording
	int64_t bytes; ///< signed
	uint8_t action, category;
	bool more; ///< the same moment has further rows: the level after this row is not a level of its
	           ///< own
};

/// torch.profiler's export_memory_timeline(): tensors of one device, which it does not name.
struct memory_timeline {
	VEC(struct timeline_row) rows; ///< by time
	bool raw; ///< all actions; else only levels at the ends of microseconds
	uint64_t json_faults, fault_byte;
};

enum xprof_kind { XPROF_OTHER, XPROF_ALLOCATION, XPROF_DEALLOCATION };

/// MemoryActivityMetadata: what a change of memory was for; texts "" where not given.
struct xprof_activity {
	enum xprof_kind kind;
	int64_t requested, bytes, step;
	const struct name *op, *region, *type, *shape;
};

/// MemoryProfileSnapshot: the state after an activity. What a proto leaves out is 0.
struct xprof_state {
	int64_t time_us;
	int64_t stack, heap, free; ///< bytes; heap + stack are in use
	int64_t in_use; ///< of a summary: the peak, -1 not given
	struct xprof_activity activity;
};

/// ActiveAllocation: live at the peak.
struct xprof_active {
	int64_t snapshot; ///< index of the activity in `states`, or
	int64_t special; ///< where `snapshot` < 0: in `specials`
	int64_t occurrences;
};

/// PerAllocatorMemoryProfile.
struct xprof_memory {
	const struct name *id;
	VEC(struct xprof_state) states; ///< version 0: over time; version 1: those of `actives`
	VEC(struct xprof_state) samples; ///< version 1: over time
	VEC(struct xprof_activity) specials;
	VEC(struct xprof_active) actives;
	bool has_peak;
	struct xprof_state peak; ///< within the window
	int64_t capacity; ///< 0 not given
};

/// XProf's memory profile of one host.
/// Source: plugin/xprof/protobuf/memory_profile.proto of openxla/xprof.
struct xprof_profile {
	struct name_table names;
	VEC(struct xprof_memory) memories; ///< in order of the file
	int64_t version;
	uint64_t json_faults, fault_byte;
};

/// Give the memory back.
void memory_timeline_release(struct memory_timeline *t);

/// The same of a memory profile.
void xprof_profile_release(struct xprof_profile *p);

#endif
