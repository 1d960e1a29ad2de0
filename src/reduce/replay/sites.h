/// Maps stacks to allocation sites. Sites have ids 0, 1, 2, …; equal sites have equal ids.
#ifndef GG_REPLAY_SITES_H
#define GG_REPLAY_SITES_H

#include "base/diag.h"
#include "base/idmap.h"
#include "events/snapshot.h"
#include "model/digest.h"

/// Ids of sites that have no stack.
enum { SITE_ID_NO_STACK, SITE_ID_BEFORE, SITE_ID_UNEXPLAINED, NR_FIXED_SITES };

struct site_entry {
	struct memory_item site; ///< a row without figures; texts are borrowed from snapshot, rules and
	                         ///< struct sites
	uint32_t category; ///< index of the category in `categories`
};

/// The sites of a snapshot. Snapshot and rules are borrowed.
struct sites {
	const struct snapshot *snapshot;
	const struct site_rules *rules;
	struct name_table keys; ///< keys of sites; the id of a key is the id of its site
	VEC(struct site_entry) list; ///< entries, indexed by site id
	VEC(const char *) categories; ///< distinct names of categories
	uint32_t other; ///< index of "other" in `categories`
	struct idmap pairs; ///< pairs of function and file; the id of a pair is an index in `looks`
	VEC(struct frame_look) looks;
	struct arena arena; ///< arena for paths in which backslashes became slashes
	VEC(uint32_t)
	tier_slots[NR_SITE_TIERS]; ///< for each tier, and each row of the tier's category table: the
	                           ///< category of the row, as an index in `categories`
	uint32_t *of_stack; ///< site id + 1 of each stack, or 0 if not yet known
};

/// Initializes `t`; `s` and `rules` must outlive `t`. If `rules` is NULL, no frame is skipped and
/// no site has a category.
void sites_init(struct sites *t, const struct snapshot *s, const struct site_rules *rules);

/// Finds the site of a stack of the snapshot, or of SNAPSHOT_NO_STACK. ST_INPUT if there are too
/// many sites.
GG_MUST_CHECK enum status sites_find(struct sites *t, uint32_t stack, uint32_t *out,
                                     struct diag_log *log);

/// Releases the sites, whose texts must no longer be used then.
void sites_release(struct sites *t);

#endif
