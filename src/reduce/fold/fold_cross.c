/* Collectives of process groups whose ranks are in several blocks (FOLD_BLOCK ranks, which are
 * folded by themselves). A series has the collectives of one kind and group. Each block adds up the
 * durations on its own ranks. Once all blocks are folded, the collectives are matched by means of
 * these sums. */
#include <stdlib.h>

#include "base/number.h"
#include "fold/make.h"
#include "model/ranks.h"

/* ---- collectives of one block of ranks ---- */

/* A kind of collective and process group that one rank uses. */
struct use {
	struct fold_series key; ///< kind, group and group size; the lists of this struct stay empty
	size_t rank; ///< index of the rank in the run
	int64_t comm; ///< index of the row in the rank's list `comms`
};

struct taker {
	const struct run *run;
	struct fold *fold;
	VEC(struct use) uses;
};

ORDERING(use_cmp, struct use, THEN(fold_series_cmp(&x->key, &y->key)) RISING(rank) RISING(comm))

static void find_uses(struct taker *t)
{
	for (size_t r = 0; r < t->run->ranks.nr; r++) {
		const struct digest *d = t->run->ranks.v[r];
		for (size_t i = 0; i < d->comms.nr; i++) {
			const struct comm_stat *c = &d->comms.v[i];
			struct fold_series key = { .kind = c->kind,
				                       .group_size = c->group_size,
				                       .group = c->group_name.n ? c->group_name : c->group };
			vec_push(&t->uses, (struct use){ key, r, (int64_t)i });
		}
	}
	vec_sort(&t->uses, use_cmp);
}

static size_t ranks_of(const struct use *v, size_t nr)
{
	size_t ranks = 0;
	for (size_t i = 0; i < nr; i++)
		ranks += i == 0 || v[i].rank != v[i - 1].rank;
	return ranks;
}

/* One collective on one rank: the step's number, the collective's index among those of the series
 * in this step, the rank, the duration. */
struct call {
	int64_t step, place, rank, dur_ns;
};
struct calls {
	VEC(struct call) list;
};

ORDERING(call_cmp, struct call, RISING(step) RISING(place) RISING(rank))

/* Copies the collectives that one rank has in the series to `out`. In the rank's own list, their
 * `comm` becomes -1, so that they are not matched within the block. */
static void take_rank(struct digest *d, const struct use *uses, size_t nr, struct fold_series *s,
                      struct calls *out)
{
	struct fold_member m = { d->rank, 0, 0 };
	int64_t steps = digest_covered_steps(d), step = -1, place = 0;
	for (size_t i = 0; i < d->collectives.nr; i++) {
		struct collective *c = &d->collectives.v[i];
		if (!ANY(k, nr, c->comm == uses[k].comm))
			continue;
		if (c->step >= 0 && c->step < steps) {
			place = c->step == step ? place + 1 : 0;
			step = c->step;
			vec_push(&out->list, (struct call){ d->step_numbers[step], place, d->rank, c->dur_ns });
			m.count++;
			m.dur_ns = number_add(m.dur_ns, c->dur_ns);
		}
		c->comm = -1;
	}
	if (m.count)
		vec_push(&s->members, m);
}

static void take_series(struct taker *t, const struct use *v, size_t nr)
{
	struct fold_series s = v[0].key;
	struct calls calls = { 0 };
	s.group = arena_span(&t->fold->arena, s.group);
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i; end < nr && v[end].rank == v[i].rank;)
			end++;
		take_rank(t->run->ranks.v[v[i].rank], v + i, end - i, &s, &calls);
	}
	vec_sort(&calls.list, call_cmp);
	for (size_t i = 0; i < calls.list.nr; i++) {
		const struct call *p = &calls.list.v[i];
		struct fold_match *last = s.matches.nr ? &s.matches.v[s.matches.nr - 1] : NULL;
		if (!last || last->step != p->step || last->place != p->place) {
			last = vec_push_zero(&s.matches);
			last->step = p->step;
			last->place = p->place;
		}
		tally_add(&last->dur, p->dur_ns, p->rank);
	}
	vec_release(&calls.list);
	if (s.members.nr)
		vec_push(&t->fold->series, s);
}

