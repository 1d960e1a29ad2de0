/// What the tables of `gpugate metrics` are made of: one line for each figure, or for each of
/// several ranks together.
#ifndef GG_REPORT_METRICS_PAGE_H
#define GG_REPORT_METRICS_PAGE_H

#include "document/document.h"
#include "model/report.h"
#include "model/view.h"

struct metrics_line {
	struct span label; ///< of the view
	const struct function_stat *function; ///< as in struct figure
	int64_t rank; ///< -1: of several
	int64_t value, low, high; ///< over the steps; of several ranks: over these
	int64_t low_rank, high_rank; ///< of several ranks only
};

struct metrics_lines {
	VEC(struct metrics_line) list;
};

struct metrics_page {
	const struct run_view *v;
	const struct report *r; ///< what is to be said of the run; NULL nothing
	struct document *d;
	struct arena arena; ///< owns what the cells hold
	bool many; ///< several ranks
};

/// Median, lowest and highest over the steps of each label; of several ranks, over their
/// medians. Caller releases with vec_release(&lines->list).
void metrics_query(struct metrics_page *p, enum metric_id id, struct metrics_lines *lines);

/// Order of value, downwards, within a class of functions; then label, rank.
int metrics_by_value(const void *a, const void *b);

/// Cells: a name fit for one, "rank 3". Owned by the page.
const char *metrics_name(struct metrics_page *p, struct span text);
const char *metrics_rank(struct metrics_page *p, int64_t rank);

/// True for a label of only one rank: devices and memories.
static inline bool metrics_is_own(enum label_kind kind)
{
	return kind == LABEL_DEVICE || kind == LABEL_MEMORY;
}

#endif
