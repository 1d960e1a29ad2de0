#include "diff/past.h"

#include "diff/bench.h"
#include "model/rule_items.h"

/* `digits`: decimal places of figures of metrics files; 0: the query is of no such. */
static void add_query(struct bench *b, const struct query *q, int digits, const struct names *only,
                      struct arena *a, struct past_run *out)
{
	struct entries entries;
	const char *text = query_text(q, a);
	if (digits)
		bench_query_inputs(b, q, digits, a, &entries);
	else
		bench_query(b, q, &entries);
	for (size_t i = 0; i < entries.list.nr; i++) {
		const struct entry *e = &entries.list.v[i];
		if (!e->has[SIDE_CANDIDATE] || (only && !names_has(only, e->label)))
			continue;
		struct span label = { arena_dup(a, e->label), e->label.n };
		vec_push(&out->values, (struct past_value){ text, label, e->rank, e->value[SIDE_CANDIDATE],
		                                            digits > 6 ? digits : 0 });
	}
	vec_release(&entries.list);
}

static void add_rule(struct bench *b, const struct rule *rule, struct arena *a,
                     struct past_run *out)
{
	struct names items = { 0 };
	const struct metric *step = &metric_table[METRIC_STEP_CUDA_TIME];
	if (rule->for_each) {
		rule_items_add(&b->view[SIDE_CANDIDATE], rule, 2 * rule->top, &b->arena, &items);
		names_finish(&items);
	}
	bool inputs = rule->metric->id == METRIC_INPUT;
	for (int digits = inputs ? 6 : 0; digits <= (inputs ? 18 : 0); digits += 6)
		add_query(b, &rule->query, digits, rule->for_each ? &items : NULL, a, out);
	if (rule->fail.and_of_step || rule->warn.and_of_step)
		add_query(b, &(struct query){ .metric = step, .stat = rule->stat, .reduce = step->reduce },
		          0, NULL, a, out);
	vec_release(&items.list);
}

uint64_t past_source_hash(const struct run *run)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a over the hashes of the ranks */
	for (size_t i = 0; i < run->ranks.nr; i++)
		hash = (hash ^ run->ranks.v[i]->source_hash) * 1099511628211u;
	return hash;
}

const struct past_run *past_find(const struct history *h, const struct run *run)
{
	uint64_t hash = past_source_hash(run);
	for (size_t i = 0; h && i < h->runs.nr; i++)
		if (h->runs.v[i].source_hash == hash)
			return &h->runs.v[i];
	return NULL;
}

void past_run_of(const struct rules *rules, struct naming naming, const struct run *run,
                 struct arena *a, struct past_run *out)
{
	struct bench b;
	*out =
	    (struct past_run){ .source_hash = past_source_hash(run), .ranks = (int64_t)run->ranks.nr };
	for (size_t i = 0; i < run->ranks.nr; i++)
		if ((int64_t)run->ranks.v[i]->nr_steps > out->steps)
			out->steps = (int64_t)run->ranks.v[i]->nr_steps;
	bench_init(&b, &(struct bench_runs){ .candidates = run, .nr_candidates = 1 }, naming);
	for (size_t i = 0; i < rules->rules.nr; i++)
		add_rule(&b, &rules->rules.v[i], a, out);
	bench_release(&b);
	vec_sort(&out->values, past_value_cmp);
	size_t nr = 0; /* several rules may ask the same */
	for (size_t i = 0; i < out->values.nr; i++)
		if (nr == 0 || past_value_cmp(&out->values.v[nr - 1], &out->values.v[i]) != 0)
			out->values.v[nr++] = out->values.v[i];
	out->values.nr = nr;
}
