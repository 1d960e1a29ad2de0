#include "report/key_figures.h"

#include <string.h>

#include "base/number.h"
#include "metric/unit.h"
#include "report/table.h"

static const enum metric_id key_ids[] = { METRIC_STEP_COMPUTE_TIME, METRIC_STEP_PERIOD,
	                                      METRIC_MEMORY_PEAK_ALLOCATED, METRIC_INPUT };
enum {
	NR_KEY_IDS = NR_OF(key_ids),
	ALONE_MOST = 5, /* largest number of figures that are shown if all limits need no baseline */
};

const char *check_kind(const struct check *c)
{
	for (int p = NR_INNER_PHASES; p < NR_PHASES && c->metric->per_step; p++)
		if (strcmp(c->item, phase_names[p]) == 0)
			return phase_names[p];
	return NULL;
}

static bool is_of(const struct check *c, enum metric_id id)
{
	return id == METRIC_INPUT
	           ? c->metric->need == NEED_INPUT
	           : c->metric->id == id && (check_kind(c) || (!c->item[0] && !c->select->key));
}

bool check_is_key(const struct check *c)
{
	return ANY(k, NR_KEY_IDS, is_of(c, key_ids[k]));
}

const struct finding *report_main_finding(const struct report *r)
{
	return FIND(i, r->findings.v, r->findings.nr, r->findings.v[i].verdict == (int)r->verdict);
}

const struct check *report_worst_check(const struct report *r)
{
	const struct check *any = NULL, *figure = NULL;
	for (size_t i = 0; i < r->checks.nr; i++)
		if (r->checks.v[i].absolute && r->checks.v[i].verdict == r->verdict &&
		    check_is_key(&r->checks.v[i]))
			return &r->checks.v[i];
	for (size_t k = 0; k < NR_KEY_IDS; k++)
		for (size_t i = 0; i < r->checks.nr; i++) {
			const struct check *c = &r->checks.v[i];
			if (c->verdict != r->verdict || !(c->has_change || c->absolute) || c->spoiler)
				continue;
			if (is_of(c, key_ids[k]) && key_ids[k] != METRIC_INPUT)
				return c;
			if (is_of(c, key_ids[k]))
				figure = !figure || check_worst_first(c, figure) < 0 ? c : figure;
			any = any ? any : c;
		}
	if (figure)
		return figure;
	const struct finding *f = report_main_finding(r);
	for (size_t i = 0; f && i < f->checks.nr; i++) {
		const struct check *c = &r->checks.v[f->checks.v[i]];
		if (c->verdict == r->verdict && c->has_change && !c->spoiler)
			return c;
	}
	return any;
}

const char *figure_label(struct arena *a, const struct report *r, const struct metric *m,
                         const char *kind, enum statistic stat)
{
	static const char step[] = " step";
	const char *label = metric_label(m);
	if (m->per_step && stat != STAT_MEDIAN && !r->candidate.window)
		label = arena_printf(a, "%s %s", stat_names[stat], label);
	const char *at = strstr(label, step);
	if ((!r->candidate.window && !kind) || !at)
		return kind ? arena_printf(a, "%s of %s", label, kind) : label;
	return arena_printf(a, "%.*s %s%s", (int)(at - label), label,
	                    kind ? arena_printf(a, "%s step", kind) : "window", at + strlen(step));
}

const struct fact *run_fact(const struct run_report *run, const char *id)
{
	return run ? FIND(i, run->facts.v, run->facts.nr, strcmp(run->facts.v[i].id, id) == 0) : NULL;
}

const struct figure_row *figure_row_find(const struct report *r, enum metric_id id)
{
	return FIND(i, r->figures.v, r->figures.nr,
	            r->figures.v[i].metric->id == id && !r->figures.v[i].item[0] &&
	                r->figures.v[i].has_candidate);
}

int check_worst_first(const struct check *x, const struct check *y)
{
	if (check_matters(x) != check_matters(y))
		return check_matters(x) ? -1 : 1;
	if (check_matters(x)) {
		ORDER_BY(x->verdict, y->verdict);
		ORDER_BY(y->spoiler ? 0 : check_size(y), x->spoiler ? 0 : check_size(x));
	}
	return COMPARE(x->metric->place, y->metric->place);
}

/* The first check on the metric. For METRIC_INPUT, which has the figures of all result files, the
 * worst check; if no check needs attention, the check of the figure that comes first in its file
 * format. */
static const struct check *check_of(const struct report *r, enum metric_id id)
{
	const struct check *first = NULL;
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		/* a counted figure is shown only if its check needs attention */
		bool counted = id == METRIC_INPUT && c->metric->exact;
		if (!is_of(c, id) || !c->has_candidate || (counted && !check_matters(c)))
			continue;
		if (id != METRIC_INPUT)
			return c;
		first = !first || check_worst_first(c, first) < 0 ? c : first;
	}
	return first;
}

