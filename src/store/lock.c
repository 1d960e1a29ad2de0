#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "io/sink.h"

/* Path of the lock file, "DIR/.NAME.lock" for "DIR/NAME"; caller frees it. */
static char *lock_path(const char *target)
{
	const char *name = path_last(target);
	struct strbuf b = STRBUF_INIT;
	strbuf_add(&b, (struct span){ target, (size_t)(name - target) });
	strbuf_addf(&b, ".%s.lock", name);
	return b.p;
}

/* Returns 0 if the locked file `fd` is still the file at `path`, EAGAIN if it is not, else an
   errno. A process that releases the lock removes the file first, so another process may have
   created a new file. */
static int check_place(int fd, const char *path)
{
	struct stat held, there;
	if (fstat(fd, &held) < 0)
		return errno;
	if (stat(path, &there) < 0)
		return errno == ENOENT ? EAGAIN : errno;
	return held.st_dev == there.st_dev && held.st_ino == there.st_ino ? 0 : EAGAIN;
}

/* Results of try_take() besides errno values: the lock was taken; the lock file was removed
 * meanwhile; another process holds the lock. (errno values cannot be used for the last two: EAGAIN
 * and EWOULDBLOCK may be equal.) */
enum { LOCK_TAKEN, LOCK_GONE = -1, LOCK_HELD = -2 };

static int try_take(struct file_lock *lock)
{
	lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (lock->fd < 0)
		return errno;
	int error = flock(lock->fd, LOCK_EX | LOCK_NB) < 0 ? errno : 0;
	int state = error == EWOULDBLOCK || error == EINTR ? LOCK_HELD : error;
	if (!error) {
		error = check_place(lock->fd, lock->path);
		state = error == EAGAIN ? LOCK_GONE : error;
	}
	if (state != LOCK_TAKEN) {
		close(lock->fd);
		lock->fd = -1;
	}
	return state;
}

/* Tries every 20 ms, because the wait of a blocking lock can only be limited by a signal. */
static int wait_and_take(struct file_lock *lock, struct lock_wait wait)
{
	enum { PER_SECOND = 50 };
	int state = try_take(lock);
	for (int64_t i = 0; state == LOCK_GONE || (state == LOCK_HELD && i < wait.seconds * PER_SECOND);
	     i++) {
		if (i == PER_SECOND / 2 && wait.told)
			wait.told(lock->path);
		if (state == LOCK_HELD)
			nanosleep(&(struct timespec){ .tv_nsec = 1000000000 / PER_SECOND }, NULL);
		state = try_take(lock);
	}
	return state;
}

enum status file_lock_take(const char *path, struct lock_wait wait, struct file_lock *out,
                           struct diag_log *log)
{
	struct file_lock lock = { .fd = -1, .target = realpath(path, NULL) };
	int error = lock.target || errno == ENOENT ? LOCK_TAKEN : errno;
	if (!lock.target)
		lock.target = mem_strndup(path, strlen(path));
	lock.path = lock_path(lock.target);
	if (!error)
		error = wait_and_take(&lock, wait);
	if (error) {
		const char *why = error == LOCK_HELD
		                      ? arena_printf(&log->arena,
		                                     "another process held it for %d s; end that one, or "
		                                     "try again later",
		                                     wait.seconds)
		                      : strerror(error);
		free(lock.path);
		free(lock.target);
		return diag_fail(log, ST_OUTPUT, "%s: cannot be locked by a file beside it: %s",
		                 text_quote(&log->arena, span_of(path)), why);
	}
	lock.leftover = leftover_add(lock.path);
	*out = lock;
	return ST_OK;
}

void file_lock_release(struct file_lock *lock)
{
	if (!lock->path)
		return;
	unlink(lock->path);
	leftover_forget(lock->leftover);
	close(lock->fd);
	free(lock->path);
	free(lock->target);
	*lock = (struct file_lock){ 0 };
}
