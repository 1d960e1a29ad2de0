#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "reduce/reducer.h"

/* Each of them is one walk over the operators: so many memories get one. */
enum { MEMORY_PEAK_OPS = 16 };

void memory_clear(struct memory_state *m)
{
	m->levels.nr = 0;
	*m = (struct memory_state){
		.stat.peak_allocated = -1, .first_ns = INT64_MAX, .end_ns = INT64_MIN, .levels = m->levels
	};
}

struct memory_state *memory_of(struct reducer *r, int64_t id)
{
	uint32_t at = idmap_add(&r->memory_ids, id);
	if (at == r->memories.nr) {
		struct memory_state *fresh = vec_push_zero(&r->memories);
		memory_clear(fresh);
	}
	return &r->memories.v[at];
}

bool memory_add(struct memory_state *to, const struct memory_state *m)
{
	bool fits =
	    !__builtin_add_overflow(to->stat.churn_bytes, m->stat.churn_bytes, &to->stat.churn_bytes);
	to->stat.events += m->stat.events;
	to->stat.alloc_count += m->stat.alloc_count;
	to->stat.free_count += m->stat.free_count;
	if (m->stat.peak_reserved > to->stat.peak_reserved)
		to->stat.peak_reserved = m->stat.peak_reserved;
	if (m->stat.peak_allocated > to->stat.peak_allocated ||
	    (m->stat.peak_allocated == to->stat.peak_allocated && m->peak_ns >= to->peak_ns)) {
		to->stat.peak_allocated = m->stat.peak_allocated;
		to->stat.reserved_at_peak = m->stat.reserved_at_peak;
		to->peak_ns = m->peak_ns;
		to->peak_pid = m->peak_pid;
		to->peak_tid = m->peak_tid;
	}
	if (m->first_ns < to->first_ns) {
		to->stat.start_allocated = m->stat.start_allocated;
		to->first_ns = m->first_ns;
	}
	if (m->end_ns >= to->end_ns) {
		to->stat.end_allocated = m->stat.end_allocated;
		to->stat.end_reserved = m->stat.end_reserved;
		to->end_ns = m->end_ns;
	}
	return fits;
}

void memory_take(struct reducer *r, const struct event *ev)
{
	if (ev->device_type == 0 || ev->memory_id < 0 || ev->total_allocated < 0)
		return;
	struct memory_state *m = memory_of(r, ev->memory_id);
	int64_t at = ev->start_ns, reserved = ev->total_reserved < 0 ? 0 : ev->total_reserved;
	struct memory_state one = {
		.stat = { .events = 1,
		          .alloc_count = ev->bytes > 0,
		          .free_count = ev->bytes<0, .churn_bytes = ev->bytes> 0 ? ev->bytes : 0,
		          .peak_allocated = ev->total_allocated,
		          .peak_reserved = reserved,
		          .reserved_at_peak = reserved,
		          .start_allocated = number_sub(ev->total_allocated, ev->bytes),
		          .end_allocated = ev->total_allocated,
		          .end_reserved = reserved },
		.first_ns = at,
		.peak_ns = at,
		.end_ns = at,
		.peak_pid = ev->pid,
		.peak_tid = ev->tid
	};
	if (!memory_add(m, &one))
		r->fault = "the allocations add up to more than 8 EiB: check 'Bytes' of the trace";
	vec_push(&m->levels, (struct level){ at, ev->total_allocated });
}

/* --- growth --- */

/* Step ends, some of them where there are many. */
struct ends {
	size_t nr;
	int64_t step[MEMORY_STEP_ENDS]; ///< counted from the first one
	int64_t at_ns[MEMORY_STEP_ENDS];
};

/* Of the measured steps those that end after the first event of the memory:
   before that its level is not known. So many are used, at equal distances,
   that a trace of many memories takes no longer than one of 16. */
