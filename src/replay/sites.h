/// Stacks → allocation sites: dense ids, equal for equal sites.
#ifndef GG_REPLAY_SITES_H
#define GG_REPLAY_SITES_H

#include "base/diag.h"
#include "base/idmap.h"
#include "events/snapshot.h"
#include "model/memory.h"

/// Sites without a stack.
enum { SITE_ID_NO_STACK, SITE_ID_BEFORE, SITE_ID_UNEXPLAINED, SITE_ID_REST, NR_FIXED_SITES };

struct site_entry {
	struct memory_site site; ///< borrowed from snapshot, rules and struct sites
	uint32_t category; ///< index in categories
};

struct sites {
	const struct snapshot *snapshot;
	const struct site_rules *rules;
	struct name_table keys; ///< id of a key is the id of the site
	VEC(struct site_entry) list; ///< by id
	VEC(const char *) categories; ///< distinct names
	uint32_t other; ///< index of "other"
	struct idmap pairs; ///< function and file → index in looks
	VEC(struct frame_look) looks;
	struct arena arena; ///< of paths that had to be changed
	VEC(uint32_t) tier_slots[NR_SITE_TIERS]; ///< row → index in categories
	uint32_t *of_stack; ///< site id + 1, 0: not looked at yet
};

/// `s` and `rules` must outlive it; rules NULL: nothing is skipped or categorized.
void sites_init(struct sites *t, const struct snapshot *s, const struct site_rules *rules);

/// The site of a stack of the snapshot, or of SNAPSHOT_NO_STACK. ST_INPUT if there are too many
/// sites.
GG_MUST_CHECK enum status sites_find(struct sites *t, uint32_t stack, uint32_t *out,
                                     struct diag_log *log);

/// Give a site texts of its own in `a`.
void site_keep(struct memory_site *site, struct arena *a);

/// Give the memory back.
void sites_release(struct sites *t);

#endif
