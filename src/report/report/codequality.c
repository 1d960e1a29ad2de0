/* Findings with a line of code, which GitLab shows beside the lines of a merge request. Findings
   without a line are only in the other reports.
   Source: docs.gitlab.com "Code Quality", "Code Quality report format": an array of objects with
   description, check_name, fingerprint, severity, location.path, location.lines.begin. A path is
   relative to the repository; fingerprints are unique and stay the same from run to run. */
#include <inttypes.h>
#include <string.h>

#include "model/code.h"
#include "report/emit.h"
#include "report/writer.h"

/* The line at which to show a finding: its innermost place that is in a file of the repository.
   NULL if there is none. */
static const struct source_line *line_of(const struct finding *f)
{
	for (size_t i = f->where.nr; i-- > 0;) {
		const struct source_line *at = &f->where.v[i].at;
		bool outside =
		    at->file && (at->file[0] == '/' || at->file[0] == '<' || strchr(at->file, '\\') ||
		                 strstr(at->file, "../") || strstr(at->file, "-packages/"));
		if (at->file && at->file[0] && !outside)
			return at;
	}
	return NULL;
}

/* Hash of what the finding is about. It has no figures or line numbers, so it stays the same from
 * run to run. `nr` distinguishes findings that are otherwise equal. */
static const char *fingerprint_of(const struct report *r, const struct finding *f, size_t nr,
                                  struct strbuf *b)
{
	strbuf_setlen(b, 0);
	strbuf_addf(b, "%s\n%s\n%zu", text_or_empty(r->workload), cause_names[f->cause], nr);
	for (size_t i = 0; i < f->where.nr; i++)
		strbuf_addf(b, "\n%s",
		            f->where.v[i].kind == PLACE_CODE && f->where.v[i].at.file
		                ? f->where.v[i].at.file
		                : f->where.v[i].name);
	for (size_t i = 0; i < f->checks.nr; i++)
		strbuf_addf(b, "\n%s", r->checks.v[f->checks.v[i]].rule);
	uint64_t key = code_kernel_key(strbuf_span(b));
	strbuf_setlen(b, 0);
	strbuf_addf(b, "%016" PRIx64, key);
	return strbuf_str(b);
}

static void put_finding(struct emit *e, const struct report *r, size_t i)
{
	const struct finding *f = &r->findings.v[i];
	const struct source_line *at = line_of(f);
	struct strbuf print = STRBUF_INIT, other = STRBUF_INIT;
	if (!at)
		return;
	fingerprint_of(r, f, 0, &print);
	size_t before = 0; /* number of findings before this one with the same hash */
	for (size_t k = 0; k < i; k++)
		before += line_of(&r->findings.v[k]) &&
		          strcmp(fingerprint_of(r, &r->findings.v[k], 0, &other), strbuf_str(&print)) == 0;
	if (before)
		fingerprint_of(r, f, before, &print);
	emit_open_line(e, 1, NULL, '{');
	emit_str(e, "description", f->title);
	emit_str(e, "check_name", cause_names[f->cause]);
	emit_str(e, "fingerprint", strbuf_str(&print));
	emit_str(e, "severity",
	         f->verdict == VERDICT_FAIL   ? "major"
	         : f->verdict == VERDICT_WARN ? "minor"
	                                      : "info");
	emit_open(e, "location", '{');
	emit_str(e, "path", at->file);
	emit_open(e, "lines", '{');
	emit_number(e, "begin", at->line > 0 ? at->line : 1, 0);
	emit_close(e, '}');
	emit_close(e, '}');
	emit_close(e, '}');
	strbuf_release(&print);
	strbuf_release(&other);
}

void codequality_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct emit e = { .out = out };
	(void)o;
	emit_open(&e, NULL, '[');
	for (size_t i = 0; i < r->findings.nr; i++)
		put_finding(&e, r, i);
	emit_close(&e, ']');
	sink_printf(out, "\n");
}
