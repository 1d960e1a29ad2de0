/// The rules file that `gpugate init` writes: the built-in rules, fitted.
#ifndef GG_INIT_INIT_RULES_H
#define GG_INIT_INIT_RULES_H

#include "model/history.h"
#include "model/rule.h"
#include "model/view.h"

struct init_rules {
	const char *workload; ///< is_plain_name()
	const char *marker; ///< of steps; NULL: the usual
	const struct run_view *view; ///< the run that the rules are to fit; NULL none
	const struct history *past; ///< limits come closer where its noise allows it; NULL: they stay
	const struct rules *builtin; ///< what the text says, read
	size_t kept, left_out, closer; ///< rules; result
};

/// The text of rules/default.yaml with workload, marker and number of ranks filled in. Rules
/// that could judge nothing of the run are comments, with the reason, and all that is left
/// must be there in later runs. Owned by `a`.
const char *init_rules_text(struct init_rules *in, struct arena *a);

#endif
