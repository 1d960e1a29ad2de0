#include "cli/output.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "io/opened.h"
#include "io/sink.h"
#include "model/rule.h"
#include "report/writer.h"

/* clang-format off */
const struct report_format report_formats[] = {
	{ "text", NR_OPTIONS, "", text_write },
	{ "markdown", OPT_MARKDOWN, "report.md", markdown_write },
	{ "junit", OPT_JUNIT, "junit.xml", junit_write },
	{ "json", OPT_JSON, "result.json", json_write },
	{ "plan", OPT_PLAN, "plan.json", plan_write },
	{ "html", OPT_HTML, "report.html", html_write },
	{ "openmetrics", OPT_OPENMETRICS, "metrics.txt", openmetrics_write },
	{ "codequality", OPT_CODEQUALITY, "codequality.json", codequality_write },
	{ NULL, NR_OPTIONS, NULL, NULL },
};
/* clang-format on */

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *f = report_formats; f->name; f++)
		if (strcmp(f->name, name) == 0)
			return f;
	return NULL;
}

static bool is_on(const char *name)
{
	const char *value = getenv(name);
	return value && *value && strcmp(value, "0") != 0;
}

static bool wants_color(const struct options *o)
{
	const char *when = o->value[OPT_COLOR], *none = getenv("NO_COLOR"), *term = getenv("TERM");
	if (when && strcmp(when, "auto") != 0)
		return strcmp(when, "always") == 0;
	if (none && *none)
		return false;
	if (is_on("FORCE_COLOR") || is_on("CLICOLOR_FORCE"))
		return true;
	return isatty(STDOUT_FILENO) && !(term && strcmp(term, "dumb") == 0);
}

/* Number of columns, from 40 to 1000, that the environment variable COLUMNS or, without it, the
   terminal says; 0 if unknown. */
static size_t columns_of(void)
{
	enum { LEAST = 40, MOST = 1000 };
	const char *text = getenv("COLUMNS");
	struct winsize size;
	int64_t nr = 0;
	if (!text || !number_parse(span_of(text), 0, &nr) || nr <= 0)
		nr =
		    isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
	return nr <= 0 ? 0 : nr < LEAST ? LEAST : nr > MOST ? MOST : (size_t)nr;
}

static struct write_options output_options(const struct options *o)
{
	return (struct write_options){ .color = wants_color(o),
		                           .max_bytes = (size_t)options_u64(o, OPT_MAX_BYTES, 0),
		                           .verbose = o->value[OPT_VERBOSE] != NULL,
		                           .width = columns_of() };
}

static void keep_first(struct output *w, enum status st)
{
	w->status = w->status == ST_OK ? st : w->status;
}

struct sink *output_begin(struct output *w, const char *path)
{
	bool is_stdout = path && strcmp(path, "-") == 0;
	struct sink *out = NULL;
	w->to_stdout = w->to_stdout || is_stdout;
	if (path && !(w->again && is_stdout))
		keep_first(w, sink_open(path, false, &out, w->log));
	return out;
}

void output_end(struct output *w, struct sink *out)
{
	keep_first(w, sink_commit(out, w->log));
}

static void write_report(struct output *w, const char *path, const struct report_format *f,
                         const struct report *r, const struct write_options *how)
{
	struct sink *out = output_begin(w, path);
	if (!out)
		return;
	f->write(r, how, out);
	output_end(w, out);
}

static void write_reports(struct output *w, const struct report *r, const struct write_options *how)
{
	for (const struct report_format *f = report_formats; f->name; f++)
		if (f->option < NR_OPTIONS)
			write_report(w, w->options->value[f->option], f, r, how);
}

static void fill_failure(const struct options *o, enum status st, struct report *r,
                         const struct diag_log *log)
{
	const char *error = diag_first_error(log);
	r->status = st;
	r->verdict = VERDICT_INCONCLUSIVE;
	if (!r->workload)
		r->workload = o->value[OPT_WORKLOAD] ? o->value[OPT_WORKLOAD] : DEFAULT_WORKLOAD;
	r->error = arena_dup(&r->arena, span_of(error ? error : status_text(st)));
	r->headline = arena_printf(&r->arena, "error: %s", r->error);
}

enum status output_failure(const struct options *o, enum status st, struct report *r,
                           struct diag_log *log)
{
	struct write_options how = output_options(o);
	struct output w = { .options = o, .log = log };
	fill_failure(o, st, r, log);
	write_reports(&w, r, &how);
	return w.status;
}

enum status output_reports(const struct options *o, struct report *r, struct diag_log *log)
{
	enum { MOST_WARNINGS = 8 };
	struct write_options how = output_options(o);
	struct short_names names = { 0 };
	struct diag_log own, again;
	struct output w = { .options = o, .log = &own };
	how.names = &names;
	diag_init(&own);
	diag_init(&again);
	/* the first warnings of the log go into the report */
	const char *text;
	for (int i = 0; i < MOST_WARNINGS && (text = diag_take_warning(log)); i++)
		vec_push(&r->warnings, text);
	write_reports(&w, r, &how);
	if (!w.to_stdout)
		write_report(&w, "-", report_format_find("text"), r, &how);
	if (w.status != ST_OK) { /* written reports must not claim success: write them again */
		fill_failure(o, w.status, r, &own);
		write_reports(&(struct output){ .options = o, .log = &again, .again = true }, r, &how);
	}
	diag_move(log, &own);
	diag_release(&again);
	short_names_release(&names);
	return w.status;
}

