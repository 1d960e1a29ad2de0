/// Steps of servers: what a step does as a whole, by the name of its annotation.
#ifndef GG_REDUCE_STEP_PHASE_H
#define GG_REDUCE_STEP_PHASE_H

#include "base/span.h"
#include "model/digest.h"

/// PHASE_PREFILL, PHASE_DECODE, PHASE_MIXED, or PHASE_ALL where the name does not say.
/// **Source:** vLLM, vllm/v1/worker/gpu_worker.py, annotate_profile(): from 0.14 on
/// execute_context_2(300)_generation_5(5), with detailed_trace_annotation (pull request 37524)
/// execute_305_context_2(sq300sk…)_generation_5(sq5sk…). SGLang, srt/utils/profile_utils.py,
/// build_step_span_name(): step[EXTEND bs=2 toks=300], step[DECODE bs=5], by enum ForwardMode.
enum phase step_phase_of(struct span name);

#endif
