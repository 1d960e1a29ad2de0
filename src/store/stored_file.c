#include "base/text.h"
#include "store/run_json.h"

/* Writes the text in memory to `path`. `reads_back` is the status of reading this text again,
   and `said` has the messages of that reading. If the reading failed, nothing is written. */
static enum status save(struct sink *text, enum status reads_back, const struct diag_log *said,
                        const char *path, bool gzip, bool again, struct diag_log *log)
{
	struct sink *out;
	if (reads_back != ST_OK) {
		const char *why = diag_first_error(said);
		return diag_fail(log, ST_OUTPUT,
		                 "%s: is not written, as it could not be read again: %s; record fewer "
		                 "ranks or steps in one file",
		                 text_quote(&log->arena, span_of(path)),
		                 why ? why : status_text(reads_back));
	}
	TRY(again ? sink_open_again(path, &out, log) : sink_open(path, gzip, &out, log));
	sink_write(out, sink_memory(text));
	return sink_commit(out, log);
}

static struct source *source_of(struct sink *text)
{
	struct span bytes = sink_memory(text);
	return source_memory("document", bytes.p, bytes.n, NULL);
}

static enum status read_run_back(bool one, struct source *src, struct diag_log *log)
{
	struct run back = { 0 };
	struct digest *d = NULL;
	enum status st = one ? digest_read(src, ST_INPUT, &d, log) : run_read(src, &back, log);
	digest_free(d);
	run_release(&back);
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
	struct diag_log said;
	struct sink *text = sink_open_memory();
	run_write(run, text);
	run_release(run); /* before the run is read back, which needs as much memory */
	struct source *src = source_of(text);
	diag_init(&said);
	enum status st = read_run_back(one, src, &said);
	st = save(text, st, &said, path, gzip, false, log);
	source_close(src);
	diag_release(&said);
	sink_abort(text);
	return st;
}

enum status stored_baseline_save(const struct baseline *b, const char *path, bool again,
                                 struct diag_log *log)
{
	struct diag_log said;
	struct baseline back;
	struct sink *text = sink_open_memory();
	baseline_write(b, text);
	struct source *src = source_of(text);
	diag_init(&said);
	enum status st = baseline_parse(src, &back, &said);
	baseline_release(&back);
	st = save(text, st, &said, path, false, again, log);
	source_close(src);
	diag_release(&said);
	sink_abort(text);
	return st;
}
