#include "report/table.h"

#include <inttypes.h>

#include "base/text.h"

#define NOTE_INDENT 6
#define LINE_COLUMNS 100

void table_add(struct table *t, const char *color, const char *const *cells)
{
	size_t nr = strlen(t->align);
	struct table_row row = { .cells = arena_alloc(&t->arena, nr, sizeof *row.cells),
		                     .color = color };
	for (size_t i = 0; i < nr; i++)
		row.cells[i] = cells[i];
	vec_push(&t->rows, row);
}

void table_note_line(struct table *t, const char *what, const char *text)
{
	vec_push(&t->rows, (struct table_row){ .note = arena_printf(&t->arena, "%s%s", what, text) });
}

void table_note(struct table *t, const char *what, const char *trusted)
{
	const char *rest = arena_printf(&t->arena, "%s%s", what, trusted);
	while (*rest) {
		size_t chars = 0, end = 0, i = 0;
		struct span s = span_of(rest);
		while (i < s.n && chars++ < LINE_COLUMNS - NOTE_INDENT) {
			end = s.p[i] == ' ' && i && s.p[i - 1] != '=' ? i : end;
			text_next(s, &i);
		}
		if (i == s.n || !end)
			end = s.n;
		vec_push(&t->rows,
		         (struct table_row){ .note = arena_dup(&t->arena, (struct span){ rest, end }) });
		rest += end + (rest[end] == ' ');
	}
}

static void add_blanks(struct strbuf *b, size_t nr)
{
	while (nr--)
		strbuf_addch(b, ' ');
}

static void add_row(struct strbuf *b, const struct table *t, const size_t *width,
                    const struct table_row *row)
{
	size_t owed = 2;
	if (row->note)
		strbuf_addf(b, "%*s%s", NOTE_INDENT, "", row->note);
	for (size_t i = 0; !row->note && t->align[i]; i++) {
		size_t fill = width[i] - text_chars(span_of(row->cells[i]));
		if (t->align[i] == 'r')
			owed += fill;
		if (row->cells[i][0]) {
			bool colored = i == 0 && row->color;
			add_blanks(b, owed);
			strbuf_adds(b, colored ? row->color : "");
			strbuf_adds(b, row->cells[i]);
			strbuf_adds(b, colored ? "\033[0m" : "");
			owed = 0;
		}
		owed += 2 + (t->align[i] == 'l' ? fill : 0);
	}
	strbuf_addch(b, '\n');
}

void table_write(struct table *t, struct sink *out)
{
	size_t nr = strlen(t->align);
	size_t *width = arena_alloc(&t->arena, nr, sizeof *width);
	struct strbuf b = STRBUF_INIT;
	for (size_t r = 0; r < t->rows.nr; r++)
		for (size_t i = 0; !t->rows.v[r].note && i < nr; i++) {
			size_t n = text_chars(span_of(t->rows.v[r].cells[i]));
			width[i] = n > width[i] ? n : width[i];
		}
	for (size_t r = 0; r < t->rows.nr; r++)
		add_row(&b, t, width, &t->rows.v[r]);
	sink_write(out, strbuf_span(&b));
	strbuf_release(&b);
	vec_release(&t->rows);
	arena_release(&t->arena);
}

const char *table_text(struct arena *a, const char *text, size_t max_chars)
{
	return table_span(a, span_of(text_or_empty(text)), max_chars);
}

const char *table_span(struct arena *a, struct span text, size_t max_chars)
{
	struct strbuf b = STRBUF_INIT;
	text_add_log(&b, text, max_chars);
	return arena_take(a, &b);
}

/* ---- breakdowns ---- */

static void add_once(struct breakdown_list *out, const struct breakdown *b)
{
	if (!b || !b->parts.nr)
		return;
	for (size_t i = 0; i < out->list.nr; i++) {
		const struct breakdown *o = out->list.v[i];
		if (o == b || (o->change == b->change && strcmp(o->title, b->title) == 0))
			return;
	}
	vec_push(&out->list, b);
}

enum subject { SUBJECT_STEP, SUBJECT_ITEM, SUBJECT_RUN, SUBJECT_MEMORY };

