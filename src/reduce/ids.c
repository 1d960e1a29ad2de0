#include "reduce/ids.h"

#include <inttypes.h>

#include "base/text.h"

const char *ident_text(struct arena *a, const struct name_table *names, int64_t ident)
{
	if (ident >= 0)
		return arena_printf(a, "%" PRId64, ident);
	if (ident == IDENT_NONE)
		return "null";
	struct strbuf b = STRBUF_INIT;
	text_add_valid(&b, name_span(names->by_id[-2 - ident]));
	return arena_take(a, &b);
}

bool ident_integer(const struct name_table *names, int64_t ident, __int128 *out)
{
	if (ident >= 0) {
		*out = ident;
		return true;
	}
	if (ident == IDENT_NONE)
		return false;
	struct span s = name_span(names->by_id[-2 - ident]);
	bool negative = s.n && s.p[0] == '-';
	__int128 v = 0, limit = (__int128)1000000000000000000 * 1000000000000000000;
	for (size_t i = negative; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		v = v < limit ? v * 10 + (s.p[i] - '0') : v;
	}
	*out = negative ? -v : v;
	return s.n > (size_t)negative;
}

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
