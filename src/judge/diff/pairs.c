#include <stdlib.h>

#include "diff/pairs.h"

#include "metric/unit.h"

static struct activity_pair *add(struct activity_pairs *p, enum side_index side,
                                 const struct kernel_stat *s, struct span name)
{
	struct activity_pair *a = vec_push_zero(&p->list);
	a->kind = s->kind;
	a->name = name;
	a->category = -1;
	a->cls = CLASS_MEMORY;
	a->count[side] = s->step_count;
	a->total_ns[side] = s->step_total_ns;
	a->bytes[side] = s->step_bytes;
	memset(a->resources, -1, sizeof a->resources);
	memcpy(a->resources[side], s->resources, sizeof s->resources);
	return a;
}

static void collect(struct activity_pairs *p, enum side_index side, const struct run_view *v,
                    struct rank_scope scope)
{
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		const struct rank_view *rank = &v->ranks[r];
		const struct digest *d = rank->digest;
		if (!rank_scope_has(scope, d->rank))
			continue;
		if (rank->small_most > p->small_most[side])
			p->small_most[side] = rank->small_most;
		p->steps[side] = number_add(p->steps[side], d->usable_steps);
		for (size_t i = 0; i < rank->nr_kernels + rank->nr_small; i++) {
			const struct kernel_row *k = &rank->kernels[i];
			struct activity_pair *a = add(p, side, &k->stat, k->match);
			a->category = k->category;
			a->cls = k->cls;
			a->small = k->stat.names > 0;
			a->row[side] = k;
			a->steps[side] = d->usable_steps;
		}
		for (size_t i = 0; i < d->kernels.nr; i++)
			if (d->kernels.v[i].kind != EVENT_KERNEL)
				add(p, side, &d->kernels.v[i], d->kernels.v[i].name);
	}
}

ORDERING(order, struct activity_pair, RISING(kind) RISING(small) BY_SPAN(name))

static void add_pair(void *to, void *from)
{
	struct activity_pair *into = to;
	const struct activity_pair *a = from;
	for (int s = 0; s < NR_SIDES; s++) {
		into->count[s] = number_add(into->count[s], a->count[s]);
		into->total_ns[s] = number_add(into->total_ns[s], a->total_ns[s]);
		into->bytes[s] = number_add(into->bytes[s], a->bytes[s]);
		into->steps[s] = number_add(into->steps[s], a->steps[s]);
		if (!into->row[s])
			into->row[s] = a->row[s];
		for (int i = 0; i < NR_RESOURCES; i++)
			number_raise(&into->resources[s][i], a->resources[s][i]);
	}
}

void activity_pairs_init(struct activity_pairs *p, const struct run_view *baseline,
                         const struct run_view *candidates, size_t nr_candidates,
                         struct rank_scope scope)
{
	*p = (struct activity_pairs){ 0 };
	collect(p, SIDE_BASELINE, baseline, scope);
	for (size_t i = 0; i < nr_candidates; i++)
		collect(p, SIDE_CANDIDATE, &candidates[i], scope);
	vec_unite(&p->list, order, add_pair);
	for (size_t i = 0; i < p->list.nr; i++)
		for (int s = 0; s < NR_SIDES; s++)
			if (p->steps[s] > 0)
				p->list.v[i].time_ns[s] = number_div_round(p->list.v[i].total_ns[s], p->steps[s]);
	renames_find(p);
}

bool activity_is_summed(const struct metric *m, const struct activity_pair *a)
{
	return m->sums & 1u << a->kind && class_is_asked(m->cls, a->cls);
}

const int64_t *activity_amounts(const struct metric *m, const struct activity_pair *a)
{
	return m->unit == UNIT_BYTES ? a->bytes : m->unit == UNIT_COUNT ? a->count : a->total_ns;
}

bool activity_is_only(const struct activity_pairs *p, const struct activity_pair *a,
                      enum side_index side)
{
	enum side_index other = side == SIDE_BASELINE ? SIDE_CANDIDATE : SIDE_BASELINE;
	return a->kind == EVENT_KERNEL && !a->small && a->count[side] > 0 && a->count[other] <= 0 &&
	       (p->small_most[other] == 0 || a->time_ns[side] > p->small_most[other]);
}

bool activity_is_partial(const struct activity_pairs *p, const struct activity_pair *a)
{
	enum {
		KEPT_TIMES = 2
	}; /* assumption: a rank that lists a kernel spends at most this many times as long in it as
	      a rank that has the kernel in a sum of small kernels */
	bool partial = false;
	for (int s = 0; s < NR_SIDES && a->kind == EVENT_KERNEL && !a->small; s++)
		if (a->steps[s] > 0 && a->steps[s] < p->steps[s])
			partial = partial || number_div_round(a->total_ns[s], a->steps[s]) / KEPT_TIMES <=
			                         p->small_most[s];
	return partial;
}

const char *pair_resources(struct arena *arena, const struct activity_pair *was,
                           const struct activity_pair *now)
{
	static const char *const names[] = { "registers", "of shared memory", "of local memory" };
	struct strbuf b = STRBUF_INIT;
	for (int i = 0; i < NR_RESOURCES; i++) {
		int64_t x = was->resources[SIDE_BASELINE][i], y = now->resources[SIDE_CANDIDATE][i];
		enum unit unit = metric_table[METRIC_KERNEL_REGISTERS + i].unit;
		if (x >= 0 && y >= 0 && x != y)
			strbuf_addf(&b, "%s%s → %s %s", b.n ? ", " : "", unit_text(arena, unit, x),
			            unit_text(arena, unit, y), names[i]);
	}
	return b.n ? arena_take(arena, &b) : NULL;
}

int activity_count_order(const struct activity_pairs *p, const struct activity_pair *a)
{
	__int128 b = (__int128)a->count[SIDE_BASELINE] * p->steps[SIDE_CANDIDATE];
	__int128 c = (__int128)a->count[SIDE_CANDIDATE] * p->steps[SIDE_BASELINE];
	return COMPARE(c, b);
}

int64_t activity_launches_ns(const struct activity_pairs *p, const struct activity_pair *a)
{
	if (a->count[SIDE_BASELINE] <= 0 || p->steps[SIDE_CANDIDATE] <= 0)
		return number_sub(a->time_ns[SIDE_CANDIDATE], a->time_ns[SIDE_BASELINE]);
	/* candidate's launches per step × baseline's mean duration of a launch */
	__int128 num = (__int128)a->total_ns[SIDE_BASELINE] * a->count[SIDE_CANDIDATE];
	__int128 den = (__int128)a->count[SIDE_BASELINE] * p->steps[SIDE_CANDIDATE];
	return number_sub(number_div_round(num, den), a->time_ns[SIDE_BASELINE]);
}
