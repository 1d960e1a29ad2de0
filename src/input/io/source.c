#include "io/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "io/ahead.h"
#include "io/inflate.h"
#include "io/opened.h"

#define RAW_BYTES ((size_t)64 << 10)
#define AHEAD_BYTES ((size_t)256 << 10)
#define WINDOW_BYTES ((size_t)256 << 10)
#define DEFAULT_MAX_BYTES ((uint64_t)1 << 40)

enum coding { CODING_UNKNOWN, CODING_PLAIN, CODING_GZIP, CODING_DONE };

struct source {
	char *name; ///< name of the source, fit for a message
	int fd; ///< file descriptor; -1 for a source in memory
	struct span memory, whole; ///< for a source in memory: the bytes that are unread, and all bytes
	off_t start; ///< offset in the file at which reading began; -1 if the file cannot be read twice
	struct source_options options;
	enum coding coding;
	bool raw_eof, in_member, truncated;
	struct inflate *inflate; ///< decoder of gzip; NULL if the file is not compressed
	uint64_t member_at, member_nr; ///< offset of the gzip member in the file; number of its decoded
	                               ///< bytes handed out so far
	uint64_t skip; ///< number of decoded bytes still to be dropped, since zlib decodes again what
	               ///< ISA-L has decoded
	char *raw; ///< buffer of raw bytes
	struct span unread; ///< bytes in `raw` that are not yet decoded
	uint64_t raw_bytes, bytes; ///< number of raw bytes taken from the file; number of decoded bytes
	                           ///< handed out
	char *peek; ///< buffer of source_peek()
	struct span peeked; ///< bytes in `peek` that are unread
	bool want_ahead;
	struct ahead *ahead; ///< thread that reads on after the peeked bytes; NULL if there is none
};

static struct source *source_new(const char *name, const struct source_options *options)
{
	struct source *s = mem_calloc(1, sizeof *s);
	struct strbuf b = STRBUF_INIT;
	text_add_short(&b, span_of(*name ? name : "''"), 4096);
	s->name = mem_strndup(strbuf_str(&b), b.n);
	strbuf_release(&b);
	s->fd = -1;
	if (options)
		s->options = *options;
	if (!s->options.max_bytes)
		s->options.max_bytes = DEFAULT_MAX_BYTES;
	if (!s->options.window)
		s->options.window = WINDOW_BYTES;
	s->raw = mem_realloc(NULL, RAW_BYTES, 1);
	return s;
}

enum status source_open(const char *path, const struct source_options *options, struct source **out,
                        struct diag_log *log)
{
	bool is_stdin = strcmp(path, "-") == 0;
	struct source *s = source_new(is_stdin ? "standard input" : path, options);
	struct stat sb;
	s->fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (s->fd < 0 || fstat(s->fd, &sb) < 0) {
		diag_error(log, "%s: cannot be opened: %s", s->name, strerror(errno));
		source_close(s);
		return ST_INPUT;
	}
	if (S_ISDIR(sb.st_mode)) {
		diag_error(log, "%s: is a directory where a file was expected", s->name);
		source_close(s);
		return ST_INPUT;
	}
	opened_note(&sb);
	s->start = S_ISREG(sb.st_mode) ? lseek(s->fd, 0, SEEK_CUR) : -1;
	*out = s;
	return ST_OK;
}

struct source *source_memory(const char *name, const void *p, size_t n,
                             const struct source_options *options)
{
	struct source *s = source_new(name, options);
	s->memory = s->whole = (struct span){ p, n };
	return s;
}

/* Moves at most `cap` bytes from the front of `*from` to `buf`, and returns their number. */
static size_t take(struct span *from, void *buf, size_t cap)
{
	size_t n = from->n < cap ? from->n : cap;
	if (n) {
		memcpy(buf, from->p, n);
		*from = span_from(*from, n);
	}
	return n;
}

