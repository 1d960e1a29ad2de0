#include "diff/memory_pair.h"

#include <inttypes.h>

#include "base/text.h"
#include "diff/breakdown.h"
#include "diff/breakdown_of.h"
#include "metric/unit.h"
#include "model/memory_view.h"

struct refs {
	const struct query *query;
	const struct entry *entry;
	int64_t value; ///< value of the metric in the memories that are searched for
	const struct run_view *view;
	const struct digest *digest;
	VEC(struct memory_ref) list; ///< matching memories, sorted by rank, then id
};

static void collect(void *ctx, const struct figure *f)
{
	struct refs *r = ctx;
	size_t nr;
	struct span of = r->entry->label;
	if (f->samples[0] != r->value || !memory_is_selected(r->query->memory, f->label) ||
	    (of.n && !span_eq(of, f->label)))
		return;
	struct memory_stat key = { .id = f->label.p };
	const struct memory_stat *v = digest_memories(r->digest, r->view->by_trace, &nr);
	const struct memory_stat *m = nr ? bsearch(&key, v, nr, sizeof *v, text_cmp) : NULL;
	if (m)
		vec_push(&r->list, (struct memory_ref){ r->digest, m });
}

static void collect_run(const struct run_view *v, struct refs *r)
{
	const struct rank_scope scope = { r->query->rank, r->entry->rank >= 0, r->entry->rank };
	r->view = v;
	for (size_t i = 0; i < v->run->ranks.nr; i++) {
		r->digest = v->run->ranks.v[i];
		if (rank_scope_has(scope, r->digest->rank))
			rank_figures(v, i, r->query->metric, collect, r);
	}
}

/* The figure's value on a side. For the baseline, it is that of run[SIDE_BASELINE]; for the
   candidate, that of the run whose value is nearest to the median. */
static int64_t value_of(const struct entry *e, int side)
{
	if (side == SIDE_BASELINE)
		return e->explained;
	const int64_t *v = e->runs[SIDE_CANDIDATE];
	size_t best = 0;
	for (size_t i = 1; i < e->nr_runs[SIDE_CANDIDATE]; i++)
		if (parts_order(number_sub(v[i], e->value[side]), number_sub(v[best], e->value[side])) > 0)
			best = i;
	return v[best];
}

static int order(const struct memory_ref *x, const struct memory_ref *y)
{
	ORDER_BY(x->digest->rank, y->digest->rank);
	return strcmp(x->stat->id, y->stat->id);
}

bool memory_pair_find(const struct bench *b, const struct query *q, const struct entry *e,
                      struct memory_pair *out)
{
	struct refs r[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++)
		r[s] = (struct refs){ .query = q, .entry = e };
	if (!e->is_explained || !e->has[SIDE_CANDIDATE])
		return false;
	for (int s = 0; s < NR_SIDES; s++)
		r[s].value = value_of(e, s);
	collect_run(&b->view[SIDE_BASELINE], &r[SIDE_BASELINE]);
	for (size_t i = 0; i < b->runs.nr_candidates && r[SIDE_CANDIDATE].list.nr == 0; i++)
		collect_run(&b->view[SIDE_CANDIDATE + i], &r[SIDE_CANDIDATE]);
	bool found = r[0].list.nr && r[1].list.nr;
	if (found) {
		out->memory[0] = r[0].list.v[0];
		out->memory[1] = r[1].list.v[0];
		out->value[0] = r[0].value;
		out->value[1] = r[1].value;
	}
	for (size_t i = 0, j = 0; i < r[0].list.nr && j < r[1].list.nr;) {
		int c = order(&r[0].list.v[i], &r[1].list.v[j]);
		if (c == 0) {
			out->memory[0] = r[0].list.v[i];
			out->memory[1] = r[1].list.v[j];
			break;
		}
		c < 0 ? i++ : j++;
	}
	vec_release(&r[0].list);
	vec_release(&r[1].list);
	return found;
}

static const char *name_of(const struct memory_ref *m, bool with_rank, struct arena *a)
{
	const char *id = text_line(a, span_of(m->stat->id));
	if (!with_rank)
		return arena_printf(a, "memory %s", id);
	return arena_printf(a, "memory %s of rank %" PRId64, id, m->digest->rank);
}

const char *memory_pair_name(const struct bench *b, const struct memory_ref refs[NR_SIDES],
                             struct arena *a)
{
	bool ranks = b->run[0]->ranks.nr > 1 || b->run[1]->ranks.nr > 1;
	const char *baseline = name_of(&refs[0], ranks, a), *candidate = name_of(&refs[1], ranks, a);
	if (strcmp(baseline, candidate) == 0)
		return baseline;
	return arena_printf(a, "%s (baseline) and %s (candidate)", baseline, candidate);
}

/* ---- the largest tensors of each category ---- */

static const struct memory_item *category_row(const struct memory_ref *m, struct span category)
{
	size_t nr;
	const struct memory_item *v = memory_list_of(m->digest, m->stat->id, MEMORY_LIST_CATEGORY, &nr);
	return FIND(i, v, nr, span_eq(v[i].category, category));
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
