/// Where in the code the work of measured steps comes from, by a recording apart.
#ifndef GG_MERGE_WHERE_H
#define GG_MERGE_WHERE_H

#include "model/digest.h"

/// Divide what each GPU activity takes in the code table of `d` among the phases, modules, places
/// and operators that it has in `where`, in the proportions of that recording, which is of another
/// step. Sums stay exact. Activities that it lacks keep the rows they have, and so do those that
/// `d` has no name for; nothing else of `where`, whose table is sorted anew, is used.
void digest_join_where(struct digest *d, struct digest *where);

/// Join each recording for the code among `nr` digests into all traces of its rank, and fold the
/// tables of these. Index of one that has no such trace, or a second one of its rank; else `nr`.
size_t digests_join_where(struct digest *const *v, size_t nr);

#endif
