#include "store/history_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "store/digest_schema.h"
#include "store/row.h"

const struct schema history_schema = {
	.title = "gpugate history: a run of the main branch, one a line",
	.id = HISTORY_SCHEMA,
	.fields = history_fields,
	.nr = NR_HISTORY_FIELDS,
	.size = sizeof(struct past_run),
};

static const char ending[] = ".history.jsonl";

const char *history_path(const char *path, struct arena *a)
{
	size_t n = strlen(path);
	bool json = n > 5 && strcmp(path + n - 5, ".json") == 0;
	return arena_printf(a, "%.*s%s", (int)(json ? n - 5 : n), path, ending);
}

const char *history_reference_path(const char *path, struct arena *a)
{
	return arena_printf(a, "%.*s.reference", (int)(strlen(path) - strlen(ending)), path);
}

/* ---- reading of a history ---- */

static enum status add_line(const char *name, struct span text, struct arena *a,
                            struct history *out, struct diag_log *log)
{
	struct past_run *run = vec_push_zero(&out->runs);
	struct source *src = source_memory(name, text.p, text.n, NULL);
	struct row_reader as = { .arena = a };
	enum status st = stored_document_read(src, ST_BASELINE, &history_schema, as, run, log);
	source_close(src);
	if (st == ST_OK &&
	    ANY(i, out->runs.nr - 1,
	        out->runs.v[i].source_hash == run->source_hash && out->runs.v[i].pin == run->pin)) {
		vec_release(&run->values);
		out->runs.nr--;
	}
	return st;
}

static enum status add_lines(const char *name, struct span rest, struct arena *a,
                             struct history *out, struct diag_log *log)
{
	size_t number = 0;
	while (rest.n) {
		struct span line = span_cut(&rest, '\n');
		if (++number > HISTORY_LINES)
			return diag_fail(
			    log, ST_BASELINE,
			    "%s: more than %d lines: take the oldest out, or an earlier version of "
			    "the file from version control",
			    name, HISTORY_LINES);
		if (line.n)
			TRY(add_line(arena_printf(a, "%s: line %zu", name, number), line, a, out, log));
	}
	return ST_OK;
}

enum status history_parse(struct source *src, struct arena *a, struct history *out,
                          struct diag_log *log)
{
	struct strbuf text = STRBUF_INIT;
	*out = (struct history){ 0 };
	enum status st = source_read_all(src, store_limits.bytes, &text, log);
	if (st == ST_OK && text.n > store_limits.bytes)
		st = diag_fail(log, ST_BASELINE, "%s: too large for a history", source_name(src));
	if (st == ST_OK)
		st = add_lines(source_name(src), strbuf_span(&text), a, out, log);
	strbuf_release(&text);
	return st == ST_INPUT ? ST_BASELINE : st;
}

enum status history_read(const char *path, struct arena *a, struct history *out,
                         struct diag_log *log)
{
	struct source *src;
	*out = (struct history){ 0 };
	if (access(path, F_OK) < 0 && errno == ENOENT)
		return ST_OK;
	enum status st = source_open(path, NULL, &src, log);
	if (st != ST_OK)
		return st == ST_INPUT ? ST_BASELINE : st;
	st = history_parse(src, a, out, log);
	source_close(src);
	return st;
}

/* ---- writing of a history ---- */

/* Writes one run as a line. All line breaks are left out; none of them is in a text, since
 * row_write() escapes those. */
static void write_line(const struct past_run *run, struct sink *out)
{
	struct sink *lines = sink_open_memory();
	row_write(&history_schema, run, lines);
	struct span s = sink_memory(lines);
	for (size_t i = 0, end; i < s.n; i = end + 1) {
		for (end = i; end < s.n && s.p[end] != '\n';)
			end++;
		sink_write(out, (struct span){ s.p + i, end - i });
	}
	sink_abort(lines);
	sink_puts(out, "\n");
}

void history_print(const struct history *h, struct sink *out)
{
	size_t first = h->runs.nr > HISTORY_MOST ? h->runs.nr - HISTORY_MOST : 0;
	for (size_t i = first; i < h->runs.nr; i++)
		write_line(&h->runs.v[i], out);
}

enum status history_write(const char *path, const struct history *h, struct diag_log *log)
{
	struct sink *out;
	TRY(sink_open_again(path, &out, log));
	history_print(h, out);
	return sink_commit(out, log);
}
