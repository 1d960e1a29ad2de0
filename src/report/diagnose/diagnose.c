#include "diagnose/diagnose.h"

struct run_report *diagnose_run(const struct run_view *v, const struct diagnosis_rules *rules,
                                bool candidate, bool whole, struct arena *a)
{
	struct run_report *out = arena_alloc(a, 1, sizeof *out);
	out->candidate = candidate;
	for (size_t i = 0; i < v->run->ranks.nr; i++)
		out->window = out->window || v->run->ranks.v[i]->window;
	diagnose_facts(v, a, out);
	if (whole) {
		diagnose_tables(v, a, out);
		diagnose_series(v, a, out);
	}
	diagnose_bound(v, a, &out->classification);
	diagnose_recommend(v, rules, a, out);
	return out;
}

/* True if the baseline has the data from which the recommendation is derived, so that its lack of
   this recommendation means something. */
static bool is_comparable(const struct recommendation *r, const struct diagnosis_rules *rules,
                          const struct run_view *v)
{
	if (r->of_rows)
		return ALL(i, v->run->ranks.nr,
		           !v->run->ranks.v[i]->summaries.nr && v->run->ranks.v[i]->functions.nr);
	for (size_t i = 0; i < rules->list.nr; i++) {
		const struct diagnosis_rule *rule = &rules->list.v[i];
		for (size_t k = 0; strcmp(rule->advice.id, r->id) == 0 && k < rule->when.nr; k++) {
			const struct diagnosis_figure *f = &rule->when.v[k].figure;
			if ((f->query.metric && !run_has(v, f->query.metric)) ||
			    (f->other.metric && !run_has(v, f->other.metric)))
				return false;
		}
	}
	return true;
}

void diagnose_limit(struct run_report *r, const struct diagnosis_rules *rules,
                    const struct run_report *baseline, const struct run_view *v)
{
	size_t nr = 0;
	for (size_t i = 0; i < r->recommendations.nr; i++) {
		const struct recommendation *rec = &r->recommendations.v[i];
		const struct recommendation *old =
		    FIND(k, baseline->recommendations.v, baseline->recommendations.nr,
		         strcmp(baseline->recommendations.v[k].id, rec->id) == 0);
		bool grew = old && rec->saves_ns >= 0 && old->saves_ns >= 0 &&
		            (__int128)rec->saves_ns * 10 > (__int128)old->saves_ns * 11;
		if (grew || (!old && is_comparable(rec, rules, v)))
			r->recommendations.v[nr++] = *rec;
	}
	r->recommendations.nr = nr;
}
