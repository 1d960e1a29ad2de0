/* Row types for memory: figures of each memory, lists of sites and sizes, levels over time,
 * evidence of trust. */
#include "model/memory_view.h"
#include "model/rows_internal.h"

/* stored forms of numbers that are MEMORY_UNKNOWN if the kind of recording lacks them */
#define KNOWN_COUNT OPTIONAL_COUNT(MEMORY_UNKNOWN)
#define KNOWN_NUMBER OPTIONAL_NUMBER(MEMORY_UNKNOWN)

/* Joins the memories of two profiler cycles; the later of two equal peaks is kept. */
static void join_memory_cycles(void *row, const void *more)
{
	struct memory_stat *x = row;
	const struct memory_stat *y = more;
	if (y->peak_allocated < x->peak_allocated)
		return;
	x->peak_allocated = y->peak_allocated;
	x->reserved_at_peak = y->reserved_at_peak;
	x->peak_op = y->peak_op;
	x->peak_dims = y->peak_dims;
	x->peak_types = y->peak_types;
}

/* Only rows of traces are joined across profiler cycles; in them, members that only snapshots fill
   are MEMORY_UNKNOWN. This value is below all other numbers, so that MAX prefers a known value. */
#define ROW memory_stat
static const struct field memory_stat_fields[] = {
	KEY(ORDER, id, TEXT, 0),
	FIELD(source, ENUM(memory_source_names), KEEP, KEEP, 0),
	FIELD(events, COUNT, SUM, KEEP, 0),
	FIELD(peak_allocated, COUNT, OWN, KEEP, 0),
	FIELD(peak_reserved, KNOWN_COUNT, MAX, KEEP, 0),
	FIELD(end_allocated, KNOWN_NUMBER, LAST, KEEP, 0),
	FIELD(end_reserved, KNOWN_COUNT, LAST, KEEP, 0),
	FIELD(start_allocated, KNOWN_NUMBER, KEEP, KEEP, 0),
	FIELD(reserved_at_peak, KNOWN_NUMBER, OWN, KEEP, 0),
	FIELD(alloc_count, KNOWN_COUNT, SUM, KEEP, 0),
	FIELD(free_count, KNOWN_COUNT, SUM, KEEP, 0),
	FIELD(churn_bytes, KNOWN_COUNT, SUM, KEEP, 0),
	FIELD(growth_per_step, KNOWN_NUMBER, MAX, KEEP, 0),
	FIELD(capacity, KNOWN_COUNT, MAX, KEEP, 0),
	FIELD(peak_op, OPTIONAL_TEXT, OWN, KEEP, 0),
	FIELD(peak_dims, OPTIONAL_TEXT, OWN, KEEP, 0),
	FIELD(peak_types, OPTIONAL_TEXT, OWN, KEEP, 0),
	FIELD(end_requested, KNOWN_COUNT, KEEP, KEEP, 0),
	FIELD(inactive, KNOWN_COUNT, KEEP, KEEP, 0),
	FIELD(largest_inactive, KNOWN_COUNT, KEEP, KEEP, 0),
	FIELD(segment_count, KNOWN_COUNT, KEEP, KEEP, 0),
	FIELD(segment_churn, KNOWN_COUNT, KEEP, KEEP, 0),
	FIELD(segment_allocs, KNOWN_COUNT, KEEP, KEEP, 0),
	FIELD(oom_count, KNOWN_COUNT, MAX, KEEP, 0),
	FIELD(peak_persistent, KNOWN_NUMBER, KEEP, KEEP, 0),
	FIELD(peak_carried, KNOWN_NUMBER, KEEP, KEEP, 0),
	FIELD(peak_transient, KNOWN_NUMBER, KEEP, KEEP, 0),
};
ROW_TYPE(memory_stat, LISTED, OWN(OF_CYCLES, join_memory_cycles));
#undef ROW

struct memory_stat memory_stat_unknown(const char *id, enum memory_source source)
{
	struct memory_stat out = { .id = id, .source = source };
	for (const struct field *f = memory_stat_fields; f < memory_stat_fields + memory_stat_row.nr;
	     f++)
		if (f->absent == MEMORY_UNKNOWN)
			*(int64_t *)(void *)((char *)&out + f->offset) = MEMORY_UNKNOWN;
	return out;
}

/* Joins small sites; in MEMORY_LIST_CHURN `largest` is the most frequent size, which a sum of sites
 * does not have. */
static void join_small_sites(void *row, const void *more)
{
	struct memory_item *x = row;
	const struct memory_item *y = more;
	if (x->list != MEMORY_LIST_CHURN && y->largest > x->largest)
		x->largest = y->largest;
}

/* Each list has an order of its own; several rows of a list may have equal keys. */
#define ROW memory_item
static const struct field memory_item_fields[] = {
	KEY(ORDER, memory, TEXT, 0, SHOWN("device")),
	KEY(ORDER, list, ENUM(memory_list_names), 0, SHOWN("list"), NAMES_ROW),
	KEY(SAME, category, NAME, 0, SHOWN("category")),
	KEY(SAME, kind, ENUM(site_kind_names), 0, SHOWN("kind")),
	KEY(SAME, file, NAME, 0, SHOWN("file")),
	KEY(SAME, function, NAME, 0, SHOWN("function")),
	KEY(SAME, line, NUMBER, 0, SHOWN("line")),
	FIELD(bytes, NUMBER, KEEP, SUM, 0, SHOWN("bytes")),
	FIELD(blocks, KNOWN_NUMBER, KEEP, SUM, 0, SHOWN("blocks")),
	FIELD(largest, KNOWN_NUMBER, KEEP, OWN, 0, SHOWN("largest")),
	FIELD(other, KNOWN_NUMBER, KEEP, KEEP, 0, SHOWN("other")),
};
ROW_TYPE(memory_item, LISTED, OWN(SMALL, join_small_sites));
#undef ROW

#define ROW memory_level
static const struct field memory_level_fields[] = {
	KEY(ORDER, memory, TEXT, 0, SHOWN("device")),
	KEY(ORDER, entries, COUNT, 0, SHOWN("entries")),
	FIELD(time_us, OPTIONAL_COUNT(-1), KEEP, KEEP, 0, SHOWN("time_us")),
	FIELD(allocated, NUMBER, KEEP, KEEP, 0, SHOWN("allocated")),
	FIELD(reserved, KNOWN_NUMBER, KEEP, KEEP, 0, SHOWN("reserved")),
};
ROW_TYPE(memory_level, LISTED);
#undef ROW

#define ROW memory_evidence
static const struct field memory_evidence_fields[] = {
	KEY(ORDER, memory, TEXT, 0),
	FIELD(history, FLAG, KEEP, KEEP, 0),
	FIELD(midway, FLAG, KEEP, KEEP, 0),
	FIELD(truncated, FLAG, KEEP, KEEP, 0),
	FIELD(unseen_frees, COUNT, KEEP, KEEP, 0),
	FIELD(contradicted_frees, COUNT, KEEP, KEEP, 0),
	FIELD(lost_allocs, COUNT, KEEP, KEEP, 0),
	FIELD(lowest_allocated, NUMBER, KEEP, KEEP, 0),
	FIELD(allocs, COUNT, KEEP, KEEP, 0),
};
ROW_TYPE(memory_evidence, LISTED);
#undef ROW
