/// An advisory lock for changing a stored file: one writer at a time.
#ifndef GG_STORE_LOCK_H
#define GG_STORE_LOCK_H

#include "base/diag.h"

/// A lock that is held.
struct file_lock {
	int fd;
	char *path; ///< of the lock file, beside the file it is for; gone when nobody holds it
	int leftover; ///< leftover_add()
	char *target; ///< the file that the path given means: links are followed once
};

/// How long the lock is waited for, and who is told once that it is (NULL: nobody).
struct lock_wait {
	int seconds;
	void (*told)(const char *lock_path);
};

/// Wait until nobody else changes the file at `path`, which need not exist yet. A writer
/// that is killed leaves no lock. ST_OUTPUT, also once the wait is over. Caller ends with
/// file_lock_release().
GG_MUST_CHECK enum status file_lock_take(const char *path, struct lock_wait wait,
                                         struct file_lock *out, struct diag_log *log);

/// Release the lock; one of zeros is fine.
void file_lock_release(struct file_lock *lock);

#endif
