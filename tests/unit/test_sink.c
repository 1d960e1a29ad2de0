/* Byte sinks: complete files or none, the first error is kept, equal bytes each time. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "io/sink.h"

static char dir[] = "/tmp/gpugate-sink-XXXXXX";
static struct diag_log log_;

static int make_dir(void **state)
{
	(void)state;
	umask(022);
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static int begin(void **state)
{
	(void)state;
	diag_init(&log_);
	return 0;
}

/* Number of entries in the directory, which shows files that were left behind. */
static int nr_files(void)
{
	int nr = 0;
	DIR *d = opendir(dir);
	assert_non_null(d);
	while (readdir(d))
		nr++;
	closedir(d);
	return nr - 2;
}

/* Each test must leave the directory empty. */
static int end(void **state)
{
	(void)state;
	diag_release(&log_);
	return nr_files();
}

static const char *in_dir(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", dir, name);
	return path;
}

/* The content of a file; NULL if there is none. Caller: strbuf_release(). */
static struct strbuf content(const char *path)
{
	struct strbuf b = STRBUF_INIT;
	char buf[4096];
	size_t n;
	FILE *f = fopen(path, "rb");
	if (!f)
		return b;
	strbuf_adds(&b, "");
	while ((n = fread(buf, 1, sizeof buf, f)) > 0)
		strbuf_add(&b, (struct span){ buf, n });
	fclose(f);
	return b;
}

static void assert_content(const char *path, struct span want)
{
	struct strbuf b = content(path);
	assert_non_null(b.p);
	assert_true(span_eq(strbuf_span(&b), want));
	strbuf_release(&b);
}

static struct sink *open_ok(const char *path, bool gzip)
{
	struct sink *s = NULL;
	assert_int_equal(sink_open(path, gzip, &s, &log_), ST_OK);
	assert_non_null(s);
	assert_null(log_.first);
	return s;
}

static void memory(void **state)
{
	struct sink *s = sink_open_memory();
	(void)state;
	assert_int_equal(sink_memory(s).n, 0);
	sink_puts(s, "a");
	sink_write(s, (struct span){ "\0b", 2 });
	sink_write(s, SPAN(""));
	sink_printf(s, "%d%s", 12, "");
	assert_true(span_eq(sink_memory(s), (struct span){ "a\0b12", 5 }));
	assert_int_equal(sink_commit(s, &log_), ST_OK);
	sink_abort(sink_open_memory());
	sink_abort(NULL);
}

static void appears_at_commit(void **state)
{
	char path[128];
	struct sink *s = open_ok(in_dir(path, "new"), false);
	(void)state;
	sink_puts(s, "whole ");
	sink_printf(s, "%s", "file\n");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(nr_files(), 1);
	assert_int_equal(sink_commit(s, &log_), ST_OK);
	assert_int_equal(nr_files(), 1);
	assert_content(path, SPAN("whole file\n"));
	struct stat sb;
	assert_int_equal(stat(path, &sb), 0);
	assert_int_equal(sb.st_mode & 07777, 0644); /* the mode of a new file follows from the umask */
	unlink(path);
}

static void empty_file(void **state)
{
	char path[128];
	(void)state;
	assert_int_equal(sink_commit(open_ok(in_dir(path, "empty"), false), &log_), ST_OK);
	assert_content(path, SPAN(""));
	unlink(path);
}

/* Until the commit the old file stays complete; its mode is kept. */
static void replaces_the_old(void **state)
{
	char path[128];
	struct stat sb;
	struct sink *s = open_ok(in_dir(path, "old"), false);
	(void)state;
	sink_puts(s, "old");
	assert_int_equal(sink_commit(s, &log_), ST_OK);
	assert_int_equal(chmod(path, 0600), 0);
	s = open_ok(path, false);
	sink_puts(s, "new and longer");
	assert_content(path, SPAN("old"));
	assert_int_equal(sink_commit(s, &log_), ST_OK);
	assert_content(path, SPAN("new and longer"));
	assert_int_equal(stat(path, &sb), 0);
	assert_int_equal(sb.st_mode & 07777, 0600);
	unlink(path);
}

static void abort_leaves_nothing(void **state)
{
	char path[128];
	struct sink *s = open_ok(in_dir(path, "gone"), false);
	(void)state;
	for (int i = 0; i < 100000; i++)
		sink_puts(s, "beyond what is buffered ");
	assert_int_equal(nr_files(), 1);
	sink_abort(s);
	assert_int_equal(nr_files(), 0);
	s = open_ok(path, true);
	sink_puts(s, "x");
	sink_abort(s);
}

/* Two sinks for one path at the same time: the last commit counts, and the file is never a mixture.
 */
static void two_at_once(void **state)
{
	char path[128];
	struct sink *a = open_ok(in_dir(path, "both"), false), *b = open_ok(path, false);
	(void)state;
	sink_puts(a, "a");
	sink_puts(b, "b");
	assert_int_equal(nr_files(), 2);
	assert_int_equal(sink_commit(b, &log_), ST_OK);
	assert_content(path, SPAN("b"));
	assert_int_equal(sink_commit(a, &log_), ST_OK);
	assert_content(path, SPAN("a"));
	unlink(path);
}

