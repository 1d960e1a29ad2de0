/// Internal to fold/: digests of ranks become one, folded digests become one.
#ifndef GG_FOLD_MAKE_H
#define GG_FOLD_MAKE_H

#include "base/diag.h"
#include "fold/fewer.h"
#include "fold/fold.h"

/// What the peers of a rank say of it.
struct fold_peer {
	struct cross_rank cross;
	int64_t alone_ns, link;
	struct fewer fewer;
};

/// Why two digests cannot be one ("…"), or NULL.
const char *fold_fault(const struct digest *a, const struct digest *b);

/// One folded digest of `nr` ranks in order, which it owns from here on. `complete`: `peers` is of
/// all ranks of the run.
struct digest *fold_make(struct digest *const *ranks, size_t nr, const struct fold_peer *peers,
                         bool complete, const struct naming *naming);

/// The ranks of folded `more`, which are others, into folded `into`, which owns it from here on.
void fold_join(struct digest *into, struct digest *more);

/// Rows, sums and what identifies `from` into `into`, without what is folded of them.
void fold_join_rows(struct digest *into, const struct digest *from);

/// Take the collectives of groups that have ranks elsewhere into `f`, and hide them from matching
/// among the ranks of `run`.
void fold_take_series(const struct run *run, struct fold *f);

/// What the digest of all ranks is to commands: rows of the mean rank, summaries of the median
/// rank, and figures that need all ranks. Without effect on one that is settled.
void fold_settle(struct digest *d);

/// The median over `nr` ranks of a figure that some of them have.
int64_t fold_figure_median(const struct fold_figure *g, size_t nr);

/// Match them: what they say of each rank is added to its numbers, and they are dropped.
void fold_settle_series(struct fold *f);

/// Sort the list and leave each once.
void fold_unite_patterns(struct fold *f);
void fold_unite_deeds(struct fold *f);

/// Index in the list, which has it.
int64_t fold_pattern_index(const struct fold *f, const struct fold_pattern *p);
int64_t fold_deed_index(const struct fold *f, const struct fold_deed *d);

#endif
