/* The largest tensors of each category, in the baseline and in the candidate. */
#include <inttypes.h>

#include "base/text.h"
#include "diff/breakdown_memory.h"
#include "diff/memory_pair.h"
#include "metric/unit.h"
#include "model/memory_view.h"

static const struct memory_item *category_row(const struct memory_ref *m, struct span category)
{
	size_t nr;
	const struct memory_item *v = memory_list_of(m->digest, m->stat->id, MEMORY_LIST_CATEGORY, &nr);
	for (size_t i = 0; i < nr; i++)
		if (span_eq(v[i].category, category))
			return &v[i];
	return NULL;
}

static const char *ratio(struct arena *a, int64_t from, int64_t to)
{
	struct strbuf b = STRBUF_INIT;
	int64_t hundredths = number_div_round((__int128)to * 100, from);
	strbuf_addf(&b, "× %" PRId64 ".%02d", hundredths / 100, (int)(hundredths % 100));
	return arena_take(a, &b);
}

void memory_scaling(const struct bench *b, const struct query *q, const struct entry *e,
                    struct report *out)
{
	struct memory_pair pair;
	const struct memory_ref *m = pair.memory;
	struct arena *a = &out->arena;
	size_t nr;
	if (!memory_pair_find(b, q, e, &pair))
		return;
	const struct memory_item *v =
	    memory_list_of(m[0].digest, m[0].stat->id, MEMORY_LIST_CATEGORY, &nr);
	for (size_t i = 0; i < nr; i++) {
		const struct memory_item *other = category_row(&m[1], v[i].category);
		if (!other || v[i].largest <= 0 || other->largest < 0)
			continue;
		struct scaling_row row = {
			.memory = memory_pair_name(b, m, a),
			.category = text_line(a, v[i].category),
			.baseline = v[i].largest,
			.candidate = other->largest,
			.baseline_text = unit_text(a, UNIT_BYTES, v[i].largest),
			.candidate_text = unit_text(a, UNIT_BYTES, other->largest),
			.ratio_text = ratio(a, v[i].largest, other->largest),
		};
		vec_push(&out->scaling, row);
	}
}
