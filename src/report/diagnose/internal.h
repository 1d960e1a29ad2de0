/// Internal to diagnose/: figures, kinds of work, tables and recommendations.
#ifndef GG_DIAGNOSE_INTERNAL_H
#define GG_DIAGNOSE_INTERNAL_H

#include "base/number.h"
#include "model/run_report.h"

/* ---- single figures of a rank or of a run ---- */

/// One percent as a share, since shares are in 1e-6 %.
#define PERCENT MICRO

/// Median over steps of metric `id` in rank `r` of the run; if the rank has several devices or
/// memories, the worst of their values. Sets 0 and returns false if the rank lacks the figure.
bool figure_of_rank(const struct run_view *v, size_t r, enum metric_id id, int64_t *out);

/// The result of query `q` as one number. If several items match, their figures are added up, but
/// those of devices or memories are reduced as `q->reduce` says. False if the run lacks the figure.
bool figure_of_run(const struct run_view *v, const struct query *q, int64_t *out);

/// Like figure_of_run(), for the median over the steps, all items of the metric, and its default
/// reduction over ranks (diagnosis_query()).
bool figure_of_metric(const struct run_view *v, enum metric_id id, int64_t *out);

/// Duration of a step: its wall time or, if that is unknown, its host time; the whole window for a
/// trace without steps. Sets 0 and returns false if it is unknown.
bool figure_of_step(const struct run_view *v, int64_t *out);

/// Compute a figure that a rule of rules/diagnosis.yaml defines, and its unit. The figure may be a
/// quotient or a share (in 1e-6 %). False if the figure cannot be computed.
bool figure_of_diagnosis(const struct run_view *v, const struct diagnosis_figure *f, int64_t *out,
                         enum unit *unit);

/* ---- kinds of work by names ---- */

/// True for a memory set, and for a kernel that writes one value everywhere.
/// **Source:** FillFunctor, torch aten/native/cuda/FillKernel.cu.
bool kernel_is_fill(const struct kernel_stat *k);

/// True for an operator in which activations of a gradient checkpoint are recomputed.
/// **Source:** CheckpointFunction, torch/utils/checkpoint.py (use_reentrant=True).
bool op_is_recomputation(const struct op_stat *o);

/// True for a Python function in which activations of a gradient checkpoint are recomputed. With
/// use_reentrant=False, only Python functions show this, no operator. **Source:** recompute_fn
/// (use_reentrant=False) and CheckpointFunction.backward (use_reentrant=True),
/// torch/utils/checkpoint.py.
bool function_is_recomputation(const struct function_stat *f);

/// True for the call path of a background thread that waits for work. False for waits of the main
/// thread, since they show what the program waits for.
/// **Source:** Thread._bootstrap_inner, CPython Lib/threading.py.
bool label_is_idle_thread(struct span label);

/// Share of the window (the recorded time), in 1e-6 %, for which copies block the host: the time in
/// runtime calls that copy memory, less the 20 µs per call that enqueuing a copy takes.
int64_t blocking_copies_share(const struct run *run);

/// True if one of the words occurs in the name, in upper or lower case. NULL ends the list of
/// words; false if `words` itself is NULL.
bool name_has_any(struct span name, const char *const *words);

/// What limits a kernel, as far as its name and category tell.
enum nature {
	NATURE_UNKNOWN,
	NATURE_MEMORY, ///< limited by memory: the kernel does little with each element (elementwise, a
	               ///< reduction, a copy, …)
	NATURE_DECODING, ///< limited by memory, as in decoding: attention over pages of a KV cache, or
	                 ///< a matrix product with few rows
};

/// What limits the kernel `name`, which belongs to `category`.
enum nature nature_of_kernel(const char *category, struct span name);

/// What was recorded of the ranks of a run.
struct recorded {
	/// true if recorded; in this order: traces, memory snapshots, any figure of memory, Python
	/// functions, samples or tokens per step
	bool traces, snapshots, memory, python, context;
	/// true if known; in this order: GPU work, FLOPs of operators, FLOPs of the model, peak rate of
	/// the GPU
	bool gpu, flops, model_flops, peak;
	bool shapes; ///< true if the recorded inputs of an operator suffice to compute its FLOPs or the
	             ///< bytes that it moves
	bool unshaped; ///< true if a rank has matrix products or convolutions but recorded no inputs of
	               ///< operators; ranks that captured graphs do not count
	struct span uncounted; ///< first operator with uncountable FLOPs; empty if there is none
	const struct digest *first; ///< first rank that has a trace
	int64_t ranks, world_size;
};

