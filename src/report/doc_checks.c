/* The verdict of a check: its findings, what else there is to know, its checks. */
#include <inttypes.h>

#include "base/number.h"
#include "report/document.h"
#include "report/table.h"

enum { SPOILS_SHOWN = 4, ROWS_SHOWN = 10, PLACES_SHOWN = 12, CHECKS_NAMED = 6 };

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
	if (m->id == METRIC_STEP_COMPUTE_TIME)
		return "compute time per step";
	return m->title ? m->title : m->name;
}

/* The check that speaks for the others: of the whole step, else of a figure with a name of its own,
   else the first. */
static const struct check *worst_check(const struct report *r)
{
	const struct check *worst = NULL;
	int best = 0;
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		int rank = 1 + (c->metric->title || c->metric->id == METRIC_STEP_COMPUTE_TIME) +
		           2 * (c->metric->per_step && !c->item[0]);
		if (c->verdict != r->verdict || !c->has_change || rank <= best)
			continue;
		worst = c;
		best = rank;
	}
	return worst;
}

/* "5.27 % slower": the sign in words */
static void put_difference(struct document *d, const struct check *c)
{
	enum unit unit = c->metric->unit;
	const char *text = c->pct_text[0] ? c->pct_text : c->change_text;
	bool up = c->change > 0, time = unit == UNIT_NS || unit == UNIT_NS_PER_STEP;
	bool amount = unit == UNIT_BYTES || unit == UNIT_COUNT || unit == UNIT_BYTES_PER_STEP ||
	              unit == UNIT_COUNT_PER_STEP;
	doc_add(d, DOC_FIGURE, change_tone(c->worse, c->change), text + strspn(text, "+-"));
	if (time)
		doc_words(d, up ? " longer" : " shorter");
	else if (amount)
		doc_words(d, up ? " more" : " less");
	else
		doc_words(d, up ? " higher" : " lower");
}

/* "compute per step 5.27 % slower (limit 3%)" */
static void put_worst(struct document *d, const struct check *c)
{
	doc_words(d, label_of_metric(c->metric));
	if (c->item[0] && c->metric->label != LABEL_INPUT) { /* its name says which */
		doc_words(d, " of ");
		doc_name(d, c->item);
	}
	doc_words(d, " ");
	put_difference(d, c);
	if (c->limit[0]) {
		size_t skip =
		    strncmp(c->limit, "increase ", 9) && strncmp(c->limit, "decrease ", 9) ? 0 : 9;
		doc_words(d, " (limit ");
		doc_said(d, c->limit + skip);
		doc_words(d, ")");
	}
}

/* The headline without the verdict, which stands before it. */
const char *report_counts(const struct report *r)
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
		doc_said(d, r->workload);
		doc_words(d, ": not judged");
		doc_paragraph(d);
		doc_said(d, r->error);
		return;
	}
	if (r->kind != REPORT_CHECK) {
		doc_add(d, DOC_SAID, TONE_STRONG, text_or_empty(r->headline));
		return;
	}
	const struct check *worst = r->verdict == VERDICT_PASS ? NULL : worst_check(r);
	put_verdict(d, r->verdict);
	doc_words(d, " · ");
	doc_said(d, r->workload);
	doc_words(d, ": ");
	if (worst && (!worst->item[0] || !r->findings.nr))
		put_worst(d, worst);
	else if (r->findings.nr)
		doc_sentence(d, r->findings.v[0].title);
	else
		doc_words(d, report_counts(r));
}

/* ---- key figures ---- */

static const struct fact *fact_find(const struct run_report *run, const char *id)
{
	for (size_t i = 0; run && i < run->facts.nr; i++)
		if (strcmp(run->facts.v[i].id, id) == 0 && run->facts.v[i].has_value)
			return &run->facts.v[i];
	return NULL;
}

static const struct check *check_of(const struct report *r, enum metric_id id)
{
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		bool same = id == METRIC_INPUT ? c->metric->need == NEED_INPUT
		                               : c->metric->id == id && !c->item[0] && !c->select->key;
		if (same && c->has_candidate)
			return c;
	}
	return NULL;
}

struct key_figure {
	const struct metric *metric;
	enum worse worse;
	const char *before, *after; ///< `before` is NULL where there is no baseline
	int64_t baseline, candidate, noise; ///< noise < 0: not known
	ptrdiff_t check; ///< its number; < 0 none
};

