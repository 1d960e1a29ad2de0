/* Sections of a check: findings, remarks, and the table of checks. */
#include <inttypes.h>

#include "base/number.h"
#include "report/document.h"
#include "report/key_figures.h"
#include "report/table.h"

enum {
	SPOILS_SHOWN = 4,
	ROWS_SHOWN = 10,
	ROWS_UNDECIDED = 3,
	PLACES_SHOWN = 12,
	CODE_PLACES_SHOWN = 3,
	CHECKS_NAMED = 6,
	CHECKS_SHOWN = 30
};

/* Add the rule of a check and its item; a kernel has its display name here, and its complete name
 * in JUnit and JSON. */
static void put_check_name(struct document *d, const struct check *c)
{
	doc_said(d, c->rule);
	if (c->item[0])
		doc_say(d, " %n", c->item);
}

/* Write text such as "+12.30 ms (+12.29 %)", and a word that says whether the change is worse. */
static void put_change(struct document *d, const struct check *c)
{
	enum doc_tone tone = tone_of_check(c);
	doc_add(d, c->has_change ? DOC_FIGURE : DOC_WORDS, TONE_PLAIN,
	        change_of(&d->arena, c->change_text, c->pct_text));
	if (tone != TONE_WORSE && tone != TONE_BETTER)
		return;
	doc_words(d, ", ");
	doc_add(d, DOC_WORDS, tone, tone == TONE_WORSE ? "worse" : "better");
}

/* ---- findings and their evidence ---- */

/* Add the places of a finding, the outermost first. If there are many places of one kind, such as
 * lines or operators, only the first ones are added; the rest is counted. */
static void put_where(struct document *d, const struct finding *f)
{
	enum place_kind last = NR_PLACE_KINDS;
	size_t nr[NR_PLACE_KINDS + 1] = { 0 }, hidden = 0;
	/* true: the title of the finding already names its kernels */
	bool kernels = f->cause >= CAUSE_KERNEL && f->cause <= CAUSE_GONE_KERNEL;
	for (size_t i = 0; i <= f->where.nr; i++) {
		const struct place *p = i < f->where.nr ? &f->where.v[i] : NULL;
		if (p && kernels && (p->kind == PLACE_KERNEL || p->kind == PLACE_CATEGORY))
			continue;
		if (hidden && (!p || p->kind != last)) {
			doc_printf(d, " and %zu more%s", hidden,
			           last == PLACE_OPERATOR ? hidden == 1 ? " operator" : " operators" : "");
			hidden = 0;
		}
		if (!p)
			break;
		/* where lines of code are known, one operator is enough */
		bool code = p->kind == PLACE_CODE || p->kind == PLACE_OPERATOR;
		size_t most = p->kind == PLACE_OPERATOR && nr[PLACE_CODE] ? 1
		              : code                                      ? CODE_PLACES_SHOWN
		                                                          : PLACES_SHOWN;
		if (nr[p->kind]++ >= most) {
			hidden++;
			continue;
		}
		doc_say(d, "%w%n%w",
		        last == NR_PLACE_KINDS ? ""
		        : p->kind == last      ? ", "
		                               : " › ",
		        p->name, p->at.changed ? " (changed here)" : "");
		if (p->machine)
			doc_say(d, " (%s)", p->machine);
		last = p->kind;
	}
	if (nr[PLACE_OPERATOR] > 1 && !nr[PLACE_CODE])
		doc_words(d, "; no line recorded");
}

/* Say where a finding is if put_where() has added nothing, because the title of the finding names
   all its places, or because it has no places. */
static void put_no_place(struct document *d, const struct finding *f)
{
	size_t kernels = 0;
	for (size_t i = 0; i < f->where.nr; i++)
		kernels += f->where.v[i].kind == PLACE_KERNEL;
	if (d->line->first)
		return;
	if (f->cause == CAUSE_UNIFORM || (f->cause == CAUSE_BATCH && !f->where.nr)) {
		doc_words(d, "all kernels");
	} else if (kernels > 1) {
		doc_words(d, "several places");
	} else if (kernels || (!f->where.nr && f->cause >= CAUSE_KERNEL && f->cause < CAUSE_OTHER)) {
		doc_words(d, f->cause >= CAUSE_KERNEL && f->cause <= CAUSE_GONE_KERNEL
		                 ? "in this kernel; its line was not recorded"
		                 : "no line of code recorded");
	} else if (f->where.nr) {
		doc_name(d, f->where.v[0].name);
	}
}

const char *doc_where_text(struct document *d, const struct finding *f)
{
	struct strbuf b = STRBUF_INIT;
	doc_paragraph(d);
	put_where(d, f);
	put_no_place(d, f);
	for (const struct doc_run *r = d->line->first; r; r = r->next)
		strbuf_adds(&b, r->text);
	return arena_take(&d->arena, &b);
}