static void large_file(void **state)
{
	char path[128];
	struct strbuf want = STRBUF_INIT;
	struct sink *s = open_ok(in_dir(path, "large"), false);
	(void)state;
	for (int i = 0; i < 100000; i++) {
		sink_printf(s, "line %d\n", i);
		strbuf_addf(&want, "line %d\n", i);
	}
	sink_write(s, strbuf_span(&want)); /* more bytes than the buffer holds, in one call */
	struct span half = strbuf_span(&want);
	struct strbuf all = STRBUF_INIT;
	strbuf_add(&all, half);
	strbuf_add(&all, half);
	assert_int_equal(sink_commit(s, &log_), ST_OK);
	assert_content(path, strbuf_span(&all));
	strbuf_release(&want);
	strbuf_release(&all);
	unlink(path);
}

static void gunzip(struct span z, struct strbuf *out)
{
	unsigned char buf[4096];
	z_stream in = { .next_in = (Bytef *)z.p, .avail_in = (uInt)z.n };
	int st;
	assert_int_equal(inflateInit2(&in, 31), Z_OK);
	do {
		in.next_out = buf;
		in.avail_out = sizeof buf;
		st = inflate(&in, Z_NO_FLUSH);
		strbuf_add(out, (struct span){ (char *)buf, sizeof buf - in.avail_out });
	} while (st == Z_OK);
	assert_int_equal(st, Z_STREAM_END);
	assert_int_equal(in.avail_in, 0);
	inflateEnd(&in);
}

/* The gzip header has no name and no time, so the bytes depend on neither. */
static void gzip(void **state)
{
	static const size_t lengths[] = { 0, 1, 65535, 65536, 65537, 1000000 };
	char path[2][128];
	(void)state;
	in_dir(path[0], "one.gz");
	in_dir(path[1], "two.json.gz");
	for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
		struct strbuf text = STRBUF_INIT, file[2], back = STRBUF_INIT;
		uint32_t x = 1;
		for (; text.n < lengths[l]; x = x * 1664525 + 1013904223)
			strbuf_addch(&text, (char)(x >> 24));
		for (int i = 0; i < 2; i++) {
			struct sink *s = open_ok(path[i], true);
			/* all bytes in one call, then in several calls */
			size_t step = i ? 1000 : lengths[l] + 1;
			for (size_t at = 0; at < text.n; at += step)
				sink_write(s,
				           (struct span){ text.p + at, text.n - at < step ? text.n - at : step });
			assert_int_equal(sink_commit(s, &log_), ST_OK);
			file[i] = content(path[i]);
			unlink(path[i]);
		}
		assert_true(span_eq(strbuf_span(&file[0]), strbuf_span(&file[1])));
		assert_memory_equal(file[0].p + 3, "\0\0\0\0\0", 5); /* flags and time of the header */
		gunzip(strbuf_span(&file[0]), &back);
		assert_true(span_eq(strbuf_span(&back), strbuf_span(&text)));
		strbuf_release(&text);
		strbuf_release(&back);
		strbuf_release(&file[0]);
		strbuf_release(&file[1]);
	}
}

static void cannot_open(const char *path, const char *reason)
{
	struct sink *s = NULL;
	struct strbuf want = STRBUF_INIT;
	assert_int_equal(sink_open(path, false, &s, &log_), ST_OUTPUT);
	assert_null(s);
	strbuf_addf(&want, "%s: cannot be written: %s", path, reason);
	assert_string_equal(diag_first_error(&log_), strbuf_str(&want));
	strbuf_release(&want);
	diag_release(&log_);
}

static void unwritable_places(void **state)
{
	char path[128], under[140];
	(void)state;
	cannot_open(in_dir(path, "no/such/directory"), "No such file or directory");
	cannot_open(dir, "Is a directory");
	assert_int_equal(close(open(in_dir(path, "file"), O_CREAT | O_WRONLY, 0600)), 0);
	snprintf(under, sizeof under, "%s/x", path);
	cannot_open(under, "Not a directory");
	unlink(path);
}

/* Runs as another user, since root may write everywhere. */
static void unwritable_directory(void **state)
{
	char path[128];
	int result;
	(void)state;
	assert_int_equal(chmod(dir, 0555), 0);
	pid_t child = fork();
	if (child == 0) {
		struct sink *s;
		if (geteuid() == 0 && seteuid(65534) != 0)
			_exit(77);
		enum status st = sink_open(in_dir(path, "file"), false, &s, &log_);
		_exit(st == ST_OUTPUT &&
		              strstr(diag_first_error(&log_), "cannot be written: Permission denied")
		          ? 0
		          : 1);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &result, 0), child);
	assert_int_equal(chmod(dir, 0700), 0);
	if (WIFEXITED(result) && WEXITSTATUS(result) == 77)
		skip();
	assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
}

