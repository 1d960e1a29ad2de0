#include "fold/make.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "model/rows.h"

/* ---- rows, and the members that identify a digest ---- */

/* Joins the launch shapes of two rows: if they differ, the shape becomes unknown. */
static void join_shape(int64_t *x, const int64_t *y)
{
	if (memcmp(x, y, 3 * sizeof *x) != 0)
		x[0] = x[1] = x[2] = -1;
}

/* Joins two rows like the rows of two profiler cycles of one rank, except that the result must not
 * depend on the order of the two. */
static void join_row(const struct schema *s, void *row, const void *more)
{
	if (s != &kernel_stat_row) {
		row_add(s, ROWS_OF_CYCLES, row, more);
		return;
	}
	struct kernel_stat *x = row, was = *x;
	const struct kernel_stat *y = more;
	__int128 sum = kernel_occupancy_sum(x) + kernel_occupancy_sum(y);
	int64_t ns = number_add(kernel_occupancy_ns(x), kernel_occupancy_ns(y));
	row_add(s, ROWS_OF_CYCLES, x, y);
	x->occupancy = was.occupancy > y->occupancy ? was.occupancy : y->occupancy;
	x->occupancy_ns = ns;
	x->occupancy_rest = 0;
	if (ns > 0) {
		x->occupancy = number_div_round(sum, ns);
		x->occupancy_rest = (int64_t)(sum - (__int128)x->occupancy * ns);
	}
	memcpy(x->grid, was.grid, sizeof x->grid);
	memcpy(x->block, was.block, sizeof x->block);
	join_shape(x->grid, y->grid);
	join_shape(x->block, y->block);
}

static void join_comm(void *row, void *more)
{
	join_row(&comm_stat_row, row, more);
}

/* Joins collectives. Groups with one description become one row, since each rank may have a group
   name of its own. */
static void join_comms(struct digest *into, const struct digest *from)
{
	VEC(struct comm_stat) rows = VEC_INIT;
	for (size_t i = 0; i < from->comms.nr; i++) {
		vec_push(&rows, from->comms.v[i]);
		rows.v[i].group_name = SPAN("");
	}
	vec_unite(&rows, comm_stat_cmp, join_comm);
	rows_join(&comm_stat_row, &into->comms, &rows, join_row);
	vec_release(&rows);
}

#define SEVERAL "several"

static void join_env(struct digest *into, const struct digest *from)
{
	for (size_t i = 0; i < from->env.nr; i++) {
		const struct env_entry *e = &from->env.v[i];
		const char *own = digest_env(into, e->key);
		if (!own)
			digest_set_env(into, span_of(e->key), span_of(e->value));
		else if (strcmp(own, e->value) != 0)
			digest_set_env(into, span_of(e->key), SPAN(SEVERAL));
	}
}

const char *fold_fault(const struct digest *a, const struct digest *b)
{
	if (strcmp(a->marker, b->marker) != 0 || strcmp(a->communication, b->communication) != 0 ||
	    a->warmup != b->warmup)
		return "they were reduced with other settings (marker, warm-up or categories)";
	if (a->attribution != b->attribution)
		return "activities belong to steps by their launch in one, and by their start in the other";
	if (a->window != b->window || !a->period_count != !b->period_count)
		return "their steps were found in different ways";
	return a->world_size != b->world_size ? "they are of jobs of different sizes" : NULL;
}

/* Joins the members outside of the lists. Members that are equal on all ranks are taken from the
 * first digest. Each other member becomes the lowest value, the highest value or the sum, so that
 * the result does not depend on the order of digests. */
