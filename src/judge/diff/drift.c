#include "diff/drift.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "metric/unit.h"

/* The kernels with the most time of each side (baseline and candidate). */
struct top {
	VEC(const struct activity_pair *)
	side[NR_SIDES]; ///< for each side, its kernels with the most time, sorted by time, then name
	VEC(const struct activity_pair *)
	both; ///< the kernels of both lists in `side`, each once, in the order of activity_pairs.list
};

static int by_time(const struct activity_pair *a, const struct activity_pair *b, int side)
{
	ORDER_BY(b->time_ns[side], a->time_ns[side]);
	return span_cmp(a->name, b->name);
}

ORDERING_POINTERS(by_baseline, struct activity_pair, THEN(by_time(x, y, SIDE_BASELINE)))

ORDERING_POINTERS(by_candidate, struct activity_pair, THEN(by_time(x, y, SIDE_CANDIDATE)))

ORDERING_POINTERS(by_place, struct activity_pair, THEN(COMPARE(x, y)))

/* True for a kernel with complete figures. False for other activities, and for a kernel that some
 * ranks may have only in their sums of small kernels. */
static bool is_told(const struct activity_pairs *p, const struct activity_pair *a)
{
	return a->kind == EVENT_KERNEL && !a->small && !activity_is_partial(p, a);
}

static void top_init(struct top *t, const struct activity_pairs *p, int64_t top)
{
	*t = (struct top){ 0 };
	for (int s = 0; s < NR_SIDES; s++) {
		for (size_t i = 0; i < p->list.nr; i++)
			if (is_told(p, &p->list.v[i]) && p->list.v[i].count[s] > 0)
				vec_push(&t->side[s], &p->list.v[i]);
		vec_sort(&t->side[s], s == SIDE_BASELINE ? by_baseline : by_candidate);
		if (top >= 0 && t->side[s].nr > (size_t)top)
			t->side[s].nr = (size_t)top;
		for (size_t i = 0; i < t->side[s].nr; i++)
			vec_push(&t->both, t->side[s].v[i]);
	}
	vec_unite(&t->both, by_place, NULL);
}

static __int128 magnitude(__int128 v)
{
	return v < 0 ? -v : v;
}

static __int128 distance(const struct activity_pair *a)
{
	return magnitude((__int128)a->time_ns[SIDE_CANDIDATE] - a->time_ns[SIDE_BASELINE]);
}

ORDERING_POINTERS(by_distance, struct activity_pair,
                  THEN(COMPARE(distance(y), distance(x))) BY_SPAN(name))

/* Fill t->both with the `top` kernels whose time changed most, up or down, in ns per step. */
static void top_of_changes(struct top *t, const struct activity_pairs *p, size_t top)
{
	*t = (struct top){ 0 };
	for (size_t i = 0; i < p->list.nr; i++)
		if (is_told(p, &p->list.v[i]))
			vec_push(&t->both, &p->list.v[i]);
	vec_sort(&t->both, by_distance);
	if (t->both.nr > top)
		t->both.nr = top;
	vec_sort(&t->both, by_place);
}

static void top_release(struct top *t)
{
	for (int s = 0; s < NR_SIDES; s++)
		vec_release(&t->side[s]);
	vec_release(&t->both);
}

/* True if `a` is the new name of a renamed kernel that `t` already counts under its old name. */
static bool is_counted(const struct top *t, const struct activity_pair *a)
{
	return a->partner && a->count[SIDE_BASELINE] <= 0 &&
	       bsearch(&a->partner, t->both.v, t->both.nr, sizeof a, by_place);
}

/* For one category, the time per step of kernels that are gone (`gone`) and of kernels that are new
   (`fresh`). The new kernels are assumed to replace those that are gone. */
struct replaced {
	int category;
	__int128 gone, fresh;
};
struct replacements {
	VEC(struct replaced) list;
};

