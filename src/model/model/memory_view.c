#include "model/memory_view.h"

#include <inttypes.h>

#include "base/number.h"
#include "base/sort.h"

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

ORDERING(list_cmp, struct memory_item, BY_TEXT(memory) RISING(list))

const struct memory_item *memory_list_of(const struct digest *d, const char *memory,
                                         enum memory_list list, size_t *nr)
{
	const struct memory_item *v = d->memory_items.v;
	const struct memory_item key = { .memory = memory, .list = list };
	size_t first = lower_bound(v, d->memory_items.nr, sizeof *v, &key, list_cmp), end = first;
	while (end < d->memory_items.nr && list_cmp(&key, &v[end]) == 0)
		end++;
	*nr = end - first;
	return *nr ? v + first : NULL;
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
	if (ANY(i, nr, span_starts(v[i].category, SPAN("expandable"))))
		return EXPANDABLE_IN_USE;
	bool large = (__int128)unused * 100 >= (__int128)m->reserved_at_peak * EXPANDABLE_PCT;
	bool short_of = unused >= EXPANDABLE_BYTES || m->oom_count > 0;
	return large && short_of ? EXPANDABLE_HELPS : EXPANDABLE_NO;
}
