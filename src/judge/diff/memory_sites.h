/// The sites (functions that allocate) in the lists of two memories, paired.
#ifndef GG_DIFF_MEMORY_SITES_H
#define GG_DIFF_MEMORY_SITES_H

#include "diff/breakdown.h"
#include "diff/memory_pair.h"

/// One line of code, or all lines of a function, in the baseline, the candidate or both.
struct site_line {
	bool has[NR_SIDES];
	int64_t number[NR_SIDES];
	int64_t bytes[NR_SIDES], blocks[NR_SIDES];
};

/// A site: a function in the code, with a category of memory.
struct site_place {
	const struct memory_item *item; ///< any item with this site, used to print the site's names
	struct site_line all; ///< the site's sum over all lines of the function
	const struct site_line *lines; ///< lines of the function, sorted by number
	size_t nr;
};

/// Change of the bytes that a line of code allocated.
static inline int64_t site_line_change(const struct site_line *l)
{
	return number_sub(l->bytes[SIDE_CANDIDATE], l->bytes[SIDE_BASELINE]);
}

/// Append to `parent` a group node for the kind of list `list`, with the items of this kind of both
/// memories: below it nodes for categories, and below these nodes for sites; the member `of` of a
/// site's node is a struct site_place. Sites with equal category, file and function are paired.
/// Bytes are divided by the `divisor` of their side. Items are borrowed; everything else lives as
/// long as the nodes.
struct node *memory_sites_add(struct parts *p, struct node *parent,
                              const struct memory_ref memory[NR_SIDES], enum memory_list list,
                              const int64_t divisor[NR_SIDES]);

#endif
