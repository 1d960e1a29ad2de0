/// Findings of a check: the failed, warned and undecided checks of one gate run, grouped by their
/// cause. All sentences are written when a finding is made; writers only arrange and escape them.
#ifndef GG_MODEL_FINDING_H
#define GG_MODEL_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"
#include "metric/metric.h"

/// Causes, in the order in which their detectors are asked. A cause takes the checks that it
/// explains; later detectors see only the remaining checks.
#define CAUSES(X)                                                                                \
	/* ---- causes that make the run incomplete ---- */                                          \
	X(CAUSE_LOST_RANK, "lost-rank") /* the candidate lacks a rank that the baseline has */       \
	X(CAUSE_CUT_RANK, "cut-rank") /* a rank ends, or hangs, before its peers */                  \
	X(CAUSE_UNTRUSTED, "untrusted") /* a trust finding leaves checks inconclusive */             \
	/* ---- causes in one rank, or in one link between ranks ---- */                             \
	X(CAUSE_SLOW_RANK, "slow-rank") /* a rank computes longer than its peers */                  \
	/* the collectives of one rank end later than on its peers: a slow link */                   \
	X(CAUSE_SLOW_LINK, "slow-link")                                                              \
	/* the other ranks wait for one rank, although it computes about as long as they do */       \
	X(CAUSE_LATE_RANK, "late-rank")                                                              \
	/* ---- causes that change the work of every kernel ---- */                                  \
	/* a step has another amount of work: another batch, sequence or model */                    \
	X(CAUSE_BATCH, "batch")                                                                      \
	/* every kernel is slower by the same factor: clock, power cap or another GPU */             \
	X(CAUSE_UNIFORM, "uniform")                                                                  \
	X(CAUSE_SLOW_STEPS, "slow-steps") /* some steps are slow, but the median is not */           \
	/* ---- causes in single kernels ---- */                                                     \
	X(CAUSE_KERNEL, "slower-kernel") /* a kernel is slower per launch */                         \
	X(CAUSE_LAUNCHES, "more-launches") /* a kernel is launched more often */                     \
	X(CAUSE_NEW_KERNEL, "new-kernel") /* a kernel that the baseline does not launch */           \
	/* another kernel does the same work; the cost is the net change */                          \
	X(CAUSE_SUBSTITUTION, "substitution")                                                        \
	X(CAUSE_RENAMED, "renamed-kernel") /* the same kernel has another name */                    \
	/* a kernel of the baseline that the candidate does not launch */                            \
	X(CAUSE_GONE_KERNEL, "gone-kernel")                                                          \
	/* ---- causes in communication and copies ---- */                                           \
	X(CAUSE_TRAFFIC, "traffic") /* collectives move more bytes, or there are more of them */     \
	X(CAUSE_TRANSFER, "transfer") /* collectives take longer on the wire for the same bytes */   \
	/* communication takes as long as before, but less compute hides it */                       \
	X(CAUSE_OVERLAP, "overlap")                                                                  \
	X(CAUSE_COPIES, "copies") /* there are more copies, or larger ones */                        \
	/* ---- causes on the host ---- */                                                           \
	X(CAUSE_DATA_LOADER, "data-loader") /* steps wait for batches */                             \
	X(CAUSE_SYNCS, "synchronization") /* there are more synchronization calls, or longer ones */ \
	X(CAUSE_HOST, "host") /* the GPU waits for launches longer than before */                    \
	/* ---- causes in memory ---- */                                                             \
	X(CAUSE_OUT_OF_MEMORY, "out-of-memory") /* allocations failed */                             \
	X(CAUSE_LEAK, "leak") /* more memory is allocated at the end of every step */                \
	X(CAUSE_FRAGMENTATION, "fragmentation") /* more reserved memory cannot be used */            \
	X(CAUSE_MEMORY, "memory") /* more memory is allocated at the peak */                         \
	/* checks of one metric that no other cause explains */                                      \
	X(CAUSE_OTHER, "other")
enum cause { CAUSES(ENUM_VALUE) NR_CAUSES };

/// Stable ids of causes: "slow-rank", "data-loader", …; static.
extern const char *const cause_names[NR_CAUSES];

