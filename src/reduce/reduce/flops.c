/* Floating-point operations of operators with a rule (flop_count.h). Of nested operators with a
 * rule only the outermost is counted, and only if it launched GPU work. */
#include "model/flops.h"

#include <string.h>

#include "base/number.h"
#include "base/search.h"
#include "model/rows.h"
#include "model/view.h"
#include "reduce/flop_count.h"
#include "reduce/reducer.h"

void flops_release(struct flops *f)
{
	for (size_t i = 0; i < KNOWN_CALLS; i++)
		strbuf_release(&f->known[i].text);
	vec_release(&f->sizes);
	vec_release(&f->ops);
	vec_release(&f->counted);
	vec_release(&f->backwards);
}

static bool is_call(const struct known_call *k, const struct span *texts, int64_t recorded)
{
	size_t at = 0;
	/* without the first condition, NULL + 0 would be computed for an entry that is not used */
	bool same = k->text.n > 0 && k->recorded == recorded;
	for (size_t i = 0; same && i < CALL_TEXTS; at = k->ends[i++])
		same = span_eq((struct span){ k->text.p + at, k->ends[i] - at }, texts[i]);
	return same;
}

void flops_take(struct reducer *r, const struct flop_rule *rule, const struct event *ev)
{
	const struct span texts[CALL_TEXTS] = { ev->input_dims, name_span(ev->name),
		                                    ev->concrete_inputs, ev->input_types,
		                                    ev->input_strides };
	uint64_t hash = 0, tail = 0;
	for (size_t i = 0; i < CALL_TEXTS; i++) {
		size_t n = texts[i].n < sizeof tail ? texts[i].n : sizeof tail;
		if (n)
			memcpy(&tail, texts[i].p + texts[i].n - n, n);
		hash = number_hash(number_hash(hash, texts[i].n), tail);
	}
	struct known_call *k = &r->flops.known[(hash ^ hash >> 32) % KNOWN_CALLS];
	if (!is_call(k, texts, ev->flops)) {
		strbuf_setlen(&k->text, 0);
		for (size_t i = 0; i < CALL_TEXTS; i++) {
			strbuf_add(&k->text, texts[i]);
			k->ends[i] = k->text.n;
		}
		k->recorded = ev->flops;
		struct op_size size;
		size.flops = flop_count(rule, ev, &size.type);
		size.bytes = byte_count(rule, ev, size.flops);
		k->size = (uint32_t)r->flops.sizes.nr;
		vec_push(&r->flops.sizes, size);
	}
	r->flops.lends = r->flops.lends || flop_rule_lends(rule);
	vec_push(&r->flops.ops, (struct sized_op){ (uint32_t)r->host.spans.nr, k->size });
}

/* The entry of a span in `flops.ops`; call it only for a span that has one. */
static const struct sized_op *sized_at(const struct reducer *r, uint32_t span)
{
	return SEARCH_EQUAL(r->flops.ops.v, r->flops.ops.nr, span, span);
}

void flops_add(struct reducer *r, const struct host_span *s, uint32_t lender)
{
	struct sized_op own = *sized_at(r, (uint32_t)(s - r->host.spans.v));
	if (lender != NO_ID && r->flops.sizes.v[own.size].flops < 0)
		own.size = sized_at(r, lender)->size;
	vec_push(&r->flops.counted, own);
}

void flops_take_backward(struct reducer *r, uint32_t span, uint32_t caller)
{
	const struct code_links *l = &r->where.links;
	const struct code_sequence *s = code_sequence_of(l, caller);
	if (s && s->backward)
		vec_push(&r->flops.backwards, (struct op_backward){ widen(&l->wide, s->number), span });
}

/* Computes the operations of a call from the inputs of its backward operator. Called for calls
 * whose own inputs are not enough to compute them. */
