#include "gate/waivers.h"

#include <inttypes.h>

#include "base/text.h"
#include "gate/exceptions.h"
#include "gate/message.h"

enum { DAYS_OF_NOTICE = 14 };

/* The subject of a sentence, such as "the waiver for 'top-kernels' (kernel=ampere_*)". */
static const char *subject(const struct waiver *w, struct arena *a)
{
	const char *quoted = text_quote(a, span_of(w->rule));
	const char *select = text_line(a, span_of(select_text(&w->select, a)));
	if (w->allows)
		return arena_printf(a, "'allow' of %s", w->select.metric ? w->select.metric->name : select);
	return *select ? arena_printf(a, "the waiver for %s (%s)", quoted, select)
	               : arena_printf(a, "the waiver for %s", quoted);
}

static bool is_for(const struct waiver *w, const struct rule *rule)
{
	if (!w->allows)
		return span_glob(span_of(w->rule), span_of(rule->id));
	return rule->worse == WORSE_UP &&
	       (w->select.metric ? w->select.metric == rule->metric : allow_is_for(rule->metric));
}

const unsigned char *waivers_names(const struct rules *rules, const struct rule *rule,
                                   const struct entries *items, struct arena *a)
{
	unsigned char *best = arena_alloc(a, rules->waivers.nr + 1, 1);
	for (size_t i = 0; i < rules->waivers.nr; i++) {
		struct query q = rules->waivers.v[i].select;
		q.metric = rule->metric;
		if (query_name(&q) && is_for(&rules->waivers.v[i], rule))
			best[i] = (unsigned char)exceptions_best(rule, span_of(query_name(&q)), items);
	}
	return best;
}

int64_t waivers_find(const struct rules *rules, const unsigned char *best, struct select_item item)
{
	for (size_t i = 0; i < rules->waivers.nr; i++) {
		const struct waiver *w = &rules->waivers.v[i];
		item.least = (enum name_fit)best[i];
		if (is_for(w, item.rule) && select_covers(&w->select, &item))
			return (int64_t)i;
	}
	return -1;
}

enum status waivers_check(const struct rules *rules, int64_t today, struct diag_log *log)
{
	for (size_t i = 0; i < rules->waivers.nr; i++) {
		const struct waiver *w = &rules->waivers.v[i];
		if (today > w->until)
			return diag_fail(log, ST_USAGE,
			                 "%s:%u:%u: %s ended on %s: remove it, or give it a new day (%s)",
			                 rules->source, w->line, w->column, subject(w, &log->arena),
			                 w->until_text, w->reason);
	}
	return ST_OK;
}

/* If the name in `q` fits none of the recorded items, a text such as "no kernel has this name",
   with the names nearest to it. NULL if it fits an item, or if there are no items at all. */
static const char *unknown_item(struct bench *b, const struct query *q, struct arena *a)
{
	struct query any = { .metric = q->metric, .stat = q->stat, .reduce = q->reduce, .cls = q->cls };
	struct entries items;
	const char *text = NULL;
	bench_query(b, q, &items);
	bool found =
	    items.list.nr || bench_lacks(b, SIDE_BASELINE, q) || bench_lacks(b, SIDE_CANDIDATE, q);
	vec_release(&items.list);
	if (found)
		return NULL;
	bench_query(b, &any, &items);
	if (items.list.nr)
		text = arena_printf(a, "no %s has this name%s", label_names[q->metric->label],
		                    near_items(q, &items, a));
	vec_release(&items.list);
	return text;
}

/* Like unknown_item(), for the name in the waiver `w`. If `w` is for several rules, it is enough
   that the name fits an item of one of them. */
static const char *unknown_name(const struct waiver *w, const struct rules *rules, struct bench *b,
                                struct arena *a)
{
	struct query q = w->allows ? allow_query(w) : w->select;
	const char *text = w->allows && !w->select.metric ? unknown_item(b, &q, a) : NULL;
	for (size_t i = 0; !w->allows && i < rules->rules.nr; i++) {
		q.metric = rules->rules.v[i].metric;
		if (!is_for(w, &rules->rules.v[i]) || !query_name(&q))
			continue;
		text = unknown_item(b, &q, a);
		if (!text)
			return NULL;
	}
	return text;
}

static bool is_judged(const struct rules *rules, const struct waiver *w, bool only_own)
{
	return ANY(i, rules->rules.nr,
	           (rules->rules.v[i].own || !only_own) && is_for(w, &rules->rules.v[i]));
}

/* Text that says why `w` can never excuse anything: no rule judges what it names, or no item in the
   runs of `b` has the name. NULL if `w` can excuse something; `b` may be NULL. */
static const char *fault_of(const struct waiver *w, const struct rules *rules, struct bench *b,
                            struct arena *a)
{
	const char *because = !is_judged(rules, w, false) ? "no rule judges what it names"
	                      : b                         ? unknown_name(w, rules, b, a)
	                                                  : NULL;
	return because ? arena_printf(a, "%s excuses nothing: %s", subject(w, a), because) : NULL;
}

void waivers_lint(const struct rules *rules, struct bench *b, struct diag_log *log)
{
	for (size_t i = 0; i < rules->waivers.nr; i++) {
		const struct waiver *w = &rules->waivers.v[i];
		const char *fault = fault_of(w, rules, b, &log->arena);
		if (fault)
			diag_warn(log, "%s:%u:%u: %s", rules->source, w->line, w->column, fault);
	}
}

void waivers_warn(const struct rules *rules, int64_t today, const bool *used, bool only_own,
                  struct bench *b, struct report *out)
{
	struct arena *a = &out->arena;
	for (size_t i = 0; i < rules->waivers.nr; i++) {
		const struct waiver *w = &rules->waivers.v[i];
		int64_t days = w->until - today;
		if (days <= DAYS_OF_NOTICE)
			vec_push(&out->warnings,
			         arena_printf(a, "%s ends %s, on %s: %s", subject(w, a),
			                      days == 0   ? "today"
			                      : days == 1 ? "tomorrow"
			                                  : arena_printf(a, "in %" PRId64 " days", days),
			                      w->until_text, text_line(a, span_of(w->reason))));
	}
	for (size_t i = 0; i < rules->waivers.nr; i++) {
		const struct waiver *w = &rules->waivers.v[i];
		/* without a baseline, nothing can be excused by a waiver up to a percentage of the
		   baseline's value */
		if (used[i] || (only_own && (w->up_to || !is_judged(rules, w, true))))
			continue;
		const char *fault = fault_of(w, rules, b, a);
		/* no warning if an entry of `allow` excuses nothing: in most runs nothing grows */
		if (fault || !w->allows)
			vec_push(&out->warnings,
			         fault ? fault
			               : arena_printf(a, "%s excuses nothing in this run", subject(w, a)));
	}
}
