/// What a snapshot tells about the memory of one device: the figures of metrics.md, the level over
/// time, and the allocation sites behind the bytes.
#ifndef GG_MODEL_MEMORY_H
#define GG_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"
#include "model/category.h"

/// Maximum lengths of the lists in struct memory_profile. A list of sites that is cut ends in a
/// SITE_REST row, so that its rows still add up.
enum memory_limits {
	MEMORY_POINTS = 512,
	MEMORY_STEP_ENDS = 1000,
	MEMORY_SITES = 200,
	MEMORY_BLOCKS = 20, ///< largest number of rows in each list of peak_blocks, gaps, pinned
	MEMORY_OOMS = 16,
};

/// Tiers of categories of allocation sites, in the order in which they are tried. The first tier
/// that matches a frame of the stack decides: the innermost frame that it matches counts, with the
/// first category that matches this frame.
enum site_tier { TIER_REGION, TIER_OPERATION, TIER_HELPER, NR_SITE_TIERS };

/// Rules by which a stack of frames becomes an allocation site (rules/sites.yaml). Their texts are
/// substrings of "FILE:FUNCTION"; case does not matter. The arena of tiers[0] owns the texts.
struct site_rules {
	struct category_table tiers[NR_SITE_TIERS]; ///< categories; FILE is shortened before matching
	VEC(struct span) skip; ///< substrings of the paths of frameworks; their frames are skipped
	VEC(struct span) plumbing; ///< substrings of frames that never name a site
};

/// Releases all memory of the rules.
void site_rules_release(struct site_rules *r);

/// True if any of the `nr` texts in `parts` occurs in `text`.
bool site_text_has(struct span text, const struct span *parts, size_t nr);

/// What is known of the site of some bytes.
enum site_kind {
	SITE_USER, ///< site at the first frame of the user's own code
	SITE_FRAMEWORK, ///< site without user code: all frames were skipped
	SITE_NO_STACK, ///< allocated during the recording, but recorded without a stack
	SITE_BEFORE, ///< blocks allocated before the recording began
	SITE_UNEXPLAINED, ///< difference between the level and all known live blocks; may be negative
	SITE_REST, ///< sum of the sites beyond the first MEMORY_SITES
};

/// Where an allocation was made; file, function and line are set only for SITE_USER and
/// SITE_FRAMEWORK.
struct memory_site {
	const char *category; ///< name of the category; "other" if no category matches
	enum site_kind kind;
	/// Raw bytes. `file` has only the last two parts of the path, or the path in site-packages.
	struct span file, function;
	int64_t line;
};

/// Bytes of one site. Lists are sorted by bytes, most first, then by site.
struct memory_row {
	struct memory_site site;
	int64_t bytes, blocks;
	int64_t largest; ///< requested bytes of the largest block
};

/// A growable list of rows.
struct memory_rows {
	struct memory_row *v;
	size_t nr, cap;
};

/// Allocations of one site during the recording; total.bytes holds the requested bytes,
/// total.blocks the number of allocations.
struct memory_churn {
	struct memory_row total;
	int64_t smallest, sizes; ///< smallest request in bytes; number of distinct sizes
	int64_t common_size, common_count; ///< most frequent size; number of its requests
};

/// A site whose bytes rose between the first and the last step end.
struct memory_growth {
	struct memory_row total; ///< rise of the site's bytes and number of blocks; total.largest is 0
	int64_t rises; ///< number of intervals between step ends in which the bytes rose
};

/// Small active blocks of one site that lie between free blocks.
struct memory_pinned {
	struct memory_row total;
	int64_t free_bytes; ///< bytes of the free blocks next to these blocks, each counted only once
};

/// Blocks of one category. The bytes of all categories add up to the levels at the peak and end.
struct memory_category {
	const char *name;
	int64_t peak_bytes, peak_blocks, end_bytes, end_blocks;
	int64_t allocs, alloc_bytes; ///< number and requested bytes of allocations during the recording
	int64_t largest; ///< requested bytes of the largest block ever seen
};

/// Live blocks of one size class: from `from` up to 2 · `from` bytes.
struct memory_size {
	int64_t from, blocks, bytes;
};

/// Segments of one size class: from `from` up to 2 · `from` bytes.
struct memory_segments {
	bool expandable, large;
	int64_t from, segments, bytes;
	int64_t free_bytes; ///< inactive bytes in the segments
};

/// An inactive block, and the size of the segment in which the block lies.
struct memory_gap {
	int64_t bytes, segment_bytes;
	bool expandable, large;
};

/// The levels of memory (bytes allocated, bytes reserved) at a moment of the history: the list of
/// the allocator's actions that a snapshot has.
struct memory_point {
	int64_t entries, time_us; ///< number of history entries so far; time in µs, -1 if unknown
	int64_t allocated, reserved;
};

