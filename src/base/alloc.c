#include "base/alloc.h"

#include <malloc.h>
#include <stdint.h>
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

/* The only place below main that may end the process: threading this one
   error through every container would double the code that can go wrong. */
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

void *mem_calloc(size_t nr, size_t size)
{
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
