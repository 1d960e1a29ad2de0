#include "suite/suite.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "report/document.h"

enum {
	LEAST_PCT = 10000 /* in 1e-6 %: smaller changes are called unchanged */,
	CASES_SHOWN = 10,
	CASES_WITH_FINDINGS = 40,
	FINDINGS_OF_CASE = 3,
	ACCEPTS_SHOWN = 3
};

static void put_summary(struct document *d, const struct suite *s)
{
	doc_paragraph(d);
	if (s->error || s->verdict == VERDICT_ERROR)
		doc_put_verdict(d, VERDICT_ERROR);
	else
		doc_put_result(d, (enum verdict)s->verdict, s->status != ST_OK);
	doc_say(d, " · %s: %s", s->name, s->error ? s->error : s->headline);
	if (s->shards > 1) {
		doc_paragraph(d);
		doc_printf(d, "shard %" PRId64 " of %" PRId64 ": %zu of %" PRId64 " cases", s->shard,
		           s->shards, s->cases.nr, s->total);
	}
}

/* The id of the row with the first finding of a case. The table of all cases links to it. */
static const char *case_id(struct document *d, const struct suite_case *c)
{
	return arena_printf(&d->arena, "case-%" PRId64, c->place + 1);
}

/* ---- what cases share ---- */

static void put_shared(struct document *d, const struct suite *s)
{
	size_t at = 0;
	doc_section(d, "shared", "What the cases share", DOC_OPEN);
	for (size_t i = 0; i < s->shared.nr; i++) {
		size_t first = at;
		doc_item(d, 0);
		doc_put_verdict(d, s->shared.v[i].verdict);
		doc_say(d, " %s", s->shared.v[i].text);
		for (; at < s->sharing.nr && s->sharing.v[at].shared == s->shared.v[i].place; at++) {
			if (at - first >= CASES_SHOWN)
				continue;
			doc_say(d, "%w%n", at > first ? ", " : " · ",
			        s->cases.v[suite_case_at(s, s->sharing.v[at].of)].name);
		}
		if (at - first > CASES_SHOWN)
			doc_printf(d, " and %zu more", at - first - CASES_SHOWN);
	}
	doc_end(d);
}

/* The finding of a case with the index `nth`, where only findings that belong to no shared cause
   count. NULL if there is none. */
static const struct suite_item *untold(const struct suite_items *all, size_t nth)
{
	return FIND(i, all->v, all->nr, !all->v[i].told && nth-- == 0);
}

/* ---- cases that did not pass ---- */

static void put_head(struct document *d, const struct suite_case *c, unsigned verdict)
{
	doc_row(d, 0);
	doc_cell(d);
	doc_put_verdict(d, verdict);
	doc_words(d, " ");
	doc_add(d, DOC_NAME, TONE_STRONG, c->name);
}

/* Add the first findings of a case as rows, and a row that counts further ones. Findings that
   belong to a shared cause are left out. If none remain, add a row with the text of the case. */
static void put_open_case(struct document *d, const struct suite *s, const struct suite_case *c)
{
	const struct suite_items all = suite_items_of(&s->findings, c->place);
	const struct suite_item *f;
	size_t nr = 0;
	for (; (f = untold(&all, nr)); nr++) {
		size_t i = nr;
		if (i >= FINDINGS_OF_CASE)
			continue;
		put_head(d, c, f->verdict);
		d->line->id = i ? NULL : case_id(d, c);
		if (c->limit && f == all.v)
			doc_say(d, " (%s)", c->limit);
		doc_say(d, ": %s", f->text);
		doc_cell(d);
		if (f->cost)
			doc_add(d, DOC_FIGURE, f->verdict == VERDICT_FAIL ? TONE_WORSE : TONE_STRONG,
			        arena_dup(&d->arena, (struct span){ f->cost, strcspn(f->cost, ",") }));
		doc_said_cell(d, f->where);
	}
	if (all.nr && nr <= FINDINGS_OF_CASE)
		return;
	put_head(d, c, c->verdict);
	doc_words(d, ": ");
	if (nr) {
		doc_printf(d, "%zu more", nr - FINDINGS_OF_CASE);
		return;
	}
	d->line->id = case_id(d, c);
	doc_said(d, c->text);
}

static void put_findings(struct document *d, const struct suite *s)
{
	size_t shown = 0;
	doc_section(d, "findings", "What changed", DOC_OPEN);
	struct doc_table *t = doc_table(d, "What changed", doc_change_columns, 3);
	t->items = true;
	t->more_text = "cases: see the table";
	for (unsigned v = 0; v <= VERDICT_WARN; v++)
		for (size_t i = 0; i < s->cases.nr; i++)
			if (s->cases.v[i].verdict == v && shown++ < CASES_WITH_FINDINGS)
				put_open_case(d, s, &s->cases.v[i]);
	t->more = shown > CASES_WITH_FINDINGS ? shown - CASES_WITH_FINDINGS : 0;
	doc_end(d);
}

