/// The keys of `select`: of a rule, which narrows its figures by them, and of a waiver,
/// which says by them which checks of a rule it means.
#ifndef GG_MODEL_SELECT_H
#define GG_MODEL_SELECT_H

#include "model/category.h"
#include "model/report.h"
#include "model/rule.h"

/// One key: where its glob stands in a query, and which labels of metrics have it.
struct select_key {
	const char *name;
	size_t glob; ///< offset of a `const char *` in struct query
	unsigned labels; ///< as of select_labels()
};

/// All keys, ended by one without a name; static.
extern const struct select_key select_table[];

/// What can be selected of a metric, as bits.
unsigned select_labels(const struct metric *m);

/// The labels that have something to select: all but those of metrics that are formed from all
/// kernels.
extern const unsigned select_any_label;

/// The glob of `key` in `q`, to be read or set; NULL where none is set.
const char **select_glob(struct query *q, const struct select_key *key);

/// The same, read only.
const char *select_glob_in(const struct query *q, const struct select_key *key);

/// True if any key has a glob in `q`.
bool select_any(const struct query *q);

/// The keys that have a glob in `q`, for a report: globs fit for one line, ended by a pair without
/// a key; owned by `a`.
const struct select_pair *select_pairs(const struct query *q, struct arena *a);

/// The globs of `q` as one line, "kernel=ampere_*, rank=3", "" for none; owned by `a`.
const char *select_text(const struct query *q, struct arena *a);

/// What a check is about, for globs.
struct select_item {
	const struct rule *rule;
	struct span label; ///< as in struct answer
	int64_t rank;
	const struct category_table *categories;
};

/// True where all globs fit the item. For labels that the item lacks (a figure of all
/// ranks), the rule's own `select` is matched instead: `rank: 3` covers a rule with `select: {rank:
/// 3}`.
bool select_covers(const struct query *globs, const struct select_item *item);

#endif
