/// What people and reports call the rows of a memory, and what its figures say
/// of the risk to run out of it.
#ifndef GG_MODEL_MEMORY_VIEW_H
#define GG_MODEL_MEMORY_VIEW_H

#include "base/strbuf.h"
#include "model/digest.h"

/// Names of enum memory_list and of enum site_kind, ended by NULL; static.
extern const char *const memory_list_names[];
extern const char *const site_kind_names[];

/// Append the name of an item's site: "train/model.py:forward", or in words where
/// it has none. Raw bytes, not fit for a line.
void memory_item_add_name(struct strbuf *out, const struct memory_item *item);

/// The same with the line, if it is known: "train/model.py:forward, line 61".
void memory_item_add_site(struct strbuf *out, const struct memory_item *item);

/// True for a site with a file and a function.
static inline bool memory_item_has_place(const struct memory_item *item)
{
	return item->kind == SITE_USER || item->kind == SITE_FRAMEWORK;
}

/// True for memory of the host, by its id.
/// Source: "cpu", "mklcpu" and "gpu_host_bfc" of TensorFlow's allocators, "xla_gpu_host_bfc" of
/// XLA's; those of devices are "GPU_<n>_bfc", and a number on TPUs.
bool memory_is_host(struct span id);

/// True where `glob` of a rule wants the memory `id`; NULL wants all but those of the host.
bool memory_is_selected(const char *glob, struct span id);

/// First item of `list` of a memory, and in `*nr` how many there are.
const struct memory_item *memory_list_of(const struct digest *d, const char *memory,
                                         enum memory_list list, size_t *nr);

enum memory_risk { RISK_UNKNOWN, RISK_NONE, RISK_WARNING, RISK_CRITICAL };

/// What was left of a device at the peak: its capacity less what was allocated
/// and less what was reserved but not in use at that moment.
struct memory_headroom {
	enum memory_risk risk; ///< critical below 1 GB, a warning below 2 GB
	int64_t unused, left; ///< bytes; `left` may be negative
};

/// Headroom of `m`; RISK_UNKNOWN without a capacity.
struct memory_headroom memory_headroom_of(const struct memory_stat *m);

/// From so much unused at the peak on, expandable segments are recommended.
#define EXPANDABLE_PCT 10
#define EXPANDABLE_BYTES ((int64_t)512 << 20)

enum expandable { EXPANDABLE_IN_USE, EXPANDABLE_HELPS, EXPANDABLE_NO };

/// Whether expandable segments would help `m`: where they are not in use, and at
/// the peak EXPANDABLE_PCT of reserved memory were not in use: at least
/// EXPANDABLE_BYTES, or what an allocation that failed was short of.
enum expandable memory_expandable(const struct digest *d, const struct memory_stat *m);

#endif
