#include "replay/snapshot_digest.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"

/* A profile, and the name of its memory in the digest. */
struct named_profile {
	const char *id;
	const struct memory_profile *profile;
};

/* ---- figures of a memory ---- */

static struct memory_stat stat_of_profile(const char *id, enum memory_source source,
                                          const struct memory_profile *p)
{
	return (struct memory_stat){
		.id = id,
		.source = source,
		.events = p->entries,
		.peak_allocated = p->peak_allocated,
		.peak_reserved = p->peak_reserved,
		.end_allocated = p->end_allocated,
		.end_reserved = p->end_reserved,
		.start_allocated = p->start_allocated,
		.reserved_at_peak = p->reserved_at_peak,
		.alloc_count = p->alloc_count,
		.free_count = p->free_count,
		.churn_bytes = p->churn_bytes,
		.growth_per_step = p->has_growth ? p->growth_per_step : MEMORY_UNKNOWN,
		.capacity = p->capacity < 0 ? MEMORY_UNKNOWN : p->capacity,
		.end_requested = p->end_requested,
		.inactive = p->inactive,
		.largest_inactive = p->largest_inactive,
		.segment_count = p->segment_count,
		.segment_churn = p->segment_churn,
		.segment_allocs = p->segment_allocs,
		.oom_count = p->oom_count,
		.peak_persistent = p->peak_persistent,
		.peak_carried = p->peak_carried,
		.peak_transient = p->peak_transient,
	};
}

static struct memory_evidence evidence_of(const char *id, const struct memory_profile *p)
{
	const struct memory_trust *t = &p->trust;
	return (struct memory_evidence){
		.memory = id,
		.history = t->history,
		.midway = t->midway,
		.truncated = t->truncated,
		.unseen_frees = t->unseen_frees,
		.contradicted_frees = t->contradicted_frees,
		.lost_allocs = t->lost_allocs,
		.lowest_allocated = t->lowest_allocated,
		.allocs = p->alloc_count == MEMORY_UNKNOWN ? 0 : p->alloc_count,
	};
}

static void add_levels(struct digest *d, const char *id, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->points.nr; i++) {
		const struct memory_point *m = &p->points.v[i];
		vec_push(&d->memory_levels,
		         (struct memory_level){ id, m->entries, m->time_us, m->allocated, m->reserved });
	}
}

/* ---- lists of a memory ---- */

/* Appends an item that has no site. */
static struct memory_item *add_item(struct digest *d, const char *id, enum memory_list list)
{
	struct memory_item *item = vec_push_zero(&d->memory_items);
	item->memory = id;
	item->list = list;
	item->category = item->file = item->function = SPAN("");
	return item;
}

static struct memory_item *add_site_row(struct digest *d, const char *id, enum memory_list list,
                                        const struct memory_row *row)
{
	struct memory_item *item = add_item(d, id, list);
	item->category = span_of(row->site.category);
	item->kind = row->site.kind;
	item->file = row->site.file;
	item->function = row->site.function;
	item->line = row->site.line;
	item->bytes = row->bytes;
	item->blocks = row->blocks;
	item->largest = row->largest;
	return item;
}

static void add_site_rows(struct digest *d, const char *id, enum memory_list list,
                          const struct memory_rows *rows)
{
	for (size_t i = 0; i < rows->nr; i++)
		add_site_row(d, id, list, &rows->v[i]);
}

static void add_categories(struct digest *d, const char *id, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->categories.nr; i++) {
		const struct memory_category *c = &p->categories.v[i];
		struct memory_item *item = add_item(d, id, MEMORY_LIST_CATEGORY);
		item->category = span_of(c->name);
		item->bytes = c->peak_bytes;
		item->blocks = c->peak_blocks;
		item->largest = c->largest;
		item->other = c->end_bytes;
	}
}

static void add_changes(struct digest *d, const char *id, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->growth.nr; i++)
		add_site_row(d, id, MEMORY_LIST_GROWTH, &p->growth.v[i].total)->other =
		    p->growth.v[i].rises;
	for (size_t i = 0; i < p->churn.nr; i++) {
		const struct memory_churn *c = &p->churn.v[i];
		struct memory_item *item = add_site_row(d, id, MEMORY_LIST_CHURN, &c->total);
		item->largest = c->common_size;
		item->other = c->sizes;
	}
}

