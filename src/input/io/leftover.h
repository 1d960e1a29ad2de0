/// Removes files that must not outlive the process: temporary files and locks.
#ifndef GG_IO_LEFTOVER_H
#define GG_IO_LEFTOVER_H

/// Registers `path`, which is borrowed until leftover_forget(), to be removed by
/// leftover_remove_all(). Returns the number under which the file is registered, or -1 if there are
/// too many.
int leftover_add(const char *path);

/// Unregisters a file; -1 is fine.
void leftover_forget(int number);

/// Removes all registered files; safe in a signal handler and if memory has run out.
void leftover_remove_all(void);

/// The name of temporary file `number` for the file `final`; caller frees it.
char *leftover_name(const char *final, unsigned number);

/// Removes temporary files of `final` that were left behind by killed processes: their process has
/// ended, and nobody holds a lock on them.
void leftover_clean(const char *final);

#endif