/* The key figure of a check. Its noise is left out if it is known from too few runs, or if it is 10
   % or more of the baseline and the check passed. */
static struct key_figure of_check(const struct report *r, const struct check *c)
{
	bool known = noise_is_known(c);
	bool wide = c->evidence.has_noise && c->evidence.noise >= c->baseline / 10;
	bool news = c->verdict != VERDICT_PASS && c->verdict != VERDICT_SKIPPED;
	bool warns = c->has_change && (c->verdict == VERDICT_WARN || c->verdict == VERDICT_UNDECIDED);
	bool few = news && c->evidence.has_noise && !known;
	return (struct key_figure){
		.metric = c->metric,
		.kind = check_kind(c),
		.stat = c->stat,
		.tone = warns ? TONE_CAUTION : tone_of_check(c),
		.before = c->has_baseline ? c->baseline_text : NULL,
		.after = c->candidate_text,
		.baseline = c->baseline,
		.candidate = c->candidate,
		.noise = known && (news || !wide) ? c->evidence.noise : -1,
		.check = c - r->checks.v,
		.assumed = few ? &c->evidence : NULL,
		.dull =
		    c->verdict == VERDICT_PASS && wide && c->evidence.has_detectable ? &c->evidence : NULL,
		.limit = warns && c->limit[0] && (few || c->verdict == VERDICT_WARN) ? c->limit : NULL,
	};
}

static bool find(const struct report *r, enum metric_id id, struct key_figure *k)
{
	const struct check *c = check_of(r, id);
	const struct figure_row *row = id == METRIC_INPUT ? report_figure(r, id) : NULL;
	const struct fact *f = run_fact(r->run, metric_table[id].name);
	row = row ? row : figure_row_find(r, id);
	*k = (struct key_figure){ .metric = &metric_table[id], .noise = -1, .check = -1 };
	if (c) {
		*k = of_check(r, c);
	} else if (row) {
		k->metric = row->metric;
		k->after = row->candidate_text;
		k->candidate = row->candidate;
		k->before = row->has_baseline ? row->baseline_text : NULL;
		k->baseline = row->baseline;
		k->tone = tone_of_change(k->metric->worse, number_sub(k->candidate, k->baseline));
	} else if (f && r->kind == REPORT_CHECK) {
		const struct fact *b = run_fact(r->baseline_run, metric_table[id].name);
		k->after = f->text;
		k->candidate = f->value;
		k->before = b ? b->text : NULL;
		k->baseline = b ? b->value : 0;
	}
	return k->after != NULL;
}

/* True if the list has the figure of the check. True also if the check is on all steps, or not on
   steps. */
static bool has_kind(const struct key_figures *all, const struct check *c)
{
	return !check_kind(c) ||
	       ANY(i, all->list.nr,
	           all->list.v[i].metric == c->metric && all->list.v[i].kind == check_kind(c));
}

void key_figures_of(const struct report *r, struct key_figures *out)
{
	struct key_figure k;
	bool alone = report_is_alone(r);
	*out = (struct key_figures){ 0 };
	for (size_t i = 0; i < r->checks.nr && alone && out->list.nr < ALONE_MOST; i++) {
		const struct check *c = &r->checks.v[i];
		if (!c->has_candidate || !c->limit[0] || (c->item[0] && c->metric->need != NEED_INPUT))
			continue;
		k = of_check(r, c);
		k.limit = c->limit;
		vec_push(&out->list, k);
	}
	for (size_t i = 0; i < NR_KEY_IDS && !alone; i++) {
		if (find(r, key_ids[i], &k))
			vec_push(&out->list, k);
		for (size_t n = (size_t)k.check + 1; k.kind && n < r->checks.nr; n++)
			if (is_of(&r->checks.v[n], key_ids[i]) && !has_kind(out, &r->checks.v[n]))
				vec_push(&out->list, of_check(r, &r->checks.v[n]));
	}
	const struct finding *f = report_main_finding(r);
	const struct check *worst = r->verdict == VERDICT_PASS ? NULL : report_worst_check(r);
	if (worst && f && f->metric != worst->metric)
		worst = NULL;
	for (size_t i = 0; i < out->list.nr && worst; i++) {
		ptrdiff_t check = out->list.v[i].check;
		worst = check >= 0 && r->checks.v[check].verdict == r->verdict ? NULL : worst;
	}
	bool of_run =
	    worst && (worst->metric->label <= LABEL_DEVICE || worst->metric->label == LABEL_MEMORY);
	if (of_run && !alone && !check_is_key(worst))
		vec_push(&out->list, of_check(r, worst));
}
