#include <string.h>

#include "cli/output.h"
#include "report/document.h"
#include "suite/suite.h"

static const struct {
	enum option option;
	void (*write)(const struct suite *s, struct sink *out);
} formats[] = {
	{ OPT_JUNIT, suite_junit },
	{ OPT_JSON, suite_write },
};

static enum status write_one(size_t i, const char *path, const struct suite *s,
                             struct diag_log *log)
{
	struct sink *out;
	TRY(sink_open(path, false, &out, log));
	formats[i].write(s, out);
	return sink_commit(out, log);
}

/* Write all requested reports. If `text` is true, also write the text report to standard output,
   unless another report goes there. If `again` is true, leave out the report on standard output,
   which has been written before. */
static enum status write_files(const struct suite *s, const struct options *o, bool text,
                               bool again, struct diag_log *log)
{
	enum status st = ST_OK;
	bool to_stdout = false;
	for (size_t i = 0; i < NR_OF(formats); i++) {
		const char *path = o->value[formats[i].option];
		bool is_stdout = path && strcmp(path, "-") == 0;
		to_stdout = to_stdout || is_stdout;
		if (!path || (again && is_stdout))
			continue;
		enum status one = write_one(i, path, s, log);
		st = st == ST_OK ? one : st;
	}
	struct page_frame frame = { .tool = "gpugate",
		                        .heading = s->name,
		                        .word = verdict_word(s->verdict) };
	struct document d;
	suite_document(s, &d);
	enum status one = text && st == ST_OK ? output_document(o, &d, &frame, to_stdout, log)
	                                      : output_forms(o, &d, &frame, again, &to_stdout, log);
	doc_release(&d);
	return st == ST_OK ? one : st;
}

static void fill_failure(struct suite *s, enum status st, const struct diag_log *log)
{
	const char *error = diag_first_error(log);
	s->status = st;
	s->exit_code = status_exit_code(st);
	s->verdict = VERDICT_ERROR;
	s->error = arena_dup(&s->arena, span_of(error ? error : status_text(st)));
	s->cases.nr = s->findings.nr = s->checks.nr = s->warnings.nr = 0;
	memset(s->counts, 0, sizeof s->counts);
}

enum status suite_output(struct suite *s, const struct options *o, enum status st,
                         struct diag_log *log)
{
	if (st != ST_OK) {
		fill_failure(s, st, log);
		enum status ignored = write_files(s, o, false, false, log);
		(void)ignored; /* the caller gets `st`, the first error, even if this writing fails, too */
		return st;
	}
	st = write_files(s, o, true, false, log);
	if (st == ST_OK)
		return s->status;
	struct diag_log again; /* files that were written before the error must not claim success */
	diag_init(&again);
	fill_failure(s, st, log);
	enum status ignored = write_files(s, o, false, true, &again);
	(void)ignored;
	diag_release(&again);
	return st;
}
