/// Internal to cause/: suspects. A suspect is a possible cause of failed checks, with the amount
/// that it explains of each group of figures.
#ifndef GG_CAUSE_SUSPECT_H
#define GG_CAUSE_SUSPECT_H

#include "diff/bench.h"
#include "metric/unit.h"
#include "model/report.h"

/// A stake (the amount that a suspect explains) that is larger than any figure. A suspect with this
/// stake explains the whole change of a group of figures, whatever other suspects explain.
#define STAKE_ALL (INT64_MAX / 4)

/// A suspect, with the finding that it becomes.
struct suspect {
	struct finding finding;
	int64_t stake[NR_STAKES]; ///< amount of the change that the suspect explains in each group of
	                          ///< figures (enum stake), in ns per step or bytes; counts and shares
	                          ///< have no unit
	VEC(const char *) kernels; ///< kernels of the suspect, with the names that checks give them

	/// the row of the digest's code table with the largest part of the suspect's rise; NULL if
	/// unknown
	const struct code_stat *code;
	bool in_doubt; ///< true if the evidence already says that the cause is not certain
	bool says_limit; ///< true if `finding.action` already says which rule's limit to change

	/// The trust finding from which suspect_trust() has made the suspect: checks that this finding
	/// makes unreliable belong to the suspect. NULL for suspects of other detectors.
	const struct trust_finding *trust;
};

/// A figure on both sides; `v` is indexed by enum side_index.
struct both {
	const struct metric *metric;
	bool known; ///< true if both sides recorded the figure
	int64_t v[NR_SIDES];
};

/// The state of one search for causes, which all detectors share.
struct inquiry {
	struct bench *bench;
	struct report *out;
	struct arena *a; ///< arena of the report, which owns all texts

	/// GPU activities of both sides: of all ranks or, if one rank is slow, only of the rank with
	/// the median compute time
	struct activity_pairs pairs;
	struct rank_scope scope; ///< ranks that `pairs` covers; set by suspect_ranks()
	double common; ///< factor by which all kernels became longer; 1 if they did not
	int64_t waited; ///< time of waiting and of transfers, in ns per step, that suspects on slow or
	                ///< late ranks explain already
	int64_t wall; ///< wall time of the baseline's step in ns or, if it was not recorded, its
	              ///< step.time or step.cuda_time; 0 if unknown
	const char *phase; ///< kind of steps, such as "decode", to which inquiry_figure() is limited;
	                   ///< NULL: all steps
	const char *step; ///< what messages give times per: "step" or "window"
	VEC(struct suspect) suspects;
};

/// `v`, or 0 if `v` is below 0.
static inline int64_t at_least_0(int64_t v)
{
	return v > 0 ? v : 0;
}

/// Rise of the figure from the baseline to the candidate; 0 unless both sides recorded the figure.
static inline int64_t both_rise(struct both f)
{
	return f.known ? number_sub(f.v[SIDE_CANDIDATE], f.v[SIDE_BASELINE]) : 0;
}

/// The candidate's figure divided by the baseline's; 1 if a side lacks it or the baseline has 0.
static inline double both_ratio(struct both f)
{
	return f.known && f.v[SIDE_BASELINE] > 0
	           ? (double)f.v[SIDE_CANDIDATE] / (double)f.v[SIDE_BASELINE]
	           : 1;
}

/// The metric `id` on both sides: its median over steps (its mean if bench->kinds.by_mean is set),
/// combined over ranks by the metric's own reduction (by the maximum instead of REDUCE_EACH). If
/// `q->phase` is set: the median over steps of this kind.
struct both inquiry_figure(struct inquiry *q, enum metric_id id);

/// Set `*out` to the value of entry `e` on side `side`. The baseline's value is that of the run
/// whose details the report shows; with control runs it is their median, and if that run lacks the
/// figure, the value that checks compare with. False if the side lacks the value.
bool inquiry_value(const struct inquiry *q, const struct entry *e, int side, int64_t *out);

/// Like inquiry_figure(), but with the statistic `stat` over all steps.
struct both inquiry_stat(struct inquiry *q, enum metric_id id, enum statistic stat);

/// Append a suspect; the pointer is valid until the next call.
struct suspect *suspect_add(struct inquiry *q, enum cause cause);

