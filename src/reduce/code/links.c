#include "code/links.h"

#include "base/search.h"

void code_links_release(struct code_links *l)
{
	vec_release(&l->flows);
	vec_release(&l->sequences);
	vec_release(&l->wide.list);
	vec_release(&l->arrows);
	vec_release(&l->forwards);
}

/* ---- intake of flows and sequence numbers ---- */

void code_links_take_flow(struct code_links *l, struct thread_ids *t, const struct event *ev)
{
	vec_push(&l->flows,
	         (struct code_flow){ ev->flow, ev->start_ns, thread_key(t, ev), ev->flow_end });
}

void code_links_take_op(struct code_links *l, const struct event *ev, uint32_t span,
                        const char **fault)
{
	if (ev->sequence >= 0)
		vec_push(&l->sequences,
		         (struct code_sequence){ .span = span,
		                                 .number = narrow(&l->wide, ev->sequence, fault),
		                                 .backward = ev->forward_thread != 0 });
}

/* ---- flows: both ends of arrows ---- */

ORDERING(start_cmp, struct code_start, RISING(thread) RISING(at_ns))

/* Orders flow ends by id. The sorts are stable: if several flows have one id, the last of them in
 * the file is used. */
ORDERING(flow_cmp, struct code_flow, RISING(id))
ORDERING(arrow_cmp, struct code_arrow, THEN(start_cmp(&x->from, &y->from)))

void code_links_order(struct code_links *l)
{
	vec_sort(&l->flows, flow_cmp);
	for (size_t i = 0, end; i < l->flows.nr; i = end) {
		const struct code_flow *v = l->flows.v, *from = NULL, *to = NULL;
		for (end = i; end < l->flows.nr && v[end].id == v[i].id; end++)
			*(v[end].end ? &from : &to) = &v[end];
		if (from && to)
			vec_push(&l->arrows, (struct code_arrow){ { from->thread, from->at_ns },
			                                          { to->thread, to->at_ns } });
	}
	vec_sort(&l->arrows, arrow_cmp);
}

/* ---- sequence numbers of operators ---- */

ORDERING(forward_cmp, struct code_forward, RISING(number) RISING(start.at_ns) RISING(start.thread))

void code_forwards_order(struct code_links *l)
{
	struct code_forward *v = l->forwards.v;
	vec_sort(&l->forwards, forward_cmp);
	for (size_t i = 1; i < l->forwards.nr; i++)
		v[i].mixed = v[i].number == v[i - 1].number &&
		             (v[i - 1].mixed || v[i].start.thread != v[i - 1].start.thread);
}

const struct code_sequence *code_sequence_of(const struct code_links *l, uint32_t span)
{
	return SEARCH_EQUAL(l->sequences.v, l->sequences.nr, span, span);
}

bool code_forward_of(const struct code_links *l, struct code_start start,
                     const struct code_sequence *sequence, struct code_start *out)
{
	/* lo becomes the number of arrows that begin at `start` or before it */
	size_t lo = 0, hi = l->arrows.nr;
	SEARCH(lo, hi, i, start_cmp(&l->arrows.v[i].from, &start) <= 0);
	if (lo && start_cmp(&l->arrows.v[lo - 1].from, &start) == 0) {
		*out = l->arrows.v[lo - 1].to;
		return true;
	}
	if (!sequence || !sequence->backward)
		return false;
	int64_t number = widen(&l->wide, sequence->number);
	const struct code_forward *v = l->forwards.v;
	lo = 0, hi = l->forwards.nr; /* lo becomes the number of forward operators with a lower sequence
	                                number, or with the same one and an earlier start */
	SEARCH(lo, hi, i,
	       v[i].number < number || (v[i].number == number && v[i].start.at_ns < start.at_ns));
	if (!lo || v[lo - 1].number != number || v[lo - 1].mixed)
		return false;
	*out = v[lo - 1].start;
	return true;
}
