/// The context of a run: facts that no artifact contains (model, batch_size, …).
#ifndef GG_CLI_CONTEXT_H
#define GG_CLI_CONTEXT_H

#include "base/diag.h"
#include "cli/options.h"
#include "model/digest.h"

#define CONTEXT_YAML "run.yaml"
#define CONTEXT_JSON "run.json"

/// True if a file called CONTEXT_JSON is a trace, a snapshot or a file of gpugate instead.
bool context_is_artifact(const char *path);

/// Check that every --context is KEY=VALUE with a usable key and value; ST_USAGE otherwise.
GG_MUST_CHECK enum status context_check(const struct options *cli, struct diag_log *log);

/// Set the environment keys of the digest `d` from run.yaml or run.json in the folder of the
/// artifact at `path`, then from --context (already checked), which takes precedence. ST_USAGE if a
/// file is unusable.
GG_MUST_CHECK enum status context_apply(const struct options *cli, const char *path,
                                        struct digest *d, struct diag_log *log);

/// True if the artifact's folder has a file that context_apply() would use.
bool context_may_be_beside(const char *artifact);

#endif
