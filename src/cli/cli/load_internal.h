/// Internal to the load_*.c files.
#ifndef GG_CLI_LOAD_INTERNAL_H
#define GG_CLI_LOAD_INTERNAL_H

#include "cli/setup.h"
#include "flight/dump.h"
#include "io/source.h"
#include "read/trace.h"

/// Settings with which all files are read. They do not change while files are read, so that threads
/// can share them.
struct loader {
	const struct setup *setup;
	struct source_options source;
	struct trace_options trace;
	uint64_t rank; ///< value of --rank; UINT64_MAX if not given
	int64_t capacity; ///< value of --device-memory; MEMORY_UNKNOWN if not given
	size_t jobs; ///< largest number of threads, at least 1
	bool spare_threads; ///< true if, beside each file's thread, another may decompress the file
	bool keeps_text; ///< true if `merge` copies the text of digests, as no option changes them
	const struct artifact_files *beside; ///< captures, while replays are read again; else NULL
	bool join_cycles; ///< true if several traces of a rank may be joined
};

/// How an artifact's rank is known.
enum rank_known {
	RANK_ASSUMED, ///< nothing says it
	RANK_NAMED, ///< from the file's name, or --rank
	RANK_STATED, ///< from the artifact itself
};

/// One artifact that has been read.
struct artifact {
	struct digest *digest; ///< digest, owned until ranks_assemble() takes it over
	const char *path; ///< path of the file as in messages, but unquoted
	enum rank_known known; ///< how its rank is known
	bool stored; ///< true if the file was a digest already
	bool of_host; ///< true for a file of JAX or TensorFlow, of which each host writes one
	bool of_process; ///< true for a process of a Nsight Systems export, which --process can select
	size_t order; ///< index among all artifacts in the order of the command line
};

/// A growable list of artifacts.
struct artifacts {
	struct artifact *v;
	size_t nr, cap;
};

/// What a file contains; whether it could be read is told by its status.
enum load_outcome {
	OUTCOME_DIGEST,
	OUTCOME_NO_ARTIFACT,
	OUTCOME_RESULT ///< a result file of a benchmark, whatever its name
};

/// One file of a run and the result of reading it. While files are read, only one thread uses it.
struct artifact_file {
	const char *path; ///< path of the file or directory
	size_t listed; ///< for a directory: number of its files, which follow in the list
	bool is_directory, of_folder; ///< the second: true for a file of a directory
	bool cycles; ///< true for a stored run in which traces of one rank were joined
	enum load_outcome outcome;
	enum status status;
	struct artifacts artifacts;
	bool replays; ///< true for a trace that launches graphs
	struct captured *captured; ///< captures of a trace that runs nothing else; NULL: none; owned
	int64_t rank; ///< rank of `captured`
	struct flight_dump *flight; ///< dump of the Flight Recorder; NULL if it is not one; owned
	struct source_progress progress; ///< bytes read so far, for the progress line

	/// log for messages about the file: own_log, or another log while a format is only tried
	struct diag_log *log;
	struct diag_log own_log;
};

/// The files of a run in the order of the command line; those of a directory follow it.
struct artifact_files {
	struct artifact_file *v;
	size_t nr, cap;
};

/// The name of the file as its digest stores it.
const char *artifact_file_name(const struct artifact_file *file);

/// Add the digest `d`, which was made from `file` with status `st`, as an artifact of the run.
/// Takes `d` over in any case.
GG_MUST_CHECK enum status artifact_add(const struct loader *l, struct artifact_file *file,
                                       enum status st, struct digest *d, enum rank_known known);

/// Like artifact_add(), for a digest that was stored as such.
GG_MUST_CHECK enum status artifact_add_stored(const struct loader *l, struct artifact_file *file,
                                              struct digest *d);

/// If `own`, the log of a reducer, has an error, log it with the file's name, which reducers do not
/// know. Releases `own`.
void artifact_name_errors(struct diag_log *log, enum status st, const char *name,
                          struct diag_log *own);

