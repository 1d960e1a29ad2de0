/* The phase of an activity follows from the annotation or operator around its launch: functions of
 * autograd are backward, Optimizer.step and enumerate(DataLoader) are phases of their own, and
 * communication is recognized by its name. Everything else is forward. Rows of a single phase are
 * made on request. */
#include <string.h>

#include "base/number.h"
#include "base/search.h"
#include "reduce/reducer.h"

void phases_release(struct phases *p)
{
	vec_release(&p->spans.list);
	vec_release(&p->again.list);
	vec_release(&p->nodes.list);
	vec_release(&p->recomputes);
}

enum phase phase_of_name(struct span name)
{
	static const struct prefix {
		const char *text;
		enum phase phase;
	} prefixes[] = {
		{ "autograd::engine::evaluate_function", PHASE_BACKWARD },
		{ "Optimizer.step#", PHASE_OPTIMIZER },
		{ "enumerate(DataLoader)", PHASE_DATALOADER },
		{ "nccl:", PHASE_COMMUNICATION },
		{ "gloo:", PHASE_COMMUNICATION },
		{ "c10d::", PHASE_COMMUNICATION },
		{ "record_param_comms", PHASE_COMMUNICATION },
	};
	const struct prefix *found =
	    FIND(i, prefixes, NR_OF(prefixes), span_starts(name, span_of(prefixes[i].text)));
	return found ? found->phase : PHASE_ALL;
}

void phases_take(struct phases *p, const struct event *ev, enum phase phase, uint32_t thread)
{
	struct phase_spans *to = phase == PHASE_RECOMPUTE ? &p->again
	                         : phase == PHASE_ALL     ? &p->nodes
	                                                  : &p->spans;
	p->engine = p->engine || phase == PHASE_BACKWARD;
	if (phase == PHASE_ALL && p->engine)
		return;
	vec_push(&to->list, (struct phase_span){ ev->start_ns, ev->start_ns + ev->dur_ns, thread,
	                                         phase == PHASE_ALL ? PHASE_BACKWARD : phase });
}

void phases_take_python(struct reducer *r, const struct event *ev)
{
	struct phases *p = &r->phases;
	while (p->recomputes.nr <= ev->name->id)
		vec_push(&p->recomputes, 0);
	char *known = &p->recomputes.v[ev->name->id];
	if (!*known)
		*known = span_contains_nocase(name_span(ev->name), SPAN("utils/checkpoint.py(")) &&
		                 span_contains_nocase(name_span(ev->name), SPAN("recompute_fn"))
		             ? 2
		             : 1;
	if (*known == 2)
		phases_take(p, ev, PHASE_RECOMPUTE, thread_of(&r->threads, ev));
}

/* Compares by thread and start; an outer span comes before its inner spans. */
ORDERING(phase_span_cmp, struct phase_span,
         RISING(thread) RISING(start_ns) FALLING(end_ns) RISING(phase))

ORDERING(phase_start_cmp, struct phase_span, RISING(start_ns))

/* If Optimizer.step is called with a closure, forward and backward run within it: the optimizer's
 * phase then begins at the end of the last backward function. */
static void trim_optimizer(struct phase_spans *p)
{
	int64_t last = INT64_MIN;
	sort_plain(p->list.v, p->list.nr, sizeof *p->list.v, phase_start_cmp);
	/* for each span: the latest end of the backward spans up to and including this one */
	int64_t *until = mem_calloc(p->list.nr, sizeof *until);
	for (size_t i = 0; i < p->list.nr; i++) {
		if (p->list.v[i].phase == PHASE_BACKWARD && p->list.v[i].end_ns > last)
			last = p->list.v[i].end_ns;
		until[i] = last;
	}
	for (size_t i = 0; i < p->list.nr; i++) {
		struct phase_span *s = &p->list.v[i];
		if (s->phase != PHASE_OPTIMIZER)
			continue;
		size_t lo = i + 1, hi = p->list.nr; /* lo: number of spans begun before s->end_ns */
		SEARCH(lo, hi, k, p->list.v[k].start_ns < s->end_ns);
		number_raise(&s->start_ns, until[lo - 1] < s->end_ns ? until[lo - 1] : s->end_ns);
	}
	free(until);
}

