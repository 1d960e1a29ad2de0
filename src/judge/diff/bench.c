#include "diff/bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "diff/changes.h"
#include "diff/drift.h"
#include "diff/past.h"
#include "model/fold.h"
#include "model/select.h"
#include "model/step_figures.h"

/* ---- columns: the runs of a bench ---- */

static size_t nr_views(const struct bench *b)
{
	return 1 + b->runs.nr_candidates + b->runs.nr_controls + (b->run[SIDE_BASELINE] != b->approved);
}

static size_t approved_view(const struct bench *b)
{
	return b->run[SIDE_BASELINE] == b->approved ? 0 : nr_views(b) - 1;
}

static void add_column(struct bench *b, enum bench_source source, size_t view,
                       const struct past_run *past, uint64_t epoch)
{
	b->columns[b->nr_columns++] = (struct bench_column){ source, epoch, past, view };
}

/* Add columns for past runs, except for runs that already have a column, as the approved run or as
 * a recent one. */
static void add_past(struct bench *b, const struct history *h, enum bench_source source)
{
	uint64_t reference = past_source_hash(b->run[SIDE_BASELINE]);
	for (size_t i = 0; h && i < h->runs.nr; i++) {
		const struct past_run *run = &h->runs.v[i];
		bool known = run == b->twin || (source == SOURCE_HISTORY && run->source_hash == b->pin);
		for (size_t k = 0; k < b->nr_columns && source == SOURCE_HISTORY && !known; k++)
			known = b->columns[k].past && b->columns[k].past->source_hash == run->source_hash;
		if (!known)
			add_column(b, source, run->source_hash == reference ? 0 : NO_VIEW, run,
			           source == SOURCE_RECENT ? b->pin : run->pin);
	}
}

struct at_time {
	const char *time;
	size_t row; ///< place in the history, which tells the order of runs of one second
	size_t column;
};

ORDERING(at_time_cmp, struct at_time, BY_TEXT(time) RISING(row) RISING(column))

static size_t history_row(const struct history *h, const struct past_run *run)
{
	size_t i = 0;
	while (h && run && i < h->runs.nr && h->runs.v[i].source_hash != run->source_hash)
		i++;
	return i;
}

static void sort_columns(struct bench *b)
{
	struct at_time *order = arena_alloc(&b->arena, b->nr_columns, sizeof *order);
	b->by_time = arena_alloc(&b->arena, b->nr_columns, sizeof *b->by_time);
	for (size_t i = 0; i < b->nr_columns; i++) {
		const struct past_run *past = b->columns[i].past;
		const char *time = past ? past->provenance.time : NULL;
		order[i] = (struct at_time){ time ? time : "", history_row(b->runs.history, past), i };
	}
	sort_plain(order, b->nr_columns, sizeof *order, at_time_cmp);
	for (size_t i = 0; i < b->nr_columns; i++)
		b->by_time[i] = order[i].column;
}

static void init_columns(struct bench *b)
{
	const struct bench_runs *r = &b->runs;
	size_t past = (r->recent ? r->recent->runs.nr : 0) + (r->history ? r->history->runs.nr : 0);
	b->columns = arena_alloc(&b->arena, nr_views(b) + past, sizeof *b->columns);
	/* without a stored baseline, the first control run is also the baseline, and has only one
	   column */
	if (r->baseline && r->baseline != r->controls)
		add_column(b, SOURCE_PIN, approved_view(b), NULL, b->pin);
	add_past(b, r->recent, SOURCE_RECENT);
	add_past(b, r->history, SOURCE_HISTORY);
	/* If there are fewer control runs than candidates, the last candidates form pairs with them:
	 * the first candidate may be the failed run that the pairs are to confirm. */
	size_t single =
	    r->nr_controls && r->nr_controls < r->nr_candidates ? r->nr_candidates - r->nr_controls : 0;
	for (size_t i = 0; i < r->nr_candidates; i++)
		add_column(b, i < single ? SOURCE_SINGLE : SOURCE_CANDIDATE, 1 + i, NULL, 0);
	for (size_t i = 0; i < r->nr_controls; i++)
		add_column(b, SOURCE_CONTROL, 1 + r->nr_candidates + i, NULL, 0);
	sort_columns(b);
}