static void full_device(void **state)
{
	(void)state;
	for (int gz = 0; gz < 2; gz++)
		for (int big = 0; big < 2; big++) {
			struct sink *s = open_ok("/dev/full", gz);
			uint32_t x = 1;
			for (int i = 0; i < (big ? 200000 : 1); i++, x = x * 1664525 + 1013904223)
				sink_printf(s, "%u", x);
			assert_int_equal(sink_commit(s, &log_), ST_OUTPUT);
			assert_string_equal(diag_first_error(&log_),
			                    "/dev/full: cannot be written: No space left on device");
			diag_release(&log_);
		}
}

/* Standard output that fails is an error, too; tested in a child process. */
static void standard_output(void **state)
{
	static const struct {
		const char *device;
		int code;
	} rows[] = { { "/dev/full", 5 }, { "/dev/null", 0 } };
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		int result;
		fflush(NULL);
		pid_t child = fork();
		if (child == 0) {
			struct sink *s;
			int fd = open(rows[i].device, O_WRONLY);
			if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || sink_open("-", false, &s, &log_) != ST_OK)
				_exit(99);
			sink_puts(s, "text");
			enum status st = sink_commit(s, &log_);
			if (st != ST_OK &&
			    !strstr(diag_first_error(&log_), "standard output: cannot be written: "))
				_exit(98);
			_exit(status_exit_code(st));
		}
		assert_int_equal(waitpid(child, &result, 0), child);
		assert_true(WIFEXITED(result));
		assert_int_equal(WEXITSTATUS(result), rows[i].code);
	}
}

/* A file that cannot grow: nothing is left behind, and the old file is unchanged. */
static void write_error_keeps_the_old(void **state)
{
	char path[128];
	struct sink *s = open_ok(in_dir(path, "kept"), false);
	(void)state;
	sink_puts(s, "old");
	assert_int_equal(sink_commit(s, &log_), ST_OK);
	s = open_ok(path, false);
	struct rlimit limit, tight;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	tight = limit;
	tight.rlim_cur = 2;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	sink_puts(s, "new");
	enum status st = sink_commit(s, &log_);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(st, ST_OUTPUT);
	assert_non_null(strstr(diag_first_error(&log_), "/kept: cannot be written: File too large"));
	assert_int_equal(nr_files(), 1);
	assert_content(path, SPAN("old"));
	unlink(path);
}

/* If the output is a symbolic link, the link stays, and the file to which it leads is replaced. */
static void symbolic_link(void **state)
{
	char path[128], link_path[128], target[128];
	struct stat sb;
	(void)state;
	in_dir(link_path, "link");
	assert_int_equal(close(open(in_dir(path, "target"), O_CREAT | O_WRONLY, 0640)), 0);
	assert_int_equal(symlink("target", link_path), 0);
	struct sink *s = open_ok(link_path, false);
	sink_puts(s, "through the link");
	assert_int_equal(sink_commit(s, &log_), ST_OK);
	assert_int_equal(lstat(link_path, &sb), 0);
	assert_true(S_ISLNK(sb.st_mode));
	assert_int_equal(readlink(link_path, target, sizeof target), 6);
	assert_content(path, SPAN("through the link"));
	unlink(link_path);
	unlink(path);
}

/* The files that a signal handler removes: temporary files of open sinks. */
static void unlink_all(void **state)
{
	char path[128], other[128];
	struct sink *a = open_ok(in_dir(path, "a"), false), *b = open_ok(in_dir(other, "b"), false);
	(void)state;
	assert_int_equal(nr_files(), 2);
	assert_int_equal(sink_commit(b, &log_), ST_OK);
	leftover_remove_all();
	assert_int_equal(nr_files(), 1); /* only the file of b is left: it was committed */
	/* a's temporary file is gone, so the commit fails */
	assert_int_equal(sink_commit(a, &log_), ST_OUTPUT);
	unlink(other);
}

/* The table of temporary files is limited; beyond the limit opening fails, and leaves nothing. */
static void many_at_once(void **state)
{
	enum { LIMIT = 64 };
	struct sink *s[LIMIT], *more = NULL;
	char path[128];
	(void)state;
	for (int i = 0; i < LIMIT; i++) {
		char name[16];
		snprintf(name, sizeof name, "%d", i);
		s[i] = open_ok(in_dir(path, name), false);
	}
	assert_int_equal(sink_open(in_dir(path, "more"), false, &more, &log_), ST_OUTPUT);
	assert_int_equal(nr_files(), LIMIT);
	for (int i = 0; i < LIMIT; i++)
		sink_abort(s[i]);
	assert_int_equal(nr_files(), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(memory),
		TEST(appears_at_commit),
		TEST(empty_file),
		TEST(replaces_the_old),
		TEST(abort_leaves_nothing),
		TEST(two_at_once),
		TEST(large_file),
		TEST(gzip),
		TEST(unwritable_places),
		TEST(unwritable_directory),
		TEST(full_device),
		TEST(standard_output),
		TEST(write_error_keeps_the_old),
		TEST(symbolic_link),
		TEST(unlink_all),
		TEST(many_at_once),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
