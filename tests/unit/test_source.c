/* Byte sources: plain and gzip, in any block size, cut and damaged at every byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "io/jscan.h"
#include "io/source.h"

#define ROWS(a) (sizeof(a) / sizeof *(a))

static const size_t blocks[] = { 0, 1, 2, 3, 7 };

/* Append `s` as one gzip member, with a name in its header. */
static void gzip_member(struct strbuf *out, struct span s)
{
	unsigned char buf[1 << 16];
	gz_header header = { .name = (Bytef *)"rank0.json", .os = 3 };
	z_stream z = { .next_in = (Bytef *)s.p, .avail_in = (uInt)s.n };
	assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
	deflateSetHeader(&z, &header);
	int st;
	do {
		z.next_out = buf;
		z.avail_out = sizeof buf;
		st = deflate(&z, Z_FINISH);
		strbuf_add(out, (struct span){ (char *)buf, sizeof buf - z.avail_out });
	} while (st == Z_OK);
	assert_int_equal(st, Z_STREAM_END);
	deflateEnd(&z);
}

/* Makes `n` bytes of text that compresses badly. */
static void some_text(struct strbuf *out, size_t n)
{
	uint32_t x = 12345;
	while (out->n < n) {
		x = x * 1664525 + 1013904223;
		strbuf_addf(out, "{\"ts\":%u}", x >> 12);
	}
	strbuf_setlen(out, n);
}

struct outcome {
	enum status status;
	struct strbuf bytes;
	struct diag_log log;
	bool truncated;
};

static void drain(struct source *src, size_t cap, struct outcome *o)
{
	char buf[1 << 15];
	size_t nr = 1;
	while (o->status == ST_OK && nr) {
		o->status = source_read(src, buf, cap, &nr, &o->log);
		if (o->status == ST_OK) {
			assert_true(nr <= cap);
			strbuf_add(&o->bytes, (struct span){ buf, nr });
		}
	}
	if (o->status == ST_OK) { /* reading again at the end gives the end again */
		assert_int_equal(source_read(src, buf, cap, &nr, &o->log), ST_OK);
		assert_int_equal(nr, 0);
	}
	o->truncated = source_truncated(src);
}

static struct outcome read_all(struct span data, const struct source_options *options, bool peek,
                               bool ahead)
{
	struct outcome o = { .bytes = STRBUF_INIT };
	struct span first;
	diag_init(&o.log);
	struct source *src = source_memory("mem", data.p, data.n, options);
	if (ahead)
		source_ahead(src);
	if (peek)
		o.status = source_peek(src, &first, &o.log);
	drain(src, options->block == 7 ? 1 : 1 << 15, &o);
	source_close(src);
	return o;
}

static void outcome_release(struct outcome *o)
{
	strbuf_release(&o->bytes);
	diag_release(&o->log);
}

/* Checks every block size, with and without a look ahead, in one thread and in two, and with zlib
   only. */
static void check(struct span data, struct source_options options, enum status status,
                  struct span text, const char *message, const char *what)
{
	for (size_t i = 0; i < 8 * ROWS(blocks); i++) {
		options.block = blocks[i / 8];
		options.zlib_only = i / 4 % 2;
		bool ahead = i / 2 % 2;
		struct outcome o = read_all(data, &options, i % 2, ahead);
		const struct diag_entry *e = o.log.first;
		bool ok = o.status == status && (status != ST_OK || span_eq(strbuf_span(&o.bytes), text)) &&
		          (message ? e && strcmp(e->text, message) == 0 && !e->next : !e);
		if (!ok)
			fail_msg("%s, block %zu%s%s%s: status %d, %zu bytes, '%s'", what, options.block,
			         i % 2 ? ", peeked" : "", ahead ? ", ahead" : "",
			         options.zlib_only ? ", zlib" : "", o.status, o.bytes.n, e ? e->text : "");
		outcome_release(&o);
	}
}