/* Makes the spans of each thread disjoint: removes the part of each span that an earlier span
 * covers. Sets `found` for the phases that occur. */
static void spans_make(struct phase_spans *p, bool *found)
{
	size_t nr = 0;
	vec_sort(&p->list, phase_span_cmp);
	for (size_t i = 0; i < p->list.nr; i++) {
		struct phase_span s = p->list.v[i];
		found[s.phase] = true;
		const struct phase_span *before = nr ? &p->list.v[nr - 1] : NULL;
		if (before && before->thread == s.thread && s.start_ns < before->end_ns)
			s.start_ns = before->end_ns;
		if (s.start_ns < s.end_ns)
			p->list.v[nr++] = s;
	}
	p->list.nr = nr;
}

void phases_make(struct reducer *r)
{
	struct phases *p = &r->phases;
	if (!p->engine)
		vec_move(&p->spans.list, &p->nodes.list);
	vec_release(&p->nodes.list);
	if (p->spans.list.nr)
		trim_optimizer(&p->spans);
	spans_make(&p->spans, p->found);
	spans_make(&p->again, p->found);
}

static bool phase_begins_by(const struct phase_span *s, uint32_t thread, int64_t at_ns)
{
	return s->thread < thread || (s->thread == thread && s->start_ns <= at_ns);
}

/* Phase of a thread at an instant. `*near` is a cache: the number of spans that had begun at the
 * previous lookup. This number is tried first, then the next two. */
static enum phase span_phase_at(const struct phase_spans *p, size_t *near, uint32_t thread,
                                int64_t at_ns)
{
	const struct phase_span *v = p->list.v;
	size_t lo = 0, hi = p->list.nr; /* lo becomes the number of spans that start up to `at_ns` */
	if (*near == 0 || phase_begins_by(&v[*near - 1], thread, at_ns)) {
		lo = *near;
		for (size_t ahead = 0; ahead < 2 && lo < hi; ahead++) {
			if (!phase_begins_by(&v[lo], thread, at_ns))
				hi = lo;
			else
				lo++;
		}
	}
	SEARCH(lo, hi, i, phase_begins_by(&v[i], thread, at_ns));
	*near = lo;
	return lo && v[lo - 1].thread == thread && at_ns < v[lo - 1].end_ns ? v[lo - 1].phase
	                                                                    : PHASE_FORWARD;
}

enum phase phases_at(const struct phases *p, size_t near[2], uint32_t thread, int64_t at_ns)
{
	enum phase again = span_phase_at(&p->again, &near[1], thread, at_ns);
	return again == PHASE_RECOMPUTE ? again : span_phase_at(&p->spans, &near[0], thread, at_ns);
}

/* Phase of an activity; PHASE_ALL if its launch is unknown. */
static enum phase phase_of_activity(struct reducer *r, const struct activity *a)
{
	if (activity_name(&r->gpu, a)->communication)
		return PHASE_COMMUNICATION;
	const struct host_span *l = activity_launch(r, a);
	return l ? phases_at(&r->phases, r->phases.near, span_thread(&r->host, l),
	                     span_start(&r->host, l))
	         : PHASE_ALL;
}

bool phases_has_activity(struct reducer *r, const struct activity *a)
{
	return r->options.phase != PHASE_ALL && phase_of_activity(r, a) == r->options.phase;
}

bool phases_has_op(const struct reducer *r, const struct host_span *s)
{
	enum phase want = r->options.phase, own = span_name(&r->host, s)->phase;
	if (own == PHASE_COMMUNICATION || want == PHASE_COMMUNICATION)
		return want == PHASE_COMMUNICATION && own == PHASE_COMMUNICATION;
	size_t near[2] = { 0 };
	return phases_at(&r->phases, near, span_thread(&r->host, s), span_start(&r->host, s)) == want;
}

/* Allocates the figures of the phases that occur in the trace. Does nothing if neither backward nor
 * optimizer occurs, since all work would then count as forward, or if activities belong to steps by
 * their own start. */
