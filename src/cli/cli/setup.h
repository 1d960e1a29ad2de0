/// Setup for every command that reads runs: reads rules, categories and sites, and sets the options
/// for reading.
#ifndef GG_CLI_SETUP_H
#define GG_CLI_SETUP_H

#include "cli/options.h"
#include "model/category.h"
#include "model/diagnosis.h"
#include "model/memory.h"
#include "model/rule.h"
#include "model/view.h"
#include "reduce/reduce.h"
#include "store/digest_json.h"
#include <stdbool.h>

/// Tables and options by which a command reads runs. It owns the tables; the other members borrow
/// from them.
struct setup {
	const struct options *options;
	struct rules rules;
	struct category_table categories;
	struct result_formats formats; ///< the user's table of formats of result files
	bool own_formats; ///< false: the user has no table of formats, and the built-in one is used
	struct site_rules sites;
	struct diagnosis_rules diagnosis;
	struct naming naming; ///< how names of kernels and categories are normalized
	struct reduce_options reduce;
	bool join_cycles; ///< true if several traces of a rank may be joined
	bool rules_name_baseline; ///< true if the rules file names the workload, or the path of its
	                          ///< baseline
	const char *workload; ///< name of the workload from --workload, else from the rules
};

/// Read rules, categories and sites as the options say. Any error is ST_USAGE. The caller releases
/// with setup_release() in any case.
GG_MUST_CHECK enum status setup_init(struct setup *s, const struct options *o,
                                     struct diag_log *log);

/// Read the table of categories that the options or the rules name, else the built-in one. Add the
/// categories that the rules file itself, at `path`, defines. Any error is ST_USAGE. The caller
/// releases `out` in any case.
GG_MUST_CHECK enum status setup_categories(const struct options *o, const struct rules *rules,
                                           const char *path, struct category_table *out,
                                           struct diag_log *log);

/// Release what the setup has read.
void setup_release(struct setup *s);

/// Read every artifact that `paths` names, also in directories, into `out`: one digest per
/// artifact, sorted by rank, with traces before the snapshot (ranks_assemble()). Except for the
/// label, the result does not depend on --jobs or on the order of `paths`. ST_INPUT if an artifact
/// is unusable, if a rank has two artifacts of one kind, or if nothing was found. The caller ends
/// with run_release() in any case.
GG_MUST_CHECK enum status run_load_artifacts(const char *const *paths, size_t nr,
                                             const struct setup *s, struct run *out,
                                             struct diag_log *log);

/// Like run_load_artifacts(), but joins the artifacts of each rank into one digest. If one of the
/// digests is folded, all ranks are folded into a single digest (fold_whole()).
GG_MUST_CHECK enum status run_load(const char *const *paths, size_t nr, const struct setup *s,
                                   struct run *out, struct diag_log *log);

/// Usual path of the rules file in a repository.
#define RULES_PATH "rules/gpugate.yaml"

/// Path of the rules file: from the options, else in the current directory. NULL if the built-in
/// rules are used, as `init` always does.
const char *setup_rules_path(const struct options *o);

/// If there is no file at `path`, returns ST_BASELINE with an error that says how to create a
/// baseline.
GG_MUST_CHECK enum status setup_baseline_there(const struct options *o, const char *path,
                                               struct diag_log *log);

/// Path, within the folder of --history, of the file at `path`; NULL if it is elsewhere.
const char *setup_kept_name(const struct options *o, const char *path);

/// Path of the history of the baseline at `path`: in the directory of the baseline, or in the
/// folder of --history. Owned by `a`.
const char *setup_history_path(const struct options *o, const char *path, struct arena *a);

/// Read the baseline at `path` with its history. If there is none, the error says how to create it.
/// The caller releases with baseline_release() in any case.
GG_MUST_CHECK enum status setup_baseline_read(const struct options *o, const char *path,
                                              struct baseline *out, struct diag_log *log);

/// Replace {gpu} and {world_size} in the workload's name by values of `run`. ST_BASELINE if the run
/// does not have them.
GG_MUST_CHECK enum status setup_name_workload(struct setup *s, const struct run *run,
                                              struct diag_log *log);

/// Path of the baseline: --baseline, else the pattern of the rules with {workload}, {gpu} and
/// {world_size} replaced by values of `run` (NULL: unknown). If there is no file, the path may
/// become one in the folder of --history, in which each GPU and world size has a baseline of its
/// own. Owned by `a`. ST_BASELINE if a value is unknown.
GG_MUST_CHECK enum status setup_baseline_path(const struct setup *s, const struct run *run,
                                              struct arena *a, const char **out,
                                              struct diag_log *log);

/// Read the baseline at `*path`. If `*path` is NULL, it becomes the path from the options and
/// rules. The caller releases `out` with baseline_release() in any case.
GG_MUST_CHECK enum status setup_stored(struct setup *s, const char **path, struct baseline *out,
                                       struct diag_log *log);

/// True if there is no file of this name. A broken link, or a path that cannot be examined, does
/// not count as absent: reading it is then an error, and nothing else is used instead.
bool is_absent(const char *path);

#endif
