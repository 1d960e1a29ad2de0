/// One step as a recording has it: what was launched, where from, and when.
#ifndef GG_EVENTS_CODE_STEP_H
#define GG_EVENTS_CODE_STEP_H

#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct code_stat;

/// An operator as it ran.
struct code_around {
	struct span name;
	int64_t start_ns, until_ns;
	uint32_t outer; ///< index + 1 of the one around it; 0: there is none
};

/// A GPU activity with its launch, or a call that waited.
struct code_launch {
	uint32_t row; ///< index into the rows of the step
	uint32_t around; ///< index + 1 of the innermost operator; 0: there is none
	uint32_t thread; ///< number of the host thread in the trace
	uint32_t lane; ///< of device and stream
	struct span name; ///< empty: it waited
	int64_t device, stream; ///< idents of the trace; -1: none
	int64_t call_start_ns, call_dur_ns;
	int64_t start_ns, dur_ns, bytes; ///< of waiting as the call
};

/// One measured step, of median length, as it happened; of a trace without steps the whole.
struct code_step {
	int64_t number, start_ns, end_ns; ///< number -1: it has none
	VEC(struct code_stat) rows; ///< where launches come from, each once
	VEC(struct code_around) around;
	VEC(struct code_launch) launches; ///< by start of the call; empty: nothing was kept
};

#endif