/* Reads raw (still compressed) bytes of the file, at most `cap`; `*nr` is 0 at its end. */
static enum status read_raw(struct source *s, void *buf, size_t cap, size_t *nr,
                            struct diag_log *log)
{
	if (s->options.block && cap > s->options.block)
		cap = s->options.block;
	if (s->fd < 0) {
		*nr = take(&s->memory, buf, cap);
	} else {
		ssize_t n;
		do
			n = read(s->fd, buf, cap);
		while (n < 0 && errno == EINTR);
		if (n < 0)
			return diag_fail(log, ST_INPUT, "%s: byte %" PRIu64 ": cannot be read: %s", s->name,
			                 s->raw_bytes, strerror(errno));
		*nr = (size_t)n;
	}
	s->raw_bytes += *nr;
	s->raw_eof = *nr == 0;
	if (s->options.progress)
		atomic_store_explicit(&s->options.progress->bytes, s->raw_bytes, memory_order_relaxed);
	return ST_OK;
}

/* Fills the buffer of raw bytes to at least `want` bytes, unless the file ends before. */
static enum status fill_raw(struct source *s, size_t want, struct diag_log *log)
{
	if (s->unread.n)
		memmove(s->raw, s->unread.p, s->unread.n);
	s->unread.p = s->raw;
	while (s->unread.n < want && !s->raw_eof) {
		size_t nr = 0;
		TRY(read_raw(s, s->raw + s->unread.n, RAW_BYTES - s->unread.n, &nr, log));
		s->unread.n += nr;
	}
	return ST_OK;
}

static bool at_gzip_magic(const struct source *s)
{
	return span_starts(s->unread, SPAN("\x1f\x8b"));
}

/* Begins a gzip member. ISA-L decodes it only if the input can be read a second time: if ISA-L
 * fails, zlib decodes the member from its beginning (member_again()). */
static void begin_member(struct source *s)
{
	s->member_at = s->raw_bytes - s->unread.n;
	s->member_nr = 0;
	inflate_begin(s->inflate, s->start < 0 || s->options.zlib_only);
	s->in_member = true;
}

static enum status detect(struct source *s, struct diag_log *log)
{
	TRY(fill_raw(s, 2, log));
	s->coding = CODING_PLAIN;
	if (!at_gzip_magic(s))
		return ST_OK;
	s->inflate = inflate_new();
	s->coding = CODING_GZIP;
	begin_member(s);
	return ST_OK;
}

/* Handles the bytes after a gzip member: another member, the end of the file, or garbage. */
static enum status next_member(struct source *s, struct diag_log *log)
{
	TRY(fill_raw(s, 2, log));
	/* if the file ends after the first byte of a member's magic number, that byte also counts as a
	   member, so that inflate_step() reports that the file is cut short */
	if (at_gzip_magic(s) || (s->unread.n == 1 && *s->unread.p == 0x1f)) {
		begin_member(s);
		return ST_OK;
	}
	if (s->unread.n)
		diag_warn(log, "%s: trailing garbage behind the gzip data is ignored", s->name);
	s->coding = CODING_DONE;
	return ST_OK;
}

/* Goes back to the raw byte `at`, from which the file is read again. */
static enum status go_back(struct source *s, uint64_t at, struct diag_log *log)
{
	if (s->fd < 0)
		s->memory = span_from(s->whole, (size_t)at);
	else if (lseek(s->fd, s->start + (off_t)at, SEEK_SET) < 0)
		return diag_fail(log, ST_INPUT, "%s: byte %" PRIu64 ": cannot be read: %s", s->name, at,
		                 strerror(errno));
	s->raw_bytes = at;
	s->unread.n = 0;
	s->raw_eof = false;
	return ST_OK;
}

/* Decodes a member once more with zlib, after ISA-L has found damage or the end of a truncated
   file, because ISA-L would then give other bytes and messages than zlib. Bytes that were already
   handed out are skipped. */
