/// The decision on one check: takes values and a rule, returns a verdict. No text, no state.
#ifndef GG_GATE_COMPARE_H
#define GG_GATE_COMPARE_H

#include "model/report.h"
#include "model/rule.h"

/// Input of the decision on one check.
struct comparison {
	const struct rule *rule;
	bool has_baseline, has_candidate;
	int64_t baseline, candidate; ///< values of the two sides, in the metric's unit
	bool has_step;
	int64_t step_ns; ///< step.cuda_time of the baseline in ns, for limits such as "X% of step"
	bool told; ///< true if the metric of the rule's `unless` says the same
	bool spoiled; ///< true if a trust finding makes the metric unreliable
	bool hidden; ///< for_each: true if the side without the item may have it as a small kernel
	bool waived; ///< true if an unexpired waiver covers the check
	const char
	    *of_main; ///< text: since when the main branch, as a waiver, has this change; else NULL
	int64_t waived_up_to; ///< largest change that the waiver excuses, in 1e-6 percent; 0: any size
	bool predates; ///< true if the baseline's version of gpugate did not record the metric
	int64_t floor; ///< smallest change that the clock of a trace can show, in the metric's unit
	bool bootstrap; ///< true if a baseline is deliberately absent: relative conditions are skipped
	bool has_pin; ///< true if `pin` is known; increase_since_pin needs it
	int64_t pin;
	bool has_noise; ///< if false, every change counts as sure
	bool sure[2]; ///< [0]: the figure has surely risen, [1]: it has surely fallen
	bool pin_sure; ///< true if the figure has surely risen since the pin
	bool of_all; ///< true if all operators rose as much: then this rise is not news, even if sure
	/// For a kernel: the decision on the operator or category that the kernel and its replacements
	/// belong to. NULL if it is unknown: the kernel is then judged by itself.
	const struct decision *unit;
	int64_t unit_change; ///< change of that operator or category, in the unit of its metric
};

/// The reason for a verdict.
enum reason {
	REASON_LIMIT, ///< fail or warn: the change is beyond `limit`; improved: it is better by as much
	REASON_WITHIN, ///< pass: the change is within the limits
	REASON_TOLD, ///< skipped: the metric of the rule's `unless` says the same
	REASON_SPOILED,
	REASON_UNFORMED, ///< inconclusive: a relative change from 0, or a limit without its reference
	REASON_ZERO, ///< inconclusive: a fall to 0 under limits in percent; better or not measured
	REASON_ABSENT, ///< one side or both sides lack the figure
	REASON_NEW, ///< for_each: only the candidate has the item
	REASON_GONE, ///< for_each: only the baseline has the item
	REASON_HIDDEN, ///< for_each: on one side the item is too small to be listed
	REASON_NOISE, ///< undecided or warn: the change is beyond the fail `limit`, but may be noise
	REASON_OF_ALL, ///< pass: beyond the fail `limit`, but all operators changed as much
	REASON_SUBSTITUTE, ///< warn: beyond the fail `limit`, but its operator or category is not
	REASON_BOOTSTRAP, ///< there is no baseline yet: skipped, or within the absolute limits
};

struct decision {
	enum verdict verdict;
	enum reason reason; ///< reason of the verdict; for a waived check, why it would fail
	const struct limits *map; ///< the limits that contain `limit`
	const struct limit *limit; ///< the broken limit; NULL if no limit is broken
	bool since_pin; ///< true if the change since the pin decided the verdict
};

/// True if the rule limits changes since the pin, and no other changes.
bool compare_is_since_pin(const struct rule *rule);

/// Decide one check: the first verdict that applies, in the order of rules.md, "Verdicts". A waiver
/// with a size excuses a failure only up to that size; a change that cannot be formed stays a
/// failure. The arithmetic is exact (integers and rationals), and "beyond" means strictly greater.
struct decision compare(const struct comparison *c);

#endif