/* Add the noise of a finding's cost, if it is known: the noise of the check whose change is the
   cost. */
static void put_cost_noise(struct document *d, const struct report *r, const struct finding *f)
{
	const struct check *own = NULL;
	for (size_t i = 0; i < f->checks.nr && !own; i++) {
		const struct check *c = &r->checks.v[f->checks.v[i]];
		bool same = c->has_change && !c->absolute && c->change == f->cost;
		own = same && c->evidence.past_runs >= KNOWN_RUNS && noise_is_known(c) ? c : NULL;
	}
	if (own && f->cost_amount[0])
		doc_printf(d, ", noise %s", own->evidence.noise_text);
}

static void put_finding(struct document *d, const struct report *r, size_t nth)
{
	const struct finding *f = &r->findings.v[nth];
	doc_row(d, 0);
	doc_cell(d);
	doc_put_verdict(d, (enum verdict)f->verdict);
	doc_words(d, " ");
	const struct check *c = f->checks.nr > 1 ? &r->checks.v[f->checks.v[0]] : NULL;
	/* for figures of benchmarks, the title is cut before their names, which another table shows */
	bool names = f->head && c && c->metric->need == NEED_INPUT && c->has_change;
	doc_sentence(d, names ? arena_dup(&d->arena, (struct span){ f->title, f->head }) : f->title);
	d->line->picture = (struct picture){ "finding", nth };
	doc_cell(d);
	doc_value(d, true, f->cost);
	const char *against = strstr(f->cost_amount, " against "); /* the title already has the part
	                                                              from " against " on */
	size_t n = against ? (size_t)(against - f->cost_amount) : strlen(f->cost_amount);
	if (n)
		doc_add(d, DOC_FIGURE,
		        f->verdict == VERDICT_FAIL ? doc_tone_of(true, false, f->cost) : TONE_STRONG,
		        arena_dup(&d->arena, (struct span){ f->cost_amount, n }));
	put_cost_noise(d, r, f);
	doc_cell(d);
	put_where(d, f);
	put_no_place(d, f);
}

/* Add a row for a check that needs attention, but that no finding explains. */
static void put_limits(struct document *d, const struct check *c)
{
	doc_row(d, 0);
	doc_cell(d);
	doc_put_verdict(d, c->verdict);
	doc_say(d, " %n", c->id);
	if (!c->has_change)
		return;
	doc_say(d, ": %f → %f", c->baseline_text, c->candidate_text);
	doc_cell(d);
	put_change(d, c);
	if (c->limit[0])
		doc_words(d, ", limit ");
	doc_said(d, limit_text(&d->arena, c->limit));
}

/* The first finding that costs time; NULL if there is none, or if a finding before it was not
   judged. */
static const struct finding *slower(const struct report *r)
{
	for (size_t i = 0; i < r->findings.nr && r->findings.v[i].verdict != VERDICT_INCONCLUSIVE; i++)
		if (r->findings.v[i].cost > 0 && !r->findings.v[i].cost_is_bytes)
			return &r->findings.v[i];
	return NULL;
}

/* Name the kernels that became faster, if they save at least a quarter of the time that the first
 * finding costs. A change of the code may have both effects. */
static void put_faster(struct document *d, const struct report *r)
{
	const struct finding *f = slower(r);
	const struct drift_row *most = NULL;
	int64_t by = 0;
	size_t nr = 0;
	for (size_t i = 0; i < r->drift.nr; i++) {
		const struct drift_row *k = &r->drift.v[i];
		if (k->drift != DRIFT_FASTER && k->drift != DRIFT_FEWER_LAUNCHES)
			continue;
		most = most ? most : k;
		by = number_add(by, k->change_ns);
		nr++;
	}
	if (!f || !most || by > -f->cost / 4)
		return;
	doc_paragraph(d);
	doc_say(d, "faster in the same run: %n", most->kernel);
	if (nr > 1)
		doc_printf(d, " and %zu more kernel%s", nr - 1, nr == 2 ? "" : "s");
	doc_say(d, ", %f%w", unit_change(&d->arena, UNIT_NS, by),
	        r->candidate.window ? " per window" : " per step");
}

const struct doc_column doc_change_columns[3] = { { "what changed", DOC_LEFT },
	                                              { "change", DOC_RIGHT },
	                                              { "where", DOC_LEFT } };

