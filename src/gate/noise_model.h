/// How runs of unchanged code differ, from all runs that are known.
///
/// Figures are logarithms (percentages shares of 1). What run i says of operator j is m_i + r_ij:
/// m_i, the median over operators, is the machine's, r_ij the operator's own. Every variance is
/// drawn towards what like figures have in common (Smyth 2004), so that one run says something.
#ifndef GG_GATE_NOISE_MODEL_H
#define GG_GATE_NOISE_MODEL_H

#include "diff/bench.h"
#include "diff/units.h"
#include "gate/noise_math.h"
#include "model/rule.h"

struct noise_model {
	struct bench *bench;
	double alpha[NR_FAMILIES]; ///< chance of a false alarm that a check of the family may have
	enum unit_kind kind; ///< of the units
	struct entries units; ///< what is judged of GPU time; owned, their texts by the bench
	double *machine; ///< by column: m_i, NAN where it is not known
	double shift; ///< how far all units have moved together, from the reference to the candidate
	double rest; ///< median over units of what they have moved beside that
	struct noise_prior own; ///< of an operator's own variance
	double mean_own; ///< mean of the own variances
	int64_t tick; ///< of the clock of the GPU activities, in ns; 0: 1 ns, or unknown
	double own_in_sum; ///< part of one that is left in the sum of all operators
	double shared; ///< part of the machine's variance that repeats of the candidate have in common
	bool has_machine; ///< the rules ask for a figure of the machine, which has what all did
};

/// What is known of the change of one figure.
struct estimate {
	bool known;
	double by; ///< from the reference to the candidate
	double own; ///< of it, what the other operators did not do as well; else all of it
	double variance; ///< of one run
	double shared; ///< part of it that repeats have in common
	double baseline; ///< variance of the reference's center over that of a run
	double pair; ///< variance of one pair of candidate and control
	double se, df;
};

/// Model of the runs of `b`, judged by `rules`; both outlive it. Caller releases.
void noise_model_init(struct noise_model *m, struct bench *b, const struct rules *rules);

/// Give the memory back.
void noise_model_release(struct noise_model *m);

/// The change of `e`, an answer to a query for `metric`; `since_pin`: only since the pin.
struct estimate noise_estimate(const struct noise_model *m, const struct entry *e,
                               const struct metric *metric, bool since_pin);

/// Unit of that name, or NULL.
const struct entry *noise_unit(const struct noise_model *m, struct span label);

#endif
