#include "io/sink.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "io/place.h"

#define MAX_FILES 64

/* The registered files. The array is global because the signal handler and the out-of-memory
 * handler need it. */
static const char *volatile files[MAX_FILES];

int leftover_add(const char *path)
{
	for (int i = 0; i < MAX_FILES; i++)
		if (!files[i]) {
			files[i] = path;
			return i;
		}
	return -1;
}

void leftover_forget(int number)
{
	if (number >= 0)
		files[number] = NULL;
}

void leftover_remove_all(void)
{
	for (int i = 0; i < MAX_FILES; i++)
		if (files[i])
			unlink(files[i]);
}

char *leftover_name(const char *final, unsigned number)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s.%ld-%u.tmp", final, (long)getpid(), number);
	return b.p;
}

/* True for a file "NAME.PID-NUMBER.tmp" whose process PID has ended. */
static bool is_of_the_dead(const char *file, const char *name)
{
	struct span rest = span_of(file);
	uint64_t pid, number;
	if (!span_skip(&rest, span_of(name)) || !span_skip(&rest, SPAN(".")) || rest.n <= 4 ||
	    memcmp(rest.p + rest.n - 4, ".tmp", 4) != 0)
		return false;
	rest.n -= 4;
	return number_parse_u64(span_cut(&rest, '-'), &pid) && number_parse_u64(rest, &number) &&
	       pid > 0 && pid <= INT32_MAX && kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

/* Removes the file, unless a writer (even on another machine that shares the folder) holds a lock
   on it. */
static void remove_unless_held(int folder, const char *file)
{
	struct stat sb;
	int fd = openat(folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return;
	if (fstat(fd, &sb) == 0 && S_ISREG(sb.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder, file, 0);
	close(fd);
}

void leftover_clean(const char *final)
{
	char *folder = place_folder(final);
	DIR *dir = opendir(folder);
	for (const struct dirent *e; dir && (e = readdir(dir));)
		if (is_of_the_dead(e->d_name, path_last(final)))
			remove_unless_held(dirfd(dir), e->d_name);
	if (dir)
		closedir(dir);
	free(folder);
}
