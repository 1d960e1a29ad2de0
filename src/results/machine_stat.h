/// Samples of the state of GPUs, and what they come to.
#ifndef GG_RESULTS_MACHINE_STAT_H
#define GG_RESULTS_MACHINE_STAT_H

#include "model/digest.h"
#include "results/value.h"

enum { NR_THROTTLE_REASONS = 5 };

/// Name of reason `i`, as drivers have it; static.
const char *machine_reason(size_t i);

/// One GPU at one moment; -1 where something is not known.
struct machine_sample {
	struct span id;
	size_t order;
	int64_t time_ns;
	int64_t sm_clock_hz, memory_clock_hz, power_mw, temperature_c, busy_pct, other_processes;
	bool reasons_known;
	unsigned reasons; ///< bits 1 << index that held the clocks down then
	int64_t counter_us[NR_THROTTLE_REASONS]; ///< time since the driver was loaded that each did
};

/// A fact of the environment; several GPUs may say different texts.
struct machine_fact_text {
	const char *key;
	struct span text;
};

struct machine_samples {
	VEC(struct machine_sample) list;
	VEC(struct machine_fact_text) facts; ///< each once
	struct span last_id;
	size_t nr_ids; ///< at least as many as there are GPUs in the first round of samples
};

/// Add a sample of the GPU `id`; false beyond the limit of GPUs.
bool machine_add(struct machine_samples *m, struct span id, const struct machine_sample *s);

/// Keep what `v` (NULL: nothing) says of the environment.
void machine_fact(struct machine_samples *m, const char *key, const struct value *v);

/// All samples and facts as machines, environment and source hash of `d`.
void machine_finish(struct machine_samples *m, struct digest *d);

#endif
