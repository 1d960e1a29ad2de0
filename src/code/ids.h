/// Ids of a part of a trace in the whole.
///
/// Each part gives ids of its own, in the order in which it meets things. A table of `struct
/// part_ids` has the id in the whole of every id of the part. Tables only grow and are filled in
/// order, so that the whole gives the ids that it would have given without parts.
#ifndef GG_CODE_IDS_H
#define GG_CODE_IDS_H

#include "base/idmap.h"
#include "base/intern.h"
#include "events/event.h"

/// No step, no launch, no thread, …
#define NO_ID UINT32_MAX

/// What has ids that a part and the whole number differently.
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

/// Ids of a part → ids of the whole.
struct part_ids {
	struct ids of[NR_ID_TABLES]; ///< [table].v[id in the part]
	const struct ids *names; ///< of the reader's names; set while the part is joined
};

/// An ident of a part in the whole.
int64_t ident_join(const struct part_ids *ids, int64_t ident);

/// Add the new keys of `from`, which are idents, to `to`, and their ids to a table.
void idmap_join_idents(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                       enum id_table table);

/// The same with keys that are pairs of ids; the tables of both come first. NO_ID stays NO_ID.
void idmap_join_pairs(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                      enum id_table first, enum id_table second, enum id_table table);

/// The same with pairs of an event kind and the id of a name.
void idmap_join_names(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                      enum id_table table);

#endif
