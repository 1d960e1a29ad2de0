#include "merge/digest_small.h"

#include <string.h>

#include "base/number.h"
#include "model/rows.h"

/* A row that is large enough to stay in its list, and the figure (such as its time) by which rows
 * are ranked if too many are large enough. */
struct weighted {
	int64_t weight;
	size_t index;
};

/* A choice among the rows of one list: `small` is true for rows that are added to a sum; `large`
 * lists the rows that are large enough to stay. If there are more of them than the limit allows,
 * the smallest are added to the sum, too. */
struct choice {
	bool *small;
	VEC(struct weighted) large;
};

ORDERING(by_weight, struct weighted, FALLING(weight) RISING(index))

static bool is_small(int64_t part, __int128 sum, int64_t one_in)
{
	return (__int128)part * one_in < sum;
}

static void choose(struct choice *c, size_t index, int64_t weight, bool small)
{
	if (small)
		c->small[index] = true;
	else
		vec_push(&c->large, (struct weighted){ weight, index });
}

/* Keeps the `most` largest of the rows in `large`, and marks the others as small. */
static void limit(struct choice *c, size_t most)
{
	vec_sort(&c->large, by_weight);
	for (size_t i = most; i < c->large.nr; i++)
		c->small[c->large.v[i].index] = true;
	c->large.nr = 0;
}

static void choice_release(struct choice *c)
{
	free(c->small);
	vec_release(&c->large);
}

/* ---- sums of kernels ---- */

static void choose_kernels(const struct digest *d, struct choice *c)
{
	__int128 total_ns = 0, step_total_ns = 0;
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		if (k->kind == EVENT_KERNEL) {
			total_ns += k->total_ns;
			step_total_ns += k->step_total_ns;
		}
	}
	for (size_t i = 0; i < d->kernels.nr; i++) {
		struct kernel_stat *k = &d->kernels.v[i];
		if (k->kind == EVENT_KERNEL && k->names == 0 && !kernel_communicates(d, k))
			choose(c, i, k->total_ns,
			       is_small(k->total_ns, total_ns, KEEP_KERNEL_SHARE) &&
			           (k->step_total_ns == 0 ||
			            is_small(k->step_total_ns, step_total_ns, KEEP_KERNEL_SHARE)));
	}
	limit(c, KEEP_KERNELS);
}

void kernel_stat_make_small(struct kernel_stat *k, const char *category)
{
	row_make_sum(&kernel_stat_row, k);
	k->name = span_of(category);
	k->key = 0;
	k->largest_ns = k->step_total_ns;
	k->occupancy_ns = kernel_occupancy_ns(k);
	if (k->occupancy_ns == 0)
		k->occupancy = -1;
	for (int i = 0; i < NR_RESOURCES; i++)
		k->resources[i] = -1;
}

static void sum_kernels(struct digest *d, const struct category_table *t)
{
	struct choice c = { .small = mem_calloc(d->kernels.nr, sizeof *c.small) };
	choose_kernels(d, &c);
	for (size_t i = 0; i < d->kernels.nr; i++) {
		struct kernel_stat *k = &d->kernels.v[i];
		if (c.small[i])
			kernel_stat_make_small(
			    k, arena_dup(&d->arena, span_of(category_name(t, category_of(t, k->name)))));
	}
	choice_release(&c);
	rows_unite(&kernel_stat_row, &d->kernels);
}

/* ---- one sum of operators, of threads, and of ranges ---- */

/* Which rows of a list stay: the `most` rows with the largest weights, except those whose share is
 * too small. */
struct small_rule {
	const struct schema *row;
	size_t weight; /* offset of the member by which rows are ranked */
	size_t of; /* offset of the member whose sum over all rows counts as 100 % */
	int64_t one_in; /* reciprocal of the smallest share of a row that stays; 0: any share */
	size_t most;
	bool sum_first; /* true: the sum of the other rows begins the list; false: it ends the list */
};

static int64_t member_of(const char *row, size_t offset)
{
	return *(const int64_t *)(row + offset);
}

