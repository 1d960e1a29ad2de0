/* The table of the figures that benchmarks wrote. */
#include <string.h>

#include "base/number.h"
#include "report/document.h"
#include "report/table.h"

enum { ROWS_SHOWN = 12 };

/* How much worse the figure became, in 1e-6 percent; below 0 if it became better. */
static int64_t worsening(const struct check *c)
{
	return c->worse == WORSE_DOWN ? -c->change_pct : c->change_pct;
}

static bool is_news(const struct check *c)
{
	return check_matters(c) || c->verdict == VERDICT_IMPROVED;
}

static bool is_changed(const struct check *c)
{
	enum { NOTABLE = MICRO }; /* 1 percent */
	return c->has_pct && (c->change_pct >= NOTABLE || c->change_pct <= -NOTABLE);
}

/* Failed figures first, then by how much worse they became. */
static int worst_first(const void *a, const void *b)
{
	const struct check *x = *(const struct check *const *)a, *y = *(const struct check *const *)b;
	if (check_matters(x) != check_matters(y))
		return check_matters(x) ? -1 : 1;
	if (check_matters(x))
		ORDER_BY(x->verdict, y->verdict);
	ORDER_BY(worsening(y), worsening(x));
	return strcmp(x->metric->name, y->metric->name);
}

/* The beginning that the names of all figures have in common, as far as it is a case or whole words
   of it: "sglang.random.in1024.". */
static struct span common_case(const struct check *const *v, size_t nr)
{
	struct span first = span_of(metric_label(v[0]->metric));
	const char *slash = strrchr(first.p, '/');
	first.n = slash ? (size_t)(slash - first.p) + 1 : 0;
	for (size_t i = 0; i < nr && first.n;) {
		const char *name = metric_label(v[i]->metric);
		char next = name[first.n];
		char last = span_starts(span_of(name), first) ? first.p[first.n - 1] : ' ';
		bool whole = last == '/' || (last == '.' && !(next >= '0' && next <= '9'));
		first.n -= !whole;
		i = whole ? i + 1 : 0;
	}
	return first;
}

void doc_inputs(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "figure", DOC_LEFT },     { "case", DOC_LEFT },    { "baseline", DOC_RIGHT },
		{ "candidate", DOC_RIGHT }, { "change", DOC_RIGHT }, { "verdict", DOC_LEFT },
		{ "noise", DOC_RIGHT },
	};
	const struct check **rows = arena_alloc(&d->arena, r->checks.nr + 1, sizeof *rows);
	size_t nr = 0, same = 0;
	bool any = false;
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		if (c->metric->need != NEED_INPUT || !c->has_change)
			continue;
		any = any || is_news(c);
		if (is_news(c) || is_changed(c))
			rows[nr++] = c;
		else
			same++;
	}
	if (!any || nr < 2)
		return;
	qsort(rows, nr, sizeof *rows, worst_first);
	struct span of = common_case(rows, nr);
	const char *title =
	    of.n ? arena_printf(&d->arena, "Figures of %.*s", (int)of.n - 1, of.p) : "Figures";
	doc_section(d, "inputs", title, DOC_OPEN);
	struct doc_table *t = doc_table(d, title, COLUMNS(columns));
	t->brief = ROWS_SHOWN;
	t->more_text = "figures";
	for (size_t i = 0; i < nr; i++) {
		const struct check *c = rows[i];
		doc_row(d, 0);
		const char *name = metric_label(c->metric) + of.n, *slash = strrchr(name, '/');
		size_t n = slash ? (size_t)(slash - name) : 0;
		doc_name_cell(d, slash ? slash + 1 : name);
		doc_name_cell(d, arena_dup(&d->arena, (struct span){ name, n }));
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
		doc_printf(d, "%zu more figure%s changed by less than 1 %%", same, same == 1 ? "" : "s");
	}
	doc_end(d);
}
