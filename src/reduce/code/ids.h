/// Maps the ids that a part of a trace gives to things to the ids of the same things in the whole
/// trace.
///
/// Several threads may each read a part of a trace. Each part numbers things (such as threads and
/// names) in the order in which it meets them. A table of `struct part_ids` holds for every id of
/// the part the id in the whole. Tables only grow and are filled in order, so that each thing gets
/// the same id in the whole as in a trace read without parts.
#ifndef GG_CODE_IDS_H
#define GG_CODE_IDS_H

#include "base/idmap.h"
#include "base/intern.h"
#include "events/event.h"

/// Value of an id that is missing: outside of steps, without a launch, without a thread, …
#define NO_ID UINT32_MAX

/// Kinds of things to which a part of a trace and the whole trace give different ids.
enum id_table {
	IDS_DEVICE,
	IDS_STREAM,
	IDS_LANE,
	IDS_GPU_NAME,
	IDS_GPU_ROW,
	IDS_PID,
	IDS_TID,
	IDS_THREAD,
	IDS_PYTHON_THREAD,
	IDS_HOST_NAME,
	IDS_HOST_ROW,
	IDS_INPUT,
	IDS_COMM_TEXT,
	IDS_COMM_KEY,
	IDS_CALL_STACK,
	NR_ID_TABLES
};

/// Tables, one for each kind of things, that map ids in a part of a trace to ids in the whole
/// trace.
struct part_ids {
	struct ids of[NR_ID_TABLES]; ///< of[table].v[id in the part] is the id in the whole trace
	const struct ids *names; ///< for each id in the name table of the part's reader: the id of this
	                         ///< name in the whole trace; set while the part is joined
};

/// Converts an ident (an id as written in the trace: events/event.h) of a part of a trace to the
/// ident in the whole trace.
int64_t ident_join(const struct part_ids *ids, int64_t ident);

/// Adds those keys of `from` to `to` that `to` lacks. Stores, for each key of `from`, its id in
/// `to` in the table `table` of `ids`. The keys must be idents.
void idmap_join_idents(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                       enum id_table table);

/// Like idmap_join_idents(), for keys that are pairs of ids. The tables `first` and `second`, of
/// the two ids, must be filled already. NO_ID stays NO_ID.
void idmap_join_pairs(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                      enum id_table first, enum id_table second, enum id_table table);

/// Like idmap_join_pairs(), but only the second half of a key, the id of a name, is translated; the
/// first half, an event kind, stays.
void idmap_join_names(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                      enum id_table table);

#endif
