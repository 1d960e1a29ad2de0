#include "cli/acceptance.h"

#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "model/view.h"
#include "names/short.h"
#include "report/table.h"

/* How `name` names the check: by its rule, its figure or its item. */
static enum name_fit fit_of(const char *name, const struct check *k)
{
	const char *const whole[] = { k->rule, k->id, k->metric->name };
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strcmp(whole[i], name) == 0)
			return FIT_WHOLE;
	return k->item[0] ? item_fit(k->metric, span_of(name), span_of(k->item)) : FIT_NONE;
}

static const char *shown_item(const struct check *k, struct arena *a)
{
	bool kernel = k->metric->label == LABEL_KERNEL;
	return text_line(a, span_of(kernel ? short_name_form(a, k->item, 0) : k->item));
}

static bool is_of_rule(const struct report *r, size_t i, size_t other)
{
	return strcmp(r->checks.v[i].rule, r->checks.v[other].rule) == 0;
}

/* The end of a message on a name that names no check: the nearest rules and items. */
static const char *near_names(const struct report *r, const char *name, struct arena *a)
{
	struct nearest_few near = { .asked = span_of(name) };
	const char *texts[NEAREST_MOST];
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *k = &r->checks.v[i];
		bool known = false;
		for (size_t j = 0; j < i && !known; j++)
			known = is_of_rule(r, j, i);
		if (!known)
			nearest_few_try(&near, 2 * i, span_of(k->rule), k->rule, false);
		if (k->item[0] && check_is_open(k))
			nearest_few_try(&near, 2 * i + 1, span_of(k->item), shown_item(k, a), true);
	}
	for (size_t i = 0; i < near.nr; i++) {
		const struct check *k = &r->checks.v[near.best[i].index / 2];
		texts[i] = near.best[i].index % 2 ? shown_item(k, a) : k->rule;
	}
	return nearest_few_hint(texts, near.nr, a);
}

/* Mark the checks that --accept names: those that each name fits best. */
static enum status find_accepted(const struct report *r, const struct options *o, bool *accepted,
                                 struct diag_log *log)
{
	for (size_t n = 0; n < o->accept.nr; n++) {
		const char *name = o->accept.v[n];
		enum name_fit best = FIT_NONE;
		for (size_t i = 0; i < r->checks.nr; i++) {
			enum name_fit fit = fit_of(name, &r->checks.v[i]);
			best = fit > best ? fit : best;
		}
		for (size_t i = 0; i < r->checks.nr && best; i++)
			accepted[i] = accepted[i] || fit_of(name, &r->checks.v[i]) == best;
		if (!best)
			return diag_fail(log, ST_USAGE, "--accept: no rule or item of this run is called %s%s",
			                 text_quote(&log->arena, span_of(name)),
			                 near_names(r, name, &log->arena));
	}
	return ST_OK;
}

/* A trust finding on the candidate that makes the metric of a check unreliable. */
static const struct trust_finding *spoiler(const struct report *r, const struct check *k)
{
	for (size_t i = 0; i < r->trust.nr; i++) {
		const struct trust_finding *f = &r->trust.v[i];
		for (size_t j = 0; f->candidate && j < f->spoils.nr; j++)
			if (strcmp(f->spoils.v[j], k->metric->name) == 0)
				return f;
	}
	return NULL;
}

/* The options --accept that would accept the checks that are still refused: one for each rule. */
static const char *missing_accepts(const struct report *r, const bool *accepted, struct arena *a)
{
	const char *list = "";
	for (size_t i = 0; i < r->checks.nr; i++) {
		bool named = !check_is_open(&r->checks.v[i]) || accepted[i];
		for (size_t j = 0; j < i && !named; j++)
			named = check_is_open(&r->checks.v[j]) && !accepted[j] && is_of_rule(r, j, i);
		if (!named)
			list = arena_printf(a, "%s --accept %s", list, r->checks.v[i].rule);
	}
	return list;
}

enum status acceptance_judge(const struct report *r, const struct options *o, bool all,
                             struct diag_log *log)
{
	if (r->counts[VERDICT_SKIPPED] == (int64_t)r->checks.nr)
		return diag_fail(log, ST_INPUT, "the run cannot be the baseline: %s", r->headline);
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *k = &r->checks.v[i];
		const struct trust_finding *f = k->verdict == VERDICT_INCONCLUSIVE ? spoiler(r, k) : NULL;
		if (f)
			return diag_fail(log, ST_INPUT, "the run cannot be the baseline: %s", f->message);
	}
	bool *accepted = arena_alloc(&log->arena, r->checks.nr + 1, sizeof *accepted);
	TRY(find_accepted(r, o, accepted, log));
	for (size_t i = 0; i < r->checks.nr && !all; i++) {
		const struct check *k = &r->checks.v[i];
		if (check_is_open(k) && !accepted[i])
			return diag_fail(log, k->verdict == VERDICT_FAIL ? ST_FAILED : ST_INPUT,
			                 "not accepted: %s: %s: %s; accept it with%s",
			                 verdict_names[k->verdict], k->id, k->message,
			                 missing_accepts(r, accepted, &log->arena));
	}
	return ST_OK;
}
