/* Measures a command: prints wall and processor time in µs and resident memory in KiB. It is a
   separate program, since a child process begins with the memory of its parent.
   usage: usage COMMAND… */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static int64_t us(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000 + t.tv_usec;
}

int main(int argc, char **argv)
{
	struct rusage used;
	int status = -1;
	int64_t begin = now_us();
	pid_t child = argc > 1 ? fork() : -1;
	if (child == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &used) != child || status != 0)
		return 1;
	printf("%" PRId64 " %" PRId64 " %ld\n", now_us() - begin, us(used.ru_utime) + us(used.ru_stime),
	       used.ru_maxrss);
	return 0;
}
