#include "diff/past.h"

#include "diff/bench.h"
#include "diff/units.h"
#include "model/fold.h"
#include "model/rule.h"

static void add_answers(struct bench *b, const struct query *q, const char *text,
                        const struct names *only, struct arena *a, struct past_run *out)
{
	struct entries entries;
	bench_query(b, q, &entries);
	for (size_t i = 0; i < entries.list.nr; i++) {
		const struct entry *e = &entries.list.v[i];
		if (!e->has[SIDE_CANDIDATE] || (only && !names_has(only, e->label)))
			continue;
		struct span label = { arena_dup(a, e->label), e->label.n };
		struct decimal value = { e->value[SIDE_CANDIDATE], MICRO_DIGITS };
		if (q->metric->need == NEED_INPUT)
			value = decimal_of(value.value,
			                   unit_digits(view_metric(&b->view[0], q->metric, label)->unit));
		vec_push(&out->values,
		         (struct past_value){ text, label, e->rank, value.value, value.digits });
	}
	vec_release(&entries.list);
}

static void add_query(struct bench *b, const struct query *q, const struct names *only,
                      struct arena *a, struct past_run *out)
{
	struct run_view *view = &b->view[SIDE_CANDIDATE];
	bool traced = b->memory >> MEMORY_OF_TRACE & 1, by_trace = view->by_trace;
	if (q->metric->need != NEED_MEMORY || b->memory)
		add_answers(b, q, query_text(q, a), only, a, out);
	if (q->metric->need == NEED_MEMORY && traced && !by_trace) {
		view->by_trace = true;
		add_answers(b, q, query_text_of_trace(q, a), only, a, out);
		view->by_trace = false;
	}
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
	add_query(b, &rule->query, rule->for_each ? &items : NULL, a, out);
	struct query queries[NR_PHASES];
	size_t nr = step_kinds_queries(&b->kinds, &rule->query, queries);
	for (size_t i = 0; i < nr; i++)
		if (queries[i].phase != rule->query.phase || queries[i].stat != rule->query.stat)
			add_query(b, &queries[i], NULL, a, out);
	if (rule_asks_step(rule))
		add_query(b, &(struct query){ .metric = step, .stat = rule->stat, .reduce = step->reduce },
		          NULL, a, out);
	vec_release(&items.list);
}

/* Add the GPU time of operators and categories for the noise model, even if no rule queries it. */
static void add_units(struct bench *b, struct arena *a, struct past_run *out)
{
	for (int kind = 0; kind < NR_UNIT_KINDS; kind++) {
		struct query q = unit_query((enum unit_kind)kind);
		struct rule all = { .metric = q.metric, .query = q, .for_each = true };
		struct names items = { 0 };
		rule_items_add(&b->view[SIDE_CANDIDATE], &all, UNITS_MOST, &b->arena, &items);
		names_finish(&items);
		add_query(b, &q, &items, a, out);
		vec_release(&items.list);
	}
}

uint64_t past_source_hash(const struct run *run)
{
	uint64_t hash = 14695981039346656037u; /* FNV-1a over the hashes of the ranks */
	for (size_t i = 0; i < run->ranks.nr; i++)
		hash = number_hash(hash, run->ranks.v[i]->source_hash);
	return hash;
}

const struct past_run *past_find(const struct history *h, const struct run *run)
{
	uint64_t hash = past_source_hash(run);
	return h ? FIND(i, h->runs.v, h->runs.nr, h->runs.v[i].source_hash == hash) : NULL;
}

void past_run_of(const struct rules *rules, struct naming naming, const struct run *run,
                 struct arena *a, struct past_run *out)
{
	struct bench b;
	*out = (struct past_run){ .source_hash = past_source_hash(run),
		                      .ranks = (int64_t)run_nr_ranks(run),
		                      .verdict = "" };
	for (size_t i = 0; i < run->ranks.nr; i++)
		if ((int64_t)run->ranks.v[i]->nr_steps > out->steps)
			out->steps = (int64_t)run->ranks.v[i]->nr_steps;
	bench_init(&b, &(struct bench_runs){ .candidates = run, .nr_candidates = 1 }, naming);
	out->memory = memory_source_of(b.memory);
	for (size_t i = 0; i < rules->rules.nr; i++)
		add_rule(&b, &rules->rules.v[i], a, out);
	add_units(&b, a, out);
	bench_release(&b);
	vec_unite(&out->values, past_value_cmp, NULL);
}
