/* Times of threads in calls and operators; times of operators, without operators nested in them. */
#include "base/intervals.h"
#include "base/sort_inline.h"
#include "base/text.h"
#include "reduce/flop_count.h"
#include "reduce/reducer.h"

/* ---- times of operators ---- */

/* An operator around the present point of the walk. */
struct op_frame {
	int64_t end_ns;
	int64_t covered_ns; ///< time up to which inner operators have been subtracted
	struct host_name *name; ///< name of the operator; NULL if the operator does not begin in a
	                        ///< complete measured step
	bool in_phase; ///< true for an operator in the phase `options.phase`
	bool counted; ///< true if this or an outer operator has a rule that counts operations: the
	              ///< operations of operators nested in this one then do not count
	bool sized; ///< like `counted`, but also true for rules that give only bytes
	uint32_t span; ///< index in `host.spans`
	uint32_t lender; ///< index in `host.spans` of this or an outer operator whose rule lends
	                 ///< (flop_rule_lends()), or NO_ID
};

struct op_stack {
	VEC(struct op_frame) frames;
};

static void op_sums_add(struct op_sums *s, int64_t dur_ns)
{
	s->count++;
	s->total_ns += dur_ns;
	s->self_ns += dur_ns;
}

/* Removes frames from the top until one wholly contains [start, end), and returns it; NULL if none
 * does. */
static struct op_frame *op_stack_unwind(struct op_stack *st, int64_t start, int64_t end)
{
	for (; st->frames.nr; st->frames.nr--) {
		struct op_frame *top = &st->frames.v[st->frames.nr - 1];
		if (top->end_ns >= end && top->end_ns > start)
			return top;
	}
	return NULL;
}

/* Subtracts a callee's time [start, end) from f's own time, except what earlier callees covered. */
static void op_frame_cover(struct op_frame *f, int64_t start, int64_t end)
{
	int64_t from = start > f->covered_ns ? start : f->covered_ns;
	if (end <= from)
		return;
	f->covered_ns = end;
	if (f->name)
		f->name->measured.self_ns -= end - from;
	if (f->in_phase)
		f->name->in_phase.self_ns -= end - from;
}

/* Adds the next operator of a thread; returns true if it lies in no other operator. */
static bool op_add(struct reducer *r, struct op_stack *st, const struct host_span *s, int64_t start,
                   int64_t end)
{
	struct host_name *name = span_name(&r->host, s);
	bool lends = r->flops.lends && name->flops && flop_rule_lends(name->flops);
	bool counts = name->flops && !lends && flop_rule_counts(name->flops);
	uint32_t span = (uint32_t)(s - r->host.spans.v);
	struct op_frame f = { end, start, NULL, false, counts, name->flops && !lends, span, NO_ID };
	if (steps_usable(&r->steps, steps_at(&r->steps, start)) != NO_ID) {
		f.name = name;
		f.in_phase = r->options.phase != PHASE_ALL && phases_has_op(r, s);
		op_sums_add(&name->measured, end - start);
	}
	if (f.in_phase)
		op_sums_add(&name->in_phase, end - start);
	struct op_frame *outer = op_stack_unwind(st, start, end);
	if (outer)
		op_frame_cover(outer, start, end);
	bool inside = outer && (counts ? outer->counted : outer->sized);
	if (f.sized && !inside &&
	    (f.name || graphs_capture_at(&r->graphs, span_thread(&r->host, s), start)))
		flops_add(r, s, outer ? outer->lender : NO_ID);
	f.lender = lends ? span : outer ? outer->lender : NO_ID;
	if (lends && outer)
		flops_take_backward(r, span, outer->span);
	f.counted = f.counted || (outer && outer->counted);
	f.sized = f.sized || (outer && outer->sized);
	vec_push(&st->frames, f);
	return !outer;
}

/* Indices of spans of one thread: its operators, or its other calls. */
struct span_list {
	uint32_t *v;
	size_t nr;
};

/* Orders an operator before its inner operators; spans of equal times keep file order. */
static int span_nesting_cmp(const void *a, const void *b, void *reducer)
{
	const struct reducer *r = reducer;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	struct wide_span x = span_get(&r->host, &r->host.spans.v[i]),
	                 y = span_get(&r->host, &r->host.spans.v[k]);
	ORDER_BY(x.start_ns, y.start_ns);
	return COMPARE(y.dur_ns, x.dur_ns);
}

/* Takes the first span off the list. An empty list gives a sentinel that never begins and has
   duration -1. */
static struct wide_span span_list_next(const struct reducer *r, struct span_list *l)
{
	if (l->nr == 0)
		return (struct wide_span){ .start_ns = INT64_MAX, .dur_ns = -1 };
	l->nr--;
	return span_get(&r->host, &r->host.spans.v[*l->v++]);
}

static void call_add(struct where_walk *where, struct cover *busy, uint32_t span,
                     const struct wide_span *call)
{
	cover_add(busy, call->start_ns, call->start_ns + call->dur_ns);
	where_walk_call(where, span, call);
}

