/// Files that must not outlive the process: temporary ones and locks.
#ifndef GG_IO_LEFTOVER_H
#define GG_IO_LEFTOVER_H

/// Remember `path`, borrowed until leftover_forget(), to be removed by leftover_remove_all().
/// Returns its number, -1 if there are too many.
int leftover_add(const char *path);

/// Forget it again; -1 is fine.
void leftover_forget(int number);

/// Remove all files that are remembered; safe in a signal handler and when memory has run out.
void leftover_remove_all(void);

/// The name of temporary file `number` for the file at `final`, which caller frees.
char *leftover_name(const char *final, unsigned number);

/// Remove the temporary files beside `final` that a process of this machine left when it was
/// killed: it is gone, and nobody holds a lock on them.
void leftover_clean(const char *final);

#endif