/// An out-of-memory error: the levels before it, and the requested and free bytes.
struct memory_oom {
	struct memory_point before;
	int64_t requested, device_free;
	struct memory_site site; ///< site of the request that failed
};

/// Evidence of how far the recorded history can be trusted.
struct memory_trust {
	bool history; ///< true if the device has a history
	bool midway; ///< true if some memory was allocated or reserved when the history began
	bool truncated; ///< true if entries were lost: the recorder says so, or a step ended before the
	                ///< first entry
	int64_t unseen_frees, unseen_bytes; ///< number and bytes of frees of blocks from before the
	                                    ///< recording
	int64_t contradicted_frees; ///< number of frees of blocks that a later entry frees again, or
	                            ///< that are live at the end
	int64_t lost_allocs; ///< number of blocks that are never freed and yet absent at the end
	int64_t lowest_allocated; ///< lowest level; if below 0, the history and the final state
	                          ///< disagree
};

/// All figures of one device, in bytes unless said otherwise. Levels may be negative if the history
/// is incomplete.
struct memory_profile {
	int64_t device;
	int64_t capacity; ///< size of the device's memory; -1 if unknown
	int64_t entries;
	int64_t peak_allocated, peak_reserved, reserved_at_peak;
	int64_t peak_entries, peak_time_us; ///< number of history entries up to the peak; time of the
	                                    ///< peak in µs, -1 if unknown
	struct memory_site peak_site; ///< site of the allocation that reached the peak
	int64_t start_allocated, start_reserved;
	int64_t end_allocated, end_reserved;
	/// At the end: bytes that are freed but still in use by a stream; bytes that were requested.
	int64_t end_pending, end_requested;
	int64_t end_blocks; ///< number of blocks that are allocated at the end
	int64_t inactive, largest_inactive; ///< bytes of all free blocks at the end; of the largest one
	int64_t inactive_whole; ///< inactive bytes in segments without an active block
	int64_t alloc_count, free_count, churn_bytes; ///< during the recording: numbers of allocations
	                                              ///< and of frees; bytes that were allocated
	/// Numbers of segments at the end; of allocations, frees, maps and unmaps of segments; of
	/// out-of-memory errors.
	int64_t segment_count, segment_churn, oom_count;
	int64_t segment_allocs; ///< number of actions in segment_churn that allocate or map a segment
	int64_t growth_per_step; ///< growth in bytes from one step end to the next; only if has_growth
	bool has_growth;
	int64_t nr_step_ends; ///< number of step ends; the list `step_ends` may hold only some of them
	int64_t peak_persistent; ///< part of the peak that is also live at the end
	int64_t peak_carried; ///< part of the peak that is from before the recording and freed later
	int64_t peak_transient; ///< rest of the peak, beside peak_persistent and peak_carried

	/// Small active blocks between free ones: number, bytes, and bytes of the free blocks
	/// beside them.
	int64_t pinned_blocks, pinned_bytes, pinned_free_bytes;
	struct memory_trust trust;

	/// Levels over time: the first, the last, lows, highs, and those at errors.
	VEC(struct memory_point) points;
	VEC(struct memory_point) step_ends; ///< levels at step ends, from which growth is computed
	struct memory_rows peak_sites, end_sites; ///< live bytes by site, which add up to the level
	struct memory_rows oom_sites; ///< blocks that were live before the last out-of-memory error
	struct memory_rows peak_blocks; ///< the largest sizes of blocks, each with its number of blocks
	VEC(struct memory_size) peak_sizes; ///< size classes of blocks at the peak, sorted by size
	VEC(struct memory_category) categories; ///< categories of sites, sorted by bytes at the peak
	VEC(struct memory_churn) churn;
	VEC(struct memory_growth) growth;
	VEC(struct memory_segments) segments; ///< segments, sorted by kind and size class
	VEC(struct memory_gap) gaps; ///< inactive blocks, the largest first
	VEC(struct memory_pinned) pinned;
	VEC(struct memory_oom) ooms; ///< the last MEMORY_OOMS errors, in order
};

/// The profiles of all devices of a snapshot.
struct memory_profiles {
	VEC(struct memory_profile) list; ///< profiles, sorted by device
};

/// Releases the lists; their texts belong to an arena.
void memory_profiles_release(struct memory_profiles *p);

/// Compares two rows, or structs that begin with a row: most bytes first, SITE_REST last, then by
/// site.
int memory_row_cmp(const void *a, const void *b);

/// Compares two struct memory_category: most bytes at the peak first, then by name.
int memory_category_cmp(const void *a, const void *b);

/// Fragmentation: the share of the reserved bytes that is not allocated, in 1e-6 %.
int64_t memory_fragmentation(__int128 allocated, int64_t reserved);

#endif