static bool is_control(const struct bench *b, size_t view)
{
	return view > b->runs.nr_candidates && view <= b->runs.nr_candidates + b->runs.nr_controls;
}

/* Set those members of the bench that depend on all ranks of the approved run or of all runs. */
static void look_at_ranks(struct bench *b)
{
	const struct run *pin = b->approved;
	b->pin = past_source_hash(pin);
	b->against_itself = b->pin == past_source_hash(b->run[SIDE_CANDIDATE]);
	for (size_t i = 0; i < pin->ranks.nr; i++)
		b->before_period =
		    b->before_period || (pin->ranks.v[i]->nr_steps > 0 &&
		                         !digest_has_steps(pin->ranks.v[i], METRIC_STEP_PERIOD));
	for (size_t i = 0; i < nr_views(b); i++)
		for (size_t r = 0; !is_control(b, i) && r < b->view[i].run->ranks.nr; r++)
			number_raise(&b->tick_ns, b->view[i].run->ranks.v[r]->trust.tick_ns);
}

/* The sources of memory figures (such as snapshots) that all runs have in common, as bits of
   memory_sources(). A control run or the reference run is left out if it has none of the sources
   that the other runs share. */
static unsigned common_memory(const struct bench *b)
{
	unsigned common = ~0U;
	for (int may_lack = 0; may_lack <= 1; may_lack++)
		for (size_t i = 0; i < nr_views(b); i++) {
			unsigned sources = memory_sources(b->view[i].run);
			bool lax = is_control(b, i) || (i == 0 && b->run[SIDE_BASELINE] != b->approved);
			if (lax == may_lack && (!lax || common & sources))
				common &= sources;
		}
	return common;
}

void bench_init(struct bench *b, const struct bench_runs *runs, struct naming naming)
{
	*b = (struct bench){ .naming = naming, .runs = *runs, .arena = ARENA_INIT };
	b->approved = runs->baseline ? runs->baseline : &b->none;
	b->twin = past_find(runs->recent, b->approved);
	b->run[SIDE_BASELINE] = runs->reference ? runs->reference : b->approved;
	b->run[SIDE_CANDIDATE] = &runs->candidates[0];
	b->kinds = step_kinds_of(b->run[runs->baseline ? SIDE_BASELINE : SIDE_CANDIDATE],
	                         b->run[SIDE_CANDIDATE]);
	size_t nr = nr_views(b), first_control = 1 + runs->nr_candidates;
	b->view = arena_alloc(&b->arena, nr, sizeof *b->view);
	for (size_t i = 0; i < nr; i++)
		run_view_init(&b->view[i],
		              i == 0              ? b->run[SIDE_BASELINE]
		              : i < first_control ? &runs->candidates[i - 1]
		              : is_control(b, i)  ? &runs->controls[i - first_control]
		                                  : b->approved,
		              &b->naming);
	b->memory = common_memory(b);
	for (size_t i = 0; i < nr; i++)
		b->view[i].by_trace = memory_is_by_trace(b->memory);
	run_views_align(b->view, nr, &b->arena);
	activity_pairs_init(&b->pairs, &b->view[SIDE_BASELINE], &b->view[SIDE_CANDIDATE],
	                    runs->nr_candidates, (struct rank_scope){ 0 });
	look_at_ranks(b);
	init_columns(b);
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
		return run_has(&b->view[SIDE_BASELINE], m) || run_has(&b->view[approved_view(b)], m);
	return ANY(i, b->runs.nr_candidates, run_has(&b->view[SIDE_CANDIDATE + i], m));
}

bool bench_lacks(const struct bench *b, enum side_index side, const struct query *q)
{
	size_t nr = side == SIDE_BASELINE ? 1 : b->runs.nr_candidates;
	return ANY(i, nr, fold_lacks(&b->view[side + i], q));
}

/* ---- values of the items in all runs ---- */

