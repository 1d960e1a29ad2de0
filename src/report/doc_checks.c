/* The verdict of a check: its findings, what else there is to know, its checks. */
#include <inttypes.h>

#include "base/number.h"
#include "report/document.h"
#include "report/table.h"

enum {
	EVIDENCE_SHOWN = 3,
	SPOILS_SHOWN = 4,
	CHECKS_SHOWN = 10,
	PLACES_SHOWN = 12,
	CHECKS_NAMED = 6,
	FINDINGS_WHOLE = 3
};

static enum doc_tone tone_of(enum verdict v)
{
	static const enum doc_tone tones[NR_VERDICTS] = {
		[VERDICT_INCONCLUSIVE] = TONE_OPEN, [VERDICT_MISSING] = TONE_OPEN,
		[VERDICT_UNDECIDED] = TONE_OPEN,    [VERDICT_WAIVED] = TONE_WARN,
		[VERDICT_FAIL] = TONE_BAD,          [VERDICT_WARN] = TONE_WARN,
		[VERDICT_IMPROVED] = TONE_GOOD,     [VERDICT_PASS] = TONE_GOOD,
	};
	return tones[v];
}

static void put_verdict(struct document *d, enum verdict v)
{
	doc_add(d, DOC_VERDICT, tone_of(v), verdict_name(v));
}

static enum doc_tone change_tone(enum worse worse, int64_t change)
{
	return doc_tone_of(worse == WORSE_UP, worse == WORSE_DOWN, change);
}

/* "+12.30 ms (+12.29 %)", and in words whether it is worse */
static void put_change(struct document *d, const struct check *c)
{
	enum doc_tone tone = c->has_change ? change_tone(c->worse, c->change) : TONE_PLAIN;
	doc_add(d, c->has_change ? DOC_FIGURE : DOC_WORDS, TONE_PLAIN,
	        change_of(&d->arena, c->change_text, c->pct_text));
	if (tone != TONE_WORSE && tone != TONE_BETTER)
		return;
	doc_words(d, ", ");
	doc_add(d, DOC_WORDS, tone, tone == TONE_WORSE ? "worse" : "better");
}

/* ---- the first line ---- */

const char *label_of_metric(const struct metric *m)
{
	return m->id == METRIC_STEP_COMPUTE_TIME ? "compute per step" : m->title ? m->title : m->name;
}

/* The check that speaks for the others: of the whole step, else the first. */
static const struct check *worst_check(const struct report *r)
{
	const struct check *first = NULL;
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		if (c->verdict != r->verdict || !c->has_change)
			continue;
		if (c->metric->per_step && !c->item[0])
			return c;
		first = first ? first : c;
	}
	return first;
}

/* "kernel.time of gemm +29.17 % (limit: increase 10%)" */
static void put_worst(struct document *d, const struct check *c)
{
	doc_words(d, label_of_metric(c->metric));
	if (c->item[0]) {
		doc_words(d, " of ");
		doc_name(d, c->item);
	}
	doc_words(d, " ");
	doc_add(d, DOC_FIGURE, change_tone(c->worse, c->change),
	        c->pct_text[0] ? c->pct_text : c->change_text);
	if (c->limit[0]) {
		doc_words(d, " (limit: ");
		doc_said(d, c->limit);
		doc_words(d, ")");
	}
}

/* The headline without the verdict, which stands before it. */
static const char *counts_of(const struct report *r)
{
	const char *line = text_or_empty(r->headline), *rest = strstr(line, ": ");
	return rest && r->kind != REPORT_DIFF ? rest + 2 : line;
}

void doc_verdict(struct document *d, const struct report *r)
{
	doc_paragraph(d);
	if (r->error) {
		doc_add(d, DOC_VERDICT, TONE_BAD, "error");
		doc_words(d, " · ");
		doc_said(d, r->error);
		return;
	}
	if (r->kind != REPORT_CHECK) {
		doc_add(d, DOC_SAID, TONE_STRONG, text_or_empty(r->headline));
		return;
	}
	const struct check *worst = worst_check(r);
	bool told = r->findings.nr || (worst && r->verdict != VERDICT_PASS);
	put_verdict(d, r->verdict);
	doc_words(d, " · ");
	doc_said(d, r->workload);
	doc_words(d, ": ");
	if (r->findings.nr)
		doc_sentence(d, r->findings.v[0].title);
	else if (told)
		put_worst(d, worst);
	else
		doc_words(d, counts_of(r));
	if (told) {
		doc_paragraph(d);
		doc_words(d, counts_of(r));
	}
}

