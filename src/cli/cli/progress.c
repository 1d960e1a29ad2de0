#include "cli/load_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "base/text.h"

/* INTERVAL_NS: time between updates. If reading takes less, nothing is shown. */
enum { INTERVAL_NS = 300000000, DEFAULT_COLUMNS = 80, NAME_CHARS = 28 };

struct progress_line {
	const struct artifact_file *files;
	size_t nr;
	size_t nr_files; ///< number of files, without directories
	uint64_t total; ///< bytes of all files; 0 if the size of a file is unknown
	int64_t start_ns;
	size_t shown; ///< number of characters of the line on the terminal
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t wake;
	bool stop;
};

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

static size_t columns(void)
{
	struct winsize w;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col)
		return w.ws_col;
	return DEFAULT_COLUMNS;
}

/* ---- the text of the line ---- */

struct progress_state {
	uint64_t bytes;
	size_t done;
	const struct artifact_file *reading; ///< first file that is being read; NULL if there is none
};

static struct progress_state look_at_files(const struct progress_line *p)
{
	struct progress_state s = { 0 };
	for (size_t i = 0; i < p->nr; i++) {
		const struct source_progress *f = &p->files[i].progress;
		uint64_t bytes = atomic_load_explicit(&f->bytes, memory_order_relaxed);
		bool done = atomic_load(&f->done);
		s.bytes += bytes;
		s.done += done;
		if (bytes && !done && !s.reading)
			s.reading = &p->files[i];
	}
	return s;
}

static void add_bytes(struct strbuf *b, uint64_t bytes)
{
	unit_format(b, UNIT_BYTES, bytes < INT64_MAX ? (int64_t)bytes : INT64_MAX, false);
}

/* Append a name, with '?' for characters that may be wider than one column: blanks must be able to
   overwrite the name. */
static void add_name(struct strbuf *b, const char *name)
{
	size_t n = strlen(name);
	for (size_t i = n > NAME_CHARS ? n - NAME_CHARS : 0; i < n; i++)
		strbuf_addch(b, name[i] >= ' ' && name[i] <= '~' ? name[i] : '?');
}

/* Compose a line such as "3 of 8 files, rank3.json.gz, 1.20 GiB of 4.00 GiB, 512.00 MiB/s, 5 s
   left". */
static void compose(const struct progress_line *p, struct strbuf *b)
{
	struct progress_state s = look_at_files(p);
	int64_t ns = now_ns() - p->start_ns;
	if (p->nr_files > 1)
		strbuf_addf(b, "%zu of %zu files, ", s.done, p->nr_files);
	if (s.reading) {
		add_name(b, path_last(s.reading->path));
		strbuf_adds(b, ", ");
	}
	add_bytes(b, s.bytes);
	if (p->total) {
		strbuf_adds(b, " of ");
		add_bytes(b, p->total);
	}
	int64_t rate = ns > 0 ? number_div_round((__int128)s.bytes * NS_PER_S, ns) : 0;
	if (rate <= 0)
		return;
	strbuf_adds(b, ", ");
	unit_format(b, UNIT_BYTES_PER_S, rate, false);
	if (p->total > s.bytes)
		strbuf_addf(b, ", %" PRId64 " s left",
		            (int64_t)((p->total - s.bytes) / (uint64_t)rate) + 1);
}

/* Show the line in place of the old one: a carriage return, the text, and blanks over the rest of
   the old line. */
static void show_progress(struct progress_line *p, struct span text)
{
	struct strbuf line = STRBUF_INIT;
	size_t room = columns() - 1, nr = text.n < room ? text.n : room;
	strbuf_addch(&line, '\r');
	strbuf_add(&line, (struct span){ text.p, nr });
	for (size_t i = nr; i < p->shown && i < room; i++)
		strbuf_addch(&line, ' ');
	if (nr < p->shown)
		strbuf_addch(&line, '\r');
	p->shown = nr;
	ssize_t ignored = write(STDERR_FILENO, line.p, line.n);
	(void)ignored; /* progress that cannot be shown is not an error */
	strbuf_release(&line);
}

static void *watch_files(void *ctx)
{
	struct progress_line *p = ctx;
	int64_t at = p->start_ns;
	pthread_mutex_lock(&p->mutex);
	while (!p->stop) {
		at += INTERVAL_NS;
		struct timespec until = { at / NS_PER_S, at % NS_PER_S };
		int woken = 0;
		while (!p->stop && woken != ETIMEDOUT)
			woken = pthread_cond_timedwait(&p->wake, &p->mutex, &until);
		if (p->stop)
			break;
		struct strbuf b = STRBUF_INIT;
		compose(p, &b);
		show_progress(p, strbuf_span(&b));
		strbuf_release(&b);
	}
	pthread_mutex_unlock(&p->mutex);
	return NULL;
}

/* ---- begin and end ---- */

static void measure(struct progress_line *p)
{
	bool known = true;
	for (size_t i = 0; i < p->nr; i++) {
		if (p->files[i].is_directory)
			continue;
		struct stat sb;
		bool sized = stat(p->files[i].path, &sb) == 0 && S_ISREG(sb.st_mode) && sb.st_size > 0;
		p->nr_files++;
		p->total += sized ? (uint64_t)sb.st_size : 0;
		known = known && sized;
	}
	p->total = known ? p->total : 0;
}

struct progress_line *progress_begin(const struct artifact_file *files, size_t nr)
{
	const char *term = getenv("TERM");
	if (!isatty(STDERR_FILENO) || (term && strcmp(term, "dumb") == 0))
		return NULL;
	struct progress_line *p = mem_calloc(1, sizeof *p);
	pthread_condattr_t monotonic;
	p->files = files;
	p->nr = nr;
	p->start_ns = now_ns();
	measure(p);
	pthread_mutex_init(&p->mutex, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&p->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	if (pthread_create(&p->thread, NULL, watch_files, p) != 0)
		p->stop = true; /* no thread was started, and progress_end() must not join one */
	return p;
}

void progress_end(struct progress_line *p)
{
	if (!p)
		return;
	bool watched = !p->stop;
	pthread_mutex_lock(&p->mutex);
	p->stop = true;
	pthread_cond_signal(&p->wake);
	pthread_mutex_unlock(&p->mutex);
	if (watched)
		pthread_join(p->thread, NULL);
	if (p->shown)
		show_progress(p, SPAN(""));
	pthread_cond_destroy(&p->wake);
	pthread_mutex_destroy(&p->mutex);
	free(p);
}
