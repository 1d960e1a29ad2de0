#include "model/finding.h"

#include <string.h>

const char *const cause_names[NR_CAUSES] = {
	[CAUSE_LOST_RANK] = "lost-rank",
	[CAUSE_CUT_RANK] = "cut-rank",
	[CAUSE_UNTRUSTED] = "untrusted",
	[CAUSE_SLOW_RANK] = "slow-rank",
	[CAUSE_SLOW_LINK] = "slow-link",
	[CAUSE_LATE_RANK] = "late-rank",
	[CAUSE_BATCH] = "batch",
	[CAUSE_UNIFORM] = "uniform",
	[CAUSE_SLOW_STEPS] = "slow-steps",
	[CAUSE_KERNEL] = "slower-kernel",
	[CAUSE_LAUNCHES] = "more-launches",
	[CAUSE_NEW_KERNEL] = "new-kernel",
	[CAUSE_SUBSTITUTION] = "substitution",
	[CAUSE_RENAMED] = "renamed-kernel",
	[CAUSE_GONE_KERNEL] = "gone-kernel",
	[CAUSE_TRAFFIC] = "traffic",
	[CAUSE_TRANSFER] = "transfer",
	[CAUSE_OVERLAP] = "overlap",
	[CAUSE_COPIES] = "copies",
	[CAUSE_DATA_LOADER] = "data-loader",
	[CAUSE_SYNCS] = "synchronization",
	[CAUSE_HOST] = "host",
	[CAUSE_OUT_OF_MEMORY] = "out-of-memory",
	[CAUSE_LEAK] = "leak",
	[CAUSE_FRAGMENTATION] = "fragmentation",
	[CAUSE_MEMORY] = "memory",
	[CAUSE_OTHER] = "other",
};

const char *const place_level_names[NR_PLACE_LEVELS] = {
	[PLACE_RANK] = "rank",         [PLACE_PHASE] = "phase",           [PLACE_MODULE] = "module",
	[PLACE_CODE] = "place",        [PLACE_OPERATOR] = "operator",     [PLACE_KERNEL] = "kernel",
	[PLACE_CALL] = "call",         [PLACE_COLLECTIVE] = "collective", [PLACE_MEMORY] = "memory",
	[PLACE_CATEGORY] = "category",
};

/* Splits at the last ':', since the name of a file may contain a colon ("C:\model.py"), but that of
 * a function cannot. */
struct source_line source_line_of(struct arena *a, struct span place, int64_t line)
{
	const char *colon = place.n ? memrchr(place.p, ':', place.n) : NULL;
	struct source_line out = { .line = line };
	if (colon && colon > place.p)
		out.file = arena_dup(a, (struct span){ place.p, (size_t)(colon - place.p) });
	return out;
}
