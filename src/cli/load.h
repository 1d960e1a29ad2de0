/// RUN arguments → the digests of a run.
#ifndef GG_CLI_LOAD_H
#define GG_CLI_LOAD_H

#include "base/diag.h"
#include "cli/options.h"
#include "model/digest.h"
#include "model/memory.h"
#include "reduce/reduce.h"

struct load_options {
	const struct options *cli; ///< --rank, --context, --allow-pickle, --jobs, …
	struct reduce_options reduce;
	const struct site_rules *sites; ///< of snapshots
	const struct category_table *categories; ///< that small kernels are summed by
	const struct result_formats *const
	    *formats; ///< of result files, as struct result_reader has them
};

/// Read every artifact named by `paths`, directories included, into `out`: one
/// digest per artifact, by rank, traces before the snapshot. Nothing depends on --jobs
/// or on the order of `paths`. ST_INPUT where an artifact is unusable, a rank has two of
/// one kind or nothing was found. Caller ends with run_release() whatever the outcome.
GG_MUST_CHECK enum status run_load_artifacts(const char *const *paths, size_t nr,
                                             const struct load_options *options, struct run *out,
                                             struct diag_log *log);

/// The same, and the artifacts of a rank joined: one digest per rank.
GG_MUST_CHECK enum status run_load(const char *const *paths, size_t nr,
                                   const struct load_options *options, struct run *out,
                                   struct diag_log *log);

#endif
