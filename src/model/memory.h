/// What a snapshot says of the memory of one device: figures of metrics.md,
/// the level over time, and where the bytes went.
#ifndef GG_MODEL_MEMORY_H
#define GG_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"
#include "model/category.h"

/// What the lists of a profile hold at most. A list of sites that is cut ends
/// in a SITE_REST row, so that it still adds up.
enum memory_limits {
	MEMORY_POINTS = 512,
	MEMORY_STEP_ENDS = 1000,
	MEMORY_SITES = 200,
	MEMORY_BLOCKS = 20, ///< also gaps
	MEMORY_OOMS = 16,
};

/// Categories of allocation sites, in the order in which they are tried: the
/// first tier with a match decides; in it the innermost frame that has one;
/// for that frame the first row.
enum site_tier { TIER_REGION, TIER_OPERATION, TIER_HELPER, NR_SITE_TIERS };

/// How a stack becomes a site (rules/sites.yaml). Texts are substrings of
/// "FILE:FUNCTION", without case; owned by the arena of tiers[0].
struct site_rules {
	struct category_table tiers[NR_SITE_TIERS]; ///< of the short file name
	VEC(struct span) skip; ///< frames of frameworks, by the whole path
	VEC(struct span) plumbing; ///< frames that are not even named where only skipped ones are left
};

/// Give the memory back.
void site_rules_release(struct site_rules *r);

/// True if any of the `nr` texts of a rule is in `text`.
bool site_text_has(struct span text, const struct span *parts, size_t nr);

enum site_kind {
	SITE_USER, ///< the first frame of the user's own code
	SITE_FRAMEWORK, ///< all frames were skipped
	SITE_NO_STACK, ///< allocated while recorded, without a stack
	SITE_BEFORE, ///< allocated before the recording began
	SITE_UNEXPLAINED, ///< the level less all blocks known to be live; may be negative
	SITE_REST, ///< sites beyond MEMORY_SITES
};

/// Where an allocation was made; file, function and line of the first two kinds only.
struct memory_site {
	const char *category; ///< "other" where no row matches
	enum site_kind kind;
	struct span file,
	    function; ///< raw bytes; the file's last two parts, or its path in site-packages
	int64_t line;
};

/// Bytes of one site. Lists are sorted by bytes, most first, then by site.
struct memory_row {
	struct memory_site site;
	int64_t bytes, blocks;
	int64_t largest; ///< requested bytes of the largest block
};

struct memory_rows {
	struct memory_row *v;
	size_t nr, cap;
};

/// Allocations of one site during the recording: total.bytes and .blocks are
/// requested bytes and number.
struct memory_churn {
	struct memory_row total;
	int64_t smallest, sizes; ///< requested bytes; number of distinct sizes
	int64_t common_size, common_count; ///< most frequent size, the larger of equals
};

/// A site whose bytes rose between the first and the last step end.
struct memory_growth {
	struct memory_row total; ///< .bytes: rise; .blocks: rise of the number; .largest: 0
	int64_t rises; ///< steps over which it rose, of step_ends - 1
};

/// Small active blocks between free ones, by site.
struct memory_pinned {
	struct memory_row total;
	int64_t free_bytes; ///< beside them; each gap is counted once
};

/// All of one category. The sums of peak_bytes and end_bytes are the levels.
struct memory_category {
	const char *name;
	int64_t peak_bytes, peak_blocks, end_bytes, end_blocks;
	int64_t allocs, alloc_bytes; ///< during the recording, as requested
	int64_t largest; ///< requested bytes of the largest block, ever seen
};

/// Blocks of `from` up to 2 · `from` bytes.
struct memory_size {
	int64_t from, blocks, bytes;
};

/// Segments of `from` up to 2 · `from` bytes.
struct memory_segments {
	bool expandable, large;
	int64_t from, segments, bytes;
	int64_t free_bytes; ///< inactive
};

