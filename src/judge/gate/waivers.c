#include "gate/waivers.h"

#include <inttypes.h>

#include "base/text.h"
#include "gate/exceptions.h"

enum { DAYS_OF_NOTICE = 14 };

/* The beginning of a sentence: "the waiver for 'top-kernels' (kernel=ampere_*)". */
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

void waivers_warn(const struct rules *rules, int64_t today, const bool *used, struct report *out)
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
	for (size_t i = 0; i < rules->waivers.nr; i++)
		if (!used[i])
			vec_push(&out->warnings, arena_printf(a, "%s excuses nothing in this run",
			                                      subject(&rules->waivers.v[i], a)));
}
