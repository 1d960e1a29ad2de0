#include "base/number.h"
#include "base/search.h"
#include "base/text.h"
#include "model/rows.h"
#include "reduce/reducer.h"

/* Largest number of memories for which the operator at the peak is searched: each search walks all
   operators. */
enum { MEMORY_PEAK_OPS = 16 };

void memories_init(struct memories *m)
{
	idmap_init(&m->ids);
}

void memories_release(struct memories *m)
{
	for (size_t i = 0; i < m->list.nr; i++)
		vec_release(&m->list.v[i].levels);
	vec_release(&m->list);
	idmap_release(&m->ids);
}

void memory_take(struct reducer *r, const struct event *ev)
{
	if (ev->device_type == 0 || ev->memory_id < 0 || ev->total_allocated < 0)
		return;
	uint32_t at = idmap_add(&r->memories.ids, ev->memory_id);
	if (at == r->memories.list.nr) {
		struct memory_state new = { .stat = memory_stat_unknown(NULL, MEMORY_OF_TRACE),
			                        .first_ns = INT64_MAX,
			                        .end_ns = INT64_MIN };
		new.stat.peak_allocated = -1;
		new.stat.alloc_count = new.stat.free_count = new.stat.churn_bytes = 0;
		vec_push(&r->memories.list, new);
	}
	struct memory_state *m = &r->memories.list.v[at];
	struct memory_stat *s = &m->stat;
	int64_t at_ns = ev->start_ns, bytes = ev->failed ? 0 : ev->bytes,
	        reserved = ev->total_reserved < 0 ? MEMORY_UNKNOWN : ev->total_reserved;
	if (ev->failed)
		s->oom_count = s->oom_count == MEMORY_UNKNOWN ? 1 : s->oom_count + 1;
	if (bytes > 0 && __builtin_add_overflow(s->churn_bytes, bytes, &s->churn_bytes))
		r->fault = "the allocations add up to more than 8 EiB: check 'Bytes' of the trace";
	s->events++;
	s->alloc_count += bytes > 0;
	s->free_count += bytes < 0;
	number_raise(&s->peak_reserved, reserved);
	if (ev->total_allocated > s->peak_allocated ||
	    (ev->total_allocated == s->peak_allocated && at_ns >= m->peak_ns)) {
		s->peak_allocated = ev->total_allocated;
		s->reserved_at_peak = reserved;
		m->peak_ns = at_ns;
		m->peak_pid = ev->pid;
		m->peak_tid = ev->tid;
	}
	if (at_ns < m->first_ns) {
		s->start_allocated = number_sub(ev->total_allocated, bytes);
		m->first_ns = at_ns;
	}
	if (at_ns >= m->end_ns) {
		s->end_allocated = ev->total_allocated;
		s->end_reserved = reserved;
		m->end_ns = at_ns;
	}
	vec_push(&m->levels, (struct level){ at_ns, ev->total_allocated });
}

/* ---- growth of memory per step ---- */

/* Ends of steps; if there are many steps, a sample of them. */
struct step_ends {
	size_t nr;
	int64_t step[MEMORY_STEP_ENDS]; ///< number of the step, from the first chosen one on: step[0]
	                                ///< is 0
	int64_t at_ns[MEMORY_STEP_ENDS];
};

/* Chooses the ends of measured steps that end after the first event of the memory, since the level
 * before that event is unknown. If there are more than MEMORY_STEP_ENDS, they are an evenly spaced
 * sample. The sample is smaller if there are over 16 memories, to save time. */
static void step_ends_choose(struct step_ends *e, const struct reducer *r,
                             const struct memory_state *m)
{
	const struct owned *v = r->steps.owned.v;
	size_t lo = 0, hi = r->steps.owned.nr, limit = MEMORY_STEP_ENDS;
	SEARCH(lo, hi, i, v[i].step < r->steps.warmup || v[i].end_ns <= m->first_ns);
	size_t nr = r->steps.owned.nr - lo;
	if (r->memories.list.nr > 16)
		limit = limit * 16 / r->memories.list.nr;
	if (limit < 3)
		limit = 3;
	e->nr = nr < limit ? nr : limit;
	for (size_t i = 0; i < e->nr; i++) {
		size_t step = e->nr > 1 ? i * (nr - 1) / (e->nr - 1) : 0;
		e->step[i] = (int64_t)step;
		e->at_ns[i] = v[lo + step].end_ns;
	}
}

/* Index of the first step end after `at_ns`; the number of step ends if there is none. */
static size_t step_end_behind(const struct step_ends *e, int64_t at_ns)
{
	size_t lo = 0, hi = e->nr;
	SEARCH(lo, hi, i, e->at_ns[i] <= at_ns);
	return lo;
}

/* Growth in bytes per step, MEMORY_UNKNOWN with fewer than three steps. The level at the end of a
 * step is the level after the latest event before this end; if several events have the same time,
 * the last in the file counts. */