static bool key_figure_find(const struct report *r, enum metric_id id, struct key_figure *k)
{
	const struct check *c = check_of(r, id);
	const struct fact *b = fact_find(r->baseline_run, metric_table[id].name);
	const struct fact *f = fact_find(r->run, metric_table[id].name);
	*k = (struct key_figure){ .metric = &metric_table[id], .noise = -1, .check = -1 };
	k->worse = k->metric->worse;
	if (c) {
		*k = (struct key_figure){
			c->metric,    c->worse, c->baseline_text, c->candidate_text, c->baseline,
			c->candidate, -1,       c - r->checks.v
		};
		k->before = c->has_baseline ? k->before : NULL;
		k->noise = c->evidence.has_noise ? c->evidence.noise : -1;
	} else if (f) {
		k->after = f->text;
		k->candidate = f->value;
		k->before = b ? b->text : NULL;
		k->baseline = b ? b->value : 0;
	}
	return k->after != NULL;
}

/* "12.48 → " of "12.48 ms" where the other figure has the same unit */
static void put_before(struct document *d, const char *before, const char *after)
{
	const char *unit = strrchr(before, ' '), *other = strrchr(after, ' ');
	bool same = unit && other && strcmp(unit, other) == 0;
	size_t n = same ? (size_t)(unit - before) : strlen(before);
	doc_figure(d, arena_dup(&d->arena, (struct span){ before, n }));
	doc_words(d, " → ");
}

static const char *share_text(struct document *d, int64_t part, int64_t whole, bool sign)
{
	struct strbuf b = STRBUF_INIT;
	unit_format(&b, UNIT_PCT, number_pct(part, whole), sign);
	return arena_take(&d->arena, &b);
}

/* "12.48 → 13.14 ms compute per step (+5.27 %, noise ±1.4 %)" */
static void put_key_figure(struct document *d, const struct key_figure *k)
{
	int64_t change = number_sub(k->candidate, k->baseline);
	bool same = !change || !k->before;
	bool share = k->baseline > 0 && k->metric->unit != UNIT_PCT;
	doc_tile(d, k->check < 0 ? "" : arena_printf(&d->arena, "trend:%td", k->check));
	if (!same && strcmp(k->before, k->after) != 0)
		put_before(d, k->before, k->after);
	doc_add(d, DOC_FIGURE, TONE_STRONG, k->after);
	doc_printf(d, " %s", label_of_metric(k->metric));
	if (!k->before)
		return;
	doc_words(d, same ? " (unchanged" : " (");
	if (!same)
		doc_add(d, DOC_FIGURE, change_tone(k->worse, change),
		        share ? share_text(d, change, k->baseline, true)
		              : unit_change(&d->arena, k->metric->unit, change));
	if (k->noise >= 0) {
		doc_words(d, ", noise ±");
		doc_figure(d, share ? share_text(d, k->noise, k->baseline, false)
		                    : unit_text(&d->arena, k->metric->unit, k->noise));
	}
	doc_words(d, ")");
}

void doc_key_figures(struct document *d, const struct report *r)
{
	static const enum metric_id ids[] = { METRIC_STEP_COMPUTE_TIME, METRIC_STEP_PERIOD,
		                                  METRIC_MEMORY_PEAK_ALLOCATED, METRIC_INPUT };
	bool first = true;
	struct key_figure k;
	for (size_t i = 0; i < sizeof ids / sizeof *ids && r->kind != REPORT_RUN; i++) {
		if (!key_figure_find(r, ids[i], &k))
			continue;
		if (first)
			doc_paragraph(d);
		put_key_figure(d, &k);
		first = false;
	}
}

/* ---- findings ---- */

