/// State of the GPUs during a run: clocks, power, temperature, throttling.
#ifndef GG_EVENTS_MACHINE_H
#define GG_EVENTS_MACHINE_H

#include <stdint.h>

/// Samples of the state of one GPU, summarized; -1 if a figure is unknown.
struct machine_stat {
	const char *id; ///< number of the GPU as text, as the sampling tool counts GPUs; its UUID or
	                ///< PCI bus id if the tool gives no number
	int64_t samples;
	int64_t span_ns; ///< time from the first sample to the last

	/// Median clocks of the samples in which the GPU was busy, or of all samples if it never was.
	int64_t sm_clock_hz, memory_clock_hz;
	int64_t power_mw; ///< median power over the same samples as the clocks
	int64_t temperature_c; ///< highest temperature
	int64_t throttled_pct; ///< share of `span_ns` in which the GPU was throttled, in 1e-6 %: from
	                       ///< the driver's counters of throttled time (the highest one) if known,
	                       ///< else the share of throttled samples
	int64_t other_processes; ///< largest number of other processes that used the GPU

	/// Energy in microjoules, from the driver's counter or as mean power × time; and the time over
	/// which it was measured: the intervals between samples in which the GPU was busy, or may have
	/// been.
	int64_t energy_uj, energy_ns;

	/// Reasons for which the GPU was throttled: "sw_power_cap"; NULL if it was not throttled, or if
	/// unknown.
	const char *reasons;
};

#endif
