#include "merge/where.h"

#include "base/number.h"
#include "merge/digest_small.h"
#include "model/rows.h"

/* A row of the recording for code places, and the part of the measured activity that is assigned to
 * its place. */
struct share {
	struct code_stat *row;
	__int128 rest; /* remainder of the division that gives this row's share */
	size_t order;
	struct code_stat out;
};

struct shares {
	VEC(struct share) list;
};

static bool is_named_gpu(const struct code_stat *c)
{
	return c->kind != CODE_SYNC && c->kernel && !c->names;
}

ORDERING(activity_cmp, struct code_stat, RISING(kind) RISING(kernel))

ORDERING(by_activity, struct code_stat, THEN(activity_cmp(x, y)) THEN(code_stat_cmp(x, y)))

ORDERING(by_rest, struct share, FALLING(rest) RISING(order))

static int64_t *figure_at(struct code_stat *c, size_t offset)
{
	return (int64_t *)(void *)((char *)c + offset);
}

/* Divides `total` among the shares in proportion to the member of their rows at `offset`, or
 * equally if that member is 0 in all rows. Results are rounded down; the units that remain are
 * given to the shares with the largest remainders. */
static void divide(struct shares *s, int64_t total, size_t offset)
{
	__int128 sum = 0, given = 0;
	for (size_t i = 0; i < s->list.nr; i++)
		sum += *figure_at(s->list.v[i].row, offset);
	for (size_t i = 0; i < s->list.nr; i++) {
		struct share *x = &s->list.v[i];
		__int128 scaled = sum ? (__int128)total * *figure_at(x->row, offset) : total;
		__int128 by = sum ? sum : (__int128)s->list.nr;
		*figure_at(&x->out, offset) = (int64_t)(scaled / by);
		x->rest = scaled % by;
		given += scaled / by;
	}
	vec_sort(&s->list, by_rest);
	for (size_t i = 0; given < total; i++, given++)
		++*figure_at(&s->list.v[i % s->list.nr].out, offset);
}

struct code_rows {
	VEC(struct code_stat) list;
};

/* Appends to `out` the rows that replace `all`: one for each share, which add up to `all`. */
static void put_shares(struct shares *s, const struct code_stat *all, struct arena *a,
                       struct code_rows *out)
{
	divide(s, all->total_ns, offsetof(struct code_stat, total_ns));
	divide(s, all->count, offsetof(struct code_stat, count));
	divide(s, all->bytes, offsetof(struct code_stat, bytes));
	for (size_t i = 0; i < s->list.nr; i++) {
		struct code_stat *c = &s->list.v[i].out;
		if (!c->count && !c->total_ns && !c->bytes)
			continue;
		c->module = arena_span(a, c->module);
		c->place = arena_span(a, c->place);
		c->op = arena_span(a, c->op);
		vec_push(&out->list, *c);
	}
}

/* Finds the rows of `where` with the same activity (such as a kernel) as the row `c`. The search
 * begins at index `*at`, which becomes the index of the first row found. */
static void find_shares(struct digest *where, size_t *at, const struct code_stat *c,
                        struct shares *out)
{
	out->list.nr = 0;
	while (*at < where->code.nr && activity_cmp(&where->code.v[*at], c) < 0)
		++*at;
	for (size_t i = *at; i < where->code.nr && activity_cmp(&where->code.v[i], c) == 0; i++) {
		struct code_stat own = where->code.v[i];
		own.count = own.total_ns = own.bytes = 0;
		vec_push(&out->list,
		         (struct share){ .row = &where->code.v[i], .order = out->list.nr, .out = own });
	}
}

void digest_join_where(struct digest *d, struct digest *where)
{
	struct code_rows out = { 0 };
	struct shares shares = { 0 };
	size_t at = 0, end;
	vec_sort(&d->code, by_activity);
	vec_sort(&where->code, by_activity);
	for (size_t i = 0; i < d->code.nr; i = end) {
		struct code_stat all = d->code.v[i];
		for (end = i + 1; end < d->code.nr && activity_cmp(&all, &d->code.v[end]) == 0; end++) {
			all.count = number_add(all.count, d->code.v[end].count);
			all.total_ns = number_add(all.total_ns, d->code.v[end].total_ns);
			all.bytes = number_add(all.bytes, d->code.v[end].bytes);
		}
		shares.list.nr = 0;
		if (is_named_gpu(&all))
			find_shares(where, &at, &all, &shares);
		if (shares.list.nr)
			put_shares(&shares, &all, &d->arena, &out);
		else
			for (size_t k = i; k < end; k++)
				vec_push(&out.list, d->code.v[k]);
	}
	d->code.nr = 0;
	vec_move(&d->code, &out.list);
	rows_unite(&code_stat_row, &d->code);
	vec_release(&out.list);
	vec_release(&shares.list);
}

size_t digests_join_where(struct digest *const *v, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		bool joined = false;
		for (size_t k = 0; k < nr && v[i]->where; k++) {
			if (k == i || v[k]->rank != v[i]->rank)
				continue;
			if (v[k]->where)
				return i > k ? i : k;
			if (digest_has_trace(v[k])) {
				digest_join_where(v[k], v[i]);
				joined = true;
			}
		}
		if (v[i]->where && !joined)
			return i;
	}
	for (size_t i = 0; i < nr; i++)
		digest_small_code(v[i]);
	return nr;
}
