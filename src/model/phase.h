/// Phases of steps.
#ifndef GG_MODEL_PHASE_H
#define GG_MODEL_PHASE_H

#include <stdint.h>

/// Parts of a training step, which a report can be narrowed to, and kinds of a server's steps.
enum phase {
	PHASE_ALL,
	PHASE_FORWARD,
	PHASE_BACKWARD,
	PHASE_OPTIMIZER,
	PHASE_DATALOADER,
	PHASE_COMMUNICATION,
	PHASE_RECOMPUTE, ///< of activations, within backward
	PHASE_PREFILL, ///< from here on each is of whole steps
	PHASE_DECODE,
	PHASE_MIXED,
	NR_PHASES,
	NR_INNER_PHASES = PHASE_PREFILL ///< those within a step, with PHASE_ALL
};

/// How the steps of a digest name the phase that they are of as a whole: 0 none, 1 prefill, …
static inline int64_t step_phase_code(enum phase p)
{
	return p == PHASE_ALL ? 0 : (int64_t)p - NR_INNER_PHASES + 1;
}

/// What is kept of each phase within a step. All communication kernels are of
/// PHASE_COMMUNICATION: step.comm_time has them.
enum phase_column { PHASE_COMPUTE, PHASE_MEMCPY, PHASE_MEMSET, PHASE_KERNELS, NR_PHASE_COLUMNS };

/// Names of enum phase, ended by NULL; static.
extern const char *const phase_names[];

#endif
