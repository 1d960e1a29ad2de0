/* Chooses the ranks whose digests a fold keeps whole. */
#include <string.h>

#include "base/number.h"
#include "base/sort.h"
#include "fold/make.h"

/* A figure, and how many of the ranks with its largest or smallest values are kept. The value of a
 * rank must be final when its block (FOLD_BLOCK ranks) is folded, so it may depend only on ranks of
 * this block. */
struct key {
	unsigned what; /* an enum metric_id, or NUMBERS + an enum fold_number */
	bool largest;
	size_t nr;
};
enum { NUMBERS = NR_METRICS };
static const struct key keys[] = {
	{ METRIC_STEP_COMPUTE_TIME, true, 8 },
	/* the smallest values: a rank that enters collectives last does not wait in them, so its
	   communication takes less time than on other ranks */
	{ METRIC_STEP_COMM_TIME, false, 6 },
	{ METRIC_STEP_COMM_TIME, true, 2 },
	{ METRIC_STEP_TIME, true, 3 },
	{ METRIC_STEP_DATALOADER_TIME, true, 3 },
	{ METRIC_MEMORY_PEAK_ALLOCATED, true, 2 },
	{ METRIC_MACHINE_THROTTLED_PCT, true, 2 },
	{ NUMBERS + FOLD_LINK, true, 2 },
	{ NUMBERS + FOLD_USABLE, false, 2 },
	{ NUMBERS + FOLD_COLLECTIVES, false, 2 },
};

/* The value of a rank, and its index in the list of kept ranks. */
struct entry {
	int64_t value;
	size_t at;
};
struct entries {
	VEC(struct entry) list;
};

ORDERING(entry_cmp, struct entry, FALLING(value) RISING(at))

static bool value_of(const struct fold *f, size_t at, const struct key *k, int64_t *out)
{
	if (k->what < NUMBERS)
		return fold_step_median(f, at, (enum metric_id)k->what, out);
	*out = f->number[k->what - NUMBERS][at];
	return true;
}

static void choose(const struct fold *f, const struct key *k, bool *chosen)
{
	struct entries all = { 0 };
	const struct run *kept = &f->kept;
	for (size_t i = 0; i < kept->ranks.nr; i++) {
		int64_t value;
		const int64_t *at =
		    bsearch(&kept->ranks.v[i]->rank, f->rank, f->nr, sizeof *f->rank, number_cmp_i64);
		/* a rank is not kept because of a largest value of 0 */
		if (value_of(f, (size_t)(at - f->rank), k, &value) && (!k->largest || value > 0))
			vec_push(&all.list, (struct entry){ k->largest ? value : -value, i });
	}
	vec_sort(&all.list, entry_cmp);
	for (size_t i = 0; i < all.list.nr && i < k->nr; i++)
		chosen[all.list.v[i].at] = true;
	vec_release(&all.list);
}

void fold_keep(struct fold *f)
{
	if (f->keeps_all)
		return;
	bool *chosen = mem_calloc(f->kept.ranks.nr, sizeof *chosen);
	size_t nr = 0;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		choose(f, &keys[i], chosen);
	for (size_t i = 0; i < f->kept.ranks.nr; i++) {
		struct digest *d = f->kept.ranks.v[i];
		if (chosen[i]) {
			f->kept.ranks.v[nr++] = d;
			continue;
		}
		digest_forget(d);
		if (d->text.n)
			arena_release(&d->arena); /* the arena holds only the stored text */
	}
	f->kept.ranks.nr = nr;
	free(chosen);
}
