/* A library for LD_PRELOAD that makes one call of a program fail, or ends the program at that call.

   FAULT_CALL   calls to count: "write", "rename", …; "file" (all calls below except those for
   memory); "memory" (malloc, calloc, realloc); or calls on one file only: "write:PART-OF-THE-PATH"
   FAULT_AT     number of the call that fails, from 1; with "+" after the number all later calls
   fail too
   FAULT_ERROR  errno of the failure; "kill" sends SIGKILL instead of making the call
   FAULT_LOG    file to which a line "CALL PATH" is appended for the failure; with FAULT_AT 0 for
   every counted call

   Calls for memory are counted in all threads and libraries. Calls on standard error, and calls of
   child processes, never fail. */
/* with _FORTIFY_SOURCE, libc would define inline functions with the names below */
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
	const char *call, *part, *log;
	size_t call_length;
	unsigned long at;
	bool all_after, memory, kill, ready;
	int error;
	pid_t of; ///< the process
} plan;
static atomic_ulong calls;

static void *next(const char *name)
{
	void *f = dlsym(RTLD_NEXT, name);
	if (!f)
		abort();
	return f;
}

/* Pointer to libc's own function `name`, which the function of this library replaces. */
#define NEXT(name) ((__typeof__(name) *)next(#name))

/* Append a line to the log without allocating memory, since memory may be what has run out. */
static void note(const char *call, const char *path)
{
	char line[4500];
	long fd = plan.log
	              ? syscall(SYS_openat, AT_FDCWD, plan.log, O_WRONLY | O_CREAT | O_APPEND, 0666)
	              : -1;
	if (fd < 0)
		return;
	int n = snprintf(line, sizeof line, "%s %.4096s\n", call, path);
	if (syscall(SYS_write, fd, line, n) != n)
		abort();
	syscall(SYS_close, fd);
}

static bool happens(const char *call, const char *path)
{
	if (getpid() != plan.of)
		return false;
	unsigned long nr = atomic_fetch_add(&calls, 1) + 1;
	if (plan.at == 0)
		note(call, path);
	if (plan.at == 0 || (plan.all_after ? nr < plan.at : nr != plan.at))
		return false;
	note(call, path);
	return true;
}

static int fail(void)
{
	if (plan.kill)
		kill(getpid(), SIGKILL);
	errno = plan.error;
	return -1;
}

static void *fail_pointer(void)
{
	fail();
	return NULL;
}

static bool file_fails(const char *call, const char *path)
{
	/* calls on /proc and /sys are not counted: the program reads its memory size in /proc, and how
	   often it does so varies */
	if (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0)
		return false;
	bool all = plan.call_length == 4 && strncmp(plan.call, "file", 4) == 0;
	if (!plan.ready || plan.memory ||
	    (!all &&
	     (strlen(call) != plan.call_length || strncmp(call, plan.call, plan.call_length) != 0)))
		return false;
	return (!plan.part || strstr(path, plan.part)) && happens(call, path);
}

static bool fd_fails(const char *call, int fd)
{
	char link[64], path[4096] = "";
	if (!plan.ready || plan.memory || fd == STDERR_FILENO)
		return false;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	long n = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
	path[n > 0 ? n : 0] = '\0';
	return file_fails(call, path);
}

static bool memory_fails(const char *call)
{
	return plan.ready && plan.memory && happens(call, "");
}

/* ---- calls on files, each of which fails if the plan says so ---- */

int open(const char *path, int flags, ...)
{
	va_list ap;
	va_start(ap, flags);
	mode_t mode = flags & O_CREAT ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	return file_fails("open", path) ? fail() : NEXT(open)(path, flags, mode);
}

DIR *opendir(const char *path)
{
	return file_fails("opendir", path) ? fail_pointer() : NEXT(opendir)(path);
}

char *realpath(const char *path, char *resolved)
{
	return file_fails("realpath", path) ? fail_pointer() : NEXT(realpath)(path, resolved);
}

