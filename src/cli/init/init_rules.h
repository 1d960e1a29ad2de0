/// The rules file that `gpugate init` writes: what differs from the built-in rules.
#ifndef GG_INIT_INIT_RULES_H
#define GG_INIT_INIT_RULES_H

#include "model/history.h"
#include "model/rule.h"
#include "model/view.h"

struct init_rules {
	const char *workload; ///< name of the workload, for which is_plain_name() is true
	const char *marker; ///< step marker to write in the rules; NULL: the default marker
	const struct run_view *view; ///< run that the rules are for; NULL if there is none

	/// history whose noise narrows limits; NULL: the limits of the built-in rules stay
	const struct history *past;
	const struct rules *builtin; ///< the built-in rules, parsed

	size_t judging; ///< result: number of built-in rules that have a figure of the run
	size_t closer; ///< result: number of rules with narrower limits
};

/// The text of a rules file with workload, number of ranks, marker and narrower limits. Owned by
/// `a`.
const char *init_rules_text(struct init_rules *in, struct arena *a);

#endif
