/* Finds out whether the memory figures of a snapshot can be trusted. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/number.h"
#include "base/text.h"
#include "metric/unit.h"
#include "model/memory_view.h"
#include "model/view.h"
#include "trust/finding.h"

/* CUT_HISTORY: metrics that are unreliable if the recorded history begins too late; HISTORY:
   metrics that are unreliable if there is no complete history */
enum { CUT_HISTORY = ON_MEMORY_PEAK | ON_MEMORY_CALLS | ON_MEMORY_EVENTS };
enum { HISTORY = CUT_HISTORY | ON_MEMORY_GROWTH };

/* Append findings on entries of the history that contradict each other, which a complete history
   never has. */
static void find_contradictions(const struct trust_scope *s, const struct memory_evidence *e,
                                const char *id)
{
	int64_t lost = number_add(e->contradicted_frees, e->lost_allocs);
	if (e->lowest_allocated < 0)
		trust_add(
		    s, "negative-memory", ON_MEMORY_PEAK | ON_MEMORY_GROWTH,
		    "has a history that leads to %s allocated in memory %s: it does not belong to the "
		    "final state",
		    unit_text(&s->out->arena, UNIT_BYTES, e->lowest_allocated), id);
	if (lost > 0)
		trust_add(s, "memory-contradictions", trust_is_notable(lost, e->allocs) ? HISTORY : 0,
		          "has %" PRId64 " free%s of blocks that are in use later and %" PRId64
		          " allocation%s that end nowhere in the history of memory %s: entries were lost",
		          e->contradicted_frees, text_s(e->contradicted_frees), e->lost_allocs,
		          text_s(e->lost_allocs), id);
	if (!e->midway && trust_is_notable(e->unseen_frees, e->allocs))
		trust_add(
		    s, "unseen-frees", ON_MEMORY_CALLS | ON_MEMORY_GROWTH,
		    "frees %" PRId64 " block%s of memory %s that %s never allocated: the history began "
		    "with nothing allocated",
		    e->unseen_frees, text_s(e->unseen_frees), id, e->unseen_frees == 1 ? "was" : "were");
}

/* Append a warning if the run ran, or nearly ran, out of memory; its figures stay reliable. */
static void find_risk(const struct trust_scope *s, const struct digest *d)
{
	struct arena *a = &s->out->arena;
	for (size_t i = 0; i < d->memories.nr; i++) {
		const struct memory_stat *m = &d->memories.v[i];
		struct memory_headroom h = memory_headroom_of(m);
		if (m->source == MEMORY_OF_TRACE && m->oom_count > 0)
			trust_add(s, "out-of-memory-risk", 0,
			          "ran out of memory: %" PRId64 " allocation%s of memory %s failed",
			          m->oom_count, text_s(m->oom_count), text_line(a, span_of(m->id)));
		if (h.risk != RISK_CRITICAL && h.risk != RISK_WARNING)
			continue;
		trust_add(
		    s, "out-of-memory-risk", 0,
		    "%s out of memory %s: at the peak %s are allocated and %s held unused, which leaves "
		    "%s of %s",
		    h.risk == RISK_CRITICAL ? "nearly runs" : "may run", text_line(a, span_of(m->id)),
		    unit_text(a, UNIT_BYTES, m->peak_allocated), unit_text(a, UNIT_BYTES, h.unused),
		    unit_text(a, UNIT_BYTES, h.left), unit_text(a, UNIT_BYTES, m->capacity));
	}
}

/* Append a finding if the snapshot's history of allocations lies wholly before or after the trace,
   by more than 60 s (trust_apart()). */
static void find_stale(const struct trust_scope *s, const struct digest *d)
{
	int64_t nearest = INT64_MAX;
	for (size_t i = 0; i < d->memory_levels.nr; i++) {
		int64_t us = d->memory_levels.v[i].time_us;
		int64_t apart = us < INT64_MAX / 1000 ? trust_apart(d, us * 1000) : 0;
		if (llabs(apart) < llabs(nearest))
			nearest = apart;
	}
	if (digest_has_trace(d) && d->snapshot && nearest != 0 && nearest != INT64_MAX)
		trust_add(s, "stale-rank", ON_MEMORY,
		          "has a snapshot whose history lies %s %s its trace: it is not of the same run",
		          unit_text(&s->out->arena, UNIT_NS, llabs(nearest)),
		          nearest < 0 ? "before" : "behind");
}

