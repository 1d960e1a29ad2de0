/* Digests of snapshots, made by hand, for tests of reports on memory. */
#ifndef MEMORY_FIXTURE_H
#define MEMORY_FIXTURE_H

#include "gate_fixture.h"
#include "sample_digest.h"

#define MIB(v) ((int64_t)(v) << 20)

/* The digest of a snapshot with one memory; the caller adds the memory's lists. */
static inline struct digest *memory_digest(int64_t rank, const char *id, int64_t peak, int64_t end)
{
	static uint64_t hash = 1000;
	struct digest *d = digest_new();
	struct memory_stat m = sample_memory(id, MEMORY_OF_SNAPSHOT, peak);
	d->snapshot = "snapshot.json";
	d->marker = DEFAULT_MARKER;
	d->communication = "nccl";
	d->source_hash = ++hash;
	d->rank = rank;
	digest_set_steps(d, 0);
	m.peak_reserved = m.reserved_at_peak = m.end_reserved = peak;
	m.end_allocated = end;
	vec_push(&d->memories, m);
	vec_push(
	    &d->memory_evidence,
	    (struct memory_evidence){ .memory = id, .history = true, .midway = true, .allocs = 500 });
	return d;
}

static inline void memory_add(struct digest *d, enum memory_list list, const char *category,
                              const char *function, int64_t line, int64_t bytes, int64_t other)
{
	vec_push(&d->memory_items, (struct memory_item){ .memory = d->memories.v[0].id,
	                                                 .list = list,
	                                                 .category = span_of(category),
	                                                 .kind = function ? SITE_USER : SITE_BEFORE,
	                                                 .file = SPAN("t/train.py"),
	                                                 .function = span_of(function ? function : ""),
	                                                 .line = line,
	                                                 .bytes = bytes,
	                                                 .blocks = 1,
	                                                 .other = other });
}

#endif
