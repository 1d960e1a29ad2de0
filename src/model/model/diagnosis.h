/// Data types for the diagnosis of a run: what limits its speed, and advice.
#ifndef GG_MODEL_DIAGNOSIS_H
#define GG_MODEL_DIAGNOSIS_H

#include "base/span.h"
#include "model/view.h"

/// What limits the speed of a run.
#define SINGLE_BOUNDS(X)                                                                        \
	X(BOUND_UNKNOWN, "unknown")                                                                 \
	X(BOUND_COMPUTE, "compute")                                                                 \
	/* limited by memory: by kernels that wait for data more than for arithmetic, and by copies \
	   and memory sets that no other work hides */                                              \
	X(BOUND_MEMORY, "memory")                                                                   \
	/* limited by kernels so short or small that neither memory nor arithmetic limits them */   \
	X(BOUND_LATENCY, "latency")                                                                 \
	X(BOUND_LAUNCH, "launch")                                                                   \
	X(BOUND_COMMUNICATION, "communication")                                                     \
	X(BOUND_SYNCHRONIZATION, "synchronization")                                                 \
	X(BOUND_INPUT, "input")
#define BOUNDS(X) SINGLE_BOUNDS(X) X(BOUND_MIXED, "mixed")
enum bound { BOUNDS(ENUM_VALUE) NR_BOUNDS };

/// How certain a classification or a recommendation is.
#define CONFIDENCES(X)             \
	X(CONFIDENCE_LOW, "low")       \
	X(CONFIDENCE_MEDIUM, "medium") \
	X(CONFIDENCE_HIGH, "high")
enum confidence { CONFIDENCES(ENUM_VALUE) };

/// A figure of the run, the share of one figure in another, or one figure divided by another.
struct diagnosis_figure {
	struct query query;
	enum figure_form { FORM_PLAIN, FORM_OF, FORM_PER } form;
	struct query other; ///< the second figure; only with FORM_OF and FORM_PER
};

/// One condition of a rule of diagnosis. It does not hold if the run lacks the figure.
struct diagnosis_condition {
	enum bound bound; ///< bound that the run must have; NR_BOUNDS: the condition is on `figure`
	struct diagnosis_figure figure; ///< used only if `bound` is NR_BOUNDS
	bool above; ///< true if the figure must be above `value`; false if it must be below
	int64_t value; ///< threshold in the unit of the figure; in 1e-6 % for a share (FORM_OF)
};

/// Advice to the user, which can save at most `saves_ns` per step.
struct recommendation {
	const char *id, *title;
	int64_t saves_ns; ///< saving per step; -1 if unknown
	const char *saves_text; ///< the saving as text, such as "up to 4.20 ms (11.00 %) per step"; ""
	                        ///< if unknown

	/// Texts. `confirm` names the metric that would confirm the hypothesis, and `ask` says what to
	/// record to find out; either may be "".
	const char *observation, *hypothesis, *action, *confirm, *ask;
	enum confidence confidence;
	bool tells_idle; ///< true if the advice explains why the GPU is idle
	bool of_rows; ///< true if the advice is based on samples of steps and rows of functions, both
	              ///< of which a stored baseline may lack
};

/// A row of rules/diagnosis.yaml.
struct diagnosis_rule {
	/// The advice. Its observation, hypothesis and action may have the placeholders {METRIC},
	/// {METRIC of METRIC} and {METRIC per METRIC}, which become figures, and {step}.
	struct recommendation advice;
	VEC(struct diagnosis_condition) when; ///< conditions, all of which must hold for the advice
	struct query saves; ///< query for a time per step, a part of which could be saved; its metric
	                    ///< is NULL if there is no such query
	int64_t saves_share; ///< the part of this time that could be saved, in 1e-6 %
};

/// The rules of diagnosis, in the order of their file.
struct diagnosis_rules {
	struct arena arena; ///< arena that holds all texts of the rules
	VEC(struct diagnosis_rule) list;
};

/// A run is BOUND_MIXED if a second bound explains at least this share of the wall time (1e-6 %).
#define BOUND_BESIDE INT64_C(25000000)

/// Names of the parts of a step's wall time, indexed by enum step_part; static.
extern const char *const step_part_names[NR_STEP_PARTS];

/// The result of classifying a run: what it is bound by, and why.
struct classification {
	enum bound bound;
	enum confidence confidence;
	bool busy; ///< true if `bound` is BOUND_COMPUTE only because kernels run, while it is unknown
	           ///< what limits the kernels
	int64_t share[NR_BOUNDS]; ///< share of the wall time that each bound explains, in 1e-6 %
	int64_t part[NR_STEP_PARTS]; ///< share of each part in the wall time, 1e-6 %; all 0 if unknown
	VEC(const char *) evidence; ///< sentences that say why `bound` was chosen
	VEC(const char *) missing; ///< sentences on what to record to know more
};

/// Names of enum bound ("compute", "launch", …) and enum confidence ("low", …), ended by NULL;
/// static.
extern const char *const bound_names[];
extern const char *const confidence_names[];

/// The query for `m` in rules of diagnosis. It selects no labels: a metric without labels has one
/// answer, for the run, and a metric with labels has one answer for each label.
struct query diagnosis_query(const struct metric *m);

/// Moves `*text` to the first byte after its next placeholder. `literal` becomes the text before
/// the placeholder, `inside` the text in its braces. If no placeholder is left, moves `*text` to
/// the end of the text, and `inside->p` becomes NULL. False if `*text` is already at the end.
bool placeholder_next(const char **text, struct span *literal, struct span *inside);

/// True for the placeholder {step}, which is replaced by "step", or by "window" if the run has no
/// steps.
bool placeholder_is_step(struct span inside);

/// Sets `out` to the figure that the placeholder {inside} of the rule `r` names. If the rule has a
/// condition on the same metric, the figure is restricted by the condition's `select`. False if a
/// metric is unknown; `*unknown` is then its name.
bool placeholder_figure(const struct diagnosis_rule *r, struct span inside,
                        struct diagnosis_figure *out, struct span *unknown);

/// Releases all memory of the rules.
void diagnosis_rules_release(struct diagnosis_rules *r);

#endif
