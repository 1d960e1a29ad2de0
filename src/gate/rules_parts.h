/// The parts that reading a rules file is made of.
#ifndef GG_GATE_RULES_PARTS_H
#define GG_GATE_RULES_PARTS_H

#include "gate/keys.h"
#include "model/rule.h"

/// The keys of a rules file: what the reader checks, the schema is written
/// from and a newcomer adds one row to.
extern const struct key_map rules_keys;

/// Words of the enumerations, in the order of their enums.
word_fn word_metric, word_stat, word_reduce, word_better, word_level, word_on_missing, word_class,
    word_kernel_match;
word_fn word_condition; ///< names of enum condition

/// Read a share, "1%", in 1e-6 percent.
GG_MUST_CHECK enum status share_read(struct document *d, const struct node *n, int64_t *out);

/// Read the checked map of `fail` or `warn` for metric `m`; texts are owned by `a`.
GG_MUST_CHECK enum status limits_read(struct document *d, struct arena *a, const struct metric *m,
                                      const struct node *map, struct limits *out);

/// Append the rule of a checked map to `out`, whose defaults are read already.
GG_MUST_CHECK enum status rule_read(struct document *d, const struct node *map, struct rules *out);

#endif