/* Sums small rows of a list; `list` is a VEC. */
static void sum_rows(void *list, const struct small_rule *r)
{
	VEC(char) v;
	memcpy(&v, list, sizeof v);
	size_t size = r->row->size, nr = 0;
	struct choice c = { .small = mem_calloc(v.nr, sizeof *c.small) };
	char *sum = mem_calloc(1, size);
	__int128 all = 0;
	for (size_t i = 0; i < v.nr; i++)
		all += member_of(v.v + i * size, r->of);
	for (size_t i = 0; i < v.nr; i++) {
		int64_t weight = member_of(v.v + i * size, r->weight);
		if (!row_is_sum(r->row, v.v + i * size))
			choose(&c, i, weight, r->one_in && is_small(weight, all, r->one_in));
	}
	limit(&c, r->most);
	for (size_t i = 0; i < v.nr; i++)
		if (c.small[i] || row_is_sum(r->row, v.v + i * size))
			row_add_small(r->row, sum, v.v + i * size);
		else
			memmove(v.v + nr++ * size, v.v + i * size, size);
	if (row_is_sum(r->row, sum)) {
		if (r->sum_first)
			memmove(v.v + size, v.v, nr * size);
		memcpy(v.v + (r->sum_first ? 0 : nr) * size, sum, size);
		nr++;
	}
	v.nr = nr;
	memcpy(list, &v, sizeof v);
	free(sum);
	choice_release(&c);
}

#define RULE(type, weight, of, ...)                                                        \
	{                                                                                      \
		&type##_row, offsetof(struct type, weight), offsetof(struct type, of), __VA_ARGS__ \
	}
static const struct small_rule of_ops =
    RULE(op_stat, total_ns, self_ns, KEEP_SHARE, KEEP_OPS, false);
static const struct small_rule of_threads =
    RULE(thread_stat, busy_ns, busy_ns, KEEP_SHARE, KEEP_THREADS, true);
static const struct small_rule of_ranges =
    RULE(range_stat, total_ns, total_ns, 0, KEEP_RANGES, false);

/* ---- sums of calls, at the end of each kind ---- */

static void sum_calls(struct digest *d)
{
	struct call_stat *v = d->calls.v;
	struct choice c = { .small = mem_calloc(d->calls.nr, sizeof *c.small) };
	size_t nr = 0;
	for (size_t i = 0, end; i < d->calls.nr; i = end) {
		struct call_stat sum = { 0 };
		for (end = i; end < d->calls.nr && v[end].kind == v[i].kind; end++)
			if (v[end].names == 0)
				choose(&c, end, v[end].total_ns, false);
		limit(&c, KEEP_CALLS);
		for (size_t k = i; k < end; k++) {
			if (c.small[k] || v[k].names)
				row_add_small(&call_stat_row, &sum, &v[k]);
			else
				v[nr++] = v[k];
		}
		if (sum.names)
			v[nr++] = sum;
	}
	d->calls.nr = nr;
	choice_release(&c);
}

/* ---- sums of functions ---- */

/* Orders functions by caller, so that functions with the same caller are neighbors. Neighbors with
   the same caller are in the order of a digest. */
static int sibling_cmp(const void *a, const void *b, void *rows)
{
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const struct function_stat *x = (const struct function_stat *)rows + i;
	const struct function_stat *y = (const struct function_stat *)rows + k;
	ORDER_BY(x->parent, y->parent);
	int c = row_cmp(&function_stat_row, x, y);
	return c ? c : COMPARE(i, k);
}

/* True for two sums with the same class and caller, which become one row. */
static bool is_same_sum(const struct function_stat *a, const struct function_stat *b)
{
	return a->names > 0 && b->names > 0 && a->cls == b->cls && a->parent == b->parent;
}

static void order_functions(struct digest *d)
{
	struct visit {
		size_t row;
		int64_t parent; ///< index of the function's caller in `out`
	};
	size_t nr = d->functions.nr;
	struct function_stat *rows = d->functions.v;
	size_t *order = mem_calloc(nr, sizeof *order);
	size_t *first = mem_calloc(
	    nr + 2, sizeof *first); /* first[p + 1] is the index at which the callees of p begin */
	VEC(struct function_stat) out = VEC_INIT;
	VEC(struct visit) next = VEC_INIT; /* stack of functions still to be visited */
	for (size_t i = 0; i < nr; i++) {
		order[i] = i;
		first[rows[i].parent + 2]++;
	}
	for (size_t i = 1; i < nr + 2; i++)
		first[i] += first[i - 1];
	if (nr)
		sort_runs(order, nr, sizeof *order, sibling_cmp, rows);
	for (size_t k = first[1]; k-- > 0;)
		vec_push(&next, (struct visit){ order[k], -1 });
	while (next.nr) {
		struct visit v = next.v[--next.nr];
		struct function_stat f = rows[v.row];
		f.parent = v.parent;
		if (out.nr && is_same_sum(&out.v[out.nr - 1], &f)) {
			row_add(&function_stat_row, ROWS_SMALL, &out.v[out.nr - 1], &f);
			continue;
		}
		vec_push(&out, f);
		for (size_t k = first[v.row + 2]; k-- > first[v.row + 1];)
			vec_push(&next, (struct visit){ order[k], (int64_t)out.nr - 1 });
	}
	free(order);
	free(first);
	free(rows);
	vec_release(&next);
	d->functions.v = out.v;
	d->functions.nr = out.nr;
	d->functions.cap = out.cap;
}