/// Kinds of places at which a cause can be located in a run, from the rank down to the kernel.
#define PLACE_KINDS(X)                                                                   \
	X(PLACE_RANK, "rank") /* a rank: "rank 5" */                                         \
	X(PLACE_PHASE, "phase") /* a phase: "backward" */                                    \
	X(PLACE_MODULE, "module") /* a module: "Block.forward" */                            \
	X(PLACE_CODE, "place") /* a line of code: "model/block.py:41" */                     \
	X(PLACE_OPERATOR, "operator") /* an operator: "aten::mm" */                          \
	X(PLACE_KERNEL, "kernel") /* a kernel: its match name, which globs of rules match */ \
	X(PLACE_CALL, "call") /* a call of the host: "cudaStreamSynchronize" */              \
	X(PLACE_COLLECTIVE, "collective") /* a collective: "all_reduce@default_pg" */        \
	X(PLACE_MEMORY, "memory") /* name of a memory: "memory 0 of rank 3" */               \
	X(PLACE_CATEGORY, "category") /* category of kernels or of memory: "gemm", "activations" */
enum place_kind { PLACE_KINDS(ENUM_VALUE) NR_PLACE_KINDS };

/// Names of enum place_kind ("rank", "phase", …); static.
extern const char *const place_kind_names[NR_PLACE_KINDS];

/// A line of a source file.
struct source_line {
	const char *file; ///< path as recorded, or, if `changed`, as in the repository; NULL if unknown
	int64_t line; ///< number of the line; -1 if unknown
	bool changed; ///< true if the change under review touches the file
};

/// A part of the run to which a finding leads.
struct place {
	enum place_kind kind;
	const char *name; ///< valid UTF-8, not shortened or escaped; it may come from the recording
	struct source_line at; ///< source line, only for PLACE_CODE
	int64_t rank; ///< number of the rank, only for PLACE_RANK
	const char *machine; ///< machine of the rank, such as "GPU 5 of node7"; only for PLACE_RANK;
	                     ///< NULL if unknown
};

/// The source line of a place of a digest ("FILE:FUNCTION", and its `line`). The file name is owned
/// by `a`.
struct source_line source_line_of(struct arena *a, struct span place, int64_t line);

/// A part of the cost of a finding.
struct finding_part {
	/// name of the part, such as the match name of a kernel, or a place; the last part may be
	/// "smaller parts", the sum of those that are left out
	const char *name;
	/// amount of the part, in the unit of the cost; parts have the sign of the cost
	int64_t change;
	const char *text; ///< text of `change`, such as "+661 µs"
};

/// One cause, with the places, evidence and checks that belong to it. All text is owned by the
/// report.
struct finding {
	enum cause cause;
	int verdict; ///< enum verdict: the most severe among its checks
	bool first; ///< true if reports show the finding first: the run broke, or cannot be believed

	/// One sentence without a full stop, which names the finding in a single line: "rank 5 is
	/// slow: 12.7 ms of compute per step, its peers 10.6 ms (+20.1 %)".
	const char *title;
	/// length in bytes of the part of the title before the colon that introduces its figures, as
	/// "rank 5 is slow" above; 0 if the title has no such colon
	size_t head;
	/* true if the members from `metric` to `change_text` hold a figure that shows the cause; else
	 * their texts are "" */
	bool has_figure;
	const struct metric *metric;
	int64_t baseline, candidate, change; ///< values in the unit of the metric
	const char *baseline_text, *candidate_text;
	const char *change_text; ///< absolute and relative change, such as "+661 µs (+5.3 %)"
	int64_t cost; ///< size of the effect: ns per step, or bytes of memory; negative if a saving
	bool cost_is_bytes;
	bool cost_per_step; ///< true if every step adds `cost` bytes
	int64_t share_pct; ///< cost as a share of the baseline's step, or of its peak memory, in 1e-6 %
	const char *cost_amount; ///< cost as text, such as "+2.10 ms per step"; "" if unknown
	const char *cost_text; ///< cost_amount with its share: "+2.10 ms per step, 16.4 % of the step"

	/// parts that add up to the cost, each name once, the largest first; may be empty
	VEC(struct finding_part) parts;
	VEC(struct place) where; ///< places, outermost first; empty if only the run is known
	VEC(const char *) evidence; ///< sentences without a full stop, the strongest evidence first
	const char *trace; ///< file with a small trace of the finding (--evidence), or NULL
	const char *action; ///< advice, one sentence without a full stop; "" if there is no advice
	VEC(size_t) checks; ///< indices into the checks of the report, in ascending order
};

#endif
