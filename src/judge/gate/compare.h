/// The decision on one check: two values and a rule give a verdict. Texts are made elsewhere.
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
	/// why the figure is not judged, such as "step.period says the same"; NULL if it is judged
	const char *told;
	bool spoiled; ///< true if a trust finding makes the metric unreliable; false if it is reliable
	bool hidden; ///< with for_each: true if the side without the item may have it among kernels too
	             ///< small to be listed; false if that side cannot have it
	bool waived; ///< true if an unexpired waiver covers the check, or if the text `of_main` excuses
	             ///< it

	/// text that says since when the main branch shows this change; NULL if main does not show it
	const char *of_main;
	int64_t waived_up_to; ///< largest change that the waiver excuses, in 1e-6 percent of the
	                      ///< baseline; 0: unlimited
	/// true if the side lacks the figure because it is a folded run that did not keep the figure
	/// for the ranks that the rule asks for
	bool folded_baseline, folded_candidate;
	/// true if the side that lacks the item has no item of that kind at all, such as no operator
	bool unrecorded;
	/// text such as "3 of 8 ranks of 'run.json' have it" if, in a run of the candidate, more ranks
	/// lack the figure than do in the baseline; else NULL
	const char *in_some;
	bool predates; ///< true if the gpugate version that stored the baseline is so old that it may
	               ///< not have known the metric
	int64_t floor; ///< smallest change that the clock of a trace can show, in the metric's unit
	bool bootstrap; ///< true if there is no baseline, so that only `max` and `min` can be judged
	bool has_pin; ///< true if `pin` (the figure of the approved run) is known; the condition
	              ///< increase_since_pin needs it
	int64_t pin;
	/// true if the noise of the figure is known; false: no change is taken for noise
	bool has_noise;
	bool sure[2]; ///< true if noise cannot explain the change as a rise ([0]), or as a fall ([1])
	bool pin_sure; ///< true if noise cannot explain a rise since the pin (the approved run)
	int64_t spread; ///< standard deviation of single runs, in the metric's unit; 0 if not known
	bool of_all; ///< true if the figure is of an operator, category or kernel that rose by about as
	             ///< many percent as all operators together: one check then reports the change for
	             ///< all of them

	/// For a kernel: the decision on its whole operator or category. The time of this includes the
	/// kernels that this kernel replaced. NULL if none is known: the kernel is then judged by
	/// itself
	const struct decision *unit;
	int64_t net; ///< with `unit`: the candidate's value, less the time that the kernel took over
	             ///< from other kernels
	bool net_sure; ///< with `unit`: true if noise cannot explain the change to the value `net`
	bool plans; ///< true to find what would make the change sure, even if it is within the limits
	int64_t unit_change; ///< change of the kernel's operator or category, in ns per step
};

/// The reason for a verdict.
enum reason {
	REASON_LIMIT, ///< fail or warn: the change is beyond `limit`; improved: a change for the better
	              ///< is beyond it
	REASON_WITHIN, ///< pass: the change is within the limits
	REASON_TOLD, ///< skipped: other checks already say the same
	REASON_SPOILED,
	REASON_MIXED, ///< inconclusive: the figure has units on the two sides that measure different
	              ///< things
	REASON_UNFORMED, ///< inconclusive or warn: a limit cannot be computed, such as one in percent
	                 ///< of 0 or of an unknown figure
	REASON_ZERO, ///< inconclusive: the figure fell to 0 (in result files, or below 0). Limits in
	             ///< percent cannot tell whether such a figure is perfect or was not measured
	REASON_ABSENT, ///< missing, warn or skipped: one side or both sides lack the figure
	REASON_NEW, ///< with for_each, or in result files: only the candidate has the item
	REASON_GONE, ///< with for_each: only the baseline has the item
	REASON_HIDDEN, ///< with for_each: on one side the item may be a kernel too small to be listed
	REASON_NOISE, ///< undecided or warn: the change is beyond the fail `limit`, but may be noise
	REASON_OF_ALL, ///< pass, or warn for a kernel: the change is beyond the fail `limit`, but all
	               ///< operators changed by as much
	REASON_SUBSTITUTE, ///< warn: the kernel's change is beyond `limit`, but its net change is not
	REASON_NET, ///< undecided or warn: the kernel's change is beyond the fail `limit`, but noise
	            ///< may hide that other kernels of its operator or category fell by as much
	REASON_SHOWN, ///< undecided or warn: the change is beyond the fail `limit`, but some runs of
	              ///< main were as far from their median
	REASON_UNCONFIRMED, ///< warn: the change is beyond the fail `limit`, but a run of the change is
	                    ///< within it, or a control run is beyond it, too
	REASON_BOOTSTRAP, ///< there is no baseline yet: skipped, or pass if the rule has absolute
	                  ///< limits and all are kept
};

/// The verdict on a check, and what decided it. Limits are borrowed from the rules.
struct decision {
	enum verdict verdict;
	/// reason of the verdict; for a waived check, the reason without the waiver
	enum reason reason;
	const struct limits *map; ///< the rule's limits (fail or warn) that led to the verdict, which
	                          ///< contain `limit`; NULL if none did
	/// the limit that the change is beyond or, for an improved figure, that an equal change for the
	/// worse would be beyond; NULL if there is no such limit
	const struct limit *limit;
	bool since_pin; ///< true if the change since the pin (the approved run) decided the verdict;
	                ///< false if the change since the baseline's value (the median of main's runs)
	                ///< did
};

/// True if the rule limits changes since the pin (the approved run), and no other changes. Absolute
/// limits, `max` and `min`, do not count.
bool compare_is_since_pin(const struct rule *rule);

/// Decide one check. A waiver excuses failed and undecided checks; with a size (`waived_up_to`),
/// only those whose change in percent is known and at most that size. The arithmetic is exact
/// (integers and rationals), and "beyond" means strictly greater.
struct decision compare(const struct comparison *c);

#endif
