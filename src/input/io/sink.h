/// A byte sink, which remembers its first error: a file that is written atomically, standard output
/// or memory. Also the list of the temporary files that must not outlive the process.
#ifndef GG_IO_SINK_H
#define GG_IO_SINK_H

#include <stdbool.h>

#include "base/diag.h"
#include "base/span.h"

struct sink;

/// Opens `path` for writing ("-": standard output). A file is written under a temporary name in its
/// directory (O_EXCL, O_NOFOLLOW) and appears complete when sink_commit() succeeds; a device or
/// pipe is written directly. If `gzip` is set, the bytes are compressed. A file that this process
/// has read is refused with ST_OUTPUT. Caller ends with sink_commit() or sink_abort().
GG_MUST_CHECK enum status sink_open(const char *path, bool gzip, struct sink **out,
                                    struct diag_log *log);

/// Like sink_open(), for a file that this process has read in order to change it.
GG_MUST_CHECK enum status sink_open_again(const char *path, struct sink **out,
                                          struct diag_log *log);

/// Makes the folders above `path`, as `mkdir -p` does.
GG_MUST_CHECK enum status sink_make_folders(const char *path, struct diag_log *log);

/// A sink that keeps its bytes in memory; sink_memory() returns them. Caller releases with
/// sink_abort().
struct sink *sink_open_memory(void);

/// The bytes of a memory sink, borrowed until the sink is written to or released.
struct span sink_memory(const struct sink *s);

/// Appends bytes; after an error the call has no effect.
void sink_write(struct sink *s, struct span bytes);

/// Appends a string.
void sink_puts(struct sink *s, const char *text);

/// Appends text that is formatted as by printf().
void sink_printf(struct sink *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/// Flushes, syncs and renames the file, syncs the directory, releases the sink. If anything has
/// failed since the opening, returns ST_OUTPUT, with path and reason in the log, and no temporary
/// file is left behind.
GG_MUST_CHECK enum status sink_commit(struct sink *s, struct diag_log *log);

/// Releases the sink and removes its temporary file, so that the file at the path stays as it was;
/// NULL is fine.
void sink_abort(struct sink *s);

/// Registers `path`, which is borrowed until leftover_forget(), to be removed by
/// leftover_remove_all(). Returns the number under which the file is registered, or -1 if too many
/// are registered.
int leftover_add(const char *path);

/// Unregisters a file; -1 is fine.
void leftover_forget(int number);

/// Removes all registered files; safe in a signal handler and if memory has run out.
void leftover_remove_all(void);

/// The path of temporary file `number` of this process for the file at the path `final`; caller
/// frees it.
char *leftover_name(const char *final, unsigned number);

/// Removes temporary files for the path `final` that killed processes have left behind: the process
/// in the file's name has ended, and nobody holds a lock on the file.
void leftover_clean(const char *final);

#endif
