#include "diff/memory_pair.h"

#include "base/text.h"
#include "model/memory_view.h"

struct sided {
	const struct memory_item *item;
	int side;
};

static int place_cmp(const struct memory_item *x, const struct memory_item *y)
{
	int c = span_cmp(x->category, y->category);
	if (!c)
		c = COMPARE(x->kind, y->kind);
	if (!c)
		c = span_cmp(x->file, y->file);
	return c ? c : span_cmp(x->function, y->function);
}

ORDERING(sided_cmp, struct sided,
         THEN(place_cmp(x->item, y->item)) RISING(side) RISING(item->line) RISING(item))

static void take_line(struct site_line *l, const struct sided *s, const int64_t divisor[NR_SIDES])
{
	l->has[s->side] = true;
	l->number[s->side] = s->item->line;
	l->bytes[s->side] = number_div_round(s->item->bytes, divisor[s->side]);
	l->blocks[s->side] = s->item->blocks;
}

static int line_cmp(const void *a, const void *b)
{
	const struct site_line *x = a, *y = b;
	int c = 0;
	for (int s = 0; !c && s < NR_SIDES; s++)
		c = COMPARE(x->number[s], y->number[s]);
	return c;
}

/* Pair the lines of one function. `v` has the baseline's `nr_b` lines, then the candidate's; `nr`
   is the number of both together. If both sides have equally many lines, the lines are paired in
   order: probably they only moved because code above them changed. Otherwise, equal line numbers
   are paired. Returns the number of elements that `out` then has. */
static size_t pair_lines(const struct sided *v, size_t nr_b, size_t nr,
                         const int64_t divisor[NR_SIDES], struct site_line *out)
{
	bool as_many = nr_b * 2 == nr;
	size_t lines = 0;
	for (size_t i = 0, j = nr_b; i < nr_b || j < nr; lines++) {
		int64_t x = i < nr_b ? v[i].item->line : INT64_MAX,
		        y = j < nr ? v[j].item->line : INT64_MAX;
		bool first = i < nr_b && (as_many || x <= y), second = j < nr && (as_many || y <= x);
		if (first)
			take_line(&out[lines], &v[i++], divisor);
		if (second)
			take_line(&out[lines], &v[j++], divisor);
	}
	sort_plain(out, lines, sizeof *out, line_cmp);
	return lines;
}

static void add_place(struct parts *p, struct node *category, const struct sided *v, size_t nr,
                      const int64_t divisor[NR_SIDES])
{
	struct site_place *place = arena_alloc(&p->nodes, 1, sizeof *place);
	struct site_line *lines = arena_alloc(&p->nodes, nr, sizeof *lines), *all = &place->all;
	struct node *n = node_add(p, category, NULL);
	size_t nr_b = 0;
	while (nr_b < nr && v[nr_b].side == SIDE_BASELINE)
		nr_b++;
	n->of = place;
	place->item = v->item;
	place->lines = lines;
	place->nr = pair_lines(v, nr_b, nr, divisor, lines);
	for (size_t i = 0; i < place->nr; i++) {
		for (int s = 0; s < NR_SIDES; s++) {
			all->has[s] = all->has[s] || lines[i].has[s];
			all->bytes[s] = number_add(all->bytes[s], lines[i].bytes[s]);
			all->blocks[s] = number_add(all->blocks[s], lines[i].blocks[s]);
		}
		n->change = number_add(n->change, site_line_change(&lines[i]));
	}
	category->change = number_add(category->change, n->change);
}

struct node *memory_sites_add(struct parts *p, struct node *parent,
                              const struct memory_ref memory[NR_SIDES], enum memory_list list,
                              const int64_t divisor[NR_SIDES])
{
	VEC(struct sided) all = VEC_INIT;
	struct node *group = node_add_group(p, parent, NULL, "category", "categories"),
	            *category = NULL;
	for (int s = 0; s < NR_SIDES; s++) {
		size_t nr;
		const struct memory_item *v =
		    memory_list_of(memory[s].digest, memory[s].stat->id, list, &nr);
		for (size_t i = 0; i < nr; i++)
			vec_push(&all, (struct sided){ &v[i], s });
	}
	vec_sort(&all, sided_cmp);
	for (size_t i = 0, end; i < all.nr; i = end) {
		struct span name = all.v[i].item->category;
		for (end = i; end < all.nr && place_cmp(all.v[end].item, all.v[i].item) == 0;)
			end++;
		if (i == 0 || !span_eq(name, all.v[i - 1].item->category))
			category = node_add_group(p, group, text_line(p->arena, name), "site", "sites");
		add_place(p, category, all.v + i, end - i, divisor);
	}
	for (const struct node *n = group->first; n; n = n->next)
		group->change = number_add(group->change, n->change);
	vec_release(&all);
	return group;
}
