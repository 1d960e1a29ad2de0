/// Reads the state of the GPUs during a run: CSV of nvidia-smi, JSON of rocm-smi, and the
/// recorder's own files.
#ifndef GG_RESULTS_MACHINE_H
#define GG_RESULTS_MACHINE_H

#include "io/source.h"
#include "model/digest.h"

/// Largest number of GPUs in a file.
enum { MACHINE_GPUS_MAX = 256 };

/// Reads `src` into the machines, the environment (machine.*) and the source hash of the digest
/// `d`. `*found` is set if `src` is such a file; else no message is written. ST_INPUT if the file
/// is damaged or beyond the limits. **Source:** `nvidia-smi --query-gpu=… --format=csv` of drivers
/// 470 to 590, also in the middle of a log; `rocm-smi --json` of ROCm 5 and 6;
/// ci/record/gpugate_record.py.
GG_MUST_CHECK enum status machine_read(struct source *src, struct digest *d, bool *found,
                                       struct diag_log *log);

#endif
