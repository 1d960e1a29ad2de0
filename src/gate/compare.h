/// The decision on one check: values and a rule in, a verdict out; no text, no state.
#ifndef GG_GATE_COMPARE_H
#define GG_GATE_COMPARE_H

#include "model/report.h"
#include "model/rule.h"

/// What is known of one check.
struct comparison {
	const struct rule *rule;
	bool has_baseline, has_candidate;
	int64_t baseline, candidate; ///< in the metric's unit
	bool has_step;
	int64_t step_ns; ///< the baseline's step.cuda_time, for "X% of step"
	bool spoiled; ///< a trust finding spoils the metric
};

/// Why the verdict is what it is.
enum reason {
	REASON_LIMIT, ///< fail, warn: beyond `limit`; improved: mirror of it
	REASON_WITHIN, ///< pass
	REASON_SPOILED,
	REASON_UNFORMED, ///< a relative change from 0, or a limit without its reference
	REASON_ABSENT, ///< one side or both lack the figure
	REASON_NEW, ///< for_each: only the candidate has the item
	REASON_GONE, ///< for_each: only the baseline has it
};

struct decision {
	enum verdict verdict;
	enum reason reason;
	const struct limits *map; ///< of `limit`
	const struct limit *limit; ///< NULL unless REASON_LIMIT
};

/// The first verdict of rules.md, "Verdicts", that applies. Exact: integers and
/// rationals, "beyond" is strictly greater.
struct decision compare(const struct comparison *c);

#endif
