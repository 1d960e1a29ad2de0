/* How many there are of something, and what one of them comes to: calls on the host,
   operators, collectives, copies. */
#include "base/text.h"
#include "diff/attribution_internal.h"
#include "model/unit.h"

/* Of one name on both sides, over the steps; saturated. */
struct calls {
	struct span name; ///< empty where the figure is told without names
	int64_t count[NR_SIDES];
	int64_t amount[NR_SIDES]; ///< in the unit of the metric, times steps
	int64_t change; ///< per step
};

struct builder {
	const struct attribution_query *query;
	const struct counted *counted;
	struct arena *arena;
	struct parts parts;
	int64_t steps[NR_SIDES];
	VEC(struct calls) list;
	bool incomplete; ///< the rows of a rank do not add up to its figure
};

/* Rows of one rank. */
typedef void collect_fn(struct builder *b, const struct rank_part *r);

static void add(struct builder *b, const struct rank_part *r, struct span name, int64_t count,
                int64_t amount)
{
	struct calls c = { .name = name };
	c.count[r->side] = count;
	c.amount[r->side] = amount;
	vec_push(&b->list, c);
}

static int64_t step_total(const struct digest *d, enum metric_id id)
{
	return number_div_round(attribution_step_total(d, id), 1);
}

/* ---- what the metrics count ---- */

static enum call_kind kind_of(enum metric_id id)
{
	switch (id) {
	case METRIC_STEP_LAUNCH_TIME:
		return CALL_LAUNCH;
	case METRIC_STEP_DATALOADER_TIME:
		return CALL_DATALOADER;
	default:
		return CALL_SYNC;
	}
}

static void calls_by_name(struct builder *b, const struct rank_part *r)
{
	const struct digest *d = r->rank->digest;
	enum metric_id id = b->query->metric->id;
	int64_t sum = 0;
	for (size_t i = 0; i < d->calls.nr; i++) {
		const struct call_stat *c = &d->calls.v[i];
		int64_t amount = id == METRIC_STEP_SYNC_COUNT ? c->count : c->total_ns;
		if (c->kind != kind_of(id))
			continue;
		add(b, r, c->names ? SPAN("other calls") : c->name, c->count, amount);
		sum = number_add(sum, amount);
	}
	b->incomplete = b->incomplete || sum != step_total(d, id);
}

/* Of a digest without the names of calls. */
static void synchronisation(struct builder *b, const struct rank_part *r)
{
	const struct digest *d = r->rank->digest;
	add(b, r, SPAN(""), step_total(d, METRIC_STEP_SYNC_COUNT),
	    step_total(d, METRIC_STEP_SYNC_TIME));
}

static void operators(struct builder *b, const struct rank_part *r)
{
	const struct digest *d = r->rank->digest;
	bool whole = b->query->metric->id == METRIC_OP_TIME;
	for (size_t i = 0; i < d->ops.nr; i++)
		if (d->ops.v[i].names == 0 && span_eq(d->ops.v[i].name, r->label))
			add(b, r, SPAN(""), d->ops.v[i].count,
			    whole ? d->ops.v[i].total_ns : d->ops.v[i].self_ns);
}

static bool is_label_of(const struct comm_stat *c, struct span label)
{
	struct strbuf b = STRBUF_INIT;
	comm_label(c, &b);
	bool same = span_eq(strbuf_span(&b), label);
	strbuf_release(&b);
	return same;
}

/* "Float, group of 8": what collectives of one label can differ in. */
static struct span comm_form(struct arena *a, const struct comm_stat *c)
{
	const char *dtype = c->dtype.n ? text_line(a, c->dtype) : "unknown type";
	if (c->group_size < 0)
		return span_of(dtype);
	return span_of(arena_printf(a, "%s, group of %lld", dtype, (long long)c->group_size));
}

static void collectives(struct builder *b, const struct rank_part *r)
{
	const struct digest *d = r->rank->digest;
	for (size_t i = 0; i < d->comms.nr; i++) {
		const struct comm_stat *c = &d->comms.v[i];
		if (!is_label_of(c, r->label))
			continue;
		switch (b->query->metric->id) {
		case METRIC_COMM_COUNT:
			add(b, r, comm_form(b->arena, c), c->count,
			    number_div_round((__int128)c->count * MICRO, 1));
			break;
		case METRIC_COMM_BYTES:
			add(b, r, SPAN(""), c->sized_count, c->bytes);
			break;
		default: /* comm.time */
			add(b, r, SPAN(""), c->count, c->total_ns);
		}
	}
}

static void matched(struct builder *b, const struct rank_part *r)
{
	const struct cross_rank *c = r->rank->cross;
	add(b, r, SPAN(""), c->matched,
	    b->query->metric->id == METRIC_COMM_WAIT_TIME ? c->wait_ns : c->transfer_ns);
}

