/// Errors, warnings and notes, collected in a log, which the caller prints.
#ifndef GG_BASE_DIAG_H
#define GG_BASE_DIAG_H

#include "base/arena.h"
#include "base/status.h"

/// The severity of an entry: an error; a warning, which is printed and changes no verdict; or a
/// note that explains the previous entry.
enum diag_severity { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE };

struct diag_entry {
	enum diag_severity severity;
	const char *text; ///< text of one line, without "gpugate: "; owned by the log
	struct diag_entry *next;
};

/// Entries in the order in which they were recorded; the arena owns them and their texts.
struct diag_log {
	struct arena arena;
	struct diag_entry *first, **last;
};

/// Initializes an empty log.
void diag_init(struct diag_log *log);

/// Records an entry `WHERE: WHAT`. Untrusted text must go through text_quote() first.
void diag_add(struct diag_log *log, enum diag_severity severity, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#define diag_error(log, ...) diag_add(log, DIAG_ERROR, __VA_ARGS__)
#define diag_warn(log, ...) diag_add(log, DIAG_WARNING, __VA_ARGS__)
#define diag_note(log, ...) diag_add(log, DIAG_NOTE, __VA_ARGS__)

/// Like diag_error(), and returns `st`, for a function that gives up: `return diag_fail(log,
/// ST_INPUT, "%s: byte %" PRIu64 ": …");`
#define diag_fail(log, st, ...) (diag_error(log, __VA_ARGS__), (st))

/// The untrusted `text` in quotes, made safe to print by text_quote(); owned by the log.
const char *diag_quote(struct diag_log *log, const char *text);

/// Moves the entries of `from` to the end of `log`.
void diag_move(struct diag_log *log, struct diag_log *from);

/// The first error that was recorded, or NULL; owned by the log.
const char *diag_first_error(const struct diag_log *log);

/// Removes the first warning and returns its text, owned by the log; NULL if there is none.
const char *diag_take_warning(struct diag_log *log);

/// Releases all memory; the log is then empty and usable again.
void diag_release(struct diag_log *log);

#endif
