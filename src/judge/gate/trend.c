#include "gate/checks.h"

#include "base/text.h"

/* A point of the trend. `stage`: 0 for a run of main under an earlier baseline, 1 for the approved
 * run, 2 for a later run of main, 3 for the candidate. Points of one stage are sorted by time. */
struct placed {
	int stage;
	struct trend_point point;
};

ORDERING(placed_cmp, struct placed, RISING(stage) BY_TEXT(point.time))

static struct placed place_of(const struct bench *b, size_t i, int64_t value, struct arena *a)
{
	const struct bench_column *c = &b->columns[i];
	struct placed p = { .point = { .value = value, .commit = "", .time = "" } };
	const struct past_run *past = c->past ? c->past : c->source == SOURCE_PIN ? b->twin : NULL;
	bool earlier = c->past && c->epoch != b->pin;
	bool is_now = c->source == SOURCE_SINGLE || c->source == SOURCE_CANDIDATE;
	p.stage = is_now ? 3 : c->source == SOURCE_PIN ? 1 : earlier ? 0 : 2;
	p.point.source = is_now ? TREND_CANDIDATE : TREND_PAST;
	if (c->source == SOURCE_PIN || (past && past->source_hash == past->pin))
		p.point.source = TREND_APPROVED;
	if (past) {
		p.point.commit = text_line(a, span_of(text_or_empty(past->provenance.commit)));
		p.point.time = text_line(a, span_of(text_or_empty(past->provenance.time)));
	}
	return p;
}

struct trend *trend_of(const struct bench *b, const struct entry *e, struct arena *a)
{
	VEC(struct placed) list = VEC_INIT;
	if (!e->cells || e->rank >= 0 || e->label.n)
		return NULL;
	for (size_t i = 0; i < b->nr_columns; i++)
		if (e->cells[i].has && b->columns[i].source != SOURCE_CONTROL)
			vec_push(&list, place_of(b, i, e->cells[i].value, a));
	vec_sort(&list, placed_cmp);
	struct trend *out = list.nr ? arena_alloc(a, 1, sizeof *out) : NULL;
	for (size_t i = 0; i < list.nr; i++)
		vec_push(&out->points, list.v[i].point);
	vec_release(&list);
	return out;
}