struct seen {
	struct span label, was;
	int64_t rank;
	size_t column;
	int64_t value, lacks;
};
struct seen_list {
	VEC(struct seen) list;
};

static void see_view(struct bench *b, size_t column, const struct query *q, struct seen_list *out)
{
	struct answers answers;
	const struct run_view *view = &b->view[b->columns[column].view];
	/* a folded run keeps all figures of only a few ranks: fold_lacks() says whether it can answer
	 * the query */
	if (run_fold(view->run) ? fold_lacks(view, q) : !run_has(view, q->metric))
		return;
	/* leave out a control run or the reference run if it has none of the sources of memory that the
	 * other runs share */
	if (q->metric->need == NEED_MEMORY && b->memory && !(b->memory & memory_sources(view->run)))
		return;
	run_query(view, q, &b->arena, &answers);
	for (size_t k = 0; k < answers.list.nr; k++) {
		const struct answer *a = &answers.list.v[k];
		vec_push(&out->list, (struct seen){ .label = a->label,
		                                    .rank = a->rank,
		                                    .column = column,
		                                    .value = a->value,
		                                    .lacks = a->lacks });
	}
	vec_release(&answers.list);
}

/* The text of the query under which a past run stores its answers; "" if the query is about memory
   and the past run has memory figures only from another source. Earlier gpugate versions stored no
   source of memory: their runs count as having the approved run's source. */
static const char *past_text(struct bench *b, const struct past_run *past, const struct query *q)
{
	const char *now = memory_source_of(b->memory);
	const char *then = past->memory ? past->memory : memory_source_of(memory_sources(b->approved));
	if (q->metric->need != NEED_MEMORY || !now || !then || strcmp(now, then) == 0)
		return query_text(q, &b->arena);
	return memory_is_by_trace(b->memory) ? query_text_of_trace(q, &b->arena) : "";
}

/* The answers of a past run to a query on figures of result files (input.NAME), which the run may
 * have stored by name or by a pattern. `*nr` becomes their number. */
static const struct past_value *past_inputs(struct bench *b, const struct past_run *run,
                                            const struct query *q, const char *text, size_t *nr)
{
	struct past_value *out = arena_alloc(&b->arena, run->values.nr + 1, sizeof *out);
	struct span asked = span_of(q->metric->name + strlen("input."));
	const char *rest = text + strlen(q->metric->name);
	for (size_t i = 0; i < run->values.nr; i++) {
		const struct past_value *v = &run->values.v[i];
		size_t n = strlen(v->query), end = strlen(rest), begin = strlen("input.");
		if (strncmp(v->query, "input.", begin) != 0 || n < begin + end ||
		    strcmp(v->query + n - end, rest) != 0)
			continue;
		/* a value that was stored by its name has no label */
		struct span own =
		    v->label.n ? v->label : (struct span){ v->query + begin, n - begin - end };
		if (span_eq(asked, own) || (q->metric->label && span_glob(asked, own))) {
			out[*nr] = *v;
			out[*nr].query = text;
			out[*nr].label = q->metric->label ? own : SPAN("");
			++*nr;
		}
	}
	if (*nr)
		sort_plain(out, *nr, sizeof *out, past_value_cmp);
	return out;
}

const struct past_value *bench_past_answers(struct bench *b, const struct past_run *run,
                                            const struct query *q, size_t *nr)
{
	static const char *const classes[] = { NULL, "compute", "communication" };
	const char *text = past_text(b, run, q);
	const struct past_value *v = past_query(run, text, nr);
	struct query all = *q;
	if (!*nr && q->metric->need == NEED_INPUT)
		return past_inputs(b, run, q, text, nr);
	for (const struct select_key *key = select_table; key->name && query_name(q); key++)
		if (*select_glob(&all, key) == query_name(q))
			*select_glob(&all, key) = NULL;
	/* Answers for one class (compute or communication) also answer the query for both classes, but
	 * only for kernels and categories: each of these belongs to one class. */
	enum label_kind kind = q->metric->label;
	bool any = !q->cls && (kind == LABEL_KERNEL || kind == LABEL_CATEGORY);
	size_t tries = !query_name(q) ? 0 : any ? NR_OF(classes) : 1;
	for (size_t i = 0; i < tries && !*nr; i++) {
		all.cls = any ? classes[i] : q->cls;
		v = past_query(run, past_text(b, run, &all), nr);
	}
	return v;
}

