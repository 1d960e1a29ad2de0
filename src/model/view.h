/// What rules see of a run: kernel names normalized, aliased and categorized,
/// and one way to ask for any figure. Digests stay as they are.
#ifndef GG_MODEL_VIEW_H
#define GG_MODEL_VIEW_H

#include "base/intern.h"
#include "model/category.h"
#include "model/digest.h"

struct alias {
	struct span match; ///< glob over the match name
	struct span as;
};

/// How names are looked at; everything is borrowed from rules and categories.
struct naming {
	bool exact; ///< kernels.match: exact
	const struct alias *aliases;
	size_t nr_aliases;
	const struct category_table *categories;
};

/// One kernel under its match name: sums over the raw names that share it.
struct kernel_row {
	struct span match; ///< normalized, then aliased; lives as long as the view and its run
	struct span name; ///< the raw name with the most time
	int category; ///< index in the table, -1 none
	enum category_class cls; ///< communication is what the digest took for it
	int raw_names; ///< how many were merged
	struct kernel_stat stat; ///< sums; shape of the raw name with the most time
};

/// A rank as rules see it.
struct rank_view {
	const struct digest *digest;
	struct kernel_row *kernels; ///< kind kernel only, sorted by match
	size_t nr_kernels;
	size_t nr_folded; ///< rows behind them: sums of kernels too small to keep, one per category
	int64_t folded_ns, folded_count; ///< of those, over the steps
	int64_t folded_most; ///< ns per step: a kernel with more is in none of them
	const struct cross_rank *cross; ///< what all ranks together say of it
};

struct known_names;

struct run_view {
	struct arena arena;
	const struct naming *naming;
	const struct run *run;
	struct known_names *known; ///< names of kernels that have been looked at
	struct rank_view *ranks; ///< run->ranks.nr
	struct name_table *labels; ///< of figures that are composed; filled as they are asked for
	const struct metric **inputs; ///< one for each figure of files, by name, in its own unit
	size_t nr_inputs;
	size_t merged_names; ///< raw names that were merged into another, all ranks
};

/// Build the view of `run`, which it borrows together with `naming`.
void run_view_init(struct run_view *v, const struct run *run, const struct naming *naming);

/// Give the figures of files of all `nr` views the same units, so that values of one name can be
/// compared; each has as many decimal places as the values of all runs allow. Owned by `a`.
void run_views_align(struct run_view *v, size_t nr, struct arena *a);

/// The metric that a figure of `m` is of: that of the file's figure `label` (empty: the one that
/// `m` names) if `m` is of files, else `m`.
const struct metric *view_metric(const struct run_view *v, const struct metric *m,
                                 struct span label);

/// Give the memory back, before the run is released.
void run_view_release(struct run_view *v);

/// The match name of a kernel name (rules.md, metrics.md: "match name"): of
/// `triton_…` trailing `_<n>` groups, `0x…` addresses, a trailing `_` and 8 or
/// more hex digits are removed. Owned by `a`, or `name` itself.
struct span kernel_match_name(struct arena *a, struct span name);

/// The same as `n` has it: as it is where it says exact; then aliased. Owned by `a`,
/// `name` itself or borrowed from `n`.
struct span naming_match(const struct naming *n, struct arena *a, struct span name);

/// The same for a kernel of the run of `v`, found once for all ranks; lives as long as the view.
struct span view_match(const struct run_view *v, struct span name);

/// One figure of one rank: a sample per step, or a single value.
struct figure {
	const struct metric *metric;
	int64_t rank;
	struct span label; ///< kernel, device, … as metric->label says; of step.* the phase; or empty
	const int64_t *samples; ///< in the metric's unit; borrowed from digest or scratch
	size_t nr; ///< 0 where only `summary` is known
	const int64_t *steps; ///< of step.*: the numbers of the steps
	size_t nr_all; ///< of step.*: samples and steps, with those of a last step cut short
	const int64_t *summary; ///< by enum statistic, of a rank whose samples are not kept; else NULL
	const struct kernel_row *kernel; ///< kernel metrics only
	const struct function_stat *function; ///< function metrics only: the first row of that label
	const char *source; ///< memory metrics: that of struct memory_stat; else NULL
};

/// Append the label of a kind of collective: "all_reduce@default_pg". Raw bytes.
void comm_label(const struct comm_stat *c, struct strbuf *out);

/// Label of the direction of a copy: "HtoD", "other". Static.
struct span memcpy_direction(struct span name);

/// Receives figures; `samples` is valid during the call only.
typedef void figure_fn(void *ctx, const struct figure *f);

/// All figures of metric `m` (not PAIR) in rank `r`, labels in ascending
/// order. None where the trace has nothing of the kind.
void rank_figures(const struct run_view *v, size_t r, const struct metric *m, figure_fn *fn,
                  void *ctx);

/// The same in the phases that the glob `phase` names, of a metric with PARTS_CODE; with `cls` of
/// kernels of that class only, without copies.
void rank_code_figures(const struct run_view *v, size_t r, const struct metric *m,
                       const char *phase, const char *cls, figure_fn *fn, void *ctx);

/// A path of operators or modules as people read it, "Llama > Attention"; lives as long as the
/// view.
struct span code_path_label(const struct run_view *v, struct span path);

/// True where what `m` needs was recorded by at least one rank.
bool run_has(const struct run_view *v, const struct metric *m);

/// Ranks that are meant; all zero: any.
struct rank_scope {
	const char *glob; ///< over their numbers; NULL: any
	bool one; ///< only `rank`
	int64_t rank;
};

/// True where rank `rank` is meant.
bool rank_scope_has(struct rank_scope s, int64_t rank);

/// Which figures a rule wants. Globs, NULL where any will do; `cls` is "compute"
/// (all but communication) or "communication".
struct query {
	const struct metric *metric;
	enum statistic stat;
	enum reduce reduce; ///< over devices, then ranks
	const char *kernel, *category, *cls, *op, *rank, *device, *memory, *direction, *thread,
	    *collective, *function, *phase, *counter, *module, *range, *place;
};

/// One answer: `label` as in struct figure; `rank` -1 unless reduce is EACH and
/// the run has several ranks.
struct answer {
	struct span label;
	int64_t rank;
	int64_t value;
};
struct answers {
	VEC(struct answer) list; ///< ordered by label, then rank
};

/// True where the labels of `f` fit the globs of `q`; of the rank nothing is asked.
bool figure_is_selected(const struct run_view *v, const struct query *q, const struct figure *f);

/// Whether a query for the class `name` wants kernels of `cls`: compute is all that is not
/// communication, as in step.compute_time; NULL is every class.
bool class_is_asked(const char *name, enum category_class cls);

/// Statistic over steps, then over devices, then over ranks. DEVICE and MEMORY
/// labels are reduced away unless reduce is EACH or the query selects them.
/// PAIR metrics give nothing here. `category` narrows kernels too. Labels are
/// borrowed from the view; `a` is scratch. Caller: vec_release(&out->list).
void run_query(const struct run_view *v, const struct query *q, struct arena *a,
               struct answers *out);

#endif
