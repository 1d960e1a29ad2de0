/* Any bytes are decoded as gzip data: zlib by itself, and ISA-L if the build has it, give the same
 * bytes and messages, whatever the size of blocks, also if a reader refuses the first bytes. The
 * first byte holds the options. */
#include "fuzz.h"

#include <stdlib.h>

#include "base/strbuf.h"
#include "io/source.h"

struct drained {
	enum status status;
	struct strbuf bytes;
	struct diag_log log;
};

static struct drained drain(struct span data, struct source_options options)
{
	struct drained d = { .bytes = STRBUF_INIT };
	char buf[4096];
	size_t nr = 1;
	diag_init(&d.log);
	struct source *s = source_memory("mem", data.p, data.n, &options);
	while (d.status == ST_OK && nr) {
		d.status = source_read(s, buf, sizeof buf, &nr, &d.log);
		if (d.status == ST_OK)
			strbuf_add(&d.bytes, (struct span){ buf, nr });
	}
	source_close(s);
	return d;
}

/* The error about the data if a reader refuses its first bytes. */
static struct drained refuse(struct span data, struct source_options options)
{
	struct drained d = { .bytes = STRBUF_INIT };
	char buf[16];
	size_t nr;
	diag_init(&d.log);
	struct source *s = source_memory("mem", data.p, data.n, &options);
	d.status = source_read(s, buf, sizeof buf, &nr, &d.log);
	diag_error(&d.log, "refused");
	source_blame_damage(s, &d.log);
	source_close(s);
	return d;
}

static void drained_release(struct drained *d)
{
	strbuf_release(&d->bytes);
	diag_release(&d->log);
}

static void law(bool holds)
{
	if (!holds)
		abort();
}

static const char *said(const struct drained *d)
{
	return d->log.first ? d->log.first->text : "";
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_accepted = false;
	if (size < 1)
		return 0;
	struct span gz = { (const char *)data + 1, size - 1 };
	struct source_options options = { .max_bytes = 1 << 22, .allow_truncated = data[0] & 1 };
	options.zlib_only = true;
	struct drained zlib = drain(gz, options);
	bool damaged = zlib.status == ST_INPUT && !strstr(said(&zlib), "more than the limit");
	for (size_t block = 0; block < 3; block++) {
		options.zlib_only = false;
		options.block = block;
		struct drained other = drain(gz, options);
		law(other.status == zlib.status);
		law(strcmp(said(&other), said(&zlib)) == 0);
		law(zlib.status != ST_OK || span_eq(strbuf_span(&other.bytes), strbuf_span(&zlib.bytes)));
		drained_release(&other);
		other = refuse(gz, options);
		law(!damaged || strcmp(said(&other), said(&zlib)) == 0);
		law(damaged || zlib.status != ST_OK ||
		    strcmp(diag_first_error(&other.log), "refused") == 0);
		drained_release(&other);
	}
	fuzz_accepted = zlib.status == ST_OK;
	drained_release(&zlib);
	return 0;
}