/* Collect the answers of a past run in the form that the candidate's answers have. A folded
 * candidate answers a query for each rank with the value of the worst rank. A candidate of several
 * ranks that is not folded has a value for each rank: the past run's value of the worst rank is
 * then left out. */
static void see_past(struct bench *b, size_t column, const struct query *q, struct seen_list *out)
{
	size_t nr = 0, first = out->list.nr;
	const struct run_view *candidate = &b->view[SIDE_CANDIDATE];
	enum reduce worst;
	bool files = q->metric->need == NEED_INPUT, folded = fold_gives_worst(candidate, q, &worst);
	bool by_rank = q->reduce == REDUCE_EACH && !folded && candidate->run->ranks.nr > 1;
	bool one = q->metric->label == LABEL_DEVICE || q->metric->label == LABEL_MEMORY;
	const struct past_value *v = bench_past_answers(b, b->columns[column].past, q, &nr);
	VEC(int64_t) ranks = VEC_INIT;
	for (size_t k = 0; k < nr; k++) {
		/* figures of result files are converted to the unit in which all runs are compared */
		enum unit unit = view_metric(&b->view[0], q->metric, v[k].label)->unit;
		struct decimal value = { v[k].value, v[k].digits };
		struct seen s = { .label = folded && one ? SPAN("") : v[k].label,
			              .rank = folded ? -1 : v[k].rank,
			              .column = column,
			              .value = files ? decimal_scaled(value, unit_digits(unit)) : v[k].value };
		struct seen *last = out->list.nr > first ? &out->list.v[out->list.nr - 1] : NULL;
		bool joins = folded && last && span_eq(last->label, s.label);
		if (!joins)
			ranks.nr = 0;
		vec_push(&ranks, s.value);
		if (joins)
			last->value = reduce_of(worst, ranks.v, ranks.nr);
		else if (!by_rank || s.rank >= 0)
			vec_push(&out->list, s);
	}
	vec_release(&ranks);
}

static int same_item(const struct seen *x, const struct seen *y)
{
	int c = span_cmp(x->label, y->label);
	return c ? c : COMPARE(x->rank, y->rank);
}

ORDERING(seen_cmp, struct seen, THEN(same_item(x, y)) RISING(column))

static bool is_candidate(const struct bench *b, size_t i)
{
	return b->columns[i].source == SOURCE_SINGLE || b->columns[i].source == SOURCE_CANDIDATE;
}

static bool candidate_has(const struct bench *b, const struct seen_list *seen, struct seen item)
{
	for (item.column = 0; item.column < b->nr_columns; item.column++)
		if (is_candidate(b, item.column) &&
		    bsearch(&item, seen->list.v, seen->list.nr, sizeof item, seen_cmp))
			return true;
	return false;
}

/* In all runs except the candidate's, give the values of a renamed kernel the new name, if the
   candidate has a value under that name. The old and the new name are then one item. */
