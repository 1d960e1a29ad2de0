#include "report/markdown_tables.h"

#include <inttypes.h>
#include <string.h>

#include "report/findings.h"
#include "report/table.h"

#define DRIFT_ROWS 25
#define RANK_ROWS 64

#define FAILURES_HEADER                                                     \
	"| verdict | check | baseline | candidate | change | limit | noise |\n" \
	"| --- | --- | ---: | ---: | ---: | --- | ---: |\n"

static const char *direction(const struct check *c)
{
	if (!c->has_change || c->change == 0 || c->worse == WORSE_EITHER)
		return "";
	return (c->change > 0) == (c->worse == WORSE_UP) ? ", worse" : ", better";
}

static void add_check(struct markdown *m, struct md_section *s, const struct check *c, bool whole)
{
	struct strbuf *row = md_table_row(s);
	md_cell(row, verdict_name(c->verdict));
	md_code_cell(row, c->id);
	md_cell(row, c->baseline_text);
	md_cell(row, c->candidate_text);
	strbuf_adds(row, change_of(&m->arena, c->change_text, c->pct_text));
	md_cell(row, direction(c));
	md_code_cell(row, c->limit);
	md_cell(row, text_or_empty(c->evidence.noise_text));
	if (whole)
		md_cell(row, text_or_empty(c->evidence.detectable_text));
	md_end_row(row);
}

void md_failures(struct markdown *m)
{
	struct md_section *s = md_section(&m->doc, true);
	strbuf_adds(&s->head, "\n" FAILURES_HEADER);
	for (size_t i = 0; i < m->r->checks.nr; i++)
		if (check_matters(&m->r->checks.v[i]) && !trust_lines_sum_up(&m->trust, &m->r->checks.v[i]))
			add_check(m, s, &m->r->checks.v[i], false);
	md_close(&m->doc);
}

static void add_figure(struct markdown *m, struct md_section *s, const struct figure_row *f)
{
	struct strbuf *row = md_table_row(s);
	md_cell(row, f->metric->name);
	md_code_cell(row, f->item);
	md_cell(row, f->baseline_text);
	md_cell(row, f->candidate_text);
	md_cell(row, change_of(&m->arena, f->change_text, f->pct_text));
	md_end_row(row);
}

void md_figures(struct markdown *m)
{
	struct md_section *s = md_section(&m->doc, true);
	strbuf_adds(&s->head, "\n| figure | of | baseline | candidate | change |\n"
	                      "| --- | --- | ---: | ---: | ---: |\n");
	for (size_t i = 0, nr; i < m->r->figures.nr; i += nr) {
		nr = figures_of_metric(m->r, i);
		for (size_t k = i; k < i + nr && k < i + FIGURES_SHOWN; k++)
			add_figure(m, s, &m->r->figures.v[k]);
		if (nr > FIGURES_SHOWN)
			strbuf_addf(md_table_row(s), "%s | %zu more | | | |\n", m->r->figures.v[i].metric->name,
			            nr - FIGURES_SHOWN);
	}
	md_close(&m->doc);
}

void md_kernels(struct markdown *m)
{
	struct md_section *s =
	    md_details(&m->doc, "kernels",
	               "| drift | kernel | baseline | candidate | change | launches | "
	               "shape |\n| --- | --- | ---: | ---: | ---: | ---: | --- |\n");
	size_t nr = m->r->drift.nr < DRIFT_ROWS ? m->r->drift.nr : DRIFT_ROWS;
	s->more = m->r->drift.nr - nr;
	for (size_t i = 0; i < nr; i++) {
		const struct drift_row *k = &m->r->drift.v[i];
		struct strbuf *row = md_table_row(s);
		md_cell(row, drift_names[k->drift]);
		if (k->renamed_to) {
			md_code(row, k->kernel, MD_NAME_CHARS, true);
			strbuf_adds(row, " → ");
		}
		md_code_cell(row, k->renamed_to ? k->renamed_to : k->kernel);
		md_cell(row, k->baseline_text);
		md_cell(row, k->candidate_text);
		md_cell(row, k->change_text);
		md_cell(row, k->count_text);
		md_cell(row, k->shape_text);
		md_end_row(row);
	}
	md_close(&m->doc);
}

void md_scaling(struct markdown *m)
{
	struct md_section *s = md_details(&m->doc, "largest tensors by category",
	                                  "| memory | category | baseline | candidate | ratio |\n"
	                                  "| --- | --- | ---: | ---: | ---: |\n");
	for (size_t i = 0; i < m->r->scaling.nr; i++) {
		const struct scaling_row *k = &m->r->scaling.v[i];
		struct strbuf *row = md_table_row(s);
		md_code_cell(row, k->memory);
		md_code_cell(row, k->category);
		md_cell(row, k->baseline_text);
		md_cell(row, k->candidate_text);
		md_cell(row, k->ratio_text);
		md_end_row(row);
	}
	md_close(&m->doc);
}

void md_checks(struct markdown *m, const char *summary, enum check_group group)
{
	struct md_section *s = md_details(
	    &m->doc, summary,
	    "| verdict | check | baseline | candidate | change | limit | noise | detectable |\n"
	    "| --- | --- | ---: | ---: | ---: | --- | ---: | ---: |\n");
	for (size_t i = 0; i < m->r->checks.nr; i++)
		if (group == NR_GROUPS || m->r->checks.v[i].group == group)
			add_check(m, s, &m->r->checks.v[i], true);
	md_close(&m->doc);
}

/* What the sums over ranks hide. */
void md_ranks(struct markdown *m)
{
	const struct report *r = m->r;
	struct md_section *s = md_details(&m->doc, "ranks", "| side | rank | ");
	for (size_t i = 0; i < r->rank_columns.nr; i++)
		md_cell(&s->head, r->rank_columns.v[i].title);
	strbuf_setlen(&s->head, s->head.n - 1);
	strbuf_adds(&s->head, "\n| --- | ---: |");
	for (size_t i = 0; i < r->rank_columns.nr; i++)
		strbuf_adds(&s->head, " ---: |");
	strbuf_addch(&s->head, '\n');
	for (int side = 0; side < 2; side++) {
		struct rank_choice choice;
		ranks_choose(r, side == 0, RANK_ROWS, &choice);
		s->more += choice.more;
		for (size_t i = 0; i < choice.rows.nr; i++) {
			struct strbuf *row = md_table_row(s);
			md_cell(row, side == 0 ? "candidate" : "baseline");
			strbuf_addf(row, "%" PRId64 " | ", choice.rows.v[i]->rank);
			for (size_t k = 0; k < r->rank_columns.nr; k++)
				md_figure_cell(row, rank_cell(choice.rows.v[i], k));
			md_end_row(row);
		}
		vec_release(&choice.rows);
	}
	md_close(&m->doc);
}

void md_environment(struct markdown *m)
{
	struct md_section *s = md_details(&m->doc, "environment",
	                                  "| | key | baseline | candidate |\n"
	                                  "| --- | --- | --- | --- |\n");
	for (size_t i = 0; i < m->r->environment.nr; i++) {
		const struct env_row *e = &m->r->environment.v[i];
		struct strbuf *row = md_table_row(s);
		md_cell(row, e->match ? "same" : "differs");
		md_code_cell(row, e->key);
		md_code_cell(row, e->baseline);
		md_code_cell(row, e->candidate);
		md_end_row(row);
	}
	md_close(&m->doc);
}
