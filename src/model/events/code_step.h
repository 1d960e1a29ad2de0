/// One step as recorded: each launch with its time and the place in the code that made it.
#ifndef GG_EVENTS_CODE_STEP_H
#define GG_EVENTS_CODE_STEP_H

#include <stdint.h>

#include "base/span.h"
#include "base/vec.h"

struct code_stat;

/// One call of an operator on the host.
struct code_around {
	struct span name;
	int64_t start_ns, until_ns;
	uint32_t outer; ///< index + 1 of the operator around this operator; 0 if there is none
};

/// A GPU activity with the host call that launched it, or a host call that waited for the GPU.
struct code_launch {
	uint32_t row; ///< index in code_step.rows: where in the code the call was made
	uint32_t around; ///< index + 1 of the innermost operator around the launch; 0 if there is none
	uint32_t thread; ///< number of the host thread; the threads of the trace are counted from 0
	uint32_t lane; ///< index of the pair of device and stream on which the activity ran
	struct span name; ///< name of the activity; empty if the element is a call that waited
	int64_t device, stream; ///< ids in the trace of the activity's device and stream (idents, see
	                        ///< event.h); -1 if there are none
	int64_t call_start_ns, call_dur_ns;
	int64_t start_ns, dur_ns, bytes; ///< start, duration and bytes of the activity; start and
	                                 ///< duration of a call that waited
};

/// One measured step, of median length; for a trace without steps, the whole trace.
struct code_step {
	int64_t number, start_ns, end_ns; ///< number of the step, -1 if unknown; start and end of the
	                                  ///< step
	/// one row for each combination of phase, operators, module, place in the code, and name of the
	/// activity (or waiting)
	VEC(struct code_stat) rows;
	VEC(struct code_around) around;
	/// launches, sorted by start of the call; empty if no step is kept
	VEC(struct code_launch) launches;
};

#endif
