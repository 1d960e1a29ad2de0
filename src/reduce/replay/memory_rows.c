#include "replay/memory_rows.h"

#include "base/number.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/rows.h"

struct memory_item memory_item_of(const char *memory, enum memory_list list)
{
	return (struct memory_item){
		.memory = memory, .list = list, .category = SPAN(""), .file = SPAN(""), .function = SPAN("")
	};
}

ORDERING_SHARED(memory_item_cmp, struct memory_item,
                RISING(kind == SITE_REST) FALLING(bytes) BY_SPAN(category) RISING(kind)
                    BY_SPAN(file) BY_SPAN(function) RISING(line) FALLING(largest))

void memory_items_cut(struct memory_items *rows)
{
	vec_sort(&rows->list, memory_item_cmp);
	if (rows->list.nr <= MEMORY_SITES)
		return;
	struct memory_item rest = memory_item_of(rows->list.v->memory, rows->list.v->list);
	rest.kind = SITE_REST;
	rest.category = SPAN("all else");
	for (size_t i = MEMORY_SITES - 1; i < rows->list.nr; i++)
		row_add(&memory_item_row, ROWS_SMALL, &rest, &rows->list.v[i]);
	rows->list.nr = MEMORY_SITES - 1;
	vec_push(&rows->list, rest);
}

void memory_items_add(struct digest *d, struct memory_items *rows, row_compare *cmp, size_t most)
{
	vec_sort(&rows->list, cmp);
	if (rows->list.nr > most)
		rows->list.nr = most;
	vec_move(&d->memory_items, &rows->list);
	vec_release(&rows->list);
}

void memory_add(struct digest *d, const struct memory_stat *stat, struct memory_evidence evidence)
{
	evidence.memory = stat->id;
	evidence.allocs = stat->alloc_count == MEMORY_UNKNOWN ? 0 : stat->alloc_count;
	vec_push(&d->memories, *stat);
	vec_push(&d->memory_evidence, evidence);
	d->events = number_add(d->events, stat->events);
}

ORDERING(list_cmp, struct memory_item, BY_TEXT(memory) RISING(list))

void memories_finish(struct digest *d, uint64_t json_faults, uint64_t fault_byte)
{
	vec_sort(&d->memories, text_cmp);
	vec_sort(&d->memory_items, list_cmp);
	vec_sort(&d->memory_levels, text_cmp);
	vec_sort(&d->memory_evidence, text_cmp);
	d->marker = d->communication = "";
	d->trust.json_faults = (int64_t)json_faults;
	d->trust.fault_byte = (int64_t)fault_byte;
	digest_set_steps(d, 0);
	d->source_hash = digest_hash(d);
}
