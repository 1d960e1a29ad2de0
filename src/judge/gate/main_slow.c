#include "gate/checks.h"

#include "base/number.h"
#include "base/text.h"
#include "diff/changes.h"
#include "diff/past.h"
#include "metric/unit.h"

/* The reason why main excuses the change, such as "as main is there already, since 1a2b3c4 of
   2027-01-31: 12.91 ms". */
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
	VEC(int64_t) v = VEC_INIT; /* values of the figure in main's runs since the current approval */
	VEC(const struct past_run *) runs = VEC_INIT;
	struct change_list points = { 0 };
	const char *said = NULL;
	enum worse worse = c->rule->worse;
	if (!c->has_baseline || c->baseline <= 0 || !d->limit)
		return NULL;
	for (size_t k = 0; e->cells && k < b->nr_columns; k++) {
		const struct bench_column *column = &b->columns[b->by_time[k]];
		const struct cell *cell = &e->cells[b->by_time[k]];
		if (column->past && column->epoch == b->pin && cell->has) {
			vec_push(&v, cell->value);
			vec_push(&runs, column->past);
		}
	}
	if (v.nr)
		changes_find(v.v, v.nr, CHANGE_CHANCE, true, &points);
	if (points.list.nr) {
		size_t at = points.list.v[points.list.nr - 1].at;
		int64_t level = number_median(v.v + at, v.nr - at);
		int64_t by = number_pct((__int128)level - c->baseline, c->baseline);
		by = worse == WORSE_DOWN ? -by : by;
		if (by > 0 && worse != WORSE_EITHER) {
			*up_to = number_add(by + 1, d->limit->relative ? d->limit->value : 0);
			said = sentence(runs.v[at], level, c, a);
		}
	}
	vec_release(&points.list);
	vec_release(&runs);
	vec_release(&v);
	return said;
}
