/* The table of figures that benchmarks wrote into result files. */
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "report/document.h"
#include "report/table.h"

enum { ROWS_SHOWN = 6 };

static bool is_news(const struct check *c)
{
	return check_matters(c) || c->verdict == VERDICT_IMPROVED;
}

ORDERING_POINTERS(worst_first, struct check, THEN(check_worst_first(x, y)))

struct span common_case(const struct metric *const *v, size_t nr)
{
	struct span first = span_of(nr ? text_or_empty(v[0]->case_name) : "");
	for (size_t i = 0; i < nr && first.n;) {
		const char *name = v[i]->case_name;
		bool fits = name && span_starts(span_of(name), first);
		char next = fits ? name[first.n] : ' ';
		bool whole = fits && (!next || (first.p[first.n - 1] == '.' && !is_digit(next)));
		first.n -= !whole;
		i = whole ? i + 1 : 0;
	}
	return first;
}

const char *figures_of_case(struct arena *a, struct span of)
{
	int n = (int)of.n - (of.n && of.p[of.n - 1] == '.');
	return of.n ? arena_printf(a, "Figures of %.*s", n, of.p) : "Figures";
}

void doc_inputs(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "figure", DOC_LEFT },     { "case", DOC_LEFT },    { "baseline", DOC_RIGHT },
		{ "candidate", DOC_RIGHT }, { "change", DOC_RIGHT }, { "verdict", DOC_LEFT },
		{ "noise", DOC_RIGHT },
	};
	const struct check **rows = arena_alloc(&d->arena, r->checks.nr + 1, sizeof *rows);
	const struct metric **metrics = arena_alloc(&d->arena, r->checks.nr + 1, sizeof *metrics);
	size_t nr = 0, same = 0;
	bool any = false;
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		if (c->metric->need != NEED_INPUT || !c->has_change)
			continue;
		any = any || is_news(c);
		bool notable =
		    c->has_pct && (c->change_pct >= MICRO || c->change_pct <= -MICRO); /* 1 percent */
		if (is_news(c) || notable)
			rows[nr++] = c;
		else
			same++;
	}
	if (!any || nr < 2)
		return;
	qsort(rows, nr, sizeof *rows, worst_first);
	for (size_t i = 0; i < nr; i++)
		metrics[i] = rows[i]->metric;
	struct span of = common_case(metrics, nr);
	const char *title = figures_of_case(&d->arena, of);
	doc_section(d, "inputs", title, DOC_OPEN);
	struct doc_table *t = doc_table(d, title, COLUMNS(columns));
	t->brief = ROWS_SHOWN;
	t->more_text = "figures";
	for (size_t i = 0; i < nr; i++) {
		const struct check *c = rows[i];
		doc_row(d, 0);
		doc_name_cell(d, c->metric->head);
		doc_name_cell(d, c->metric->case_name + of.n);
		doc_figure_cell(d, c->baseline_text, c->has_baseline, c->baseline);
		doc_figure_cell(d, c->candidate_text, c->has_candidate, c->candidate);
		doc_cell(d);
		doc_value(d, true, c->has_pct ? c->change_pct : c->change);
		doc_add(d, DOC_FIGURE, tone_of_check(c), c->has_pct ? c->pct_text : c->change_text);
		doc_cell(d);
		doc_put_verdict(d, c->verdict);
		doc_figure_cell(d, c->evidence.noise_text, c->evidence.has_noise, c->evidence.noise);
	}
	if (same) {
		doc_paragraph(d);
		doc_printf(d, "%zu more figure%s changed by less than 1 %%", same, text_s(same));
	}
	doc_end(d);
}