/// An inactive block.
struct memory_gap {
	int64_t bytes, segment_bytes;
	bool expandable, large;
};

/// The levels after `entries` entries of the history.
struct memory_point {
	int64_t entries, time_us; ///< -1: time unknown
	int64_t allocated, reserved;
};

struct memory_oom {
	struct memory_point before;
	int64_t requested, device_free;
	struct memory_site site; ///< of the request
};

/// What tells how far the history can be trusted.
struct memory_trust {
	bool history; ///< the device has one
	bool midway; ///< something was allocated or reserved when it began
	bool truncated; ///< a step ended before its first entry: entries were lost
	int64_t unseen_frees, unseen_bytes; ///< of blocks from before the recording
	int64_t contradicted_frees; ///< of blocks that are freed again or live later without an alloc
	int64_t lost_allocs; ///< never freed, and not there at the end
	int64_t lowest_allocated; ///< below 0: the history and the final state disagree
	int64_t other_actions; ///< entries of unknown action, in all devices
};

/// All in bytes where not said otherwise. Levels may be negative where a
/// history is incomplete.
struct memory_profile {
	int64_t device;
	int64_t capacity; ///< of the device; -1 unknown
	int64_t entries;
	int64_t peak_allocated, peak_reserved, reserved_at_peak;
	int64_t peak_entries, peak_time_us; ///< when; time -1 unknown
	struct memory_site peak_site; ///< of the allocation that made it
	int64_t start_allocated, start_reserved;
	int64_t end_allocated, end_reserved;
	int64_t end_pending, end_requested; ///< active but freed; requested of the allocated
	int64_t end_blocks; ///< number of allocated blocks
	int64_t inactive, largest_inactive;
	int64_t inactive_whole; ///< of segments without an active block: can be given back
	int64_t alloc_count, free_count, churn_bytes; ///< churn as requested
	int64_t segment_count, segment_churn, oom_count;
	int64_t segment_allocs; ///< of segment_churn those that are allocated or mapped
	int64_t growth_per_step; ///< where has_growth
	bool has_growth;
	int64_t nr_step_ends; ///< in the history; step_ends may be a part of them
	int64_t peak_persistent; ///< live at the end too
	int64_t peak_carried; ///< from before the recording, freed later
	int64_t peak_transient; ///< the rest: the three add up to the peak
	int64_t pinned_blocks, pinned_bytes,
	    pinned_free_bytes; ///< small active blocks between free ones
	struct memory_trust trust;

	VEC(struct memory_point) points; ///< first, last, ooms; lows and highs between
	VEC(struct memory_point) step_ends; ///< that growth was taken from
	struct memory_rows peak_sites, end_sites; ///< their sums are the levels
	struct memory_rows oom_sites; ///< live before the last oom
	struct memory_rows peak_blocks; ///< largest; .bytes of one, .blocks of this size
	VEC(struct memory_size) peak_sizes; ///< by size
	VEC(struct memory_category) categories; ///< by bytes at peak
	VEC(struct memory_churn) churn;
	VEC(struct memory_growth) growth;
	VEC(struct memory_segments) segments; ///< by kind and size
	VEC(struct memory_gap) gaps; ///< largest first
	VEC(struct memory_pinned) pinned;
	VEC(struct memory_oom) ooms; ///< the last ones, in order
};

struct memory_profiles {
	VEC(struct memory_profile) list; ///< by device
};

/// Give the memory of the lists back; texts belong to an arena.
void memory_profiles_release(struct memory_profiles *p);

/// Order of rows and of structs that begin with one: most bytes first,
/// SITE_REST last, then by site.
int memory_row_cmp(const void *a, const void *b);

/// Order of struct memory_category: most bytes at the peak first, then by name.
int memory_category_cmp(const void *a, const void *b);

/// Two levels as fragmentation: 1e-6 % of reserved that is not allocated.
int64_t memory_fragmentation(int64_t allocated, int64_t reserved);

#endif
