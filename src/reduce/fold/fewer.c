#include "fold/fewer.h"

#include "base/number.h"
#include "base/sort.h"
#include "model/fold.h"

/* The number of collectives of one kind and one process group on one rank. This number is compared
 * with the numbers on ranks of the same group that recorded the same steps. */
struct share {
	const struct comm_stat *comm;
	size_t rank;
	int64_t first, steps; /* number of the rank's first step; number of its complete steps */
	int64_t count;
};

ORDERING(share_group_cmp, struct share,
         RISING(comm->kind) BY_SPAN(comm->group) BY_SPAN(comm->group_name) RISING(first)
             RISING(steps))
ORDERING(share_cmp, struct share, THEN(share_group_cmp(x, y)) RISING(rank))

static void join_shares(void *first, void *more)
{
	struct share *x = first;
	x->count = number_add(x->count, ((const struct share *)more)->count);
}

/* True for collectives that each rank of the group calls equally often. False if the group is
 * unknown, since the rows may then be of several groups, which cannot be compared. */
static bool is_common(const struct comm_stat *c)
{
	return c->group.n && c->kind != COLLECTIVE_OTHER && c->kind != COLLECTIVE_SEND &&
	       c->kind != COLLECTIVE_RECV && c->kind != COLLECTIVE_SEND_RECV;
}

static void find_fewer(const struct share *v, size_t nr, struct fewer *out)
{
	VEC(int64_t) counts = VEC_INIT;
	for (size_t i = 0; i < nr; i++)
		vec_push(&counts, v[i].count);
	int64_t usual = number_median(counts.v, nr);
	for (size_t i = 0; i < nr && nr > 2; i++)
		if (v[i].count < usual && out[v[i].rank].usual == 0)
			out[v[i].rank] = (struct fewer){ v[i].comm->kind, v[i].comm->group, v[i].count, usual };
	vec_release(&counts);
}

/* The result of ranks_fewer() for the rank at index `at`, as the fold has stored it. */
static struct fewer told(const struct fold *f, size_t at)
{
	return (struct fewer){ .kind = (enum collective_kind)f->number[FOLD_FEWER_KIND][at],
		                   .group = f->deeds.v[f->number[FOLD_DEED][at]].fewer_in,
		                   .count = f->number[FOLD_FEWER_COUNT][at],
		                   .usual = f->number[FOLD_FEWER_USUAL][at] };
}

void ranks_fewer(const struct run *run, struct fewer *out)
{
	VEC(struct share) all = VEC_INIT;
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		if (d->in_fold && d->in_fold->by_rank)
			out[r] = told(d->in_fold, d->fold_index);
		for (size_t i = 0; i < d->comms.nr && d->usable_steps > 0 && d->nr_steps > 0; i++)
			if (is_common(&d->comms.v[i]))
				vec_push(&all, (struct share){ &d->comms.v[i], r, d->step_numbers[0],
				                               d->usable_steps, d->comms.v[i].count });
	}
	/* the counts of one rank for several data types are added up */
	vec_unite(&all, share_cmp, join_shares);
	for (size_t i = 0, end; i < all.nr; i = end) {
		for (end = i; end < all.nr && share_group_cmp(&all.v[end], &all.v[i]) == 0;)
			end++;
		find_fewer(&all.v[i], end - i, out);
	}
	vec_release(&all);
}
