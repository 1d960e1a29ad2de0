#include "replay/replay.h"

#include <inttypes.h>

#include "base/number.h"
#include "replay/replay_internal.h"

#define MAX_DEVICES 4096
#define STEP_MARKER SPAN("Optimizer.step#*")

/* ---- limits of sizes ---- */

/* Checks that the sum of all sizes that the replay may add up fits into int64. Sizes of failed
 * allocations are not added up, since a broken program may ask for any size. */
static enum status check_sizes(const struct snapshot *s, struct diag_log *log)
{
	unsigned __int128 sum = 0;
	for (size_t i = 0; i < s->segments.nr; i++)
		sum += s->segments.v[i].total;
	for (size_t i = 0; i < s->blocks.nr; i++) {
		const struct snapshot_block *b = &s->blocks.v[i];
		sum += b->size;
		sum += b->state == BLOCK_ACTIVE ? b->requested : 0;
	}
	for (size_t t = 0; t < s->traces.nr; t++)
		for (size_t i = 0; i < s->traces.v[t].entries.nr; i++) {
			const struct snapshot_entry *e = &s->traces.v[t].entries.v[i];
			sum += e->action <= ACTION_SEGMENT_UNMAP ? (unsigned __int128)e->size + 511 : 0;
		}
	if (sum > INT64_MAX)
		return diag_fail(log, ST_INPUT,
		                 "the sizes in the snapshot add up to 8 EiB or more: it is damaged");
	return ST_OK;
}

static enum status check_entries(const struct replay *r, const struct replay_options *o,
                                 int64_t device, size_t nr_entries)
{
	size_t limit = o->max_entries ? o->max_entries : NO_INDEX - 2;
	size_t nr = nr_entries;
	for (size_t i = 0; i < r->nr_segments; i++)
		nr += r->s->segments.v[r->segments[i].segment].nr_blocks;
	if (nr > limit)
		return diag_fail(r->log, ST_INPUT,
		                 "device %" PRId64 ": more than %zu blocks and history entries: record a "
		                 "shorter history",
		                 device, limit);
	return ST_OK;
}

/* ---- categories of sites ---- */

static void category_rows(struct replay *r)
{
	struct memory_items rows = { 0 };
	for (size_t i = 0; i < r->sites.categories.nr; i++) {
		struct memory_item *c = &r->categories[i];
		c->category = span_of(r->sites.categories.v[i]);
		if (c->largest >= 0) /* a block may have size 0 */
			vec_push(&rows.list, *c);
	}
	replay_add(r, &rows, memory_item_cmp, SIZE_MAX);
}

/* ---- devices of the snapshot ---- */

static enum status replay_stages(struct replay *r)
{
	replay_final(r);
	TRY(replay_pair(r));
	TRY(replay_levels(r));
	TRY(replay_live(r));
	TRY(replay_churn(r));
	TRY(replay_segments(r));
	category_rows(r);
	memory_add(r->d, &r->stat, r->evidence);
	return ST_OK;
}

static enum status replay_device(struct replay *r, const struct replay_options *o, int64_t device)
{
	bool has = device >= 0 && (uint64_t)device < r->s->traces.nr;
	size_t nr_entries = has ? r->s->traces.v[device].entries.nr : 0;
	r->entries = has ? r->s->traces.v[device].entries.v : NULL;
	r->finals.nr = 0;
	r->last_oom = NO_INDEX;
	TRY(check_entries(r, o, device, nr_entries));
	r->nr = (uint32_t)nr_entries;
	r->stat = (struct memory_stat){ .id = arena_printf(&r->d->arena, "%" PRId64, device),
		                            .source = MEMORY_OF_SNAPSHOT,
		                            .events = r->nr,
		                            .growth_per_step = MEMORY_UNKNOWN,
		                            .capacity = o->capacity < 0 ? MEMORY_UNKNOWN : o->capacity };
	r->evidence =
	    (struct memory_evidence){ .history = r->nr > 0, .truncated = r->nr && r->s->overflowed };
	r->alloc_of = mem_calloc(r->nr, sizeof *r->alloc_of);
	r->categories = mem_calloc(r->sites.categories.nr, sizeof *r->categories);
	for (size_t i = 0; i < r->sites.categories.nr; i++) {
		r->categories[i] = memory_item_of(r->stat.id, MEMORY_LIST_CATEGORY);
		r->categories[i].largest = -1; /* until a block of the category is found */
	}
	enum status st = replay_stages(r);
	free(r->alloc_of);
	free(r->categories);
	return st;
}

