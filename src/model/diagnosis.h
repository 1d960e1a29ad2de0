/// What a run is bound by, and what could be done about it: plain nouns.
#ifndef GG_MODEL_DIAGNOSIS_H
#define GG_MODEL_DIAGNOSIS_H

#include "model/view.h"

enum bound {
	BOUND_UNKNOWN,
	BOUND_COMPUTE,
	BOUND_MEMORY, ///< memory operations (copies, sets) that nothing hides
	BOUND_LAUNCH,
	BOUND_COMMUNICATION,
	BOUND_SYNCHRONISATION,
	BOUND_INPUT,
	BOUND_MIXED,
	NR_BOUNDS
};

enum confidence { CONFIDENCE_LOW, CONFIDENCE_MEDIUM, CONFIDENCE_HIGH };

/// A figure of the run, the share of one in another, or one over another.
struct diagnosis_figure {
	struct query query;
	enum figure_form { FORM_PLAIN, FORM_OF, FORM_PER } form;
	struct query other; ///< of FORM_OF and FORM_PER
};

/// One condition of a rule of diagnosis. Where the run lacks a figure it does not hold.
struct diagnosis_condition {
	enum bound bound; ///< the run is bound by it, mixed or not; NR_BOUNDS: not asked
	struct diagnosis_figure figure; ///< where `bound` is not asked
	bool above; ///< else below
	int64_t value; ///< in the unit of the figure; 1e-6 % of FORM_OF
};

/// A row of rules/diagnosis.yaml.
struct diagnosis_rule {
	const char *id, *title;
	VEC(struct diagnosis_condition) when; ///< all must hold
	struct query saves; ///< time per step that could be saved; metric NULL unknown
	int64_t saves_share; ///< of it, 1e-6 %
	/* each may hold {METRIC}, {METRIC of METRIC}, {METRIC per METRIC}: figures; and {step} */
	const char *observation, *hypothesis, *action;
	const char *confirm; ///< metric that would confirm it
	const char *ask; ///< artifact that would settle it; "" none
	enum confidence confidence;
};

struct diagnosis_rules {
	struct arena arena; ///< owns all texts
	VEC(struct diagnosis_rule) list;
};

/// From so much of the wall time on, in 1e-6 %, a class counts beside another.
#define BOUND_BESIDE INT64_C(25000000)

/// Words of the parts of a step's wall time, by enum step_part; static.
extern const char *const step_part_names[NR_STEP_PARTS];

/// What the run is bound by, and why.
struct classification {
	enum bound bound;
	enum confidence confidence;
	int64_t share[NR_BOUNDS]; ///< of the wall time, 1e-6 %, by what explains it
	int64_t part[NR_STEP_PARTS]; ///< shares of the wall time, 1e-6 %; all 0: not known
	VEC(const char *) evidence; ///< sentences
	VEC(const char *) missing; ///< what would have to be recorded to know more
};

/// Something to do, worth at most `saves_ns` a step.
struct recommendation {
	const char *id, *title;
	int64_t saves_ns; ///< -1 unknown
	const char *saves_text; ///< "up to 4.20 ms (11.00 %) per step"; "" unknown
	const char *observation, *hypothesis, *action, *confirm, *ask; ///< `ask` "" none
	enum confidence confidence;
	bool tells_idle; ///< it says what the GPU waits for: it is not unexplained then
	bool of_rows; ///< rests on rows and samples that a stored baseline may lack
};

/// "compute", "launch", …; "low", "medium", "high"; ended by NULL; static.
extern const char *const bound_names[];
extern const char *const confidence_names[];

/// The query of `m` without labels, as rules of diagnosis ask it: one answer for the run, of
/// metrics with labels one for each.
struct query diagnosis_query(const struct metric *m);

/// Cut the next piece off `*text`: `literal`, and in `inside` what stands in the braces
/// behind it (p NULL where the text ends). False at the end.
bool placeholder_next(const char **text, struct span *literal, struct span *inside);

/// {step}: "step", or "window" where the run has none.
bool placeholder_is_step(struct span inside);

/// The figure that `inside` of a text of `r` names, narrowed as in the conditions that have
/// its metrics. False where `*unknown` is not a metric.
bool placeholder_figure(const struct diagnosis_rule *r, struct span inside,
                        struct diagnosis_figure *out, struct span *unknown);

/// Give the memory back.
void diagnosis_rules_release(struct diagnosis_rules *r);

#endif
