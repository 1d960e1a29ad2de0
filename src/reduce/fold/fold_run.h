/// Folds the digests of a run's ranks into one digest.
#ifndef GG_FOLD_FOLD_RUN_H
#define GG_FOLD_FOLD_RUN_H

#include "base/diag.h"
#include "model/fold.h"
#include "model/rule.h"

/// Takes over the `nr` folded digests `folded` and joins them into `*out`, which becomes NULL if
/// `nr` is 0. If two of them are equal, one of them is dropped. ST_INPUT if they cannot belong
/// to one run.
GG_MUST_CHECK enum status fold_join_all(struct digest **folded, size_t nr, struct digest **out,
                                        struct diag_log *log);

/// If `wanted`, folds each complete block of FOLD_BLOCK ranks into run->folded. The digests of
/// incomplete blocks stay as they are. The digests must be sorted by rank, one for each artifact.
/// ST_INPUT if digests cannot be folded; ST_USAGE if `wanted` is false, but run->folded is set.
GG_MUST_CHECK enum status fold_blocks(struct run *run, bool wanted, const struct naming *naming,
                                      struct diag_log *log);

/// Joins run->folded and the other digests of `run` (one for each rank) into a single folded digest
/// in the form that commands read (fold_settle()), and appends it to run->ranks. If run->folded is
/// NULL and `force` is false, does nothing.
GG_MUST_CHECK enum status fold_whole(struct run *run, bool force, const struct naming *naming,
                                     struct diag_log *log);

/// Calls fold_whole() for all `nr` runs (which may be NULL) if at least one of them is folded, so
/// that they can be compared.
GG_MUST_CHECK enum status fold_alike(struct run *const *runs, size_t nr,
                                     const struct naming *naming, struct diag_log *log);

/// The fold that a baseline stores for the run of the view: distributions of figures instead of the
/// values of ranks, and the answers to the queries of `rules` about single ranks. If there are many
/// figures, the fold keeps only those without a label, those that `rules` check, and the times of
/// operators and categories. To be released with fold_free().
struct fold *fold_pin(const struct run_view *v, const struct rules *rules);

#endif
