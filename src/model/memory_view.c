#include "model/memory_view.h"

#include <inttypes.h>

#include "base/number.h"

#define GB ((int64_t)1000000000)

const char *const memory_list_names[] = { "category", "peak", "end",     "growth", "churn",  "oom",
	                                      "block",    "size", "segment", "gap",    "pinned", NULL };
const char *const site_kind_names[] = { "user",        "framework", "no_stack", "before",
	                                    "unexplained", "rest",      NULL };

void memory_item_add_name(struct strbuf *out, const struct memory_item *item)
{
	static const char *const words[] = {
		[SITE_NO_STACK] = "blocks without a stack",
		[SITE_BEFORE] = "blocks from before the recording",
		[SITE_UNEXPLAINED] = "what no known block explains",
		[SITE_REST] = "smaller sites",
	};
	if (memory_item_has_place(item)) {
		strbuf_add(out, item->file);
		if (item->function.n)
			strbuf_addch(out, ':');
		strbuf_add(out, item->function);
	} else {
		strbuf_adds(out, words[item->kind]);
	}
}

void memory_item_add_site(struct strbuf *out, const struct memory_item *item)
{
	memory_item_add_name(out, item);
	if (memory_item_has_place(item) && item->line > 0)
		strbuf_addf(out, ", line %" PRId64, item->line);
}

bool memory_is_host(struct span id)
{
	return span_contains_nocase(id, SPAN("cpu")) || span_contains_nocase(id, SPAN("host"));
}

bool memory_is_selected(const char *glob, struct span id)
{
	return glob ? span_glob(span_of(glob), id) : !memory_is_host(id);
}

static int item_order(const struct memory_item *item, const char *memory, enum memory_list list)
{
	int c = strcmp(item->memory, memory);
	return c ? c : (item->list > list) - (item->list < list);
}

const struct memory_item *memory_list_of(const struct digest *d, const char *memory,
                                         enum memory_list list, size_t *nr)
{
	const struct memory_item *v = d->memory_items.v;
	size_t low = 0, high = d->memory_items.nr;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (item_order(&v[middle], memory, list) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	while (high < d->memory_items.nr && item_order(&v[high], memory, list) == 0)
		high++;
	*nr = high - low;
	return *nr ? v + low : NULL;
}

struct memory_headroom memory_headroom_of(const struct memory_stat *m)
{
	struct memory_headroom h = { .risk = RISK_UNKNOWN };
	if (m->reserved_at_peak > m->peak_allocated)
		h.unused = number_sub(m->reserved_at_peak, m->peak_allocated);
	if (m->capacity == MEMORY_UNKNOWN || m->reserved_at_peak == MEMORY_UNKNOWN)
		return h;
	h.left = number_sub(number_sub(m->capacity, m->peak_allocated), h.unused);
	h.risk = h.left < GB ? RISK_CRITICAL : h.left < 2 * GB ? RISK_WARNING : RISK_NONE;
	return h;
}

enum expandable memory_expandable(const struct digest *d, const struct memory_stat *m)
{
	int64_t unused = memory_headroom_of(m).unused;
	size_t nr;
	if (m->reserved_at_peak == MEMORY_UNKNOWN)
		return EXPANDABLE_NO;
	const struct memory_item *v = memory_list_of(d, m->id, MEMORY_LIST_SEGMENT, &nr);
	for (size_t i = 0; i < nr; i++)
		if (span_starts(v[i].category, SPAN("expandable")))
			return EXPANDABLE_IN_USE;
	bool large = (__int128)unused * 100 >= (__int128)m->reserved_at_peak * EXPANDABLE_PCT;
	bool short_of = unused >= EXPANDABLE_BYTES || m->oom_count > 0;
	return large && short_of ? EXPANDABLE_HELPS : EXPANDABLE_NO;
}
