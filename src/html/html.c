#include "html/html.h"

#include <inttypes.h>

#include "html/writer.h"
#include "report/table.h"

const char *html_side(const struct html *h, bool candidate)
{
	if (h->r->kind == REPORT_RUN)
		return "run";
	return candidate ? "candidate" : "baseline";
}

/* What the page is of, in a word, and the class of its badge. */
static const char *verdict_word(const struct report *r)
{
	if (r->error)
		return "error";
	static const char *const kinds[] = { [REPORT_DIFF] = "diff", [REPORT_RUN] = "report" };
	return r->kind == REPORT_CHECK ? verdict_name(r->verdict) : kinds[r->kind];
}

static void badge(struct html *h, const char *word)
{
	html_printf(h, "<span class=\"badge %s\">%s</span>", word, word);
}

static void counts(struct html *h)
{
	static const enum verdict order[] = { VERDICT_FAIL, VERDICT_INCONCLUSIVE, VERDICT_MISSING,
		                                  VERDICT_WARN, VERDICT_WAIVED,       VERDICT_IMPROVED,
		                                  VERDICT_PASS, VERDICT_SKIPPED };
	html_puts(h, "<ul class=\"counts\">");
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (h->r->counts[order[i]])
			html_printf(h, "<li class=\"%s\"><b>%" PRId64 "</b> %s</li>", verdict_name(order[i]),
			            h->r->counts[order[i]], verdict_name(order[i]));
	html_puts(h, "</ul>\n");
}

static void title(struct html *h)
{
	const struct report *r = h->r;
	const char *word = verdict_word(r), *line = text_or_empty(r->error ? r->error : r->headline);
	size_t n = strlen(word);
	html_puts(h, "<p class=\"tool\">gpugate</p>\n<h1>");
	html_text(h, r->workload && r->workload[0] ? r->workload
	             : r->kind == REPORT_RUN       ? "one run"
	                                           : "comparison of two runs");
	html_puts(h, "</h1>\n<p class=\"verdict\">");
	badge(h, word);
	html_puts(h, " ");
	/* the headline begins with the verdict: once is enough */
	html_text(h,
	          strncmp(line, word, n) == 0 && strncmp(line + n, ": ", 2) == 0 ? line + n + 2 : line);
	html_puts(h, "</p>\n");
	if (r->error)
		html_printf(h, "<p class=\"note\">Exit code %d: %s. Nothing was compared.</p>\n",
		            status_exit_code(r->status), status_text(r->status));
	else if (r->kind == REPORT_CHECK)
		counts(h);
}

static bool is_said(const char *text)
{
	return text && text[0];
}

static void side(struct html *h, const char *what, const struct side *s, bool gpu, bool commit)
{
	if (!is_said(s->label) || !html_row(h, ""))
		return;
	html_printf(h, "<th scope=\"row\">%s</th>", what);
	html_name_cell(h, s->label);
	html_cell(h, extent_of(&h->arena, s));
	if (gpu)
		html_cell(h, s->gpu);
	if (commit)
		html_name_cell(h, s->commit);
	html_puts(h, "</tr>\n");
}

static void fact_line(struct html *h, const char *what, const char *text)
{
	if (!is_said(text))
		return;
	html_printf(h, "<p class=\"note\">%s: ", what);
	html_text(h, text);
	html_puts(h, "</p>\n");
}

static void context(struct html *h)
{
	struct html_column columns[5] = { { "side", ALIGN_LEFT },
		                              { "run", ALIGN_LEFT },
		                              { "extent", ALIGN_LEFT } };
	const struct report *r = h->r;
	bool gpu = is_said(r->baseline.gpu) || is_said(r->candidate.gpu);
	bool commit = is_said(r->baseline.commit) || is_said(r->candidate.commit);
	size_t nr = 3;
	if (!is_said(r->candidate.label))
		return;
	if (gpu)
		columns[nr++] = (struct html_column){ "GPU", ALIGN_LEFT };
	if (commit)
		columns[nr++] = (struct html_column){ "commit", ALIGN_LEFT };
	html_table(h, "what this is about", columns, nr);
	side(h, "baseline", &r->baseline, gpu, commit);
	side(h, html_side(h, true), &r->candidate, gpu, commit);
	html_table_end(h, 0);
	fact_line(h, "Rules", r->rules);
	fact_line(h, "Profile", r->profile);
	fact_line(h, "False alarms", r->false_alarms_text);
	if (r->partial)
		html_puts(h, "<p class=\"note\">Partial: the first events only (--quick).</p>\n");
}

