/* Moves the columns of a stored fold into the members of struct fold. Everything in a file is
   checked before it is used. */
#include "store/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/// Largest number of ranks of a folded run.
enum { RANKS_MAX = 1 << 18 };

const size_t fold_match_columns[NR_MATCH_COLUMNS] = {
	offsetof(struct fold_match, step),         offsetof(struct fold_match, place),
	offsetof(struct fold_match, dur.count),    offsetof(struct fold_match, dur.high),
	offsetof(struct fold_match, dur.low),      offsetof(struct fold_match, dur.min),
	offsetof(struct fold_match, dur.second),   offsetof(struct fold_match, dur.max),
	offsetof(struct fold_match, dur.min_rank), offsetof(struct fold_match, dur.max_rank),
};
const size_t fold_member_columns[NR_MEMBER_COLUMNS] = {
	offsetof(struct fold_member, rank),
	offsetof(struct fold_member, count),
	offsetof(struct fold_member, dur_ns),
};

struct placer {
	struct stored_fold *s;
	size_t next; ///< index of the next column
	bool fine; ///< false once a column did not fit
};

/* The next column; an empty one if there is none. If `differences`, the file has differences
   from each number to the next, and this function restores the numbers. */
static struct column *next_column(struct placer *p, bool differences)
{
	static struct column none;
	if (!p->fine || p->next == p->s->columns.nr) {
		p->fine = false;
		return &none;
	}
	struct column *c = &p->s->columns.v[p->next++];
	uint64_t last = 0;
	for (size_t i = 0; differences && i < c->nr; i++)
		if (c->v[i] != FOLD_ABSENT)
			c->v[i] = (int64_t)(last += (uint64_t)c->v[i]);
	return c;
}

static size_t next_size(const struct placer *p)
{
	return p->next < p->s->columns.nr ? p->s->columns.v[p->next].nr : 0;
}

/* The next column, owned by the caller. NULL if it does not have exactly `nr` numbers, or if one of
 * them is FOLD_ABSENT and `may_lack` is false. */
static int64_t *take_numbers(struct placer *p, size_t nr, bool may_lack)
{
	struct column *c = next_column(p, true);
	p->fine = p->fine && c->nr == nr;
	for (size_t i = 0; i < c->nr && !may_lack; i++)
		p->fine = p->fine && c->v[i] != FOLD_ABSENT;
	if (!p->fine)
		return NULL;
	int64_t *v = mem_realloc(c->v, nr + 1, sizeof *v); /* releases spare memory; + 1, since `nr`
	                                                      may be 0 */
	*c = (struct column){ 0 };
	return v;
}

/* Like take_numbers(), for a column that is stored as one number if all its numbers are equal. */
static int64_t *take_same(struct placer *p, size_t nr)
{
	size_t has = next_size(p);
	int64_t *v = take_numbers(p, has == 1 ? 1 : nr, false);
	if (v && has == 1 && nr > 1) {
		v = mem_realloc(v, nr, sizeof *v);
		for (size_t i = 1; i < nr; i++)
			v[i] = v[0];
	}
	return v;
}

/* Reads `nr` bins of the histogram `t` from a column, from index `*at` on. A bin is stored as two
   numbers: the difference of its key from the key of the bin before, and its count. */
static void take_bins(struct placer *p, const struct column *c, size_t *at, size_t nr,
                      struct tally *t)
{
	uint64_t key = 0;
	if (nr > (c->nr - *at) / 2)
		p->fine = false;
	for (size_t i = 0; i < nr && p->fine; i++) {
		key += (uint64_t)c->v[*at];
		vec_push(&t->bins, (struct tally_bin){ (int64_t)key, c->v[*at + 1] });
		*at += 2;
	}
	p->fine = p->fine && tally_is_sound(t);
}

static bool has_rank(const struct fold *f, int64_t rank)
{
	return bsearch(&rank, f->rank, f->nr, sizeof rank, number_cmp_i64);
}

static void place_ranks(struct placer *p, struct fold *f)
{
	f->nr = p->s->columns.nr ? p->s->columns.v[0].nr : 0;
	p->fine = p->fine && f->nr > 0 && f->nr <= RANKS_MAX;
	f->rank = take_numbers(p, f->nr, false);
	for (size_t i = 0; i < f->nr && p->fine; i++)
		p->fine = f->rank[i] >= 0 && f->rank[i] <= RANK_MAX && (!i || f->rank[i] > f->rank[i - 1]);
}

/* Fills f->number, one column for each kind of number (enum fold_number), with one number for each
 * rank. Kinds that an earlier version did not store become 0 for all ranks. */
static void place_numbers(struct placer *p, struct fold *f)
{
	const struct column *c = next_column(p, true);
	size_t nr = p->fine && c->nr == 1 && c->v[0] > FOLD_TRUST ? (size_t)c->v[0] : 0;
	p->fine = p->fine && nr > 0 && nr <= NR_FOLD_NUMBERS;
	for (size_t i = 0; i < NR_FOLD_NUMBERS && p->fine; i++)
		f->number[i] = i < nr ? take_same(p, f->nr) : mem_calloc(f->nr, sizeof *f->number[i]);
}

