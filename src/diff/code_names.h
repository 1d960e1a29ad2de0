/// Names of the GPU activities that rows of the code table point to.
#ifndef GG_DIFF_CODE_NAMES_H
#define GG_DIFF_CODE_NAMES_H

#include "model/view.h"

struct code_name {
	uint64_t key; ///< as in struct code_stat
	struct span match; ///< match name
};

struct code_names {
	VEC(struct code_name) list; ///< by key; of one rank
};

/// The names of the activities of `d`, a rank of the run of `v`, in place of those that `n` has;
/// they live as long as the view. Caller releases with vec_release(&n->list).
void code_names_read(struct code_names *n, const struct digest *d, const struct run_view *v);

/// The match name of `key`; empty for a sum, and where it is not known.
struct span code_names_find(const struct code_names *n, uint64_t key);

#endif
