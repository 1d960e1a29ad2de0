/// The keys of `select`. In a rule, they restrict which figures the rule judges; in a waiver, they
/// restrict which checks the waiver excuses.
#ifndef GG_MODEL_SELECT_H
#define GG_MODEL_SELECT_H

#include "model/category.h"
#include "model/report.h"
#include "model/rule.h"

/// One key of `select`: the member of a query that holds its glob, and the labels of metrics to
/// which it applies.
struct select_key {
	const char *name;
	size_t glob; ///< offset of a `const char *` in struct query
	unsigned labels; ///< kinds of labels to which the key applies, as bits 1 << enum label_kind;
	                 ///< bit 31: metrics with figures of phases
};

/// All keys, ended by a row without a name; static.
extern const struct select_key select_table[];

/// The kinds of labels by which figures of a metric can be selected, as bits.
unsigned select_labels(const struct metric *m);

/// Bits of all kinds of labels by which figures can be selected: all except LABEL_PAIR, the kind of
/// metrics that are computed from all kernels.
extern const unsigned select_any_label;

/// The glob of `key` in the query `q`, to be read or set; it is NULL if none is set.
const char **select_glob(struct query *q, const struct select_key *key);

/// The glob of `key` in the constant query `q`; NULL if none is set.
const char *select_glob_in(const struct query *q, const struct select_key *key);

/// True if the query `q` has a glob for any of the keys.
bool select_any(const struct query *q);

/// The keys that have a glob in `q`, with the globs shortened to one line each, for a report; the
/// last pair has no key. Owned by `a`.
const struct select_pair *select_pairs(const struct query *q, struct arena *a);

/// The globs of `q` as one line, such as "kernel=ampere_*, rank=3"; "" if there are none; owned by
/// `a`.
const char *select_text(const struct query *q, struct arena *a);

/// The item of a check, to be matched with globs.
struct select_item {
	const struct rule *rule;
	struct span label; ///< label of the item's figure, such as the name of a kernel
	int64_t rank;
	const struct category_table *categories;
	enum name_fit least; ///< least fit with which the glob for names covers the item: the best fit
	                     ///< of this glob with any item of the rule
};

/// True if all globs match the item. If the item has no value for a key (a figure of all ranks has
/// no rank), the rule's own glob counts: `rank: 3` covers a rule with `select: {rank: 3}`.
bool select_covers(const struct query *globs, const struct select_item *item);

#endif
