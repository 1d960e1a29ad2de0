/* Breakdown of a change by the number of calls and by their mean duration or size: for host calls,
   operators, collectives and copies. */
#include "base/text.h"
#include "diff/breakdown_internal.h"
#include "diff/terms.h"
#include "metric/unit.h"

/* The calls with one name on one rank, summed over all steps. */
struct call_row {
	struct span name; /* name of the calls; empty if the breakdown has only one row of calls */
	int side;
	int64_t count, amount; /* number of calls, and their total time or size in the metric's unit */
};

struct call_breakdown {
	const struct breakdown_input *in;
	const struct counted *counted;
	struct parts parts;
	int64_t steps[NR_SIDES];
	VEC(struct call_row) rows;
	/* true if the rows of a rank do not add up to its figure, so that there is no breakdown */
	bool incomplete;
};

/* Type of the functions that add one rank's rows of calls to b->rows. */
typedef void collect_fn(struct call_breakdown *b, const struct covered_rank *r);

#define CALLS "number of calls", "mean duration of a call"

static collect_fn collect_calls, collect_synchronization, collect_ops, collect_ranges,
    collect_collectives, collect_matched, collect_copies, collect_raw_names;

static const struct counted {
	enum metric_id metric;
	/* true: used only for a change of a single rank, since a change of several ranks is broken down
	 * by rank instead; false: used for any number of ranks */
	bool one_rank;
	collect_fn *collect;
	enum call_kind kind; /* kind of the host calls to add, for collect_calls() */
	size_t count, amount; /* offsets of two members of a digest's row: number of calls, and total */
	const char *by; /* words after "by" in the title of the breakdown */
	/* labels of the two parts of each change: one by the number of calls, one by the mean of a
	   call; both NULL if the metric is only a number of calls */
	const char *number, *mean;
	const char *one, *many; /* nouns for one row and for several rows of the breakdown; NULL: rows
	                         * have no names, so that all calls become one row */
} counted[] = {
#define OF(type, count, amount) offsetof(struct type, count), offsetof(struct type, amount)
#define BY_CALL "call", CALLS, "call", "calls"
#define BY_NUMBER "number and duration of calls", CALLS, NULL, NULL
#define BY_MESSAGE \
	"number and size of messages", "number of messages", "mean size of a message", NULL, NULL
#define BY_COPY \
	"kind, number and size of copies", "number of copies", "mean size of a copy", "kind", "kinds"
	/* clang-format off */
	{ METRIC_STEP_LAUNCH_TIME, false, collect_calls, CALL_LAUNCH, OF(call_stat, count, total_ns), BY_CALL },
	{ METRIC_STEP_SYNC_TIME, false, collect_calls, CALL_SYNC, OF(call_stat, count, total_ns), BY_CALL },
	{ METRIC_STEP_SYNC_TIME, false, collect_synchronization, 0, 0, 0, BY_NUMBER },
	{ METRIC_STEP_DATALOADER_TIME, false, collect_calls, CALL_DATALOADER, OF(call_stat, count, total_ns), BY_CALL },
	{ METRIC_STEP_SYNC_COUNT, false, collect_calls, CALL_SYNC, OF(call_stat, count, count),
	  "call", NULL, NULL, "call", "calls" },
	{ METRIC_OP_TIME, false, collect_ops, 0, OF(op_stat, count, total_ns), BY_NUMBER },
	{ METRIC_OP_SELF_TIME, false, collect_ops, 0, OF(op_stat, count, self_ns), BY_NUMBER },
	{ METRIC_RANGE_GPU_TIME, false, collect_ranges, 0, OF(range_stat, count, total_ns),
	  "number and duration of GPU activities", "number of GPU activities", "mean duration of one", NULL, NULL },
	{ METRIC_COMM_TIME, false, collect_collectives, 0, OF(comm_stat, count, total_ns), BY_NUMBER },
	{ METRIC_COMM_COUNT, false, collect_collectives, 0, OF(comm_stat, count, count),
	  "type and group size", NULL, NULL, "form", "forms" },
	{ METRIC_COMM_BYTES, false, collect_collectives, 0, OF(comm_stat, sized_count, bytes), BY_MESSAGE },
	{ METRIC_COMM_WAIT_TIME, true, collect_matched, 0, OF(cross_rank, matched, wait_ns), BY_NUMBER },
	{ METRIC_COMM_TRANSFER_TIME, true, collect_matched, 0, OF(cross_rank, matched, transfer_ns), BY_NUMBER },
	{ METRIC_MEMCPY_BYTES, false, collect_copies, 0, OF(kernel_stat, step_count, step_bytes), BY_COPY },
	{ METRIC_KERNEL_COUNT, false, collect_raw_names, 0, OF(kernel_stat, step_count, step_count),
	  "name", NULL, NULL, "name", "names" },
	/* clang-format on */
};

