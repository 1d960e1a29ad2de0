/// Decides whether two runs may be compared at all, by the environment in which they ran.
#ifndef GG_GATE_ENVIRONMENT_H
#define GG_GATE_ENVIRONMENT_H

#include "base/diag.h"
#include "model/digest.h"
#include "model/report.h"
#include "model/rule.h"

/// Append a row to out->environment for each key of the rules' must_match and should_match that at
/// least one side knows. GPU keys are left out if the candidate's traces lost all GPU work. Returns
/// ST_BASELINE if a key of must_match differs, or is known on only one side; with `ignore` there is
/// only a warning, as for keys of should_match. Does nothing if `baseline` is NULL.
GG_MUST_CHECK enum status environment_judge(const struct rules *rules, const struct run *baseline,
                                            const struct run *candidate, bool ignore,
                                            struct report *out, struct diag_log *log);

/// Compare `first`, the candidate's first run, with `run`, which is another of its runs or a
/// control run. Returns ST_INPUT if a key of must_match differs, or is known of only one of the
/// two; with `ignore` there is only a warning, as for keys of should_match.
GG_MUST_CHECK enum status environment_repeat(const struct rules *rules, const struct run *first,
                                             const struct run *run, bool ignore, struct report *out,
                                             struct diag_log *log);

/// Append a row to out->environment for each key that at least one side knows, for `gpugate diff`.
void environment_rows(const struct run *baseline, const struct run *candidate, struct report *out);

/// Returns ST_USAGE if the digests of the runs were made by different settings (step marker, way of
/// finding steps without markers, warm-up, communication kernels), or by other settings than those
/// of the rules. `communication`: the patterns by which the rules recognize communication kernels;
/// NULL: any patterns fit. If `rules` is NULL, the digests are only compared with each other.
/// `baseline` is NULL if there is none.
GG_MUST_CHECK enum status environment_settings(const struct rules *rules,
                                               const struct run *baseline,
                                               const struct run *candidates, size_t nr,
                                               const char *communication, struct diag_log *log);

/// Whether two runs were made on one machine, without a reboot in between, and in one job.
/// TOGETHER_UNKNOWN: neither the host name nor the id of the boot or of the job is known of both.
enum together { TOGETHER_UNKNOWN, TOGETHER, APART };

/// Compare the host names, and the ids of boot and job, of two recordings: APART if any of these
/// differs.
enum together environment_together(const struct run *a, const struct run *b);

#endif
