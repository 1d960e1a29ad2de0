/// Functions for tests of memory records other than snapshots (PyTorch's memory timeline, XProf's
/// memory profile): they read a text into a digest, and write the digest as text.
#ifndef GG_TEST_RECORDS_RIG_H
#define GG_TEST_RECORDS_RIG_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/strbuf.h"
#include "read/timeline.h"
#include "read/xprof.h"
#include "replay/records.h"

/* Block sizes and limits with which a text is read. */
struct records_way {
	size_t block, window;
	size_t rows, memories; ///< largest numbers of rows and memories to read; 0: the default limit
	bool truncated; ///< true if a gzip stream may be cut short
};

static void add_number(struct strbuf *out, const char *name, int64_t value)
{
	if (value != MEMORY_UNKNOWN)
		strbuf_addf(out, " %s %" PRId64, name, value);
}

/* Writes a line for each memory, and then its lists: c categories, p peak, e end, l levels. */
static void dump(const struct digest *d, struct strbuf *out)
{
	for (size_t i = 0; i < d->memories.nr; i++) {
		const struct memory_stat *m = &d->memories.v[i];
		strbuf_addf(out, "%s %s:", memory_source_names[m->source], m->id);
		add_number(out, "events", m->events);
		add_number(out, "peak", m->peak_allocated);
		add_number(out, "start", m->start_allocated);
		add_number(out, "end", m->end_allocated);
		add_number(out, "allocs", m->alloc_count);
		add_number(out, "frees", m->free_count);
		add_number(out, "churn", m->churn_bytes);
		add_number(out, "growth", m->growth_per_step);
		add_number(out, "capacity", m->capacity);
		add_number(out, "reserved", m->peak_reserved);
		if (d->memory_evidence.v[i].lowest_allocated)
			add_number(out, "lowest", d->memory_evidence.v[i].lowest_allocated);
		if (m->peak_op)
			strbuf_addf(out, " op %s", m->peak_op);
		strbuf_addch(out, '\n');
	}
	for (size_t i = 0; i < d->memory_items.nr; i++) {
		const struct memory_item *m = &d->memory_items.v[i];
		strbuf_addch(out, m->list == MEMORY_LIST_CATEGORY ? 'c'
		                  : m->list == MEMORY_LIST_PEAK   ? 'p'
		                                                  : 'e');
		strbuf_addf(out, " %.*s", (int)m->category.n, m->category.p);
		if (m->file.n)
			strbuf_addf(out, " %.*s %.*s", (int)m->file.n, m->file.p, (int)m->function.n,
			            m->function.p);
		add_number(out, "=", m->bytes);
		add_number(out, "x", m->blocks);
		add_number(out, "largest", m->largest);
		if (m->list == MEMORY_LIST_CATEGORY)
			add_number(out, "end", m->other);
		strbuf_addch(out, '\n');
	}
	strbuf_addch(out, 'l');
	for (size_t i = 0; i < d->memory_levels.nr; i++)
		strbuf_addf(out, " %" PRId64 "@%" PRId64, d->memory_levels.v[i].allocated,
		            d->memory_levels.v[i].time_us);
	strbuf_addch(out, '\n');
}

static enum status reduce_text(bool xprof, struct source *src, const struct records_way *way,
                               struct digest *d, struct diag_log *log)
{
	struct xprof_limits limits = { way->memories ? way->memories : 4096,
		                           way->rows ? way->rows : 1 << 20 };
	struct memory_timeline t;
	struct xprof_profile p;
	if (!xprof) {
		TRY(timeline_read(src, way->rows, &t, log));
		timeline_reduce(&t, d);
		memory_timeline_release(&t);
		return ST_OK;
	}
	TRY(xprof_read(src, &limits, &p, log));
	enum status st = xprof_reduce(&p, d, log);
	xprof_profile_release(&p);
	return st;
}

/* Reads a text; `out` gets a dump of the digest, or "error: " and the message. True if the text was
 * read. */
static inline bool records_of(bool xprof, struct span text, const struct records_way *way,
                              struct strbuf *out)
{
	struct source_options so = { .block = way->block,
		                         .window = way->window,
		                         .allow_truncated = way->truncated };
	struct source *src = source_memory("t", text.p, text.n, &so);
	struct digest *d = digest_new();
	struct diag_log log;
	diag_init(&log);
	enum status st = reduce_text(xprof, src, way, d, &log);
	if (st == ST_OK)
		dump(d, out);
	else
		strbuf_addf(out, "error: %s", diag_first_error(&log));
	if ((st == ST_OK) != !diag_first_error(&log) || (st != ST_OK && st != ST_INPUT))
		fail_msg("status %d, error %s", (int)st, diag_first_error(&log));
	digest_free(d);
	diag_release(&log);
	source_close(src);
	return st == ST_OK;
}

/* A row of a test table: a text to read, and the expected dump or a part of the expected error. */
struct records_row {
	const char *name, *text, *want;
};

static inline void check_records(bool xprof, const struct records_row *rows, size_t nr)
{
	static const struct records_way ways[] = { { 0 },
		                                       { .block = 1 },
		                                       { .block = 2, .window = 64 },
		                                       { .block = 3 },
		                                       { .block = 7, .window = 128 } };
	for (size_t i = 0; i < nr; i++)
		for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
			struct strbuf have = STRBUF_INIT;
			bool read = records_of(xprof, span_of(rows[i].text), &ways[w], &have);
			bool fine = read ? strcmp(strbuf_str(&have), rows[i].want) == 0
			                 : strstr(strbuf_str(&have), rows[i].want) != NULL;
			if (!fine)
				fail_msg("%s (way %zu):\nwant %s\nhave %s", rows[i].name, w, rows[i].want,
				         strbuf_str(&have));
			strbuf_release(&have);
		}
}

/* Checks that the text is refused if it is cut at any byte; and that, with any byte replaced, it is
 * read with the same result in any block size, or refused. */
static inline void check_damage(bool xprof, struct span text)
{
	static const struct records_way whole = { 0 }, small = { .block = 3, .window = 64 };
	static const char bytes[] = "\"\\0-9.eE[]{},:n \x01\xFF";
	char *copy = memcpy(mem_calloc(text.n, 1), text.p, text.n);
	for (size_t n = 0; n < text.n; n++) {
		struct strbuf have = STRBUF_INIT;
		if (records_of(xprof, (struct span){ text.p, n }, &whole, &have))
			fail_msg("cut at %zu it is read: %s", n, strbuf_str(&have));
		strbuf_release(&have);
		for (size_t b = n % 3; b + 1 < sizeof bytes; b += 3) { /* at each place another third */
			struct strbuf x = STRBUF_INIT, y = STRBUF_INIT;
			copy[n] = bytes[b];
			records_of(xprof, (struct span){ copy, text.n }, &whole, &x);
			records_of(xprof, (struct span){ copy, text.n }, &small, &y);
			assert_string_equal(strbuf_str(&x), strbuf_str(&y));
			strbuf_release(&x);
			strbuf_release(&y);
		}
		copy[n] = text.p[n];
	}
	free(copy);
}

#endif
