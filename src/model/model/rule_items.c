#include "model/rule.h"

#include <stdlib.h>

ORDERING(by_value, struct answer, FALLING(value) BY_SPAN(label))

static int by_name(const void *a, const void *b)
{
	return span_cmp(*(const struct span *)a, *(const struct span *)b);
}

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
	size_t nr = 0;
	vec_sort(&n->list, by_name);
	for (size_t i = 0; i < n->list.nr; i++)
		if (nr == 0 || !span_eq(n->list.v[nr - 1], n->list.v[i]))
			n->list.v[nr++] = n->list.v[i];
	n->list.nr = nr;
}

bool names_has(const struct names *n, struct span name)
{
	return n->list.nr && bsearch(&name, n->list.v, n->list.nr, sizeof name, by_name);
}
