/// Advisory lock for changing a stored file, so that only one process writes at a time.
#ifndef GG_STORE_LOCK_H
#define GG_STORE_LOCK_H

#include "base/diag.h"

/// A lock that this process holds.
struct file_lock {
	int fd;
	char *path; ///< path of the lock file, which is removed with the lock
	int leftover; ///< number from leftover_add(), so that a signal that ends the process removes
	              ///< the lock file
	char *target; ///< path of the file that is locked, with symbolic links resolved
};

/// The longest time that file_lock_take() waits, in seconds; and a function that it calls once
/// after half a second of waiting, or NULL.
struct lock_wait {
	int seconds;
	void (*told)(const char *lock_path);
};

/// Waits until no other process changes the file at `path`, which need not exist yet. A writer that
/// is killed leaves no lock. Returns ST_OUTPUT on errors, also if the lock is still held at the end
/// of the wait. Caller ends with file_lock_release().
GG_MUST_CHECK enum status file_lock_take(const char *path, struct lock_wait wait,
                                         struct file_lock *out, struct diag_log *log);

/// Releases the lock. Does nothing for a struct of zeros, which means that no lock was taken.
void file_lock_release(struct file_lock *lock);

#endif