static void plain(void **state)
{
	static const struct span rows[] = {
		SPAN("{}"), SPAN("x"), SPAN("\0\xff"), SPAN("\x1f"), SPAN("\x1f\x8c\x08"), SPAN("\x8b\x1f"),
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++)
		check(rows[i], (struct source_options){ 0 }, ST_OK, rows[i], NULL, rows[i].p);
	check(SPAN(""), (struct source_options){ 0 }, ST_OK, SPAN(""), NULL, "empty");
	check((struct span){ NULL, 0 }, (struct source_options){ 0 }, ST_OK, SPAN(""), NULL, "null");
	for (size_t n = 4095; n < 200000; n += n < 4098 ? 1 : 65537) {
		struct strbuf b = STRBUF_INIT;
		some_text(&b, n);
		check(strbuf_span(&b), (struct source_options){ 0 }, ST_OK, strbuf_span(&b), NULL, "text");
		strbuf_release(&b);
	}
}

/* Members are joined to one stream; an empty member adds nothing; garbage after a member is a
 * warning. */
static void gzip(void **state)
{
	static const struct {
		const char *members[4]; ///< gzip members before compression; "" gives an empty member
		struct span behind;
		const char *message;
	} rows[] = {
		{ { "{\"a\":1}" }, SPAN(""), NULL },
		{ { "" }, SPAN(""), NULL },
		{ { "{\"a\":", "1}" }, SPAN(""), NULL },
		{ { "", "{}", "", "" }, SPAN(""), NULL },
		{ { "{}" }, SPAN("x"), "mem: trailing garbage behind the gzip data is ignored" },
		{ { "{}" }, SPAN("\0\0\0\0"), "mem: trailing garbage behind the gzip data is ignored" },
		{ { "{}" },
		  SPAN("\x1f\x8c garbage"),
		  "mem: trailing garbage behind the gzip data is ignored" },
		{ { "{", "}" }, SPAN("{}"), "mem: trailing garbage behind the gzip data is ignored" },
	};
	(void)state;
	for (size_t i = 0; i < ROWS(rows); i++) {
		struct strbuf z = STRBUF_INIT, text = STRBUF_INIT;
		for (size_t m = 0; m < 4 && rows[i].members[m]; m++) {
			gzip_member(&z, span_of(rows[i].members[m]));
			strbuf_adds(&text, rows[i].members[m]);
		}
		strbuf_add(&z, rows[i].behind);
		check(strbuf_span(&z), (struct source_options){ 0 }, ST_OK, strbuf_span(&text),
		      rows[i].message, "gzip");
		strbuf_release(&z);
		strbuf_release(&text);
	}
}

static void gzip_of_many_sizes(void **state)
{
	(void)state;
	for (size_t n = 2; n < 40000; n = n * 7 + 1) {
		/* the largest text, 36,415 bytes, exceeds the window of deflate (32 KiB) */
		struct strbuf z = STRBUF_INIT, text = STRBUF_INIT;
		some_text(&text, n);
		gzip_member(&z, strbuf_span(&text));
		gzip_member(&z, strbuf_span(&text));
		struct span once = strbuf_span(&text);
		struct strbuf twice = STRBUF_INIT;
		strbuf_add(&twice, once);
		strbuf_add(&twice, once);
		check(strbuf_span(&z), (struct source_options){ 0 }, ST_OK, strbuf_span(&twice), NULL,
		      "gzip");
		strbuf_release(&z);
		strbuf_release(&text);
		strbuf_release(&twice);
	}
}

/* Two members, cut at every byte: an error, unless cuts are allowed; if they are, the end comes
 * after a correct prefix. */
static void cut_at_every_byte(void **state)
{
	struct strbuf z = STRBUF_INIT, text = STRBUF_INIT;
	(void)state;
	some_text(&text, 300);
	gzip_member(&z, strbuf_span(&text));
	size_t first = z.n;
	gzip_member(&z, strbuf_span(&text));
	some_text(&text, 600);
	memcpy(text.p + 300, text.p, 300);
	for (size_t n = 2; n < z.n; n++)
		for (size_t i = 0; i < 2 * ROWS(blocks); i++) {
			struct source_options options = { .block = blocks[i / 2], .allow_truncated = i % 2 };
			struct outcome o = read_all((struct span){ z.p, n }, &options, false, false);
			bool whole = n == first, allowed = options.allow_truncated;
			if (o.status != (whole || allowed ? ST_OK : ST_INPUT) ||
			    o.truncated != (allowed && !whole) ||
			    !span_starts(strbuf_span(&text), strbuf_span(&o.bytes)) ||
			    (n >= first && o.bytes.n < 300))
				fail_msg("%zu of %zu bytes, block %zu: status %d, %zu bytes, truncated %d", n, z.n,
				         options.block, o.status, o.bytes.n, o.truncated);
			if (!whole && !allowed)
				assert_non_null(strstr(diag_first_error(&o.log), ": the gzip data is cut short"));
			else
				assert_null(o.log.first);
			outcome_release(&o);
		}
	strbuf_release(&z);
	strbuf_release(&text);
}

