/// From the RUN arguments of a command to the digests of a run.
#ifndef GG_CLI_LOAD_H
#define GG_CLI_LOAD_H

#include "base/diag.h"
#include "cli/options.h"
#include "model/digest.h"
#include "model/memory.h"
#include "reduce/reduce.h"

/// How artifacts are read and reduced. The tables are borrowed.
struct load_options {
	const struct options *cli; ///< options such as --rank, --context and --jobs
	struct reduce_options reduce;
	bool join_cycles; ///< true if several traces of a rank may be joined
	const struct site_rules *sites; ///< rules for the sites of snapshots
	const struct category_table *categories; ///< categories by which small kernels are summed up
	const struct result_formats *results; ///< formats of result files in the rules
	const struct result_formats *formats; ///< table that is tried after it; NULL: the built-in one
};

/// Read every artifact that `paths` names, also in directories, into `out`: one digest per
/// artifact, sorted by rank, traces before the snapshot. The result does not depend on --jobs or on
/// the order of `paths`. ST_INPUT if an artifact is unusable, a rank has two artifacts of one kind,
/// or nothing was found. The caller ends with run_release() in any case.
GG_MUST_CHECK enum status run_load_artifacts(const char *const *paths, size_t nr,
                                             const struct load_options *options, struct run *out,
                                             struct diag_log *log);

/// Like run_load_artifacts(), but joins the artifacts of each rank into one digest.
GG_MUST_CHECK enum status run_load(const char *const *paths, size_t nr,
                                   const struct load_options *options, struct run *out,
                                   struct diag_log *log);

#endif
