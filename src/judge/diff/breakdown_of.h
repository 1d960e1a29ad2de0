/// Breakdowns that show where a change comes from. Their parts add up exactly at every depth.
#ifndef GG_DIFF_BREAKDOWN_OF_H
#define GG_DIFF_BREAKDOWN_OF_H

#include "diff/bench.h"
#include "model/report.h"

/// The change that is broken down.
struct breakdown_query {
	const struct metric *metric;
	const char *cls; ///< class of the kernels included, "compute" or "communication"; NULL: both
	struct span label; ///< name of the kernel, category, phase, … whose change is broken down
	int64_t change; ///< change to explain, which all parts add up to
	/// The part of `change` that cannot be broken down: `change` counts from the median of main's
	/// runs, but details are known only of one run of main. `later` is how far the value of this
	/// run is above the median.
	int64_t later;
	bool renamed; ///< for metrics of kernels: true if the kernel had another name in the baseline
	struct rank_scope ranks; ///< ranks to which the change and the activity pairs belong
};

/// Breakdown of a change by the method that the column `parts` of the metric table names. Time,
/// counts and bytes of GPU activities are broken down by code if it is known, else by class,
/// category and kernel, and then into "launches" (Δcount × mean) and "mean" (count × Δmean). Other
/// metrics are broken down by code, by call, by terms or by rank. Parts are changes of means over
/// steps, ranks and runs; a last part has the difference between their sum and the change. A
/// renamed kernel is one part. The breakdown lives in `a`; the caller releases its list of parts.
/// NULL for shares and rates, for all but GPU activities if there is no baseline, and if no parts
/// are known.
struct breakdown *breakdown_of(const struct bench *b, const struct activity_pairs *p,
                               const struct breakdown_query *q, struct arena *a);

/// Break down the change of a memory metric from `baseline`, the value that the check compares
/// with, to the candidate's value in `e`, an entry for the query `q`. The parts are differences
/// between two memories, one of each side (memory_pair_find()). A last row has what these two do
/// not show, because the medians also count other runs. The breakdown lives in `a`; the caller
/// releases its list of parts. NULL if there are no such memories or no data. `*where` becomes NULL
/// or a text ("most of it at train.py:forward").
struct breakdown *breakdown_of_memory(const struct bench *b, const struct query *q,
                                      const struct entry *e, int64_t baseline, struct arena *a,
                                      const char **where);

/// Append rows to `out->scaling`, one for each category of memory that both sides list with a known
/// size: its largest tensor in each of the two memories that memory_pair_find() finds.
void memory_scaling(const struct bench *b, const struct query *q, const struct entry *e,
                    struct report *out);

/// Largest number of nodes in a flame graph. If there are more, the smallest ones are left out,
/// together with all nodes below them.
enum { FLAME_NODES = 150 };

/// Build the tree of GPU time by module, place (function in the code), operator and kernel, with
/// the times of the baseline's run and of the candidates. If there is no baseline, or it has no
/// code table, the tree has only the candidates' times. If the candidates have no code table, it is
/// empty. Modules and places are depths of the tree only if each side in the tree has some. The
/// names live in `a`; the caller releases the list of nodes.
void flame_of(const struct bench *b, struct arena *a, struct flame *out);

#endif
