/// The view of a run: its figures as rules see them, with kernel names normalized, aliased and
/// categorized, and one query function for all figures. Digests stay unchanged.
#ifndef GG_MODEL_VIEW_H
#define GG_MODEL_VIEW_H

#include "base/intern.h"
#include "model/category.h"
#include "model/digest.h"
#include "names/short.h"

/// An alias of the rules: kernels whose name matches are judged under the name `as`.
struct alias {
	struct span match; ///< glob for the names of kernels, after they are normalized
	struct span as;
};

/// How names are normalized; everything is borrowed from rules and categories.
struct naming {
	bool exact; ///< true if the rules say `kernels.match: exact`
	const struct alias *aliases;
	size_t nr_aliases;
	const struct category_table *categories;
};

/// All kernels of one match name. By this name, rules match kernels, and kernels of two runs are
/// compared. The figures are sums over the raw names that have this match name.
struct kernel_row {
	struct span match; ///< name after normalization and aliases; lives as long as view and run
	struct span name; ///< the raw name with the most time
	int category; ///< index in the table of categories, -1 if there is none
	enum category_class cls; ///< communication if the digest counts the kernel as communication,
	                         ///< else the class of `category`
	int raw_names; ///< number of raw names in this row
	struct kernel_stat stat; ///< sums over the raw names; the launch shape is that of `name`
};

/// A GPU activity to which rows of digest.code refer.
struct activity_name {
	uint64_t key; ///< code_kernel_key() of the name; 0 if it is unknown
	struct span match; ///< name by which baseline and candidate are compared
	bool communicates; ///< true if the digest counts the kernel as communication
};

/// One rank in the view of a run.
struct rank_view {
	const struct digest *digest;
	struct kernel_row *kernels; ///< kernels (EVENT_KERNEL), sorted by `match`
	size_t nr_kernels;
	size_t nr_small; ///< number of rows in `kernels` after the first nr_kernels: sums of small
	                 ///< kernels, one for each category
	int64_t small_ns, small_count; ///< time and number of launches of the kernels in all sums of
	                               ///< small kernels, over the measured steps
	int64_t small_most; ///< largest time, in ns per step, that any kernel in the sums of small
	                    ///< kernels can have
	const struct cross_rank *cross; ///< figures that need the data of all ranks
	VEC(struct activity_name)
	activities; ///< activities that rows of digest.code refer to, sorted by key
};

/// The row of the kernel with the match name `match`; NULL if there is none.
const struct kernel_row *rank_view_kernel(const struct rank_view *r, struct span match);

/// The activity with the key `key`; all zero if the key is unknown, or 0.
struct activity_name rank_view_activity(const struct rank_view *r, uint64_t key);

struct known_names;

/// A view of a run. The run is borrowed. run_view_release() releases the view.
struct run_view {
	struct arena arena;
	const struct naming *naming;
	const struct run *run;
	struct run_view *kept; ///< view of the digests that a folded run keeps whole; else NULL
	struct known_names *known; ///< cache of the names of kernels that have been looked up
	struct rank_view *ranks; ///< views of ranks, one for each of run->ranks
	struct name_table *labels; ///< labels made of several names, such as paths

	/// Metrics of the figures of result files, sorted by name, each in its own unit.
	const struct metric **inputs;
	size_t nr_inputs;
	size_t merged_names; ///< number of kernels merged into another one with the same match name
	bool by_trace; ///< true if memory figures are those of the trace, even where a snapshot
	               ///< replaced them
};

/// Builds the view of `run`; `run` and `naming` are borrowed.
void run_view_init(struct run_view *v, const struct run *run, const struct naming *naming);

/// Gives all figures of result files with the same name one unit in all `nr` views, so that they
/// can be compared. The unit has as many decimal places as the values need. The units are owned by
/// `a`.
void run_views_align(struct run_view *v, size_t nr, struct arena *a);

/// The metric of a figure: `m`, unless `m` is about result files. Then it is the view's metric for
/// the figure `label` or, if `label` is empty, for the figure that `m` names (input.FIGURE).
const struct metric *view_metric(const struct run_view *v, const struct metric *m,
                                 struct span label);

/// Releases all memory of the view. Call it before the run is released.
void run_view_release(struct run_view *v);

/// The name by which kernels of baseline and candidate are taken to be the same. It lacks trailing
/// `_<n>` groups (of `triton_…` names), `0x…` addresses, and a trailing `_` with 8 or more hex
/// digits. Owned by `a`, or `name` itself.
struct span kernel_match_name(struct arena *a, struct span name);

/// The name by which rules match a kernel: `name`, normalized unless `n` is exact, or the alias for
/// it. The result is owned by `a` or `n`, or is `name` itself.
struct span naming_match(const struct naming *n, struct arena *a, struct span name);

/// The match name (see naming_match()) of the kernel `name` in the run of the view `v`; computed
/// only once for all ranks. Lives as long as the view.
struct span view_match(const struct run_view *v, struct span name);

/// One figure of one rank: a sample per step, or a single value.
struct figure {
	const struct metric *metric;
	int64_t rank;
	struct span label; ///< name of the item, of the kind metric->label; for step.* the phase; or
	                   ///< empty