static void ends_choose(struct ends *e, const struct reducer *r, const struct memory_state *m)
{
	size_t lo = 0, hi = r->owned.nr, limit = MEMORY_STEP_ENDS;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const struct owned *o = &r->owned.v[mid];
		if (o->step < r->warmup || o->end_ns <= m->first_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	size_t nr = r->owned.nr - lo;
	if (r->memories.nr > 16)
		limit = limit * 16 / r->memories.nr;
	if (limit < 3)
		limit = 3;
	e->nr = nr < limit ? nr : limit;
	for (size_t i = 0; i < e->nr; i++) {
		size_t step = e->nr > 1 ? i * (nr - 1) / (e->nr - 1) : 0;
		e->step[i] = (int64_t)step;
		e->at_ns[i] = r->owned.v[lo + step].end_ns;
	}
}

/* Index of the first end behind `at_ns`; e->nr where there is none. */
static size_t end_behind(const struct ends *e, int64_t at_ns)
{
	size_t lo = 0, hi = e->nr;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (e->at_ns[mid] <= at_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The level at an end is that of the latest event before it; of events at one
   time the last of the file counts. */
static int64_t growth(const struct reducer *r, const struct memory_state *m)
{
	struct ends e;
	struct level last[MEMORY_STEP_ENDS];
	int64_t levels[MEMORY_STEP_ENDS];
	ends_choose(&e, r, m);
	if (e.nr < 3)
		return MEMORY_UNKNOWN;
	for (size_t i = 0; i < e.nr; i++)
		last[i] = (struct level){ INT64_MIN, -1 };
	for (size_t i = 0; i < m->levels.nr; i++) {
		const struct level *l = &m->levels.v[i];
		size_t k = end_behind(&e, l->start_ns);
		if (k < e.nr && l->start_ns >= last[k].start_ns)
			last[k] = *l;
	}
	int64_t level = 0; /* the first end has an event before it */
	for (size_t i = 0; i < e.nr; i++) {
		if (last[i].allocated >= 0)
			level = last[i].allocated;
		levels[i] = level;
	}
	return number_theil_sen(e.step, levels, e.nr);
}

/* --- operator at the peak --- */

/* Id of the thread that the peak's event is of, or NO_ID. */
static uint32_t peak_thread(const struct reducer *r, const struct memory_state *m)
{
	uint32_t pid = idmap_find(&r->pids, m->peak_pid), tid = idmap_find(&r->tids, m->peak_tid);
	if (pid == IDMAP_NONE || tid == IDMAP_NONE)
		return NO_ID;
	return idmap_find(&r->threads, idmap_pair(pid, tid));
}

/* `s` ran on the thread then, inside `best`: of two that began together the
   shorter one, else the later in the file. */
static bool is_inner(const struct reducer *r, const struct host_span *s,
                     const struct host_span *best, uint32_t thread, int64_t at_ns)
{
	int64_t start = span_start(r, s), best_start = best ? span_start(r, best) : INT64_MIN;
	return start <= at_ns && at_ns < span_end(r, s) && span_thread(r, s) == thread &&
	       (!best || start > best_start ||
	        (start == best_start && span_dur(r, s) <= span_dur(r, best)));
}

/* "[]" is what aten::empty has, in which most memory is allocated. */
static bool has_shape(const struct name *dims)
{
	for (uint32_t i = 0; i < dims->n; i++)
		if (is_digit(dims->s[i]))
			return true;
	return false;
}

/* Index of the innermost operator with shaped inputs, else of the innermost
   one, that ran on the thread then; or NO_ID. */
static uint32_t op_at(const struct reducer *r, uint32_t thread, int64_t at_ns)
{
	const struct host_span *best = NULL;
	for (size_t i = 0; i < r->op_inputs.nr; i++) {
		const struct host_span *s = &r->spans.v[r->op_inputs.v[i].span];
		if (is_inner(r, s, best, thread, at_ns) &&
		    has_shape(r->inputs.by_id[r->op_inputs.v[i].dims]))
			best = s;
	}
	bool shaped = best != NULL;
	for (size_t i = 0; i < r->spans.nr && !shaped; i++)
		if (span_name(r, &r->spans.v[i])->op && is_inner(r, &r->spans.v[i], best, thread, at_ns))
			best = &r->spans.v[i];
	return best ? (uint32_t)(best - r->spans.v) : NO_ID;
}

/* NULL where there is nothing to say. */
static const char *valid_text(struct arena *a, struct span raw)
{
	return raw.n ? text_valid(a, raw) : NULL;
}

static void peak_op(const struct reducer *r, const struct memory_state *m, struct arena *a,
                    struct memory_stat *stat)
{
	uint32_t thread = peak_thread(r, m);
	uint32_t op = thread == NO_ID ? NO_ID : op_at(r, thread, m->peak_ns);
	if (op == NO_ID)
		return;
	stat->peak_op = valid_text(a, span_name(r, &r->spans.v[op])->name);
	for (size_t i = 0; stat->peak_op && i < r->op_inputs.nr; i++)
		if (r->op_inputs.v[i].span == op) {
			stat->peak_dims = valid_text(a, name_span(r->inputs.by_id[r->op_inputs.v[i].dims]));
			stat->peak_types = valid_text(a, name_span(r->inputs.by_id[r->op_inputs.v[i].types]));
		}
}

/* --- rows --- */

/* The numbers of memories and of devices are not the same ones: what is not
   true of all devices is not known of any memory. */
static int64_t device_memory(const struct trace_meta *meta)
{
	for (size_t i = 0; i < meta->devices.nr; i++)
		if (meta->devices.v[i].memory_bytes <= 0 ||
		    meta->devices.v[i].memory_bytes != meta->devices.v[0].memory_bytes)
			return MEMORY_UNKNOWN;
	return meta->devices.nr ? meta->devices.v[0].memory_bytes : MEMORY_UNKNOWN;
}

void memory_figures(const struct reducer *r, const struct trace_meta *meta, struct digest *d)
{
	d->device_memory = device_memory(meta);
	for (size_t i = 0; i < r->memories.nr; i++) {
		struct memory_stat stat = r->memories.v[i].stat;
		stat.id = ident_text(&d->arena, r->names, r->memory_ids.keys.v[i]);
		stat.source = MEMORY_OF_TRACE;
		stat.growth_per_step = growth(r, &r->memories.v[i]);
		stat.capacity = d->device_memory;
		stat.end_requested = stat.inactive = stat.largest_inactive = MEMORY_UNKNOWN;
		stat.segment_count = stat.segment_churn = stat.oom_count = MEMORY_UNKNOWN;
		stat.segment_allocs = MEMORY_UNKNOWN;
		stat.peak_persistent = stat.peak_carried = stat.peak_transient = MEMORY_UNKNOWN;
		if (i < MEMORY_PEAK_OPS)
			peak_op(r, &r->memories.v[i], &d->arena, &stat);
		vec_push(&d->memories, stat);
	}
	vec_sort(&d->memories, text_cmp);
}