static void cut_names_the_byte(void **state)
{
	struct strbuf z = STRBUF_INIT;
	(void)state;
	gzip_member(&z, SPAN("[1,2,3]"));
	check((struct span){ z.p, z.n - 1 }, (struct source_options){ 0 }, ST_INPUT, SPAN(""),
	      "mem: byte 7: the gzip data is cut short; copy the file again, or keep its complete "
	      "events with "
	      "--allow-truncated",
	      "cut in the length");
	check((struct span){ z.p, 5 }, (struct source_options){ 0 }, ST_INPUT, SPAN(""),
	      "mem: byte 0: the gzip data is cut short; copy the file again, or keep its complete "
	      "events with "
	      "--allow-truncated",
	      "cut in the header");
	strbuf_release(&z);
}

/* Damaged gzip data is an error even with `allow_truncated`, which only allows data to be cut. */
static void damaged(void **state)
{
	static const struct {
		int at; ///< offset of the damage from the start, or from the end if negative
		const char *message;
	} rows[] = {
		{ -8, "mem: byte 400: damaged gzip data: incorrect data check; make the file anew" },
		{ -5, "mem: byte 400: damaged gzip data: incorrect data check; make the file anew" },
		{ -4, "mem: byte 400: damaged gzip data: incorrect length check; make the file anew" },
		{ -1, "mem: byte 400: damaged gzip data: incorrect length check; make the file anew" },
		{ 2, "mem: byte 0: damaged gzip data: unknown compression method; make the file anew" },
		{ 3, "mem: byte 0: damaged gzip data: unknown header flags set; make the file anew" },
	};
	struct strbuf z = STRBUF_INIT, text = STRBUF_INIT;
	(void)state;
	some_text(&text, 400);
	gzip_member(&z, strbuf_span(&text));
	for (size_t i = 0; i < ROWS(rows); i++) {
		char *p = rows[i].at < 0 ? z.p + z.n + rows[i].at : z.p + rows[i].at;
		*p ^= (char)0xe0;
		for (int allow = 0; allow < 2; allow++)
			check(strbuf_span(&z), (struct source_options){ .allow_truncated = allow }, ST_INPUT,
			      SPAN(""), rows[i].message, "damaged");
		*p ^= (char)0xe0;
	}
	/* any flipped bit after the header is detected */
	for (size_t at = 21; at < z.n; at++) {
		struct source_options options = { 0 };
		z.p[at] ^= 0x10;
		struct outcome o = read_all(strbuf_span(&z), &options, false, false);
		if (o.status != ST_INPUT || !diag_first_error(&o.log))
			fail_msg("a bit of byte %zu: status %d", at, o.status);
		outcome_release(&o);
		z.p[at] ^= 0x10;
	}
	strbuf_release(&z);
	strbuf_release(&text);
}

/* ISA-L and zlib return the same bytes and the same messages. */
static void check_decoders_agree(struct span data, bool allow_truncated, size_t block,
                                 const char *what, size_t at)
{
	struct outcome o[2];
	for (int i = 0; i < 2; i++) {
		struct source_options options = { .block = block,
			                              .allow_truncated = allow_truncated,
			                              .zlib_only = i };
		o[i] = read_all(data, &options, false, false);
	}
	const char *said[2] = { o[0].log.first ? o[0].log.first->text : "",
		                    o[1].log.first ? o[1].log.first->text : "" };
	if (o[0].status != o[1].status || o[0].truncated != o[1].truncated ||
	    strcmp(said[0], said[1]) ||
	    (o[0].status == ST_OK && !span_eq(strbuf_span(&o[0].bytes), strbuf_span(&o[1].bytes))))
		fail_msg("%s, byte %zu, block %zu: status %d and %d, %zu and %zu bytes, '%s' and '%s'",
		         what, at, block, o[0].status, o[1].status, o[0].bytes.n, o[1].bytes.n, said[0],
		         said[1]);
	outcome_release(&o[0]);
	outcome_release(&o[1]);
}

