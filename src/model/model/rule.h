/// The content of a rules file, read and checked.
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

/// The quantity that a limit bounds: the change of a figure from the reference (the median of
/// recent runs of the main branch), or the figure itself (MAX, MIN). INCREASE_SINCE_PIN bounds the
/// change from the approved run. WORSE is for figures of result files (input.*): it bounds the
/// change in the direction that the file calls worse.
#define CONDITIONS(X)                                \
	X(COND_INCREASE, "increase")                     \
	X(COND_DECREASE, "decrease")                     \
	X(COND_CHANGE, "change")                         \
	X(COND_MAX, "max")                               \
	X(COND_MIN, "min")                               \
	X(COND_INCREASE_SINCE_PIN, "increase_since_pin") \
	X(COND_WORSE, "worse")
enum condition { CONDITIONS(ENUM_VALUE) };
extern const char *const condition_names[]; ///< names of enum condition, ended by NULL

/// Whether an item that only the baseline or only the candidate has is noted, warns or fails.
enum severity { SEVERITY_NOTE, SEVERITY_WARN, SEVERITY_FAIL };
/// Whether times are judged if a GPU was throttled. UNLESS_ALIKE, the default: only if the GPUs of
/// baseline and candidate ran at their power cap for about as long, and at about the same clock.
/// STRICT: never. WARNS: always, with a warning.
enum throttled { THROTTLED_UNLESS_ALIKE, THROTTLED_STRICT, THROTTLED_WARNS };

/// The verdict on a figure that the baseline or the candidate lacks.
enum on_missing { ON_MISSING_FAIL, ON_MISSING_WARN, ON_MISSING_SKIP };

/// An absolute limit on a figure of a result file, whose unit is known only once the file is read.
struct file_limit {
	struct decimal value;
	const char *unit; ///< unit as written in the rules; "" means the unit of the figure
};

/// One condition of a fail or warn map.
struct limit {
	enum condition condition;
	bool relative; ///< true: unit of `value` is 1e-6 percent of the baseline; else it is the unit
	               ///< of the metric
	int64_t value; ///< size of the limit; one percentage point is 1000000
	const char *text; ///< text as written in the rules, such as "5%" or "2ms"
	struct file_limit exact; ///< replaces `value` in absolute limits on result files (input.*)
};

/// Unit of an `and`, a second limit that a relative change must exceed too: the metric's unit,
/// 1e-6 % of step.cuda_time, or millionths of the standard deviation of single runs.
enum and_of { AND_OF_VALUE, AND_OF_STEP, AND_OF_SPREAD };

/// The conditions of one fail or warn map; any one of them is enough for the verdict.
struct limits {
	VEC(struct limit) list;
	bool own; ///< true if the user's rules, and not only the built-in ones, have these conditions
	bool has_and; ///< true if relative increases and decreases must also exceed an `and`
	enum and_of and_of;
	int64_t and_value; ///< size of the `and` limit, in the unit that and_of says
	const char *and_text; ///< text of the `and` as written; NULL if the map has none
	struct file_limit and_exact; ///< replaces `and_value` for result files (input.*)
};

/// Kernels that may replace a kernel that is gone: kernels of its operator, kernels of its
/// category, or no kernels.
enum substitutes { SUBSTITUTES_OPERATOR, SUBSTITUTES_CATEGORY, SUBSTITUTES_NONE };

/// The verdict on a change that is beyond its limit, but may be noise.
enum unsure { UNSURE_UNDECIDED, UNSURE_WARN };

/// What confirms a failure of a figure with noise: pairs with runs of the base (the code without
/// the change), or no further runs.
enum confirm { CONFIRM_PAIRS, CONFIRM_NEVER };

/// How changes are distinguished from noise.
struct noise_rule {
	int64_t k; ///< number of standard errors, in millionths, beyond which a change counts as
	           ///< certain; 0: noise is ignored