static enum subject subject_of(const struct metric *m)
{
	if (m->need == NEED_MEMORY)
		return SUBJECT_MEMORY;
	if (m->per_step)
		return SUBJECT_STEP;
	return m->label == LABEL_NONE || m->label == LABEL_DEVICE ? SUBJECT_RUN : SUBJECT_ITEM;
}

/* Of the failed checks, or of those that warn. */
static void add_of(const struct report *r, enum verdict verdict, enum subject subject,
                   struct breakdown_list *out)
{
	for (size_t i = 0; i < r->checks.nr; i++)
		if (r->checks.v[i].verdict == verdict && subject_of(r->checks.v[i].metric) == subject)
			add_once(out, r->checks.v[i].breakdown);
}

void breakdowns_of(const struct report *r, struct breakdown_list *out)
{
	*out = (struct breakdown_list){ 0 };
	add_of(r, VERDICT_FAIL, SUBJECT_STEP, out);
	if (!out->list.nr)
		add_of(r, VERDICT_FAIL, SUBJECT_ITEM, out);
	add_of(r, VERDICT_FAIL, SUBJECT_RUN, out);
	if (!out->list.nr)
		add_of(r, VERDICT_WARN, SUBJECT_STEP, out);
	size_t nr = out->list.nr;
	add_of(r, VERDICT_FAIL, SUBJECT_MEMORY, out);
	if (out->list.nr == nr)
		add_of(r, VERDICT_WARN, SUBJECT_MEMORY, out);
	for (size_t i = 0; i < r->breakdowns.nr; i++)
		add_once(out, r->breakdowns.v[i]);
}

bool check_matters(const struct check *c)
{
	return c->verdict == VERDICT_FAIL || c->verdict == VERDICT_INCONCLUSIVE ||
	       c->verdict == VERDICT_MISSING || c->verdict == VERDICT_WARN;
}

bool report_matters(const struct report *r)
{
	return r->kind == REPORT_DIFF || r->verdict != VERDICT_PASS;
}

bool check_needs_reason(const struct check *c)
{
	return !c->spoiler && (c->verdict == VERDICT_INCONCLUSIVE || c->verdict == VERDICT_MISSING);
}

size_t figures_of_metric(const struct report *r, size_t i)
{
	size_t nr = 0;
	while (i + nr < r->figures.nr && r->figures.v[i + nr].metric == r->figures.v[i].metric)
		nr++;
	return nr;
}

const char *change_of(struct arena *a, const char *change, const char *pct)
{
	return pct[0] ? arena_printf(a, "%s (%s)", change, pct) : change;
}

const char *runs_of(struct arena *a, const struct check *c)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < c->evidence.runs.nr; i++) {
		strbuf_adds(&b, i ? ", " : "runs of the candidate: ");
		unit_format(&b, c->metric->unit, c->evidence.runs.v[i], false);
	}
	return arena_take(a, &b);
}

const char *extent_of(struct arena *a, const struct side *s)
{
	struct strbuf b = STRBUF_INIT;
	if (side_runs(s) > 1)
		strbuf_addf(&b, "%" PRId64 " runs, ", s->runs);
	if (s->ranks != 1)
		strbuf_addf(&b, "%" PRId64 " ranks, ", s->ranks);
	if (s->metrics_only)
		strbuf_adds(&b, "metrics file");
	else if (s->snapshot_only)
		strbuf_adds(&b, "memory snapshot");
	else if (s->window)
		strbuf_adds(&b, "whole trace");
	else
		strbuf_addf(&b, "%" PRId64 " step%s%s", s->steps, s->steps == 1 ? "" : "s",
		            s->period ? " by the period of launches" : "");
	if (s->window && s->period)
		strbuf_addf(&b, ", in which launches repeat %" PRId64 " times: see --unmarked", s->period);
	if (s->has_pin_age && s->pin_age_days == 0)
		strbuf_adds(&b, "; pinned today");
	else if (s->has_pin_age)
		strbuf_addf(&b, "; pinned %" PRId64 " day%s ago", s->pin_age_days,
		            s->pin_age_days == 1 ? "" : "s");
	return arena_take(a, &b);
}
