/// Samples of the state of GPUs, and the figures that they are reduced to.
#ifndef GG_RESULTS_MACHINE_STAT_H
#define GG_RESULTS_MACHINE_STAT_H

#include "model/digest.h"
#include "results/value.h"

enum { NR_THROTTLE_REASONS = 5 };

/// Name of reason `i`, as drivers write it; static.
const char *machine_reason(size_t i);

/// The state of one GPU at one moment; -1 for unknown values.
struct machine_sample {
	struct span id;
	size_t order;
	int64_t time_ns;
	int64_t sm_clock_hz, memory_clock_hz, power_mw, temperature_c, busy_pct, other_processes;
	bool reasons_known;
	unsigned reasons; ///< reasons that kept the clocks down at that moment, as bits 1 << index
	int64_t counter_us[NR_THROTTLE_REASONS]; ///< time since the driver was loaded for which each
	                                         ///< reason kept the clocks down
};

/// A fact of the environment; the texts of several GPUs may differ.
struct machine_fact_text {
	const char *key;
	struct span text;
};

struct machine_samples {
	VEC(struct machine_sample) list;
	VEC(struct machine_fact_text) facts; ///< facts, without duplicates
	struct span last_id;
	size_t nr_ids; ///< number of ids in the first round of samples: at least the number of GPUs
};

/// Adds a sample of the GPU `id`; false beyond the limit of GPUs.
bool machine_add(struct machine_samples *m, struct span id, const struct machine_sample *s);

/// Keeps a fact of the environment; `v` may be NULL.
void machine_fact(struct machine_samples *m, const char *key, const struct value *v);

/// Stores all samples and facts as machines, environment and source hash of `d`.
void machine_finish(struct machine_samples *m, struct digest *d);

#endif
