/// The rules file that `gpugate init` writes: the built-in rules, adapted to a run.
#ifndef GG_INIT_INIT_RULES_H
#define GG_INIT_INIT_RULES_H

#include "model/history.h"
#include "model/rule.h"
#include "model/view.h"

struct init_rules {
	const char *workload; ///< name of the workload; is_plain_name() must hold
	const char *marker; ///< step marker to write; NULL: the default one
	const struct run_view *view; ///< run that the rules are adapted to; NULL if there is none
	const struct history *past; ///< history whose noise narrows limits; NULL: limits stay
	const struct rules *builtin; ///< the built-in rules, parsed
	size_t kept, left_out, closer; ///< results: numbers of rules kept, left out, and narrowed
};

/// The text of rules/default.yaml with workload, marker and number of ranks filled in. Rules that
/// could not judge anything of the run become comments with the reason; the figures of all others
/// must be present in later runs. Owned by `a`.
const char *init_rules_text(struct init_rules *in, struct arena *a);

#endif
