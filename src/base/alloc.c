#include "base/alloc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/status.h"

static void (*failure_handler)(void);

void mem_on_failure(void (*handler)(void))
{
	failure_handler = handler;
}

void mem_return_large(void)
{
#ifdef M_MMAP_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 256 * 1024);
#endif
}

/* Ends the process: if every container returned lack of memory as an error, about twice as much
   code could go wrong. */
void mem_fail(void)
{
	static const char text[] =
	    "gpugate: out of memory: given up half way; give the job more memory\n";
	if (failure_handler)
		failure_handler();
	ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
	(void)ignored;
	_exit(status_exit_code(ST_OUTPUT));
}

/* ---- the limit of memory ---- */

/* The size of the process is looked up each time the process has allocated LOOK_BYTES more: often
   enough for limits of tens of MiB. Allocations of less than SMALL_BYTES are not counted. */
enum { LOOK_BYTES = 4 << 20, SMALL_BYTES = 2 << 10 };

static uint64_t limit_bytes; /* limit in bytes, 0 if there is none; set before threads start */
static atomic_size_t since_look;
static _Thread_local const char *read_name;

void mem_limit(uint64_t bytes)
{
	limit_bytes = bytes;
}

void mem_reads(const char *name)
{
	read_name = name;
}

/* Number of bytes of private resident memory of the process; 0 if unknown. */
static uint64_t bytes_held(void)
{
	char text[128], *at = text;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	strtoull(at, &at, 10);
	uint64_t resident = strtoull(at, &at, 10), shared = strtoull(at, &at, 10);
	return resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static _Noreturn void beyond_limit(const char *what, size_t bytes)
{
	char text[1024];
	if (failure_handler)
		failure_handler();
	const char *dot = strrchr(what, '>');
	char size[32] = "";
	if (bytes >> 20) /* a smaller size is left out, since it would be shown as 0 MiB */
		snprintf(size, sizeof size, " to %zu MiB", bytes >> 20);
	int n = snprintf(text, sizeof text,
	                 "gpugate: %.600s%smore memory than the limit of %" PRIu64
	                 " MiB: '%.100s' grows%s; read fewer files at a time (--jobs), or "
	                 "raise the limit with --max-memory\n",
	                 read_name ? read_name : "", read_name ? ": " : "", limit_bytes >> 20,
	                 dot ? dot + 1 : what, size);
	for (int i = 0; i < n - 1 && i < (int)sizeof text - 2; i++)
		if ((unsigned char)text[i] < ' ')
			text[i] = '?';
	ssize_t ignored =
	    write(STDERR_FILENO, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
	(void)ignored;
	_exit(status_exit_code(ST_INPUT));
}

void mem_grows(const char *what, size_t bytes)
{
	if (!limit_bytes || bytes < SMALL_BYTES ||
	    atomic_fetch_add(&since_look, bytes) + bytes < LOOK_BYTES)
		return;
	atomic_store(&since_look, 0);
	if (bytes > limit_bytes || bytes_held() > limit_bytes - bytes)
		beyond_limit(what, bytes);
}

/* ---- allocation of blocks ---- */

void *mem_calloc(size_t nr, size_t size)
{
	if (size && nr >= PTRDIFF_MAX / size)
		mem_fail();
	mem_grows("a table", nr * size);
	void *p = calloc(nr ? nr : 1, size ? size : 1);
	if (!p)
		mem_fail();
	return p;
}

void *mem_realloc(void *old, size_t nr, size_t size)
{
	if (size && nr > SIZE_MAX / size)
		mem_fail();
	void *p = realloc(old, nr && size ? nr * size : 1);
	if (!p)
		mem_fail();
	return p;
}

char *mem_strndup(const char *p, size_t n)
{
	char *s = mem_realloc(NULL, n + 1, 1);
	if (n)
		memcpy(s, p, n);
	s[n] = '\0';
	return s;
}
