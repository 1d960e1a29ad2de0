/// A digest with some rows of every kind, for tests of the code that reads digests.
#ifndef GG_TESTS_SAMPLE_DIGEST_H
#define GG_TESTS_SAMPLE_DIGEST_H

#include "model/digest.h"

/// One memory with the figures that every kind of recording has; its other figures are unknown.
static inline struct memory_stat sample_memory(const char *id, enum memory_source source,
                                               int64_t peak)
{
	return (struct memory_stat){
		.id = id,
		.source = source,
		.events = 9,
		.peak_allocated = peak,
		.peak_reserved = 5000,
		.end_allocated = 1000,
		.end_reserved = 4000,
		.reserved_at_peak = 5000,
		.alloc_count = 5,
		.free_count = 4,
		.churn_bytes = 6000,
		.growth_per_step = MEMORY_UNKNOWN,
		.capacity = MEMORY_UNKNOWN,
		.end_requested = MEMORY_UNKNOWN,
		.inactive = MEMORY_UNKNOWN,
		.largest_inactive = MEMORY_UNKNOWN,
		.segment_count = MEMORY_UNKNOWN,
		.segment_churn = MEMORY_UNKNOWN,
		.oom_count = MEMORY_UNKNOWN,
		.peak_persistent = MEMORY_UNKNOWN,
		.peak_carried = MEMORY_UNKNOWN,
		.peak_transient = MEMORY_UNKNOWN,
	};
}

