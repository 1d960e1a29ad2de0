/// Inside of the replay: one device at a time. No other folder of src/ includes this.
///
///     replay.c           limits, devices, order of work
///     replay_entry.c     what an entry does; rows by site
///     replay_pair.c      backwards: peaks; which allocation a free belongs to
///     replay_level.c     forwards: level over time, out-of-memory errors, growth per step
///     replay_live.c      what is live at a moment, by site, category and size
///     replay_churn.c     what was allocated, by site and category
///     replay_segments.c  the final state: segments, gaps, pinned blocks
///
/// A moment is a number of entries: moment m lies before entry m.
#ifndef GG_REPLAY_REPLAY_INTERNAL_H
#define GG_REPLAY_REPLAY_INTERNAL_H

#include "replay/replay.h"
#include "replay/sites.h"

/// Index that means no entry, no block or no moment.
#define NO_INDEX UINT32_MAX

/// A segment of the final state, and its device.
struct device_segment {
	int64_t device;
	uint32_t segment;
};

/// The end of an Optimizer.step annotation.
struct step_end {
	int64_t device, time_us;
};

/// An active block of the final state.
struct final_block {
	uint32_t block; ///< index of the block in the snapshot
	uint32_t alloc; ///< entry that allocated the block; NO_INDEX if the block is from before the
	                ///< recording
};

/// State of the replay. The snapshot, arena and log are borrowed.
struct replay {
	const struct snapshot *s;
	struct arena *arena;
	struct sites sites;
	struct diag_log *log;
	struct memory_profile *p;

	/* data of the device that is being replayed */
	const struct device_segment *segments;
	size_t nr_segments;
	const struct step_end *step_ends;
	size_t nr_step_ends;
	const struct snapshot_entry *entries;
	uint32_t nr;
	VEC(struct final_block) finals;
	uint32_t *alloc_of; ///< for each entry that frees a block, the index of the entry that
	                    ///< allocated it, or NO_INDEX; `nr` elements
	uint32_t peak; ///< moment of the peak: the number of entries before it
	uint32_t last_oom; ///< entry of the last out-of-memory error, or NO_INDEX
	int64_t oom_allocated; ///< bytes allocated just before the last out-of-memory error
	struct memory_category *categories; ///< categories of sites, with the indices that `sites` uses
};

/// Size of the block that the allocator takes for a request: a multiple of 512 bytes.
static inline int64_t rounded_bytes(uint64_t size)
{
	return (int64_t)((size + 511) / 512 * 512);
}

/// By how many bytes an entry of the history changes the allocated and the reserved memory.
struct memory_delta {
	int64_t allocated, reserved;
};

struct memory_delta replay_delta(const struct snapshot_entry *e);

/// Time of the last entry before moment `m`; -1 if unknown.
int64_t replay_time(const struct replay *r, uint32_t m);

/// Finds the site of the block that entry `i` frees.
GG_MUST_CHECK enum status replay_freed_site(struct replay *r, uint32_t i, uint32_t *site);

/// Finds the site of an active block of the final state.
GG_MUST_CHECK enum status replay_final_site(struct replay *r, const struct final_block *f,
                                            uint32_t *site);

/// A row for a site; its texts are borrowed until replay_keep() copies them.
struct memory_row replay_row(const struct replay *r, uint32_t site);

/// Replaces the texts of a row by copies that the profile owns.
void replay_keep(struct replay *r, struct memory_row *row);

/// If there are more than MEMORY_SITES rows, adds up the rows beyond the first MEMORY_SITES - 1 in
/// `rest`; returns the number of rows to keep. The `nr` rows must be sorted; each has `size` bytes
/// and begins with a struct memory_row.
size_t replay_cut(const struct replay *r, const void *rows, size_t nr, size_t size,
                  struct memory_row *rest);

/// Largest power of two that is not above `bytes`; 0 for 0.
int64_t replay_size_class(int64_t bytes);

/// Steps of the replay, in the order in which they run.
void replay_final(struct replay *r);
GG_MUST_CHECK enum status replay_pair(struct replay *r);
GG_MUST_CHECK enum status replay_levels(struct replay *r);
GG_MUST_CHECK enum status replay_live(struct replay *r);
GG_MUST_CHECK enum status replay_churn(struct replay *r);
GG_MUST_CHECK enum status replay_segments(struct replay *r);

#endif