static struct replaced *replaced_in(struct replacements *r, int category)
{
	for (size_t i = 0; i < r->list.nr && category >= 0; i++)
		if (r->list.v[i].category == category)
			return &r->list.v[i];
	struct replaced *own = vec_push_zero(&r->list);
	own->category = category;
	return own;
}

bool drift_pct(const struct activity_pairs *p, int64_t top, int64_t *out)
{
	struct top t;
	struct replacements r = { 0 };
	__int128 rises = 0, base = 0;
	top_init(&t, p, top);
	for (size_t i = 0; i < t.both.nr; i++) {
		const struct activity_pair *a = t.both.v[i], *x = a, *y = a;
		if (is_counted(&t, a))
			continue;
		if (a->partner && a->count[SIDE_BASELINE] > 0)
			y = a->partner;
		else if (a->partner)
			x = a->partner;
		__int128 by = (__int128)y->time_ns[SIDE_CANDIDATE] - x->time_ns[SIDE_BASELINE];
		base += x->time_ns[SIDE_BASELINE];
		if (y->count[SIDE_CANDIDATE] <= 0)
			replaced_in(&r, a->category)->gone -= by;
		else if (x->count[SIDE_BASELINE] <= 0)
			replaced_in(&r, a->category)->fresh += by;
		else
			rises += by > 0 ? by : 0;
	}
	for (size_t i = 0; i < r.list.nr; i++)
		rises += r.list.v[i].fresh > r.list.v[i].gone ? r.list.v[i].fresh - r.list.v[i].gone : 0;
	vec_release(&r.list);
	top_release(&t);
	if (base <= 0)
		return false;
	*out = number_pct(rises, base);
	return true;
}

bool drift_overlap_pct(const struct activity_pairs *p, int64_t top, int64_t *out)
{
	struct top t;
	top_init(&t, p, top);
	size_t b = t.side[SIDE_BASELINE].nr, c = t.side[SIDE_CANDIDATE].nr;
	size_t shared = b + c - t.both.nr, most = b > c ? b : c;
	for (size_t i = 0; i < t.both.nr; i++)
		shared += is_counted(&t, t.both.v[i]);
	top_release(&t);
	if (most == 0)
		return false;
	*out = number_pct((__int128)shared, (__int128)most);
	return true;
}

/* True if both sides recorded a resource of the kernel, and launched the kernel equally often. The
 * amounts are maxima over all launches: with more launches, the maximum of a side could be larger
 * for this reason only. */
static bool has_resources(const struct activity_pairs *p, const struct activity_pair *a)
{
	return ANY(i, NR_RESOURCES,
	           a->resources[SIDE_BASELINE][i] >= 0 && a->resources[SIDE_CANDIDATE][i] >= 0) &&
	       a->count[SIDE_BASELINE] > 0 && activity_count_order(p, a) == 0;
}

bool drift_resources(const struct activity_pairs *p, int64_t top, struct arena *arena, int64_t *out,
                     const char **text)
{
	enum { NAMED = 3, NAME_CHARS = 60 };
	struct top t;
	struct strbuf b = STRBUF_INIT;
	bool known = false;
	*out = 0;
	top_init(&t, p, top);
	for (size_t i = 0; i < t.both.nr; i++) {
		const struct activity_pair *a = t.both.v[i];
		bool asked = has_resources(p, a);
		const char *what = asked ? pair_resources(arena, a, a) : NULL;
		known = known || asked;
		if (what && ++*out <= NAMED)
			strbuf_addf(&b, "%s'%s' %s", b.n ? "; " : "", text_short(arena, a->name, NAME_CHARS),
			            what);
	}
	top_release(&t);
	*text = b.n ? arena_take(arena, &b) : NULL;
	return known;
}

