#include "io/cores.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/strbuf.h"

/* Reads the beginning of a system file, without its last line feed. */
static struct span read_small(const char *path, char *text, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, room);
	if (fd >= 0)
		close(fd);
	while (n > 0 && text[n - 1] == '\n')
		n--;
	return (struct span){ text, n > 0 ? (size_t)n : 0 };
}

/* Lowers `*least` to the lowest limit, in bytes, of the control group `group` and its parents.
 * Groups are folders below `root`, and `file` is the file in each that holds its limit: a number,
 * or "max" for no limit. */
static void limit_of(const char *root, struct span group, const char *file, uint64_t *least)
{
	char text[64];
	for (;;) {
		struct strbuf path = STRBUF_INIT;
		uint64_t bytes;
		strbuf_adds(&path, root);
		strbuf_add(&path, group);
		strbuf_adds(&path, file);
		if (number_parse_u64(read_small(strbuf_str(&path), text, sizeof text), &bytes) &&
		    bytes < *least)
			*least = bytes;
		strbuf_release(&path);
		if (group.n == 0)
			return;
		do
			group.n--;
		while (group.n && group.p[group.n] != '/');
	}
}

/* Reads one line of /proc/self/cgroup: "0::/path" in version 2, "9:memory:/path" in version 1. */
static void limit_of_line(struct span line, uint64_t *least)
{
	const char *colon = memchr(line.p, ':', line.n);
	struct span rest = { colon, colon ? line.n - (size_t)(colon - line.p) : 0 };
	if (span_skip(&rest, SPAN(":memory:")))
		limit_of("/sys/fs/cgroup/memory", rest, "/memory.limit_in_bytes", least);
	else if (span_skip(&rest, SPAN("::")))
		limit_of("/sys/fs/cgroup", rest, "/memory.max", least);
}

uint64_t machine_memory(void)
{
	char text[PATH_MAX];
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t least = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
	struct span all = read_small("/proc/self/cgroup", text, sizeof text);
	while (all.n) {
		const char *end = memchr(all.p, '\n', all.n);
		size_t n = end ? (size_t)(end - all.p) : all.n;
		limit_of_line((struct span){ all.p, n }, &least);
		all.p += n + (end != NULL);
		all.n -= n + (end != NULL);
	}
	return least == UINT64_MAX ? 0 : least;
}