/* The action that the first finding of a case advises; NULL if there is none. Findings that belong
   to a shared cause do not count. */
static const char *action_of(const struct suite *s, const struct suite_case *c)
{
	const struct suite_items findings = suite_items_of(&s->findings, c->place);
	const struct suite_item *f = untold(&findings, 0);
	return f ? f->action : NULL;
}

/* True if two cases need equally many further runs, and neither has an action of its own. */
static bool is_alike(const struct suite *s, const struct suite_case *x, const struct suite_case *y)
{
	return x->verdict == y->verdict && x->plan_runs == y->plan_runs &&
	       x->plan_pairs == y->plan_pairs && !x->unconfirmed == !y->unconfirmed &&
	       !action_of(s, x) && !action_of(s, y);
}

/* Write what to do about a case and, if it is undecided, what would decide it. If several cases
   need the same, only the first one gets this text, with the names of the others. */
static void put_action(struct document *d, const struct suite *s, const struct suite_case *c)
{
	const char *action = action_of(s, c);
	int64_t more = c->plan_runs ? c->plan_runs : c->plan_pairs;
	size_t nr = 0;
	if (!action && !more)
		return;
	for (const struct suite_case *x = s->cases.v; x < c; x++)
		if (is_alike(s, x, c))
			return;
	doc_item(d, 0);
	doc_name(d, c->name);
	for (const struct suite_case *x = c + 1; x < s->cases.v + s->cases.nr; x++)
		if (is_alike(s, x, c) && ++nr < CASES_SHOWN)
			doc_say(d, ", %n", x->name);
	if (nr >= CASES_SHOWN)
		doc_printf(d, " and %zu more", nr + 1 - CASES_SHOWN);
	doc_say(d, ": %s%w", action, action && more ? "; " : "");
	if (c->plan_runs)
		doc_printf(d, "%" PRId64 " more run%s of the candidate would decide", more, text_s(more));
	else if (more)
		doc_printf(d, "%" PRId64 " more pair%s of runs would %s", more, text_s(more),
		           c->unconfirmed ? "confirm it" : "decide");
}

/* True if the run of a case has figures, and its baseline has none. */
static bool is_first(const struct suite_case *c)
{
	return c->verdict == VERDICT_MISSING && c->candidate && !c->baseline;
}

static void put_actions(struct document *d, const struct suite *s)
{
	size_t shown = 0;
	doc_section(d, "actions", "What to do", DOC_OPEN);
	if (s->file && ANY(i, s->cases.nr, is_first(&s->cases.v[i]))) {
		doc_item(d, 0);
		doc_say(d, "'gpugate approve %n --new' makes the missing baselines of these runs", s->file);
	}
	for (size_t i = 0; i < s->shared.nr; i++)
		if (s->shared.v[i].action) {
			doc_item(d, 0);
			doc_say(d, "%s: %s", s->shared.v[i].name ? s->shared.v[i].title : "the machine",
			        s->shared.v[i].action);
		}
	for (unsigned v = 0; v <= VERDICT_WARN; v++)
		for (size_t i = 0; i < s->cases.nr; i++)
			if (s->cases.v[i].verdict == v && shown++ < CASES_WITH_FINDINGS)
				put_action(d, s, &s->cases.v[i]);
	doc_end(d);
}

/* ---- table of all cases ---- */

/* Write text such as "12.48 ms → 13.14 ms compute per step"; without a baseline, only the figure of
   the candidate. */
static void put_figure(struct document *d, const struct suite_case *c)
{
	if (!c->metric || !c->candidate) {
		doc_words(d, "–");
		return;
	}
	const struct metric *m = metric_find(span_of(c->metric));
	if (c->baseline && strcmp(c->baseline, c->candidate) != 0)
		doc_say(d, "%f → ", c->baseline);
	doc_say(d, "%f %s", c->candidate, c->label ? c->label : m ? metric_label(m) : c->metric);
}

static void put_row(struct document *d, const struct suite *s, const struct suite_case *c)
{
	enum doc_tone tone = c->verdict != VERDICT_FAIL ? TONE_PLAIN
	                     : c->is_worse              ? TONE_WORSE
	                     : c->is_better             ? TONE_BETTER
	                                                : TONE_PLAIN;
	doc_row(d, 0);
	doc_cell(d);
	doc_put_verdict(d, c->verdict);
	doc_say(d, " %n", c->name);
	const struct suite_items findings = suite_items_of(&s->findings, c->place);
	/* the case links to the row of its findings; if all of them belong to shared causes, to these
	   causes */
	if (c->verdict != VERDICT_PASS)
		d->line->last->link = findings.nr && !untold(&findings, 0)
		                          ? "#shared"
		                          : arena_printf(&d->arena, "#%s", case_id(d, c));
	doc_cell(d);
	put_figure(d, c);
	doc_cell(d);
	doc_value(d, c->change_pct != INT64_MIN, c->change_pct);
	if (c->change_pct < LEAST_PCT && c->change_pct > -LEAST_PCT)
		doc_words(d, "unchanged");
	else
		doc_add(d, c->change ? DOC_FIGURE : DOC_WORDS, tone, c->change ? c->change : "–");
}