static void phases_known(const struct reducer *r, struct digest *d)
{
	bool known[NR_INNER_PHASES] = { false };
	memcpy(known, r->phases.found, sizeof known);
	if (!(known[PHASE_BACKWARD] || known[PHASE_OPTIMIZER]) ||
	    d->attribution == ATTRIBUTION_TIMESTAMP)
		return;
	known[PHASE_FORWARD] = true;
	for (size_t i = 0; i < r->gpu.names.nr; i++)
		known[PHASE_COMMUNICATION] |= r->gpu.names.v[i].communication;
	for (int p = PHASE_FORWARD; p < NR_INNER_PHASES; p++)
		for (int c = 0; known[p] && c < NR_PHASE_COLUMNS; c++)
			d->phases[p][c] = arena_alloc(&d->arena, d->nr_steps, sizeof *d->phases[p][c]);
}

/* If the optimizer ran in some steps but not in all, gradients are accumulated over several steps:
 * each step then becomes PHASE_UPDATE or PHASE_ACCUMULATION. Does nothing if a step has no
 * activities: its activities must be lost, so it is unknown whether the optimizer ran. */
static void name_updates(const struct reducer *r, struct digest *d)
{
	size_t updates = 0, empty = 0;
	const int64_t *kernels = d->phases[PHASE_OPTIMIZER][PHASE_KERNELS];
	for (size_t i = 0; i < r->steps.usable && kernels; i++) {
		updates += kernels[i] > 0;
		empty += !d->step_activities[i];
	}
	if (updates == 0 || updates == r->steps.usable || empty || d->step_phases)
		return;
	d->step_phases = arena_alloc(&d->arena, d->nr_steps, sizeof *d->step_phases);
	for (size_t i = 0; i < d->nr_steps; i++)
		d->step_phases[i] = step_phase_code(kernels[i] ? PHASE_UPDATE : PHASE_ACCUMULATION);
}

void phases_samples(struct reducer *r, struct digest *d)
{
	phases_known(r, d);
	for (size_t i = 0; i < r->gpu.activities.nr && d->phases[PHASE_FORWARD][0]; i++) {
		const struct activity *a = &r->gpu.activities.v[i];
		uint32_t step = steps_measured(&r->steps, a->step);
		enum phase phase = step == NO_ID ? PHASE_ALL : phase_of_activity(r, a);
		if (phase == PHASE_ALL)
			continue;
		const struct gpu_name *g = activity_name(&r->gpu, a);
		int64_t *const *column = d->phases[phase], dur_ns = activity_dur(&r->gpu, a);
		if (g->stat.kind == EVENT_MEMCPY) {
			column[PHASE_MEMCPY][step] += dur_ns;
		} else if (g->stat.kind == EVENT_MEMSET) {
			column[PHASE_MEMSET][step] += dur_ns;
		} else {
			column[PHASE_COMPUTE][step] += g->communication ? 0 : dur_ns;
			column[PHASE_KERNELS][step]++;
		}
	}
	name_updates(r, d);
}

void phase_figures(const struct reducer *r, struct digest *d)
{
	const bool *found = r->phases.found;
	enum phase want = r->options.phase;
	for (size_t i = 0; i < r->gpu.names.nr && want != PHASE_ALL; i++) {
		const struct gpu_name *g = &r->gpu.names.v[i];
		struct kernel_stat k = g->phase;
		if (!k.step_count)
			continue;
		k.name = arena_span(&d->arena, g->stat.name);
		k.kind = g->stat.kind;
		memcpy(k.grid, g->stat.grid, sizeof k.grid);
		memcpy(k.block, g->stat.block, sizeof k.block);
		k.shapes = g->stat.shapes;
		memcpy(k.resources, g->stat.resources, sizeof k.resources);
		k.occupancy = g->occupancy_ns ? number_div_round(g->occupancy_sum, g->occupancy_ns) : -1;
		vec_push(&d->phase_kernels, k);
	}
	vec_sort(&d->phase_kernels, kernel_stat_cmp);
	d->phase_known =
	    want == PHASE_FORWARD ? found[PHASE_BACKWARD] || found[PHASE_OPTIMIZER] : found[want];
	if (want == PHASE_COMMUNICATION)
		d->phase_known = d->phase_known || d->phase_kernels.nr;
}
