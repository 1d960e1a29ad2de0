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
	const char
	    *of_main; ///< the waiver is that main is there already, and since when; NULL: it is not
	int64_t waived_up_to; ///< 1e-6 percent: the largest change that it excuses; 0: however far
	bool predates; ///< the baseline is of a version that did not record the metric
	int64_t floor; ///< in the metric's unit: what the clock of a trace makes of no change
	bool bootstrap; ///< there is no baseline by choice: relative conditions are skipped
	bool has_pin; ///< only of the pin, for increase_since_pin
	int64_t pin;
	bool has_noise; ///< else every change is sure
	bool sure[2]; ///< that the figure has risen; that it has fallen
	bool pin_sure; ///< that it has risen since the pin
	bool of_all; ///< it rose because all that is like it rose: no news, however sure
	/// A kernel: what its limits make of all that takes its place, the operator or category; NULL:
	/// it stands by itself.
	const struct decision *unit;
	int64_t unit_change; ///< of that, in the unit of its metric
};

/// Why the verdict is what it is.
enum reason {
	REASON_LIMIT, ///< fail, warn: beyond `limit`; improved: mirror of it
	REASON_WITHIN, ///< pass
	REASON_TOLD, ///< skipped: another figure says the same
	REASON_SPOILED,
	REASON_UNFORMED, ///< a relative change from 0, or a limit without its reference
	REASON_ZERO, ///< a fall to 0 while all limits are in percent: better, or not measured
	REASON_ABSENT, ///< one side or both lack the figure
	REASON_NEW, ///< for_each: only the candidate has the item
	REASON_GONE, ///< for_each: only the baseline has it
	REASON_HIDDEN, ///< for_each: too small on one side to tell
	REASON_NOISE, ///< undecided, warn: beyond the fail `limit`, but not surely
	REASON_OF_ALL, ///< pass: beyond the fail `limit`, as everything like it is
	REASON_SUBSTITUTE, ///< warn: beyond the fail `limit`, and what takes its place makes up for it
	REASON_BOOTSTRAP, ///< nothing to compare with yet: skipped, or within what is absolute
};

struct decision {
	enum verdict verdict;
	enum reason reason; ///< of a waived check: why it would fail
	const struct limits *map; ///< of `limit`
	const struct limit *limit; ///< the one that is broken; NULL where none is
	bool since_pin; ///< it is the change since the pin that decided
};

/// True where the rule asks for changes since the pin and for no other.
bool compare_is_since_pin(const struct rule *rule);

/// A failure that is `waived` stays one where the waiver has a size and the change is larger, or
/// cannot be formed. The first verdict of rules.md, "Verdicts", that applies. Exact: integers and
/// rationals, "beyond" is strictly greater.
struct decision compare(const struct comparison *c);

#endif
