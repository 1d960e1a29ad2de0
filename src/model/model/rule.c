#include <stdlib.h>

#include "model/rule.h"

#include "base/number.h"
#include "base/text.h"

const char *const condition_names[] = { CONDITIONS(ENUM_WORD) NULL };

static void release_rule(struct rule *r)
{
	vec_release(&r->fail.list);
	vec_release(&r->warn.list);
	vec_release(&r->same_work);
	vec_release(&r->except);
	for (size_t i = 0; i < r->overrides.nr; i++) {
		vec_release(&r->overrides.v[i].match);
		vec_release(&r->overrides.v[i].fail.list);
		vec_release(&r->overrides.v[i].warn.list);
	}
	vec_release(&r->overrides);
}

void rules_release(struct rules *r)
{
	for (size_t i = 0; i < r->rules.nr; i++)
		release_rule(&r->rules.v[i]);
	vec_release(&r->rules);
	vec_release(&r->waivers);
	vec_release(&r->profiles);
	vec_release(&r->aliases);
	for (size_t i = 0; i < r->categories.nr; i++)
		vec_release(&r->categories.v[i].match);
	vec_release(&r->categories);
	vec_release(&r->approvers);
	vec_release(&r->must_match);
	vec_release(&r->should_match);
	result_formats_release(&r->results);
	arena_release(&r->arena);
}

static bool asks_noise(const struct limits *fail)
{
	return ANY(i, fail->list.nr, condition_has_noise(fail->list.v[i].condition));
}

bool rule_asks_noise(const struct rule *r)
{
	return asks_noise(&r->fail) || ANY(i, r->overrides.nr, asks_noise(&r->overrides.v[i].fail));
}

static bool are_absolute(const struct limits *map)
{
	return ALL(i, map->list.nr, limit_is_absolute(&map->list.v[i]));
}

bool rule_compares(const struct rule *r)
{
	return !are_absolute(&r->fail) || !are_absolute(&r->warn);
}

bool rules_are_absolute(const struct rules *rules)
{
	bool any = false, all = true;
	for (size_t i = 0; i < rules->rules.nr && all; i++) {
		const struct rule *r = &rules->rules.v[i];
		if (!r->own)
			continue;
		any = true;
		all = (r->fail.own || r->warn.own) && (!r->fail.own || are_absolute(&r->fail)) &&
		      (!r->warn.own || are_absolute(&r->warn)) && r->metric->label != LABEL_PAIR;
		for (size_t k = 0; k < r->overrides.nr; k++)
			all = all && are_absolute(&r->overrides.v[k].fail) &&
			      are_absolute(&r->overrides.v[k].warn);
	}
	return any && all;
}

bool rule_asks_step(const struct rule *r)
{
	return r->fail.and_of == AND_OF_STEP || r->warn.and_of == AND_OF_STEP ||
	       ANY(i, r->overrides.nr,
	           r->overrides.v[i].fail.and_of == AND_OF_STEP ||
	               r->overrides.v[i].warn.and_of == AND_OF_STEP);
}

const char *waiver_text(const struct waiver *w, struct arena *a)
{
	char n[NUMBER_TEXT];
	const char *size =
	    w->up_to ? arena_printf(a, ", up to %s%%", number_format(w->up_to, 6, n)) : "";
	return arena_printf(a, "until %s%s: %s", w->until_text, size, text_line(a, span_of(w->reason)));
}

/* ---- items of a rule ---- */

ORDERING(by_value, struct answer, FALLING(value) BY_SPAN(label))

ORDERING(by_name, struct span, THEN(span_cmp(*x, *y)))

void rule_items_add(const struct run_view *v, const struct rule *rule, int64_t top, struct arena *a,
                    struct names *out)
{
	struct query q = rule->query;
	struct answers answers;
	bool pair = rule->metric->label == LABEL_PAIR, ranked = pair || rule->for_each;
	if (pair)
		q = (struct query){ .reduce = REDUCE_MEDIAN };
	if (pair || (ranked && rule->metric->label == LABEL_KERNEL))
		q.metric = &metric_table[METRIC_KERNEL_TIME];
	if (ranked && q.reduce == REDUCE_EACH)
		q.reduce = REDUCE_MAX;
	run_query(v, &q, a, &answers);
	vec_sort(&answers.list, by_value);
	for (size_t i = 0; i < answers.list.nr && (!ranked || (int64_t)i < top); i++)
		vec_push(&out->list, answers.list.v[i].label);
	vec_release(&answers.list);
}

void names_finish(struct names *n)
{
	vec_unite(&n->list, by_name, NULL);
}

bool names_has(const struct names *n, struct span name)
{
	return n->list.nr && bsearch(&name, n->list.v, n->list.nr, sizeof name, by_name);
}