static enum status member_again(struct source *s, struct diag_log *log)
{
	TRY(go_back(s, s->member_at, log));
	s->skip = s->member_nr;
	inflate_begin(s->inflate, true);
	return ST_OK;
}

/* Counts the decoded bytes of a gzip member. If zlib decodes the member once more after ISA-L,
   drops the bytes that the reader has already got. */
static void count_inflated(struct source *s, char *buf, size_t *nr)
{
	size_t twice = *nr < s->skip ? *nr : (size_t)s->skip;
	s->skip -= twice;
	*nr -= twice;
	memmove(buf, buf + twice, *nr);
	s->member_nr += *nr;
}

static enum status cut_short(struct source *s, struct diag_log *log)
{
	if (!s->options.allow_truncated)
		return diag_fail(log, ST_INPUT,
		                 "%s: byte %" PRIu64
		                 ": the gzip data is cut short; copy the file again, or "
		                 "keep its complete events with --allow-truncated",
		                 s->name, s->bytes - s->skip);
	s->truncated = true;
	s->coding = CODING_DONE;
	return ST_OK;
}

static enum status read_gzip(struct source *s, char *buf, size_t cap, size_t *nr,
                             struct diag_log *log)
{
	*nr = 0;
	while (*nr == 0 && s->coding == CODING_GZIP) {
		if (!s->in_member) {
			TRY(next_member(s, log));
			continue;
		}
		if (!s->unread.n && !s->raw_eof)
			TRY(fill_raw(s, 1, log));
		const char *message = NULL;
		enum inflate_result r = inflate_step(s->inflate, &s->unread, buf, cap, nr, &message);
		bool cut = r == INFLATE_MORE && *nr == 0 && s->raw_eof && s->unread.n == 0;
		count_inflated(s, buf, nr);
		s->in_member = r != INFLATE_END;
		if (r == INFLATE_NO_MEMORY)
			return diag_fail(log, ST_OUTPUT, "%s: out of memory while inflating", s->name);
		if (r == INFLATE_DAMAGED)
			return diag_fail(log, ST_INPUT,
			                 "%s: byte %" PRIu64 ": damaged gzip data: %s; make the file anew",
			                 s->name, s->bytes - s->skip, message);
		if (r == INFLATE_AGAIN || (cut && inflate_is_fast(s->inflate)))
			TRY(member_again(s, log));
		else if (cut)
			TRY(cut_short(s, log));
	}
	return ST_OK;
}

static enum status expand(struct source *s, char *buf, size_t cap, size_t *nr, struct diag_log *log)
{
	if (s->options.block && cap > s->options.block)
		cap = s->options.block;
	if (s->coding == CODING_UNKNOWN)
		TRY(detect(s, log));
	*nr = 0;
	if (s->coding == CODING_GZIP)
		TRY(read_gzip(s, buf, cap, nr, log));
	else if (s->coding == CODING_PLAIN && s->unread.n)
		*nr = take(&s->unread, buf, cap);
	else if (s->coding == CODING_PLAIN)
		TRY(read_raw(s, buf, cap, nr, log));
	s->bytes += *nr;
	if (s->bytes > s->options.max_bytes)
		return diag_fail(log, ST_INPUT,
		                 "%s: byte %" PRIu64 ": more than the limit of %" PRIu64 " expanded bytes",
		                 s->name, s->options.max_bytes, s->options.max_bytes);
	return ST_OK;
}

/* Reads decoded bytes. A byte order mark at the beginning is left out: no binary format begins with
   its bytes. */
static enum status read_expanded(void *ctx, char *buf, size_t cap, size_t *nr, struct diag_log *log)
{
	const struct span mark = BYTE_ORDER_MARK;
	struct source *s = ctx;
	bool first = s->bytes == 0;
	TRY(expand(s, buf, cap, nr, log));
	for (size_t more = *nr; first && more && *nr < mark.n && memcmp(buf, mark.p, *nr) == 0;) {
		TRY(expand(s, buf + *nr, cap - *nr, &more, log));
		*nr += more;
	}
	if (!first || !span_starts((struct span){ buf, *nr }, mark))
		return ST_OK;
	*nr -= mark.n;
	memmove(buf, buf + mark.n, *nr);
	return *nr ? ST_OK : expand(s, buf, cap, nr, log);
}

