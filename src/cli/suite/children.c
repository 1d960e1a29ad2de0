#include "suite/suite.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "io/opened.h"

struct child {
	pid_t pid;
	int fd;
	size_t work;
	struct strbuf text;
	int error; ///< errno of an error while reading the child's output; else 0
};

/* Write all of `text`. After an error, end the child process with a failure, since its output is
   lost. */
static void write_all(int fd, struct span text)
{
	while (text.n) {
		ssize_t nr = write(fd, text.p, text.n);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			_exit(1);
		text = (struct span){ text.p + nr, text.n - (size_t)nr };
	}
}

/* Do piece `i` of the work, and write its output, then the list of files that the child has read
   for it, then the size of this list. */
static void run(const struct child_work *c, size_t i, int fd)
{
	struct sink *out = sink_open_memory();
	size_t before = opened_list().n;
	c->work(i, c->ctx, out);
	struct span read = opened_list();
	read = (struct span){ read.p + before, read.n - before };
	sink_write(out, read);
	sink_write(out, (struct span){ (const char *)&read.n, sizeof read.n });
	write_all(fd, sink_memory(out));
	/* _exit() does not run the exit handlers that the child has inherited from the parent */
	_exit(0);
}

static enum status start(const struct child_work *c, size_t i, struct child *out,
                         struct diag_log *log)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return diag_fail(log, ST_OUTPUT, "a pipe cannot be made: %s", strerror(errno));
	pid_t parent = getpid(), pid = fork();
	if (pid < 0) {
		int error = errno;
		close(fds[0]);
		close(fds[1]);
		return diag_fail(log, ST_OUTPUT, "a process cannot be made: %s", strerror(error));
	}
	if (pid == 0) {
		/* the kernel ends this process when the parent ends, even by SIGKILL */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() != parent)
			_exit(1);
		close(fds[0]);
		run(c, i, fds[1]);
	}
	close(fds[1]);
	*out = (struct child){ .pid = pid, .fd = fds[0], .work = i };
	return ST_OK;
}

/* Cut off the end of the child's output, which is the list of files that the child has read, and
   note these files: the parent must not write reports over them. False if the list is
   incomplete. */
static bool take_opened(struct span *text)
{
	size_t n;
	if (text->n < sizeof n)
		return false;
	text->n -= sizeof n;
	memcpy(&n, text->p + text->n, sizeof n);
	if (n > text->n)
		return false;
	text->n -= n;
	opened_add((struct span){ text->p + text->n, n });
	return true;
}

static void finish(const struct child_work *c, struct child *child)
{
	char died[128] = "";
	int how = 0;
	struct span text = strbuf_span(&child->text);
	close(child->fd);
	while (waitpid(child->pid, &how, 0) < 0 && errno == EINTR)
		;
	if (WIFSIGNALED(how))
		snprintf(died, sizeof died, "its process was ended by signal %d%s", WTERMSIG(how),
		         WTERMSIG(how) == 9 ? ": out of memory?" : "");
	else if (!WIFEXITED(how) || WEXITSTATUS(how) != 0)
		snprintf(died, sizeof died, "its process ended with code %d", WEXITSTATUS(how));
	else if (child->error)
		snprintf(died, sizeof died, "what its process says cannot be read: %s",
		         strerror(child->error));
	else if (!take_opened(&text))
		snprintf(died, sizeof died, "its process ended before its output did");
	c->take(child->work, text, *died ? died : NULL, c->ctx);
	strbuf_release(&child->text);
}

/* Read the output that is available. Returns true at the end of the output or after an error. */
static bool drain(struct child *child)
{
	char buf[65536];
	ssize_t nr = read(child->fd, buf, sizeof buf);
	if (nr > 0)
		strbuf_add(&child->text, (struct span){ buf, (size_t)nr });
	child->error = nr < 0 && errno != EINTR ? errno : 0;
	return nr == 0 || child->error;
}

enum status children_run(const struct child_work *c, size_t nr_work, size_t at_once,
                         struct diag_log *log)
{
	struct child *running = mem_calloc(at_once, sizeof *running);
	struct pollfd *fds = mem_calloc(at_once, sizeof *fds);
	size_t next = 0, nr = 0;
	enum status st = ST_OK;
	while (nr || (next < nr_work && st == ST_OK)) {
		while (st == ST_OK && nr < at_once && next < nr_work) {
			st = start(c, next, &running[nr], log);
			nr += st == ST_OK;
			next += st == ST_OK;
		}
		for (size_t i = 0; i < nr; i++)
			fds[i] = (struct pollfd){ .fd = running[i].fd, .events = POLLIN };
		if (!nr || poll(fds, nr, -1) < 0)
			continue;
		for (size_t i = nr; i-- > 0;)
			if (fds[i].revents && drain(&running[i])) {
				finish(c, &running[i]);
				running[i] = running[--nr];
			}
	}
	free(running);
	free(fds);
	return st;
}
