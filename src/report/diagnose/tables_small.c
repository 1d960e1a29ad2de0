/* Sums over those items that a digest does not list singly, because they are small. */
#include "base/number.h"
#include "diagnose/internal.h"

/* Number of a rank's small items, such as kernels, for which its digest keeps only sums. The metric
 * `id`, summed over these items, is added to `*sum`. */
static size_t small_of(const struct rank_view *r, enum metric_id id, __int128 *sum)
{
	const struct digest *d = r->digest;
	int64_t names = 0;
	for (size_t i = r->nr_kernels; i < r->nr_kernels + r->nr_small; i++) {
		const struct kernel_stat *s = &r->kernels[i].stat;
		if (metric_table[id].label != LABEL_KERNEL || s->step_count == 0)
			continue;
		names = number_add(names, s->names);
		*sum += id == METRIC_KERNEL_COUNT ? (__int128)s->step_count * MICRO : s->step_total_ns;
	}
	for (size_t i = 0; i < d->ops.nr && (id == METRIC_OP_TIME || id == METRIC_OP_SELF_TIME); i++)
		if (d->ops.v[i].names > 0) {
			names = number_add(names, d->ops.v[i].names);
			*sum += d->ops.v[i].self_ns;
		}
	for (size_t i = 0; i < d->threads.nr && id == METRIC_THREAD_TIME; i++)
		if (d->threads.v[i].names > 0) {
			names = number_add(names, d->threads.v[i].names);
			*sum += d->threads.v[i].busy_ns;
		}
	return (size_t)names;
}

static int64_t kernel_ns(const struct rank_view *r)
{
	__int128 ns = r->small_ns;
	for (size_t i = 0; i < r->nr_kernels; i++)
		ns += r->kernels[i].stat.step_total_ns;
	return number_div_round(ns, 1);
}

/* The number of small items is that of the rank with the most of them. Their figures are reduced
 * over ranks in the usual way of each metric. */
size_t table_small(struct tabler *t, const enum metric_id *ids, size_t nr_ids)
{
	size_t most = 0, nr = t->v->run->ranks.nr;
	int64_t *values = arena_alloc(t->a, nr, sizeof *values);
	for (size_t k = 0; k < nr_ids; k++) {
		const struct metric *m = &metric_table[ids[k]];
		size_t ranks = 0;
		if (!m->adds)
			continue;
		for (size_t i = 0; i < nr; i++) {
			const struct rank_view *r = &t->v->ranks[i];
			int64_t of = m->id == METRIC_THREAD_TIME ? 1 : r->digest->usable_steps;
			__int128 sum = 0;
			size_t names = of > 0 ? small_of(r, m->id, &sum) : 0;
			most = names > most ? names : most;
			if (names && m->id == METRIC_KERNEL_SHARE_PCT)
				values[ranks++] = number_pct(sum, kernel_ns(r));
			else if (names)
				values[ranks++] = number_div_round(sum, of);
		}
		enum reduce reduce = m->reduce == REDUCE_EACH ? REDUCE_MEDIAN : m->reduce;
		if (ranks)
			t->table->columns.v[k].rest = reduce_of(reduce, values, ranks);
	}
	return most;
}