/// Loaders of formats, for struct artifact_format.
GG_MUST_CHECK enum status load_trace(const struct loader *l, struct source *src,
                                     struct artifact_file *file);
GG_MUST_CHECK enum status load_xspace(const struct loader *l, struct source *src,
                                      struct artifact_file *file);
GG_MUST_CHECK enum status load_nsys(const struct loader *l, struct source *src,
                                    struct artifact_file *file);

/// Loaders of dumps of the Flight Recorder, as JSON and as a pickle.
GG_MUST_CHECK enum status load_flight(const struct loader *l, struct source *src,
                                      struct artifact_file *file);
GG_MUST_CHECK enum status load_flight_pickle(const struct loader *l, struct source *src,
                                             struct artifact_file *file);

/// Report what the dumps of the Flight Recorder among `files` show. ST_INPUT if a rank hangs, or if
/// the run has no other artifacts.
GG_MUST_CHECK enum status flight_settle(const struct artifact_file *files, size_t nr,
                                        const struct run *run, bool others, struct diag_log *log);

/// True if stored digests of `file` can be copied unchanged, since neither options nor a context
/// file change them.
bool load_keeps_text(const struct loader *l, const struct artifact_file *file);

/// Read one file of any format: sets status, outcome, artifacts and log of `file`.
void load_file(const struct loader *l, struct artifact_file *file);

/// Read all files except directories, at most l->jobs at a time, each in one thread.
void load_files(const struct loader *l, struct artifact_file *files, size_t nr);

/// Read replays again if captures of their rank lie beside them, which give them their places.
void load_captures(struct loader *l, struct artifact_files *files);

/// Number of threads for `files` files: `jobs` or fewer if file descriptors are limited; at least
/// 1.
size_t load_threads(size_t jobs, size_t files);

/// The rank of an artifact: `own` if the artifact says its rank (< 0: it does not), else the rank
/// in the file name, else --rank, else 0.
int64_t rank_of(const struct loader *l, int64_t own, const char *name, enum rank_known *known);

/// Add a directory and its regular files, sorted by name, except hidden files and the context of
/// the run; also those of its directory of captures.
GG_MUST_CHECK enum status folder_add(struct artifact_files *out, const char *path, struct arena *a,
                                     struct diag_log *log);

/// How many entries a search looks at.
enum { FOLDER_ENTRIES = 10000 };

/// Appends the directories below `path` that hold recordings themselves, and are below no other
/// one that does, to `out`; their names are owned by `a`. False if there are more than
/// FOLDER_ENTRIES entries, of which the others were not looked at.
bool folders_below(const char *path, struct arena *a, struct texts *out);

/// True if each of the directories has what Criterion writes of the newest run of a benchmark.
bool folders_are_of_criterion(const struct texts *folders, struct arena *a);

/// The directories right below a directory whose names say what a sweep varies, sorted.
void folders_of_sweep(const char *path, struct arena *a, struct texts *out);

/// Move the digests of all artifacts to run->ranks, sorted by rank, within a rank traces (by first
/// step) before the snapshot. Equal digests are kept once. A trace of only the host that
/// says no rank is set aside if others say theirs. Other artifacts of the same kind and
/// rank are ST_INPUT, unless they are traces of successive profiler cycles that may be joined.
GG_MUST_CHECK enum status ranks_assemble(const struct loader *l, struct artifacts *artifacts,
                                         struct run *run, struct diag_log *log);

struct progress_line;

/// Show the progress of `files` (borrowed until the end) in a thread of its own. Returns NULL if
/// standard error is not a terminal; nothing is written then.
struct progress_line *progress_begin(const struct artifact_file *files, size_t nr);

/// Clear the line and stop the thread; `p` may be NULL.
void progress_end(struct progress_line *p);

#endif