static void size_by_backward(struct reducer *r, struct sized_op *op)
{
	const struct host_events *h = &r->host;
	const struct op_backward *v = r->flops.backwards.v;
	const struct code_sequence *s = code_sequence_of(&r->where.links, op->span);
	const struct op_inputs *x = SEARCH_EQUAL(h->op_inputs.v, h->op_inputs.nr, span, op->span);
	size_t lo = 0, hi = r->flops.backwards.nr, nr = hi;
	if (!s || s->backward || !x)
		return;
	int64_t number = widen(&r->where.links.wide, s->number);
	SEARCH(lo, hi, i, v[i].number < number);
	bool one = lo < nr && v[lo].number == number && (lo + 1 == nr || v[lo + 1].number != number);
	const struct op_inputs *y =
	    one ? SEARCH_EQUAL(h->op_inputs.v, h->op_inputs.nr, span, v[lo].span) : NULL;
	if (!y)
		return;
	struct event ev = event_blank(EVENT_OP);
	struct op_size size = r->flops.sizes.v[op->size];
	ev.input_dims = name_span(h->inputs.by_id[x->dims]);
	ev.input_types = name_span(h->inputs.by_id[x->types]);
	size.flops = flop_count_by_backward(span_name(h, &h->spans.v[op->span])->flops, &ev,
	                                    name_span(h->inputs.by_id[y->dims]), &size.bytes);
	op->size = (uint32_t)r->flops.sizes.nr;
	vec_push(&r->flops.sizes, size);
}

ORDERING(backward_cmp, struct op_backward, RISING(number) RISING(span))

void flops_size(struct reducer *r)
{
	vec_release(&r->flops.ops);
	vec_sort(&r->flops.backwards, backward_cmp);
	for (size_t i = 0; i < r->flops.counted.nr && r->flops.backwards.nr; i++)
		if (r->flops.sizes.v[r->flops.counted.v[i].size].flops < 0)
			size_by_backward(r, &r->flops.counted.v[i]);
}

/* True if call `i` of `counted` is on a thread with a lower id, or on `thread` and starts up to
 * `at_ns`. */
static bool counted_begins_by(const struct reducer *r, size_t i, uint32_t thread, int64_t at_ns)
{
	const struct host_span *s = &r->host.spans.v[r->flops.counted.v[i].span];
	uint32_t own = span_thread(&r->host, s);
	return own < thread || (own == thread && span_start(&r->host, s) <= at_ns);
}

uint32_t flops_at(const struct reducer *r, const struct host_span *l, uint32_t *near)
{
	if (!r->flops.counted.nr)
		return NO_ID;
	/* lo becomes the number of operators on threads with lower ids, and on this thread up to
	   `at_ns` */
	size_t lo = 0, hi = r->flops.counted.nr;
	uint32_t thread = span_thread(&r->host, l);
	int64_t at_ns = span_start(&r->host, l);
	if (counted_begins_by(r, *near, thread, at_ns))
		lo = *near + 1;
	SEARCH_NEAR(lo, hi, i, counted_begins_by(r, i, thread, at_ns));
	if (lo == 0)
		return NO_ID;
	*near = (uint32_t)lo - 1;
	const struct host_span *s = &r->host.spans.v[r->flops.counted.v[*near].span];
	return span_thread(&r->host, s) == thread && at_ns < span_end(&r->host, s) ? *near : NO_ID;
}

/* A kernel with blocks for less than half of the multiprocessors cannot reach half of the peak,
   since the other multiprocessors are idle: CUDA C++ Best Practices Guide, Thread and Block
   Heuristics. */
void flops_take_work(const struct reducer *r, struct op_work *w, uint32_t name, int64_t dur_ns,
                     uint32_t blocks)
{
	const struct kernel_stat *k = &r->gpu.names.v[name].stat;
	w->launched++;
	w->few_ns += blocks && 2 * (int64_t)blocks < r->flops.sms ? dur_ns : 0;
	w->by_link = w->by_link ||
	             (k->kind == EVENT_MEMCPY && !span_eq(memcpy_direction(k->name), SPAN("DtoD")));
	w->gpu_ns += dur_ns;
}