/* ---- rows of the ranks ---- */

static void add_calls(struct call_breakdown *b, const struct covered_rank *r, struct span name,
                      int64_t count, int64_t amount)
{
	vec_push(&b->rows, (struct call_row){ name, r->side, count, amount });
}

static int64_t member(const void *row, size_t at)
{
	return *(const int64_t *)((const char *)row + at);
}

/* Add a row of a digest. b->counted has the offsets of two members of the row: the number of calls,
   and their total. If the metric is a count per step, the total is converted to millionths. */
static void add_row(struct call_breakdown *b, const struct covered_rank *r, struct span name,
                    const void *row)
{
	bool micro = b->in->query->metric->unit == UNIT_COUNT_PER_STEP;
	__int128 amount = member(row, b->counted->amount);
	add_calls(b, r, name, member(row, b->counted->count),
	          number_div_round(micro ? amount * MICRO : amount, 1));
}

static int64_t step_total(const struct digest *d, enum metric_id id)
{
	__int128 total;
	return step_metric_total(d, id, &total) ? number_div_round(total, 1) : 0;
}

static void collect_calls(struct call_breakdown *b, const struct covered_rank *r)
{
	const struct digest *d = r->rank->digest;
	int64_t sum = 0;
	for (size_t i = 0; i < d->calls.nr; i++) {
		const struct call_stat *c = &d->calls.v[i];
		if (c->kind != b->counted->kind)
			continue;
		add_row(b, r, c->names ? SPAN("other calls") : c->name, c);
		sum = number_add(sum, member(c, b->counted->amount));
	}
	b->incomplete = b->incomplete || sum != step_total(d, b->counted->metric);
}

/* Add all synchronization calls as one row, for a digest that lacks the names of calls. */
static void collect_synchronization(struct call_breakdown *b, const struct covered_rank *r)
{
	const struct digest *d = r->rank->digest;
	add_calls(b, r, SPAN(""), step_total(d, METRIC_STEP_SYNC_COUNT),
	          step_total(d, METRIC_STEP_SYNC_TIME));
}

static void collect_ops(struct call_breakdown *b, const struct covered_rank *r)
{
	const struct digest *d = r->rank->digest;
	for (size_t i = 0; i < d->ops.nr; i++)
		if (d->ops.v[i].names == 0 && span_eq(d->ops.v[i].name, r->label))
			add_row(b, r, SPAN(""), &d->ops.v[i]);
}

static void collect_ranges(struct call_breakdown *b, const struct covered_rank *r)
{
	const struct digest *d = r->rank->digest;
	for (size_t i = 0; i < d->ranges.nr; i++)
		if (d->ranges.v[i].names == 0 && span_eq(d->ranges.v[i].name, r->label))
			add_row(b, r, SPAN(""), &d->ranges.v[i]);
}

static bool is_label_of(const struct comm_stat *c, struct span label)
{
	struct strbuf b = STRBUF_INIT;
	comm_label(c, &b);
	bool same = span_eq(strbuf_span(&b), label);
	strbuf_release(&b);
	return same;
}

/* Text such as "Float, group of 8": the properties by which collectives with one label differ. */
static struct span comm_form(struct arena *a, const struct comm_stat *c)
{
	const char *dtype = c->dtype.n ? text_line(a, c->dtype) : "unknown type";
	if (c->group_size < 0)
		return span_of(dtype);
	return span_of(arena_printf(a, "%s, group of %lld", dtype, (long long)c->group_size));
}

static void collect_collectives(struct call_breakdown *b, const struct covered_rank *r)
{
	const struct digest *d = r->rank->digest;
	for (size_t i = 0; i < d->comms.nr; i++) {
		const struct comm_stat *c = &d->comms.v[i];
		if (is_label_of(c, r->label))
			add_row(b, r, b->counted->many ? comm_form(b->in->arena, c) : SPAN(""), c);
	}
}

static void collect_matched(struct call_breakdown *b, const struct covered_rank *r)
{
	add_row(b, r, SPAN(""), r->rank->cross);
}