static void join_renamed(const struct bench *b, struct seen_list *seen)
{
	struct seen_list joined = { 0 };
	for (size_t i = 0; i < seen->list.nr; i++) {
		struct seen s = seen->list.v[i];
		const struct activity_pair *a = drift_find(&b->pairs, s.label);
		struct seen now = { .rank = s.rank };
		if (!is_candidate(b, s.column) && a && a->partner && a->count[SIDE_CANDIDATE] <= 0) {
			now.label = a->partner->name;
			if (candidate_has(b, seen, now)) {
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

/* ---- the entry of one item ---- */

/* A bit in addition to the bits 1 << enum bench_source. It selects the cells whose member
   `reference` is set. */
enum { REFERENCE = 1 << NR_SOURCES };

/* Set the values of one side to those of the runs that `from` selects by its bits. Their median is
   the side's value. */
static void take(struct bench *b, struct entry *e, int side, int from)
{
	int64_t *runs = arena_alloc(&b->arena, 2 * b->nr_columns, sizeof *runs);
	size_t nr = 0;
	for (size_t i = 0; i < b->nr_columns; i++)
		if (e->cells[i].has &&
		    (from >> b->columns[i].source & 1 || (from & REFERENCE && e->cells[i].reference)))
			runs[nr++] = e->cells[i].value;
	if (nr == 0)
		return;
	memcpy(runs + nr, runs, nr * sizeof *runs);
	e->has[side] = true;
	e->runs[side] = runs;
	e->nr_runs[side] = nr;
	e->value[side] = number_median(runs + nr, nr);
}

static size_t count_of(const struct bench *b, const struct entry *e, enum bench_source source)
{
	size_t nr = 0;
	for (size_t i = 0; i < b->nr_columns; i++)
		nr += e->cells[i].has && b->columns[i].source == source;
	return nr;
}

/* Index of the first value after the last change of level for the better; 0 if there was no such
   change. */
static size_t better_from(const int64_t *v, size_t nr, enum worse worse)
{
	struct change_list points;
	size_t from = 0;
	changes_find(v, nr, CHANGE_CHANCE, true, &points);
	for (size_t i = 0; i < points.list.nr; i++)
		if (points.list.v[i].up == (worse == WORSE_DOWN))
			from = points.list.v[i].at;
	vec_release(&points.list);
	return from;
}

/* Mark the runs of main whose median is the baseline's value of the item. Once runs of three jobs
   of main show a better level, earlier runs no longer count. Otherwise, a change that undoes the
   gain would pass until most runs are on the better level. */
static void find_reference(struct bench *b, const struct entry *e, struct cell *cells,
                           enum worse worse)
{
	/* with enough recent runs, the median is theirs; the approved run counts only if it is one of
	   them */
	bool pin = b->twin || b->min_runs <= 0 || count_of(b, e, SOURCE_RECENT) < (uint64_t)b->min_runs;
	int64_t *v = arena_alloc(&b->arena, b->nr_columns, sizeof *v);
	size_t *at = arena_alloc(&b->arena, b->nr_columns, sizeof *at), nr = 0;
	const char *job = NULL;
	for (size_t k = 0; k < b->nr_columns; k++) {
		struct cell *cell = &cells[b->by_time[k]];
		const struct bench_column *column = &b->columns[b->by_time[k]];
		const char *own = column->past ? column->past->together : NULL;
		cell->reference =
		    cell->has && (column->source == SOURCE_RECENT || (column->source == SOURCE_PIN && pin));
		if (!cell->reference || (job && own && strcmp(job, own) == 0))
			continue;
		job = own;
		at[nr] = k;
		v[nr++] = cell->value;
	}
	size_t from = worse == WORSE_EITHER ? 0 : better_from(v, nr, worse);
	for (size_t k = 0; from && k < at[from]; k++)
		cells[b->by_time[k]].reference = false;
}

static void fill_sides(struct bench *b, struct entry *e, struct cell *cells, const struct metric *m,
                       enum worse worse)
{
	e->cells = cells;
	find_reference(b, e, cells, worse);
	for (size_t i = 0; i < b->nr_columns; i++) {
		if (b->columns[i].source == SOURCE_PIN && e->cells[i].has) {
			e->has_pin = true;
			e->pin = e->cells[i].value;
		}
		if (b->columns[i].view == 0 && e->cells[i].has) {
			e->is_explained = true;
			e->explained = e->cells[i].value;
		}
	}
	bool control =
	    (!m->exact || b->runs.baseline == b->runs.controls) && count_of(b, e, SOURCE_CONTROL) > 0;
	take(b, e, SIDE_BASELINE, control ? 1 << SOURCE_CONTROL : REFERENCE);
	take(b, e, SIDE_CANDIDATE, 1 << SOURCE_CANDIDATE | m->exact << SOURCE_SINGLE);
	if (b->runs.controls && b->runs.baseline == b->runs.controls) {
		e->has_pin = e->is_explained = e->has[SIDE_BASELINE];
		e->pin = e->explained = e->value[SIDE_BASELINE];
	}
}

/* Make the entry of one item; `seen` has the item's values in all runs, sorted by column. */
static void make_entry(struct bench *b, struct entry *e, const struct query *q,
                       const struct seen *seen, size_t nr)
{
	struct cell *cells = arena_alloc(&b->arena, b->nr_columns, sizeof *cells);
	e->label = seen->label;
	e->rank = seen->rank;
	for (size_t i = 0; i < nr; i++) {
		cells[seen[i].column] = (struct cell){ true, seen[i].value, seen[i].lacks, false };
		if (seen[i].was.n)
			e->was = seen[i].was;
	}
	fill_sides(b, e, cells, q->metric,
	           q->better ? worse_of(q->better)
	                     : view_metric(&b->view[0], q->metric, e->label)->worse);
}

/* For each item, count the ranks that lack it in the run of column `i`, and return the smallest of
 * these numbers; -1 if the run has no value of any of the items. */
static int64_t least_lacking(const struct entry *items, size_t nr, size_t i)
{
	int64_t least = -1;
	for (size_t k = 0; k < nr; k++) {
		const struct cell *c = &items[k].cells[i];
		if (c->has && (least < 0 || c->lacks < least))
			least = c->lacks;
	}
	return least;
}

const struct run *bench_in_some(const struct bench *b, const struct entry *items, size_t nr,
                                int64_t *ranks)
{
	int64_t usual = -1;
	for (size_t i = 0; i < b->nr_columns; i++) {
		enum bench_source source = b->columns[i].source;
		if (source == SOURCE_PIN || source == SOURCE_CONTROL)
			number_raise(&usual, least_lacking(items, nr, i));
	}
	for (size_t i = 0; i < b->nr_columns && usual >= 0; i++) {
		int64_t lacking = least_lacking(items, nr, i);
		if (!is_candidate(b, i) || (lacking >= 0 && lacking <= usual))
			continue;
		const struct run *run = b->view[b->columns[i].view].run;
		*ranks = lacking < 0 ? 0 : (int64_t)run_nr_ranks(run) - lacking;
		return run;
	}
	return NULL;
}

struct entry bench_sum(struct bench *b, const struct metric *m, const struct entry *items,
                       size_t nr, struct span label)
{
	struct cell *cells = arena_alloc(&b->arena, b->nr_columns, sizeof *cells);
	struct entry sum = { .label = label, .rank = items[0].rank };
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < b->nr_columns; k++)
			if (items[i].cells[k].has)
				cells[k] = (struct cell){ true, number_add(cells[k].value, items[i].cells[k].value),
					                      0, false };
	fill_sides(b, &sum, cells, m, m->worse);
	return sum;
}

void bench_query(struct bench *b, const struct query *q, struct entries *out)
{
	struct seen_list seen = { 0 };
	*out = (struct entries){ 0 };
	for (size_t i = 0; i < b->nr_columns; i++)
		if (b->columns[i].view == NO_VIEW)
			see_past(b, i, q, &seen);
		else
			see_view(b, i, q, &seen);
	vec_sort(&seen.list, seen_cmp);
	seen.list.nr = query_keep_named(q, seen.list.v, seen.list.nr, sizeof *seen.list.v, &b->arena);
	if (q->metric->label == LABEL_KERNEL && b->pairs.renamed)
		join_renamed(b, &seen);
	for (size_t i = 0, end; i < seen.list.nr; i = end) {
		const struct seen *first = &seen.list.v[i];
		struct entry *e = vec_push_zero(&out->list);
		for (end = i + 1; end < seen.list.nr && same_item(first, &seen.list.v[end]) == 0;)
			end++;
		make_entry(b, e, q, first, end - i);
		if (!e->has[SIDE_BASELINE] && !e->has[SIDE_CANDIDATE])
			out->list.nr--; /* only runs that merely show how large the noise is have the item */
	}
	vec_release(&seen.list);
}