/* The GPU work of each operator in `counted`; the caller releases it with free(). */
static struct op_work *launched_work(const struct reducer *r)
{
	struct op_work *work = mem_calloc(r->flops.counted.nr, sizeof *work);
	uint32_t near = 0;
	for (size_t i = 0; i < r->gpu.nr_launched && r->flops.counted.nr; i++) {
		const struct launched *l = &r->gpu.launched[i];
		uint32_t op = flops_at(r, &r->host.spans.v[l->span], &near);
		if (op != NO_ID)
			flops_take_work(r, &work[op], idmap_pair_first(r->gpu.rows.keys.v[l->row]),
			                widen(&r->gpu.wide, l->dur), row_blocks(&r->gpu, l->row));
	}
	return work;
}

/* Number of launches of CUDA or HIP graphs in complete measured steps. */
static int64_t graph_launches(struct reducer *r)
{
	int64_t nr = 0;
	for (size_t i = 0; i < r->host.spans.nr; i++) {
		const struct host_name *h = span_name(&r->host, &r->host.spans.v[i]);
		nr += launches_graph(h) &&
		      steps_usable(&r->steps,
		                   steps_at(&r->steps, span_start(&r->host, &r->host.spans.v[i]))) != NO_ID;
	}
	return nr;
}

/* Kernels shorter than SHORT_NS, or with few blocks, that reach less than half of the GPU's peak
   rates of arithmetic and of memory count as limited by neither. */
enum { SHORT_NS = 10000 };

/* Operations per byte, for GPUs whose peaks are unknown: up to RIDGE_LEAST, memory limits a call;
   from RIDGE_MOST on, arithmetic does. The ratios of GPUs since 2017 lie between those of float32
   on V100 and of float16 on H100. */
enum { RIDGE_LEAST = 10, RIDGE_MOST = 300 };

/* Sets in the row of a call the bytes that it moves, and what limits its time: memory, arithmetic
 * or neither. */
static void roofline(const struct digest *d, const struct op_size *size, const struct op_work *w,
                     struct flop_stat *row)
{
	struct gpu_roof g = flops_roof(d, size->type);
	if (w->by_link)
		return;
	row->unsized = size->bytes < 0;
	if (row->unsized)
		return;
	row->bytes = size->bytes;
	row->sized_ns = w->gpu_ns;
	__int128 flops = size->flops > 0 ? size->flops : 0, bytes = size->bytes;
	bool known = size->flops >= 0, rated = g.gb_per_s && known && (!flops || g.micro_tflops);
	int64_t moved = g.gb_per_s ? number_div_round(bytes, g.gb_per_s) : 0;
	int64_t worked = rated && flops ? number_div_round(flops * 1000, g.micro_tflops) : 0;
	int64_t roof = worked > moved ? worked : moved;
	bool memory = known && (rated ? worked <= moved : flops <= bytes * RIDGE_LEAST);
	bool compute = rated ? worked > moved : flops >= bytes * RIDGE_MOST && flops;
	row->moved_ns = moved < w->gpu_ns ? moved : w->gpu_ns;
	row->roof_ns = !rated ? 0 : roof < w->gpu_ns ? roof : w->gpu_ns;
	bool small = w->gpu_ns < (int64_t)SHORT_NS * w->launched || w->few_ns > w->gpu_ns / 2;
	if (small && roof < w->gpu_ns / 2)
		row->short_ns = w->gpu_ns;
	else if (memory)
		row->memory_ns = w->gpu_ns;
	else if (compute)
		row->compute_ns = w->gpu_ns;
}

static void flop_row_add(struct flop_stat *sum, struct flop_stat row)
{
	int64_t flops;
	if (__builtin_add_overflow(sum->flops, row.flops, &flops)) {
		row.uncounted += row.count;
		row.flops = row.count = 0;
	}
	row_add(&flop_stat_row, ROWS_SMALL, sum, &row);
}

