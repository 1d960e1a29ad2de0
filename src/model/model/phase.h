/// Phases: parts of a training step (forward, …), and kinds of whole steps: of a server (prefill,
/// …) and of training that accumulates gradients (update, …).
#ifndef GG_MODEL_PHASE_H
#define GG_MODEL_PHASE_H

#include <stdint.h>

#include "base/span.h"

/// Parts of a training step, to which a report can be restricted, and kinds of whole steps.
#define ALL_PHASES(X)                                                                     \
	X(PHASE_ALL, "all")                                                                   \
	X(PHASE_FORWARD, "forward")                                                           \
	X(PHASE_BACKWARD, "backward")                                                         \
	X(PHASE_OPTIMIZER, "optimizer")                                                       \
	X(PHASE_DATALOADER, "dataloader")                                                     \
	X(PHASE_COMMUNICATION, "communication")                                               \
	X(PHASE_RECOMPUTE, "recompute") /* recomputation of activations, within backward */   \
	/* first phase that is a whole step; all later phases are whole steps too */          \
	X(PHASE_PREFILL, "prefill")                                                           \
	X(PHASE_DECODE, "decode")                                                             \
	X(PHASE_MIXED, "mixed")                                                               \
	X(PHASE_UPDATE, "update") /* step that runs the optimizer, if gradients accumulate */ \
	X(PHASE_ACCUMULATION, "accumulation") /* step that does not run the optimizer */      \
	X(PHASE_VERIFY, "verify") /* step that verifies the tokens of a draft model */        \
	X(PHASE_IDLE, "idle") /* step without requests */                                     \
	X(PHASE_OTHER, "other") /* step of a server whose name does not give one of these kinds */
enum phase {
	ALL_PHASES(ENUM_VALUE) NR_PHASES,
	NR_INNER_PHASES = PHASE_PREFILL ///< number of the phases within a step, PHASE_ALL included
};

/// Number by which a digest stores the phase of a whole step: 0 for no phase, 1 for prefill, …
static inline int64_t step_phase_code(enum phase p)
{
	return p == PHASE_ALL ? 0 : (int64_t)p - NR_INNER_PHASES + 1;
}

/// Figures that are kept of each phase within a step. Communication needs no column: all of it is
/// in the phase PHASE_COMMUNICATION, whose time is step.comm_time.
enum phase_column { PHASE_COMPUTE, PHASE_MEMCPY, PHASE_MEMSET, PHASE_KERNELS, NR_PHASE_COLUMNS };

/// Names of enum phase, ended by NULL; static.
extern const char *const phase_names[];

#endif