static void copies(struct builder *b, const struct rank_part *r)
{
	const struct digest *d = r->rank->digest;
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		if (k->kind == EVENT_MEMCPY && span_eq(memcpy_direction(k->name), r->label))
			add(b, r, k->name, k->step_count, k->step_bytes);
	}
}

static void launches(struct builder *b, const struct rank_part *r, const struct kernel_stat *k)
{
	add(b, r, k->name, k->step_count, number_div_round((__int128)k->step_count * MICRO, 1));
}

/* By the raw names that the match name stands for. */
static void raw_names(struct builder *b, const struct rank_part *r)
{
	const struct digest *d = r->rank->digest;
	const struct kernel_row *row = attribution_kernel(r);
	if (row && row->raw_names == 1)
		launches(b, r, &row->stat);
	for (size_t i = 0; row && row->raw_names > 1 && i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		if (k->kind == EVENT_KERNEL && k->names == 0 &&
		    span_eq(naming_match(r->view->naming, b->arena, k->name), r->label))
			launches(b, r, k);
	}
}

#define CALLS "number of calls", "mean duration of a call"

static const struct counted {
	enum metric_id metric;
	bool one_rank; ///< several are rather told apart
	collect_fn *collect;
	const char *by; ///< for the title
	const char *number, *mean; ///< parts of a name; NULL: the figure is the number
	const char *one, *many; ///< for names beyond those shown
} counted[] = {
	{ METRIC_STEP_LAUNCH_TIME, false, calls_by_name, "call", CALLS, "call", "calls" },
	{ METRIC_STEP_SYNC_TIME, false, calls_by_name, "call", CALLS, "call", "calls" },
	{ METRIC_STEP_SYNC_TIME, false, synchronisation, "number and duration of calls", CALLS, "",
	  "" },
	{ METRIC_STEP_DATALOADER_TIME, false, calls_by_name, "call", CALLS, "call", "calls" },
	{ METRIC_STEP_SYNC_COUNT, false, calls_by_name, "call", NULL, NULL, "call", "calls" },
	{ METRIC_OP_TIME, false, operators, "number and duration of calls", CALLS, "", "" },
	{ METRIC_OP_SELF_TIME, false, operators, "number and duration of calls", CALLS, "", "" },
	{ METRIC_COMM_TIME, false, collectives, "number and duration of calls", CALLS, "", "" },
	{ METRIC_COMM_COUNT, false, collectives, "type and group size", NULL, NULL, "form", "forms" },
	{ METRIC_COMM_BYTES, false, collectives, "number and size of messages", "number of messages",
	  "mean size of a message", "", "" },
	{ METRIC_COMM_WAIT_TIME, true, matched, "number and duration of calls", CALLS, "", "" },
	{ METRIC_COMM_TRANSFER_TIME, true, matched, "number and duration of calls", CALLS, "", "" },
	{ METRIC_MEMCPY_BYTES, false, copies, "kind, number and size of copies", "number of copies",
	  "mean size of a copy", "kind", "kinds" },
	{ METRIC_KERNEL_COUNT, false, raw_names, "name", NULL, NULL, "name", "names" },
};

/* ---- rows ---- */

static void take(void *ctx, const struct rank_part *r)
{
	struct builder *b = ctx;
	bool of_matches = b->counted->collect == matched;
	int64_t steps = of_matches ? r->rank->cross->steps : r->rank->digest->usable_steps;
	b->steps[r->side] = number_add(b->steps[r->side], steps);
	b->counted->collect(b, r);
}

static int by_name(const void *a, const void *b)
{
	return span_cmp(((const struct calls *)a)->name, ((const struct calls *)b)->name);
}

static int by_change(const void *a, const void *b)
{
	const struct calls *x = a, *y = b;
	int c = parts_order(x->change, y->change);
	return c ? c : by_name(a, b);
}

static void merge(struct builder *b)
{
	size_t nr = 0;
	vec_sort(&b->list, by_name);
	for (size_t i = 0; i < b->list.nr; i++) {
		struct calls *last = nr ? &b->list.v[nr - 1] : NULL, row = b->list.v[i];
		if (!last || by_name(last, &row) != 0) {
			b->list.v[nr++] = row;
			continue;
		}
		for (int s = 0; s < NR_SIDES; s++) {
			last->count[s] = number_add(last->count[s], row.count[s]);
			last->amount[s] = number_add(last->amount[s], row.amount[s]);
		}
	}
	b->list.nr = nr;
}

/* Each change is the difference of two rounded running sums, so that rounding does not
   accumulate: what it leaves (1) is the last row's. Returns what is left after that. */
static int64_t find_changes(struct builder *b)
{
	const struct attribution_query *q = b->query;
	__int128 sum[NR_SIDES] = { 0 };
	int64_t before = 0;
	for (size_t i = 0; i < b->list.nr; i++) {
		struct calls *c = &b->list.v[i];
		for (int s = 0; s < NR_SIDES; s++)
			sum[s] += c->amount[s];
		int64_t now = attribution_mean_change(sum, b->steps);
		c->change = number_sub(now, before);
		before = now;
	}
	int64_t rest = number_sub(number_sub(q->change, q->later), before);
	if (b->list.nr && (rest == 1 || rest == -1)) {
		struct calls *last = &b->list.v[b->list.nr - 1];
		last->change = number_add(last->change, rest);
		rest = 0;
	}
	vec_sort(&b->list, by_change);
	return rest;
}

