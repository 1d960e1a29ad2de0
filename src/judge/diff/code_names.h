/// Names of the GPU activities to which rows of the code table refer.
#ifndef GG_DIFF_CODE_NAMES_H
#define GG_DIFF_CODE_NAMES_H

#include "model/view.h"

struct code_name {
	uint64_t key; ///< code_kernel_key() of the activity, as in rows of the code table
	struct span match; ///< name of the activity, by which baseline and candidate are compared
};

struct code_names {
	VEC(struct code_name) list; ///< names of one rank's activities, sorted by key
};

/// Read the names of the activities of `d`, a rank of the run of `v`; earlier contents of `n` are
/// replaced. The names live as long as the view. The caller releases with vec_release(&n->list).
void code_names_read(struct code_names *n, const struct digest *d, const struct run_view *v);

/// The name of the activity with the key `key`; empty if the key means a sum, or is unknown.
struct span code_names_find(const struct code_names *n, uint64_t key);

#endif