static void join_identity(struct digest *into, const struct digest *from)
{
	bool first = !into->trace;
	if (first) {
		into->rank = -1;
		into->world_size = from->world_size;
		into->marker = from->marker;
		into->communication = from->communication;
		into->warmup = from->warmup;
		into->attribution = from->attribution;
		into->window = from->window;
		into->unmarked = from->unmarked;
		into->start_ns = from->start_ns;
		into->period_regularity = from->period_regularity;
		into->device_memory = from->device_memory;
	}
	if (first || strcmp(from->trace ? from->trace : "", into->trace) < 0)
		into->trace = from->trace ? from->trace : "";
	number_lower(&into->start_ns, from->start_ns);
	number_lower(&into->period_regularity, from->period_regularity);
	number_raise(&into->period_count, from->period_count);
	number_raise(&into->period_launches, from->period_launches);
	number_raise(&into->total_steps, from->total_steps);
	number_raise(&into->window_ns, from->window_ns);
	into->events = number_add(into->events, from->events);
	into->collectives_cut = 0;
	if (into->device_memory != from->device_memory)
		into->device_memory = MEMORY_UNKNOWN;
	/* the hash of a folded digest is a sum of one number for each rank, which is made from the
	 * rank's hash */
	into->source_hash +=
	    from->fold ? from->source_hash : (from->source_hash | 1) * 0x9e3779b97f4a7c15u;
}

void fold_join_rows(struct digest *into, const struct digest *from)
{
	join_identity(into, from);
	join_env(into, from);
	row_add(&trust_counts_row, ROWS_OF_CYCLES, &into->trust, &from->trust);
	into->trust.fault_byte = 0;
	join_comms(into, from);
	for (const struct digest_list *l = digest_lists; l < digest_lists + nr_digest_lists; l++)
		if (l->summed && l->row != &comm_stat_row)
			rows_join(l->row, (char *)into + l->offset, (const char *)from + l->offset, join_row);
}

/* ---- numbers, figures and series of folds ---- */

/* For each rank of two folds, its index among the `nr` ranks of both folds together. */
struct places {
	size_t *into, *more, nr;
};

static struct places places_of(const struct fold *a, const struct fold *b)
{
	struct places p = { mem_calloc(a->nr, sizeof *p.into), mem_calloc(b->nr, sizeof *p.more), 0 };
	for (size_t i = 0, k = 0; i < a->nr || k < b->nr; p.nr++)
		if (k == b->nr || (i < a->nr && a->rank[i] < b->rank[k]))
			p.into[i++] = p.nr;
		else
			p.more[k++] = p.nr;
	return p;
}

/* One array with the values of the ranks of both folds. If `a` or `b` is NULL, its ranks get
 * FOLD_ABSENT. Frees `a`. */
static int64_t *join_column(const struct places *p, int64_t *a, size_t nr_a, const int64_t *b,
                            size_t nr_b)
{
	int64_t *out = mem_calloc(p->nr, sizeof *out);
	for (size_t i = 0; i < nr_a; i++)
		out[p->into[i]] = a ? a[i] : FOLD_ABSENT;
	for (size_t i = 0; i < nr_b; i++)
		out[p->more[i]] = b ? b[i] : FOLD_ABSENT;
	free(a);
	return out;
}

/* Merges the list `more` into the list `into`, each a VEC of elements of `size` bytes, sorted by
 * `cmp`. numbers[0] and numbers[1] are arrays of indices into the two lists; they become indices
 * into the merged list. */
static void join_indexed(void *into, const void *more, size_t size, row_compare *cmp,
                         int64_t *const numbers[2], const size_t nr[2])
{
	VEC(char) was[2], all = VEC_INIT;
	memcpy(&was[0], into, sizeof *was);
	memcpy(&was[1], more, sizeof *was);
	vec_reserve(&all, (was[0].nr + was[1].nr) * size);
	for (int k = 0; k < 2; k++) {
		if (was[k].nr)
			memcpy(all.v + all.nr * size, was[k].v, was[k].nr * size);
		all.nr += was[k].nr;
	}
	sort_unite(&all, size, cmp, NULL);
	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < nr[k]; i++) {
			const void *element = was[k].v + (size_t)numbers[k][i] * size;
			numbers[k][i] = (int64_t)lower_bound(all.v, all.nr, size, element, cmp);
		}
	free(was[0].v);
	all.cap = all.nr;
	memcpy(into, &all, sizeof all);
}

