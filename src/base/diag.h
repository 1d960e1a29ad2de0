/// Errors, warnings and notes, collected and printed by the caller.
#ifndef GG_BASE_DIAG_H
#define GG_BASE_DIAG_H

#include "base/arena.h"
#include "base/status.h"

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag_entry {
	enum diag_level level;
	const char *text; ///< one line, without "gpugate: "; owned by the log
	struct diag_entry *next;
};

struct diag_log {
	struct arena arena;
	struct diag_entry *first, **last;
};

/// An empty log.
void diag_init(struct diag_log *log);

/// Record an error `WHERE: WHAT`. Untrusted text goes through text_quote() first.
void diag_error(struct diag_log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// The same, and returns `st`, for a function that gives up:
/// `return diag_fail(log, ST_INPUT, "%s: byte %" PRIu64 ": …");`
#define diag_fail(log, st, ...) (diag_error(log, __VA_ARGS__), (st))

/// Record a warning: printed, and changes no verdict.
void diag_warn(struct diag_log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Record a note that explains the entry before it.
void diag_note(struct diag_log *log, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Append the entries of `from` to `log` and empty `from`.
void diag_move(struct diag_log *log, struct diag_log *from);

/// First error recorded, or NULL; owned by the log.
const char *diag_first_error(const struct diag_log *log);

/// Give the memory back; the log is empty and usable again.
void diag_release(struct diag_log *log);

#endif