/* ---- key figures ---- */

static const struct fact *fact_find(const struct run_report *run, const char *id)
{
	for (size_t i = 0; run && i < run->facts.nr; i++)
		if (strcmp(run->facts.v[i].id, id) == 0)
			return &run->facts.v[i];
	return NULL;
}

static const struct check *check_of(const struct report *r, enum metric_id id)
{
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		bool same = id == METRIC_INPUT ? c->metric->need == NEED_INPUT
		                               : c->metric->id == id && !c->item[0] && !c->select->key;
		if (same && c->has_baseline && c->has_candidate)
			return c;
	}
	return NULL;
}

/* "12.48 ms → 13.14 ms wall time per step (+5.29 %, ±0.1 ms)" */
static void put_key_figure(struct document *d, const char *label, const char *before,
                           const char *after, enum doc_tone tone, const char *change,
                           const char *noise, const char *picture)
{
	doc_tile(d, picture);
	doc_figure(d, before);
	doc_words(d, " → ");
	doc_add(d, DOC_FIGURE, TONE_STRONG, after);
	doc_printf(d, " %s (", label);
	doc_add(d, DOC_FIGURE, tone, change);
	if (noise && noise[0]) {
		doc_words(d, ", ");
		doc_figure(d, noise);
	}
	doc_words(d, ")");
}

void doc_key_figures(struct document *d, const struct report *r)
{
	static const enum metric_id ids[] = { METRIC_STEP_PERIOD, METRIC_STEP_COMPUTE_TIME,
		                                  METRIC_MEMORY_PEAK_ALLOCATED, METRIC_INPUT };
	bool first = true;
	if (r->kind == REPORT_RUN)
		return;
	for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
		const struct metric *m = &metric_table[ids[i]];
		const struct check *c = check_of(r, ids[i]);
		const struct fact *b = fact_find(r->baseline_run, m->name);
		const struct fact *f = fact_find(r->run, m->name);
		if (!c && (!b || !f || !b->has_value || !f->has_value))
			continue;
		if (first)
			doc_paragraph(d);
		if (c) {
			put_key_figure(d, label_of_metric(c->metric), c->baseline_text, c->candidate_text,
			               change_tone(c->worse, c->change),
			               c->pct_text[0] ? c->pct_text : c->change_text, c->evidence.noise_text,
			               arena_printf(&d->arena, "trend:%td", c - r->checks.v));
		} else {
			int64_t change = number_sub(f->value, b->value);
			struct strbuf text = STRBUF_INIT;
			if (b->value > 0)
				unit_format(&text, UNIT_PCT, number_pct(change, b->value), true);
			else
				unit_format(&text, m->unit, change, true);
			put_key_figure(d, label_of_metric(m), b->text, f->text, change_tone(m->worse, change),
			               arena_take(&d->arena, &text), "", "");
		}
		first = false;
	}
}

/* ---- findings ---- */

static void put_places(struct document *d, const struct finding *f)
{
	if (!f->where.nr)
		return;
	doc_item(d, 1);
	doc_words(d, "where: ");
	for (size_t i = 0; i < f->where.nr && i < PLACES_SHOWN; i++) {
		doc_words(d, i ? " › " : "");
		doc_name(d, f->where.v[i].name);
		doc_words(d, f->where.v[i].at.changed ? " (changed here)" : "");
	}
}

static void put_names_of_checks(struct document *d, const struct report *r, const struct finding *f)
{
	doc_item(d, 1);
	doc_words(d, "checks: ");
	for (size_t i = 0; i < f->checks.nr && i < CHECKS_NAMED; i++) {
		const struct check *c = &r->checks.v[f->checks.v[i]];
		doc_words(d, i ? ", " : "");
		doc_said(d, c->rule);
		if (c->item[0]) {
			doc_words(d, " ");
			doc_name(d, c->item);
		}
	}
	if (f->checks.nr > CHECKS_NAMED)
		doc_printf(d, " and %zu more", f->checks.nr - CHECKS_NAMED);
}

