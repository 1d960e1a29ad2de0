/// What every command that reads runs needs first: rules, categories, sites, options of reading.
#ifndef GG_CLI_SETUP_H
#define GG_CLI_SETUP_H

#include "cli/load.h"
#include "cli/options.h"
#include "model/category.h"
#include "model/diagnosis.h"
#include "model/memory.h"
#include "model/rule.h"
#include "model/view.h"
#include "store/digest_json.h"

struct setup {
	struct rules rules;
	struct category_table categories;
	struct result_formats formats;
	const struct result_formats *format_tables[3]; ///< those of the rules, then all others; NULL
	struct site_rules sites;
	struct diagnosis_rules diagnosis;
	struct naming naming; ///< over rules and categories
	struct load_options load;
	const char *workload; ///< --workload, else what the rules say
};

/// Read rules, categories and sites as the command line says. ST_USAGE on any error.
/// Caller releases with setup_release() whatever the outcome.
GG_MUST_CHECK enum status setup_init(struct setup *s, const struct options *o,
                                     struct diag_log *log);

/// The categories that the command line names, and what `rules`, read from `path`, add to them.
/// ST_USAGE on any error. Caller releases `out` whatever the outcome.
GG_MUST_CHECK enum status setup_categories(const struct options *o, const struct rules *rules,
                                           const char *path, struct category_table *out,
                                           struct diag_log *log);

/// Give the memory back.
void setup_release(struct setup *s);

/// Where a repository has its rules.
#define RULES_PATH "rules/gpugate.yaml"

/// Path of the rules file that the options and the current directory name, or
/// NULL for the built-in rules, which `init` always takes.
const char *setup_rules_path(const struct options *o);

/// True where setup_baseline_path() needs to know the run.
bool setup_baseline_needs_run(const struct setup *s, const struct options *o);

/// ST_BASELINE where there is no file at `path`, and how to make one.
GG_MUST_CHECK enum status setup_baseline_there(const char *path, struct diag_log *log);

/// Path of the history of the baseline at `path`: beside it, or where --history says. Owned by `a`.
const char *setup_history_path(const struct options *o, const char *path, struct arena *a);

/// Read the baseline at `path` with its history; where there is none, the error says how to make
/// one. Caller releases with baseline_release() whatever the outcome.
GG_MUST_CHECK enum status setup_baseline_read(const struct options *o, const char *path,
                                              struct baseline *out, struct diag_log *log);

/// Fill in {gpu} and {world_size} of the workload's name from `run`. ST_BASELINE where it asks for
/// what the run does not say.
GG_MUST_CHECK enum status setup_name_workload(struct setup *s, const struct run *run,
                                              struct diag_log *log);

/// Path of the baseline: --baseline, else the pattern of the rules with
/// {workload}, {gpu} and {world_size} filled in from `run` (NULL: none known).
/// Owned by `a`. ST_BASELINE where the pattern asks for what is not known.
GG_MUST_CHECK enum status setup_baseline_path(const struct setup *s, const struct options *o,
                                              const struct run *run, struct arena *a,
                                              const char **out, struct diag_log *log);

#endif