bool drift_figure(const struct activity_pairs *p, const struct metric *m, int64_t top, int64_t *out)
{
	struct arena scratch = ARENA_INIT;
	const char *text;
	if (m->id == METRIC_KERNEL_DRIFT_PCT)
		return drift_pct(p, top, out);
	if (m->id == METRIC_KERNEL_TOP_OVERLAP_PCT)
		return drift_overlap_pct(p, top, out);
	bool known = drift_resources(p, top, &scratch, out, &text);
	arena_release(&scratch);
	return known;
}

bool drift_may_be_small(const struct activity_pairs *p, const struct activity_pair *a)
{
	bool one_sided = (a->count[SIDE_BASELINE] > 0) != (a->count[SIDE_CANDIDATE] > 0);
	return one_sided && !a->small && !activity_is_only(p, a, SIDE_BASELINE) &&
	       !activity_is_only(p, a, SIDE_CANDIDATE);
}

static int by_name(const void *name, const void *pair)
{
	const struct activity_pair *a = pair;
	if (a->kind != EVENT_KERNEL || a->small)
		/* this pair is after all kernels that are listed by name: search before it */
		return -1;
	return span_cmp(*(const struct span *)name, a->name);
}

const struct activity_pair *drift_find(const struct activity_pairs *p, struct span name)
{
	return p->list.nr ? bsearch(&name, p->list.v, p->list.nr, sizeof *p->list.v, by_name) : NULL;
}

/* The kind of a kernel's change. The kernel's time changes with the number of its launches and with
   their mean duration; the larger of these two changes gives the kind. The kind is DRIFT_SAME if
   both changes together are at most 2 % of the baseline's time, since unchanged kernels differ by
   as much. */
static enum drift drift_class(const struct activity_pairs *p, const struct activity_pair *a)
{
	if (activity_is_only(p, a, SIDE_BASELINE))
		return DRIFT_GONE;
	if (activity_is_only(p, a, SIDE_CANDIDATE))
		return DRIFT_NEW;
	if (a->count[SIDE_BASELINE] <= 0 || a->count[SIDE_CANDIDATE] <= 0)
		return DRIFT_SAME; /* a kernel that only one side lists has no known change if the other
		                      side may have it in its sum of small kernels */
	__int128 launches = activity_launches_ns(p, a);
	__int128 mean = (__int128)a->time_ns[SIDE_CANDIDATE] - a->time_ns[SIDE_BASELINE] - launches;
	if ((magnitude(launches) + magnitude(mean)) * 50 <= a->time_ns[SIDE_BASELINE])
		return DRIFT_SAME;
	if (magnitude(launches) >= magnitude(mean))
		return activity_count_order(p, a) > 0 ? DRIFT_MORE_LAUNCHES : DRIFT_FEWER_LAUNCHES;
	return mean > 0 ? DRIFT_SLOWER : DRIFT_FASTER;
}

static void add_shape(struct strbuf *b, const int64_t shape[3])
{
	for (int i = 0; i < 3; i++)
		strbuf_addf(b, "%s%" PRId64, i ? "×" : "", shape[i]);
}

static void add_dimension(struct strbuf *b, const char *what, const int64_t x[3],
                          const int64_t y[3])
{
	strbuf_addf(b, "%s ", what);
	add_shape(b, x);
	if (memcmp(x, y, 3 * sizeof *x) != 0) {
		strbuf_adds(b, " → ");
		add_shape(b, y);
	}
}

static const struct kernel_stat *shape_of(const struct kernel_row *row)
{
	return row && row->stat.grid[0] >= 0 ? &row->stat : NULL;
}

static const char *shape_text(struct arena *arena, const struct kernel_row *baseline,
                              const struct kernel_row *candidate)
{
	const struct kernel_stat *x = shape_of(baseline), *y = shape_of(candidate);
	if (!x && !y)
		return "";
	x = x ? x : y;
	y = y ? y : x;
	struct strbuf b = STRBUF_INIT;
	if (memcmp(x->grid, y->grid, sizeof x->grid) != 0 ||
	    memcmp(x->block, y->block, sizeof x->block) != 0)
		strbuf_adds(&b, "other shape: ");
	add_dimension(&b, "grid", x->grid, y->grid);
	strbuf_adds(&b, ", ");
	add_dimension(&b, "block", x->block, y->block);
	return arena_take(arena, &b);
}