/* The first few with all that is known of them, the others in a line each. */
static void put_finding(struct document *d, const struct report *r, size_t i)
{
	const struct finding *f = &r->findings.v[i];
	doc_item(d, 0);
	put_verdict(d, (enum verdict)f->verdict);
	doc_words(d, " ");
	doc_sentence(d, f->title);
	if (f->cost_text && f->cost_text[0]) {
		doc_words(d, " (");
		doc_said(d, f->cost_text);
		doc_words(d, ")");
	}
	if (i >= FINDINGS_WHOLE)
		return;
	d->line->picture = arena_printf(&d->arena, "finding:%zu", i);
	put_places(d, f);
	for (size_t k = 0; k < f->evidence.nr && k < EVIDENCE_SHOWN; k++) {
		doc_item(d, 1);
		doc_sentence(d, f->evidence.v[k]);
	}
	if (f->action && f->action[0]) {
		doc_item(d, 1);
		doc_words(d, "do: ");
		doc_sentence(d, f->action);
	}
	if (f->trace) {
		doc_item(d, 1);
		doc_words(d, "trace of both sides: ");
		doc_name(d, f->trace);
	}
	put_names_of_checks(d, r, f);
}

static void put_limits(struct document *d, const struct check *c)
{
	doc_row(d, 0);
	doc_cell(d);
	put_verdict(d, c->verdict);
	doc_words(d, " ");
	doc_said(d, c->rule);
	if (c->item[0]) {
		doc_words(d, " ");
		doc_name(d, c->item);
	}
	doc_cell(d);
	doc_figure(d, c->baseline_text);
	doc_words(d, " → ");
	doc_figure(d, c->candidate_text);
	doc_words(d, " (");
	doc_add(d, c->has_change ? DOC_FIGURE : DOC_WORDS,
	        c->has_change ? change_tone(c->worse, c->change) : TONE_PLAIN,
	        c->pct_text[0] ? c->pct_text : c->change_text);
	doc_words(d, ")");
	doc_said_cell(d, c->limit);
}

void doc_findings(struct document *d, const struct report *r, const struct trust_lines *trust)
{
	static const struct doc_column columns[] = { { "check", DOC_LEFT },
		                                         { "change", DOC_LEFT },
		                                         { "limit", DOC_LEFT } };
	doc_section(d, "findings", "Findings", DOC_OPEN);
	d->sections[d->depth]->fixed = true;
	for (size_t i = 0; i < r->findings.nr; i++)
		put_finding(d, r, i);
	if (!r->findings.nr) {
		struct doc_table *t = doc_table(d, "Findings", COLUMNS(columns));
		t->brief = CHECKS_SHOWN;
		t->more_text = "checks";
		for (size_t i = 0; i < r->checks.nr; i++)
			if (check_matters(&r->checks.v[i]) && !trust_lines_sum_up(trust, &r->checks.v[i]))
				put_limits(d, &r->checks.v[i]);
	}
	doc_end(d);
}

/* ---- what else there is to know ---- */

static void put_trust(struct document *d, struct trust_lines *trust)
{
	for (size_t i = 0; i < trust->list.nr; i++) {
		const struct trust_line *line = &trust->list.v[i];
		const struct trust_finding *f = line->first;
		doc_item(d, 0);
		doc_printf(d, "trust:%s%s %s: ", line->whose, *line->whose ? ":" : "", f->id);
		doc_said(d, f->message);
		doc_words(d, line->others ? TRUST_OTHERS : "");
		if (f->spoils.nr > SPOILS_SHOWN)
			doc_printf(d, "; spoils %zu figures", f->spoils.nr);
		for (size_t k = 0; k < f->spoils.nr && f->spoils.nr <= SPOILS_SHOWN; k++)
			doc_printf(d, "%s%s", k ? ", " : "; spoils ", f->spoils.v[k]);
		const char *sum = trust_line_sum(trust, line);
		if (*sum) {
			doc_item(d, 1);
			doc_printf(d, "inconclusive: %s", sum);
		}
	}
}

