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
	bool told; ///< the rule's `unless`: another figure says the same
	bool spoiled; ///< a trust finding spoils the metric
	bool hidden; ///< for_each: the side that lacks the item may hold it among its small kernels
	bool waived; ///< an unexpired waiver covers the check
	bool predates; ///< the baseline is of a version that did not record the metric
	int64_t floor; ///< in the metric's unit: what the clock of a trace makes of no change
	bool bootstrap; ///< there is no baseline by choice: relative conditions are skipped
	bool has_pin; ///< of the pin alone, for increase_since_pin
	int64_t pin;
	bool has_noise;
	int64_t noise; ///< in the metric's unit: an increase or decrease not beyond it is no evidence
	int64_t pin_noise; ///< the same of an increase since the pin, which is one run alone
};

/// Why the verdict is what it is.
enum reason {
	REASON_LIMIT, ///< fail, warn: beyond `limit`; improved: mirror of it
	REASON_WITHIN, ///< pass
	REASON_TOLD, ///< skipped: another figure says the same
	REASON_SPOILED,
	REASON_UNFORMED, ///< a relative change from 0, or a limit without its reference
	REASON_ZERO, ///< a fall to 0 under limits in percent alone: better, or not measured
	REASON_ABSENT, ///< one side or both lack the figure
	REASON_NEW, ///< for_each: only the candidate has the item
	REASON_GONE, ///< for_each: only the baseline has it
	REASON_HIDDEN, ///< for_each: too small on one side to tell
	REASON_NOISE, ///< warn: beyond the fail `limit`, but inside the noise
	REASON_BOOTSTRAP, ///< nothing to compare with yet: skipped, or within what is absolute
};

struct decision {
	enum verdict verdict;
	enum reason reason; ///< of a waived check: why it would fail
	const struct limits *map; ///< of `limit`
	const struct limit *limit; ///< NULL unless REASON_LIMIT or REASON_NOISE
	bool since_pin; ///< it is the change since the pin that decided
};

/// True where the rule asks for changes since the pin and for no other.
bool compare_is_since_pin(const struct rule *rule);

/// The first verdict of rules.md, "Verdicts", that applies. Exact: integers and
/// rationals, "beyond" is strictly greater.
struct decision compare(const struct comparison *c);

#endif