/* ---- what to know first ---- */

static void whose(struct html *h, bool candidate, int64_t rank)
{
	html_puts(h, html_side(h, candidate));
	if (rank >= 0)
		html_printf(h, ", rank %" PRId64, rank);
	html_puts(h, ": ");
}

static void remark(struct html *h, const char *kind, const char *id)
{
	html_printf(h, "<li><b class=\"kind\">%s</b> ", kind);
	if (id)
		html_printf(h, "<code>%s</code> ", id);
}

static void remarks(struct html *h)
{
	const struct report *r = h->r;
	if (!r->warnings.nr && !r->trust.nr && !r->insights.nr)
		return;
	html_section(h, "findings", "Findings");
	html_puts(h, "<ul class=\"remarks\">\n");
	for (size_t i = 0; i < r->warnings.nr; i++) {
		remark(h, "warning", NULL);
		html_text(h, r->warnings.v[i]);
		html_puts(h, "</li>\n");
	}
	for (size_t i = 0; i < r->trust.nr; i++) {
		const struct trust_finding *f = &r->trust.v[i];
		remark(h, "trust", f->id);
		whose(h, f->candidate, f->rank);
		html_text(h, f->message);
		for (size_t k = 0; k < f->spoils.nr; k++)
			html_printf(h, "%s<code>%s</code>", k ? ", " : "; spoils ", f->spoils.v[k]);
		html_puts(h, "</li>\n");
	}
	for (size_t i = 0; i < r->insights.nr; i++) {
		remark(h, "insight", r->insights.v[i].id);
		whose(h, r->insights.v[i].candidate, r->insights.v[i].rank);
		html_text(h, r->insights.v[i].message);
		html_puts(h, "</li>\n");
	}
	html_puts(h, "</ul>\n");
	html_section_end(h);
}

/* ---- the end ---- */

static void notes(struct html *h)
{
	const struct side *sides[] = { &h->r->candidate, &h->r->baseline };
	if (!sides[0]->notes.nr && !sides[1]->notes.nr)
		return;
	html_section(h, "notes", "Notes");
	html_puts(h, "<ul>\n");
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < sides[i]->notes.nr; k++) {
			html_printf(h, "<li>%s: ", html_side(h, i == 0));
			html_text(h, arena_dup(&h->arena, sides[i]->notes.v[k]));
			html_puts(h, "</li>\n");
		}
	html_puts(h, "</ul>\n");
	html_section_end(h);
}

static void accept(struct html *h)
{
	if (!h->r->accept || !h->r->accept[0])
		return;
	html_section(h, "accept", "How to accept");
	html_puts(h, "<p>Where the change is meant, this makes the run the baseline:</p>\n<pre><code>");
	html_text(h, h->r->accept);
	html_puts(h, "</code></pre>\n");
	html_section_end(h);
}

void html_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct html h = { .r = r };
	(void)o;
	title(&h);
	context(&h);
	html_header_end(&h);
	remarks(&h);
	html_summary(&h);
	html_checks(&h);
	html_change(&h);
	html_recommendations(&h);
	html_steps(&h);
	html_kernels(&h);
	html_categories(&h);
	html_memory(&h);
	html_ranks(&h);
	html_tables(&h);
	html_figures(&h);
	html_environment(&h);
	notes(&h);
	accept(&h);
	html_write_page(&h,
	                arena_printf(&h.arena, "%s: %s", verdict_word(r),
	                             r->workload && r->workload[0] ? r->workload : "gpugate"),
	                out);
}
