/// Internal to the folder rules: the keys of a rules file, and the steps of reading one.
#ifndef GG_RULES_RULES_INTERNAL_H
#define GG_RULES_RULES_INTERNAL_H

#include "model/rule.h"
#include "model/select.h"
#include "rules/keys.h"

/// The keys of a rules file. Both the reader and the schema use this table: a new key needs only a
/// new row.
extern const struct key_map rules_keys;

/// The keys of maps inside a rules file. They fill `struct rule`, `struct rule_override`, `struct
/// waiver`, `struct alias`, `struct category_addition` and the name patterns of `struct query`.
extern const struct key_map rule_map, override_map, waiver_map, allow_map, alias_map, addition_map,
    select_map;

/// Read a share such as "1%", of at most `most` percent, as a number in 1e-6 percent.
GG_MUST_CHECK enum status share_read(struct document *d, const struct node *n, int64_t most,
                                     int64_t *out);

/// Read `fail` or `warn` of the rule `r`, whose metric and direction are set already, from `map`,
/// which keys_check() has accepted; NULL: no limits. `a` owns the texts.
GG_MUST_CHECK enum status limits_read(struct document *d, struct arena *a, const struct rule *r,
                                      const struct node *map, struct limits *out);

/// Read a bound in the unit of metric `m`: a `min` if `below` is true, else a `max`.
GG_MUST_CHECK enum status bound_read(struct document *d, const struct metric *m,
                                     const struct node *n, bool below, int64_t *out);

/// Append the rule in `map`, which keys_check() has accepted, to `out`. The defaults in `out` are
/// set already.
GG_MUST_CHECK enum status rule_read(struct document *d, const struct node *map, struct rules *out);

/// Check `unless` of all rules, after all have been read: it names the metric to which a rule
/// leaves its own figure. Remove `unless` where no rule is on that metric. Fail with ST_USAGE if
/// the `unless` of several rules form a circle, since none of them would be judged.
GG_MUST_CHECK enum status unless_settle(struct document *d, struct rules *rules);

/// Read the `overrides` of a rule from `map`, which keys_check() has accepted, into the rule `r`.
/// Check that each pattern occurs only once in `except` and `overrides`. `a` owns the texts.
GG_MUST_CHECK enum status overrides_read(struct document *d, struct arena *a,
                                         const struct node *map, struct rule *r);

/// Append the waiver in `map`, which keys_check() has accepted, to `out`. The rules in `out` are
/// read already.
GG_MUST_CHECK enum status waiver_read(struct document *d, const struct node *map,
                                      struct rules *out);

/// Append the entry of `allow` in `map`, which keys_check() has accepted, to the waivers of `out`.
GG_MUST_CHECK enum status allow_read(struct document *d, const struct node *map, struct rules *out);

/// Check that each key of `map`, the value of `select`, restricts a label that the metrics have.
/// `labels` has these labels, as bits 1 << enum label_kind; messages call the metrics `who`. If
/// `map` is NULL, there is nothing to check.
GG_MUST_CHECK enum status select_check(struct document *d, const struct node *map, const char *who,
                                       unsigned labels);

/// Users copy names such as "rank 5", "GPU 0" and "memory 0" from reports. Remove the first word of
/// such texts from the query: the rest is the id to match.
void select_bare(struct query *q);

/// The entry for the rule `id` in `rules`, a list or a map by ids; NULL if there is none, or if
/// `rules` is NULL.
const struct node *rule_entry(const struct node *rules, struct span id);

/// If the document is of version 2, and thus has only differences from the built-in rules, replace
/// its root by the built-in rules with these differences. Rules are found by id, and changed entry
/// by entry (docs/rules.md). Documents of version 1 stay as they are.
GG_MUST_CHECK enum status differences_apply(struct document *d);

/// Set `root` to a copy of the document's root in which the values of profile `p` (an entry of
/// `profiles`) replace the document's own values; the document owns the copy. Fails with ST_USAGE
/// if the profile names a rule that does not exist, or changes a limit or `for_each` that the rule
/// does not have.
GG_MUST_CHECK enum status profile_apply(struct document *d, const struct node *p,
                                        const struct node **root);

/// A profile, with the changes that it makes as text. Owned by `a`.
struct profile profile_of(const struct node *p, struct arena *a);

#endif