struct flop_rows {
	const struct digest *digest;
	const struct name_table *names;
	struct idmap ids; ///< for each row, the id of its name and its type
	VEC(struct flop_stat) list;
};

/* Adds a call of an operator that was made, or replayed by graphs, `times` times. `id` is the id of
 * the operator's name. Each fused kernel of Inductor has another name; all of them share the row
 * "triton". */
static void take_row(struct flop_rows *rows, uint32_t id, struct op_size size,
                     const struct op_work *w, int64_t times)
{
	if (!w->launched || (size.flops == 0 && w->by_link))
		return;
	if (times > 1 && (__builtin_mul_overflow(size.flops, times, &size.flops) ||
	                  __builtin_mul_overflow(size.bytes, times, &size.bytes)))
		size.flops = size.bytes = -1;
	bool known = size.flops > 0;
	struct span name = name_span(rows->names->by_id[id]);
	struct flop_stat row = { .op = span_starts(name, SPAN("triton_")) ? SPAN("triton") : name,
		                     .type = size.type,
		                     .count = known ? times : 0,
		                     .flops = known ? size.flops : 0,
		                     .uncounted = size.flops < 0 ? times : 0,
		                     .gpu_ns = size.flops ? w->gpu_ns : 0 };
	roofline(rows->digest, &size, w, &row);
	row.unsized *= times;
	uint32_t at = idmap_add(&rows->ids, idmap_pair(id, (uint32_t)size.type));
	if (at < rows->list.nr)
		flop_row_add(&rows->list.v[at], row);
	else
		vec_push(&rows->list, row);
}

void flops_figures(struct reducer *r, const struct trace_meta *meta, struct digest *d)
{
	struct flop_rows rows = { .digest = d, .names = r->names };
	bool recorded = r->host.op_inputs.nr; /* true if the trace has operators' inputs or counts */
	for (size_t i = 0; i < meta->devices.nr; i++)
		if (i == 0 || meta->devices.v[i].sms < r->flops.sms)
			r->flops.sms = meta->devices.v[i].sms;
	idmap_init(&rows.ids);
	struct op_work *work = launched_work(r);
	for (size_t i = 0; i < r->flops.counted.nr; i++) {
		const struct sized_op *op = &r->flops.counted.v[i];
		const struct op_size *size = &r->flops.sizes.v[op->size];
		recorded = recorded || (work[i].launched && size->flops > 0);
		take_row(&rows, span_name_id(&r->host, &r->host.spans.v[op->span]), *size, &work[i], 1);
	}
	int64_t replays = graphs_count(r);
	for (size_t i = 0; i < r->graphs.ops.nr; i++) {
		const struct graph_op *op = &r->graphs.ops.v[i];
		if (!op->times || op->name == NO_ID)
			continue;
		recorded = recorded || op->size.flops > 0;
		take_row(&rows, op->name, op->size, &op->work, op->times);
	}
	vec_sort(&rows.list, flop_stat_cmp);
	int64_t graphs = recorded ? graph_launches(r) - replays : 0;
	if (graphs > 0)
		vec_push(&d->flops, (struct flop_stat){ .op = SPAN(FLOPS_OF_GRAPHS), .uncounted = graphs });
	for (size_t i = 0; recorded && i < rows.list.nr; i++) {
		struct flop_stat *last = d->flops.nr ? &d->flops.v[d->flops.nr - 1] : NULL;
		if (last && flop_stat_cmp(last, &rows.list.v[i]) == 0) {
			flop_row_add(last, rows.list.v[i]);
			continue;
		}
		rows.list.v[i].op = arena_span(&d->arena, rows.list.v[i].op);
		vec_push(&d->flops, rows.list.v[i]);
	}
	free(work);
	vec_release(&rows.list);
	idmap_release(&rows.ids);
}
