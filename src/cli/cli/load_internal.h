/// Reading the files of a run; internal to the load_*.c files.
#ifndef GG_CLI_LOAD_INTERNAL_H
#define GG_CLI_LOAD_INTERNAL_H

#include "cli/setup.h"
#include "flight/dump.h"
#include "io/source.h"
#include "read/trace.h"

/// Settings by which all files are read. They do not change while files are read: threads can share
/// them.
struct loader {
	const struct setup *setup;
	struct source_options source;
	struct trace_options trace;
	uint64_t rank; ///< value of --rank; UINT64_MAX if not given
	int64_t capacity; ///< value of --device-memory; MEMORY_UNKNOWN if not given
	size_t jobs; ///< largest number of threads, at least 1
	bool spare_threads; ///< true if a second thread for each file may decompress it
	bool keeps_text; ///< true if stored digests may be copied as text, since no option changes them

	/// the files with captures of CUDA graphs, while traces that launch these graphs are read a
	/// second time; else NULL
	const struct artifact_files *beside;
	bool join_cycles; ///< true if several traces of a rank may be joined
};

/// How an artifact's rank is known.
enum rank_known {
	RANK_ASSUMED, ///< the rank is not known: 0 is assumed
	RANK_NAMED, ///< the rank is from the file's name, or from --rank
	RANK_STATED, ///< the rank is in the artifact itself
};

/// One artifact that has been read.
struct artifact {
	struct digest *digest; ///< digest, owned until ranks_assemble() takes it over
	const char *path; ///< path of the file
	enum rank_known known; ///< how its rank is known
	bool stored; ///< true if the file was a digest already
	bool of_host; ///< true for an XSpace file (JAX, TensorFlow), which each host of a job writes
	bool of_process; ///< true for a process of a Nsight Systems export, which --process can select
	size_t order; ///< index among all artifacts in the order of the command line
};

/// A growable list of artifacts.
struct artifacts {
	struct artifact *v;
	size_t nr, cap;
};

/// What a file contains, even if reading it failed.
enum load_outcome {
	OUTCOME_DIGEST,
	OUTCOME_NO_ARTIFACT,
	OUTCOME_RESULT ///< a result file of a benchmark: an error in it counts, even if it is not named
	               ///< like an artifact
};

/// One file of a run and the result of reading it. While files are read, only one thread uses it.
struct artifact_file {
	const char *path; ///< path of the file or directory
	size_t listed; ///< for a directory: number of its files, which follow in the list
	bool is_directory, of_folder; ///< `of_folder`: true for a file that is in the list because its
	                              ///< directory is
	bool cycles; ///< true for a stored run with several traces of one rank
	enum load_outcome outcome;
	enum status status;
	struct artifacts artifacts;
	bool replays; ///< true for a trace that launches CUDA graphs
	struct captured *captured; ///< graphs that a trace captures without launching any; else NULL;
	                           ///< owned
	int64_t rank; ///< rank of `captured`
	struct flight_dump *flight; ///< dump of the Flight Recorder; NULL if the file is not a dump;
	                            ///< owned
	struct source_progress progress; ///< number of bytes read so far, for the progress line

	/// log for messages about the file: own_log, or another log while a format is only tried
	struct diag_log *log;
	struct diag_log own_log;
};

/// The files of a run in the order of the command line; the files of a directory follow the
/// directory.
struct artifact_files {
	struct artifact_file *v;
	size_t nr, cap;
};

/// The name of the file that its digest stores.
const char *artifact_file_name(const struct artifact_file *file);

/// Add the digest `d` of `file` as an artifact of the run. `st` is the status of making `d`: if it
/// is an error, only return it. Takes `d` over in any case.
GG_MUST_CHECK enum status artifact_add(const struct loader *l, struct artifact_file *file,
                                       enum status st, struct digest *d, enum rank_known known);

