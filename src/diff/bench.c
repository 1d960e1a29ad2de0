#include "diff/bench.h"

#include <stdlib.h>
#include <string.h>

#include "diff/drift.h"
#include "diff/past.h"

/* ---- the runs ---- */

static size_t nr_views(const struct bench *b)
{
	return 1 + b->runs.nr_candidates;
}

void bench_init(struct bench *b, const struct bench_runs *runs, struct naming naming)
{
	*b = (struct bench){ .naming = naming, .runs = *runs, .arena = ARENA_INIT };
	b->run[SIDE_BASELINE] = runs->baseline ? runs->baseline : &b->none;
	b->run[SIDE_CANDIDATE] = &runs->candidates[0];
	b->twin = past_find(runs->recent, b->run[SIDE_BASELINE]);
	size_t nr = nr_views(b);
	b->view = arena_alloc(&b->arena, nr, sizeof *b->view);
	for (size_t i = 0; i < nr; i++)
		run_view_init(&b->view[i], i ? &runs->candidates[i - 1] : b->run[SIDE_BASELINE],
		              &b->naming);
	activity_pairs_init(&b->pairs, &b->view[SIDE_BASELINE], &b->view[SIDE_CANDIDATE],
	                    runs->nr_candidates, (struct rank_scope){ 0 });
}

void bench_release(struct bench *b)
{
	vec_release(&b->pairs.list);
	for (size_t i = 0; i < nr_views(b); i++)
		run_view_release(&b->view[i]);
	arena_release(&b->arena);
}

bool bench_has(const struct bench *b, enum side_index side, const struct metric *m)
{
	if (side == SIDE_BASELINE)
		return run_has(&b->view[SIDE_BASELINE], m);
	for (size_t i = SIDE_CANDIDATE; i < nr_views(b); i++)
		if (run_has(&b->view[i], m))
			return true;
	return false;
}

/* ---- what they answer ---- */

enum source { SOURCE_PIN, SOURCE_RECENT, SOURCE_CANDIDATE, NR_SOURCES };

/* One answer of one run. */
struct seen {
	struct span label, was;
	int64_t rank;
	enum source source;
	size_t seq; ///< order of the runs
	int64_t value;
};
struct seen_list {
	VEC(struct seen) list;
};

static void see_views(struct bench *b, const struct query *q, struct seen_list *out)
{
	for (size_t i = 0; i < nr_views(b); i++) {
		struct answers answers;
		if (!run_has(&b->view[i], q->metric))
			continue;
		run_query(&b->view[i], q, &b->arena, &answers);
		for (size_t k = 0; k < answers.list.nr; k++) {
			const struct answer *a = &answers.list.v[k];
			vec_push(&out->list, (struct seen){ .label = a->label,
			                                    .rank = a->rank,
			                                    .source = i ? SOURCE_CANDIDATE : SOURCE_PIN,
			                                    .seq = out->list.nr,
			                                    .value = a->value });
		}
		vec_release(&answers.list);
	}
}

static int64_t past_in_unit(const struct past_value *v, enum unit unit)
{
	int has = v->digits == 12 || v->digits == 18 ? (int)v->digits : 6;
	return unit_of_number(unit_digits(unit)) == unit
	           ? number_rescale(v->value, has, unit_digits(unit))
	           : v->value;
}

static void see_recent(struct bench *b, const struct query *q, struct seen_list *out)
{
	if (!b->runs.recent || b->runs.recent->runs.nr == 0)
		return;
	const char *text = query_text(q, &b->arena);
	for (size_t i = 0; i < b->runs.recent->runs.nr; i++) {
		size_t nr;
		const struct past_run *run = &b->runs.recent->runs.v[i];
		const struct past_value *v = past_query(run, text, &nr);
		for (size_t k = 0; k < nr && run != b->twin; k++)
			vec_push(&out->list, (struct seen){ .label = v[k].label,
			                                    .rank = v[k].rank,
			                                    .source = SOURCE_RECENT,
			                                    .seq = out->list.nr,
			                                    .value = past_in_unit(&v[k], q->metric->unit) });
	}
}

