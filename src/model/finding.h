/// Findings of a check: the failed, warned and undecided checks of one gate run, grouped by what
/// caused them. Texts are written here once; writers arrange and escape.
#ifndef GG_MODEL_FINDING_H
#define GG_MODEL_FINDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/vec.h"
#include "metric/metric.h"

/// What changed, in the order in which detectors are asked: a cause takes the checks that it
/// explains, and those behind it see what is left.
enum cause {
	/* the run is not whole */
	CAUSE_LOST_RANK, ///< a rank that the baseline has left no artifact
	CAUSE_CUT_RANK, ///< a rank ends, or hangs, before its peers
	CAUSE_UNTRUSTED, ///< a trust finding leaves checks undecided
	/* one rank or link of several */
	CAUSE_SLOW_RANK, ///< computes longer than its peers
	CAUSE_SLOW_LINK, ///< its collectives end after those of its peers
	CAUSE_LATE_RANK, ///< the others wait for it, and its compute is like theirs
	/* all of the work */
	CAUSE_BATCH, ///< the work of a step is scaled: another batch, sequence or model
	CAUSE_UNIFORM, ///< every kernel by the same factor: clock, power cap or another GPU
	CAUSE_SLOW_STEPS, ///< some steps are slow, the median is not
	/* kernels */
	CAUSE_KERNEL, ///< slower per launch
	CAUSE_LAUNCHES, ///< more launches of a kernel
	CAUSE_NEW_KERNEL, ///< the baseline does not launch it
	CAUSE_SUBSTITUTION, ///< another kernel does the same work; both sides with their net
	CAUSE_RENAMED, ///< another name for the same kernel
	CAUSE_GONE_KERNEL, ///< the candidate does not launch it
	/* communication and copies */
	CAUSE_TRAFFIC, ///< collectives move more bytes, or there are more of them
	CAUSE_TRANSFER, ///< collectives take longer on the wire for the same bytes
	CAUSE_OVERLAP, ///< communication as before, hidden by less compute
	CAUSE_COPIES, ///< more or larger copies
	/* the host */
	CAUSE_DATA_LOADER, ///< steps wait for batches
	CAUSE_SYNCS, ///< more synchronization calls, or longer ones
	CAUSE_HOST, ///< the GPU waits for launches longer than before
	/* memory */
	CAUSE_OUT_OF_MEMORY, ///< allocations failed
	CAUSE_LEAK, ///< more is allocated at the end of every step
	CAUSE_FRAGMENTATION, ///< more is reserved and not usable
	CAUSE_MEMORY, ///< more is allocated at the peak
	/* the rest: checks of one metric that nothing above explains */
	CAUSE_OTHER,
	NR_CAUSES
};

/// "slow-rank", "data-loader", …: stable ids; static.
extern const char *const cause_names[NR_CAUSES];

/// One level of where a cause is, from the run down to the kernel.
enum place_level {
	PLACE_RANK, ///< "rank 5"
	PLACE_PHASE, ///< "backward"
	PLACE_MODULE, ///< "Block.forward"
	PLACE_CODE, ///< "model/block.py:41"
	PLACE_OPERATOR, ///< "aten::mm"
	PLACE_KERNEL, ///< match name of a kernel
	PLACE_CALL, ///< a call of the host: "cudaStreamSynchronize"
	PLACE_COLLECTIVE, ///< "all_reduce@default_pg"
	PLACE_MEMORY, ///< "memory 0 of rank 3"
	PLACE_CATEGORY, ///< of kernels or of memory: "gemm", "activations"
	NR_PLACE_LEVELS
};

/// "rank", "phase", …; static.
extern const char *const place_level_names[NR_PLACE_LEVELS];

/// A line of a source file.
struct source_line {
	const char *file; ///< as recorded; where `changed`, as the repository names it; NULL: unknown
	int64_t line; ///< -1: unknown
	bool changed; ///< the change under review touches the file
};

struct place {
	enum place_level level;
	const char *name; ///< untrusted text is valid UTF-8, whole, not escaped
	struct source_line at; ///< of PLACE_CODE
};

/// The line that a place ("FILE:FUNCTION") of a digest is on. The file is owned by `a`.
struct source_line source_line_of(struct arena *a, struct span place, int64_t line);

/// One cause and what hangs below it. All text is owned by the report.
/// A share of what a finding costs.
struct finding_part {
	const char *name; ///< match name of a kernel, a place, …; "the rest" of the last
	int64_t change; ///< in the unit of the cost, and of its sign
	const char *text; ///< "+661 µs"
};

struct finding {
	enum cause cause;
	int verdict; ///< enum verdict: the first in order of severity among its checks
	/// One sentence without a full stop, which names the finding wherever there is room for
	/// one line: "rank 5 is slow: 12.7 ms of compute per step, its peers 10.6 ms (+20.1 %)".
	const char *title;
	/* the figure that shows it best; has_figure false: none, the texts are then "" */
	bool has_figure;
	const struct metric *metric;
	int64_t baseline, candidate, change; ///< in the unit of the metric
	const char *baseline_text, *candidate_text;
	const char *change_text; ///< "+661 µs (+5.3 %)"
	const char *noise_text; ///< "±12.0 µs"; "" unknown
	/* what it costs: findings are ordered by it, within those that fail, are undecided and warn */
	int64_t cost; ///< ns per step, or bytes of memory; negative where it saves
	bool cost_is_bytes;
	bool cost_per_step; ///< bytes that every step adds
	int64_t share_pct; ///< of the baseline's step, or of its peak memory; 1e-6 %
	const char *cost_text; ///< "+2.10 ms per step (16.4 % of it)"; "" unknown
	VEC(struct finding_part)
	parts; ///< add up to the cost, each name once, the largest first; or none
	VEC(struct place) where; ///< from the outside to the inside; none where only the run is known
	VEC(const char *) evidence; ///< sentences without a full stop, the strongest first
	const char *trace; ///< file with a trace of it (--evidence); NULL: none
	const char *action; ///< what to do: one sentence without a full stop; "" none
	VEC(size_t) checks; ///< indices into the checks of the report, in their order
};

#endif