/// Like artifact_add(), for a digest that was read from a file of digests.
GG_MUST_CHECK enum status artifact_add_stored(const struct loader *l, struct artifact_file *file,
                                              struct digest *d);

/// If `st` is an error, add the first error of `own` to `log`, after the name of the file. `own` is
/// the log of a reducer, which does not know this name. Releases `own`.
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

/// Report what the dumps of the Flight Recorder among `files` show. ST_INPUT if a rank hangs, if
/// two dumps are of one rank, or if the run has dumps, but no other artifacts (`others` is false).
GG_MUST_CHECK enum status flight_settle(const struct artifact_file *files, size_t nr,
                                        const struct run *run, bool others, struct diag_log *log);

/// True if stored digests of `file` can be copied unchanged, since neither options nor a context
/// file would change them.
bool load_keeps_text(const struct loader *l, const struct artifact_file *file);

/// Read one file of any format. Sets status, outcome, artifacts and log of `file`.
void load_file(const struct loader *l, struct artifact_file *file);

/// Read all files except directories, with at most l->jobs threads. Each file is read by one
/// thread.
void load_files(const struct loader *l, struct artifact_file *files, size_t nr);

/// If the run has captures of CUDA graphs, read the traces of their ranks that launch the graphs a
/// second time: a capture says which place in the code each kernel of a graph comes from.
void load_captures(struct loader *l, struct artifact_files *files);

/// Number of threads to read `files` files with: at most `jobs` and at most one per file, fewer if
/// the process may not open enough files, but at least 1.
size_t load_threads(size_t jobs, size_t files);

/// The rank of an artifact: `own`, the rank in the artifact itself, if it is not negative; else the
/// rank in the file name `name`, else --rank, else 0.
int64_t rank_of(const struct loader *l, int64_t own, const char *name, enum rank_known *known);

/// Append to `out` a directory and its regular files, sorted by path, including those of its
/// subdirectory capture_traces unless the directory has no files of its own. Hidden files and the
/// context of the run are left out, and so are, with a note, *.tmp and pickles that were exported
/// to JSON. In a directory that Criterion wrote, only the file of results counts.
GG_MUST_CHECK enum status folder_add(struct artifact_files *out, const char *path, struct arena *a,
                                     struct diag_log *log);

/// Largest number of directory entries that folders_below() looks at.
enum { FOLDER_ENTRIES = 10000 };

/// Append to `out` the directories up to six deep below `path` that hold recordings or results of
/// Criterion, but none below these. Names are owned by `a`. False if the search ended early, after
/// FOLDER_ENTRIES.
bool folders_below(const char *path, struct arena *a, struct texts *out);

/// True if each directory holds the newest results of a benchmark by Criterion, a library for Rust.
bool folders_are_of_criterion(const struct texts *folders, struct arena *a);

/// Append to `out`, sorted, the directories directly below `path` whose names say what a sweep
/// varies, such as "concurrency_16". Names are owned by `a`.
void folders_of_sweep(const char *path, struct arena *a, struct texts *out);

/// Move the digests of all artifacts to run->ranks, sorted by rank; within a rank, traces (sorted
/// by first step) come before the snapshot. Folded digests are joined into run->folded instead.
/// Only one of equal stored digests is kept. A trace without GPU work whose rank is not known is
/// left out if there are traces with GPU work. ST_INPUT if a rank has several artifacts of one
/// kind, except traces of successive profiler cycles that may be joined, and result files without
/// common figures.
GG_MUST_CHECK enum status ranks_assemble(const struct loader *l, struct artifacts *artifacts,
                                         struct run *run, struct diag_log *log);

struct progress_line;

/// Show the progress of `files` in a thread of its own until progress_end(). Returns NULL, and
/// shows nothing, if standard error is not a terminal, or a dumb one (TERM).
struct progress_line *progress_begin(const struct artifact_file *files, size_t nr);

/// Clear the line and stop the thread; `p` may be NULL.
void progress_end(struct progress_line *p);

#endif