/* Damages each part of a file with two members, at 40 places: in a small file read in tiny blocks,
 * and in a file larger than the window of deflate (32 KiB). */
static void damages_are_told_alike(void **state)
{
	static const char *const parts[] = { "bit", "byte", "cut", "doubled", "garbage" };
	static const struct {
		size_t text, blocks[3];
	} files[] = { { 700, { 0, 2, 7 } }, { 70000, { 0, 509, 4096 } } };
	(void)state;
	for (size_t f = 0; f < ROWS(files); f++) {
		struct strbuf text = STRBUF_INIT, whole = STRBUF_INIT;
		some_text(&text, files[f].text);
		gzip_member(&whole, strbuf_span(&text));
		gzip_member(&whole, strbuf_span(&text));
		for (size_t i = 0; i < 40 * ROWS(parts); i++) {
			/* ten damages in the header and in the trailer of the first member, the others spread
			 */
			size_t place = i / ROWS(parts), part = i % ROWS(parts);
			size_t at = place < 10   ? place * 2
			            : place < 20 ? whole.n / 2 - 12 + place
			                         : (place - 20) * whole.n / 20;
			struct strbuf z = STRBUF_INIT;
			strbuf_add(&z, (struct span){ whole.p, part == 2 ? at : whole.n });
			if (part == 0)
				z.p[at] ^= (char)(1 << place % 8);
			if (part == 1)
				z.p[at] = (char)(place * 37);
			if (part == 3) {
				strbuf_setlen(&z, at);
				strbuf_add(&z, strbuf_span(&whole));
			}
			if (part == 4)
				strbuf_add(&z, (struct span){ whole.p + at, (whole.n - at) / 2 });
			for (size_t b = 0; b < 2 * ROWS(files->blocks); b++)
				check_decoders_agree(strbuf_span(&z), b % 2, files[f].blocks[b / 2], parts[part],
				                     at);
			strbuf_release(&z);
		}
		strbuf_release(&whole);
		strbuf_release(&text);
	}
}

/* Reads the data as JSON; if it is refused, the source looks for damage. */
static struct outcome parse(struct span data, const struct source_options *options, bool ahead)
{
	struct outcome o = { .bytes = STRBUF_INIT };
	diag_init(&o.log);
	struct source *src = source_memory("mem", data.p, data.n, options);
	if (ahead)
		source_ahead(src);
	struct jscan *js = jscan_new(src, NULL, &o.log);
	jscan_skip(js);
	jscan_end(js);
	o.status = jscan_status(js);
	if (o.status != ST_OK)
		source_blame_damage(src, &o.log);
	jscan_free(js);
	source_close(src);
	return o;
}

/* Checks what both decoders say, with and without a thread that reads ahead. */
static void check_parse(struct span data, struct source_options options, const char *says,
                        const char *what)
{
	struct outcome first = parse(data, &options, false);
	for (int i = 0; i < 4; i++) {
		options.zlib_only = i % 2;
		struct outcome o = parse(data, &options, i / 2);
		const char *said = diag_first_error(&o.log);
		if (!said || !strstr(said, says) || strcmp(said, diag_first_error(&first.log)) ||
		    o.log.first->next)
			fail_msg("%s, %d: '%s'", what, i, said ? said : "");
		outcome_release(&o);
	}
	outcome_release(&first);
}

/* Damage inside a deflate block gives bytes that are not JSON, before the decoder can notice it.
 * The message is about the damage, whichever decoder found it, and not about the JSON. */
