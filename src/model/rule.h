/// The rules file, as read and checked.
#ifndef GG_MODEL_RULE_H
#define GG_MODEL_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/decimal.h"
#include "base/vec.h"
#include "metric/metric.h"
#include "metric/result_format.h"
#include "model/view.h"

enum condition {
	COND_INCREASE,
	COND_DECREASE,
	COND_CHANGE,
	COND_MAX,
	COND_MIN,
	COND_INCREASE_SINCE_PIN, ///< as COND_INCREASE, from the pin instead of the reference
	COND_WORSE, ///< of input.*: increase or decrease, as the figure of the file says
};
enum level { LEVEL_NOTE, LEVEL_WARN, LEVEL_FAIL };
enum on_missing { ON_MISSING_FAIL, ON_MISSING_WARN, ON_MISSING_SKIP };

/// An absolute limit on a figure of a file, whose unit is only known with the file.
struct file_limit {
	struct decimal value;
	const char *unit; ///< as written; "": in the unit of the figure
};

/// One condition of a fail or warn map.
struct limit {
	enum condition condition;
	bool relative; ///< `value` is 1e-6 percent of the baseline
	int64_t value; ///< else in the metric's unit (percentage points: 1e-6)
	const char *text; ///< as written: "5%", "2ms"
	struct file_limit exact; ///< of input.*, unless relative: `value` is not of its unit
};

/// The alternatives of one fail or warn map.
struct limits {
	VEC(struct limit) list;
	bool has_and; ///< binds to increase and decrease that are relative
	bool and_of_step; ///< `and_value` is 1e-6 percent of the baseline's step.cuda_time
	int64_t and_value; ///< else in the metric's unit
	const char *and_text; ///< NULL without one
	struct file_limit and_exact; ///< of input.*
};

/// What takes the place of a kernel.
enum substitutes { SUBSTITUTES_OPERATOR, SUBSTITUTES_CATEGORY, SUBSTITUTES_NONE };

/// What a change beyond a limit is that cannot be told from noise.
enum unsure { UNSURE_UNDECIDED, UNSURE_WARN };

/// What is noise.
struct noise_rule {
	int64_t k; ///< 1e-6: standard errors that a change has at least to be sure; 0: noise is not
	           ///< looked at
	int64_t min_runs; ///< accepted runs after the pin from which on they alone are the reference
	int64_t budget; ///< of the whole gate, 1e-6 percent: chance that unchanged code fails
};

/// Limits of some of the items of for_each. A map without limits leaves those of the rule.
struct rule_override {
	VEC(struct span) match; ///< patterns over names of items; at least one
	struct limits fail, warn;
};

struct rule {
	const char *id;
	const struct metric *metric;
	enum statistic stat;
	enum worse worse; ///< the metric's, or what `better:` says
	enum reduce reduce; ///< the metric's, or what `ranks:` says
	struct query query; ///< metric, stat, reduce and the globs of `select`
	bool for_each; ///< one check per item over the union of both sides' top N
	int64_t top; ///< of for_each, or of a PAIR metric
	int64_t min_share; ///< 1e-6 percent of kernel time on either side
	VEC(struct span) except; ///< patterns over names of items that are not checked
	VEC(struct rule_override) overrides; ///< the first that fits an item counts
	const struct metric *unless; ///< not judged where this one says the same; NULL: always judged
	int64_t unless_within; ///< 1e-6 percent of the other figure; -1: wherever that is known
	struct limits fail, warn;
	enum level on_new, on_gone;
	enum on_missing on_missing;
	enum substitutes substitutes; ///< of kernel.* metrics
	enum unsure unsure;
	struct noise_rule noise;
	unsigned line, column; ///< of the id in the file
};

/// A failure that is known and accepted until a date.
struct waiver {
	const char *rule; ///< glob over rule ids
	struct query select; ///< globs only; NULL where any will do
	int64_t until; ///< last day it holds, days since 1970-01-01 (UTC)
	const char *until_text; ///< "2027-01-31"
	int64_t up_to; ///< 1e-6 percent of the baseline: largest change that it excuses; 0: however far
	const char *reason;
	unsigned line, column;
};

/// Numbers of the rules under a name, for --profile.
struct profile {
	const char *name;
	const char *text; ///< "steps.warmup 5, step-time.fail.increase 3%"
};

struct rules {
	struct arena arena; ///< owns everything below
	const char *source; ///< path, or "built in"
	const char *workload;
	const char *baseline; ///< path pattern with {workload}, {gpu}, {world_size}
	bool in_review; ///< a change under review is judged: what main does already is not its fault
	int64_t expect_ranks; ///< 0: not said
	const char *marker; ///< NULL: not said, the default pattern
	const char *unmarked; ///< UNMARKED_PERIOD or "window"; NULL: not said, "window"
	int64_t warmup; ///< -1: not said, 0
	int64_t min_steps; ///< 0: not said
	VEC(struct span) must_match, should_match; ///< environment keys
	bool throttled_warns; ///< a run whose GPUs were throttled is judged all the same
	enum on_missing on_missing;
	struct noise_rule noise; ///< of rules that do not say
	struct result_formats results; ///< of files of the user's own
	bool match_exact;
	VEC(struct alias) aliases;
	VEC(struct category_addition) categories; ///< what is added to those of the table
	VEC(struct rule) rules;
	VEC(struct waiver) waivers;
	VEC(struct profile) profiles;
	const char *profile; ///< that was applied; NULL none
};

/// The workload where neither rules nor command line name one.
#define DEFAULT_WORKLOAD "default"

/// True where noise is looked at: increases, decreases and what becomes one of them.
static inline bool condition_has_noise(enum condition c)
{
	return c == COND_INCREASE || c == COND_DECREASE || c == COND_INCREASE_SINCE_PIN ||
	       c == COND_WORSE;
}

/// The default step marker.
#define DEFAULT_MARKER "ProfilerStep#*"

/// Name of condition number `i` as the rules file writes it, NULL past the last.
const char *condition_name(size_t i);

/// True where a limit of `fail`, of the rule or of an override, asks for noise.
bool rule_asks_noise(const struct rule *r);

/// True where an `and`, of the rule or of an override, is a share of the step.
bool rule_asks_step(const struct rule *r);

/// "until 2027-01-31, up to 20%: cuBLAS regression, issue 1234", owned by `a`.
const char *waiver_text(const struct waiver *w, struct arena *a);

/// Give the memory back.
void rules_release(struct rules *r);

#endif
