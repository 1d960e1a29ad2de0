/// What a stored baseline remembers beside its pin: later runs, as figures of rules.
#ifndef GG_MODEL_HISTORY_H
#define GG_MODEL_HISTORY_H

#include "model/view.h"

/// Where a run came from.
struct provenance {
	const char *commit, *time, *tool, *who, *reason; ///< "" where not known; time is UTC, RFC 3339
};

/// One answer of a past run to the query of a rule.
struct past_value {
	const char *query; ///< query_text()
	struct span label;
	int64_t rank; ///< as in struct answer
	int64_t value;
	int64_t digits; ///< of a figure of a file, as in struct decimal; of others MICRO_DIGITS
};

/// A run of the past: figures that rules asked for when it was added.
struct past_run {
	struct provenance provenance;
	uint64_t source_hash; ///< of the figures of all ranks: equal for the same run
	uint64_t pin; ///< source hash of the baseline's pin at that time; 0 unknown
	const char *verdict; ///< what the gate said of it: "pass", "fail", …; "" unknown
	/// Name of the runs that were made one after the other on one machine, of which this is one;
	/// NULL: it stands alone, or that is not known.
	const char *together;
	bool accepted; ///< it counts for the reference as long as that pin is the baseline's
	int64_t ranks, steps; ///< measured steps of the rank with the most
	int64_t
	    cut; ///< values that were left out because there was no room: those of the smallest items
	VEC(struct past_value) values; ///< ordered by query, label, rank
};

/// Runs that a baseline holds beside its pin at most, and the bytes of each when stored.
enum { BASELINE_RECENT = 20, BASELINE_RECENT_BYTES = 10000 };

/// The past, oldest first; texts are owned by whom it is read from.
struct history {
	VEC(struct past_run) runs;
};

/// The query as one line that is the same for the same question, whatever rule asks it:
/// "step.compute_time stat=median ranks=median rank=3". Owned by `a`.
const char *query_text(const struct query *q, struct arena *a);

/// Order of values: query, label, rank.
int past_value_cmp(const void *a, const void *b);

/// What a past run answered to `query`: the first of `*nr` values, by label, then rank.
const struct past_value *past_query(const struct past_run *run, const char *query, size_t *nr);

/// Give the lists back, not the texts.
void history_release(struct history *h);

#endif
