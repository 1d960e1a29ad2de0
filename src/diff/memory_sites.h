/// The sites of one list of two memories, brought together.
#ifndef GG_DIFF_MEMORY_SITES_H
#define GG_DIFF_MEMORY_SITES_H

#include "diff/breakdown.h"
#include "diff/memory_pair.h"

/// One line of code, or all lines of a function, on one side or both.
struct site_line {
	bool has[NR_SIDES];
	int64_t number[NR_SIDES];
	int64_t bytes[NR_SIDES], blocks[NR_SIDES];
};

/// A function of a category.
struct site_place {
	const struct memory_item *item; ///< of either side
	struct site_line all; ///< sums over the lines
	const struct site_line *lines; ///< by their numbers
	size_t nr;
};

/// Change of the bytes of a line.
static inline int64_t site_line_change(const struct site_line *l)
{
	return number_sub(l->bytes[SIDE_CANDIDATE], l->bytes[SIDE_BASELINE]);
}

/// Append to `parent` a group of all items of `list` of both memories: categories, in them sites,
/// whose `of` is a struct site_place. Sites are equal where category, file and function are; bytes
/// are divided by `divisor` of their side. Items are borrowed, all else lives as the nodes do.
struct node *memory_sites_add(struct parts *p, struct node *parent,
                              const struct memory_ref memory[NR_SIDES], enum memory_list list,
                              const int64_t divisor[NR_SIDES]);

#endif