static void damage_is_blamed(void **state)
{
	struct strbuf text = STRBUF_INIT, z = STRBUF_INIT;
	struct source_options any = { 0 };
	uint32_t x = 12345;
	char what[32];
	(void)state;
	strbuf_adds(&text, "[0");
	for (; text.n < 70000; x = x * 1664525 + 1013904223)
		strbuf_addf(&text, ",{\"ts\":%u}", x >> 12);
	strbuf_adds(&text, "]");
	gzip_member(&z, strbuf_span(&text));
	for (size_t at = 21; at + 4 < z.n; at += at < 150 ? 1 : 211) {
		snprintf(what, sizeof what, "byte %zu", at);
		z.p[at] ^= 0x11;
		check_parse(strbuf_span(&z), any, ": damaged gzip data: ", what);
		z.p[at] ^= 0x11;
	}
	z.p[z.n / 2] ^= 0x11;
	check_parse((struct span){ z.p, z.n - 1 }, any, "gzip data", "also cut");
	/* beyond the limit of expanded bytes, and in sound data, the parser's message stays */
	struct outcome o = parse(strbuf_span(&z), &(struct source_options){ .max_bytes = 1 << 15 }, 0);
	assert_null(strstr(diag_first_error(&o.log), "gzip data"));
	outcome_release(&o);
	text.p[50000] = '!';
	strbuf_setlen(&z, 0);
	gzip_member(&z, strbuf_span(&text));
	check_parse(strbuf_span(&z), any, "mem: byte 50000: unexpected '!'", "sound");
	check_parse((struct span){ z.p, z.n - 9 }, any, "the gzip data is cut short", "cut");
	check_parse((struct span){ z.p, z.n - 9 }, (struct source_options){ .allow_truncated = true },
	            "mem: byte 50000: unexpected '!'", "cut as allowed");
	strbuf_release(&z);
	strbuf_release(&text);
}

/* A damaged second gzip member is an error; it is not ignored as garbage behind the first one. */
static void damaged_second_member(void **state)
{
	struct strbuf z = STRBUF_INIT;
	(void)state;
	gzip_member(&z, SPAN("{}"));
	strbuf_add(&z, SPAN("\x1f\x8b\x07 no method of that number"));
	check(strbuf_span(&z), (struct source_options){ 0 }, ST_INPUT, SPAN(""),
	      "mem: byte 2: damaged gzip data: unknown compression method; make the file anew",
	      "second member");
	strbuf_release(&z);
}

static void max_bytes(void **state)
{
	struct strbuf text = STRBUF_INIT, z = STRBUF_INIT;
	(void)state;
	some_text(&text, 5000);
	gzip_member(&z, strbuf_span(&text));
	struct span forms[] = { strbuf_span(&text), strbuf_span(&z) };
	for (size_t i = 0; i < ROWS(forms); i++) {
		check(forms[i], (struct source_options){ .max_bytes = 5000 }, ST_OK, strbuf_span(&text),
		      NULL, "at the limit");
		check(forms[i], (struct source_options){ .max_bytes = 4999 }, ST_INPUT, SPAN(""),
		      "mem: byte 4999: more than the limit of 4999 expanded bytes", "one past the limit");
		check(forms[i], (struct source_options){ .max_bytes = 1 }, ST_INPUT, SPAN(""),
		      "mem: byte 1: more than the limit of 1 expanded bytes", "far past the limit");
	}
	strbuf_release(&text);
	strbuf_release(&z);
}

/* A decompression bomb is refused at the limit on decompressed bytes. */
static void bomb(void **state)
{
	struct strbuf zeros = STRBUF_INIT, z = STRBUF_INIT;
	struct source_options options = { .max_bytes = 1 << 20 };
	(void)state;
	char *p = calloc(1, 16 << 20);
	gzip_member(&z, (struct span){ p, 16 << 20 });
	free(p);
	struct outcome o = read_all(strbuf_span(&z), &options, false, false);
	assert_int_equal(o.status, ST_INPUT);
	assert_true(o.bytes.n <= 1 << 20);
	outcome_release(&o);
	strbuf_release(&z);
	strbuf_release(&zeros);
}

