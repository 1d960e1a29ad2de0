/// History of a stored baseline: the runs that were added after its pin (the approved run), with
/// the figures that rules asked for.
#ifndef GG_MODEL_HISTORY_H
#define GG_MODEL_HISTORY_H

#include "model/view.h"

/// Where a run is from: its commit, time and version of gpugate; and who approved it, and why.
struct provenance {
	/// Texts, "" if unknown. The time is UTC, RFC 3339; `tool` is the version of gpugate.
	const char *commit, *time, *tool, *who, *reason;
	const char *built_in; ///< short hash of each built-in rule (rules_marks()); NULL if unknown
};

/// One answer of a past run to the query of a rule.
struct past_value {
	const char *query; ///< text of the query, as query_text() writes it
	struct span label;
	int64_t rank; ///< number of the rank; -1 if the value is not about one rank
	int64_t value;
	int64_t digits; ///< decimal places of the value; MICRO_DIGITS except for result files
};

/// A past run, with the figures that rules asked for when the run was added to the history.
struct past_run {
	struct provenance provenance;
	uint64_t source_hash; ///< hash of the figures of all ranks: equal for the same run
	uint64_t pin; ///< source hash of the baseline's pin when the run was added; 0 if unknown
	const char *verdict; ///< verdict of the gate: "pass", "fail", …; "" if unknown

	/// Name of the group of runs that were made one after the other on one machine; NULL if the run
	/// is in no group, or if that is unknown.
	const char *together;
	bool accepted; ///< true if the run counts for the reference (the median with which candidates
	               ///< are compared) of the baseline that has this `pin`
	/// kind of recording that memory figures are from, such as "snapshot" (memory_source_names);
	/// NULL if an older version wrote the run
	const char *memory;
	int64_t ranks, steps; ///< number of ranks; measured steps of the rank with the most

	/// Number of values that were left out for lack of room (past_run_fit()).
	int64_t cut;
	VEC(struct past_value) values; ///< values sorted by query, label, rank
};

/// Largest number of runs that a baseline keeps besides its pin, and largest size of each in bytes.
enum { BASELINE_RECENT = 20, BASELINE_RECENT_BYTES = 10000 };

/// Past runs, the oldest first. The texts are owned by the source that they were read from.
struct history {
	VEC(struct past_run) runs;
};

/// The query as one line, such as "step.compute_time stat=median ranks=median rank=3". The line is
/// equal for rules that ask for the same figure. Owned by `a`.
const char *query_text(const struct query *q, struct arena *a);

/// Like query_text(), for memory figures of the trace, in a run whose memory figures otherwise come
/// from another source (past_run.memory).
const char *query_text_of_trace(const struct query *q, struct arena *a);

/// Compares two values by query, label and rank.
int past_value_cmp(const void *a, const void *b);

/// The answers of a past run to `query`, sorted by label, then rank. Returns the first one; `*nr`
/// becomes their number, 0 if the run lacks the query.
const struct past_value *past_query(const struct past_run *run, const char *query, size_t *nr);

/// Releases the lists, but not the texts.
void history_release(struct history *h);

#endif
