#include "gate/checks.h"

#include <stdlib.h>
#include <string.h>

#include "gate/exceptions.h"
#include "model/select.h"

struct ranked {
	struct span label;
	int64_t value;
};

ORDERING(by_value, struct ranked, FALLING(value) BY_SPAN(label))

static void add_top_of(struct names *items, const struct entries *ranking, int64_t nr, int side)
{
	VEC(struct ranked) top = VEC_INIT;
	for (size_t i = 0; i < ranking->list.nr; i++)
		if (ranking->list.v[i].has[side])
			vec_push(&top,
			         (struct ranked){ ranking->list.v[i].label, ranking->list.v[i].value[side] });
	vec_sort(&top, by_value);
	for (size_t i = 0; i < top.nr && (int64_t)i < nr; i++)
		vec_push(&items->list, top.v[i].label);
	vec_release(&top);
}

/* Add to `total`, for each side, the time that `min_share` is a share of. For GPU time by operator,
 * module, annotation or place, it is the time of all kernels. For other metrics it is the time of
 * all items, whatever their name, category or class. */
static void totals_of(struct bench *b, struct query q, __int128 total[NR_SIDES])
{
	struct entries all;
	q.kernel = q.category = q.cls = NULL;
	if (q.metric->parts == PARTS_CODE) {
		q.metric = &metric_table[METRIC_KERNEL_TIME];
		q.op = q.module = q.range = q.place = q.phase = NULL;
	}
	bench_query(b, &q, &all);
	for (size_t i = 0; i < all.list.nr; i++)
		for (int s = 0; s < NR_SIDES; s++)
			total[s] += all.list.v[i].value[s];
	vec_release(&all.list);
}

static bool has_share(const struct entry *e, int64_t min_share, const __int128 total[NR_SIDES])
{
	return ANY(s, NR_SIDES, e->has[s] && (__int128)e->value[s] * 100000000 >= min_share * total[s]);
}

/* Find the items that are among the rule's `top` on at least one side (kernels and collectives by
 * time, other items by the figure of the rule), and that have at least the share `min_share` of the
 * total time (totals_of()) on at least one side. */
static void items_of(struct bench *b, const struct rule *rule, struct names *items)
{
	struct query q = rule->query;
	struct entries ranking;
	struct names top = { 0 };
	__int128 total[NR_SIDES] = { 0, 0 };
	if (rule->metric->label == LABEL_KERNEL)
		q.metric = &metric_table[METRIC_KERNEL_TIME];
	if (rule->metric->label == LABEL_COLLECTIVE)
		q.metric = &metric_table[METRIC_COMM_TIME];
	if (q.reduce == REDUCE_EACH)
		q.reduce = REDUCE_MAX;
	bench_query(b, &q, &ranking);
	if (rule->min_share)
		totals_of(b, q, total);
	for (int s = 0; s < NR_SIDES; s++)
		add_top_of(&top, &ranking, rule->top, s);
	names_finish(&top);
	for (size_t i = 0; i < ranking.list.nr; i++) {
		const struct entry *e = &ranking.list.v[i];
		if (names_has(&top, e->label) && has_share(e, rule->min_share, total))
			vec_push(&items->list, e->label);
	}
	vec_release(&top.list);
	vec_release(&ranking.list);
}

static int by_size(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int64_t vx = x->value[0] > x->value[1] ? x->value[0] : x->value[1];
	int64_t vy = y->value[0] > y->value[1] ? y->value[0] : y->value[1];
	return COMPARE(vy, vx);
}

void checks_keep_items(struct bench *b, const struct rule *rule, struct entries *entries)
{
	struct names items = { 0 };
	items_of(b, rule, &items);
	size_t nr = 0;
	for (size_t i = 0; i < entries->list.nr; i++)
		if (names_has(&items, entries->list.v[i].label))
			entries->list.v[nr++] = entries->list.v[i];
	entries->list.nr = nr;
	vec_sort(&entries->list, by_size);
	vec_release(&items.list);
}

/* ---- items that a rule of the user judges instead of a built-in rule ---- */

/* True if the query covers each item as a whole: it has no pattern, such as one for ranks, that the
 * query `like` does not have. Patterns for the item's name, and for the class and category of
 * kernels, are allowed. */