/// Set the title, a sentence that says what the suspect is. If `fmt` has a ": ", the heading of the
/// title ends before it.
void suspect_title(struct inquiry *q, struct suspect *s, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/// Append a sentence of evidence; the arguments are those of printf.
#define suspect_say(q, s, ...) vec_push(&(s)->finding.evidence, arena_printf((q)->a, __VA_ARGS__))

/// Set the sentence that advises what to do.
#define suspect_action(q, s, ...) ((s)->finding.action = arena_printf((q)->a, __VA_ARGS__))

/// Append a place one step further in to the places of the suspect, such as the operator within a
/// module. `name` may contain any bytes. The pointer is valid until the next call.
struct place *suspect_where(struct inquiry *q, struct suspect *s, enum place_kind kind,
                            struct span name);

/// True if the suspect has the place `name` of the kind `kind`.
bool suspect_has_place(const struct suspect *s, enum place_kind kind, const char *name);

/// Says which rows of the digests' code tables suspect_locate() compares.
struct locate_query {
	enum code_kind kind;
	uint64_t kernel[NR_SIDES]; ///< code_kernel_key() of the kernel on each side; 0: any kernel
	bool by_count; ///< true: compare counts; false: compare times
};

/// Find where most of the rise of the rows that `what` selects comes from, and add it to the
/// suspect: a phase, module, place and operator. One of these is left out if no single name has at
/// least 60 % of the rise; all are left out if there are very many places. Also set `s->code`.
void suspect_locate(struct inquiry *q, struct suspect *s, const struct locate_query *what);

/// Add the places of `other` to those of `s`. A module is kept only if both suspects have it, and
/// phases only if both suspects have one. All other places are kept.
void suspect_share_place(struct suspect *s, const struct suspect *other);

/// Set the figure that shows the suspect's change best. Has no effect if a side lacks the figure.
void suspect_figure(struct inquiry *q, struct suspect *s, struct both f);

/// Set the time that the suspect costs, in ns per step.
void suspect_cost(struct suspect *s, int64_t ns);

/// Add `change` to the part of the suspect's cost called `name`; append this part if there is none.
/// `name` is borrowed.
void suspect_part(struct suspect *s, const char *name, int64_t change);

/// Choose which parts of the cost reports show, once cost and checks are known. They are parts that
/// suspect_part() has added or, if there are none, parts of the breakdown of a check whose change
/// equals the cost.
void suspect_settle_parts(struct inquiry *q, struct suspect *s);

/// Text of a factor, such as "×1.30"; owned by the report.
const char *word_times(struct inquiry *q, double factor);

/// The figure on both sides, such as "12.5 ms → 13.4 ms", or once if it is the same; owned by the
/// report.
const char *word_movement(struct inquiry *q, struct both f);

/// The name of a kernel, shortened to fit a title of a finding; owned by the report.
const char *word_kernel(struct inquiry *q, struct span name);

/// Find ranks that are slow, late or behind a slow link. This and the following functions are
/// detectors, which append suspects. causes_find() calls them in an order in which later ones can
/// use what earlier ones found.
void suspect_ranks(struct inquiry *q);

/// Find recordings that cannot be believed: missing ranks, ranks that end early, lost kernels,
/// other work than in the baseline.
void suspect_trust(struct inquiry *q);

/// Find single steps that are slower than the others.
void suspect_steps(struct inquiry *q);

/// Find kinds of steps that are slower, such as those of decode, if kinds are judged separately.
void suspect_kinds(struct inquiry *q);

/// Find changes of the whole run: another batch size, or all kernels slower by one factor.
void suspect_whole(struct inquiry *q);

/// Find single kernels that are slower, more frequent, new or replaced.
void suspect_kernels(struct inquiry *q);

/// Find communication that costs more: more collectives or bytes, less overlap with compute, or
/// slower transfers.
void suspect_communication(struct inquiry *q);

/// Find changes on the host: data loader, synchronization, copies, launches.
void suspect_host(struct inquiry *q);

/// Find changes of memory: failed allocations, leaks, fragmentation, functions whose allocations
/// hold more.
void suspect_memory(struct inquiry *q);

/// Append to the report's list `machine` what differs between the recordings of both sides:
/// hardware, drivers, and states of the GPUs that make the candidate slower.
void machine_changes(struct inquiry *q);

/// True for a kernel that computes; false for communication, and for a row that sums up small
/// kernels.
static inline bool pair_is_compute(const struct activity_pair *a)
{
	return a->kind == EVENT_KERNEL && !a->small && a->cls != CLASS_COMMUNICATION;
}

/// Mean duration of the pair's launches on a side in ns; 0 if there are no launches.
static inline double pair_mean(const struct activity_pair *a, enum side_index side)
{
	return a->count[side] > 0 ? (double)a->total_ns[side] / (double)a->count[side] : 0;
}

/// Rise of the pair's time per step from the baseline to the candidate, in ns.
static inline int64_t pair_rise(const struct activity_pair *a)
{
	return number_sub(a->time_ns[SIDE_CANDIDATE], a->time_ns[SIDE_BASELINE]);
}

/// The suspect for the trust finding `t`, which makes checks unreliable; NULL if there is none.
/// Findings of one kind on several ranks can share a suspect.
struct suspect *suspect_of_trust(struct inquiry *q, const struct trust_finding *t);

/// True if there is a suspect with the cause `cause`.
bool inquiry_has(const struct inquiry *q, enum cause cause);

#endif
