/// Internal to cause/: what may have happened, and how much of which figures it explains.
#ifndef GG_CAUSE_SUSPECT_H
#define GG_CAUSE_SUSPECT_H

#include "diff/bench.h"
#include "metric/unit.h"
#include "model/report.h"

/// Figures that move together: of each check one. Times are in ns per step, memory in bytes;
/// what is neither (counts, shares) is only compared with other suspects' of the same kind.
enum stake {
	STAKE_WALL, ///< wall time, rates over it, and what a benchmark measures
	STAKE_IDLE, ///< the GPU has nothing to do
	STAKE_COMPUTE, ///< time of kernels that compute
	STAKE_GPU, ///< time of all GPU activities, waiting inside of collectives included
	STAKE_KERNELS, ///< how many kernels are launched
	STAKE_COMM, ///< time of communication, its size
	STAKE_EXPOSED, ///< communication that nothing hides
	STAKE_COPIES, ///< memory operations
	STAKE_LOADER,
	STAKE_SYNCS,
	STAKE_LAUNCH, ///< host time of launches and operators
	STAKE_RANKS, ///< one rank against the others
	STAKE_TAIL, ///< the slowest steps, where the median is another matter
	STAKE_PEAK, ///< allocated memory
	STAKE_RESERVED, ///< reserved memory beyond it
	STAKE_GROWTH, ///< from step to step
	STAKE_OOM,
	NR_STAKES
};

/// More than any figure: what it is about is explained, whatever others have to say.
#define STAKE_ALL (INT64_MAX / 4)

struct suspect {
	struct finding finding;
	int64_t stake[NR_STAKES]; ///< how much of a rise it explains; 0 nothing
	VEC(const char *) kernels; ///< items of checks on kernels that it is about
	const struct code_stat *code; ///< the row with most of its rise; NULL unknown
	bool in_doubt; ///< its evidence says so
	const struct trust_finding *trust; ///< CAUSE_UNTRUSTED and broken runs: whose checks it takes
};

/// A figure of both sides.
struct both {
	bool known; ///< by both sides
	int64_t v[NR_SIDES];
};

/// What all detectors look at.
struct inquiry {
	struct bench *bench;
	struct report *out;
	struct arena *a; ///< of the report
	struct activity_pairs pairs; ///< of all ranks; where one is slow, of a rank like the others
	struct rank_scope scope; ///< of `pairs`: set by suspect_ranks()
	double common; ///< by which all kernels got longer together; 1 where they did not
	int64_t waited; ///< ns per step of waiting and transfer that odd ranks explain
	int64_t wall; ///< the baseline's step, in ns; 0 unknown
	const char *per; ///< "per step", "per window"
	VEC(struct suspect) suspects;
};

/// How much more the candidate has; 0 unless both sides know it.
static inline int64_t both_rise(struct both f)
{
	return f.known ? number_sub(f.v[SIDE_CANDIDATE], f.v[SIDE_BASELINE]) : 0;
}

/// Candidate over baseline; 1 where it cannot be formed.
static inline double both_ratio(struct both f)
{
	return f.known && f.v[SIDE_BASELINE] > 0
	           ? (double)f.v[SIDE_CANDIDATE] / (double)f.v[SIDE_BASELINE]
	           : 1;
}

/// A metric over steps, devices and ranks as rules ask it by default.
struct both inquiry_figure(struct inquiry *q, enum metric_id id);

/// The same with another statistic over steps.
struct both inquiry_stat(struct inquiry *q, enum metric_id id, enum statistic stat);

/// A new suspect, valid until the next one.
struct suspect *suspect_add(struct inquiry *q, enum cause cause);

/// Its sentence.
void suspect_title(struct inquiry *q, struct suspect *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// A sentence of evidence.
void suspect_say(struct inquiry *q, struct suspect *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// What to do.
void suspect_action(struct inquiry *q, struct suspect *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// One level further in. `name` is of any bytes.
void suspect_where(struct inquiry *q, struct suspect *s, enum place_level level, struct span name);

/// Rows of the table of code whose rise is looked for.
struct locate_query {
	enum code_kind kind;
	uint64_t kernel[NR_SIDES]; ///< code_kernel_key(); 0: any
	bool by_count; ///< else by time
};

/// Levels from phase to operator, each only if one name has most of the rise.
void suspect_locate(struct inquiry *q, struct suspect *s, const struct locate_query *what);

/// The figure that shows it best; has no effect where a side lacks it.
void suspect_figure(struct inquiry *q, struct suspect *s, enum metric_id id, struct both f);

/// What it costs, in ns per step.
void suspect_cost(struct suspect *s, int64_t ns);

/// A part of its cost; the same name again adds to it. `name` is borrowed.
void suspect_part(struct suspect *s, const char *name, int64_t change);

/// The parts as they are shown, once cost and checks are known: those named, or those of a
/// breakdown of the same amount.
void suspect_settle_parts(struct inquiry *q, struct suspect *s);

/// "+2.10 ms", "12.3 %" of a figure; owned by the report.
const char *word_change(struct inquiry *q, enum unit unit, int64_t change);

/// The figure itself: "12.65 ms"; owned by the report.
const char *word_amount(struct inquiry *q, enum unit unit, int64_t value);

/// "×1.30"; owned by the report.
const char *word_times(struct inquiry *q, double factor);

/// A kernel as a title has room for; owned by the report.
const char *word_kernel(struct inquiry *q, struct span name);

/// Detectors append what they find, in this order: later ones look at what was found. Ranks that
/// are slow, late or hang.
void suspect_ranks(struct inquiry *q);

/// What was lost or cut: ranks, kernels, memory that ran out.
void suspect_trust(struct inquiry *q);

/// Some steps among others that are slower.
void suspect_steps(struct inquiry *q);

/// The whole run: another batch, every operator slower alike.
void suspect_whole(struct inquiry *q);

/// Single kernels: slower, more of them, new, another one in place of one.
void suspect_kernels(struct inquiry *q);

/// Links, overlap, time on the wire.
void suspect_communication(struct inquiry *q);

/// The host: data loader, synchronization, copies, launches.
void suspect_host(struct inquiry *q);

/// Memory: leaks, fragmentation, places that hold more.
void suspect_memory(struct inquiry *q);

/// True for kernels that compute, by name.
static inline bool pair_is_compute(const struct activity_pair *a)
{
	return a->kind == EVENT_KERNEL && !a->folded && a->cls != CLASS_COMMUNICATION;
}

/// Mean duration of a launch, in ns; 0 without launches.
static inline double pair_mean(const struct activity_pair *a, enum side_index side)
{
	return a->count[side] > 0 ? (double)a->total_ns[side] / (double)a->count[side] : 0;
}

/// True if it is what spoils the checks that `t` spoils.
bool suspect_spoils(const struct suspect *s, const struct trust_finding *t);

/// True if a suspect of this cause was found.
bool inquiry_has(const struct inquiry *q, enum cause cause);

#endif