/* Append a finding for each memory whose peak in the snapshot is lower than in the trace of the
   same rank, by more than 1 %. */
static void find_foreign(const struct trust_scope *s, const struct digest *d)
{
	for (size_t i = 0; i < d->memories.nr; i++) {
		const struct memory_stat *m = &d->memories.v[i];
		const struct memory_stat *t =
		    d->trace_memories.nr
		        ? bsearch(m, d->trace_memories.v, d->trace_memories.nr, sizeof *m, text_cmp)
		        : NULL;
		if (t && t->source == MEMORY_OF_TRACE && t->peak_allocated > m->peak_allocated &&
		    trust_is_notable(t->peak_allocated - m->peak_allocated, t->peak_allocated))
			trust_add(s, "foreign-snapshot", ON_MEMORY,
			          "has a snapshot in which memory %s peaks at %s, and a trace that saw %s: it "
			          "is not of the same run, or begins after the peak",
			          text_line(&s->out->arena, span_of(m->id)),
			          unit_text(&s->out->arena, UNIT_BYTES, m->peak_allocated),
			          unit_text(&s->out->arena, UNIT_BYTES, t->peak_allocated));
	}
}

/* True if memory is already allocated when the history of a memory begins, while the other side's
   history begins with nothing allocated. A history that overflows loses its oldest entries. */
static bool begins_late(const struct memory_evidence *e, const struct digest *other)
{
	const struct memory_evidence *x =
	    other && other->memory_evidence.nr
	        ? bsearch(e, other->memory_evidence.v, other->memory_evidence.nr, sizeof *x, text_cmp)
	        : NULL;
	return e->midway && x && x->history && !x->midway;
}

/* Number of devices whose memory is in use; recordings do not always list idle devices. */
static size_t nr_devices(const struct digest *d, bool by_trace)
{
	size_t nr, held = 0;
	const struct memory_stat *m = digest_memories(d, by_trace, &nr);
	for (size_t i = 0; i < nr; i++)
		held += m[i].peak_allocated > 0 && !memory_is_host(span_of(m[i].id));
	return held;
}

/* Append a finding if the candidate's rank has memory of more or fewer devices than the baseline's,
   since only the device with the most memory is judged. */
static void find_devices(const struct trust_scope *s, const struct digest *d,
                         const struct digest *other)
{
	size_t now = nr_devices(d, s->by_trace), then = other ? nr_devices(other, s->by_trace) : 0;
	if (s->candidate && now && then && now != then)
		trust_add(s, "memory-source-differs", ON_MEMORY,
		          "has memory of %zu device%s, and the baseline of %zu: only the highest would be "
		          "judged",
		          now, text_s((int64_t)now), then);
}

void trust_find_memory(const struct trust_scope *s, const struct digest *d,
                       const struct digest *other)
{
	struct arena *a = &s->out->arena;
	size_t from = s->out->trust.nr;
	find_stale(s, d);
	find_foreign(s, d);
	find_devices(s, d, other);
	/* it is enough that one memory has a history, since the memory of an idle device has none */
	if (d->memory_evidence.nr && !ANY(i, d->memory_evidence.nr, d->memory_evidence.v[i].history))
		trust_add(s, "no-memory-history", HISTORY,
		          "has a snapshot without a history, which knows the end only: call "
		          "torch.cuda.memory._record_memory_history() first");
	for (size_t i = 0; i < d->memory_evidence.nr; i++) {
		const struct memory_evidence *e = &d->memory_evidence.v[i];
		const char *id = text_line(a, span_of(e->memory));
		if (e->truncated)
			trust_add(s, "history-cut", CUT_HISTORY,
			          "has a history of memory %s that lacks its beginning: peaks may lie "
			          "before",
			          id);
		else if (begins_late(e, other))
			trust_add(
			    s, "history-cut", ON_MEMORY_PEAK,
			    "has a history of memory %s that begins when memory was already allocated, and the "
			    "%s has all of it: peaks may lie before",
			    id, s->candidate ? "baseline" : "candidate");
		find_contradictions(s, e, id);
	}
	for (size_t i = from; i < s->out->trust.nr && s->by_trace && d->trace_memories.nr; i++) {
		s->out->trust.v[i].warning_only = true;
		s->out->trust.v[i].spoils.nr = 0;
	}
	if (s->candidate)
		find_risk(s, d);
}