/* ---- parts ---- */

static bool is_on_both_sides(const struct calls *c)
{
	return c->count[SIDE_BASELINE] > 0 && c->count[SIDE_CANDIDATE] > 0;
}

static const char *number_detail(struct builder *b, const struct calls *c)
{
	int64_t number[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++)
		number[s] =
		    b->steps[s] > 0 ? number_div_round((__int128)c->count[s] * MICRO, b->steps[s]) : 0;
	return arena_printf(b->arena, "%s per step",
	                    unit_movement(b->arena, UNIT_COUNT_PER_STEP, number[0], number[1]));
}

static const char *mean_detail(struct builder *b, const struct calls *c)
{
	bool bytes = b->query->metric->unit == UNIT_BYTES_PER_STEP;
	if (!is_on_both_sides(c))
		return "";
	return unit_movement(b->arena, bytes ? UNIT_BYTES : UNIT_NS,
	                     number_div_round(c->amount[0], c->count[0]),
	                     number_div_round(c->amount[1], c->count[1]));
}

static int64_t per_step(const struct builder *b, __int128 amount, __int128 of, int side)
{
	return of > 0 && b->steps[side] > 0 ? number_div_round(amount, of * b->steps[side]) : 0;
}

/* Δcount × the baseline's mean, and what that leaves. */
static void add_number_and_mean(struct builder *b, int level, const struct calls *c)
{
	const int64_t *n = c->count;
	int64_t number = number_sub(per_step(b, (__int128)c->amount[0] * n[1], n[0], SIDE_CANDIDATE),
	                            per_step(b, n[0] > 0 ? c->amount[0] : 0, 1, SIDE_BASELINE));
	int64_t mean = number_sub(c->change, number);
	if (number)
		parts_add(&b->parts, level, b->counted->number, number, number_detail(b, c));
	if (mean)
		parts_add(&b->parts, level, b->counted->mean, mean, mean_detail(b, c));
}

/* Of calls, kinds of copies, …; else the figure is that of one thing. */
static bool has_names(const struct builder *b)
{
	return b->counted->many[0] != '\0';
}

static const char *row_detail(struct builder *b, const struct calls *c)
{
	if (!is_on_both_sides(c))
		return c->count[SIDE_BASELINE] > 0 ? "gone" : "new";
	return b->counted->number ? "" : number_detail(b, c);
}

static void add_parts(struct builder *b, int64_t rest)
{
	int64_t folded = 0;
	size_t nr_folded = 0;
	for (size_t i = 0; i < b->list.nr && b->list.v[i].change; i++) {
		const struct calls *c = &b->list.v[i];
		if (!has_names(b)) {
			add_number_and_mean(b, 0, c);
		} else if (i >= PARTS_SHOWN || (i > 0 && parts_is_small(&b->parts, c->change))) {
			folded = number_add(folded, c->change);
			nr_folded++;
		} else {
			parts_add(&b->parts, 0, text_line(b->arena, c->name), c->change, row_detail(b, c));
			if (b->counted->number && is_on_both_sides(c))
				add_number_and_mean(b, 1, c);
		}
	}
	parts_add_rest(&b->parts, 0, b->counted->one, b->counted->many, nr_folded, folded);
	attribution_complete(&b->parts, b->query, rest);
}

static struct breakdown *build(struct builder *b, const struct bench *bench,
                               const struct activity_pairs *p)
{
	const struct attribution_query *q = b->query;
	attribution_each_rank(bench, p, q, take, b);
	merge(b);
	const char *of =
	    q->label.n ? arena_printf(b->arena, " of '%s'", text_short(b->arena, q->label, 60)) : "";
	if (!b->incomplete) {
		const char *title =
		    arena_printf(b->arena, "%s%s by %s", q->metric->name, of, b->counted->by);
		b->parts = parts_new(b->arena, title, q->metric->unit, q->change);
		add_parts(b, find_changes(b));
	}
	vec_release(&b->list);
	return b->parts.out;
}

struct breakdown *attribution_of_calls(const struct bench *b, const struct activity_pairs *p,
                                       const struct attribution_query *q, bool any_ranks,
                                       struct arena *a)
{
	struct breakdown *out = NULL;
	for (size_t i = 0; i < sizeof counted / sizeof *counted && !out; i++) {
		struct builder builder = { .query = q, .counted = &counted[i], .arena = a };
		if (counted[i].metric == q->metric->id &&
		    (any_ranks || !counted[i].one_rank || attribution_nr_ranks(b, q) == 1))
			out = build(&builder, b, p);
	}
	return out;
}
