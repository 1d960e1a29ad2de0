/// Finds, for a memory metric, the memory that the value of each side comes from. Also pairs the
/// sites (functions that allocate) of two memories.
#ifndef GG_DIFF_MEMORY_PAIR_H
#define GG_DIFF_MEMORY_PAIR_H

#include "diff/bench.h"
#include "diff/breakdown.h"

/// One memory (an allocator, such as that of a GPU) of one rank.
struct memory_ref {
	const struct digest *digest;
	const struct memory_stat *stat;
};

/// One memory of the baseline and one of the candidate, and their values.
struct memory_pair {
	struct memory_ref memory[NR_SIDES];
	int64_t value[NR_SIDES];
};

/// Find the memories that the values of `e`, an entry for the query `q`, come from: in the
/// baseline's run (run[SIDE_BASELINE] of the bench), and in the run of the candidate whose value is
/// nearest to the median. If several memories have the value, the first one that both sides have is
/// taken, else the first. False if the value of a side does not belong to a single memory, because
/// it is a mean, or if the baseline's run or the candidate lacks the item.
bool memory_pair_find(const struct bench *b, const struct query *q, const struct entry *e,
                      struct memory_pair *out);

/// Name of the two memories `refs`, owned by `a`: "memory 0" or, if a run has several ranks,
/// "memory 0 of rank 3". If the names differ: "memory 0 (baseline) and memory 1 (candidate)".
const char *memory_pair_name(const struct bench *b, const struct memory_ref refs[NR_SIDES],
                             struct arena *a);

/// What one line of code, or all lines of a function, allocated on each side: number of the line,
/// bytes, and number of blocks.
struct site_line {
	bool has[NR_SIDES];
	int64_t number[NR_SIDES];
	int64_t bytes[NR_SIDES], blocks[NR_SIDES];
};

/// A site: a function in the code, with a category of memory.
struct site_place {
	const struct memory_item *item; ///< any item of this site, from which the site's names are
	                                ///< printed
	struct site_line all; ///< the site's sum over all lines of the function
	const struct site_line *lines; ///< lines of the function, sorted by number
	size_t nr;
};

/// Change of the bytes that a line of code allocated.
static inline int64_t site_line_change(const struct site_line *l)
{
	return number_sub(l->bytes[SIDE_CANDIDATE], l->bytes[SIDE_BASELINE]);
}

/// Append to `parent` a group node for all items in the two memories' lists of the kind `list`. Its
/// children are nodes for categories, and their children are nodes for sites. The member `of` of a
/// site's node is a struct site_place. Sites with equal category, kind, file and function are
/// paired. The bytes of a side are divided by its `divisor`. Items are borrowed; everything else
/// lives as long as the nodes.
struct node *memory_sites_add(struct parts *p, struct node *parent,
                              const struct memory_ref memory[NR_SIDES], enum memory_list list,
                              const int64_t divisor[NR_SIDES]);

#endif
