/// State of the GPUs beside a run: CSV of nvidia-smi, JSON of rocm-smi, and what the recorder
/// writes.
#ifndef GG_RESULTS_MACHINE_H
#define GG_RESULTS_MACHINE_H

#include "io/source.h"
#include "model/digest.h"

/// GPUs of a file at most.
enum { MACHINE_GPUS_MAX = 256 };

/// Read `src` into the machines, the environment (machine.*) and the source hash of `d`. `*found`
/// if it is such a file; else nothing is said. ST_INPUT where it is damaged or beyond the limits.
/// **Source:** `nvidia-smi --query-gpu=… --format=csv` of drivers 470 to 590, also in the middle of
/// a log; `rocm-smi --json` of ROCm 5 and 6; ci/record/gpugate_record.py.
GG_MUST_CHECK enum status machine_read(struct source *src, struct digest *d, bool *found,
                                       struct diag_log *log);

#endif
