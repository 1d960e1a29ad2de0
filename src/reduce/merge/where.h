/// Assigns the work of measured steps to places in the code, which are taken from a separate
/// recording.
#ifndef GG_MERGE_WHERE_H
#define GG_MERGE_WHERE_H

#include "model/digest.h"

/// Splits the figures of each GPU activity in the code table of the digest `d` by phase, module,
/// place and operator, in the same proportions as in `where`, which is a recording of another step.
/// Sums stay exact. Rows of activities that `where` lacks, or whose name `d` does not keep, stay
/// unchanged. The code table of `where` is reordered; its other data are not used.
void digest_join_where(struct digest *d, struct digest *where);

/// Joins each recording for code places among the `nr` digests into all traces of its rank, and
/// limits the size of all code tables. Returns the index of a recording for code places whose rank
/// has no trace, or that is the second one of its rank; `nr` if there is no such fault.
size_t digests_join_where(struct digest *const *v, size_t nr);

#endif