static void put_finding(struct document *d, const struct report *r, size_t nth)
{
	const struct finding *f = &r->findings.v[nth];
	size_t comma = f->cost_text ? strcspn(f->cost_text, ",") : 0;
	doc_row(d, 0);
	doc_cell(d);
	put_verdict(d, (enum verdict)f->verdict);
	doc_words(d, " ");
	doc_sentence(d, f->title);
	d->line->picture = arena_printf(&d->arena, "finding:%zu", nth);
	doc_cell(d);
	doc_value(d, true, f->cost);
	if (comma)
		doc_add(d, DOC_FIGURE, doc_tone_of(true, false, f->cost),
		        arena_dup(&d->arena, (struct span){ f->cost_text, comma }));
	doc_cell(d);
	size_t nr = f->where.nr;
	bool kernel = f->cause >= CAUSE_KERNEL && f->cause <= CAUSE_GONE_KERNEL;
	nr -= nr && kernel && f->where.v[nr - 1].level == PLACE_KERNEL; /* the title names it */
	for (size_t i = 0; i < nr && i < PLACES_SHOWN; i++) {
		doc_words(d, i ? " › " : "");
		doc_name(d, f->where.v[i].name);
		doc_words(d, f->where.v[i].at.changed ? " (changed here)" : "");
	}
}

/* A check that no finding explains. */
static void put_limits(struct document *d, const struct check *c)
{
	doc_row(d, 0);
	doc_cell(d);
	put_verdict(d, c->verdict);
	doc_words(d, " ");
	doc_name(d, c->id);
	if (!c->has_change)
		return;
	doc_words(d, ": ");
	doc_figure(d, c->baseline_text);
	doc_words(d, " → ");
	doc_figure(d, c->candidate_text);
	doc_cell(d);
	put_change(d, c);
	if (c->limit[0])
		doc_words(d, ", limit ");
	doc_said(d, c->limit);
}

void doc_findings(struct document *d, const struct report *r, const struct trust_lines *trust)
{
	static const struct doc_column columns[] = { { "what changed", DOC_LEFT },
		                                         { "change", DOC_RIGHT },
		                                         { "where", DOC_LEFT } };
	doc_section(d, "findings", "Findings", DOC_OPEN);
	d->sections[d->depth]->fixed = true;
	struct doc_table *t = doc_table(d, "Findings", COLUMNS(columns));
	t->items = true;
	t->brief = ROWS_SHOWN;
	t->more_text = "with --verbose and in the page";
	for (size_t i = 0; i < r->findings.nr; i++)
		put_finding(d, r, i);
	for (size_t i = 0; i < r->checks.nr; i++)
		if (check_matters(&r->checks.v[i]) && !report_finding(r, i) &&
		    !trust_lines_sum_up(trust, &r->checks.v[i]))
			put_limits(d, &r->checks.v[i]);
	doc_end(d);
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

/* What a finding rests on. */
void doc_reasons(struct document *d, const struct report *r)
{
	doc_section(d, "reasons", "Why these findings", DOC_FOLDED);
	for (size_t i = 0; i < r->findings.nr; i++) {
		const struct finding *f = &r->findings.v[i];
		doc_item(d, 0);
		doc_sentence(d, f->title);
		if (f->cost_text && f->cost_text[0]) {
			doc_words(d, " (");
			doc_said(d, f->cost_text);
			doc_words(d, ")");
		}
		for (size_t k = 0; k < f->evidence.nr; k++) {
			doc_item(d, 1);
			doc_sentence(d, f->evidence.v[k]);
		}
		if (f->trace) {
			doc_item(d, 1);
			doc_words(d, "trace of both sides: ");
			doc_name(d, f->trace);
		}
		put_names_of_checks(d, r, f);
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

/* Why a check could not be decided, which its figures do not say, what would decide it; and what
   is waived. */
static void put_reasons(struct document *d, const struct report *r)
{
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		bool planned = c->verdict == VERDICT_UNDECIDED && text_or_empty(c->evidence.plan_text)[0];
		bool open = check_needs_reason(c) && !report_finding(r, i);
		if (c->verdict != VERDICT_WAIVED && !open && !planned)
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
	doc_section(d, "remarks", "What to know", DOC_OPEN);
	for (size_t i = 0; i < r->warnings.nr; i++) {
		doc_item(d, 0);
		doc_words(d, "warning: ");
		doc_said(d, r->warnings.v[i]);
	}
	put_trust(d, trust);
	put_reasons(d, r);
	doc_end(d);
}

void doc_insights(struct document *d, const struct report *r)
{
	doc_section(d, "insights", "Worth naming", r->kind == REPORT_CHECK ? DOC_FOLDED : DOC_OPEN);
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
