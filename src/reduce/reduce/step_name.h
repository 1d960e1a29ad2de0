/// Reads the name of a step: its number, and the facts that it gives about a step of an inference
/// server.
#ifndef GG_REDUCE_STEP_NAME_H
#define GG_REDUCE_STEP_NAME_H

#include "base/arena.h"
#include "base/span.h"
#include "model/digest.h"

/// The integer at the end of the name; -1 if there is no integer, or if it exceeds int64.
int64_t step_number_of(struct span name);

/// The facts that the name of a step of an inference server gives. Tokens are those of prompts.
struct step_told {
	enum phase phase; ///< phase of the whole step, such as PHASE_DECODE; PHASE_ALL for other names
	int64_t requests, tokens; ///< number of requests, and of tokens, in the step; 0 if unknown
};

/// Reads the name of a step of vLLM or SGLang. vLLM writes execute_context_2(300)_generation_5(5)
/// from 0.14 on or, with detailed_trace_annotation (pull request 37524),
/// execute_305_context_2(sq300sk…)_generation_5(sq5sk…); earlier, execute_new_2_cached_5 for 7
/// requests. SGLang writes step[EXTEND bs=2 toks=300] or step[DECODE bs=5], by enum ForwardMode.
/// **Source:** annotate_profile(), vllm/v1/worker/gpu_worker.py; build_step_span_name(),
/// srt/utils/profile_utils.py of SGLang.
struct step_told step_told_by(struct span name);

/// The step marker that matches `name` and the names of similar steps: "execute_*" for vLLM and
/// "step[*" for SGLang. For other names, it is the name up to its first number and "*", or the
/// whole name if it has no number. It is owned by `a`, or borrowed from `name`. `*server` becomes
/// true for vLLM and SGLang, else false.
struct span marker_pattern_of(struct span name, struct arena *a, bool *server);

#endif
