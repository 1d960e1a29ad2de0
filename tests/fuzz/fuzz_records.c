/* Records of other profilers are read or refused with one line, alike in blocks of any size, and
   what is made of them is a digest that reads back as it was written. */
#include "fuzz.h"

#include "read/timeline.h"
#include "read/xprof.h"
#include "replay/records.h"
#include "snapshot_laws.h"
#include "store/digest_json.h"

static void check_digest(struct digest *d)
{
	struct sink *s = sink_open_memory();
	struct diag_log log;
	struct digest *again;
	diag_init(&log);
	d->snapshot = "fuzz";
	digest_write(d, s);
	struct span text = sink_memory(s);
	struct source *src = source_memory("digest", text.p, text.n, NULL);
	check(digest_read(src, ST_INPUT, &again, &log) == ST_OK);
	struct sink *t = sink_open_memory();
	digest_write(again, t);
	check(span_eq(text, sink_memory(t)));
	digest_free(again);
	source_close(src);
	sink_abort(s);
	sink_abort(t);
	diag_release(&log);
}

static enum status reduce(bool xprof, struct source *src, size_t window, struct digest *d,
                          struct diag_log *log)
{
	struct timeline_read_options to = { .window = window };
	struct xprof_read_options xo = { .window = window };
	struct memory_timeline t;
	struct xprof_profile p;
	if (!xprof) {
		TRY(timeline_read(src, &to, &t, log));
		timeline_reduce(&t, d);
		memory_timeline_release(&t);
		return ST_OK;
	}
	TRY(xprof_read(src, &xo, &p, log));
	enum status st = xprof_reduce(&p, d, log);
	xprof_profile_release(&p);
	return st;
}

static bool check_record(struct span bytes, bool xprof, size_t window, size_t block)
{
	struct source_options so = { .block = block };
	struct source *src = source_memory("fuzz", bytes.p, bytes.n, &so);
	struct digest *d = digest_new();
	struct diag_log log;
	diag_init(&log);
	enum status st = reduce(xprof, src, window, d, &log);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = { (const char *)data, size };
	bool accepted[2];
	for (int xprof = 0; xprof < 2; xprof++) {
		accepted[xprof] = check_record(bytes, xprof, 0, 0);
		check(accepted[xprof] == check_record(bytes, xprof, 64, 3));
	}
	fuzz_accepted = accepted[0] || accepted[1];
	return 0;
}