void fold_take_series(const struct run *run, struct fold *f)
{
	struct taker t = { .run = run, .fold = f };
	find_uses(&t);
	for (size_t i = 0, end; i < t.uses.nr; i = end) {
		const struct fold_series *key = &t.uses.v[i].key;
		for (end = i; end < t.uses.nr && fold_series_cmp(&t.uses.v[end].key, key) == 0;)
			end++;
		bool one_sided = key->kind == COLLECTIVE_SEND || key->kind == COLLECTIVE_RECV;
		bool whole =
		    key->group_size >= 0 && ranks_of(t.uses.v + i, end - i) >= (uint64_t)key->group_size;
		if (!one_sided && !whole)
			take_series(&t, t.uses.v + i, end - i);
	}
	vec_release(&t.uses);
}

/* ---- matching when the ranks of all blocks are folded ---- */

/* True if the collectives of a series can be matched. They cannot be if the series has more ranks
 * than the group: several groups then have the same name. Kinds that may include sends and receives
 * are matched only if all ranks have equally many collectives. */
static bool is_matched(const struct fold_series *s)
{
	bool unsure = s->kind == COLLECTIVE_SEND_RECV || s->kind == COLLECTIVE_OTHER;
	bool even = ALL(i, s->members.nr, s->members.v[i].count == (int64_t)s->matches.nr);
	return s->members.nr > 1 && (even || !unsure) &&
	       (s->group_size < 0 || s->members.nr <= (uint64_t)s->group_size);
}

static size_t place_of(const struct fold *f, int64_t rank)
{
	const int64_t *found = bsearch(&rank, f->rank, f->nr, sizeof rank, number_cmp_i64);
	return (size_t)(found - f->rank);
}

static void add_to(struct fold *f, enum fold_number which, size_t at, int64_t more)
{
	f->number[which][at] = number_add(f->number[which][at], more);
}

/* Adds the lateness of the rank that entered a collective last to the numbers of this rank. The
 * last rank is the one with the shortest duration, since it did not wait for any other rank. */
static void settle_match(struct fold *f, const struct tally *t)
{
	if (t->count < 2 || t->second == t->min)
		return;
	size_t at = place_of(f, t->min_rank);
	add_to(f, FOLD_LAST, at, 1);
	add_to(f, FOLD_LATE, at, tally_median_of_others(t) - t->min);
	add_to(f, FOLD_ALONE, at, t->second - t->min);
}

/* Adds to each rank the time that it waited in the collectives of the series. A rank that lacks
 * some of these collectives gets no such time, since it is unknown which ones it lacks. No rank
 * does if some collective was found on only one rank. */
static void settle_one(struct fold *f, const struct fold_series *s)
{
	int64_t wire = 0, matched = 0;
	for (size_t i = 0; i < s->matches.nr; i++) {
		const struct tally *t = &s->matches.v[i].dur;
		settle_match(f, t);
		if (t->count > 1) {
			wire = number_add(wire, t->min);
			matched++;
		}
	}
	for (size_t i = 0; i < s->members.nr; i++) {
		const struct fold_member *m = &s->members.v[i];
		size_t at = place_of(f, m->rank);
		if (m->count != (int64_t)s->matches.nr || matched != m->count)
			continue;
		add_to(f, FOLD_MATCHED, at, matched);
		add_to(f, FOLD_TRANSFER, at, wire);
		add_to(f, FOLD_WAIT, at, number_sub(m->dur_ns, wire));
	}
}

void fold_settle_series(struct fold *f)
{
	for (size_t i = 0; i < f->series.nr; i++) {
		struct fold_series *s = &f->series.v[i];
		if (is_matched(s))
			settle_one(f, s);
		for (size_t k = 0; k < s->matches.nr; k++)
			tally_release(&s->matches.v[k].dur);
		vec_release(&s->matches);
		vec_release(&s->members);
	}
	f->series.nr = 0;
}
