#include "base/text.h"
#include "store/run_json.h"

/* Writes the text in memory to `path`, and releases it. If it cannot be read again by `read_back`,
   nothing is written. */
static enum status save(struct sink *text,
                        enum status (*read_back)(struct source *, struct diag_log *),
                        const char *path, bool gzip, bool again, struct diag_log *log)
{
	struct sink *out;
	struct diag_log said;
	struct span bytes = sink_memory(text);
	struct source *src = source_memory("document", bytes.p, bytes.n, NULL);
	diag_init(&said);
	enum status st = read_back(src, &said);
	if (st != ST_OK) {
		const char *why = diag_first_error(&said);
		st = diag_fail(log, ST_OUTPUT,
		               "%s: is not written, as it could not be read again: %s; record fewer "
		               "ranks or steps in one file",
		               diag_quote(log, path), why ? why : status_text(st));
	} else {
		st = again ? sink_open_again(path, &out, log) : sink_open(path, gzip, &out, log);
		if (st == ST_OK) {
			sink_write(out, bytes);
			st = sink_commit(out, log);
		}
	}
	source_close(src);
	diag_release(&said);
	sink_abort(text);
	return st;
}

static enum status read_digest_back(struct source *src, struct diag_log *log)
{
	struct digest *d = NULL;
	enum status st = digest_read(src, false, &d, log);
	digest_free(d);
	return st;
}

static enum status read_run_back(struct source *src, struct diag_log *log)
{
	struct run back;
	enum status st = run_read(src, false, &back, log);
	run_release(&back);
	return st;
}

static enum status read_baseline_back(struct source *src, struct diag_log *log)
{
	struct baseline back;
	enum status st = baseline_parse(src, &back, log);
	baseline_release(&back);
	return st;
}

static enum status copy_run(const struct run *run, const char *path, bool gzip,
                            struct diag_log *log)
{
	struct sink *out;
	TRY(sink_open(path, gzip, &out, log));
	run_write(run, out);
	return sink_commit(out, log);
}

enum status stored_run_save(struct run *run, const char *path, struct diag_log *log)
{
	bool one = run->ranks.nr + (run->folded != NULL) == 1;
	bool gzip = span_glob(SPAN("*.gz"), span_of(path));
	if (run_is_text(run))
		return copy_run(run, path, gzip, log);
	struct sink *text = sink_open_memory();
	run_write(run, text);
	run_release(run); /* before the run is read back, which needs as much memory */
	return save(text, one ? read_digest_back : read_run_back, path, gzip, false, log);
}

enum status stored_baseline_save(const struct baseline *b, const char *path, bool again,
                                 struct diag_log *log)
{
	struct sink *text = sink_open_memory();
	baseline_write(b, text);
	return save(text, read_baseline_back, path, false, again, log);
}
