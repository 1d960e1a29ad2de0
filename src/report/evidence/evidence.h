/// Evidence for findings: for each finding a small trace, to be opened in a trace viewer. It shows
/// what the baseline and the candidate launch in a step.
#ifndef GG_EVIDENCE_EVIDENCE_H
#define GG_EVIDENCE_EVIDENCE_H

#include "base/diag.h"
#include "model/digest.h"
#include "model/report.h"
#include "model/view.h"

/// Largest size of a trace in bytes.
enum { EVIDENCE_BYTES = 2 << 20 };

/// What evidence is made from, and where it is written. All pointers are borrowed.
struct evidence_input {
	const struct run *side[2]; ///< runs of the baseline and of the candidate, in this order
	const struct naming *naming;
	const char *folder; ///< folder in which the files are written; created if absent
};

/// Remove the files of an earlier evidence_write() from a folder, recognized by name and content.
/// Fails with ST_OUTPUT if a file cannot be removed.
GG_MUST_CHECK enum status evidence_clear(const char *folder, struct diag_log *log);

/// For each finding that failed, write a file such as `finding-1-slower-kernel.json`. It has the
/// launches and GPU activities of the finding's operator (else of its kernel, place or module, else
/// of all) in one step of baseline and candidate, on one clock: process 0 is the baseline, process
/// 1 the candidate. If a run was just read from a recording with `reduce_options.keep_step`, it is
/// shown by a real step. A stored digest does not have single launches, but only sums in the rows
/// of its code table: the launches of each row are then shown one after the other, all with the
/// row's mean duration, which keeps the sums per step right. Sets the finding's `trace` to the path
/// of its file. Fails with ST_OUTPUT if a file cannot be written.
GG_MUST_CHECK enum status evidence_write(const struct evidence_input *in, struct report *r,
                                         struct diag_log *log);

#endif