/* Chooses the functions of each class that are kept: those with the largest weights, if the weight
 * is at least the minimum share of the window. The weight of a Python function is the exclusive
 * time of the function and of all functions below it in the call tree. So its callers have at least
 * the same weight, and are kept, too. The weight of another function is its total time. */
static void choose_functions(const struct digest *d, struct choice *c)
{
	const struct function_stat *v = d->functions.v;
	size_t nr = d->functions.nr;
	int64_t *below = mem_calloc(nr, sizeof *below);
	for (size_t i = nr; i-- > 0;) {
		below[i] = number_add(below[i], v[i].exclusive_ns);
		if (v[i].parent >= 0)
			below[v[i].parent] = number_add(below[v[i].parent], below[i]);
	}
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i; end < nr && v[end].cls == v[i].cls; end++) {
			int64_t weight = v[end].cls == FUNCTION_PYTHON ? below[end] : v[end].total_ns;
			if (v[end].names == 0)
				choose(c, end, weight, is_small(weight, d->window_ns, KEEP_SHARE));
		}
		limit(c, v[i].cls == FUNCTION_PYTHON ? KEEP_PATHS : KEEP_FUNCTIONS);
	}
	free(below);
}

void digest_small_functions(struct digest *d)
{
	/* the order decides which of several equally large functions are kept, if not all can be */
	order_functions(d);
	size_t nr = d->functions.nr;
	struct choice c = { .small = mem_calloc(nr, sizeof *c.small) };
	/* for each function its own index if it is kept, else the index of its nearest kept caller */
	int64_t *kept = mem_calloc(nr, sizeof *kept);
	choose_functions(d, &c);
	for (size_t i = 0; i < nr; i++) {
		struct function_stat *f = &d->functions.v[i];
		if (f->parent >= 0)
			f->parent = kept[f->parent];
		kept[i] = c.small[i] ? f->parent : (int64_t)i;
		if (c.small[i])
			row_make_sum(&function_stat_row, f);
	}
	free(kept);
	choice_release(&c);
	order_functions(d);
}

/* ---- sums of allocation sites ---- */

static bool is_list_of_sites(enum memory_list list)
{
	return list == MEMORY_LIST_PEAK || list == MEMORY_LIST_END || list == MEMORY_LIST_CHURN ||
	       list == MEMORY_LIST_OOM;
}

/* Sums the small rows of one list of one memory, v[0..nr); returns how many rows are left. */
static size_t sum_sites(struct memory_item *v, size_t nr)
{
	struct memory_item rest = { .memory = v->memory,
		                        .list = v->list,
		                        .kind = SITE_REST,
		                        .category = SPAN("all else"),
		                        .file = SPAN(""),
		                        .function = SPAN("") };
	__int128 sum = 0;
	bool any = false;
	size_t left = 0;
	for (size_t i = 0; i < nr; i++)
		sum += number_distance(v[i].bytes, 0);
	for (size_t i = 0; i < nr; i++) {
		bool site = v[i].kind == SITE_USER || v[i].kind == SITE_FRAMEWORK;
		if (v[i].kind == SITE_REST ||
		    (site && is_small(number_distance(v[i].bytes, 0), sum, KEEP_SHARE))) {
			row_add(&memory_item_row, ROWS_SMALL, &rest, &v[i]);
			any = true;
		} else {
			v[left++] = v[i];
		}
	}
	if (any)
		v[left++] = rest;
	return left;
}

static void sum_items(struct digest *d)
{
	struct memory_item *v = d->memory_items.v;
	size_t nr = 0;
	for (size_t i = 0, end, left; i < d->memory_items.nr; i = end) {
		for (end = i + 1; end < d->memory_items.nr && v[end].list == v[i].list &&
		                  strcmp(v[end].memory, v[i].memory) == 0;)
			end++;
		left = is_list_of_sites(v[i].list) ? sum_sites(v + i, end - i) : end - i;
		memmove(v + nr, v + i, left * sizeof *v);
		nr += left;
	}
	d->memory_items.nr = nr;
}

void digest_small(struct digest *d, const struct category_table *t)
{
	sum_kernels(d, t);
	sum_rows(&d->ops, &of_ops);
	sum_rows(&d->threads, &of_threads);
	sum_calls(d);
	sum_items(d);
	if (!d->where && digest_has_places(d))
		digest_small_code(d);
	sum_rows(&d->ranges, &of_ranges);
}
