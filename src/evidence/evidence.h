/// Evidence of failed findings: a small trace each, of what both sides launch in a step, as trace
/// viewers show it.
#ifndef GG_EVIDENCE_EVIDENCE_H
#define GG_EVIDENCE_EVIDENCE_H

#include "base/diag.h"
#include "model/digest.h"
#include "model/report.h"
#include "model/view.h"

/// What a trace has at most, in bytes.
enum { EVIDENCE_BYTES = 2 << 20 };

struct evidence_input {
	const struct run *side[2]; ///< baseline, candidate
	const struct naming *naming;
	const char *folder; ///< made where there is none
};

/// Remove from a folder what evidence_write() put there in an earlier run, by name and content.
/// ST_OUTPUT where that cannot be done.
GG_MUST_CHECK enum status evidence_clear(const char *folder, struct diag_log *log);

/// For each finding that failed write `finding-1-slower-kernel.json` with the launches and GPU
/// activities of its operator (else kernel, else place, else module; else of all) in one step of
/// both sides: process 0 is the baseline, process 1 the candidate, on one clock. A side that was
/// read from a recording with `reduce_options.keep_step` shows a step as it was. Digests keep no
/// single launches: of those all of one row take the mean, one behind the other; sums per step are
/// those of the digest. The finding's `trace` names the file. ST_OUTPUT where one cannot be
/// written.
GG_MUST_CHECK enum status evidence_write(const struct evidence_input *in, struct report *r,
                                         struct diag_log *log);

#endif