static int same_item(const struct seen *x, const struct seen *y)
{
	int c = span_cmp(x->label, y->label);
	return c ? c : (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_source(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	int c = same_item(x, y);
	return c ? c : (int)x->source - (int)y->source;
}

static int seen_cmp(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;
	int c = by_source(x, y);
	return c ? c : (x->seq > y->seq) - (x->seq < y->seq);
}

/* What the baseline has of a renamed kernel under its old name is of the new one, where the
   candidate answers to that: then the two are one item. */
static void join_renamed(const struct bench *b, struct seen_list *seen)
{
	struct seen_list joined = { 0 };
	for (size_t i = 0; i < seen->list.nr; i++) {
		struct seen s = seen->list.v[i];
		const struct activity_pair *a = drift_find(&b->pairs, s.label);
		struct seen now = { .rank = s.rank, .source = SOURCE_CANDIDATE };
		if (s.source != SOURCE_CANDIDATE && a && a->partner && a->count[SIDE_CANDIDATE] <= 0) {
			now.label = a->partner->name;
			if (bsearch(&now, seen->list.v, seen->list.nr, sizeof now, by_source)) {
				s.was = s.label;
				s.label = now.label;
			}
		}
		vec_push(&joined.list, s);
	}
	vec_release(&seen->list);
	*seen = joined;
	vec_sort(&seen->list, seen_cmp);
}

/* ---- one entry ---- */

static void take(struct bench *b, struct entry *e, int side, const struct seen *seen, size_t nr)
{
	int64_t *runs = arena_alloc(&b->arena, 2 * nr, sizeof *runs);
	for (size_t i = 0; i < nr; i++)
		runs[i] = runs[nr + i] = seen[i].value;
	e->has[side] = true;
	e->runs[side] = runs;
	e->nr_runs[side] = nr;
	e->value[side] = number_median(runs + nr, nr);
}

/* `seen` are the answers of all runs on one item, by source. */
static void make_entry(struct bench *b, struct entry *e, const struct seen *seen, size_t nr)
{
	size_t of[NR_SOURCES] = { 0 };
	for (size_t i = 0; i < nr; i++) {
		of[seen[i].source]++;
		if (seen[i].was.n)
			e->was = seen[i].was;
	}
	e->label = seen->label;
	e->rank = seen->rank;
	e->has_pin = of[SOURCE_PIN] > 0;
	e->pin = e->has_pin ? seen->value : 0;
	const struct seen *recent = seen + of[SOURCE_PIN];
	/* the pin counts among the recent runs where it is one of them */
	bool alone = !b->twin && b->min_runs > 0 && of[SOURCE_RECENT] >= (uint64_t)b->min_runs;
	if (alone)
		take(b, e, SIDE_BASELINE, recent, of[SOURCE_RECENT]);
	else if (of[SOURCE_PIN] + of[SOURCE_RECENT])
		take(b, e, SIDE_BASELINE, seen, of[SOURCE_PIN] + of[SOURCE_RECENT]);
	if (of[SOURCE_CANDIDATE])
		take(b, e, SIDE_CANDIDATE, recent + of[SOURCE_RECENT], of[SOURCE_CANDIDATE]);
}

void bench_query(struct bench *b, const struct query *q, struct entries *out)
{
	struct seen_list seen = { 0 };
	*out = (struct entries){ 0 };
	see_views(b, q, &seen);
	see_recent(b, q, &seen);
	vec_sort(&seen.list, seen_cmp);
	if (q->metric->label == LABEL_KERNEL && b->pairs.renamed)
		join_renamed(b, &seen);
	for (size_t i = 0, end; i < seen.list.nr; i = end) {
		const struct seen *first = &seen.list.v[i];
		for (end = i + 1; end < seen.list.nr && same_item(first, &seen.list.v[end]) == 0;)
			end++;
		make_entry(b, vec_push_zero(&out->list), first, end - i);
	}
	vec_release(&seen.list);
}

int bench_input_digits(const struct bench *b, struct span name)
{
	int64_t digits = 6, most = 18;
	for (size_t i = 0; i < nr_views(b); i++)
		for (size_t r = 0; r < b->view[i].run->ranks.nr; r++) {
			const struct digest *d = b->view[i].run->ranks.v[r];
			for (size_t k = 0; k < d->inputs.nr; k++) {
				const struct input_stat *in = &d->inputs.v[k];
				if (!span_eq(span_of(in->name), name))
					continue;
				number_raise(&digits, in->digits);
				while (most > 6 &&
				       number_distance(number_rescale(in->value, (int)in->digits, (int)most), 0) >
				           INT64_MAX / 1000)
					most -= 6;
			}
		}
	return (int)(digits < most ? digits : most);
}

void bench_query_inputs(struct bench *b, const struct query *q, int digits, struct arena *a,
                        struct entries *out)
{
	struct query at = *q;
	size_t nr = 0;
	at.metric = metric_in_digits(q->metric, digits, a);
	struct span own = span_of(q->metric->name + strlen("input."));
	bench_query(b, &at, out);
	for (size_t i = 0; i < out->list.nr; i++) {
		const struct entry *e = &out->list.v[i];
		if (bench_input_digits(b, e->label.n ? e->label : own) == digits)
			out->list.v[nr++] = *e;
	}
	out->list.nr = nr;
}
