#include "cli/acceptance.h"

#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "report/table.h"

static bool has_rule(const struct rules *rules, const char *id, struct nearest *near)
{
	for (size_t i = 0; i < rules->rules.nr; i++) {
		if (strcmp(rules->rules.v[i].id, id) == 0)
			return true;
		nearest_try(near, rules->rules.v[i].id);
	}
	return false;
}

enum status acceptance_check(const struct options *o, const struct rules *rules,
                             struct diag_log *log)
{
	for (size_t i = 0; i < o->accept.nr; i++) {
		struct nearest near = { .word = span_of(o->accept.v[i]) };
		if (has_rule(rules, o->accept.v[i], &near))
			continue;
		const char *quoted = text_quote(&log->arena, near.word);
		if (near.best)
			return diag_fail(log, ST_USAGE, "--accept: no rule %s; did you mean '%s'?", quoted,
			                 near.best);
		return diag_fail(log, ST_USAGE, "--accept: no rule %s (rules: %s)", quoted, rules->source);
	}
	return ST_OK;
}

static bool is_accepted(const struct options *o, const char *rule)
{
	for (size_t i = 0; i < o->accept.nr; i++)
		if (strcmp(o->accept.v[i], rule) == 0)
			return true;
	return false;
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

static bool is_refused(const struct report *r, const struct options *o, size_t i)
{
	const struct check *k = &r->checks.v[i];
	return check_is_open(k) && !is_accepted(o, k->rule);
}

/* The options --accept that would accept all refused checks: one option for each rule. */
static const char *missing_accepts(const struct report *r, const struct options *o, struct arena *a)
{
	const char *list = "";
	for (size_t i = 0; i < r->checks.nr; i++) {
		bool named = !is_refused(r, o, i);
		for (size_t j = 0; j < i && !named; j++)
			named = is_refused(r, o, j) && strcmp(r->checks.v[j].rule, r->checks.v[i].rule) == 0;
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
	for (size_t i = 0; i < r->checks.nr && !all; i++) {
		const struct check *k = &r->checks.v[i];
		if (is_refused(r, o, i))
			return diag_fail(log, k->verdict == VERDICT_FAIL ? ST_FAILED : ST_INPUT,
			                 "not accepted: %s: %s: %s; accept it with%s",
			                 verdict_names[k->verdict], k->id, k->message,
			                 missing_accepts(r, o, &log->arena));
	}
	return ST_OK;
}