/* source_peek() returns the bytes that source_read() returns first, at most SOURCE_PEEK. */
static void peek_then_read(void **state)
{
	static const size_t lengths[] = {
		0, 1, 100, SOURCE_PEEK - 1, SOURCE_PEEK, SOURCE_PEEK + 1, 3 * SOURCE_PEEK
	};
	(void)state;
	for (size_t l = 0; l < ROWS(lengths); l++)
		for (size_t i = 0; i < 2 * ROWS(blocks); i++) {
			struct strbuf text = STRBUF_INIT, z = STRBUF_INIT;
			struct source_options options = { .block = blocks[i / 2] };
			struct outcome o = { .bytes = STRBUF_INIT };
			struct span first = { 0 }, again = { 0 };
			some_text(&text, lengths[l]);
			gzip_member(&z, strbuf_span(&text));
			diag_init(&o.log);
			struct span data = i % 2 ? strbuf_span(&z) : strbuf_span(&text);
			struct source *src = source_memory("mem", data.p, data.n, &options);
			assert_int_equal(source_peek(src, &first, &o.log), ST_OK);
			assert_int_equal(source_peek(src, &again, &o.log), ST_OK);
			assert_true(span_eq(first, again));
			assert_int_equal(first.n, lengths[l] < SOURCE_PEEK ? lengths[l] : SOURCE_PEEK);
			assert_true(span_starts(strbuf_span(&text), first));
			drain(src, 1000, &o);
			assert_int_equal(o.status, ST_OK);
			assert_true(span_eq(strbuf_span(&o.bytes), strbuf_span(&text)));
			source_close(src);
			outcome_release(&o);
			strbuf_release(&text);
			strbuf_release(&z);
		}
}

/* Closing a source while its thread has much left to do, or waits for free blocks. */
static void closed_early(void **state)
{
	static const size_t reads[] = { 0, 1, 3, 100 };
	struct strbuf text = STRBUF_INIT, z = STRBUF_INIT;
	(void)state;
	some_text(&text, 100000);
	gzip_member(&z, strbuf_span(&text));
	for (size_t i = 0; i < ROWS(reads); i++) {
		struct source_options options = { .block = 64 };
		struct outcome o = { .bytes = STRBUF_INIT };
		char buf[100];
		size_t nr = 0;
		diag_init(&o.log);
		struct source *src = source_memory("mem", z.p, z.n, &options);
		source_ahead(src);
		for (size_t k = 0; k < reads[i]; k++) {
			assert_int_equal(source_read(src, buf, sizeof buf, &nr, &o.log), ST_OK);
			strbuf_add(&o.bytes, (struct span){ buf, nr });
		}
		assert_true(span_starts(strbuf_span(&text), strbuf_span(&o.bytes)));
		assert_false(source_truncated(src));
		source_close(src);
		outcome_release(&o);
	}
	strbuf_release(&text);
	strbuf_release(&z);
}

/* ---- sources of files ---- */

static char dir[] = "/tmp/gpugate-source-XXXXXX";

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

static const char *in_dir(char path[128], const char *name)
{
	snprintf(path, 128, "%s/%s", dir, name);
	return path;
}

static void put(const char *path, struct span s)
{
	FILE *f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(s.p, 1, s.n, f), s.n);
	assert_int_equal(fclose(f), 0);
}

static void read_file(const char *path, struct span want)
{
	for (size_t i = 0; i < ROWS(blocks); i++) {
		struct source_options options = { .block = blocks[i] };
		struct outcome o = { .bytes = STRBUF_INIT };
		struct source *src;
		diag_init(&o.log);
		assert_int_equal(source_open(path, &options, &src, &o.log), ST_OK);
		assert_string_equal(source_name(src), path);
		drain(src, 1 << 15, &o);
		assert_int_equal(o.status, ST_OK);
		assert_true(span_eq(strbuf_span(&o.bytes), want));
		assert_null(o.log.first);
		source_close(src);
		outcome_release(&o);
	}
}

static void files(void **state)
{
	char path[128];
	struct strbuf z = STRBUF_INIT, text = STRBUF_INIT;
	(void)state;
	some_text(&text, 100000);
	gzip_member(&z, strbuf_span(&text));
	in_dir(path, "a.gz"); /* gzip is recognized by content, never by the file's name */
	put(path, strbuf_span(&text));
	read_file(path, strbuf_span(&text));
	put(path, strbuf_span(&z));
	read_file(path, strbuf_span(&text));
	put(path, SPAN(""));
	read_file(path, SPAN(""));
	unlink(path);
	strbuf_release(&z);
	strbuf_release(&text);
}

