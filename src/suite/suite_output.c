#include "suite/suite_output.h"

#include <string.h>

#include "cli/output.h"
#include "document/render.h"
#include "html/html_page.h"
#include "suite/suite_document.h"
#include "suite/suite_rows.h"

enum { MARKDOWN_BYTES = 60000 };

static void write_text(const struct suite *s, const struct write_options *w, struct sink *out)
{
	struct document d;
	suite_document(s, &d);
	document_write_text(&d, w, out);
	doc_release(&d);
}

static void write_markdown(const struct suite *s, const struct write_options *w, struct sink *out)
{
	struct document d;
	struct strbuf b = STRBUF_INIT;
	suite_document(s, &d);
	doc_markdown(&d, w->max_bytes ? w->max_bytes : MARKDOWN_BYTES, &b);
	sink_write(out, strbuf_span(&b));
	strbuf_release(&b);
	doc_release(&d);
}

/* There is no picture in it, and no bar. */
static void write_html(const struct suite *s, const struct write_options *w, struct sink *out)
{
	struct doc_page_hooks hooks = { 0 };
	struct html h = { 0 };
	struct document d;
	(void)w;
	html_puts(&h, "<p class=\"tool\">gpugate</p>\n<h1>");
	html_text(&h, s->name);
	html_puts(&h, "</h1>\n");
	html_header_end(&h);
	suite_document(s, &d);
	doc_html(&d, &hooks, &h.header, &h.body, &h.nav);
	html_write_page(&h, arena_printf(&d.arena, "%s: %s", suite_verdict_names[s->verdict], s->name),
	                out);
	doc_release(&d);
}

static void write_junit(const struct suite *s, const struct write_options *w, struct sink *out)
{
	(void)w;
	suite_junit(s, out);
}

static void write_json(const struct suite *s, const struct write_options *w, struct sink *out)
{
	(void)w;
	suite_write(s, out);
}

static const struct {
	enum option option;
	void (*write)(const struct suite *s, const struct write_options *w, struct sink *out);
} formats[] = {
	{ OPT_MARKDOWN, write_markdown },
	{ OPT_JUNIT, write_junit },
	{ OPT_JSON, write_json },
	{ OPT_HTML, write_html },
};

static enum status write_one(size_t i, const char *path, const struct suite *s,
                             const struct options *o, struct diag_log *log)
{
	struct write_options w = output_options(o);
	struct sink *out;
	TRY(sink_open(path, false, &out, log));
	formats[i].write(s, &w, out);
	return sink_commit(out, log);
}

/* `again`: what went to standard output is not written twice. */
static enum status write_files(const struct suite *s, const struct options *o, bool again,
                               bool *to_stdout, struct diag_log *log)
{
	enum status st = ST_OK;
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		const char *path = o->value[formats[i].option];
		bool is_stdout = path && strcmp(path, "-") == 0;
		*to_stdout = *to_stdout || is_stdout;
		if (!path || (again && is_stdout))
			continue;
		enum status one = write_one(i, path, s, o, log);
		st = st == ST_OK ? one : st;
	}
	return st;
}

static enum status write_terminal(const struct suite *s, const struct options *o,
                                  struct diag_log *log)
{
	struct write_options w = output_options(o);
	struct sink *out;
	TRY(sink_open("-", false, &out, log));
	write_text(s, &w, out);
	return sink_commit(out, log);
}

static void fill_failure(struct suite *s, enum status st, const struct diag_log *log)
{
	const char *error = diag_first_error(log);
	s->status = st;
	s->exit_code = status_exit_code(st);
	s->verdict = SUITE_ERROR;
	s->error = arena_dup(&s->arena, span_of(error ? error : status_text(st)));
	s->cases.nr = s->findings.nr = s->checks.nr = s->warnings.nr = 0;
	memset(s->counts, 0, sizeof s->counts);
}

enum status suite_output(struct suite *s, const struct options *o, enum status st,
                         struct diag_log *log)
{
	bool to_stdout = false;
	if (st != ST_OK) {
		fill_failure(s, st, log);
		enum status ignored = write_files(s, o, false, &to_stdout, log);
		(void)ignored; /* the first error decides */
		return st;
	}
	st = write_files(s, o, false, &to_stdout, log);
	if (st == ST_OK && !to_stdout)
		st = write_terminal(s, o, log);
	if (st == ST_OK)
		return s->status;
	struct diag_log again; /* what could be written must not say that all is well */
	diag_init(&again);
	fill_failure(s, st, log);
	enum status ignored = write_files(s, o, true, &to_stdout, &again);
	(void)ignored;
	diag_release(&again);
	return st;
}
