/// A model of how much runs of unchanged code differ, estimated from all known runs.
///
/// The model uses the logarithm of a figure, but a percentage as a share of 1. The value of
/// operator j in run i is m_i + r_ij. The machine's component m_i is the median, over all
/// operators, of how far their values are from their usual levels; r_ij is the operator's own
/// component. Every variance is shrunk towards the variance of similar figures (Smyth 2004); one
/// run can then be enough to estimate it.
#ifndef GG_GATE_NOISE_MODEL_H
#define GG_GATE_NOISE_MODEL_H

#include "diff/bench.h"
#include "diff/units.h"
#include "gate/noise_math.h"
#include "model/rule.h"

/// The model; made by noise_model_init().
struct noise_model {
	struct bench *bench;
	double alpha[NR_FAMILIES]; ///< false-alarm probability of one check, indexed by enum family
	enum unit_kind kind; ///< whether the entries of `units` are operators or categories
	struct entries units; ///< operators or categories whose GPU time shows noise; the model owns
	                      ///< the list, `bench` the texts in it
	double *machine; ///< the machine's component m_i of each run, indexed by column; NAN if unknown
	double shift; ///< median, over all operators, of the change from the baseline's runs to the
	              ///< candidate's, as a difference of logarithms; with pairs of runs, the mean
	              ///< difference of `machine` within a pair
	double rest; ///< like `shift`, but only of the operators' own components (r_ij), without the
	             ///< machine's
	struct noise_prior own; ///< prior (noise_prior_of()) for the variance of the operators' own
	                        ///< components
	double mean_own; ///< mean variance of the operators' own components
	int64_t tick; ///< tick of the clock of GPU activities in ns; 0 if it is 1 ns or unknown
	double own_in_sum; ///< share of the variance of the operators' own changes that remains in the
	                   ///< sum over all operators, in which independent changes partly cancel out
	double shared; ///< share of the machine's variance that the candidate's runs have in common
	bool busy; ///< true if the GPUs of both sides are busy for more than 95 % of the steps' periods
	bool has_machine; ///< true if rules check the GPU time of whole steps (FAMILY_MACHINE), which
	                  ///< shows what slows all operators. An operator is then judged by its change
	                  ///< in comparison with the others
};

/// Estimate of the change of one figure, as a difference of logarithms, and of its uncertainty.
struct estimate {
	bool known;
	double by; ///< change from the center of the baseline's runs to that of the candidate's
	double own; ///< for an operator, the change less what all operators have in common; for other
	            ///< figures, the whole change
	double variance; ///< variance of the figure between single runs
	double shared; ///< share of `variance` that repeated runs of the candidate have in common
	double baseline; ///< variance of the center of the baseline's runs, relative to the variance of
	                 ///< one run
	double pair; ///< variance of the difference between a run of the candidate and its control run
	double se, df; ///< standard error of `own`, and its degrees of freedom
};

/// Build the model of the runs of the bench `b`, judged by `rules`; both must outlive it. The
/// caller ends with noise_model_release().
void noise_model_init(struct noise_model *m, struct bench *b, const struct rules *rules);

/// Release the memory of the model.
void noise_model_release(struct noise_model *m);

/// Estimate the change of `e`, an entry of a query for `metric`, from the baseline's runs or, with
/// `since_pin`, from the approved run. The result's `known` is false if there is no estimate.
struct estimate noise_estimate(const struct noise_model *m, const struct entry *e,
                               const struct metric *metric, bool since_pin);

/// The operator or category with the name `label`, or NULL.
const struct entry *noise_unit(const struct noise_model *m, struct span label);

/// Fill m->units and m->kind: with operators or, if those that both sides have take less than half
/// of the compute time, with categories.
void noise_units_find(struct noise_model *m);

/// Noise of the operator or category `e` that the clock causes, as a share of the figure's time:
/// one tick per launch. 0 if the ticks are of 1 ns or unknown.
double noise_unit_tick(const struct noise_model *m, const struct entry *e);

/// Variance of the logarithm of `metric` that comes from taking only a few samples in a run: the
/// mean over all runs whose number of samples is known, 0 if there are none. Only figures of result
/// files have such samples; 0 for other metrics. `label` names the figure if the metric covers
/// several. Runs differ by more than this, since all samples of a run come from one machine.
double noise_of_samples(const struct bench *b, const struct metric *metric, struct span label);

/// For the share of slow steps, its variance p (1 - p) / n if steps are slow by chance; 0 for other
/// metrics. p is the share in all runs except the candidate's, with one slow step and one other
/// step added, since it must not be 0. n is the number of steps of the candidate's longest run.
double noise_of_share(const struct bench *b, const struct entry *e, const struct metric *metric);

#endif
