#include "diff/memory_sites.h"

#include "diff/breakdown.h"
#include "model/memory_view.h"

struct collector {
	const int64_t *divisor;
	struct memory_sites *out;
};

struct sided {
	const struct memory_item *item;
	int side;
};

static int place_cmp(const struct memory_item *x, const struct memory_item *y)
{
	int c = span_cmp(x->category, y->category);
	if (!c)
		c = (x->kind > y->kind) - (x->kind < y->kind);
	if (!c)
		c = span_cmp(x->file, y->file);
	return c ? c : span_cmp(x->function, y->function);
}

static int sided_cmp(const void *a, const void *b)
{
	const struct sided *x = a, *y = b;
	int c = place_cmp(x->item, y->item);
	if (!c)
		c = x->side - y->side;
	if (!c)
		c = (x->item->line > y->item->line) - (x->item->line < y->item->line);
	return c ? c : (x->item > y->item) - (x->item < y->item);
}

static void take(const struct collector *b, struct site_line *l, const struct sided *s)
{
	int side = s->side;
	l->has[side] = true;
	l->number[side] = s->item->line;
	l->bytes[side] = number_div_round(s->item->bytes, b->divisor[side]);
	l->blocks[side] = s->item->blocks;
}

/* The lines of one function: the first `nr_b` are the baseline's. Where both
   sides have as many, code above them has moved at most: the first is the first. */
static void pair_lines(struct collector *b, const struct sided *v, size_t nr_b, size_t nr)
{
	bool as_many = nr_b * 2 == nr;
	for (size_t i = 0, j = nr_b; i < nr_b || j < nr;) {
		struct site_line l = { 0 };
		int64_t x = i < nr_b ? v[i].item->line : INT64_MAX,
		        y = j < nr ? v[j].item->line : INT64_MAX;
		bool first = i < nr_b && (as_many || x <= y), second = j < nr && (as_many || y <= x);
		if (first)
			take(b, &l, &v[i++]);
		if (second)
			take(b, &l, &v[j++]);
		l.change = number_sub(l.bytes[SIDE_CANDIDATE], l.bytes[SIDE_BASELINE]);
		vec_push(&b->out->lines, l);
	}
}

static void add_place(struct collector *b, const struct sided *v, size_t nr)
{
	struct site_place p = { .item = v->item, .first = b->out->lines.nr };
	size_t nr_b = 0;
	while (nr_b < nr && v[nr_b].side == SIDE_BASELINE)
		nr_b++;
	pair_lines(b, v, nr_b, nr);
	p.nr = b->out->lines.nr - p.first;
	for (size_t i = p.first; i < b->out->lines.nr; i++) {
		const struct site_line *l = &b->out->lines.v[i];
		for (int s = 0; s < NR_SIDES; s++) {
			p.has[s] = p.has[s] || l->has[s];
			p.bytes[s] = number_add(p.bytes[s], l->bytes[s]);
			p.blocks[s] = number_add(p.blocks[s], l->blocks[s]);
		}
		p.change = number_add(p.change, l->change);
	}
	vec_push(&b->out->places, p);
}

static int by_change(const void *a, const void *b)
{
	const struct site_place *x = a, *y = b;
	int c = parts_order(x->category_change, y->category_change);
	if (!c)
		c = span_cmp(x->item->category, y->item->category);
	if (!c)
		c = parts_order(x->change, y->change);
	return c ? c : place_cmp(x->item, y->item);
}

size_t memory_sites_category_end(const struct memory_sites *m, size_t from)
{
	size_t i = from;
	while (i < m->places.nr &&
	       span_eq(m->places.v[i].item->category, m->places.v[from].item->category))
		i++;
	return i;
}

void memory_sites_init(struct memory_sites *m, const struct memory_ref memory[NR_SIDES],
                       enum memory_list list, const int64_t divisor[NR_SIDES])
{
	struct collector c = { divisor, m };
	*m = (struct memory_sites){ 0 };
	VEC(struct sided) all = VEC_INIT;
	for (int s = 0; s < NR_SIDES; s++) {
		size_t nr;
		const struct memory_item *v =
		    memory_list_of(memory[s].digest, memory[s].stat->id, list, &nr);
		for (size_t i = 0; i < nr; i++)
			vec_push(&all, (struct sided){ &v[i], s });
	}
	vec_sort(&all, sided_cmp);
	for (size_t i = 0, end; i < all.nr; i = end) {
		for (end = i; end < all.nr && place_cmp(all.v[end].item, all.v[i].item) == 0;)
			end++;
		add_place(&c, all.v + i, end - i);
	}
	vec_release(&all);
	for (size_t i = 0, end; i < m->places.nr; i = end) {
		int64_t sum = 0;
		end = memory_sites_category_end(m, i);
		for (size_t k = i; k < end; k++)
			sum = number_add(sum, m->places.v[k].change);
		for (size_t k = i; k < end; k++)
			m->places.v[k].category_change = sum;
	}
	vec_sort(&m->places, by_change);
}

void memory_sites_release(struct memory_sites *m)
{
	vec_release(&m->lines);
	vec_release(&m->places);
}
