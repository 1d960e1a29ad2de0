#include "gate/memory_pair.h"

#include <inttypes.h>

#include "gate/words.h"

struct refs {
	const struct query *query;
	const struct entry *entry;
	int side;
	const struct digest *digest;
	VEC(struct memory_ref) list; ///< by rank, then id
};

static bool matches(const char *glob, struct span text)
{
	return !glob || span_glob(span_of(glob), text);
}

static int by_id(const void *a, const void *b)
{
	return strcmp(((const struct memory_stat *)a)->id, ((const struct memory_stat *)b)->id);
}

static void collect(void *ctx, const struct figure *f)
{
	struct refs *r = ctx;
	const struct digest *d = r->digest;
	struct span of = r->entry->label;
	if (f->samples[0] != r->entry->value[r->side] || !matches(r->query->memory, f->label) ||
	    (of.n && !span_eq(of, f->label)))
		return;
	struct memory_stat key = { .id = f->label.p };
	const struct memory_stat *m =
	    bsearch(&key, d->memories.v, d->memories.nr, sizeof *d->memories.v, by_id);
	if (m)
		vec_push(&r->list, (struct memory_ref){ d, m });
}

static void collect_side(const struct bench *b, struct refs *r)
{
	const struct run_view *v = &b->view[r->side];
	for (size_t i = 0; i < v->run->ranks.nr; i++) {
		char rank[NUMBER_TEXT];
		r->digest = v->run->ranks.v[i];
		number_format(r->digest->rank, 0, rank);
		if (matches(r->query->rank, span_of(rank)) &&
		    (r->entry->rank < 0 || r->entry->rank == r->digest->rank))
			rank_figures(v, i, r->query->metric, collect, r);
	}
}

static int order(const struct memory_ref *x, const struct memory_ref *y)
{
	if (x->digest->rank != y->digest->rank)
		return x->digest->rank < y->digest->rank ? -1 : 1;
	return strcmp(x->stat->id, y->stat->id);
}

bool memory_pair_find(const struct bench *b, const struct query *q, const struct entry *e,
                      struct memory_ref out[NR_SIDES])
{
	struct refs r[NR_SIDES];
	for (int s = 0; s < NR_SIDES; s++) {
		r[s] = (struct refs){ .query = q, .entry = e, .side = s };
		if (e->has[s])
			collect_side(b, &r[s]);
	}
	bool found = r[0].list.nr && r[1].list.nr;
	if (found) {
		out[0] = r[0].list.v[0];
		out[1] = r[1].list.v[0];
	}
	for (size_t i = 0, j = 0; i < r[0].list.nr && j < r[1].list.nr;) {
		int c = order(&r[0].list.v[i], &r[1].list.v[j]);
		if (c == 0) {
			out[0] = r[0].list.v[i];
			out[1] = r[1].list.v[j];
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
	const char *id = word_line(a, span_of(m->stat->id));
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