/// A digest with two steps of 100 and 300 ms on the host, which end 200 and 600 ms after the
/// previous step, on one device; kernels `alpha_gemm` (with a shape), `ncclAllReduce` and one
/// Triton kernel under two numbered names; copies in two directions and one memory. Caller releases
/// with digest_free().
static inline struct digest *sample_digest(int64_t rank)
{
	struct digest *d = digest_new();
	d->trace = "rank.json";
	d->source_hash = 0xFEDCBA9876543210u;
	d->rank = rank;
	d->world_size = 2;
	d->marker = "ProfilerStep#*";
	d->communication = "nccl rccl";
	d->attribution = ATTRIBUTION_LAUNCH;
	d->events = 1000;
	d->total_steps = 3;
	d->warmup = 1;
	digest_set_env(d, SPAN("gpu.name"), SPAN("NVIDIA \"A100\"/80GB"));
	digest_set_env(d, SPAN("samples_per_step"), SPAN("256"));
	d->trust = (struct trust_counts){
		.gpu_events = 40, .with_launch = 39, .carried_over = 1, .gpu_ns = 123
	};
	digest_set_steps(d, 2);
	d->usable_steps = 2;
	for (int i = 0; i < 2; i++) {
		d->step_numbers[i] = 7 + i;
		d->step_activities[i] = 20;
		for (int m = 0; m < NR_STEP_METRICS; m++)
			d->samples[m][i] = (m + 1) * 1000 + i;
	}
	static const struct {
		enum metric_id id;
		int64_t ms[2];
	} wall[] = {
		{ METRIC_STEP_TIME, { 100, 300 } },
		{ METRIC_STEP_PERIOD, { 200, 600 } },
		{ METRIC_STEP_LATENCY, { 250, 700 } },
		{ METRIC_STEP_PERIOD_COMPUTE, { 120, 360 } },
		{ METRIC_STEP_PERIOD_EXPOSED_COMM, { 20, 60 } },
		{ METRIC_STEP_PERIOD_EXPOSED_MEMORY, { 10, 30 } },
		{ METRIC_STEP_IDLE_TIME, { 50, 150 } },
	};
	for (size_t k = 0; k < sizeof wall / sizeof *wall; k++)
		for (int i = 0; i < 2; i++)
			d->samples[wall[k].id][i] = wall[k].ms[i] * 1000000;
	const struct kernel_stat kernels[] = {
		{ .kind = EVENT_KERNEL,
		  .name = SPAN("alpha_gemm"),
		  .count = 7,
		  .total_ns = 700,
		  .max_ns = 150,
		  .step_count = 6,
		  .step_total_ns = 600,
		  .step_max_ns = 140,
		  .grid = { 4, 106, 1 },
		  .block = { 128, 1, 1 },
		  .shapes = 2,
		  .occupancy = 50000000 },
		{ .kind = EVENT_KERNEL,
		  .name = SPAN("ncclAllReduce"),
		  .count = 2,
		  .total_ns = 90,
		  .max_ns = 50,
		  .step_count = 2,
		  .step_total_ns = 90,
		  .step_max_ns = 50,
		  .grid = { -1, -1, -1 },
		  .block = { -1, -1, -1 },
		  .occupancy = -1 },
		{ .kind = EVENT_KERNEL,
		  .name = SPAN("triton_mul_3"),
		  .count = 2,
		  .total_ns = 100,
		  .max_ns = 60,
		  .step_count = 2,
		  .step_total_ns = 100,
		  .step_max_ns = 60,
		  .grid = { 1, 1, 1 },
		  .block = { 32, 1, 1 },
		  .shapes = 1,
		  .occupancy = 20000000 },
		{ .kind = EVENT_KERNEL,
		  .name = SPAN("triton_mul_4_5"),
		  .count = 3,
		  .total_ns = 300,
		  .max_ns = 120,
		  .step_count = 3,
		  .step_total_ns = 300,
		  .step_max_ns = 120,
		  .grid = { 2, 1, 1 },
		  .block = { 64, 1, 1 },
		  .shapes = 1,
		  .occupancy = 40000000 },
		{ .kind = EVENT_MEMCPY,
		  .name = SPAN("CopyHostToDevice"),
		  .count = 1,
		  .total_ns = 20,
		  .max_ns = 20,
		  .bytes = 1000,
		  .step_count = 1,
		  .step_total_ns = 20,
		  .step_max_ns = 20,
		  .step_bytes = 1000,
		  .grid = { -1, -1, -1 },
		  .block = { -1, -1, -1 },
		  .occupancy = -1 },
		{ .kind = EVENT_MEMCPY,
		  .name = SPAN("Memcpy DtoH (Device -> Pinned)"),
		  .count = 1,
		  .total_ns = 10,
		  .max_ns = 10,
		  .bytes = 5,
		  .step_count = 1,
		  .step_total_ns = 10,
		  .step_max_ns = 10,
		  .step_bytes = 5,
		  .grid = { -1, -1, -1 },
		  .block = { -1, -1, -1 },
		  .occupancy = -1 },
		{ .kind = EVENT_MEMCPY,
		  .name = SPAN("Memcpy HtoD (Pageable -> Device)"),
		  .count = 3,
		  .total_ns = 40,
		  .max_ns = 20,
		  .bytes = 3000,
		  .step_count = 3,
		  .step_total_ns = 40,
		  .step_max_ns = 20,
		  .step_bytes = 3001,
		  .grid = { -1, -1, -1 },
		  .block = { -1, -1, -1 },
		  .occupancy = -1 },
		{ .kind = EVENT_MEMSET,
		  .name = SPAN("Memset (Device)"),
		  .count = 1,
		  .total_ns = 5,
		  .max_ns = 5,
		  .bytes = 64,
		  .step_count = 1,
		  .step_total_ns = 5,
		  .step_max_ns = 5,
		  .step_bytes = 64,
		  .grid = { -1, -1, -1 },
		  .block = { -1, -1, -1 },
		  .occupancy = -1 },
	};
	for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
		vec_push(&d->kernels, kernels[i]);
	vec_push(&d->devices, (struct device_stat){ "0", 3, 40, 1000, 800, 600, 90, 30, 900, 450 });
	vec_push(&d->ops, (struct op_stat){ SPAN("aten::add"), 4, 401, 301, 0 });
	vec_push(&d->ops, (struct op_stat){ SPAN("aten::mul"), 1, 10, 10, 0 });
	vec_push(&d->flops, (struct flop_stat){ .op = SPAN("aten::bmm"),
	                                        .type = FLOP_FLOAT8,
	                                        .count = 2,
	                                        .flops = 1200,
	                                        .uncounted = 0,
	                                        .gpu_ns = 70 });
	vec_push(&d->flops, (struct flop_stat){ .op = SPAN("aten::mm"),
	                                        .type = FLOP_OTHER,
	                                        .count = 0,
	                                        .flops = 0,
	                                        .uncounted = 3,
	                                        .gpu_ns = 80 });
	vec_push(&d->flops, (struct flop_stat){ .op = SPAN("aten::mm"),
	                                        .type = FLOP_BFLOAT16,
	                                        .count = 1,
	                                        .flops = INT64_MAX,
	                                        .uncounted = 0,
	                                        .gpu_ns = 0 });
	vec_push(&d->threads, (struct thread_stat){ "12/34", 777, 0, 700 });
	vec_push(&d->calls, (struct call_stat){ CALL_LAUNCH, SPAN("cudaLaunchKernel"), 9, 90, 0 });
	vec_push(&d->calls, (struct call_stat){ CALL_SYNC, SPAN("cudaStreamSynchronize"), 1, 30, 0 });
	const struct code_stat code[] = {
		{ CODE_KERNEL, PHASE_ALL, SPAN("Net\nLinear"), SPAN("model.py:forward"), 7,
		  SPAN("aten::linear\naten::addmm"), code_kernel_key(SPAN("alpha_gemm")), 6, 600, 0, 0 },
		{ CODE_KERNEL, PHASE_BACKWARD, SPAN("Net"), SPAN(""), -1, SPAN("aten::mul"), 0, 5, 401, 0,
		  2 },
		{ CODE_MEMCPY, PHASE_ALL, SPAN(""), SPAN("data.py:load"), 31, SPAN("aten::copy_"),
		  code_kernel_key(SPAN("CopyHostToDevice")), 1, 20, 1000, 0 },
		{ CODE_SYNC, PHASE_ALL, SPAN(""), SPAN("train.py:log"), 12, SPAN("aten::item"), 0, 3, 31, 0,
		  0 },
	};
	for (size_t i = 0; i < sizeof code / sizeof *code; i++)
		vec_push(&d->code, code[i]);
	vec_push(&d->ranges, (struct range_stat){ SPAN("forward"), 7, 605, 0 });
	struct memory_stat memory = sample_memory("0", MEMORY_OF_TRACE, 4000);
	memory.growth_per_step = -12;
	vec_push(&d->memories, memory);
	vec_push(&d->machines, (struct machine_stat){ .id = "0",
	                                              .samples = 3,
	                                              .span_ns = 2000000000,
	                                              .sm_clock_hz = 1980000000,
	                                              .energy_uj = 600000000,
	                                              .energy_ns = 1000000000,
	                                              .memory_clock_hz = 2619000000,
	                                              .power_mw = 631950,
	                                              .temperature_c = 59,
	                                              .throttled_pct = 250000,
	                                              .other_processes = 0,
	                                              .reasons = "sw_power_cap" });
	d->metrics_file = "bench.json";
	vec_push(&d->inputs, (struct input_stat){ .name = "accuracy",
	                                          .value = 7612,
	                                          .digits = 4,
	                                          .spread_share = -1,
	                                          .spread = -1,
	                                          .micro = INPUT_EXACT });
	vec_push(&d->inputs, (struct input_stat){ .name = "tokens_per_s",
	                                          .value = 1234,
	                                          .digits = 1,
	                                          .unit = "tok/s",
	                                          .better = "higher",
	                                          .samples = 3,
	                                          .spread_share = 16207455,
	                                          .spread = -1,
	                                          .micro = INPUT_EXACT });
	return d;
}

