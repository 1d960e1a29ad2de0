/// The sites of one list of two memories, brought together.
#ifndef GG_DIFF_MEMORY_SITES_H
#define GG_DIFF_MEMORY_SITES_H

#include "diff/memory_pair.h"

/// One line of code on one side or both.
struct site_line {
	bool has[NR_SIDES];
	int64_t number[NR_SIDES];
	int64_t bytes[NR_SIDES], blocks[NR_SIDES];
	int64_t change;
};

/// A function of a category, its lines neighbours in the list.
struct site_place {
	const struct memory_item *item; ///< of either side
	size_t first, nr;
	bool has[NR_SIDES];
	int64_t bytes[NR_SIDES], blocks[NR_SIDES];
	int64_t change, category_change;
};

struct memory_sites {
	VEC(struct site_line) lines;
	VEC(struct site_place) places; ///< the category with the largest change first, then the place
};

/// Collect the items of `list` of both memories. Sites are equal where category, file
/// and function are; bytes are divided by `divisor` of their side. Items are borrowed.
/// Caller releases with memory_sites_release().
void memory_sites_init(struct memory_sites *m, const struct memory_ref memory[NR_SIDES],
                       enum memory_list list, const int64_t divisor[NR_SIDES]);

/// Give the memory back.
void memory_sites_release(struct memory_sites *m);

/// Index behind the last place of the category that place `from` is of.
size_t memory_sites_category_end(const struct memory_sites *m, size_t from);

#endif
