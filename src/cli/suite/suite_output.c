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

/* Write all reports that the options name. If `text` is true, also write the text report to
   standard output, unless another report goes there. If `again` is true, leave out the report on
   standard output, which was written before. */
static enum status write_files(const struct suite *s, const struct options *o, bool text,
                               bool again, struct diag_log *log)
{
	struct output w = { .options = o, .log = log, .again = again };
	for (size_t i = 0; i < NR_OF(formats); i++) {
		struct sink *out = output_begin(&w, o->value[formats[i].option]);
		if (!out)
			continue;
		formats[i].write(s, out);
		output_end(&w, out);
	}
	struct page_frame frame = { .tool = "gpugate",
		                        .heading = s->name,
		                        .word = verdict_word(s->verdict) };
	struct document d;
	suite_document(s, &d);
	enum status st = output_document(&w, &d, &frame, text);
	doc_release(&d);
	return st;
}

static void fill_failure(struct suite *s, enum status st, const struct diag_log *log)
{
	const char *error = diag_first_error(log);
	s->status = st;
	s->exit_code = status_exit_code(st);
	s->verdict = VERDICT_ERROR;
	s->error = arena_dup(&s->arena, span_of(error ? error : status_text(st)));
	s->cases.nr = s->findings.nr = s->checks.nr = s->warnings.nr = s->machine.nr = 0;
	s->subjects.nr = s->shared.nr = s->sharing.nr = 0;
	s->headline = NULL;
	s->plan_runs = s->plan_pairs = 0;
	memset(s->counts, 0, sizeof s->counts);
}

enum status suite_output(struct suite *s, const struct options *o, enum status st,
                         struct diag_log *log)
{
	if (st != ST_OK) {
		fill_failure(s, st, log);
		enum status ignored = write_files(s, o, false, false, log);
		(void)ignored; /* the caller gets `st`, the first error, even if these reports cannot be
		                  written either */
		return st;
	}
	st = write_files(s, o, true, false, log);
	if (st == ST_OK)
		return s->status;
	struct diag_log again; /* log of the second attempt: files that were written before the error
	                          must not claim success */
	diag_init(&again);
	fill_failure(s, st, log);
	enum status ignored = write_files(s, o, false, true, &again);
	(void)ignored;
	diag_release(&again);
	return st;
}
