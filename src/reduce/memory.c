#include <string.h>

#include "reduce/reducer.h"

void memory_take(struct reducer *r, const struct event *ev)
{
	if (ev->device_type == 0 || ev->memory_id < 0 || ev->total_allocated < 0)
		return;
	uint32_t id = idmap_add(&r->memory_ids, ev->memory_id);
	if (id == r->memories.nr) {
		struct memory_state *fresh = vec_push_zero(&r->memories);
		fresh->stat.peak_allocated = -1;
		fresh->end_ns = INT64_MIN;
	}
	struct memory_state *m = &r->memories.v[id];
	int64_t reserved = ev->total_reserved < 0 ? 0 : ev->total_reserved;
	m->stat.events++;
	if (reserved > m->stat.peak_reserved)
		m->stat.peak_reserved = reserved;
	if (ev->total_allocated > m->stat.peak_allocated ||
	    (ev->total_allocated == m->stat.peak_allocated && ev->start_ns >= m->peak_ns)) {
		m->stat.peak_allocated = ev->total_allocated;
		m->stat.reserved_at_peak = reserved;
		m->peak_ns = ev->start_ns;
	}
	if (ev->start_ns >= m->end_ns) {
		m->stat.end_allocated = ev->total_allocated;
		m->stat.end_reserved = reserved;
		m->end_ns = ev->start_ns;
	}
}

static int memory_cmp(const void *a, const void *b)
{
	const struct memory_stat *x = a, *y = b;
	return strcmp(x->id, y->id);
}

void memory_figures(const struct reducer *r, struct digest *d)
{
	for (size_t i = 0; i < r->memories.nr; i++) {
		struct memory_stat stat = r->memories.v[i].stat;
		stat.id = ident_text(&d->arena, r->names, r->memory_ids.keys.v[i]);
		stat.source = "trace";
		vec_push(&d->memories, stat);
	}
	vec_sort(&d->memories, memory_cmp);
}
