/// Memory records of profilers other than the allocator's own snapshot, as structs close to the
/// files' own form.
#ifndef GG_EVENTS_MEMORY_RECORD_H
#define GG_EVENTS_MEMORY_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"

/// Limit in bytes of each level, each change and each sum of changes in a record.
#define RECORD_BYTES ((int64_t)1 << 62)

/// Number of categories of a memory timeline; each has a column.
/// Source: _CATEGORY_TO_COLORS of torch/profiler/_memory_profiler.py (torch 2.1 and later).
enum { TIMELINE_CATEGORIES = 8 };

/// Actions of a memory timeline. Source: Action of torch/profiler/_memory_profiler.py;
/// TIMELINE_LEVEL is an addition of this program for files that have sizes and no actions: the
/// difference between the sizes at two moments.
enum timeline_action {
	TIMELINE_LEVEL,
	TIMELINE_PREEXISTING,
	TIMELINE_CREATE,
	TIMELINE_VERSION,
	TIMELINE_DESTROY,
};

/// A change of the bytes of one category.
struct timeline_row {
	int64_t time_us; ///< time of the change; -1 for the time before the recording
	int64_t bytes; ///< change in bytes, signed
	uint8_t action, category;
	bool more; ///< true if the next row belongs to the same moment (the other half of a new
	           ///< version, or in a file of levels another category), so that the level between the
	           ///< two rows never existed
};

/// A file of torch.profiler's export_memory_timeline(): tensors of one device; the file does not
/// name the device.
struct memory_timeline {
	VEC(struct timeline_row) rows; ///< rows sorted by time
	bool raw; ///< true if there is a row for each action; false if the file gives only the level at
	          ///< the end of each microsecond
	uint64_t json_faults, fault_byte;
};

/// The kinds of activities in XProf's record.
enum xprof_kind { XPROF_OTHER, XPROF_ALLOCATION, XPROF_DEALLOCATION };

/// An activity of XProf's record (MemoryActivityMetadata): an allocation or deallocation, with its
/// sizes in bytes and its purpose (operation, region, type and shape). Texts are "" if not given.
struct xprof_activity {
	enum xprof_kind kind;
	int64_t requested, bytes, step;
	const struct name *op, *region, *type, *shape;
};

/// A state of XProf's record (MemoryProfileSnapshot) after an activity. Members that the file
/// leaves out are 0, except `in_use`.
struct xprof_state {
	int64_t time_us;
	int64_t stack, heap, free; ///< sizes in bytes: used stack memory, used heap memory, free memory
	int64_t in_use; ///< bytes in use at the peak, if the state is the peak of a summary; -1 if not
	                ///< given
	struct xprof_activity activity;
};

/// A row of XProf's record (ActiveAllocation) for allocations that are live at the peak.
struct xprof_active {
	int64_t snapshot; ///< index in `states` of the state that has the activity; if < 0, `special`
	                  ///< is used instead
	int64_t special; ///< index of the activity in `specials`, if `snapshot` < 0
	int64_t occurrences;
};

/// The records of one memory in XProf's profile (PerAllocatorMemoryProfile).
struct xprof_memory {
	const struct name *id;
	/// States of the memory: over time in version 0; in version 1 only the states to which
	/// `actives` refers.
	VEC(struct xprof_state) states;
	VEC(struct xprof_state) samples; ///< states over time in version 1; empty in version 0
	VEC(struct xprof_activity) specials;
	VEC(struct xprof_active) actives;
	bool has_peak;
	struct xprof_state peak; ///< peak within the profile's time window
	int64_t capacity; ///< limit of the allocator in bytes; 0 if not given
};

/// XProf's memory profile of one host.
/// Source: plugin/xprof/protobuf/memory_profile.proto of openxla/xprof.
struct xprof_profile {
	struct name_table names;
	VEC(struct xprof_memory) memories; ///< memories in order of the file
	int64_t version;
	uint64_t json_faults, fault_byte;
};

/// Releases all memory of the timeline.
void memory_timeline_release(struct memory_timeline *t);

/// Releases all memory of the profile.
void xprof_profile_release(struct xprof_profile *p);

#endif
