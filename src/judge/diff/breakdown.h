/// The engine of all breakdowns. A breakdown is a tree of contributions to a change. The engine
/// turns it into parts (rows of a report) sorted by size, and sums up small parts in one row. Parts
/// add up exactly at every depth.
#ifndef GG_DIFF_BREAKDOWN_H
#define GG_DIFF_BREAKDOWN_H

#include <stddef.h>

#include "diff/pairs.h"
#include "model/report.h"

/// Number of children of a part that are shown if its order is NODES_SUM_MANY or NODES_SUM_SMALL.
/// The others are summed up in one row.
enum { PARTS_SHOWN = 5 };

/// Order of a node's children in the finished breakdown, and which of them are summed up.
enum node_order {
	NODES_IN_ORDER, ///< children stay in the order in which they were added
	NODES_BY_SIZE, ///< children sorted by the absolute value of their change, the largest first
	NODES_SUM_MANY, ///< like NODES_BY_SIZE, but all beyond the first PARTS_SHOWN become one row,
	                ///< except groups
	NODES_SUM_SMALL, ///< like NODES_SUM_MANY, but the row also sums up every child, even a group,
	                 ///< that has less than 1 % of the whole change
};

/// One contribution to the change: a kernel, a call, a site, a rank; or a group of contributions.
struct node {
	const char *label; ///< name of the part that the node becomes; NULL if only its children become
	                   ///< parts, not the node itself
	const char *detail;
	struct source_line at; ///< line of code that causes the contribution, if it is known
	const void *of; ///< row of data that the node was made from; the callback parts.describe reads
	                ///< it
	int64_t count[NR_SIDES]; ///< number of calls, kernels or similar; 0 on a side without them
	__int128 amount[NR_SIDES]; ///< total of the figure, such as time or bytes
	int64_t change; ///< the node's contribution to the whole change, in the unit of the metric
	bool group; ///< true: when small nodes are summed up, the node counts as being as large as its
	            ///< largest child, since the children's changes may cancel out in its own change;
	            ///< false: its own change counts. Nodes are always sorted by their own change
	enum node_order order; ///< order of the node's children
	const char *one, *many; ///< nouns for the row of children that are summed up ("3 kernels"),
	                        ///< singular and plural

	/// first and last child of this node; next child of its parent
	struct node *first, *last, *next;
	size_t nr, seq; ///< number of children; position among the children of the parent
};

/// A breakdown under construction.
struct parts {
	struct arena *arena;
	struct breakdown *out; ///< the result, in `arena`; the caller must release its list of parts
	struct arena nodes; ///< memory of the nodes, released by parts_write() and parts_drop()

	/// Called for each node that is not a group, just before it becomes a part: sets the label and
	/// the detail, and adds children. NULL: not called.
	void (*describe)(void *ctx, struct node *n);
	void *ctx;
};

/// Start a breakdown of `change` that has the title `title`, and no parts yet.
struct parts parts_new(struct arena *a, const struct metric *m, const char *title, int64_t change);

/// Append a child with the label `label` to `parent`. The child lives until parts_write() or
/// parts_drop().
struct node *node_add(struct parts *p, struct node *parent, const char *label);

/// Append a group node. Its small children are summed up in one row that calls them `one`
/// (singular) or `many` (plural).
struct node *node_add_group(struct parts *p, struct node *parent, const char *label,
                            const char *one, const char *many);

/// Append a child with a known change to `parent`.
void node_add_row(struct parts *p, struct node *parent, const char *label, int64_t change,
                  const char *detail);

/// Append the node `n` to the children of `parent`. If another node had `n` as a child, its list of
/// children is cut off after `n`, and must not be used again.
void node_move(struct node *parent, struct node *n);

/// Split the change of the node `n` into two children. The child called `number` gets Δcount × the
/// baseline's mean, the child called `mean` gets the rest of the change. Counts and amounts of a
/// side are sums over of[side] steps. A child with a change of 0 is not shown.
void node_split(struct parts *p, struct node *n, const int64_t of[NR_SIDES], const char *number,
                const char *number_detail, const char *mean, const char *mean_detail);

/// Text such as "2.00 ms → 3.00 ms": amount divided by count on each side; "" unless both sides
/// have the node.
const char *node_mean(const struct node *n, struct arena *a, enum unit unit);

/// True if both the baseline and the candidate have the node.
bool node_is_on_both_sides(const struct node *n);

/// Set the change of each child to the difference of its amounts per step between the sides: the
/// amount of a side is divided by of[side]. Running sums are rounded instead of single changes, so
/// that rounding errors do not add up. If all changes together differ from `change` by 1, the last
/// child takes this 1. Returns the part of `change` that no child has.
int64_t nodes_spread(struct node *parent, const int64_t of[NR_SIDES], int64_t change);

/// Sort the children of a node according to its `order`.
void nodes_sort(struct parts *p, struct node *parent);

/// Write the children of `root` as parts, and after them up to two more rows. One has the change
/// `later`: how far the run of main whose parts are known is above the median of main's runs. The
/// other has the label `rest_name` and the change `rest`. A row with a change of 0 is left out.
/// Releases the nodes.
void parts_write(struct parts *p, struct node *root, int64_t later, const char *rest_name,
                 int64_t rest);

/// Release a breakdown without writing it.
void parts_drop(struct parts *p);

/// Order of two changes for sorting: the one with the larger absolute value comes first. Below 0 if
/// that is `a`, above 0 if it is `b`.
int parts_order(int64_t a, int64_t b);

#endif
