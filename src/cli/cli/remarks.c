#include "cli/check.h"

#include "diagnose/diagnose.h"
#include "diagnose/ranks.h"

/* Add the insights on ranks and the table of ranks; a run with one rank has neither. */
static void remark_ranks(const struct run_view *v, bool candidate, struct report *out)
{
	diagnose_ranks(v, candidate, out);
	diagnose_rank_table(v, candidate, out);
}

void remarks_add(const struct naming *naming, const struct diagnosis_rules *rules,
                 const struct run *candidate, const struct run *baseline, bool page,
                 struct report *out)
{
	struct run_view c, b;
	bool both = baseline->ranks.nr,
	     explain =
	         out->kind == REPORT_CHECK && (out->counts[VERDICT_FAIL] || out->counts[VERDICT_WARN]);
	run_view_init(&c, candidate, naming);
	run_view_init(&b, baseline, naming);
	remark_ranks(&c, true, out);
	remark_ranks(&b, false, out);
	out->run = diagnose_run(&c, rules, true, page, &out->arena);
	if (both) {
		out->baseline_run = diagnose_run(&b, rules, false, page, &out->arena);
		diagnose_limit(out->run, rules, out->baseline_run, &b);
	}
	if (!explain)
		out->run->recommendations.nr = 0;
	run_view_release(&c);
	run_view_release(&b);
}