enum status source_peek(struct source *s, struct span *first, struct diag_log *log)
{
	if (!s->peek)
		s->peek = mem_realloc(NULL, SOURCE_PEEK, 1);
	size_t nr = 1;
	s->peeked.p = s->peek;
	while (s->peeked.n < SOURCE_PEEK && nr) {
		TRY(read_expanded(s, s->peek + s->peeked.n, SOURCE_PEEK - s->peeked.n, &nr, log));
		s->peeked.n += nr;
	}
	*first = s->peeked;
	return ST_OK;
}

enum status source_read(struct source *s, char *buf, size_t cap, size_t *nr, struct diag_log *log)
{
	if (s->peeked.n) {
		*nr = take(&s->peeked, buf, cap);
		return ST_OK;
	}
	if (!s->ahead && s->want_ahead) {
		s->want_ahead = false;
		if (s->coding == CODING_UNKNOWN)
			TRY(detect(s, log));
		if (s->coding == CODING_GZIP)
			s->ahead =
			    ahead_begin(read_expanded, s, s->options.block ? s->options.block : AHEAD_BYTES);
	}
	if (!s->ahead)
		return read_expanded(s, buf, cap, nr, log);
	TRY(ahead_read(s->ahead, buf, cap, nr, log));
	if (*nr == 0) {
		ahead_end(s->ahead); /* frees the blocks now: source_close() may come much later */
		s->ahead = NULL;
	}
	return ST_OK;
}

enum status source_read_all(struct source *s, size_t most, struct strbuf *out, struct diag_log *log)
{
	char buf[RAW_BYTES];
	size_t nr = 1;
	while (nr && out->n <= most) {
		TRY(source_read(s, buf, sizeof buf, &nr, log));
		strbuf_add(out, (struct span){ buf, nr });
	}
	return ST_OK;
}

void source_ahead(struct source *s)
{
	s->want_ahead = true;
}

/* False until the caller has read up to the end, although a thread that reads ahead finds the end
   earlier. */
bool source_truncated(const struct source *s)
{
	return !s->ahead && s->truncated;
}

/* Decodes the whole file, from its beginning, to find damage in it. */
static enum status read_to_end(struct source *s, struct diag_log *log)
{
	char *buf = mem_realloc(NULL, RAW_BYTES, 1);
	size_t nr = 1;
	enum status st = go_back(s, 0, log);
	begin_member(s);
	s->coding = CODING_GZIP;
	s->bytes = s->skip = 0;
	while (st == ST_OK && nr)
		st = read_expanded(s, buf, RAW_BYTES, &nr, log);
	free(buf);
	return st;
}

void source_blame_damage(struct source *s, struct diag_log *log)
{
	struct diag_log own;
	if (!s->inflate || s->start < 0)
		return;
	ahead_end(s->ahead);
	s->ahead = NULL;
	diag_init(&own);
	/* a failure at the limit of decompressed bytes does not mean that the data is damaged */
	if (read_to_end(s, &own) == ST_INPUT && s->bytes <= s->options.max_bytes) {
		diag_release(log);
		diag_move(log, &own);
	}
	diag_release(&own);
}

size_t source_window(const struct source *s)
{
	return s->options.window;
}

const char *source_name(const struct source *s)
{
	return s->name;
}

void source_close(struct source *s)
{
	if (!s)
		return;
	ahead_end(s->ahead);
	inflate_free(s->inflate);
	if (s->fd >= 0)
		close(s->fd);
	free(s->raw);
	free(s->peek);
	free(s->name);
	free(s);
}
