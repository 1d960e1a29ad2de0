/// How reports name what a memory (a GPU's or the host's) holds, and the risk that the memory runs
/// out.
#ifndef GG_MODEL_MEMORY_VIEW_H
#define GG_MODEL_MEMORY_VIEW_H

#include "base/strbuf.h"
#include "model/digest.h"

/// Names of enum memory_list and of enum site_kind, each list ended by NULL; static.
extern const char *const memory_list_names[];
extern const char *const site_kind_names[];

/// Appends the name of an item's site, such as "train/model.py:forward", or a few words if the site
/// has no place in the code. The bytes are as recorded: not escaped, and perhaps of several lines.
void memory_item_add_name(struct strbuf *out, const struct memory_item *item);

/// Like memory_item_add_name(), with the line if it is known, such as "train/model.py:forward, line
/// 61".
void memory_item_add_site(struct strbuf *out, const struct memory_item *item);

/// True for a site with a file. Most such sites have a function, too.
static inline bool memory_item_has_place(const struct memory_item *item)
{
	return item->kind == SITE_USER || item->kind == SITE_FRAMEWORK;
}

/// True if the id is that of a memory of the host. Source: "cpu", "mklcpu" and "gpu_host_bfc" of
/// TensorFlow's allocators, "xla_gpu_host_bfc" of XLA's; memories of devices are called
/// "GPU_<n>_bfc", and by a number on TPUs.
bool memory_is_host(struct span id);

/// True if `glob` of a rule selects the memory `id`. NULL selects all memories but those of the
/// host.
bool memory_is_selected(const char *glob, struct span id);

/// The first item of `list` in a memory; `*nr` becomes the number of items. NULL if the list is
/// empty.
const struct memory_item *memory_list_of(const struct digest *d, const char *memory,
                                         enum memory_list list, size_t *nr);

/// How near a memory came to its capacity; RISK_UNKNOWN if the capacity, or the bytes reserved at
/// the peak, are unknown.
enum memory_risk { RISK_UNKNOWN, RISK_NONE, RISK_WARNING, RISK_CRITICAL };

/// Memory that was left on a device at the peak: its capacity minus the allocated bytes and the
/// bytes that were reserved but not in use at that moment.
struct memory_headroom {
	enum memory_risk risk; ///< critical if less than 1 GB is left, a warning if less than 2 GB
	int64_t unused, left; ///< bytes reserved but not in use; bytes left, which may be below 0
};

/// Headroom of the memory `m`; its risk is RISK_UNKNOWN if the capacity, or the bytes reserved at
/// the peak, are unknown.
struct memory_headroom memory_headroom_of(const struct memory_stat *m);

/// Smallest share (in percent of the reserved memory) and size (in bytes) of unused memory at the
/// peak for which expandable segments are advised.
#define EXPANDABLE_PCT 10
#define EXPANDABLE_BYTES ((int64_t)512 << 20)

/// Whether expandable segments (a setting of PyTorch's allocator) are in use, would help, or would
/// not.
enum expandable { EXPANDABLE_IN_USE, EXPANDABLE_HELPS, EXPANDABLE_NO };

/// Whether expandable segments would help `m`. They help under three conditions: `m` does not use
/// them yet; the memory that was reserved but unused at the peak is at least EXPANDABLE_PCT of the
/// reserved memory; and this unused memory is at least EXPANDABLE_BYTES, or an allocation failed.
enum expandable memory_expandable(const struct digest *d, const struct memory_stat *m);

#endif