	/// From this number of accepted runs on, the reference is their median, without the pin (the
	/// approved run).
	int64_t min_runs;
	int64_t budget; ///< chance that the gate fails for unchanged code, in 1e-6 percent
};

/// Other limits of a rule for some of its items. If `fail` or `warn` is empty, the rule's own
/// limits apply.
struct rule_override {
	VEC(struct span) match; ///< patterns over names of items; at least one pattern
	struct limits fail, warn;
};

/// A rule: the figures that it checks, their limits, and how noise is treated.
struct rule {
	const char *id;
	const struct metric *metric;
	enum statistic stat;
	enum worse worse; ///< worse direction: the metric's, unless `better:` names another
	enum reduce reduce; ///< reduction over ranks: the metric's, unless `ranks:` names another
	struct query query; ///< metric, stat, reduce and the globs of `select`
	bool for_each; ///< true if each item in the top N of baseline or candidate gets a check of its
	               ///< own
	int64_t top; ///< number N of largest items that for_each or a PAIR metric (of two runs) uses
	int64_t min_share; ///< share of the total (1e-6 %) that an item needs in the baseline or the
	                   ///< candidate to be checked
	VEC(struct span) same_work; ///< names of settings and counts in which result files may differ
	VEC(struct span) except; ///< patterns over names of items that are not checked
	VEC(struct rule_override) overrides; ///< overrides; the first that matches an item counts

	/// metric of `unless`, or NULL: if the value of this metric is close to the checked value, the
	/// check is skipped
	const struct metric *unless;
	int64_t unless_within; ///< how close the two values must be, in 1e-6 % of the value of
	                       ///< `unless`; -1: at any distance
	struct limits fail, warn;
	enum severity on_new, on_gone;
	enum on_missing on_missing;
	enum substitutes substitutes; ///< kernels that count as replacements; only for kernel.* metrics
	enum unsure unsure;
	enum confirm confirm;
	struct noise_rule noise;
	unsigned line, column; ///< position of the rule's id in the file
	bool built_in; ///< true if the rule, or a part of it, is built in
	bool own; ///< true if the rule, or a part of it, is the user's
};

/// A known failure that is accepted until a date (`waivers`), or a growth that is allowed until a
/// date (`allow`).
struct waiver {
	/// true for an entry of `allow`; it has an `up_to`, and its `select` names a kernel, an
	/// operator, a module or, for memory, the metric
	bool allows;
	const char *rule; ///< glob that is matched with rule ids; "*" for `allow`
	struct query select; ///< globs that restrict the waiver; a glob that is NULL matches everything
	int64_t until; ///< last day on which the waiver holds, in days since 1970-01-01 (UTC)
	const char *until_text; ///< text of the last day, such as "2027-01-31"
	int64_t up_to; ///< largest change excused, in 1e-6 percent of the baseline; 0: any
	const char *reason;
	unsigned line, column;
};

/// A named set of numbers that replace numbers of the rules, for --profile.
struct profile {
	const char *name;
	const char *text; ///< keys and values, such as "steps.warmup 5, step-time.fail.increase 3%"
	const char *rules; ///< ids of the rules that change, with a space before and after each
};

/// Paths of tables that replace built-in ones; NULL if the built-in table is used.
struct table_paths {
	const char *categories, *sites, *formats, *diagnosis;
};

/// Path patterns of baselines: the default, and the pattern for baselines of further GPUs or world
/// sizes in the folder that --history names.
#define DEFAULT_BASELINE "baselines/{workload}.json"
#define BASELINE_OF_MACHINE "baselines/{workload}-{gpu}-{world_size}.json"

