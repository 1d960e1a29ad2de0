/* How long each thread was in calls and operators; operators by name, without those within them. */
#include "base/sort_inline.h"
#include "reduce/intervals.h"
#include "reduce/reducer.h"

/* An operator that the walk is inside of. */
struct frame {
	int64_t end_ns;
	int64_t covered_ns; ///< end of the operators in it so far
	struct host_name *name; ///< NULL: not in a measured step
	bool in_phase; ///< that is asked for
	bool counted; ///< its operations are, or those of one around it
};

struct stack {
	VEC(struct frame) frames;
};

/* An operator lies in another of its thread where that contains it wholly. True where none does. */
static bool op_add(struct reducer *r, struct stack *st, const struct host_span *s, int64_t start,
                   int64_t end)
{
	struct frame *outer = NULL;
	struct host_name *name = span_name(r, s);
	struct frame f = { end, start, NULL, false, name->flops != NULL };
	if (steps_usable(r, steps_at(r, start)) != NO_ID) {
		f.name = name;
		f.name->count++;
		f.name->total_ns += end - start;
		f.name->self_ns += end - start;
		f.in_phase = r->options.phase != PHASE_ALL && phases_has_op(r, s);
	}
	if (f.in_phase) {
		f.name->in_phase.count++;
		f.name->in_phase.total_ns += end - start;
		f.name->in_phase.self_ns += end - start;
	}
	for (; st->frames.nr; st->frames.nr--) {
		struct frame *top = &st->frames.v[st->frames.nr - 1];
		if (top->end_ns >= end && top->end_ns > start) {
			outer = top;
			break;
		}
	}
	if (outer) {
		int64_t from = start > outer->covered_ns ? start : outer->covered_ns;
		if (end > from) {
			outer->covered_ns = end;
			if (outer->name)
				outer->name->self_ns -= end - from;
			if (outer->in_phase)
				outer->name->in_phase.self_ns -= end - from;
		}
	}
	bool inside = outer && outer->counted;
	if (f.counted && f.name && !inside)
		flops_add(r, s);
	f.counted = f.counted || inside;
	vec_push(&st->frames, f);
	return !outer;
}

/* Spans by index: operators, or the other calls, of one thread. */
struct list {
	uint32_t *v;
	size_t nr;
};

/* An operator before those nested in it; the order of the file where times are equal. */
static int span_order(const void *a, const void *b, void *reducer)
{
	const struct reducer *r = reducer;
	uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	struct wide_span x = span_get(r, &r->spans.v[i]), y = span_get(r, &r->spans.v[k]);
	if (x.start_ns != y.start_ns)
		return x.start_ns < y.start_ns ? -1 : 1;
	if (x.dur_ns != y.dur_ns)
		return x.dur_ns > y.dur_ns ? -1 : 1;
	return (i > k) - (i < k);
}

static void order(struct reducer *r, struct list l)
{
	sort_inline(l.v, l.nr, sizeof *l.v, span_order, r);
}

/* The next of the list, which becomes the rest; behind the last what never begins and takes < 0. */
static struct wide_span next_of(const struct reducer *r, struct list *l)
{
	if (l->nr == 0)
		return (struct wide_span){ .start_ns = INT64_MAX, .dur_ns = -1 };
	l->nr--;
	return span_get(r, &r->spans.v[*l->v++]);
}

/* In order of start: operators, and before each the other calls that begin before. */
static void thread_walk(struct reducer *r, struct list ops, struct list calls)
{
	struct cover busy = COVER_INIT, covered = COVER_INIT;
	struct stack st = { 0 };
	struct wide_span call = next_of(r, &calls);
	for (size_t i = 0; i < ops.nr; i++) {
		const struct host_span *s = &r->spans.v[ops.v[i]];
		struct wide_span op = span_get(r, s);
		int64_t end = op.start_ns + op.dur_ns;
		for (; call.start_ns < op.start_ns; call = next_of(r, &calls))
			cover_add(&busy, call.start_ns, call.start_ns + call.dur_ns);
		if (op_add(r, &st, s, op.start_ns, end)) {
			cover_add(&busy, op.start_ns, end);
			cover_add(&covered, op.start_ns, end);
		}
	}
	for (; call.dur_ns >= 0; call = next_of(r, &calls))
		cover_add(&busy, call.start_ns, call.start_ns + call.dur_ns);
	vec_release(&st.frames);
	vec_push(&r->thread_times, (struct thread_times){ busy.length_ns, covered.length_ns });
}

/* Of each row the list that its spans are in: two of each thread, the last of no thread. */
static size_t *lists_of_rows(const struct reducer *r)
{
	size_t *list = mem_calloc(r->host_rows.keys.nr, sizeof *list);
	for (size_t i = 0; i < r->host_rows.keys.nr; i++) {
		int64_t key = r->host_rows.keys.v[i];
		uint32_t thread = (uint32_t)key;
		bool op = r->host_names.v[idmap_pair_first(key)].op;
		list[i] = 2 * (thread == NO_ID ? r->threads.keys.nr : (size_t)thread) + !op;
	}
	return list;
}

void threads_walk(struct reducer *r)
{
	size_t nr = 2 * (r->threads.keys.nr + 1), *of_row = lists_of_rows(r);
	uint32_t *order_of = mem_calloc(r->spans.nr, sizeof *order_of);
	struct list *lists = mem_calloc(nr, sizeof *lists);
	for (size_t i = 0; i < r->spans.nr; i++)
		lists[of_row[span_get(r, &r->spans.v[i]).row]].nr++;
	for (size_t i = 0, at = 0; i < nr; i++) {
		lists[i].v = order_of + at;
		at += lists[i].nr;
		lists[i].nr = 0;
	}
	for (size_t i = 0; i < r->spans.nr; i++) {
		struct list *l = &lists[of_row[span_get(r, &r->spans.v[i]).row]];
		l->v[l->nr++] = (uint32_t)i;
	}
	for (size_t i = 0; i + 2 < nr; i++)
		order(r, lists[i]);
	for (size_t i = 0; i + 2 < nr; i += 2)
		thread_walk(r, lists[i], lists[i + 1]);
	free(of_row);
	free(order_of);
	free(lists);
}
