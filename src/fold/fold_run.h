/// Runs become folded ones.
#ifndef GG_FOLD_FOLD_RUN_H
#define GG_FOLD_FOLD_RUN_H

#include "base/diag.h"
#include "fold/fold.h"
#include "model/rule.h"

/// Join the `nr` folded digests, which it takes over, into `*out`; NULL where there are none. The
/// same ranks with the same digests twice count once. ST_INPUT where they cannot be one run.
GG_MUST_CHECK enum status fold_join_all(struct digest **parts, size_t nr, struct digest **out,
                                        struct diag_log *log);

/// Where it is `wanted`, fold the digests of `run` in each block that is there whole into
/// run->folded; others stay. The digests are of artifacts, by rank. ST_INPUT where digests cannot
/// be folded, ST_USAGE where some are though nobody wants it.
GG_MUST_CHECK enum status fold_blocks(struct run *run, bool wanted, const struct naming *naming,
                                      struct diag_log *log);

/// What run->folded and the other digests of `run`, one for each rank, make together: one folded
/// digest that is settled. Nothing is done where nothing is folded, unless `force` asks for it.
GG_MUST_CHECK enum status fold_whole(struct run *run, bool force, const struct naming *naming,
                                     struct diag_log *log);

/// fold_whole() of all `nr` runs (NULL: none) where one of them is folded, so that they can be
/// compared. ST_USAGE where `rules` (NULL: none) ask for what folded runs do not have.
GG_MUST_CHECK enum status fold_alike(struct run *const *runs, size_t nr, const struct rules *rules,
                                     const struct naming *naming, struct diag_log *log);

/// What a baseline keeps of what is folded: not the ranks, and where there are many figures only
/// those that `rules` ask for, and those of whole ranks.
struct fold *fold_pin(const struct fold *f, const struct rules *rules);

#endif