/// The digest of a snapshot with two memories of one rank, "0" and "3"; every list has rows, and
/// every number that may be negative is negative.
static inline struct digest *sample_snapshot(int64_t rank)
{
	struct digest *d = digest_new();
	d->snapshot = "rank.snapshot.json";
	d->source_hash = 99;
	d->rank = rank;
	d->marker = d->communication = "";
	digest_set_steps(d, 0);
	for (int i = 0; i < 2; i++) {
		const char *id = i ? "3" : "0";
		struct memory_stat m = sample_memory(id, MEMORY_OF_SNAPSHOT, 8000 + i);
		m.growth_per_step = i ? 4096 : MEMORY_UNKNOWN;
		m.capacity = i ? MEMORY_UNKNOWN : 10000;
		m.end_requested = 900;
		m.inactive = 3000;
		m.largest_inactive = 2000;
		m.segment_count = 4;
		m.segment_churn = m.oom_count = 0;
		m.reserved_at_peak = i ? -512 : 9000;
		m.peak_persistent = 8512;
		m.peak_carried = 0;
		m.peak_transient = -512;
		vec_push(&d->memories, m);
		for (int list = 0; list < NR_MEMORY_LISTS; list++)
			for (int k = 0; k < 2; k++) /* two equal rows, which a digest may have */
				vec_push(&d->memory_items,
				         (struct memory_item){ id, (enum memory_list)list, SPAN("loss"),
				                               (enum site_kind)(list % 6), SPAN("t/train.py"),
				                               SPAN("f\xff"), 12, -512, -1, 500, 3 });
		vec_push(&d->memory_levels, (struct memory_level){ id, 0, -1, -1024, 0 });
		vec_push(&d->memory_levels, (struct memory_level){ id, 7, 123456, 8000, -5 });
		vec_push(&d->memory_evidence,
		         (struct memory_evidence){ id, true, i, false, 1, 2, 3, -1024, 5 });
	}
	return d;
}

#endif