/* ---- output of documents ---- */

static void write_document(struct output *w, const char *path, document_writer *write,
                           const struct document *d)
{
	struct write_options how = output_options(w->options);
	struct sink *out = output_begin(w, path);
	if (!out)
		return;
	write(d, &how, out);
	output_end(w, out);
}

enum status output_document(struct output *w, const struct document *d,
                            const struct page_frame *frame, bool text)
{
	write_document(w, w->options->value[OPT_MARKDOWN], document_write_markdown, d);
	struct sink *out = output_begin(w, w->options->value[OPT_HTML]);
	if (out) {
		html_write_document(d, frame, out);
		output_end(w, out);
	}
	if (text && w->status == ST_OK && !w->to_stdout)
		write_document(w, "-", document_write_text, d);
	return w->status;
}

/* ---- files that two options name ---- */

/* True if both paths name one file that does not exist yet: they have the same name and folder. */
static bool is_same_new_file(const char *a, const char *b)
{
	const char *const names[2] = { path_last(a), path_last(b) };
	struct stat folders[2];
	for (int i = 0; i < 2; i++) {
		const char *path = i ? b : a;
		struct strbuf folder = STRBUF_INIT;
		strbuf_add(&folder,
		           names[i] > path ? (struct span){ path, (size_t)(names[i] - path) } : SPAN("."));
		bool there = stat(strbuf_str(&folder), &folders[i]) == 0;
		strbuf_release(&folder);
		if (!there)
			return false;
	}
	return strcmp(names[0], names[1]) == 0 && folders[0].st_dev == folders[1].st_dev &&
	       folders[0].st_ino == folders[1].st_ino;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;
	if (strcmp(a, b) == 0)
		return true;
	bool has_a = stat(a, &x) == 0, has_b = stat(b, &y) == 0;
	if (!has_a && !has_b)
		return is_same_new_file(a, b);
	return has_a && has_b && S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static enum status would_be_lost(const char *output, const char *what, struct diag_log *log)
{
	return diag_fail(log, ST_USAGE, "%s would be written over: it is %s too",
	                 diag_quote(log, output), what);
}

static enum status check_pair(const char *output, const char *other, const char *what,
                              struct diag_log *log)
{
	if (!other || !is_same_file(output, other) || strcmp(output, "/dev/null") == 0)
		return ST_OK;
	if (strcmp(output, "-") == 0 && strcmp(what, "another output") != 0)
		return ST_OK; /* "-" is standard input as an input, standard output as an output */
	return would_be_lost(output, what, log);
}

/* Fill `outputs`, which has room for NR_OPTIONS paths, with the paths of the files that the command
   will write. `creates`: true if the baseline is one of these files. Returns their number. */
static size_t list_outputs(const struct options *o, bool creates, const char **outputs)
{
	static const enum option others[] = { OPT_OUTPUT, OPT_PROPOSE };
	size_t nr = 0;
	for (const struct report_format *f = report_formats; f->name; f++)
		if (f->option < NR_OPTIONS && o->value[f->option])
			outputs[nr++] = o->value[f->option];
	for (size_t i = 0; i < NR_OF(others); i++)
		if (o->value[others[i]])
			outputs[nr++] = o->value[others[i]];
	if (creates)
		outputs[nr++] = o->value[OPT_BASELINE];
	return nr;
}

enum status output_check(const struct options *o, struct diag_log *log)
{
	static const enum option inputs[] = { OPT_RULES, OPT_CATEGORIES, OPT_SITES, OPT_DIAGNOSIS };
	const char *outputs[NR_OPTIONS];
	bool creates = (ON_TAKING & (1u << o->command)) && o->value[OPT_BASELINE];
	size_t nr = list_outputs(o, creates, outputs);
	struct stat sb;
	for (size_t i = 0; i < nr; i++) {
		if (stat(outputs[i], &sb) == 0 && opened_has(&sb))
			return would_be_lost(outputs[i], "an input", log);
		for (size_t k = i + 1; k < nr; k++)
			TRY(check_pair(outputs[i], outputs[k], "another output", log));
		for (size_t k = 0; k < o->args.nr; k++)
			TRY(check_pair(outputs[i], o->args.v[k], "an input", log));
		for (size_t k = 0; k < NR_OF(inputs); k++)
			TRY(check_pair(outputs[i], o->value[inputs[k]], "an input", log));
		if (!creates)
			TRY(check_pair(outputs[i], o->value[OPT_BASELINE], "the baseline", log));
	}
	return ST_OK;
}
