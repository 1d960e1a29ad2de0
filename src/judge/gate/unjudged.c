#include "gate/sides.h"

#include "base/text.h"
#include "metric/figure_name.h"

enum { NAMED = 3, NAMED_IN_NOTE = 100 };

struct unjudged {
	VEC(const struct metric *) list;
};

ORDERING_POINTERS(by_name, struct metric, BY_TEXT(name))

ORDERING_POINTERS(by_place, struct metric, RISING(place) BY_TEXT(name))

/* Remove the figures that have a check, and duplicates. */
static void drop_judged(struct unjudged *all, const struct report *out)
{
	struct names judged = { 0 };
	size_t nr = 0;
	for (size_t i = 0; i < out->checks.nr; i++)
		vec_push(&judged.list, span_of(out->checks.v[i].metric->name));
	names_finish(&judged);
	vec_unite(&all->list, by_name, NULL);
	for (size_t i = 0; i < all->list.nr; i++)
		if (!names_has(&judged, span_of(all->list.v[i]->name)))
			all->list.v[nr++] = all->list.v[i];
	all->list.nr = nr;
	vec_release(&judged.list);
}

static bool is_neither(const struct metric *m)
{
	return m->stake == STAKE_TAIL || figure_is_neither(span_of(m->name + strlen("input.")));
}

/* A sentence that begins with `begin` and lists the labels of at most `named` figures. With `open`,
   figures for which neither higher nor lower is better, such as spreads, and percentiles of few
   samples are left out. NULL if no figures remain. */
static const char *sentence(const struct unjudged *u, bool open, size_t named, const char *begin,
                            struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	size_t nr = 0;
	strbuf_adds(&b, begin);
	for (size_t i = 0; i < u->list.nr; i++)
		if (!open || !is_neither(u->list.v[i])) {
			if (nr < named)
				strbuf_addf(&b, "%s %s", nr ? "," : "", metric_label(u->list.v[i]));
			nr++;
		}
	if (nr > named)
		strbuf_addf(&b, " and %zu more", nr - named);
	if (nr)
		return arena_take(a, &b);
	strbuf_release(&b);
	return NULL;
}

void unjudged_say(struct bench *b, const struct rules *rules, struct report *out)
{
	struct unjudged all = { 0 };
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *rule = &rules->rules.v[i];
		struct entries entries = { 0 };
		if (rule->metric->need != NEED_INPUT)
			continue;
		bench_query(b, &rule->query, &entries);
		for (size_t k = 0; k < entries.list.nr; k++)
			vec_push(&all.list, view_metric(&b->view[0], rule->metric, entries.list.v[k].label));
		vec_release(&entries.list);
	}
	drop_judged(&all, out);
	vec_sort(&all.list, by_place);
	const char *open =
	    sentence(&all, true, NAMED, "not judged, as no better direction is given:", &out->arena);
	size_t first = 0;
	while (open && is_neither(all.list.v[first]))
		first++;
	if (open) {
		const char *key = all.list.v[first]->name, *better = figure_better(span_of(key), NULL);
		out->unjudged =
		    arena_printf(&out->arena,
		                 "%s; a rule that gives it: - {id: own, metric: %s, better: %s, "
		                 "fail: {worse: 10%%}}",
		                 open, key, better ? better : "lower or higher");
		vec_push(&out->warnings, out->unjudged);
	}
	const char *note =
	    sentence(&all, false, NAMED_IN_NOTE, "figures that are not judged:", &out->arena);
	if (note)
		vec_push(&out->candidate.notes, span_of(note));
	vec_release(&all.list);
}
