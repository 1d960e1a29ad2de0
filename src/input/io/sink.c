#include "io/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "io/opened.h"
#include "io/place.h"

#define FLUSH_BYTES ((size_t)64 << 10)
#define WAS_READ (-1) /* value of `error` (not an errno) if this process has read the target */

enum target { TARGET_MEMORY, TARGET_STDOUT, TARGET_FILE };

struct sink {
	enum target target;
	char *path; ///< path as the caller gave it; if it is a link, `final` is the link's target
	char *final, *temp; ///< paths of the target and of the temporary file
	int fd, slot; ///< file descriptor; result of leftover_add() for `temp`, or -1
	mode_t mode;
	bool gzip;
	bool again; ///< true if the target may be written anew although this process has read it
	z_stream z;
	int error; ///< errno of the first failure, WAS_READ if the target is an input, or 0
	struct strbuf buf;
};

static enum status fail(const struct sink *s, int error, struct diag_log *log)
{
	return diag_fail(log, ST_OUTPUT, "%s: cannot be written: %s",
	                 text_short(&log->arena, span_of(s->path), 4096),
	                 error == WAS_READ ? "it is an input of this command; name another file"
	                                   : strerror(error));
}

static void release(struct sink *s)
{
	leftover_forget(s->slot);
	if (s->gzip)
		deflateEnd(&s->z);
	strbuf_release(&s->buf);
	free(s->path);
	free(s->final);
	free(s->temp);
	free(s);
}

/* Opens a temporary file in the directory of `final`, with a unique name from pid and a counter. */
static int open_temp(struct sink *s)
{
	for (unsigned i = 0; i < 1000; i++) {
		free(s->temp);
		s->temp = leftover_name(s->final, i);
		s->fd = open(s->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, s->mode);
		if (s->fd >= 0)
			/* the lock tells leftover_clean() that the file is in use; not all file systems have
			   locks, so that a failure is ignored */
			flock(s->fd, LOCK_EX | LOCK_NB);
		if (s->fd >= 0 || errno != EEXIST)
			return s->fd < 0 ? errno : 0;
	}
	return EEXIST;
}

static int open_file(struct sink *s)
{
	struct stat sb;
	s->mode = 0666;
	s->final = place_of(s->path);
	if (!s->final)
		return errno;
	if (stat(s->final, &sb) == 0) {
		if (S_ISDIR(sb.st_mode))
			return EISDIR;
		if (!s->again && opened_has(&sb))
			return WAS_READ;
		if (!S_ISREG(sb.st_mode)) { /* a device or pipe, such as /dev/full, is written directly */
			s->target = TARGET_STDOUT;
			s->fd = open(s->final, O_WRONLY | O_CLOEXEC | O_NOCTTY);
			return s->fd < 0 ? errno : 0;
		}
	}
	leftover_clean(s->final);
	int error = open_temp(s);
	if (error)
		return error;
	s->slot = leftover_add(s->temp);
	if (s->slot < 0) {
		unlink(s->temp);
		return EMFILE;
	}
	if (stat(s->final, &sb) == 0 && fchmod(s->fd, sb.st_mode & 07777) < 0)
		return errno;
	return 0;
}

static enum status open_sink(const char *path, bool gzip, bool again, struct sink **out,
                             struct diag_log *log)
{
	struct sink *s = mem_calloc(1, sizeof *s);
	bool is_file = strcmp(path, "-") != 0;
	path = is_file ? path : "standard output";
	s->again = again;
	s->path = mem_strndup(path, strlen(path));
	s->slot = -1;
	s->fd = STDOUT_FILENO;
	s->target = is_file ? TARGET_FILE : TARGET_STDOUT;
	int error = is_file ? open_file(s) : 0;
	if (!error && gzip) {
		/* the gzip header has no name and no time, so that equal input gives equal bytes */
		s->gzip = deflateInit2(&s->z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
		error = s->gzip ? 0 : ENOMEM;
	}
	if (!error) {
		*out = s;
		return ST_OK;
	}
	enum status st = fail(s, error, log);
	sink_abort(s);
	return st;
}

enum status sink_open(const char *path, bool gzip, struct sink **out, struct diag_log *log)
{
	return open_sink(path, gzip, false, out, log);
}

enum status sink_make_folders(const char *path, struct diag_log *log)
{
	char *copy = arena_dup(&log->arena, span_of(path));
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0777) < 0 && errno != EEXIST)
			return diag_fail(log, ST_OUTPUT, "%s: cannot be made: %s",
			                 text_quote(&log->arena, span_of(copy)), strerror(errno));
		*slash = '/';
	}
	return ST_OK;
}

