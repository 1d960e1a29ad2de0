#include "code/ids.h"

int64_t ident_join(const struct part_ids *ids, int64_t ident)
{
	return ident < IDENT_NONE ? -2 - (int64_t)ids->names->v[-2 - ident] : ident;
}

void idmap_join_idents(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                       enum id_table table)
{
	struct ids *joined = &ids->of[table];
	while (joined->nr < from->keys.nr) {
		int64_t key = ident_join(ids, from->keys.v[joined->nr]);
		vec_push(joined, idmap_add(to, key));
	}
}

void idmap_join_pairs(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                      enum id_table first, enum id_table second, enum id_table table)
{
	struct ids *joined = &ids->of[table];
	while (joined->nr < from->keys.nr) {
		int64_t key = from->keys.v[joined->nr];
		uint32_t a = ids->of[first].v[idmap_pair_first(key)], b = (uint32_t)key;
		b = b == NO_ID ? NO_ID : ids->of[second].v[b];
		vec_push(joined, idmap_add(to, idmap_pair(a, b)));
	}
}

void idmap_join_names(struct idmap *to, const struct idmap *from, struct part_ids *ids,
                      enum id_table table)
{
	struct ids *joined = &ids->of[table];
	while (joined->nr < from->keys.nr) {
		int64_t key = from->keys.v[joined->nr];
		uint32_t name = ids->names->v[(uint32_t)key];
		vec_push(joined, idmap_add(to, idmap_pair(idmap_pair_first(key), name)));
	}
}
