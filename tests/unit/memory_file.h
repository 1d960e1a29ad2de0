/* A file in memory that has a path, for readers that open files. */
#ifndef GG_TESTS_MEMORY_FILE_H
#define GG_TESTS_MEMORY_FILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
	int fd;
	char path[32];
};

/* Makes a file of the given bytes; close(f.fd) releases the file. */
static inline struct memory_file memory_file(const void *p, size_t n)
{
	struct memory_file f = { .fd = memfd_create("test", MFD_CLOEXEC) };
	if (f.fd < 0 || write(f.fd, p, n) != (ssize_t)n)
		abort();
	snprintf(f.path, sizeof f.path, "/proc/self/fd/%d", f.fd);
	return f;
}

#endif
