/// Creating and changing stored baselines.
#ifndef GG_CLI_BASELINE_EDIT_H
#define GG_CLI_BASELINE_EDIT_H

#include "cli/candidates.h"
#include "store/lock.h"

/// ST_INPUT if there is nothing to compare the run by: a rank has no GPU activities, no memory and
/// no figures of result files.
GG_MUST_CHECK enum status baseline_comparable(const struct run *run, struct diag_log *log);

/// Make a baseline without a history. Its pin (the approved run) is the first of the runs; its
/// provenance comes from the options. `first`: true if it does not replace another baseline.
/// ST_INPUT for a run that could never be compared. `out` borrows from the runs. The caller
/// releases it with baseline_release() in any case.
GG_MUST_CHECK enum status baseline_make(const struct candidates *c, const struct setup *s,
                                        bool first, struct baseline *out, struct diag_log *log);

/// Write the baseline `b` to `path` ("-": standard output), creating missing directories.
GG_MUST_CHECK enum status baseline_save(const struct baseline *b, const char *path,
                                        struct diag_log *log);

/// Print on standard output what was done with the file `path` of a baseline (`what`, such as
/// "baseline written"), and which other file was written, too (`also`; NULL: none).
GG_MUST_CHECK enum status baseline_say(const struct baseline *b, const char *path, const char *also,
                                       const char *what, struct diag_log *log);

/// If there are several runs, add all of them to the history of the new baseline `b`, whose pin is
/// the first. If there is a file `history` already, its runs are kept.
GG_MUST_CHECK enum status baseline_add_repeats(const struct candidates *c, const struct setup *s,
                                               const char *history, struct baseline *b,
                                               struct diag_log *log);

/// Write the baseline to `path` and, if its history has runs, write them to the file `history`. The
/// caller holds the lock of the baseline.
GG_MUST_CHECK enum status baseline_save_both(const struct baseline *b, const char *path,
                                             const char *history, struct diag_log *log);

/// Write a new baseline to `path` and, if its history has runs, write them to the file `history`.
/// ST_OUTPUT if there is a baseline at `path`, unless `replace`. ST_USAGE if a path that the user
/// did not type leads out of the repository.
GG_MUST_CHECK enum status baseline_put(const struct baseline *b, const struct options *o,
                                       const char *path, const char *history, bool replace,
                                       struct diag_log *log);

/// A baseline that is being changed. Its lock keeps others from changing it at the same time.
struct baseline_edit {
	struct file_lock lock;
	const char *path; ///< path as the user named it; owned by the setup's arena
	const char *history, *reference; ///< paths of the baseline's history and of its reference run;
	                                 ///< owned by the setup's arena
	bool is_first; ///< true if the run to store is the first of main: there is no baseline and no
	               ///< run of the workload, neither in the repository nor in the folder of
	               ///< --history
	struct baseline b; ///< the baseline; empty if `is_first`
};

/// Lock and read the baseline that the options name. `run` is NULL if no run is known. The caller
/// ends with baseline_edit_release() in any case.
GG_MUST_CHECK enum status baseline_edit_begin(struct baseline_edit *e, struct setup *s,
                                              const struct run *run, struct diag_log *log);

/// Append the runs to the history of the baseline `b`, with the verdict of `judged`, and before
/// them the approved run if it is not there yet. If `accepted`, later runs are compared with them,
/// too.
GG_MUST_CHECK enum status baseline_add(const struct candidates *c, const struct setup *s,
                                       const struct report *judged, bool accepted,
                                       struct baseline *b, struct diag_log *log);

/// Write the history of the baseline to `path`, creating missing directories.
GG_MUST_CHECK enum status baseline_save_history(const struct baseline *b, const char *path,
                                                struct diag_log *log);

/// Make the first run the reference run, whose details explain later changes: write its file.
GG_MUST_CHECK enum status baseline_save_reference(const struct candidates *c, const struct setup *s,
                                                  const struct baseline_edit *e,
                                                  struct diag_log *log);

/// Make the first run the pin (the approved run), add the runs to the history, and write both
/// files. Later runs are then no longer compared with earlier runs of the history. `moved` is the
/// new baseline, which borrows from the runs; the caller releases it with baseline_release().
GG_MUST_CHECK enum status baseline_move(const struct candidates *c, const struct setup *s,
                                        const struct report *judged, struct baseline_edit *e,
                                        struct baseline *moved, struct diag_log *log);

/// Unlock the baseline and release it.
void baseline_edit_release(struct baseline_edit *e);

#endif
