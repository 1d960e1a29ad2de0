/// Trust findings: what makes which figures of a run unreliable, and the functions that each look
/// for one kind of finding.
#ifndef GG_TRUST_FINDING_H
#define GG_TRUST_FINDING_H

#include "model/digest.h"
#include "model/report.h"

/// The report to which findings are added, and the run and rank that they are about. `rank` is -1
/// for findings on a whole run.
struct trust_scope {
	struct report *out;
	bool candidate;
	int64_t rank;
	const char *who; ///< the run that the finding is about, such as "run 2 of the candidate"; NULL:
	                 ///< the name of the side
	bool by_trace; ///< true if memory is judged by the traces, not by the snapshots beside them
};

/// Append a finding; its message begins with the name of the side. `spoils`: the metrics that it
/// makes unreliable, as bits of enum rests_on; 0: the finding only warns. Returns the finding,
/// which the next call may move.
struct trust_finding *trust_add(const struct trust_scope *s, const char *id, unsigned spoils,
                                const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/// Many ranks of a folded run may have the same finding. Keeps at most 16 findings of each kind,
/// among those from index `from` on. The others are replaced by one finding on the whole run (`s`),
/// which makes unreliable every metric that one of them made unreliable.
void trust_keep_some(const struct trust_scope *s, size_t from);

/// True if `part` is more than 1 % of `whole`.
static inline bool trust_is_notable(int64_t part, int64_t whole)
{
	return (__int128)part * 100 > whole;
}

/// Time in ns from the end of the trace of `d` to `at_ns`, below 0 where `at_ns` lies before its
/// start, if it is more than 60 s, which recordings of one run never lie apart. Else 0, also where
/// one of the times is not known as a time of day: those lie between 2008 and 2096.
int64_t trust_apart(const struct digest *d, int64_t at_ns);

/// Append a finding if the candidate ran with another batch size than the baseline: one factor
/// scales the operations of most operators, the threads of most kernels, or the bytes of all
/// copies.
void trust_find_context(const struct run *baseline, const struct run *candidate,
                        const struct trust_scope *s);

/// Append a finding for figures of files whose work is another than in the baseline, such as
/// another number of requests.
void trust_find_work(const struct run *baseline, const struct run *candidate,
                     const struct trust_scope *s);

/// Append findings on what the account of a rank says of its GPU activities and launches: untimed,
/// recorded twice, overlapping, lost. `other` is the same rank of the other side, or NULL.
void trust_find_activities(const struct trust_scope *s, const struct digest *d,
                           const struct digest *other);

/// Append findings on the parts of the GPU time with a known operator, module or place, compared
/// with the other side, if there is one: of a rank, or of all ranks of a folded run.
void trust_find_known(const struct trust_scope *s, const struct digest *d,
                      const struct digest *other);

/// Append findings on the part of the GPU time that judged steps hold, compared with the other
/// side; `outside` is true if work outside of the steps is meant, or judged too.
void trust_find_coverage(const struct trust_scope *s, const struct digest *d,
                         const struct digest *other, bool outside);

/// The digest of rank `rank`, or NULL if the run lacks the rank.
const struct digest *trust_rank(const struct run *run, int64_t rank);

/// Append contradictions within the memory figures of a rank and, for a candidate, the risk of
/// running out of memory; and histories that begin later than those of the same rank of the other
/// side, or NULL.
void trust_find_memory(const struct trust_scope *s, const struct digest *d,
                       const struct digest *other);

/// Append findings from comparing the ranks of a run: a rank that lacks steps, ends early, is
/// stuck, has fewer collectives, or has figures of another kind. Each finding names the last
/// activity of its rank. Figures of a run that lacks ranks of its job are unreliable if it is
/// `alone`; beside a baseline trust_find_absent() decides.
void trust_find_ranks(const struct run *run, bool alone, const struct trust_scope *s);

/// Append a finding for each rank that only one side has; `s` describes the candidate's run.
void trust_find_absent(const struct run *baseline, const struct run *candidate,
                       const struct trust_scope *s);

/// The ranks of one run, compared with each other. Internal to trust/: ranks.c makes it and owns
/// its lists, last_step.c uses it.
struct peers {
	const struct run *run;
	const struct trust_scope *scope;
	VEC(int64_t) steps; ///< numbers of the steps that at least half of the ranks have, sorted
	int64_t last; ///< number of the last step in `steps`; -1 if there are no steps
	bool *named; ///< indexed by rank: true if a finding names the rank already
	int64_t *values; ///< scratch memory, one value per rank
};

/// Append a finding on rank `r` and mark the rank as named.
void peers_name(struct peers *p, size_t r, const char *id, unsigned spoils, const char *message);

/// Append a finding that rank `r` ends too soon. The message also names the rank's last activity.
/// All metrics of the trace become unreliable, except the number of missing steps.
void peers_name_end(struct peers *p, size_t r, const char *id, const char *message);

/// Append findings on ranks that are stuck or cut off in the last step.
void peers_find_ends(struct peers *p);

#endif