int mkdir(const char *path, mode_t mode)
{
	return file_fails("mkdir", path) ? fail() : NEXT(mkdir)(path, mode);
}

int unlink(const char *path)
{
	return file_fails("unlink", path) ? fail() : NEXT(unlink)(path);
}

int rename(const char *from, const char *to)
{
	return file_fails("rename", to) ? fail() : NEXT(rename)(from, to);
}

int stat(const char *path, struct stat *sb)
{
	return file_fails("stat", path) ? fail() : NEXT(stat)(path, sb);
}

int lstat(const char *path, struct stat *sb)
{
	return file_fails("lstat", path) ? fail() : NEXT(lstat)(path, sb);
}

int access(const char *path, int mode)
{
	return file_fails("access", path) ? fail() : NEXT(access)(path, mode);
}

int fstat(int fd, struct stat *sb)
{
	return fd_fails("fstat", fd) ? fail() : NEXT(fstat)(fd, sb);
}

int fchmod(int fd, mode_t mode)
{
	return fd_fails("fchmod", fd) ? fail() : NEXT(fchmod)(fd, mode);
}

int flock(int fd, int operation)
{
	return fd_fails("flock", fd) ? fail() : NEXT(flock)(fd, operation);
}

int fsync(int fd)
{
	return fd_fails("fsync", fd) ? fail() : NEXT(fsync)(fd);
}

/* Like Linux, close the file even if close() reports an error. */
int close(int fd)
{
	if (!fd_fails("close", fd))
		return NEXT(close)(fd);
	NEXT(close)(fd);
	return fail();
}

ssize_t read(int fd, void *buf, size_t n)
{
	return fd_fails("read", fd) ? fail() : NEXT(read)(fd, buf, n);
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	return fd_fails("read", fd) ? fail() : NEXT(pread)(fd, buf, n, at);
}

/* A write that is made to fail first writes half of its bytes, as on a full disk. */
ssize_t write(int fd, const void *buf, size_t n)
{
	if (!fd_fails("write", fd))
		return NEXT(write)(fd, buf, n);
	if (plan.error == EINTR) /* a write that has written something does not return EINTR */
		return fail();
	ssize_t half = NEXT(write)(fd, buf, n / 2);
	(void)half;
	return fail();
}

/* ---- allocations, each of which fails if the plan says so ---- */

void *malloc(size_t n)
{
	static void *(*f)(size_t);
	if (!f)
		f = NEXT(malloc);
	return memory_fails("malloc") ? fail_pointer() : f(n);
}

void *calloc(size_t nr, size_t size)
{
	static void *(*f)(size_t, size_t);
	if (!f)
		f = NEXT(calloc);
	return memory_fails("calloc") ? fail_pointer() : f(nr, size);
}

void *realloc(void *p, size_t n)
{
	static void *(*f)(void *, size_t);
	if (!f)
		f = NEXT(realloc);
	return memory_fails("realloc") ? fail_pointer() : f(p, n);
}

/* ---- the plan, read from the environment ---- */

static __attribute__((constructor)) void read_plan(void)
{
	const char *call = getenv("FAULT_CALL"), *at = getenv("FAULT_AT"),
	           *error = getenv("FAULT_ERROR");
	if (!call || !at)
		return;
	char *end;
	plan.call = call;
	plan.call_length = strcspn(call, ":");
	plan.part = call[plan.call_length] ? call + plan.call_length + 1 : NULL;
	plan.log = getenv("FAULT_LOG");
	plan.at = strtoul(at, &end, 10);
	plan.all_after = *end == '+';
	plan.memory = strcmp(call, "memory") == 0;
	plan.kill = error && strcmp(error, "kill") == 0;
	plan.error = error && *error && !plan.kill ? atoi(error) : ENOMEM;
	plan.of = getpid();
	unsetenv("FAULT_CALL"); /* no faults in child processes */
	plan.ready = true;
}
