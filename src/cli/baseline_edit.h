/// Making and changing stored baselines.
#ifndef GG_CLI_BASELINE_EDIT_H
#define GG_CLI_BASELINE_EDIT_H

#include "cli/candidates.h"
#include "store/lock.h"

/// A baseline with the first of the runs as its pin, approved as the options say; no
/// recent runs. ST_INPUT for a run that nothing could be held against. `out` borrows from
/// the runs. Caller releases with baseline_release() whatever the outcome.
GG_MUST_CHECK enum status baseline_make(const struct candidates *c, const struct setup *s,
                                        const struct options *o, struct baseline *out,
                                        struct diag_log *log);

/// Write `b` to `path` (or standard output, "-"), with the directories above it.
GG_MUST_CHECK enum status baseline_save(const struct baseline *b, const char *path,
                                        struct diag_log *log);

/// Say on standard output `what` was done with the baseline at `path`.
GG_MUST_CHECK enum status baseline_say(const struct baseline *b, const char *path, const char *what,
                                       struct diag_log *log);

/// Add the runs behind the first to the history of a new baseline, which `history` may have
/// already.
GG_MUST_CHECK enum status baseline_add_repeats(const struct candidates *c, const struct setup *s,
                                               const struct options *o, const char *history,
                                               struct baseline *b, struct diag_log *log);

/// Write `b` to `path` where there is no baseline yet, and to `history` the runs that it has
/// there; ST_OUTPUT where there is one, unless it is to be replaced.
GG_MUST_CHECK enum status baseline_put(const struct baseline *b, const char *path,
                                       const char *history, bool replace, struct diag_log *log);

/// A baseline that is being changed: nobody else changes it meanwhile.
struct baseline_edit {
	struct file_lock lock;
	const char *path; ///< as named; owned by the setup's arena
	const char *history; ///< path of its history; the same
	struct baseline b;
};

/// Lock the baseline of the options and read it; `run` NULL: none is known.
/// Caller ends with baseline_edit_release() whatever the outcome.
GG_MUST_CHECK enum status baseline_edit_begin(struct baseline_edit *e, struct setup *s,
                                              const struct options *o, const struct run *run,
                                              struct diag_log *log);

/// Append the runs to the history of `b`, with what was `judged` of them; `accepted`: to its
/// reference too.
GG_MUST_CHECK enum status baseline_add(const struct candidates *c, const struct setup *s,
                                       const struct options *o, const struct report *judged,
                                       bool accepted, struct baseline *b, struct diag_log *log);

/// Write the history of the baseline that is changed.
GG_MUST_CHECK enum status baseline_save_history(const struct baseline_edit *e,
                                                struct diag_log *log);

/// Make the first run the pin, and write it: the reference begins anew with the runs, the history
/// stays. `moved` borrows from the runs; caller releases it with baseline_release().
GG_MUST_CHECK enum status baseline_move(const struct candidates *c, const struct setup *s,
                                        const struct options *o, const struct report *judged,
                                        struct baseline_edit *e, struct baseline *moved,
                                        struct diag_log *log);

/// Unlock and give the memory back.
void baseline_edit_release(struct baseline_edit *e);

#endif
