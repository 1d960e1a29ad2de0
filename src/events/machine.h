/// State of the GPUs beside a run: clocks, power, temperature, throttling.
#ifndef GG_EVENTS_MACHINE_H
#define GG_EVENTS_MACHINE_H

#include <stdint.h>

/// What was sampled of one GPU; -1 where a figure is not known.
struct machine_stat {
	const char *id; ///< index of the GPU, as the tool has it
	int64_t samples;
	int64_t span_ns; ///< from the first sample to the last
	int64_t sm_clock_hz,
	    memory_clock_hz; ///< medians of samples in which the GPU was busy, else of all
	int64_t power_mw; ///< the same
	int64_t temperature_c; ///< the highest
	int64_t throttled_pct; ///< 1e-6 % of the span: the longest of the driver's counters, else the
	                       ///< share of samples
	int64_t other_processes; ///< that used the GPU, at most
	const char *reasons; ///< why it was throttled: "sw_power_cap"; NULL: it was not, or not known
};

#endif