/// A rules file with the built-in rules that it keeps; rules_release() releases it.
struct rules {
	struct arena arena; ///< arena that owns all texts of the rules
	const char *source; ///< path of the file, or "built in"
	const char *workload;
	const char *baseline; ///< path pattern of the baseline, with {workload}, {gpu}, {world_size}
	/// logins of the people who may approve a change; `ci/forge/accept` reads them
	VEC(struct span) approvers;
	struct table_paths tables;
	bool is_main; ///< true if the judged run is one of the main branch that is about to be stored
	bool in_review; ///< true if only a change under review is judged, not the main branch
	int64_t expect_ranks; ///< number of ranks that a run must have; 0 if not given
	const char *marker; ///< glob of the step marker; NULL if not given, which means DEFAULT_MARKER
	const char *unmarked; ///< UNMARKED_PERIOD or "window", how to find steps; NULL: "window"
	int64_t warmup; ///< number of first steps to leave out; -1 if not given, which means 0
	int64_t min_steps; ///< least number of measured steps; 0 if not given
	bool join_cycles; ///< true if traces of one rank with different steps are joined as one run
	bool outside_allowed; ///< true if most GPU time may lie outside of the steps
	/// Keys of the environment that are compared: a difference in must_match stops the gate, one in
	/// should_match warns.
	VEC(struct span) must_match, should_match;
	bool no_environment; ///< true for a file (version 1) that does not say which keys to compare
	enum throttled throttled;
	enum on_missing on_missing;
	struct noise_rule noise; ///< noise settings for rules that have none of their own
	struct result_formats results; ///< formats of result files that the rules define
	bool match_exact; ///< true if kernels are compared by their raw names, not match names
	VEC(struct alias) aliases;
	VEC(struct category_addition) categories; ///< substrings to be added to categories
	VEC(struct rule) rules;
	VEC(struct waiver) waivers;
	VEC(struct profile) profiles;
	const char *profile; ///< name of the profile that was applied; NULL if there is none
};

/// Name of the workload if it is set neither in the rules nor on the command line.
#define DEFAULT_WORKLOAD "default"

/// True for conditions that consider noise: those on increases and decreases, and COND_WORSE, which
/// is judged as one of these.
static inline bool condition_has_noise(enum condition c)
{
	return c == COND_INCREASE || c == COND_DECREASE || c == COND_INCREASE_SINCE_PIN ||
	       c == COND_WORSE;
}

/// True for limits on the figure itself, which need no baseline.
static inline bool limit_is_absolute(const struct limit *l)
{
	return l->condition == COND_MAX || l->condition == COND_MIN;
}

/// The default step marker.
#define DEFAULT_MARKER "ProfilerStep#*"

/// True if a `fail` limit of the rule or of an override considers noise.
bool rule_asks_noise(const struct rule *r);

/// True if all limits that the user's own rules set are absolute (`max`, `min`), so that they need
/// no baseline; false if the user has no rules.
bool rules_are_absolute(const struct rules *rules);

/// True if a limit of the rule compares with a baseline.
bool rule_compares(const struct rule *r);

/// True if an `and` of the rule or of an override is a share of the step.
bool rule_asks_step(const struct rule *r);

/// A sentence on the waiver, such as "until 2027-01-31, up to 20%: cuBLAS regression, issue 1234",
/// owned by `a`.
const char *waiver_text(const struct waiver *w, struct arena *a);

/// Releases all memory of the rules.
void rules_release(struct rules *r);

/// A list of names; sorted and without duplicates after names_finish().
struct names {
	VEC(struct span) list;
};

/// Appends the items (kernels, operators, …) of the view `v` that `rule` checks: with `for_each`
/// the `top` largest, otherwise all items that the rule selects; for a PAIR metric the `top`
/// largest kernels. Names are borrowed from the view; `a` is scratch memory.
void rule_items_add(const struct run_view *v, const struct rule *rule, int64_t top, struct arena *a,
                    struct names *out);

/// Sorts the names and removes duplicates.
void names_finish(struct names *n);

/// True if the list holds `name`. Call names_finish() before.
bool names_has(const struct names *n, struct span name);

#endif