static void place_patterns(struct placer *p, struct fold *f)
{
	struct column *c = next_column(p, true);
	size_t nr = p->fine && c->nr == 1 && c->v[0] >= 0 ? (size_t)c->v[0] : 0;
	p->fine = p->fine && nr > 0;
	for (size_t i = 0; i < nr && p->fine; i++) {
		c = next_column(p, true);
		struct fold_pattern *one = vec_push_zero(&f->patterns);
		one->nr = c->nr;
		one->v = arena_alloc(&f->arena, c->nr, sizeof *one->v);
		for (size_t k = 0; k < c->nr; k++) {
			one->v[k] = c->v[k];
			p->fine = p->fine && c->v[k] >= 0;
		}
		p->fine = p->fine && (!i || fold_pattern_cmp(one - 1, one) < 0);
	}
}

/* Checks counts and indices. They must not be negative, with two exceptions: a hash (FOLD_SOURCE)
 * may be any number, and the last step (FOLD_STEP) is -1 if a rank has begun no step. */
static void check_numbers(struct placer *p, const struct fold *f)
{
	for (size_t i = 0; i < NR_FOLD_NUMBERS && p->fine; i++)
		for (size_t k = 0; k < f->nr && i != FOLD_SOURCE && i != FOLD_STEP; k++)
			p->fine = p->fine && f->number[i][k] >= 0;
	for (size_t k = 0; k < f->nr && p->fine; k++) {
		int64_t pattern = f->number[FOLD_PATTERN][k], usable = f->number[FOLD_USABLE][k];
		p->fine = (uint64_t)pattern < f->patterns.nr &&
		          (uint64_t)f->number[FOLD_DEED][k] < f->deeds.nr &&
		          (uint64_t)f->number[FOLD_STEPS][k] == f->patterns.v[pattern].nr &&
		          usable <= f->number[FOLD_STEPS][k] && f->number[FOLD_STEP][k] >= -1 &&
		          f->number[FOLD_FEWER_KIND][k] < NR_COLLECTIVE_KINDS;
	}
}

static void place_figures(struct placer *p, struct fold *f)
{
	for (size_t i = 0; i < f->figures.nr && p->fine; i++) {
		struct fold_figure *g = &f->figures.v[i];
		size_t at = 0;
		p->fine = metric_table[g->metric].per_step || g->stat == STAT_MEDIAN;
		if (f->by_rank && fold_is_by_rank(g)) {
			p->fine = p->fine && g->tally.count == 0;
			g->value = take_numbers(p, f->nr, true);
			continue;
		}
		const struct column *c = next_column(p, false);
		if (p->fine)
			take_bins(p, c, &at, c->nr / 2, &g->tally);
		p->fine = p->fine && at == c->nr && (uint64_t)g->tally.count <= f->nr;
	}
}

/* Fills `vec`, an empty VEC of structs of `size` bytes. Each of the members at `offsets` gets the
 * values of a column; other members are 0. (Every VEC is a pointer and two sizes.) */
static void place_members(struct placer *p, void *vec, size_t size, const size_t *offsets,
                          size_t nr_offsets)
{
	size_t nr = next_size(p);
	VEC(char) rows = { mem_calloc(nr, size), nr, nr };
	for (size_t i = 0; i < nr_offsets; i++) {
		int64_t *column = take_numbers(p, nr, false);
		for (size_t k = 0; k < nr && p->fine; k++)
			*(int64_t *)(void *)(rows.v + k * size + offsets[i]) = column[k];
		free(column);
	}
	memcpy(vec, &rows, sizeof rows);
}

static void check_series(struct placer *p, const struct fold *f, const struct fold_series *s)
{
	for (size_t i = 0; i < s->members.nr && p->fine; i++) {
		const struct fold_member *m = &s->members.v[i];
		p->fine = has_rank(f, m->rank) && m->count > 0 && m->dur_ns >= 0 &&
		          (!i || m->rank > s->members.v[i - 1].rank);
	}
	for (size_t i = 0; i < s->matches.nr && p->fine; i++) {
		const struct fold_match *m = &s->matches.v[i];
		p->fine = has_rank(f, m->dur.min_rank) && m->dur.min >= 0 && m->place >= 0 &&
		          (uint64_t)m->dur.count <= s->members.nr &&
		          (!i || fold_match_cmp(&s->matches.v[i - 1], m) < 0);
	}
}

static void place_series(struct placer *p, const struct fold *f, struct fold_series *s)
{
	size_t at = 0;
	place_members(p, &s->members, sizeof *s->members.v, fold_member_columns, NR_MEMBER_COLUMNS);
	place_members(p, &s->matches, sizeof *s->matches.v, fold_match_columns, NR_MATCH_COLUMNS);
	const struct column *bins = next_column(p, false);
	for (size_t i = 0; i < s->matches.nr && p->fine; i++) {
		s->matches.v[i].dur.median = TALLY_UNKNOWN;
		p->fine = at < bins->nr && bins->v[at] > 0;
		if (p->fine) {
			size_t own = (size_t)bins->v[at++];
			take_bins(p, bins, &at, own, &s->matches.v[i].dur);
		}
	}
	p->fine = p->fine && at == bins->nr && s->members.nr > 0 && s->matches.nr > 0;
	check_series(p, f, s);
}

bool fold_place_columns(struct stored_fold *s)
{
	struct placer p = { .s = s, .fine = s->has_columns };
	struct fold *f = &s->fold;
	place_ranks(&p, f);
	if (f->by_rank && p.fine) {
		place_numbers(&p, f);
		place_patterns(&p, f);
		check_numbers(&p, f);
	}
	place_figures(&p, f);
	for (size_t i = 0; i < f->series.nr && p.fine; i++)
		place_series(&p, f, &f->series.v[i]);
	return p.fine && p.next == s->columns.nr && f->is_mean == !f->by_rank;
}