static bool is_of_whole(const struct query *q, const struct query *like)
{
	for (const struct select_key *key = select_table; key->name; key++) {
		const char *glob = select_glob_in(q, key), *other = select_glob_in(like, key);
		const bool kind = glob == q->cls || glob == q->category;
		if (glob && glob != query_name(q) && (!other || strcmp(glob, other) != 0) &&
		    !(kind && q->metric->label == LABEL_KERNEL))
			return false;
	}
	return true;
}

static bool has_absolute(const struct rule *r)
{
	return ANY(i, r->fail.list.nr, limit_is_absolute(&r->fail.list.v[i])) ||
	       ANY(i, r->warn.list.nr, limit_is_absolute(&r->warn.list.v[i]));
}

/* True if `own` is a rule of the user that may judge items instead of `rule`: both are on figures
 * of result files, or `own` selects items of the same metric and statistic. If `rule` is also the
 * user's, it must be on a pattern of figures and have no `max` or `min`, and `own` must be on a
 * single figure, and fail by a comparison with the newest runs: what fails by `rule` may not pass
 * because `own` has another kind of limit. */
static bool takes_from(const struct rule *own, const struct rule *rule)
{
	bool figures = own->metric->need == NEED_INPUT && rule->metric->need == NEED_INPUT;
	bool whole = is_of_whole(&own->query, &rule->query);
	if (!rule->built_in)
		return figures && whole && own->metric->label == LABEL_NONE &&
		       rule->metric->label == LABEL_INPUT && !has_absolute(rule) &&
		       ANY(i, own->fail.list.nr,
		           !limit_is_absolute(&own->fail.list.v[i]) &&
		               own->fail.list.v[i].condition != COND_INCREASE_SINCE_PIN);
	bool named = own->metric == rule->metric && select_any(&own->query) && own->stat == rule->stat;
	return !own->built_in && (figures || (named && whole));
}

/* True if the entry rose from 0, and its change thus has no percentage. */
static bool is_from_zero(const struct entry *e)
{
	return e->has[SIDE_BASELINE] && e->value[SIDE_BASELINE] == 0 && e->value[SIDE_CANDIDATE] > 0;
}

bool checks_drop_own(struct bench *b, const struct rules *rules, const struct rule *rule,
                     struct entries *entries)
{
	struct names taken = { 0 }, limited = { 0 }; /* `taken`: names that rules of the user compare
	                                                with the baseline; `limited`: names for which
	                                                such rules only have a `max` */
	size_t nr = 0, before = entries->list.nr;
	bool many = rule->for_each || rule->metric->label == LABEL_INPUT;
	for (size_t i = 0; i < rules->rules.nr && many; i++) {
		const struct rule *own = &rules->rules.v[i];
		struct entries of_own, all = { 0 };
		bool compares = rule_compares(own);
		if (!takes_from(own, rule) ||
		    (!compares && !ANY(k, own->fail.list.nr, own->fail.list.v[k].condition == COND_MAX)))
			continue;
		if (!rule->built_in) { /* for speed: a name that no run has does no harm */
			vec_push(&taken.list, span_of(own->metric->name + strlen("input.")));
			continue;
		}
		bench_query(b, &own->query, &of_own);
		for (size_t k = 0; k < of_own.list.nr && own->except.nr; k++)
			vec_push(&all.list, of_own.list.v[k]);
		if (own->for_each)
			checks_keep_items(b, own, &of_own);
		exceptions_drop(own, &all, &of_own);
		for (size_t k = 0; k < of_own.list.nr; k++) {
			struct span label = of_own.list.v[k].label; /* empty if the metric is a single figure */
			vec_push(&(compares ? &taken : &limited)->list,
			         label.n ? label : span_of(own->metric->name + strlen("input.")));
		}
		vec_release(&all.list);
		vec_release(&of_own.list);
	}
	names_finish(&taken);
	names_finish(&limited);
	for (size_t i = 0; i < before; i++)
		if (!names_has(&taken, entries->list.v[i].label) &&
		    !(is_from_zero(&entries->list.v[i]) && names_has(&limited, entries->list.v[i].label)))
			entries->list.v[nr++] = entries->list.v[i];
	entries->list.nr = nr;
	vec_release(&taken.list);
	vec_release(&limited.list);
	return nr < before;
}