	/// Samples in the metric's unit; borrowed from the digest or scratch memory.
	const int64_t *samples;
	size_t nr; ///< number of samples; 0 if only `summary` is known
	const int64_t *steps; ///< numbers of the steps that the samples belong to; only for step.*
	size_t nr_all; ///< number of samples for step.*, including those of incomplete steps
	const int64_t *summary; ///< statistics, indexed by enum statistic, instead of samples; or NULL
	const struct kernel_row *kernel; ///< row of the kernel, only for kernel metrics
	const struct function_stat *function; ///< first row of the function, only for function metrics
	const char *source; ///< memory_stat.source as text, only for memory metrics; else NULL
};

/// True if `cls` is NULL, or if the row `c` is of kernels of the class `cls`.
bool code_is_of_class(const struct rank_view *r, const struct code_stat *c, const char *cls);

/// Appends the label of a collective, such as "all_reduce@default_pg". Raw bytes.
void comm_label(const struct comm_stat *c, struct strbuf *out);

/// Label of the direction of a copy, such as "HtoD", from the name of the activity; "other" if the
/// name gives none. Static.
struct span memcpy_direction(struct span name);

/// Receives each figure; the figure and its samples are valid only during the call.
typedef void figure_fn(void *ctx, const struct figure *f);

/// The `*nr` memories of the rank whose digest is `d`: those of its snapshot or, if `by_trace`,
/// those of its trace.
const struct memory_stat *digest_memories(const struct digest *d, bool by_trace, size_t *nr);

/// The sources that all ranks with memory figures have in common, as bits 1 << enum memory_source.
/// All bits if no rank has memory figures.
unsigned memory_sources(const struct run *run);

/// True if the only source of memory figures that two runs have in common (`sources`) is the trace.
static inline bool memory_is_by_trace(unsigned sources)
{
	return sources == 1U << MEMORY_OF_TRACE;
}

/// The source whose memory figures are compared in runs that have `sources` in common; NULL if
/// there is no such source. Static.
const char *memory_source_of(unsigned sources);

/// Calls `fn` with all figures of metric `m` (not PAIR) in the rank with index `r`, sorted by
/// label. Does not call `fn` if the rank has no such figures.
void rank_figures(const struct run_view *v, size_t r, const struct metric *m, figure_fn *fn,
                  void *ctx);

/// Like rank_figures(), for a metric with PARTS_CODE (parts by place). Only work in phases that
/// match the glob `phase` counts; all work if `phase` is NULL. If `cls` is not NULL, only kernels
/// of that class count, and no copies.
void rank_code_figures(const struct run_view *v, size_t r, const struct metric *m,
                       const char *phase, const char *cls, figure_fn *fn, void *ctx);

/// A path of operators or modules in readable form, such as "Llama > Attention"; lives as long as
/// the view.
struct span code_path_label(const struct run_view *v, struct span path);

/// True if at least one rank recorded the data that the metric `m` needs.
bool run_has(const struct run_view *v, const struct metric *m);

/// A set of ranks; a zeroed struct is the set of all ranks.
struct rank_scope {
	const char *glob; ///< glob over the numbers of ranks; NULL: any
	bool one; ///< true if only `rank` is in the set
	int64_t rank;
};

/// True if rank `rank` is in the set.
bool rank_scope_has(struct rank_scope s, int64_t rank);

/// A selection of figures, such as a rule makes, and how they are reduced. Globs are NULL if
/// anything matches; `cls` is "compute" (all but communication) or "communication".
struct query {
	const struct metric *metric;
	enum statistic stat;
	enum reduce reduce; ///< how values are reduced over devices, then over ranks
	const char *kernel, *category, *cls, *op, *rank, *device, *memory, *direction, *thread,
	    *collective, *function, *phase, *counter, *module, *range, *place;
	const char *better; ///< the better direction, "lower" or "higher"; NULL: as the metric says
};

/// One answer to a query. `label` is as in struct figure; `rank` is -1 unless reduce is EACH and
/// the run has several ranks.
struct answer {
	struct span label;
	int64_t rank;
	int64_t value;
	int64_t lacks; ///< number of ranks that the query asks for and that lack the figure
};

/// The result of run_query().
struct answers {
	VEC(struct answer) list; ///< all answers to a query, sorted by label, then rank
};

/// The text by which the query selects items by their names (kernels, operators, …); NULL if the
/// query selects items of any name.
const char *query_name(const struct query *q);

/// How well the name `asked`, as a user gives it, matches the name `label` of an item of the
/// metric.
enum name_fit item_fit(const struct metric *m, struct span asked, struct span label);

/// Keeps those of the `nr` items that query_name() fits best, and returns their number. Items are
/// structs of `size` bytes that begin with their label, by which they are sorted; `a` is scratch.
size_t query_keep_named(const struct query *q, void *items, size_t nr, size_t size,
                        struct arena *a);

/// True if the labels of figure `f` fit the globs of `q`, except query_name() and the glob of the
/// rank.
bool figure_is_selected(const struct run_view *v, const struct query *q, const struct figure *f);

/// True if a query for the class `name` includes kernels of `cls`: compute is all that is not
/// communication, as in step.compute_time; a NULL `name` includes every class.
bool class_is_asked(const char *name, enum category_class cls);

/// Answers a query: the statistic over steps is reduced over devices, then over ranks. DEVICE and
/// MEMORY labels disappear in the reduction, unless reduce is EACH or the query selects them. PAIR
/// metrics, which compare two runs, have no answer here. `q->category` restricts metrics of kernels
/// to kernels of that category. Labels are borrowed from the view; `a` is scratch memory. Caller:
/// vec_release(&out->list).
void run_query(const struct run_view *v, const struct query *q, struct arena *a,
               struct answers *out);

#endif
