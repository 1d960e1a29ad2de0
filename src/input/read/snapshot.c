#include "read/snapshot.h"

#include "read/snapshot_form.h"
#include "read/tree.h"

const struct snapshot_limits snapshot_limits_default = {
	.segments = (size_t)1 << 22,
	.blocks = (size_t)1 << 24,
	.entries = (size_t)1 << 26,
	.devices = (size_t)1 << 12,
	.annotations = (size_t)1 << 22,
	.frames = (size_t)1 << 24,
	.bytes = (uint64_t)1 << 62,
	.pickle_bytes = UINT32_MAX,
	.pickle_nodes = (size_t)1 << 26,
	.pickle_refs = (size_t)1 << 28,
	.pickle_visits = (uint64_t)1 << 24,
};

enum status snapshot_read(struct source *src, const struct snapshot_limits *limits,
                          struct snapshot *out, struct diag_log *log)
{
	struct snapshot_builder b;
	snapshot_builder_init(&b, limits ? limits : &snapshot_limits_default);
	struct json_tree_options json = {
		.cut = "the snapshot is cut short, and half of a final state means nothing; copy it anew",
		.faults = &b.snapshot.json_faults,
		.fault_byte = &b.snapshot.fault_byte,
	};
	enum status st = json_read_tree(src, &json, snapshot_form_read, &b, log);
	return snapshot_builder_finish(&b, src, st, out, log);
}