static void put_cases(struct document *d, const struct suite *s)
{
	static const struct doc_column columns[] = { { "case", DOC_LEFT },
		                                         { "figure", DOC_LEFT },
		                                         { "change", DOC_RIGHT } };
	size_t open = s->cases.nr - (size_t)s->counts[VERDICT_PASS];
	doc_section(d, "cases", "Cases", DOC_OPEN);
	struct doc_table *t = doc_table(d, "Cases", COLUMNS(columns));
	t->brief = open > CASES_SHOWN ? open : CASES_SHOWN;
	t->more_text = "cases";
	for (unsigned v = 0; v < NR_VERDICTS; v++)
		for (size_t i = 0; i < s->cases.nr; i++)
			if (s->cases.v[i].verdict == v)
				put_row(d, s, &s->cases.v[i]);
	doc_end(d);
}

/* ---- lists at the end ---- */

/* Write a table of checks or warnings, each with the name of its case. */
static void put_items(struct document *d, const struct suite *s, const char *id, const char *title,
                      const struct suite_items *list, bool named)
{
	static const struct doc_column columns[] = {
		{ "case", DOC_LEFT }, { "verdict", DOC_LEFT }, { "check", DOC_LEFT }, { "what", DOC_LEFT }
	};
	doc_section(d, id, title, DOC_COLLAPSED);
	doc_table(d, title, COLUMNS(columns));
	for (size_t i = 0, k = 0; i < list->nr; i++) {
		const struct suite_item *item = &list->v[i];
		while (k + 1 < s->cases.nr && s->cases.v[k].place < item->of)
			k++;
		doc_row(d, 0);
		doc_name_cell(d, s->cases.v[k].name);
		doc_cell(d);
		doc_put_verdict(d, item->verdict);
		doc_name_cell(d, named ? item->id : "–");
		doc_said_cell(d, item->text);
	}
	doc_end(d);
}

static bool may_be_accepted(const struct suite_case *c)
{
	return c->accept && c->verdict == VERDICT_FAIL;
}

/* For each case that may be accepted, write the command that accepts it. The section is collapsed
   if there are many such cases. */
static void put_accepts(struct document *d, const struct suite *s)
{
	size_t nr = 0;
	for (size_t i = 0; i < s->cases.nr; i++)
		nr += may_be_accepted(&s->cases.v[i]);
	doc_section(d, "accept", "Intended? Make it the baseline",
	            nr <= ACCEPTS_SHOWN ? DOC_OPEN : DOC_COLLAPSED);
	for (size_t i = 0; i < s->cases.nr; i++)
		if (may_be_accepted(&s->cases.v[i])) {
			doc_paragraph(d);
			doc_say(d, "%n:", s->cases.v[i].name);
			doc_paragraph(d);
			doc_add(d, DOC_COMMAND, TONE_PLAIN, s->cases.v[i].accept);
		}
	doc_end(d);
}

/* The number of runs in which one false alarm is expected, rounded to two digits. `share`: false
   alarms per run, in millionths. */
static int64_t one_in(int64_t share)
{
	int64_t nr = MICRO / share, unit = 1;
	while (nr / unit >= 100)
		unit *= 10;
	return nr ? (nr + unit / 2) / unit * unit : 1;
}

static void put_false_alarms(struct document *d, const struct suite *s)
{
	int64_t sum = 0;
	for (size_t i = 0; i < s->cases.nr; i++)
		sum += s->cases.v[i].false_alarms > 0 ? s->cases.v[i].false_alarms : 0;
	if (!sum || s->shards > 1)
		return;
	doc_section(d, "alarms", "", DOC_OPEN);
	doc_paragraph(d);
	doc_printf(d, "Noise by itself fails about 1 run of this suite in %" PRId64 ".", one_in(sum));
	doc_end(d);
}

void suite_document(const struct suite *s, struct document *d)
{
	doc_init(d);
	d->marker = arena_printf(&d->arena, "suite-%s", s->name);
	put_summary(d, s);
	if (s->error)
		return;
	put_shared(d, s);
	put_cases(d, s);
	put_findings(d, s);
	put_actions(d, s);
	put_accepts(d, s);
	doc_answer_end(d);
	put_items(d, s, "checks", "Checks beyond their limits", &s->checks, true);
	put_items(d, s, "warnings", "Warnings", &s->warnings, false);
	put_false_alarms(d, s);
}