static void collect_copies(struct call_breakdown *b, const struct covered_rank *r)
{
	const struct digest *d = r->rank->digest;
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		if (k->kind == EVENT_MEMCPY && span_eq(memcpy_direction(k->name), r->label))
			add_row(b, r, k->name, k);
	}
}

/* Add a row for each name that a kernel has in the trace. The label of the query is the name by
   which rules match the kernel, which several names in the trace may share. */
static void collect_raw_names(struct call_breakdown *b, const struct covered_rank *r)
{
	const struct digest *d = r->rank->digest;
	const struct kernel_row *row = rank_view_kernel(r->rank, r->label);
	if (row && row->raw_names == 1)
		add_row(b, r, row->stat.name, &row->stat);
	for (size_t i = 0; row && row->raw_names > 1 && i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		if (k->kind == EVENT_KERNEL && k->names == 0 &&
		    span_eq(view_match(r->view, k->name), r->label))
			add_row(b, r, k->name, k);
	}
}

static void take_rank(void *ctx, const struct covered_rank *r)
{
	struct call_breakdown *b = ctx;
	bool of_matches = b->counted->collect == collect_matched;
	int64_t steps = of_matches ? r->rank->cross->steps : r->rank->digest->usable_steps;
	b->steps[r->side] = number_add(b->steps[r->side], steps);
	b->counted->collect(b, r);
}

/* ---- the tree of calls ---- */

static const char *number_detail(const struct call_breakdown *b, const struct node *n)
{
	int64_t number[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++)
		number[s] =
		    b->steps[s] > 0 ? number_div_round((__int128)n->count[s] * MICRO, b->steps[s]) : 0;
	return arena_printf(b->in->arena, "%s per step",
	                    unit_movement(b->in->arena, UNIT_COUNT_PER_STEP, number[0], number[1]));
}

static void describe_calls(void *ctx, struct node *n)
{
	struct call_breakdown *b = ctx;
	const struct call_row *row = n->of;
	bool both = node_is_on_both_sides(n), named = b->counted->many;
	bool bytes = b->in->query->metric->unit == UNIT_BYTES_PER_STEP;
	if (!row)
		return;
	if (named) {
		n->label = text_line(b->in->arena, row->name);
		n->detail = !both                ? n->count[SIDE_BASELINE] > 0 ? "gone" : "new"
		            : b->counted->number ? ""
		                                 : number_detail(b, n);
	}
	if (b->counted->number && (both || !named))
		node_split(&b->parts, n, b->steps, b->counted->number, number_detail(b, n),
		           b->counted->mean, node_mean(n, b->in->arena, bytes ? UNIT_BYTES : UNIT_NS));
}

ORDERING(by_name, struct call_row, BY_SPAN(name))

static void form_tree(struct call_breakdown *b, struct node *root)
{
	struct node *n = NULL;
	vec_sort(&b->rows, by_name);
	for (size_t i = 0; i < b->rows.nr; i++) {
		const struct call_row *row = &b->rows.v[i];
		if (i == 0 || by_name(row - 1, row) != 0)
			n = node_add(&b->parts, root, NULL);
		n->of = row;
		n->count[row->side] = number_add(n->count[row->side], row->count);
		n->amount[row->side] += row->amount;
	}
}

static struct breakdown *build(struct call_breakdown *b)
{
	const struct breakdown_query *q = b->in->query;
	struct node root = { .order = NODES_SUM_SMALL,
		                 .one = b->counted->one,
		                 .many = b->counted->many };
	struct breakdown *out = NULL;
	breakdown_each_rank(b->in, take_rank, b);
	if (!b->incomplete) {
		b->parts = breakdown_begin(b->in, b->counted->by);
		b->parts.describe = describe_calls;
		b->parts.ctx = b;
		form_tree(b, &root);
		int64_t rest = nodes_spread(&root, b->steps, breakdown_change(q));
		out = breakdown_end(&b->parts, &root, q, rest);
	}
	vec_release(&b->rows);
	return out;
}

bool breakdown_has_calls(enum metric_id id)
{
	return ANY(i, NR_OF(counted), counted[i].metric == id);
}

struct breakdown *breakdown_by_call(const struct breakdown_input *in)
{
	struct breakdown *out = NULL;
	for (size_t i = 0; i < NR_OF(counted) && !out; i++) {
		struct call_breakdown b = { .in = in, .counted = &counted[i] };
		if (counted[i].metric == in->query->metric->id &&
		    (in->any_ranks || !counted[i].one_rank || breakdown_nr_ranks(in) == 1))
			out = build(&b);
	}
	return out;
}