void doc_findings(struct document *d, const struct report *r, const struct trust_lines *trust)
{
	bool open = r->verdict == VERDICT_UNDECIDED;
	bool missing = r->verdict == VERDICT_MISSING;
	const char *title = open ? "What may have changed"
	                    : report_is_alone(r)
	                        ? missing ? "What is missing" : "What is beyond its limit"
	                        : "What changed";
	doc_section(d, "findings", title, DOC_OPEN);
	d->sections[d->depth]->fixed = true;
	struct doc_table *t = doc_table(d, title, COLUMNS(doc_change_columns));
	t->items = true;
	t->brief = open ? ROWS_UNDECIDED : ROWS_SHOWN;
	t->more_text = "findings";
	for (size_t i = 0; i < r->findings.nr; i++)
		if (!doc_heading_tells(r, &r->findings.v[i]))
			put_finding(d, r, i);
	for (size_t i = 0; i < r->checks.nr; i++)
		if (check_matters(&r->checks.v[i]) && !report_finding(r, i) &&
		    !trust_lines_sum_up(trust, &r->checks.v[i]))
			put_limits(d, &r->checks.v[i]);
	put_faster(d, r);
	doc_end(d);
}

static void put_names_of_checks(struct document *d, const struct report *r, const struct finding *f)
{
	doc_item(d, 1);
	doc_words(d, "checks: ");
	for (size_t i = 0; i < f->checks.nr && i < CHECKS_NAMED; i++) {
		const struct check *c = &r->checks.v[f->checks.v[i]];
		doc_words(d, i ? ", " : "");
		put_check_name(d, c);
	}
	if (f->checks.nr > CHECKS_NAMED)
		doc_printf(d, " and %zu more", f->checks.nr - CHECKS_NAMED);
}

void doc_reasons(struct document *d, const struct report *r)
{
	doc_section(d, "reasons", "Why these findings", DOC_PAGE_COLLAPSED);
	for (size_t i = 0; i < r->findings.nr; i++) {
		const struct finding *f = &r->findings.v[i];
		doc_item(d, 0);
		doc_sentence(d, f->title);
		if (f->cost_text[0])
			doc_say(d, " (%s)", f->cost_text);
		for (size_t k = 0; k < f->evidence.nr; k++) {
			doc_item(d, 1);
			doc_sentence(d, f->evidence.v[k]);
		}
		if (f->trace) {
			doc_item(d, 1);
			doc_say(d, "trace of both sides: %n", f->trace);
		}
		put_names_of_checks(d, r, f);
	}
	doc_end(d);
}

/* ---- remarks ---- */

static void put_trust(struct document *d, const struct report *r, const struct trust_lines *trust)
{
	for (size_t i = 0; i < trust->list.nr; i++) {
		const struct trust_line *line = &trust->list.v[i];
		const struct trust_finding *f = line->first;
		doc_item(d, 0);
		/* true: the section "What changed" has the finding's message already */
		bool told =
		    !line->others && ANY(k, r->findings.nr, strstr(r->findings.v[k].title, f->message));
		const char *spoils = told ? " spoils " : "; spoils ";
		doc_printf(d, "trust:%s%s %s:", line->whose, *line->whose ? ":" : "", f->id);
		if (!told)
			doc_say(d, " %s%w", f->message, line->others ? TRUST_OTHERS : "");
		if (f->spoils.nr > SPOILS_SHOWN)
			doc_printf(d, "%s%zu figures", spoils, f->spoils.nr);
		for (size_t k = 0; k < f->spoils.nr && f->spoils.nr <= SPOILS_SHOWN; k++)
			doc_printf(d, "%s%s", k ? ", " : spoils, f->spoils.v[k]);
		if (trust_line_sums_up(line))
			doc_printf(d, "; %zu checks cannot be judged", line->checks);
	}
}

/* The message of check `i`, without the reason of its waiver if an earlier check's has it. */
static const char *reason_once(struct document *d, const struct report *r, size_t i)
{
	const struct check *v = r->checks.v, *c = &v[i];
	const char *waiver = text_or_empty(c->waiver);
	const char *reason = arena_printf(&d->arena, "; waived %s", waiver);
	const char *at = strstr(c->message, reason);
	bool told = *waiver && ANY(k, i, strcmp(text_or_empty(v[k].waiver), waiver) == 0);
	return at && told ? arena_printf(&d->arena, "%.*s%s", (int)(at - c->message), c->message,
	                                 at + strlen(reason))
	                  : c->message;
}

/* Add an item for each waived check, and for each check that could not be judged unless a finding
   says why. */
static void put_reasons(struct document *d, const struct report *r)
{
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		bool open = !c->spoiler && !report_finding(r, i) &&
		            (c->verdict == VERDICT_INCONCLUSIVE || c->verdict == VERDICT_MISSING);
		if (c->verdict != VERDICT_WAIVED && !open)
			continue;
		doc_item(d, 0);
		doc_put_verdict(d, c->verdict);
		doc_say(d, ": %n: ", c->id);
		doc_sentence(d, reason_once(d, r, i));
	}
}

