/// Internals of the replay, which handles one device at a time. No other folder of src/ includes
/// this header.
///
///     replay.c           limits, devices, order of work
///     replay_entry.c     what an entry does; rows by site
///     replay_pair.c      backwards: peaks; which allocation a free belongs to
///     replay_level.c     forwards: level over time, out-of-memory errors, growth per step
///     replay_live.c      what is live at a moment, by site, category and size
///     replay_churn.c     what was allocated, by site and category
///     replay_segments.c  the final state: segments, gaps, pinned blocks
///
/// A moment of the history is given by the number of entries before it: moment m lies just before
/// entry m.
#ifndef GG_REPLAY_REPLAY_INTERNAL_H
#define GG_REPLAY_REPLAY_INTERNAL_H

#include "replay/memory_rows.h"
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

/// State of the replay. The snapshot, the digest that is made and the log are borrowed.
struct replay {
	const struct snapshot *s;
	struct digest *d;
	struct sites sites;
	struct diag_log *log;

	/* data of the device that is being replayed */
	struct memory_stat stat;
	struct memory_evidence evidence;
	int64_t start_reserved; ///< bytes reserved before the first entry
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
	struct memory_item
	    *categories; ///< row of each of sites.categories, by index: bytes and blocks at the peak,
	                 ///< bytes at the end (`other`), largest block (`largest`)
};

/// Size of the block that the allocator takes for a request: a multiple of 512 bytes.
static inline int64_t rounded_bytes(uint64_t size)
{
	return (int64_t)((size + 511) / 512 * 512);
}

/// The bytes by which an entry of the history changes the allocated and the reserved memory.
struct memory_delta {
	int64_t allocated, reserved;
};

/// The change that the entry makes. A free counts when it is requested, not when it is completed.
struct memory_delta replay_delta(const struct snapshot_entry *e);

/// Time in µs of the last entry before moment `m`, or of the first entry if `m` is 0; -1 if
/// unknown.
int64_t replay_time(const struct replay *r, uint32_t m);

/// Finds the site of the block that entry `i` frees.
GG_MUST_CHECK enum status replay_freed_site(struct replay *r, uint32_t i, uint32_t *site);

/// Finds the site of an active block of the final state.
GG_MUST_CHECK enum status replay_final_site(struct replay *r, const struct final_block *f,
                                            uint32_t *site);

/// A row of `list` for a site; its texts are borrowed until replay_add() copies them.
struct memory_item replay_row(const struct replay *r, enum memory_list list, uint32_t site);

/// Like memory_items_add(), with copies of the texts that the digest owns.
void replay_add(struct replay *r, struct memory_items *rows, row_compare *cmp, size_t most);

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
