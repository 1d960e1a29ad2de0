/// The rules file that `gpugate init` writes: the built-in rules, adapted to a run.
#ifndef GG_INIT_INIT_RULES_H
#define GG_INIT_INIT_RULES_H

#include "model/history.h"
#include "model/rule.h"
#include "model/view.h"

struct init_rules {
	const char *workload; ///< name of the workload, for which is_plain_name() is true
	const char *marker; ///< step marker to write in the rules; NULL: the default marker
	const struct run_view *view; ///< run that the rules are adapted to; NULL if there is none

	/// history whose noise narrows limits; NULL: the limits of the built-in rules stay
	const struct history *past;
	const struct rules *builtin; ///< the built-in rules, parsed

	/// result: numbers of rules kept, left out, and with narrower limits
	size_t kept, left_out, closer;
};

/// The text of rules/default.yaml with workload, marker and number of ranks filled in. Rules that
/// could not judge any figure of the run become comments with the reason; the figures of all other
/// rules must be present in later runs. Owned by `a`.
const char *init_rules_text(struct init_rules *in, struct arena *a);

#endif
