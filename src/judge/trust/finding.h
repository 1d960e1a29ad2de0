/// Trust findings: each says why a run cannot be believed, and which metrics are unreliable for
/// this reason. The trust_find_*() functions each look for one kind of finding.
#ifndef GG_TRUST_FINDING_H
#define GG_TRUST_FINDING_H

#include "model/digest.h"
#include "model/report.h"

/// The report that findings are added to, and the run and rank that they are about. `rank` is -1
/// for findings on a whole run.
struct trust_scope {
	struct report *out;
	bool candidate;
	int64_t rank;
	const char *who; ///< name of the run, such as "run 2 of the candidate"; NULL: "the baseline" or
	                 ///< "the candidate"
	bool by_trace; ///< true if memory is judged by the figures of traces, not by those of snapshots
};

/// Append a finding; its message begins with the name of the run (`who`). `spoils`: the metrics
/// that the finding makes unreliable, as bits of enum rests_on; 0: the finding only warns. Returns
/// the finding; the next call may move it.
struct trust_finding *trust_add(const struct trust_scope *s, const char *id, unsigned spoils,
                                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/// Keep at most 16 findings of each kind, among those from index `from` of the report's list on,
/// since many ranks of a folded run may have the same finding. One finding on the whole run (`s`)
/// replaces the others, and makes the same metrics unreliable.
void trust_keep_some(const struct trust_scope *s, size_t from);

/// True if `part` is more than 1 % of `whole`.
static inline bool trust_is_notable(int64_t part, int64_t whole)
{
	return (__int128)part * 100 > whole;
}

/// Distance in ns of the time `at_ns` from the trace of `d`: above 0 if it is after the trace,
/// below 0 if before. 0 if the distance is at most 60 s, since recordings of one run are never
/// further apart. Also 0 if `at_ns` or the start of the trace is not a date between 2008 and 2096.
int64_t trust_apart(const struct digest *d, int64_t at_ns);

/// Append findings if the recordings show that the candidate did other work: another batch size
/// (the operations of most operators, the threads of most kernels, or the bytes of all copies
/// changed by one factor), fewer iterations, other numbers of requests, or steps of another unit or
/// kind. Also append one if the times of a recording seem to be in another unit.
void trust_find_context(const struct run *baseline, const struct run *candidate,
                        const struct trust_scope *s);

/// Append findings on figures of result files that measure other work than in the baseline, such as
/// another number of requests.
void trust_find_work(const struct run *baseline, const struct run *candidate,
                     const struct trust_scope *s);

/// Append findings on GPU activities and launches of a rank: activities that are untimed, recorded
/// twice, overlapping, too early or of no known launch, lost kernels and copies, no activity at
/// all, and steps whose wall time is not known. `other` is the same rank of the other side, or
/// NULL.
void trust_find_activities(const struct trust_scope *s, const struct digest *d,
                           const struct digest *other);

/// Append findings if the share of the GPU time with a known operator, module or place is lower
/// than in `other` by more than a percentage point, and each step has more activities without one
/// (`other` NULL: no findings). `d` and `other` are one rank, or all ranks of a folded run.
void trust_find_known(const struct trust_scope *s, const struct digest *d,
                      const struct digest *other);

/// Append a finding if judged steps have less than half of a rank's GPU time, or if their share is
/// more than a percentage point lower than in `other`, the same rank of the other side. The shares
/// are not compared if `other` is NULL, or assigns activities to steps in another way. With
/// `outside`, half is not needed: the user expects work outside of the steps, or rules judge it.
void trust_find_coverage(const struct trust_scope *s, const struct digest *d,
                         const struct digest *other, bool outside);

/// The digest of rank `rank`, or NULL if the run lacks the rank.
const struct digest *trust_rank(const struct run *run, int64_t rank);

/// Append findings on the memory figures of a rank: contradictions, a snapshot of another run,
/// histories that are missing or begin too late and, for a candidate, another number of devices and
/// the risk of running out of memory. `other` is the same rank of the other side, or NULL.
void trust_find_memory(const struct trust_scope *s, const struct digest *d,
                       const struct digest *other);

/// Append findings from comparing the ranks of a run with each other: a rank that lacks steps, ends
/// early, is stuck, has fewer collectives (or more than are kept), belongs to another run, repeats
/// the recording of another rank, or has figures of another kind. `alone`: true if there is no
/// baseline; a run that lacks ranks of its job is then unreliable. With a baseline,
/// trust_find_absent() compares which ranks the two runs have.
void trust_find_ranks(const struct run *run, bool alone, const struct trust_scope *s);

/// Append a finding for each rank that only one of the two runs has, for at most 16 ranks of a run,
/// and one on their number if there are more. Does nothing if the jobs have different numbers of
/// ranks. `s` describes the candidate's run.
void trust_find_absent(const struct run *baseline, const struct run *candidate,
                       const struct trust_scope *s);

/// The ranks of one run, for comparing them with each other. Internal to trust/: ranks.c makes it
/// and owns its lists, last_step.c uses it.
struct peers {
	const struct run *run;
	const struct trust_scope *scope;
	VEC(int64_t)
	steps; ///< numbers of the steps that at least half of the ranks with steps have, sorted
	int64_t last; ///< number of the last step in `steps`; -1 if there are no steps
	bool *named; ///< indexed as run->ranks: true if a finding names the rank already
};

/// Append a finding on the rank with index `r` in the run, and mark the rank as named.
void peers_name(struct peers *p, size_t r, const char *id, unsigned spoils, const char *message);

/// Append a finding that the rank with index `r` ends too soon. The message also says what the rank
/// did last. All metrics become unreliable, except the number of missing steps and, if the rank has
/// a memory snapshot that is used, all metrics that do not come from the trace.
void peers_name_end(struct peers *p, size_t r, const char *id, const char *message);

/// Append findings on ranks that are stuck or cut off in the last step.
void peers_find_ends(struct peers *p);

#endif
