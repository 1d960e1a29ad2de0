/// Internal to fold/: making a folded digest from digests of ranks, and joining folded digests.
#ifndef GG_FOLD_MAKE_H
#define GG_FOLD_MAKE_H

#include "base/diag.h"
#include "fold/fewer.h"
#include "fold/fold.h"

/// The results of comparing a rank with its peers.
struct fold_peer {
	struct cross_rank cross;
	int64_t alone_ns, link;
	struct fewer fewer;
};

/// Why two digests cannot be folded together (a part of a sentence), or NULL.
const char *fold_fault(const struct digest *a, const struct digest *b);

/// Makes one folded digest of `nr` ranks, which are sorted and taken over. `complete`: `peers` are
/// the results of comparing all ranks of the run.
struct digest *fold_make(struct digest *const *ranks, size_t nr, const struct fold_peer *peers,
                         bool complete, const struct naming *naming);

/// Joins the folded digest `more`, which has other ranks and is taken over, into the folded digest
/// `into`.
void fold_join(struct digest *into, struct digest *more);

/// Joins the rows, sums and identifying members of `from` into `into`, but not its fold.
void fold_join_rows(struct digest *into, const struct digest *from);

/// Moves the collectives of process groups that are not complete in `run` to `f`, so that they are
/// not matched within `run`.
void fold_take_series(const struct run *run, struct fold *f);

/// Gives the digest of all ranks the form that commands read: rows of the mean rank, summaries of
/// the median rank, and figures that compare ranks. Has no effect on a settled digest.
void fold_settle(struct digest *d);

/// Median of a figure over those of the `nr` ranks that have it.
int64_t fold_figure_median(const struct fold_figure *g, size_t nr);

/// Matches the collectives of all series, adds the results to the numbers of ranks, and removes the
/// series.
void fold_settle_series(struct fold *f);

/// Sort a list and remove duplicates.
void fold_unite_patterns(struct fold *f);
void fold_unite_deeds(struct fold *f);

/// Index of an element, which must be in the list.
int64_t fold_pattern_index(const struct fold *f, const struct fold_pattern *p);
int64_t fold_deed_index(const struct fold *f, const struct fold_deed *d);

#endif