ORDERING(segment_cmp, struct device_segment, RISING(device) RISING(segment))

ORDERING(step_end_cmp, struct step_end, RISING(device) RISING(time_us))

struct device_lists {
	VEC(struct device_segment) segments;
	VEC(struct step_end) step_ends;
	VEC(int64_t) devices; ///< device numbers, each once, ascending
};

static void list_devices(const struct snapshot *s, struct device_lists *in)
{
	for (size_t i = 0; i < s->segments.nr; i++) {
		vec_push(&in->segments, (struct device_segment){ s->segments.v[i].device, (uint32_t)i });
		vec_push(&in->devices, s->segments.v[i].device);
	}
	vec_sort(&in->segments, segment_cmp);
	for (size_t i = 0; i < s->traces.nr; i++)
		if (s->traces.v[i].entries.nr)
			vec_push(&in->devices, (int64_t)i);
	vec_unite(&in->devices, number_cmp_i64, NULL);
	for (size_t i = 0; i < s->annotations.nr; i++) {
		const struct snapshot_annotation *n = &s->annotations.v[i];
		if (n->end && n->name && n->time_us != INT64_MIN &&
		    span_glob(STEP_MARKER, name_span(n->name)))
			vec_push(&in->step_ends, (struct step_end){ n->device, n->time_us });
	}
	vec_sort(&in->step_ends, step_end_cmp);
}

static enum status replay_devices(struct replay *r, const struct replay_options *o,
                                  const struct device_lists *in)
{
	size_t segment = 0, end = 0;
	for (size_t i = 0; i < in->devices.nr; i++) {
		int64_t device = in->devices.v[i];
		r->segments = in->segments.v + segment;
		size_t from = segment;
		while (segment < in->segments.nr && in->segments.v[segment].device == device)
			segment++;
		r->nr_segments = segment - from;
		while (end < in->step_ends.nr && in->step_ends.v[end].device < device)
			end++;
		r->step_ends = in->step_ends.v + end;
		from = end;
		while (end < in->step_ends.nr && in->step_ends.v[end].device == device)
			end++;
		r->nr_step_ends = end - from;
		TRY(replay_device(r, o, device));
	}
	return ST_OK;
}

enum status snapshot_reduce(const struct snapshot *s, const struct replay_options *o,
                            struct digest *out, struct diag_log *log)
{
	struct device_lists in = { 0 };
	struct replay r = { .s = s, .d = out, .log = log };
	size_t limit = o->max_devices ? o->max_devices : MAX_DEVICES;
	TRY(check_sizes(s, log));
	if (s->segments.nr >= NO_INDEX || s->blocks.nr >= NO_INDEX)
		return diag_fail(log, ST_INPUT, "more than 2^32 segments or blocks in the snapshot");
	list_devices(s, &in);
	enum status st = ST_OK;
	if (in.devices.nr > limit)
		st = diag_fail(log, ST_INPUT, "more than %zu devices in the snapshot", limit);
	sites_init(&r.sites, s, o->sites);
	NEXT(st, replay_devices(&r, o, &in));
	sites_release(&r.sites);
	vec_release(&r.finals);
	vec_release(&in.segments);
	vec_release(&in.step_ends);
	vec_release(&in.devices);
	memories_finish(out, s->json_faults, s->fault_byte);
	return st;
}
