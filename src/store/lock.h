/// Advisory lock of a stored file, so that only one process changes it at a time.
#ifndef GG_STORE_LOCK_H
#define GG_STORE_LOCK_H

#include "base/diag.h"

/// A lock that this process holds.
struct file_lock {
	int fd;
	char *path; ///< path of the lock file, which is removed with the lock
	int leftover; ///< number under which leftover_add() registered the lock file, to be removed if
	              ///< a signal ends the process
	char *target; ///< path of the file that is locked; symbolic links are resolved if it exists
};

/// How file_lock_take() waits while another process holds the lock: for at most `seconds`. After
/// half a second it calls `told` once, unless `told` is NULL.
struct lock_wait {
	int seconds;
	void (*told)(const char *lock_path);
};

/// Waits until no other process holds the lock of the file at `path`, and takes this lock. The file
/// need not exist yet. If a process is killed, its locks are released. Returns ST_OUTPUT on errors,
/// also if the lock is still held at the end of the wait. Caller ends with file_lock_release().
GG_MUST_CHECK enum status file_lock_take(const char *path, struct lock_wait wait,
                                         struct file_lock *out, struct diag_log *log);

/// Releases the lock. Does nothing for a struct of zeros, which means that no lock was taken.
void file_lock_release(struct file_lock *lock);

#endif
