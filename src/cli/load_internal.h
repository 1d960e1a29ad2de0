/// What the files that load a run share.
#ifndef GG_CLI_LOAD_INTERNAL_H
#define GG_CLI_LOAD_INTERNAL_H

#include "cli/load.h"
#include "flight/dump.h"
#include "io/source.h"
#include "read/trace.h"

/// What every file is read with. It does not change while files are read, so that threads
/// share it.
struct loader {
	const struct load_options *options;
	struct source_options source;
	struct trace_options trace;
	uint64_t rank; ///< --rank, UINT64_MAX not given
	int64_t capacity; ///< --device-memory, MEMORY_UNKNOWN not given
	size_t jobs; ///< threads at most, ≥ 1
	bool keeps_text; ///< `merge`, without options that change digests
	bool join_cycles; ///< traces of one rank may be joined
};

/// One artifact that has been read.
struct artifact {
	struct digest *digest; ///< owned until ranks_assemble() takes it
	const char *path; ///< as messages name it, unquoted
	bool rank_said; ///< by the artifact, its name or --rank
	bool stored; ///< it was a digest already
	bool of_host; ///< of JAX or TensorFlow: each host of a job writes such a file
	bool of_process; ///< of an export of Nsight Systems: --process can choose it
	size_t order; ///< in which it was given
};
struct artifacts {
	struct artifact *v;
	size_t nr, cap;
};

/// What a file turned out to be, beside a status.
enum load_outcome {
	OUTCOME_DIGEST,
	OUTCOME_NO_ARTIFACT,
	OUTCOME_RESULT ///< a result file, whatever it is called
};

/// One file of a run and what came of it; while files are read, only one thread uses it.
struct artifact_file {
	const char *path;
	size_t listed; ///< a directory: number of its files, which follow
	bool is_directory;
	bool cycles; ///< a stored run in which traces of one rank were joined
	enum load_outcome outcome;
	enum status status;
	struct artifacts artifacts;
	struct flight_dump *flight; ///< of the Flight Recorder, NULL none; owned
	struct source_progress progress; ///< for whoever watches
	struct diag_log *log; ///< own_log, unless a part of the reading has its own
	struct diag_log own_log;
};

/// The name that a digest keeps of the file it was made from.
const char *artifact_file_name(const struct artifact_file *file);

/// Take `d`, made from `file` with status `st`, over as an artifact of the run; freed on failure.
GG_MUST_CHECK enum status artifact_add(const struct loader *l, struct artifact_file *file,
                                       enum status st, struct digest *d, bool rank_said);

/// The same for a digest that was stored as such.
GG_MUST_CHECK enum status artifact_add_stored(const struct loader *l, struct artifact_file *file,
                                              struct digest *d);

/// Reducers know no file: an error in `own` goes to `log` with the file's name; releases `own`.
void artifact_name_errors(struct diag_log *log, enum status st, const char *name,
                          struct diag_log *own);

/// Loaders of formats, as struct artifact_format has them.
GG_MUST_CHECK enum status load_trace(const struct loader *l, struct source *src,
                                     struct artifact_file *file);
GG_MUST_CHECK enum status load_xspace(const struct loader *l, struct source *src,
                                      struct artifact_file *file);
GG_MUST_CHECK enum status load_nsys(const struct loader *l, struct source *src,
                                    struct artifact_file *file);

GG_MUST_CHECK enum status load_flight(const struct loader *l, struct source *src,
                                      struct artifact_file *file);
GG_MUST_CHECK enum status load_flight_pickle(const struct loader *l, struct source *src,
                                             struct artifact_file *file);

/// What the dumps of the Flight Recorder among `files` say: ST_INPUT where a rank hangs, and where
/// the run has no other artifacts.
GG_MUST_CHECK enum status flight_settle(const struct artifact_file *files, size_t nr,
                                        const struct run *run, bool others, struct diag_log *log);

/// True where stored digests of `file` are copied as they are: nothing of the command line and no
/// file beside it changes them.
bool load_keeps_text(const struct loader *l, const struct artifact_file *file);

/// Read one file, whatever artifact it is: status, outcome, artifacts and log of `file`.
void load_file(const struct loader *l, struct artifact_file *file);

/// Read all files but directories, at most l->jobs at a time, each by one thread.
void load_files(const struct loader *l, struct artifact_file *files, size_t nr);

/// Threads that read `files` files at once: `jobs`, as far as descriptors allow; at least 1.
size_t load_threads(size_t jobs, size_t files);

/// The rank of an artifact: what it says itself (`own`, < 0 nothing), else its
/// file name, else --rank, else 0, which is not `*said`.
int64_t rank_of(const struct loader *l, int64_t own, const char *name, bool *said);

/// The digests of all artifacts into run->ranks, in order of rank; of one rank its
/// traces (by first step), then its snapshot. The same digest twice is one; other
/// artifacts of one kind and rank are ST_INPUT unless they are cycles to be joined.
GG_MUST_CHECK enum status ranks_assemble(const struct loader *l, struct artifacts *artifacts,
                                         struct run *run, struct diag_log *log);

#endif