static void add_sizes(struct digest *d, const char *id, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->peak_sizes.nr; i++) {
		const struct memory_size *s = &p->peak_sizes.v[i];
		struct memory_item *item = add_item(d, id, MEMORY_LIST_SIZE);
		item->bytes = s->bytes;
		item->blocks = s->blocks;
		item->other = s->from;
	}
}

static struct span segment_kind(bool expandable, bool large)
{
	if (expandable)
		return large ? SPAN("expandable large") : SPAN("expandable small");
	return large ? SPAN("large") : SPAN("small");
}

static void add_segments(struct digest *d, const char *id, const struct memory_profile *p)
{
	for (size_t i = 0; i < p->segments.nr; i++) {
		const struct memory_segments *s = &p->segments.v[i];
		struct memory_item *item = add_item(d, id, MEMORY_LIST_SEGMENT);
		item->category = segment_kind(s->expandable, s->large);
		item->bytes = s->bytes;
		item->blocks = s->segments;
		item->largest = s->free_bytes;
		item->other = s->from;
	}
	for (size_t i = 0; i < p->gaps.nr; i++) {
		const struct memory_gap *g = &p->gaps.v[i];
		struct memory_item *item = add_item(d, id, MEMORY_LIST_GAP);
		item->category = segment_kind(g->expandable, g->large);
		item->bytes = g->bytes;
		item->blocks = 1;
		item->other = g->segment_bytes;
	}
	for (size_t i = 0; i < p->pinned.nr; i++)
		add_site_row(d, id, MEMORY_LIST_PINNED, &p->pinned.v[i].total)->other =
		    p->pinned.v[i].free_bytes;
}

/* Appends the lists of a memory's profile to `d`, in the order of enum memory_list. */
static void add_items(struct digest *d, const char *id, const struct memory_profile *p)
{
	add_categories(d, id, p);
	add_site_rows(d, id, MEMORY_LIST_PEAK, &p->peak_sites);
	add_site_rows(d, id, MEMORY_LIST_END, &p->end_sites);
	add_changes(d, id, p);
	add_site_rows(d, id, MEMORY_LIST_OOM, &p->oom_sites);
	add_site_rows(d, id, MEMORY_LIST_BLOCK, &p->peak_blocks);
	add_sizes(d, id, p);
	add_segments(d, id, p);
}

/* ---- the digest of a snapshot ---- */

void profile_add(struct digest *d, const char *id, enum memory_source source,
                 const struct memory_profile *p)
{
	vec_push(&d->memories, stat_of_profile(id, source, p));
	vec_push(&d->memory_evidence, evidence_of(id, p));
	add_items(d, id, p);
	add_levels(d, id, p);
	d->events = number_add(d->events, p->entries);
}

void profiles_finish(struct digest *d, uint64_t json_faults, uint64_t fault_byte)
{
	d->marker = d->communication = "";
	d->trust.json_faults = (int64_t)json_faults;
	d->trust.fault_byte = (int64_t)fault_byte;
	digest_set_steps(d, 0);
	d->source_hash = digest_hash(d);
}

/* Adds the profiles, sorted by device number as text ("10" before "2"), since a digest has its
   memories in order of their names. */
static void add_profiles(struct digest *d, const struct memory_profiles *profiles)
{
	VEC(struct named_profile) list = VEC_INIT;
	for (size_t i = 0; i < profiles->list.nr; i++) {
		const struct memory_profile *p = &profiles->list.v[i];
		vec_push(&list,
		         (struct named_profile){ arena_printf(&d->arena, "%" PRId64, p->device), p });
	}
	vec_sort(&list, text_cmp);
	for (size_t i = 0; i < list.nr; i++)
		profile_add(d, list.v[i].id, MEMORY_OF_SNAPSHOT, list.v[i].profile);
	vec_release(&list);
}

enum status snapshot_reduce(const struct snapshot *s, const struct replay_options *o,
                            struct digest *out, struct diag_log *log)
{
	struct memory_profiles profiles = { 0 };
	TRY(replay_snapshot(s, o, &out->arena, &profiles, log));
	add_profiles(out, &profiles);
	profiles_finish(out, s->json_faults, s->fault_byte);
	memory_profiles_release(&profiles);
	return ST_OK;
}
