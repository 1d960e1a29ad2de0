#include "gate/checks.h"

#include <string.h>

/* Convert the limit `v` to another unit: v · from / to · 10^digits, where `from` and `to` are the
   factors of the two units. The result is rounded up if `up` (for a lower limit), else down (for an
   upper limit): an integer is then beyond the rounded limit exactly if it is beyond the limit. */
static int64_t converted(struct decimal v, int64_t from, int64_t to, int digits, bool up)
{
	const __int128 room = (__int128)1 << 120;
	__int128 num = (__int128)v.value * from, den = to;
	int64_t places = digits - v.digits;
	for (; places > 0; places--) {
		if (num > room / 10)
			return INT64_MAX;
		num *= 10;
	}
	for (; places < 0 && den < room / 10; places++)
		den *= 10;
	if (places < 0)
		return up && num;
	__int128 q = num / den + (up && num % den);
	return q > INT64_MAX ? INT64_MAX : (int64_t)q;
}

static bool limit_in(const struct file_limit *l, enum unit unit, bool up, int64_t *out)
{
	bool bare = unit_figure(unit) < 0;
	const char *own = bare ? "" : unit_name(unit);
	const struct unit_word *to = unit_word_find(span_of(own)),
	                       *from = unit_word_find(span_of(l->unit));
	bool same = !*l->unit || strcmp(l->unit, own) == 0;
	if (!same && (bare || !to || !from || to->family != from->family))
		return false;
	*out =
	    converted(l->value, same ? 1 : from->factor, same ? 1 : to->factor, unit_digits(unit), up);
	return true;
}

/* Convert the limits of `map` to `unit`. Returns the text of a limit whose unit does not fit, or
   NULL if all fit. The condition 'worse' is left out if neither direction of the figure is better.
   If `counted` is true, the condition 'worse' allows no change for the worse at all. */
static const char *limits_in(struct limits *map, enum unit unit, enum worse worse, bool counted,
                             struct arena *a)
{
	struct limit *list = arena_alloc(a, map->list.nr, sizeof *list);
	size_t nr = 0;
	for (size_t i = 0; i < map->list.nr; i++) {
		struct limit *l = &list[nr];
		*l = map->list.v[i];
		if (l->condition == COND_WORSE && worse == WORSE_EITHER)
			continue;
		if (l->condition == COND_WORSE && counted)
			*l = (struct limit){ .condition = COND_WORSE, .text = "0", .exact.unit = "" };
		if (l->condition == COND_WORSE)
			l->condition = worse == WORSE_UP ? COND_INCREASE : COND_DECREASE;
		if (!l->relative && !limit_in(&l->exact, unit, l->condition == COND_MIN, &l->value))
			return l->text;
		nr++;
	}
	map->list.v = list;
	map->list.nr = nr;
	if (map->has_and && map->and_of != AND_OF_SPREAD &&
	    !limit_in(&map->and_exact, unit, false, &map->and_value))
		return map->and_text;
	return NULL;
}

enum status figure_rule(const struct rule *rule, const struct metric *own, const char *source,
                        struct arena *a, const struct rule **out, struct diag_log *log)
{
	*out = rule;
	if (rule->metric->need != NEED_INPUT || own == rule->metric)
		return ST_OK;
	struct rule *r = arena_alloc(a, 1, sizeof *r);
	struct metric *m = input_metric_copy(own, a);
	*r = *rule;
	m->label = rule->metric->label;
	r->metric = m;
	*out = r;
	if (m->mixed) /* the units of the two sides measure different things: no limit applies */
		return ST_OK;
	if (r->worse == WORSE_EITHER)
		r->worse = own->worse;
	bool counted = m->exact && r->built_in;
	const char *unfit = limits_in(&r->fail, m->unit, r->worse, counted, a);
	unfit = unfit ? unfit : limits_in(&r->warn, m->unit, r->worse, counted, a);
	if (unfit)
		return diag_fail(log, ST_USAGE, "%s:%u:%u: rule '%s': '%s' does not fit '%s', which %s%s",
		                 source, rule->line, rule->column, rule->id, unfit, own->name,
		                 unit_figure(m->unit) < 0 ? "has no unit: write a bare number" : "is in ",
		                 unit_figure(m->unit) < 0 ? "" : unit_name(m->unit));
	return ST_OK;
}
