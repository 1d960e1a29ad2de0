/// Whether the two runs may be compared at all.
#ifndef GG_GATE_ENVIRONMENT_H
#define GG_GATE_ENVIRONMENT_H

#include "base/diag.h"
#include "model/digest.h"
#include "model/report.h"
#include "model/rule.h"

/// Append a row for each key of the rules that one side knows. A key of
/// must_match that differs is ST_BASELINE, or a warning where `ignore`. No baseline (NULL)
/// differs in nothing.
GG_MUST_CHECK enum status environment_judge(const struct rules *rules, const struct run *baseline,
                                            const struct run *candidate, bool ignore,
                                            struct report *out, struct diag_log *log);

/// The same among the `nr` runs of a candidate, the first against each: ST_INPUT.
GG_MUST_CHECK enum status environment_repeats(const struct rules *rules,
                                              const struct run *candidates, size_t nr, bool ignore,
                                              struct report *out, struct diag_log *log);

/// Append a row for each key that one side knows (diff).
void environment_rows(const struct run *baseline, const struct run *candidate, struct report *out);

/// First value of `key` among the ranks, or NULL.
const char *environment_value(const struct run *run, const char *key);

/// ST_USAGE where the digests were not made alike or not as the rules want:
/// step marker, warm-up, communication kernels. `rules` NULL: alike only. `baseline`
/// NULL: none.
GG_MUST_CHECK enum status environment_settings(const struct rules *rules,
                                               const struct run *baseline,
                                               const struct run *candidates, size_t nr,
                                               const char *communication, struct diag_log *log);

/// Whether two runs were made one after the other on one machine, as far as they say so.
enum together { TOGETHER_UNKNOWN, TOGETHER, APART };

/// By host name, boot and job of the recordings: APART where one of them differs.
enum together environment_together(const struct run *a, const struct run *b);

#endif
