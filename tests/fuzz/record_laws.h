/// Properties of every memory record of another profiler: it is read, or refused with one line,
/// with the same result for blocks of any size; and its digest is stored and read without loss.
#ifndef GG_TESTS_RECORD_LAWS_H
#define GG_TESTS_RECORD_LAWS_H

#include "replay/records.h"
#include "snapshot_laws.h"
#include "store/digest_json.h"

typedef enum status record_reader(struct source *src, struct digest *d, struct diag_log *log);

static inline void check_digest(struct digest *d)
{
	struct sink *s = sink_open_memory();
	struct diag_log log;
	struct digest *again;
	diag_init(&log);
	d->snapshot = "fuzz";
	digest_write(d, s);
	struct span text = sink_memory(s);
	struct source *src = source_memory("digest", text.p, text.n, NULL);
	check(digest_read(src, false, &again, &log) == ST_OK);
	struct sink *t = sink_open_memory();
	digest_write(again, t);
	check(span_eq(text, sink_memory(t)));
	digest_free(again);
	source_close(src);
	sink_abort(s);
	sink_abort(t);
	diag_release(&log);
}

static inline bool record_is_read(struct span bytes, record_reader *reader, size_t window,
                                  size_t block)
{
	struct source_options so = { .block = block, .window = window };
	struct source *src = source_memory("fuzz", bytes.p, bytes.n, &so);
	struct digest *d = digest_new();
	struct diag_log log;
	diag_init(&log);
	enum status st = reader(src, d, &log);
	const char *error = diag_first_error(&log);
	check(st == ST_OK
	          ? !error
	          : st == ST_INPUT && error && text_is_valid(span_of(error)) && !strchr(error, '\n'));
	if (st == ST_OK)
		check_digest(d);
	digest_free(d);
	diag_release(&log);
	source_close(src);
	return st == ST_OK;
}

/* Checks a record; returns true if it can be read. */
static inline bool check_record(struct span bytes, record_reader *reader)
{
	bool is_read = record_is_read(bytes, reader, 0, 0);
	check(is_read == record_is_read(bytes, reader, 64, 3));
	return is_read;
}

#endif
