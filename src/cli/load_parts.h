/// The parts that loading a run is made of.
#ifndef GG_CLI_LOAD_PARTS_H
#define GG_CLI_LOAD_PARTS_H

#include "cli/load.h"
#include "io/source.h"
#include "read/trace.h"

/// One artifact that has been read.
struct part {
	struct digest *digest; ///< owned until ranks_assemble() takes it
	const char *path; ///< as messages name it, unquoted
	bool rank_said; ///< by the artifact, its name or --rank
	size_t order; ///< in which it was given
};

struct loader {
	const struct load_options *options;
	struct source_options source;
	struct trace_options trace;
	uint64_t rank; ///< --rank, UINT64_MAX not given
	int64_t capacity; ///< --device-memory, MEMORY_UNKNOWN not given
	struct run *run;
	VEC(struct part) parts;
	struct diag_log *log;
};

/// What a file turned out to be, beside a status.
enum outcome { OUTCOME_DIGEST, OUTCOME_NO_ARTIFACT };

/// Read one file, whatever artifact it is, into the parts of `l`.
GG_MUST_CHECK enum status load_file(struct loader *l, const char *path, enum outcome *outcome);

/// The rank of an artifact: what it says itself (`own`, < 0 nothing), else its
/// file name, else --rank, else 0, which is not `*said`.
int64_t rank_of(const struct loader *l, int64_t own, const char *name, bool *said);

/// One digest per rank, in order of rank, from all parts: a trace and a
/// snapshot of one rank are joined, two of one kind are ST_INPUT.
GG_MUST_CHECK enum status ranks_assemble(struct loader *l);

#endif
