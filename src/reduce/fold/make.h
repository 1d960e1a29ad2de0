/// Internal to fold/: functions that make a folded digest from digests of ranks, and join folded
/// digests.
#ifndef GG_FOLD_MAKE_H
#define GG_FOLD_MAKE_H

#include "base/diag.h"
#include "fold/fewer.h"
#include "model/fold.h"

/// The results of comparing a rank with its peers.
struct fold_peer {
	struct cross_rank cross;
	int64_t alone_ns, link; ///< `alone_ns` and `slope` of the rank, as ranks_links() sets them
	struct fewer fewer;
};

/// Why two digests cannot be folded together (a part of a sentence), or NULL.
const char *fold_fault(const struct digest *a, const struct digest *b);

/// Makes one folded digest of `nr` ranks, which the caller must pass sorted by rank; ownership of
/// their digests passes to the result. `peers` has an element for each rank. `complete` is true if
/// the ranks were compared with all ranks of the run; only then are figures kept that compare
/// ranks. The result takes over `f`, in which only `series` is set.
struct digest *fold_make(struct fold *f, struct digest *const *ranks, size_t nr,
                         const struct fold_peer *peers, bool complete, const struct naming *naming);

/// Joins the folded digest `more` into the folded digest `into`, which becomes the owner of `more`.
/// The two must have no rank in common.
void fold_join(struct digest *into, struct digest *more);

/// Leaves at most FOLD_KEPT ranks in f->kept: for each of a few figures, the ranks with its largest
/// or smallest values. Ranks may be folded in groups: the ranks that remain do not depend on how
/// the ranks were divided into groups. Does nothing if f->keeps_all.
void fold_keep(struct fold *f);

/// Joins the rows, sums and identifying members of `from` into `into`, but not the fold of `from`.
void fold_join_rows(struct digest *into, const struct digest *from);

/// Moves the collectives of process groups to which ranks outside `run` belong to the list `series`
/// of `f`. They are matched once all ranks are folded.
void fold_take_series(const struct run *run, struct fold *f);

/// Gives the folded digest of all ranks the form that commands read: rows with the sums of a mean
/// rank, summaries with medians over the ranks, and figures that compare ranks. Does nothing if the
/// digest has this form.
void fold_settle(struct digest *d);

/// Median of a figure over the ranks that have it.
int64_t fold_figure_median(const struct fold_figure *g, size_t nr);

/// Matches the collectives in the list `series` of the fold, adds the results (such as waiting) to
/// the numbers that are stored for each rank, and empties the list.
void fold_settle_series(struct fold *f);

/// A column of the fold: an array with an element for each rank, set to FOLD_ABSENT. Caller
/// releases it with free().
int64_t *fold_column(const struct fold *f);

#endif
