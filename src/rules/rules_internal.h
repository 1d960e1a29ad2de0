/// Internal to the rules_*.c files: the steps of reading a rules file.
#ifndef GG_RULES_RULES_INTERNAL_H
#define GG_RULES_RULES_INTERNAL_H

#include "model/rule.h"
#include "model/select.h"
#include "rules/keys.h"

/// The keys of a rules file, which reading and the schema share. A new key is a new row.
extern const struct key_map rules_keys;

/// The keys of its maps, for `struct rule`, `struct rule_override`, `struct waiver`, `struct
/// alias`, `struct category_addition` and the globs of `struct query`.
extern const struct key_map rule_map, override_map, waiver_map, alias_map, addition_map, select_map;

/// Words of enumerations, in the order of the enum.
word_fn word_metric, word_stat, word_reduce, word_better, word_level, word_on_missing, word_class,
    word_kernel_match, word_throttled, word_substitutes, word_unsure, word_unmarked, condition_name;

/// Read a share such as "1%", at most `most` percent, as 1e-6 percent.
GG_MUST_CHECK enum status share_read(struct document *d, const struct node *n, int64_t most,
                                     int64_t *out);

/// Read the checked map of `fail` or `warn` of `r`, whose metric and direction are set already. `a`
/// owns the texts.
GG_MUST_CHECK enum status limits_read(struct document *d, struct arena *a, const struct rule *r,
                                      const struct node *map, struct limits *out);

/// Read a bound of metric `m` such as `max`, or `min` if `below`, in its unit.
GG_MUST_CHECK enum status bound_read(struct document *d, const struct metric *m,
                                     const struct node *n, bool below, int64_t *out);

/// Append the rule of a checked map to `out`, whose defaults have been read.
GG_MUST_CHECK enum status rule_read(struct document *d, const struct node *map, struct rules *out);

/// Read the `overrides` of a rule's checked map into `r`. Check that each pattern occurs only once
/// in `except` and `overrides`. `a` owns the texts.
GG_MUST_CHECK enum status overrides_read(struct document *d, struct arena *a,
                                         const struct node *map, struct rule *r);

/// Append the waiver of a checked map to `out`, whose rules have been read.
GG_MUST_CHECK enum status waiver_read(struct document *d, const struct node *map,
                                      struct rules *out);

/// Check that metrics with `labels` (see select_labels()) have the labels that the checked map
/// `select` narrows; NULL: nothing to check. Messages call the metrics `who`.
GG_MUST_CHECK enum status select_check(struct document *d, const struct node *map, const char *who,
                                       unsigned labels);

/// Set `root` to the root of a checked document with the numbers of profile `p`, an entry of
/// `profiles`; owned by the document. Fails with ST_USAGE if the profile changes a key that does
/// not exist.
GG_MUST_CHECK enum status profile_apply(struct document *d, const struct node *p,
                                        const struct node **root);

/// What a profile changes, in one line such as "steps.warmup 5, step-time.fail.increase 3%". Owned
/// by `a`.
const char *profile_text(const struct node *p, struct arena *a);

#endif
