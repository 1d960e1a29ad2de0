/// Makes rows of a digest about memory; used for all kinds of memory recordings.
#ifndef GG_REPLAY_MEMORY_ROWS_H
#define GG_REPLAY_MEMORY_ROWS_H

#include "model/digest.h"

/// A growable list of rows, before they are in a digest.
struct memory_items {
	VEC(struct memory_item) list;
};

/// A row of `list` without a site.
struct memory_item memory_item_of(const char *memory, enum memory_list list);

/// Compares two rows of one list: the row with more bytes comes first, SITE_REST last; rows of
/// equal bytes are in order of their sites.
int memory_item_cmp(const void *a, const void *b);

/// Sorts rows of sites. If there are more than MEMORY_SITES, the last ones are summed in a
/// SITE_REST row, so that MEMORY_SITES rows are left.
void memory_items_cut(struct memory_items *rows);

/// Sorts rows, appends the first `most` of them to the digest, and releases the list.
void memory_items_add(struct digest *d, struct memory_items *rows, row_compare *cmp, size_t most);

/// Appends the figures of a memory to the digest, and `evidence`, in which it sets the memory and
/// the number of its allocations.
void memory_add(struct digest *d, const struct memory_stat *stat, struct memory_evidence evidence);

/// Completes a digest that has only memories: sorts its lists; sets the JSON faults of its file,
/// the number of steps (0), an empty marker and an empty `communication`, and the hash.
void memories_finish(struct digest *d, uint64_t json_faults, uint64_t fault_byte);

#endif
