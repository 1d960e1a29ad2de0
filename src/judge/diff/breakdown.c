#include "diff/breakdown.h"

#include "metric/unit.h"

struct parts parts_new(struct arena *a, const struct metric *m, const char *title, int64_t change)
{
	struct parts p = { .arena = a, .out = arena_alloc(a, 1, sizeof *p.out), .nodes = ARENA_INIT };
	p.out->metric = m;
	p.out->title = title;
	p.out->unit = m->unit;
	p.out->change = change;
	return p;
}

int parts_order(int64_t a, int64_t b)
{
	return COMPARE(number_size(b), number_size(a));
}

/* ---- nodes of the tree ---- */

void node_move(struct node *parent, struct node *n)
{
	n->next = NULL;
	n->seq = parent->nr++;
	*(parent->last ? &parent->last->next : &parent->first) = n;
	parent->last = n;
}

struct node *node_add(struct parts *p, struct node *parent, const char *label)
{
	struct node *n = arena_alloc(&p->nodes, 1, sizeof *n);
	n->label = label;
	n->detail = "";
	node_move(parent, n);
	return n;
}

struct node *node_add_group(struct parts *p, struct node *parent, const char *label,
                            const char *one, const char *many)
{
	struct node *n = node_add(p, parent, label);
	n->group = true;
	n->order = NODES_SUM_SMALL;
	n->one = one;
	n->many = many;
	return n;
}

void node_add_row(struct parts *p, struct node *parent, const char *label, int64_t change,
                  const char *detail)
{
	struct node *n = node_add(p, parent, label);
	n->change = change;
	n->detail = detail;
}

bool node_is_on_both_sides(const struct node *n)
{
	return n->count[SIDE_BASELINE] > 0 && n->count[SIDE_CANDIDATE] > 0;
}

const char *node_mean(const struct node *n, struct arena *a, enum unit unit)
{
	if (!node_is_on_both_sides(n))
		return "";
	return unit_movement(a, unit, number_div_round(n->amount[0], n->count[0]),
	                     number_div_round(n->amount[1], n->count[1]));
}

static int64_t per_step(__int128 amount, __int128 of, int64_t steps)
{
	return of > 0 && steps > 0 ? number_div_round(amount, of * steps) : 0;
}

void node_split(struct parts *p, struct node *n, const int64_t of[NR_SIDES], const char *number,
                const char *number_detail, const char *mean, const char *mean_detail)
{
	__int128 amount = n->count[0] > 0 ? n->amount[0] : 0;
	int64_t more = number_sub(per_step(amount * n->count[1], n->count[0], of[SIDE_CANDIDATE]),
	                          per_step(amount, 1, of[SIDE_BASELINE]));
	node_add_row(p, n, number, more, number_detail);
	node_add_row(p, n, mean, number_sub(n->change, more), mean_detail);
}

/* ---- changes of the nodes ---- */

int64_t nodes_spread(struct node *parent, const int64_t of[NR_SIDES], int64_t change)
{
	__int128 sum[NR_SIDES] = { 0 };
	int64_t before = 0;
	for (struct node *n = parent->first; n; n = n->next) {
		for (int s = 0; s < NR_SIDES; s++)
			sum[s] += n->amount[s];
		int64_t now = of[0] <= 0 || of[1] <= 0 ? 0
		                                       : number_div_round(sum[1] * of[0] - sum[0] * of[1],
		                                                          (__int128)of[0] * of[1]);
		n->change = number_sub(now, before);
		before = now;
	}
	int64_t rest = number_sub(change, before);
	if (!parent->last || (rest != 1 && rest != -1))
		return rest;
	parent->last->change = number_add(parent->last->change, rest);
	return 0;
}

/* The change that decides whether a node is small: its own or, for a group, the largest one of its
   children, since their changes may cancel out in the sum. */
static int64_t largest_change(const struct node *n)
{
	int64_t largest = n->change;
	for (const struct node *c = n->first; n->group && c; c = c->next) {
		int64_t change = largest_change(c);
		if (parts_order(change, largest) < 0)
			largest = change;
	}
	return largest;
}

/* ---- parts: rows of the finished breakdown ---- */

ORDERING_POINTERS(node_cmp, struct node, THEN(parts_order(x->change, y->change)) RISING(seq))

void nodes_sort(struct parts *p, struct node *parent)
{
	size_t nr = 0;
	if (parent->order == NODES_IN_ORDER)
		return;
	struct node **v = arena_alloc(&p->nodes, parent->nr, sizeof *v);
	for (struct node *n = parent->first; n; n = n->next)
		v[nr++] = n;
	sort_plain(v, nr, sizeof *v, node_cmp);
	parent->first = parent->last = NULL;
	parent->nr = 0;
	for (size_t i = 0; i < nr; i++)
		node_move(parent, v[i]);
}

static void add_part(const struct parts *p, int depth, const char *label, int64_t change,
                     const char *detail, struct source_line at)
{
	vec_push(&p->out->parts,
	         (struct part){ depth, label, change, unit_change(p->arena, p->out->unit, change),
	                        detail, at });
}

/* True if the child `n` goes into the row that sums up small children. The first child is always
   shown. A group without a label never goes there, since it has no row of its own. */
static bool is_summed_up(const struct parts *p, const struct node *parent, const struct node *n)
{
	__int128 part = largest_change(n), whole = p->out->change;
	/* `small`: below 1 % of the change that is broken down */
	bool small = parent->order == NODES_SUM_SMALL &&
	             (part < 0 ? -part : part) * 100 < (whole < 0 ? -whole : whole);
	if (parent->order < NODES_SUM_MANY || n->seq == 0)
		return false;
	return n->group ? n->label && small : small || n->seq >= PARTS_SHOWN;
}

static void write_children(struct parts *p, struct node *parent, int depth)
{
	int64_t summed = 0;
	size_t nr = 0;
	nodes_sort(p, parent);
	for (struct node *n = parent->first; n; n = n->next) {
		if (!largest_change(n))
			continue;
		if (is_summed_up(p, parent, n)) {
			summed = number_add(summed, n->change);
			nr++;
			continue;
		}
		if (!n->group && p->describe)
			p->describe(p->ctx, n);
		if (n->label)
			add_part(p, depth, n->label, n->change, n->detail, n->at);
		write_children(p, n, n->label ? depth + 1 : depth);
	}
	if (summed)
		add_part(p, depth,
		         arena_printf(p->arena, "%zu other %s", nr, nr == 1 ? parent->one : parent->many),
		         summed, "", (struct source_line){ 0 });
}

void parts_write(struct parts *p, struct node *root, int64_t later, const char *rest_name,
                 int64_t rest)
{
	write_children(p, root, 0);
	if (later)
		add_part(p, 0, "main's run less main's median", later, "", (struct source_line){ 0 });
	if (rest)
		add_part(p, 0, rest_name, rest, "", (struct source_line){ 0 });
	arena_release(&p->nodes);
}

void parts_drop(struct parts *p)
{
	arena_release(&p->nodes);
}
