/// Rows for the tables of `gpugate metrics`: a row for each figure, or one for the figures of all
/// ranks together.
#ifndef GG_REPORT_METRICS_PAGE_H
#define GG_REPORT_METRICS_PAGE_H

#include "document/document.h"
#include "model/report.h"
#include "model/view.h"

struct metrics_line {
	struct span label; ///< label of the figure; borrowed from the view
	const struct function_stat *function; ///< the GPU, runtime or Python function that the figure
	                                      ///< is about, as in struct figure
	int64_t rank; ///< rank of the line; -1 if it joins several ranks
	int64_t value, low, high; ///< median and extremes over the steps, or over several ranks
	int64_t low_rank, high_rank; ///< ranks with `low` and `high`; only if several ranks are joined
};

struct metrics_lines {
	VEC(struct metrics_line) list;
};

struct metrics_page {
	const struct run_view *v;
	const struct report *r; ///< trust findings and insights on the run; NULL if there are none
	struct document *d;
	struct arena arena; ///< owner of the cells' texts
	bool many; ///< true if the run has several ranks
};

/// Median, lowest and highest value for each label: over the steps of a single rank, or over the
/// medians of several ranks. The caller releases with vec_release(&lines->list).
void metrics_query(struct metrics_page *p, enum metric_id id, struct metrics_lines *lines);

/// Sort by class of functions, then by value, largest first, then by label and rank.
int metrics_by_value(const void *a, const void *b);

/// Texts for cells: a name, shortened to fit; and the words for a rank, "rank 3". The page owns
/// them.
const char *metrics_name(struct metrics_page *p, struct span text);
const char *metrics_rank(struct metrics_page *p, int64_t rank);

/// True for labels that belong to one rank: devices and memories.
static inline bool metrics_is_own(enum label_kind kind)
{
	return kind == LABEL_DEVICE || kind == LABEL_MEMORY;
}

#endif
