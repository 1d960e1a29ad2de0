#include "gate/checks.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "base/text.h"
#include "diff/changes.h"
#include "diff/past.h"
#include "metric/unit.h"

struct past_cell {
	const struct past_run *run;
	int64_t value;
};

/* Values of one figure in the main branch's runs since the current approval. */
struct course_of_main {
	VEC(struct past_cell) list;
};

static void collect(const struct bench *b, const struct entry *e, struct course_of_main *out)
{
	for (size_t k = 0; e->cells && k < b->nr_columns; k++) {
		size_t i = b->by_time[k];
		const struct bench_column *column = &b->columns[i];
		if (column->past && column->epoch == b->pin && e->cells[i].has)
			vec_push(&out->list, (struct past_cell){ column->past, e->cells[i].value });
	}
}

static int64_t median_from(const int64_t *v, size_t nr)
{
	int64_t *copy = mem_calloc(nr, sizeof *copy), median;
	memcpy(copy, v, nr * sizeof *copy);
	number_mad(copy, nr, &median);
	free(copy);
	return median;
}

/* A sentence such as "as main is there already, since 1a2b3c4 of 2027-01-31: 12.91 ms". */
static const char *sentence(const struct past_run *run, int64_t level, const struct comparison *c,
                            struct arena *a)
{
	enum unit unit = c->rule->metric->unit;
	const char *commit = text_line(a, span_of(run->provenance.commit));
	const char *time = text_line(a, span_of(run->provenance.time));
	return arena_printf(a, "as main is there already, since %.12s%s%.10s: %s", commit,
	                    *commit && *time ? " of " : "", time,
	                    c->rule->metric->need == NEED_INPUT ? "its level has changed"
	                                                        : unit_text(a, unit, level));
}

const char *main_slow_since(const struct bench *b, const struct entry *e,
                            const struct comparison *c, const struct decision *d, struct arena *a,
                            int64_t *up_to)
{
	struct course_of_main all = { 0 };
	struct change_list points = { 0 };
	const char *said = NULL;
	enum worse worse = c->rule->worse;
	if (!c->has_baseline || c->baseline <= 0 || !d->limit)
		return NULL;
	collect(b, e, &all);
	int64_t *v = mem_calloc(all.list.nr + 1, sizeof *v);
	for (size_t i = 0; i < all.list.nr; i++)
		v[i] = all.list.v[i].value;
	changes_find(v, all.list.nr, CHANGE_CHANCE, true, &points);
	if (points.list.nr) {
		size_t at = points.list.v[points.list.nr - 1].at;
		int64_t level = median_from(v + at, all.list.nr - at);
		int64_t by = number_pct((__int128)level - c->baseline, c->baseline);
		by = worse == WORSE_DOWN ? -by : by;
		if (by > 0 && worse != WORSE_EITHER) {
			*up_to = number_add(by + 1, d->limit->relative ? d->limit->value : 0);
			said = sentence(all.list.v[at].run, level, c, a);
		}
	}
	vec_release(&points.list);
	vec_release(&all.list);
	free(v);
	return said;
}
