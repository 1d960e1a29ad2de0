/// Allocation sites: how stacks become sites, and the largest lengths of lists of sites.
#ifndef GG_MODEL_MEMORY_H
#define GG_MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"
#include "model/category.h"

/// Maximum lengths of the lists about a memory. A list of sites that is cut ends in a SITE_REST
/// row, so that its rows still add up.
enum memory_limits {
	MEMORY_POINTS = 512,
	MEMORY_STEP_ENDS = 1000,
	MEMORY_SITES = 200,
	MEMORY_BLOCKS = 20, ///< largest number of rows in each list of peak_blocks, gaps, pinned
	MEMORY_OOMS = 16,
};

/// Tiers of categories of allocation sites, in the order in which they are tried. The first tier
/// that matches any frame of the stack decides: of the frames that it matches the innermost counts,
/// and the first category that matches this frame is the category of the site.
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

/// True if any of the `nr` texts in `needles` occurs in `text`; case does not matter.
bool site_text_has(struct span text, const struct span *needles, size_t nr);

/// The kinds of sites to which allocated bytes are attributed.
enum site_kind {
	SITE_USER, ///< site at the innermost frame of the user's own code
	SITE_FRAMEWORK, ///< site of a stack without a frame of user code, or of a node of autograd
	SITE_NO_STACK, ///< allocated during the recording, but recorded without a stack
	SITE_BEFORE, ///< blocks allocated before the recording began
	SITE_UNEXPLAINED, ///< difference in bytes between the allocated bytes and the sum of all known
	                  ///< live blocks; may be negative
	SITE_REST, ///< sum of the sites that are too small, or too many, to have rows of their own
};

/// Fragmentation: the share of the reserved bytes that is not allocated, in 1e-6 %.
int64_t memory_fragmentation(__int128 allocated, int64_t reserved);

#endif