static void join_figure(const struct places *p, struct fold *into, struct fold_figure *x,
                        struct fold *more, struct fold_figure *y)
{
	if (!(x ? x : y)->value)
		tally_join(&x->tally, &y->tally);
	else
		x->value = join_column(p, x->value, into->nr, y ? y->value : NULL, more->nr);
}

/* Moves the figures of `more` to `into`; figures with equal keys are joined. */
static void join_figures(const struct places *p, struct fold *into, struct fold *more)
{
	struct fold was = *into;
	memset(&into->figures, 0, sizeof into->figures);
	vec_reserve(&into->figures, was.figures.nr + more->figures.nr);
	for (size_t i = 0, k = 0; i < was.figures.nr || k < more->figures.nr;) {
		struct fold_figure *x = i < was.figures.nr ? &was.figures.v[i] : NULL;
		struct fold_figure *y = k < more->figures.nr ? &more->figures.v[k] : NULL;
		int c = !x ? 1 : !y ? -1 : fold_figure_cmp(x, y);
		struct fold_figure *out = vec_push_zero(&into->figures);
		*out = c <= 0 ? *x : *y;
		if (c == 0)
			join_figure(p, &was, out, more, y);
		else if (out->value && c < 0)
			out->value = join_column(p, out->value, was.nr, NULL, more->nr);
		else if (out->value) {
			int64_t *own = y->value;
			out->value = join_column(p, NULL, was.nr, own, more->nr);
			free(own);
		}
		if (c == 0) {
			free(y->value);
			tally_release(&y->tally);
		}
		i += c <= 0;
		k += c >= 0;
	}
	more->figures.nr = 0;
	vec_release(&was.figures);
}

static void join_match(void *first, void *more)
{
	struct fold_match *x = first, *y = more;
	tally_join(&x->dur, &y->dur);
	tally_release(&y->dur);
}

ORDERING(member_cmp, struct fold_member, RISING(rank))

static void join_series(void *first, void *more)
{
	struct fold_series *x = first, *y = more;
	vec_move(&x->matches, &y->matches);
	vec_unite(&x->matches, fold_match_cmp, join_match);
	vec_move(&x->members, &y->members);
	vec_sort(&x->members, member_cmp);
	vec_release(&y->members);
	vec_release(&y->matches);
}

ORDERING_POINTERS(kept_cmp, struct digest, THEN(run_digest_cmp(x, y)))

void fold_join(struct digest *into, struct digest *more)
{
	struct fold *a = into->fold, *b = more->fold;
	struct places p = places_of(a, b);
	fold_join_rows(into, more);
	const size_t nr[2] = { a->nr, b->nr };
	join_indexed(&a->patterns, &b->patterns, sizeof *a->patterns.v, fold_pattern_cmp,
	             (int64_t *[]){ a->number[FOLD_PATTERN], b->number[FOLD_PATTERN] }, nr);
	join_indexed(&a->deeds, &b->deeds, sizeof *a->deeds.v, fold_deed_cmp,
	             (int64_t *[]){ a->number[FOLD_DEED], b->number[FOLD_DEED] }, nr);
	join_figures(&p, a, b);
	vec_move(&a->series, &b->series);
	vec_unite(&a->series, fold_series_cmp, join_series);
	for (size_t i = 0; i < NR_FOLD_NUMBERS; i++) {
		a->number[i] = join_column(&p, a->number[i], a->nr, b->number[i], b->nr);
		free(b->number[i]);
		b->number[i] = NULL;
	}
	a->rank = join_column(&p, a->rank, a->nr, b->rank, b->nr);
	free(b->rank);
	b->rank = NULL;
	a->nr = p.nr;
	vec_move(&a->kept.ranks, &b->kept.ranks);
	vec_sort(&a->kept.ranks, kept_cmp);
	fold_keep(a);
	digest_forget(more);
	free(p.into);
	free(p.more);
	digest_own(into, more); /* the arena of `more` owns texts that `into` uses now */
}