static int64_t memory_growth(const struct reducer *r, const struct memory_state *m)
{
	struct step_ends e;
	struct level last[MEMORY_STEP_ENDS];
	int64_t levels[MEMORY_STEP_ENDS];
	step_ends_choose(&e, r, m);
	if (e.nr < 3)
		return MEMORY_UNKNOWN;
	for (size_t i = 0; i < e.nr; i++)
		last[i] = (struct level){ INT64_MIN, -1 };
	for (size_t i = 0; i < m->levels.nr; i++) {
		const struct level *l = &m->levels.v[i];
		size_t k = step_end_behind(&e, l->start_ns);
		if (k < e.nr && l->start_ns >= last[k].start_ns)
			last[k] = *l;
	}
	int64_t level = 0; /* never used: the first event comes before the first chosen step end, and
	                      sets the level */
	for (size_t i = 0; i < e.nr; i++) {
		if (last[i].allocated >= 0)
			level = last[i].allocated;
		levels[i] = level;
	}
	return number_theil_sen(e.step, levels, e.nr);
}

/* ---- operator at the peak of memory ---- */

/* Id of the thread of the event at the peak, or NO_ID. */
static uint32_t peak_thread(const struct reducer *r, const struct memory_state *m)
{
	uint32_t pid = idmap_find(&r->threads.pids, m->peak_pid),
	         tid = idmap_find(&r->threads.tids, m->peak_tid);
	if (pid == NO_ID || tid == NO_ID)
		return NO_ID;
	return idmap_find(&r->threads.ids, idmap_pair(pid, tid));
}

/* True if operator `s` ran on the thread at `at_ns` and lies within `best`. If two operators began
 * together, the shorter is the inner one; of two equally long ones, the later in the file. */
static bool span_is_inner(const struct reducer *r, const struct host_span *s,
                          const struct host_span *best, uint32_t thread, int64_t at_ns)
{
	int64_t start = span_start(&r->host, s),
	        best_start = best ? span_start(&r->host, best) : INT64_MIN;
	return start <= at_ns && at_ns < span_end(&r->host, s) && span_thread(&r->host, s) == thread &&
	       (!best || start > best_start ||
	        (start == best_start && span_dur(&r->host, s) <= span_dur(&r->host, best)));
}

/* False if no input of an operator has a shape other than "[]", as is the case for aten::empty,
 * which makes most allocations. The operator around aten::empty is then more informative. */
static bool has_shape(const struct name *dims)
{
	return ANY(i, dims->n, is_digit(dims->s[i]));
}

/* Index in `host.spans` of the innermost operator that ran on the thread at `at_ns` and has inputs
 * with shapes. If no operator has such inputs: index of the innermost operator; NO_ID if no
 * operator ran. */
static uint32_t find_peak_op(const struct reducer *r, uint32_t thread, int64_t at_ns)
{
	const struct host_span *best = NULL;
	for (size_t i = 0; i < r->host.op_inputs.nr; i++) {
		const struct host_span *s = &r->host.spans.v[r->host.op_inputs.v[i].span];
		if (span_is_inner(r, s, best, thread, at_ns) &&
		    has_shape(r->host.inputs.by_id[r->host.op_inputs.v[i].dims]))
			best = s;
	}
	bool shaped = best != NULL;
	for (size_t i = 0; i < r->host.spans.nr && !shaped; i++)
		if (span_name(&r->host, &r->host.spans.v[i])->op &&
		    span_is_inner(r, &r->host.spans.v[i], best, thread, at_ns))
			best = &r->host.spans.v[i];
	return best ? (uint32_t)(best - r->host.spans.v) : NO_ID;
}

static const char *valid_text(struct arena *a, struct span raw)
{
	return raw.n ? text_valid(a, raw) : NULL;
}

static void set_peak_op(const struct reducer *r, const struct memory_state *m, struct arena *a,
                        struct memory_stat *stat)
{
	uint32_t thread = peak_thread(r, m);
	uint32_t op = thread == NO_ID ? NO_ID : find_peak_op(r, thread, m->peak_ns);
	if (op == NO_ID)
		return;
	stat->peak_op = valid_text(a, span_name(&r->host, &r->host.spans.v[op])->name);
	for (size_t i = 0; stat->peak_op && i < r->host.op_inputs.nr; i++)
		if (r->host.op_inputs.v[i].span == op) {
			stat->peak_dims =
			    valid_text(a, name_span(r->host.inputs.by_id[r->host.op_inputs.v[i].dims]));
			stat->peak_types =
			    valid_text(a, name_span(r->host.inputs.by_id[r->host.op_inputs.v[i].types]));
		}
}

/* ---- rows of memories ---- */

/* The trace numbers memories in another way than devices, so the size of a memory is known only
   if all devices have the same size. */
static int64_t device_memory(const struct trace_meta *meta)
{
	int64_t bytes = meta->devices.nr ? meta->devices.v[0].memory_bytes : 0;
	return bytes > 0 && ALL(i, meta->devices.nr, meta->devices.v[i].memory_bytes == bytes)
	           ? bytes
	           : MEMORY_UNKNOWN;
}

void memory_figures(const struct reducer *r, const struct trace_meta *meta, struct digest *d)
{
	d->device_memory = device_memory(meta);
	for (size_t i = 0; i < r->memories.list.nr; i++) {
		struct memory_stat stat = r->memories.list.v[i].stat;
		stat.id = ident_text(&d->arena, r->names, r->memories.ids.keys.v[i]);
		stat.growth_per_step = memory_growth(r, &r->memories.list.v[i]);
		stat.capacity = d->device_memory;
		if (i < MEMORY_PEAK_OPS)
			set_peak_op(r, &r->memories.list.v[i], &d->arena, &stat);
		vec_push(&d->memories, stat);
	}
	vec_sort(&d->memories, text_cmp);
}