static void put_insights(struct document *d, const struct report *r)
{
	for (size_t i = 0; i < r->insights.nr; i++) {
		const struct insight *n = &r->insights.v[i];
		bool sides = r->kind != REPORT_RUN;
		if (!sides && !n->candidate)
			continue;
		doc_item(d, 0);
		doc_printf(d, "insight:%s", !sides ? "" : n->candidate ? " candidate" : " baseline");
		if (n->rank >= 0)
			doc_printf(d, " rank %" PRId64, n->rank);
		doc_printf(d, "%s %s: ", sides || n->rank >= 0 ? ":" : "", n->id);
		doc_sentence(d, n->message);
	}
}

/* Why a check could not be decided, which its figures do not say, what would decide it; and what
   is waived. */
static void put_reasons(struct document *d, const struct report *r)
{
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		bool planned = c->verdict == VERDICT_UNDECIDED && text_or_empty(c->evidence.plan_text)[0];
		if (c->verdict != VERDICT_WAIVED && !check_needs_reason(c) && !planned)
			continue;
		doc_item(d, 0);
		doc_printf(d, "%s: ", verdict_name(c->verdict));
		doc_name(d, c->id);
		doc_words(d, ": ");
		doc_sentence(d, planned ? c->evidence.plan_text : c->message);
	}
}

void doc_remarks(struct document *d, const struct report *r, struct trust_lines *trust)
{
	doc_section(d, "remarks", r->kind == REPORT_RUN ? "Worth naming" : "What to know", DOC_OPEN);
	for (size_t i = 0; i < r->warnings.nr; i++) {
		doc_item(d, 0);
		doc_words(d, "warning: ");
		doc_said(d, r->warnings.v[i]);
	}
	put_trust(d, trust);
	put_insights(d, r);
	put_reasons(d, r);
	doc_end(d);
}

/* ---- all checks ---- */

void doc_checks(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "verdict", DOC_LEFT },    { "check", DOC_LEFT },       { "baseline", DOC_RIGHT },
		{ "candidate", DOC_RIGHT }, { "change", DOC_RIGHT },     { "limit", DOC_LEFT },
		{ "noise", DOC_RIGHT },     { "detectable", DOC_RIGHT },
	};
	doc_section(d, "checks", "All checks", DOC_FOLDED);
	doc_table(d, "All checks", COLUMNS(columns));
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		const struct evidence *e = &c->evidence;
		doc_row(d, 0);
		doc_cell(d);
		doc_value(d, true, c->verdict);
		doc_add(d, DOC_VERDICT, tone_of(c->verdict), verdict_name(c->verdict));
		doc_name_cell(d, c->id);
		doc_figure_cell(d, c->baseline_text, c->has_baseline, c->baseline);
		doc_figure_cell(d, c->candidate_text, c->has_candidate, c->candidate);
		doc_cell(d);
		doc_value(d, c->has_pct || c->has_change, c->has_pct ? c->change_pct : c->change);
		put_change(d, c);
		doc_said_cell(d, c->limit);
		doc_figure_cell(d, e->noise_text, e->has_noise, e->noise);
		doc_figure_cell(d, e->detectable_text, e->has_detectable, e->detectable);
	}
	doc_end(d);
}

void doc_evidence(struct document *d, const struct report *r)
{
	doc_section(d, "evidence", "Evidence", DOC_FOLDED);
	if (r->false_alarms_text) {
		doc_item(d, 0);
		doc_words(d, "false alarms: ");
		doc_said(d, r->false_alarms_text);
	}
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		const char *runs = runs_of(&d->arena, c), *text = text_or_empty(c->evidence.text);
		if (!runs[0] && !text[0])
			continue;
		doc_item(d, 0);
		doc_name(d, c->id);
		doc_words(d, ": ");
		doc_said(d, text);
		doc_words(d, text[0] && runs[0] ? "; " : "");
		doc_said(d, runs);
	}
	doc_end(d);
}