static void cannot_open(const char *path, const char *what)
{
	struct diag_log log;
	struct source *src = NULL;
	struct strbuf want = STRBUF_INIT;
	diag_init(&log);
	assert_int_equal(source_open(path, NULL, &src, &log), ST_INPUT);
	assert_null(src);
	strbuf_addf(&want, "%s: %s", *path ? path : "''", what);
	assert_string_equal(diag_first_error(&log), strbuf_str(&want));
	strbuf_release(&want);
	diag_release(&log);
}

static void unusable_files(void **state)
{
	char path[128];
	(void)state;
	cannot_open(in_dir(path, "missing.json"), "cannot be opened: No such file or directory");
	cannot_open(dir, "is a directory where a file was expected");
	cannot_open("", "cannot be opened: No such file or directory");
	/* a name in a message has no control characters */
	struct diag_log log;
	struct source *src;
	diag_init(&log);
	assert_int_equal(source_open("/no/such\n\x1b[31m", NULL, &src, &log), ST_INPUT);
	assert_string_equal(
	    diag_first_error(&log),
	    "/no/such\xEF\xBF\xBD\xEF\xBF\xBD[31m: cannot be opened: No such file or directory");
	diag_release(&log);
	source_close(NULL);
}

/* A pipe that gives one byte at a time, as standard input: the bytes are the same. */
static void standard_input(void **state)
{
	struct strbuf z = STRBUF_INIT;
	struct outcome o = { .bytes = STRBUF_INIT };
	struct source *src;
	struct span first;
	int fds[2], saved = dup(STDIN_FILENO);
	(void)state;
	gzip_member(&z, SPAN("{\"traceEvents\":[]}"));
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], z.p, z.n), z.n);
	close(fds[1]);
	assert_true(dup2(fds[0], STDIN_FILENO) >= 0);
	close(fds[0]);
	diag_init(&o.log);
	assert_int_equal(source_open("-", NULL, &src, &o.log), ST_OK);
	assert_string_equal(source_name(src), "standard input");
	assert_int_equal(source_peek(src, &first, &o.log), ST_OK);
	assert_true(span_eq(first, SPAN("{\"traceEvents\":[]}")));
	drain(src, 100, &o);
	assert_int_equal(o.status, ST_OK);
	assert_true(span_eq(strbuf_span(&o.bytes), SPAN("{\"traceEvents\":[]}")));
	source_close(src);
	assert_true(dup2(saved, STDIN_FILENO) >= 0);
	close(saved);
	outcome_release(&o);
	strbuf_release(&z);
}

/* Reading a file without an end must fail once max_bytes bytes have been read. */
static void endless_device(void **state)
{
	struct source_options options = { .max_bytes = 1 << 20 };
	struct outcome o = { .bytes = STRBUF_INIT };
	struct source *src;
	(void)state;
	diag_init(&o.log);
	assert_int_equal(source_open("/dev/zero", &options, &src, &o.log), ST_OK);
	drain(src, 1 << 15, &o);
	assert_int_equal(o.status, ST_INPUT);
	assert_non_null(
	    strstr(diag_first_error(&o.log), "/dev/zero: byte 1048576: more than the limit"));
	source_close(src);
	outcome_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plain),
		cmocka_unit_test(gzip),
		cmocka_unit_test(gzip_of_many_sizes),
		cmocka_unit_test(cut_at_every_byte),
		cmocka_unit_test(cut_names_the_byte),
		cmocka_unit_test(damaged),
		cmocka_unit_test(damages_are_told_alike),
		cmocka_unit_test(damage_is_blamed),
		cmocka_unit_test(damaged_second_member),
		cmocka_unit_test(max_bytes),
		cmocka_unit_test(bomb),
		cmocka_unit_test(peek_then_read),
		cmocka_unit_test(closed_early),
		cmocka_unit_test(files),
		cmocka_unit_test(unusable_files),
		cmocka_unit_test(standard_input),
		cmocka_unit_test(endless_device),
	};
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