/// Tells what was recorded of a run. Texts are borrowed from the run.
struct recorded recorded_of(const struct run *run);

/// True if most GPU activities come from replays of GPU graphs.
bool graphs_prevail(const struct run *run);

/// Share of the trace, in 1e-6 %, in which the GPU is idle and the host is in runtime calls that
/// set something up: calls of functions that take a millisecond or more on average and do not wait
/// for the GPU. `most` is the function with the largest part; NULL if there is none.
int64_t set_up_share(const struct run *run, const struct function_stat **most);

/* ---- tables ---- */

/// Largest number of rows in a table or, in lists of the contents of memories, of rows for each
/// memory. A table shows at most as many memories.
enum { TABLE_ROWS = 20 };

/// Builder of tables, to which cells are added row by row.
struct tabler {
	const struct run_view *v;
	struct arena *a; ///< arena that owns the texts of cells
	struct run_report *out;
	struct report_table *table; ///< the table that is being built
};

/// A column of a table: its heading, and the unit of its figures, or TEXT for a column of names.
struct column {
	const char *name;
	enum unit unit;
};
#define TEXT NR_UNITS

/// Begin a table, whose texts must live as long as the report. `columns` is copied.
void table_begin(struct tabler *t, const char *id, const char *title, const char *note,
                 const struct column *columns, size_t nr);

/// How many of `nr` rows the table shows. The number of further rows is added to the table's number
/// of rows that are left out.
size_t table_shows(struct tabler *t, size_t nr);

/// A cell with a figure, or one without if `value` is MEMORY_UNKNOWN. Its text is owned by `a`.
struct report_cell cell_of(struct arena *a, enum unit unit, int64_t value);

/// Append cells with figures in the units of their columns. MEMORY_UNKNOWN makes a cell without a
/// figure.
void cell_figures(struct tabler *t, const int64_t *values, size_t nr);
#define CELLS(t, ...)                                   \
	cell_figures((t), (const int64_t[]){ __VA_ARGS__ }, \
	             sizeof((const int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t))

/// Append a cell with a name, which may contain any bytes.
void cell_name(struct tabler *t, struct span name);

/// End the table. Columns without any value are removed, and so is a table without rows.
void table_end(struct tabler *t);

/// Set the member `rest` of each column whose metric adds up to the sum of the metric over the
/// small items, for which digests keep only sums. `ids` has the metrics of the first `nr_ids`
/// columns. Returns the number of these items on the rank with the most of them.
size_t table_small(struct tabler *t, const enum metric_id *ids, size_t nr_ids);

/// Append tables of the allocator's actions, of memory at its peak, and of segments.
void tables_of_memory(struct tabler *t);

/// Append tables of operators' floating-point operations, of what limits operators, of kernels that
/// fill memory, and of recomputed activations.
void tables_of_work(struct tabler *t);

/* ---- recommendations ---- */

/// Append the recommendation `rec`, which rests on the observation `seen` and saves `saves_ns` per
/// step (-1: unknown). A saving longer than a step is reduced to one step. Nothing is appended if
/// the saving is below 1 % of a step, or if the report has a recommendation with this id already.
/// Clauses of `rec.ask` and `rec.action` that ask for data which the run already has are left out.
/// `rec.ask` may be NULL.
void recommend(const struct run_view *v, struct arena *a, struct run_report *out,
               struct recommendation rec, int64_t saves_ns, const char *seen);

/// A function that makes recommendations which conditions on figures cannot express. It appends
/// them to `out`.
typedef void diagnosis_fn(const struct run_view *v, struct arena *a, struct run_report *out);

/// Diagnoses of groups of kernels (code_kernels.c) and of the host (code_host.c).
diagnosis_fn attention_unfused, layout_transposes, start_up, counts, host_around_graphs,
    python_computes, allocator_churn;

/// All diagnoses that are C functions, not rules of a file; NULL ends the list.
extern diagnosis_fn *const diagnoses_in_code[];

#endif
