/// The parts that reading a rules file is made of.
#ifndef GG_RULES_RULES_INTERNAL_H
#define GG_RULES_RULES_INTERNAL_H

#include "model/rule.h"
#include "model/select.h"
#include "rules/keys.h"

/// The keys of a rules file: what the reader checks, the schema is written
/// from and a newcomer adds one row to.
extern const struct key_map rules_keys;

/// The keys of its parts, for `struct rule`, `struct waiver`, `struct alias`,
/// `struct category_addition`, `struct rule_override` and the globs of
/// `struct query`.
extern const struct key_map rule_map, override_map, waiver_map, alias_map, addition_map, select_map;

/// Words of the enumerations, in the order of their enums.
word_fn word_metric, word_stat, word_reduce, word_better, word_level, word_on_missing, word_class,
    word_kernel_match, word_throttled, word_substitutes, word_unsure, word_unmarked, condition_name;

/// Read a share, "1%", of at most `most` percent, in 1e-6 percent.
GG_MUST_CHECK enum status share_read(struct document *d, const struct node *n, int64_t most,
                                     int64_t *out);

/// Read the checked map of `fail` or `warn` of `r`, whose metric and direction are known; texts are
/// owned by `a`.
GG_MUST_CHECK enum status limits_read(struct document *d, struct arena *a, const struct rule *r,
                                      const struct node *map, struct limits *out);

/// Read a bound of metric `m`, as of `max` (of `min` where `below`), in its unit.
GG_MUST_CHECK enum status bound_read(struct document *d, const struct metric *m,
                                     const struct node *n, bool below, int64_t *out);

/// Append the rule of a checked map to `out`, whose defaults are read already.
GG_MUST_CHECK enum status rule_read(struct document *d, const struct node *map, struct rules *out);

/// Read the `overrides` of a rule's checked map into `r`, and check the patterns of `except` and of
/// them: each is there once. Texts are owned by `a`.
GG_MUST_CHECK enum status overrides_read(struct document *d, struct arena *a,
                                         const struct node *map, struct rule *r);

/// Append the waiver of a checked map to `out`, whose rules are read already.
GG_MUST_CHECK enum status waiver_read(struct document *d, const struct node *map,
                                      struct rules *out);

/// Check that metrics with `labels` (select_labels()), of which `who` speaks, have what a
/// checked `select` (NULL: none) narrows.
GG_MUST_CHECK enum status select_check(struct document *d, const struct node *map, const char *who,
                                       unsigned labels);

/// The root of a checked document with the numbers of profile `p`, an entry of its
/// `profiles`; owned by the document. ST_USAGE where the profile names what is not there.
GG_MUST_CHECK enum status profile_apply(struct document *d, const struct node *p,
                                        const struct node **root);

/// What a profile changes, in one line: "steps.warmup 5, step-time.fail.increase 3%".
/// Owned by `a`.
const char *profile_text(const struct node *p, struct arena *a);

#endif
