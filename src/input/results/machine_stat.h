/// Samples of the state of GPUs, and the functions that turn them into figures of a digest.
#ifndef GG_RESULTS_MACHINE_STAT_H
#define GG_RESULTS_MACHINE_STAT_H

#include "model/digest.h"
#include "results/value.h"

/// Number of the reasons for which drivers keep clocks down, as far as they are read.
enum { NR_THROTTLE_REASONS = 5 };

/// Name of throttle reason `i`, as drivers write it; static.
const char *machine_reason(size_t i);

/// The state of one GPU at one moment; a value is -1 if unknown.
struct machine_sample {
	struct span id;
	size_t order;
	int64_t time_ns;
	int64_t sm_clock_hz, memory_clock_hz, power_mw, temperature_c, busy_pct, other_processes;
	int64_t energy_mj; ///< energy that the GPU has taken since the driver was loaded
	bool reasons_known;
	unsigned reasons; ///< reasons that kept the clocks down at that moment, as bits 1 << index of
	                  ///< the reason
	int64_t counter_us[NR_THROTTLE_REASONS]; ///< for each reason, the time that it has kept the
	                                         ///< clocks down since the driver was loaded
};

/// A fact about the GPUs for the environment, such as the driver; its texts may differ between
/// GPUs.
struct machine_fact_text {
	const char *key;
	struct span text;
};

/// The samples of a file, from which figures of each GPU are made.
struct machine_samples {
	VEC(struct machine_sample) list;
	VEC(struct machine_fact_text) facts; ///< facts for the digest's environment, each once
	struct span last_id;
	size_t nr_ids; ///< number of GPU ids in the first round of samples: a lower bound of the number
	               ///< of GPUs
};

/// Adds a sample of the GPU `id`; false if there are too many GPUs.
bool machine_add(struct machine_samples *m, struct span id, const struct machine_sample *s);

/// Stores a fact for the environment; `v` may be NULL, which adds nothing.
void machine_fact(struct machine_samples *m, const char *key, const struct value *v);

/// Stores all samples and facts as machines, environment and source hash of the digest `d`.
void machine_finish(struct machine_samples *m, struct digest *d);

#endif
