#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"

/* "DIR/.NAME.lock" for "DIR/NAME". */
static char *lock_path(const char *target)
{
	const char *slash = strrchr(target, '/'), *name = slash ? slash + 1 : target;
	struct strbuf b = STRBUF_INIT;
	strbuf_add(&b, (struct span){ target, (size_t)(name - target) });
	strbuf_addf(&b, ".%s.lock", name);
	return b.p;
}

/* Who gives a lock back removes its file first: the lock is ours only if the file that
   we hold is still the one at its place. EAGAIN where it is not. */
static int check_place(int fd, const char *path)
{
	struct stat held, there;
	if (fstat(fd, &held) < 0)
		return errno;
	if (stat(path, &there) < 0)
		return errno == ENOENT ? EAGAIN : errno;
	return held.st_dev == there.st_dev && held.st_ino == there.st_ino ? 0 : EAGAIN;
}

static int try_take(struct file_lock *lock)
{
	lock->fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (lock->fd < 0)
		return errno;
	while (flock(lock->fd, LOCK_EX) < 0)
		if (errno != EINTR)
			return errno;
	int error = check_place(lock->fd, lock->path);
	if (error == EAGAIN) {
		close(lock->fd);
		lock->fd = -1;
	}
	return error;
}

enum status file_lock_take(const char *path, struct file_lock *out, struct diag_log *log)
{
	struct file_lock lock = { .fd = -1, .target = realpath(path, NULL) };
	int error = lock.target || errno == ENOENT ? EAGAIN : errno;
	if (!lock.target)
		lock.target = mem_strndup(path, strlen(path));
	lock.path = lock_path(lock.target);
	while (error == EAGAIN)
		error = try_take(&lock);
	if (error) {
		if (lock.fd >= 0)
			close(lock.fd);
		free(lock.path);
		free(lock.target);
		return diag_fail(log, ST_OUTPUT, "%s: cannot be locked by a file beside it: %s",
		                 text_quote(&log->arena, span_of(path)), strerror(error));
	}
	*out = lock;
	return ST_OK;
}

void file_lock_release(struct file_lock *lock)
{
	if (!lock->path)
		return;
	unlink(lock->path);
	close(lock->fd);
	free(lock->path);
	free(lock->target);
	*lock = (struct file_lock){ 0 };
}