static int64_t count_per_step(const struct activity_pairs *p, const struct activity_pair *a,
                              int side)
{
	return p->steps[side] > 0 ? number_div_round((__int128)a->count[side] * MICRO, p->steps[side])
	                          : 0;
}

static const char *count_text(struct arena *a, const struct drift_row *row)
{
	const char *b =
	    row->has_baseline ? unit_text(a, UNIT_COUNT_PER_STEP, row->baseline_count) : NULL;
	const char *c =
	    row->has_candidate ? unit_text(a, UNIT_COUNT_PER_STEP, row->candidate_count) : NULL;
	if (b && c && row->baseline_count != row->candidate_count)
		return arena_printf(a, "%s → %s", b, c);
	return b ? b : c ? c : UNIT_ABSENT;
}

/* Make a row from the baseline's figures of `x` and the candidate's of `y`. `x` and `y` are the
   same pair unless the kernel was renamed. */
static struct drift_row drift_row(const struct activity_pairs *p, const struct activity_pair *x,
                                  const struct activity_pair *y,
                                  const struct category_table *categories, struct arena *a)
{
	struct drift_row row = {
		.kernel = text_line(a, x->name),
		.category = text_line(a, span_of(category_name(categories, x->category))),
		.drift = x == y ? drift_class(p, x) : DRIFT_RENAMED,
		.renamed_to = x == y ? NULL : text_line(a, y->name),
		.has_baseline = x->count[SIDE_BASELINE] > 0,
		.has_candidate = y->count[SIDE_CANDIDATE] > 0,
		.baseline_ns = x->time_ns[SIDE_BASELINE],
		.candidate_ns = y->time_ns[SIDE_CANDIDATE],
		.baseline_count = count_per_step(p, x, SIDE_BASELINE),
		.candidate_count = count_per_step(p, y, SIDE_CANDIDATE),
		.shape_text = shape_text(a, x->row[SIDE_BASELINE], y->row[SIDE_CANDIDATE]),
	};
	row.change_ns = number_sub(row.candidate_ns, row.baseline_ns);
	row.baseline_text =
	    row.has_baseline ? unit_text(a, UNIT_NS_PER_STEP, row.baseline_ns) : UNIT_ABSENT;
	row.candidate_text =
	    row.has_candidate ? unit_text(a, UNIT_NS_PER_STEP, row.candidate_ns) : UNIT_ABSENT;
	row.change_text = unit_change(a, UNIT_NS_PER_STEP, row.change_ns);
	row.count_text = count_text(a, &row);
	return row;
}

ORDERING(by_change, struct drift_row,
         THEN(COMPARE(magnitude(y->change_ns), magnitude(x->change_ns))) BY_TEXT(kernel))

void drift_rows(const struct activity_pairs *p, const struct category_table *categories,
                struct report *out)
{
	struct top t;
	for (size_t i = 0; i < p->list.nr; i++)
		if (p->list.v[i].row[SIDE_BASELINE] || p->list.v[i].row[SIDE_CANDIDATE])
			vec_push(&out->kernels, text_line(&out->arena, p->list.v[i].name));
	top_of_changes(&t, p, DRIFT_ROWS_TOP);
	for (size_t i = 0; i < t.both.nr; i++) {
		const struct activity_pair *x = t.both.v[i], *y = x, *other = x->partner;
		if (other && x->count[SIDE_BASELINE] > 0)
			y = other;
		else if (is_counted(&t, x))
			continue; /* this kernel was renamed; it gets its row when the loop reaches its old
			             name */
		else if (other)
			x = other;
		vec_push(&out->drift, drift_row(p, x, y, categories, &out->arena));
	}
	top_release(&t);
	vec_sort(&out->drift, by_change);
}