/* Walks a thread's operators and runtime calls in order of start. */
static void thread_walk(struct reducer *r, struct span_list ops, struct span_list calls)
{
	struct cover busy = COVER_INIT, covered = COVER_INIT;
	struct op_stack st = { 0 };
	struct where_walk *where = where_walk_begin(r, (uint32_t)r->thread_times.nr);
	struct wide_span call = span_list_next(r, &calls);
	for (size_t i = 0; i < ops.nr; i++) {
		const struct host_span *s = &r->host.spans.v[ops.v[i]];
		struct wide_span op = span_get(&r->host, s);
		int64_t end = op.start_ns + op.dur_ns;
		for (; call.start_ns < op.start_ns; call = span_list_next(r, &calls))
			call_add(where, &busy, calls.v[-1], &call);
		where_walk_op(where, ops.v[i], &op);
		if (op_add(r, &st, s, op.start_ns, end)) {
			cover_add(&busy, op.start_ns, end);
			cover_add(&covered, op.start_ns, end);
		}
	}
	for (; call.dur_ns >= 0; call = span_list_next(r, &calls))
		call_add(where, &busy, calls.v[-1], &call);
	where_walk_end(where);
	vec_release(&st.frames);
	vec_push(&r->thread_times, (struct thread_times){ busy.length_ns, covered.length_ns });
}

/* Assigns each row to a list of spans: two lists per thread (operators, calls), then two lists for
   spans without a thread. */
static size_t *lists_of_rows(const struct reducer *r)
{
	size_t *list = mem_calloc(r->host.rows.keys.nr, sizeof *list);
	for (size_t i = 0; i < r->host.rows.keys.nr; i++) {
		int64_t key = r->host.rows.keys.v[i];
		uint32_t thread = (uint32_t)key;
		bool op = r->host.names.v[idmap_pair_first(key)].op;
		list[i] = 2 * (thread == NO_ID ? r->threads.ids.keys.nr : (size_t)thread) + !op;
	}
	return list;
}

void threads_walk(struct reducer *r)
{
	size_t nr = 2 * (r->threads.ids.keys.nr + 1), *of_row = lists_of_rows(r);
	uint32_t *order_of = mem_calloc(r->host.spans.nr, sizeof *order_of);
	struct span_list *lists = mem_calloc(nr, sizeof *lists);
	for (size_t i = 0; i < r->host.spans.nr; i++)
		lists[of_row[span_get(&r->host, &r->host.spans.v[i]).row]].nr++;
	for (size_t i = 0, at = 0; i < nr; i++) {
		lists[i].v = order_of + at;
		at += lists[i].nr;
		lists[i].nr = 0;
	}
	for (size_t i = 0; i < r->host.spans.nr; i++) {
		struct span_list *l = &lists[of_row[span_get(&r->host, &r->host.spans.v[i]).row]];
		l->v[l->nr++] = (uint32_t)i;
	}
	for (size_t i = 0; i + 2 < nr; i++)
		sort_inline(lists[i].v, lists[i].nr, sizeof *lists[i].v, span_nesting_cmp, r);
	for (size_t i = 0; i + 2 < nr; i += 2)
		thread_walk(r, lists[i], lists[i + 1]);
	free(of_row);
	free(order_of);
	free(lists);
}

/* ---- rows of operators and threads ---- */

static void thread_rows(const struct reducer *r, struct digest *d)
{
	for (size_t i = 0; i < r->threads.ids.keys.nr; i++) {
		int64_t key = r->threads.ids.keys.v[i];
		int64_t pid = r->threads.pids.keys.v[idmap_pair_first(key)];
		int64_t tid = r->threads.tids.keys.v[(uint32_t)key];
		const struct thread_times *t = &r->thread_times.v[i];
		const char *name = arena_printf(&d->arena, "%s/%s", ident_text(&d->arena, r->names, pid),
		                                ident_text(&d->arena, r->names, tid));
		vec_push(&d->threads, (struct thread_stat){ name, t->busy_ns, 0, t->op_ns });
	}
	vec_sort(&d->threads, text_cmp);
}

static struct op_stat op_row(struct digest *d, const struct host_name *h,
                             const struct op_sums *sums)
{
	return (struct op_stat){ .name = arena_span(&d->arena, h->name),
		                     .count = sums->count,
		                     .total_ns = sums->total_ns,
		                     .self_ns = sums->self_ns };
}

void thread_figures(const struct reducer *r, struct digest *d)
{
	thread_rows(r, d);
	for (size_t i = 0; i < r->host.names.nr; i++) {
		const struct host_name *h = &r->host.names.v[i];
		if (h->measured.count)
			vec_push(&d->ops, op_row(d, h, &h->measured));
		if (h->in_phase.count)
			vec_push(&d->phase_ops, op_row(d, h, &h->in_phase));
	}
	vec_sort(&d->ops, op_stat_cmp);
	vec_sort(&d->phase_ops, op_stat_cmp);
}
