/// The engine of all breakdowns: a tree of things that a change is made of becomes parts by size,
/// the small ones folded, that add up exactly on every level.
#ifndef GG_DIFF_BREAKDOWN_H
#define GG_DIFF_BREAKDOWN_H

#include <stddef.h>

#include "diff/pairs.h"
#include "model/report.h"

/// Parts shown below one part; the rest is one row.
enum { PARTS_SHOWN = 5 };

/// How the children of a node become parts.
enum node_order {
	NODES_IN_ORDER, ///< as they were added, all of them
	NODES_BY_SIZE, ///< the largest change first, all of them
	NODES_FOLD_MANY, ///< by size; those beyond PARTS_SHOWN are one row
	NODES_FOLD, ///< and so are small ones
};

/// A thing: a kernel, a call, a site, a rank; or a group of things.
struct node {
	const char *label; ///< NULL: its children take its place
	const char *detail;
	struct source_line at; ///< of a place in the code
	const void *of; ///< for the describe function
	int64_t count[NR_SIDES]; ///< how many there are; 0 on a side that lacks it
	__int128 amount[NR_SIDES]; ///< what they come to in all
	int64_t change; ///< its part of the change
	bool group; ///< it matters as much as the largest of its children
	bool shown; ///< it has become a part
	enum node_order order; ///< of its children
	const char *one, *many; ///< what children that are folded are called
	struct node *first, *last, *next; ///< children; sibling
	size_t nr, seq;
};

/// A breakdown that is made.
struct parts {
	struct arena *arena;
	struct breakdown *out; ///< owned by `arena`, its parts by whom it is given to
	struct arena nodes; ///< until parts_write()
	/// Called for a thing that is shown, before it is: fills label and detail, adds children.
	void (*describe)(void *ctx, struct node *n);
	void *ctx;
};

/// An empty breakdown of `change`.
struct parts parts_new(struct arena *a, const char *title, enum unit unit, int64_t change);

/// Append a child, which lives until parts_write().
struct node *node_add(struct parts *p, struct node *parent, const char *label);

/// Append a group, whose children are folded.
struct node *node_add_group(struct parts *p, struct node *parent, const char *label,
                            const char *one, const char *many);

/// Append a child of which the change is known.
void node_add_row(struct parts *p, struct node *parent, const char *label, int64_t change,
                  const char *detail);

/// Append a node that was another's child; its old siblings are no longer linked to it.
void node_move(struct node *parent, struct node *n);

/// Append as children of `n` Δcount × the baseline's mean, and what that leaves of its change.
/// Amounts are over `of` steps. Parts of 0 are left out.
void node_split(struct parts *p, struct node *n, const int64_t of[NR_SIDES], const char *number,
                const char *number_detail, const char *mean, const char *mean_detail);

/// "2.00 ms → 3.00 ms": what one of them comes to; "" unless both sides have it.
const char *node_mean(const struct node *n, struct arena *a, enum unit unit);

/// True if both sides have it.
bool node_is_on_both_sides(const struct node *n);

/// Find the changes of the means of all children's amounts over `of`. Each is the difference of
/// two rounded running sums, so that rounding does not accumulate; what is left to `change` by
/// rounding (1) goes to the last one. Returns what is left after that.
int64_t nodes_spread(struct node *parent, const int64_t of[NR_SIDES], int64_t change);

/// Put the children of a node in its order.
void nodes_sort(struct parts *p, struct node *parent);

/// Write the children of `root` as parts, then what completes the sum: what the baseline's later
/// runs had moved already, and `rest` under its name. Releases the nodes.
void parts_write(struct parts *p, struct node *root, int64_t later, const char *rest_name,
                 int64_t rest);

/// Give up a breakdown that is not written.
void parts_drop(struct parts *p);

/// Order of changes: the larger first, whatever the sign.
int parts_order(int64_t a, int64_t b);

#endif
