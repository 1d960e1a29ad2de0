#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/sink.h"
#include "report/writer.h"

static const struct {
	enum option option;
	const char *format;
} files[] = {
	{ OPT_JUNIT, "junit" },
	{ OPT_MARKDOWN, "markdown" },
	{ OPT_JSON, "json" },
};

static bool wants_color(const struct options *o)
{
	const char *when = o->value[OPT_COLOR], *none = getenv("NO_COLOR"), *term = getenv("TERM");
	if (when && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	return isatty(STDOUT_FILENO) && !(none && *none) && !(term && strcmp(term, "dumb") == 0);
}

static struct write_options write_options(const struct options *o)
{
	return (struct write_options){ .color = wants_color(o),
		                           .junit_strict = o->value[OPT_JUNIT_STRICT] != NULL,
		                           .max_bytes = (size_t)options_u64(o, OPT_MAX_BYTES, 0),
		                           .verbose = o->value[OPT_VERBOSE] != NULL };
}

static enum status write_one(const char *path, const char *format, const struct report *r,
                             const struct write_options *w, struct diag_log *log)
{
	struct sink *out;
	TRY(sink_open(path, false, &out, log));
	report_format_find(format)->write(r, w, out);
	return sink_commit(out, log);
}

/* Writes the files; tells whether one of them was standard output. */
static enum status write_files(const struct options *o, const struct report *r,
                               const struct write_options *w, bool *to_stdout, struct diag_log *log)
{
	enum status st = ST_OK;
	*to_stdout = false;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		const char *path = o->value[files[i].option];
		if (!path)
			continue;
		*to_stdout = *to_stdout || strcmp(path, "-") == 0;
		enum status one = write_one(path, files[i].format, r, w, log);
		st = st == ST_OK ? one : st;
	}
	return st;
}

enum status output_reports(const struct options *o, const struct report *r, struct diag_log *log)
{
	struct write_options w = write_options(o);
	bool to_stdout;
	enum status st = write_files(o, r, &w, &to_stdout, log);
	if (to_stdout)
		return st;
	enum status text = write_one("-", "text", r, &w, log);
	return st == ST_OK ? text : st;
}

enum status output_failure(const struct options *o, enum status st, struct report *r,
                           struct diag_log *log)
{
	struct write_options w = write_options(o);
	bool to_stdout;
	const char *error = diag_first_error(log);
	r->status = st;
	r->verdict = VERDICT_INCONCLUSIVE;
	if (!r->workload)
		r->workload = o->value[OPT_WORKLOAD] ? o->value[OPT_WORKLOAD] : "default";
	r->error = arena_dup(&r->arena, span_of(error ? error : status_text(st)));
	r->headline = arena_printf(&r->arena, "error: %s", r->error);
	return write_files(o, r, &w, &to_stdout, log);
}
