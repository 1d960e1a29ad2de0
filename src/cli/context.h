/// Run context: facts about a run that no artifact holds (model, batch_size, …).
#ifndef GG_CLI_CONTEXT_H
#define GG_CLI_CONTEXT_H

#include "base/diag.h"
#include "cli/options.h"
#include "model/digest.h"

#define CONTEXT_YAML "run.yaml"
#define CONTEXT_JSON "run.json"

/// True if a file that is called CONTEXT_JSON holds a trace, a snapshot or what gpugate wrote.
bool context_is_artifact(const char *path);

/// Every --context is KEY=VALUE with a usable key and value; ST_USAGE otherwise.
GG_MUST_CHECK enum status context_check(const struct options *cli, struct diag_log *log);

/// Set the environment keys of `d` from run.yaml or run.json beside the
/// artifact at `path` and then from --context (checked), which wins. ST_USAGE
/// for an unusable file.
GG_MUST_CHECK enum status context_apply(const struct options *cli, const char *path,
                                        struct digest *d, struct diag_log *log);

/// True where a file that context_apply() might take lies beside an artifact.
bool context_may_be_beside(const char *artifact);

#endif
