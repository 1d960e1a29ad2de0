/// State of the GPUs during a run: clocks, power, temperature, throttling.
#ifndef GG_EVENTS_MACHINE_H
#define GG_EVENTS_MACHINE_H

#include <stdint.h>

/// Samples of the state of one GPU, summarized; -1 if a figure is unknown.
struct machine_stat {
	const char *id; ///< index of the GPU, as the sampling tool numbers it
	int64_t samples;
	int64_t span_ns; ///< time from the first sample to the last
	/// Median clocks of samples in which the GPU was busy, else of all samples.
	int64_t sm_clock_hz, memory_clock_hz;
	int64_t power_mw; ///< median power of the samples that the clocks are from
	int64_t temperature_c; ///< highest temperature
	int64_t throttled_pct; ///< throttled share of the span in 1e-6 %: by the driver's counter that
	                       ///< counts most, else by samples
	int64_t other_processes; ///< largest number of other processes that used the GPU
	/// Why the GPU was throttled: "sw_power_cap"; NULL if it was not, or if unknown.
	const char *reasons;
};

#endif
