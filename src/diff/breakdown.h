/// The engine of all breakdowns. It turns a tree of contributions to a change into parts sorted by
/// size, with small parts folded into one row. The parts add up exactly on every level.
#ifndef GG_DIFF_BREAKDOWN_H
#define GG_DIFF_BREAKDOWN_H

#include <stddef.h>

#include "diff/pairs.h"
#include "model/report.h"

/// Number of parts shown below one part; the rest is folded into one row.
enum { PARTS_SHOWN = 5 };

/// Order of a node's children when they become parts.
enum node_order {
	NODES_IN_ORDER, ///< children stay in the order in which they were added
	NODES_BY_SIZE, ///< children sorted by change, the largest first
	NODES_FOLD_MANY, ///< children sorted by change; beyond PARTS_SHOWN folded into one row
	NODES_FOLD, ///< like NODES_FOLD_MANY, but small children are folded too
};

/// One contribution to the change: a kernel, a call, a site, a rank; or a group of contributions.
struct node {
	const char *label; ///< NULL: the node has no row, its children are shown in its place
	const char *detail;
	struct source_line at; ///< place in the code, for a node that has one
	const void *of; ///< data for the callback parts.describe
	int64_t count[NR_SIDES]; ///< number of calls, kernels or the like; 0 on a side without it
	__int128 amount[NR_SIDES]; ///< total amount, such as time or bytes
	int64_t change; ///< the node's contribution to the whole change
	bool group; ///< true if the node is as important as its most important child
	bool shown; ///< true once the node has become a part of the breakdown
	enum node_order order; ///< order of the node's children
	const char *one, *many; ///< noun for one folded child, and for several
	struct node *first, *last, *next; ///< first and last child of a node; its next sibling
	size_t nr, seq;
};

/// A breakdown under construction.
struct parts {
	struct arena *arena;
	struct breakdown *out; ///< the result; owned by `arena`, its list of parts by the caller
	struct arena nodes; ///< memory of the nodes, released by parts_write()
	/// Called for each node just before it is shown: sets label and detail, adds children.
	void (*describe)(void *ctx, struct node *n);
	void *ctx;
};

/// Start an empty breakdown of `change`.
struct parts parts_new(struct arena *a, const char *title, enum unit unit, int64_t change);

/// Append a child node, which lives until parts_write().
struct node *node_add(struct parts *p, struct node *parent, const char *label);

/// Append a group node, whose small children are folded.
struct node *node_add_group(struct parts *p, struct node *parent, const char *label,
                            const char *one, const char *many);

/// Append a child node with a known change.
void node_add_row(struct parts *p, struct node *parent, const char *label, int64_t change,
                  const char *detail);

/// Append a node that was the child of another one. The links to its old siblings are lost.
void node_move(struct node *parent, struct node *n);

/// Append two children of `n`: Δcount × the baseline's mean, and the rest of its change. Amounts
/// are sums over `of` steps. Children with a change of 0 are left out.
void node_split(struct parts *p, struct node *n, const int64_t of[NR_SIDES], const char *number,
                const char *number_detail, const char *mean, const char *mean_detail);

/// Text such as "2.00 ms → 3.00 ms", the mean on both sides; "" unless both sides have the node.
const char *node_mean(const struct node *n, struct arena *a, enum unit unit);

/// True if both sides have the node.
bool node_is_on_both_sides(const struct node *n);

/// Set the changes of all children to those of their mean amounts over `of` steps. Each is the
/// difference of two rounded running sums, so that rounding errors do not add up. If the sum is 1
/// away from `change`, the last child takes the 1. Returns what then remains of `change`.
int64_t nodes_spread(struct node *parent, const int64_t of[NR_SIDES], int64_t change);

/// Sort the children of a node according to its `order`.
void nodes_sort(struct parts *p, struct node *parent);

/// Write the children of `root` as parts, followed by `later`, the change that the baseline's later
/// runs had already, and by `rest` with its name. Releases the nodes.
void parts_write(struct parts *p, struct node *root, int64_t later, const char *rest_name,
                 int64_t rest);

/// Release a breakdown without writing it.
void parts_drop(struct parts *p);

/// Compares two changes for sorting: the larger comes first, whatever its sign.
int parts_order(int64_t a, int64_t b);

#endif