enum status sink_open_again(const char *path, struct sink **out, struct diag_log *log)
{
	return open_sink(path, false, true, out, log);
}

struct sink *sink_open_memory(void)
{
	struct sink *s = mem_calloc(1, sizeof *s);
	s->path = mem_strndup("memory", 6);
	s->slot = -1;
	s->fd = -1;
	return s;
}

struct span sink_memory(const struct sink *s)
{
	return strbuf_span(&s->buf);
}

static void write_fd(struct sink *s, const void *p, size_t n)
{
	const char *at = p;
	while (n && !s->error) {
		ssize_t w = write(s->fd, at, n);
		if (w < 0 && errno == EINTR)
			continue;
		if (w <= 0) {
			s->error = w < 0 ? errno : EIO;
			return;
		}
		at += w;
		n -= (size_t)w;
	}
}

static void flush(struct sink *s, bool finish)
{
	if (!s->gzip) {
		write_fd(s, strbuf_str(&s->buf), s->buf.n);
	} else {
		unsigned char out[16 << 10];
		s->z.next_in = (Bytef *)s->buf.p;
		s->z.avail_in = (uInt)s->buf.n;
		do {
			s->z.next_out = out;
			s->z.avail_out = sizeof out;
			if (deflate(&s->z, finish ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
				s->error = EIO;
			write_fd(s, out, sizeof out - s->z.avail_out);
		} while (s->z.avail_out == 0 && !s->error);
	}
	strbuf_setlen(&s->buf, 0);
}

void sink_write(struct sink *s, struct span bytes)
{
	while (bytes.n && !s->error) {
		/* the bytes are compressed in chunks, since zlib counts in 32 bits */
		struct span chunk = bytes;
		if (s->target != TARGET_MEMORY && chunk.n > FLUSH_BYTES)
			chunk.n = FLUSH_BYTES;
		strbuf_add(&s->buf, chunk);
		bytes = span_from(bytes, chunk.n);
		if (s->target != TARGET_MEMORY && s->buf.n >= FLUSH_BYTES)
			flush(s, false);
	}
}

void sink_puts(struct sink *s, const char *text)
{
	sink_write(s, span_of(text));
}

void sink_printf(struct sink *s, const char *fmt, ...)
{
	va_list ap;
	struct strbuf b = STRBUF_INIT;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	sink_write(s, strbuf_span(&b));
	strbuf_release(&b);
}

static int sync_directory(const char *path)
{
	char *dir = place_folder(path);
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int error = fd < 0 ? errno : 0;
	/* some file systems cannot sync a directory and return EINVAL */
	if (fd >= 0 && fsync(fd) < 0 && errno != EINVAL)
		error = errno;
	if (fd >= 0)
		close(fd);
	free(dir);
	return error;
}

static int commit_file(struct sink *s)
{
	int error = s->error;
	if (!error && fsync(s->fd) < 0)
		error = errno;
	if (close(s->fd) < 0 && !error)
		error = errno;
	s->fd = -1;
	if (!error && rename(s->temp, s->final) < 0)
		error = errno;
	if (error) {
		unlink(s->temp);
		return error;
	}
	return sync_directory(s->final);
}

enum status sink_commit(struct sink *s, struct diag_log *log)
{
	if (s->target != TARGET_MEMORY)
		flush(s, true);
	int error = s->error;
	if (s->target == TARGET_FILE)
		error = commit_file(s);
	else if (s->fd > STDERR_FILENO && close(s->fd) < 0 && !error)
		error = errno;
	enum status st = error ? fail(s, error, log) : ST_OK;
	release(s);
	return st;
}

void sink_abort(struct sink *s)
{
	if (!s)
		return;
	if (s->fd > STDERR_FILENO)
		close(s->fd);
	if (s->slot >= 0)
		unlink(s->temp);
	release(s);
}
