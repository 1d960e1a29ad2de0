/// The rules file, as read and checked.
#ifndef GG_MODEL_RULE_H
#define GG_MODEL_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "model/metric.h"
#include "model/view.h"

enum condition { COND_INCREASE, COND_DECREASE, COND_CHANGE, COND_MAX, COND_MIN };
enum level { LEVEL_NOTE, LEVEL_WARN, LEVEL_FAIL };
enum on_missing { ON_MISSING_FAIL, ON_MISSING_WARN, ON_MISSING_SKIP };

/// One condition of a fail or warn map.
struct limit {
	enum condition condition;
	bool relative; ///< `value` is 1e-6 percent of the baseline
	int64_t value; ///< else in the metric's unit (percentage points: 1e-6)
	const char *text; ///< as written: "5%", "2ms"
};

/// The alternatives of one fail or warn map.
struct limits {
	VEC(struct limit) list;
	bool has_and; ///< binds to increase and decrease that are relative
	bool and_of_step; ///< `and_value` is 1e-6 percent of the baseline's step.cuda_time
	int64_t and_value; ///< else in the metric's unit
	const char *and_text; ///< NULL without one
};

struct rule {
	const char *id;
	const struct metric *metric;
	enum statistic stat;
	enum worse worse; ///< the metric's, or what `better:` says
	enum reduce reduce; ///< the metric's, or what `ranks:` says
	struct query query; ///< metric, stat, reduce and the globs of `select`
	const char *select_text; ///< "kernel=ampere_*", "" for none
	bool for_each; ///< one check per item over the union of both sides' top N
	int64_t top; ///< of for_each, or of a PAIR metric; default 20
	int64_t min_share; ///< 1e-6 percent of kernel time on either side
	struct limits fail, warn;
	enum level on_new, on_gone; ///< default LEVEL_NOTE
	enum on_missing on_missing;
	unsigned line, column; ///< of the id in the file
};

struct rules {
	struct arena arena; ///< owns everything below
	const char *source; ///< path, or "built in"
	const char *workload; ///< "default" where the file does not say
	const char *baseline; ///< path pattern with {workload}, {gpu}, {world_size}
	int64_t expect_ranks; ///< 0: not said
	const char *marker; ///< NULL: not said, the default pattern
	int64_t warmup, min_steps; ///< -1: not said / default 0; min_steps default 1
	VEC(const char *) must_match, should_match; ///< environment keys
	enum on_missing on_missing;
	bool match_exact;
	VEC(struct alias) aliases;
	VEC(struct rule) rules;
};

/// The workload where neither rules nor command line name one.
#define DEFAULT_WORKLOAD "default"

/// The default step marker.
#define DEFAULT_MARKER "ProfilerStep#*"

/// Give the memory back.
void rules_release(struct rules *r);

#endif