void doc_remarks(struct document *d, const struct report *r, struct trust_lines *trust)
{
	if (r->kind != REPORT_RUN)
		doc_section(d, "remarks", "What to know", DOC_OPEN);
	for (size_t i = 0; i < r->warnings.nr && !r->error; i++) {
		doc_item(d, 0);
		doc_say(d, "warning: %s", r->warnings.v[i]);
	}
	put_trust(d, r, trust);
	put_reasons(d, r);
	if (r->kind != REPORT_RUN)
		doc_end(d);
}

void doc_insights(struct document *d, const struct report *r)
{
	bool sides = r->kind != REPORT_RUN;
	if (sides)
		doc_section(d, "insights", "Worth naming",
		            r->kind == REPORT_CHECK ? DOC_PAGE_COLLAPSED : DOC_OPEN);
	for (size_t i = 0; i < r->insights.nr; i++) {
		const struct insight *n = &r->insights.v[i];
		if (!sides && !n->candidate)
			continue;
		doc_item(d, 0);
		doc_printf(d, "insight:%s", !sides ? "" : n->candidate ? " candidate" : " baseline");
		if (n->rank >= 0)
			doc_printf(d, " rank %" PRId64, n->rank);
		doc_printf(d, "%s %s: ", sides || n->rank >= 0 ? ":" : "", n->id);
		doc_sentence(d, n->message);
	}
	if (sides)
		doc_end(d);
}

/* ---- the table of all checks ---- */

/* True for a check that a comment shows: it needs attention, or it judges a figure of the whole
 * run. */
static bool is_brief(const struct report *r, const struct check *c)
{
	bool judged = c->verdict != VERDICT_SKIPPED || (report_is_first(r) && c->has_candidate);
	return check_matters(c) || (judged && !c->item[0]);
}

static void put_check(struct document *d, const struct check *c)
{
	const struct evidence *e = &c->evidence;
	doc_row(d, 0);
	doc_cell(d);
	doc_value(d, true, c->verdict);
	doc_put_verdict(d, c->verdict);
	doc_cell(d);
	put_check_name(d, c);
	doc_figure_cell(d, c->baseline_text, c->has_baseline, c->baseline);
	doc_figure_cell(d, c->candidate_text, c->has_candidate, c->candidate);
	doc_cell(d);
	doc_value(d, c->has_pct || c->has_change, c->has_pct ? c->change_pct : c->change);
	doc_add(d, c->has_change ? DOC_FIGURE : DOC_WORDS, tone_of_check(c),
	        change_of(&d->arena, c->change_text, c->pct_text));
	doc_said_cell(d, c->limit);
	doc_figure_cell(d, e->noise_text, e->has_noise, e->noise);
	doc_figure_cell(d, e->detectable_text, e->has_detectable, e->detectable);
}

void doc_checks(struct document *d, const struct report *r)
{
	static const struct doc_column columns[] = {
		{ "verdict", DOC_LEFT },    { "check", DOC_LEFT },       { "baseline", DOC_RIGHT },
		{ "candidate", DOC_RIGHT }, { "change", DOC_RIGHT },     { "limit", DOC_LEFT },
		{ "noise", DOC_RIGHT },     { "detectable", DOC_RIGHT },
	};
	doc_section(d, "checks", "All checks", DOC_COLLAPSED);
	struct doc_table *t = doc_table(d, "All checks", COLUMNS(columns));
	t->more_text = "checks";
	for (int brief = 1; brief >= 0; brief--) {
		for (size_t i = 0; i < r->checks.nr; i++)
			if (is_brief(r, &r->checks.v[i]) == brief && !report_leaves_out(r, &r->checks.v[i]))
				put_check(d, &r->checks.v[i]);
		if (brief)
			t->brief = t->nr_rows < CHECKS_SHOWN ? t->nr_rows : CHECKS_SHOWN;
	}
	doc_end(d);
}

void doc_evidence(struct document *d, const struct report *r)
{
	doc_section(d, "evidence", "Evidence", DOC_PAGE_COLLAPSED);
	if (r->false_alarms_text) {
		doc_item(d, 0);
		doc_say(d, "false alarms: %s", r->false_alarms_text);
	}
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		const char *runs = runs_of(&d->arena, c), *text = text_or_empty(c->evidence.text);
		const char *plan = text_or_empty(c->evidence.plan_text);
		/* checks that pass are left out: the table of all checks shows their noise */
		if (c->verdict == VERDICT_PASS || (!runs[0] && !text[0]))
			continue;
		doc_item(d, 0);
		put_check_name(d, c);
		doc_say(d, ": %s%w%s%w%s", text, text[0] && runs[0] ? "; " : "", runs, plan[0] ? "; " : "",
		        plan);
	}
	doc_end(d);
}
