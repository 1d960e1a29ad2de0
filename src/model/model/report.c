#include "model/report.h"

#include <math.h>

#include "base/number.h"
#include "base/sort.h"

const char *const verdict_names[NR_VERDICTS + 1] = {
#define NAME(id, name, ...) [VERDICT_##id] = (name),
	VERDICTS(NAME)
#undef NAME
};

const char *const drift_names[NR_DRIFTS] = { DRIFTS(ENUM_WORD) };

const struct finding *report_finding(const struct report *r, size_t i)
{
	return FIND(f, r->findings.v, r->findings.nr,
	            ANY(k, r->findings.v[f].checks.nr, r->findings.v[f].checks.v[k] == i));
}

static bool is_from_zero(const struct figure_row *f)
{
	return f->change && !f->pct_text[0];
}

ORDERING_POINTERS(figure_cmp, struct figure_row,
                  THEN((y->metric->worse != WORSE_EITHER) - (x->metric->worse != WORSE_EITHER))
                      THEN(is_from_zero(y) - is_from_zero(x))
                          THEN(COMPARE(number_distance(y->change_pct, 0),
                                       number_distance(x->change_pct, 0))) RISING(metric->place))

const struct figure_row *report_figure(const struct report *r, enum metric_id id)
{
	const struct figure_row *most = NULL;
	for (size_t i = 0; i < r->figures.nr; i++) {
		const struct figure_row *f = &r->figures.v[i];
		if (f->metric->id == id && f->has_baseline && f->has_candidate &&
		    (!most || figure_cmp(&f, &most) < 0))
			most = f;
	}
	return most;
}

bool report_names_rank(const struct report *r, bool candidate, int64_t rank)
{
	return ANY(i, r->insights.nr,
	           r->insights.v[i].candidate == candidate && r->insights.v[i].rank == rank);
}

static bool is_of_recordings(const struct check *c)
{
	return c->metric->need != NEED_INPUT;
}

static bool is_unrecorded(const struct check *c)
{
	return c->verdict == VERDICT_SKIPPED && !c->has_baseline && !c->has_candidate;
}

bool report_leaves_out(const struct report *r, const struct check *check)
{
	const struct check *v = r->checks.v;
	return is_of_recordings(check) && is_unrecorded(check) &&
	       ALL(i, r->checks.nr, !is_of_recordings(&v[i]) || is_unrecorded(&v[i])) &&
	       !ALL(i, r->checks.nr, is_of_recordings(&v[i]));
}

int64_t check_size(const struct check *c)
{
	double share = (double)c->change_pct / (100.0 * MICRO);
	share = share > -0.999 ? share : -0.999;
	return llround(1000 * (share < 0 ? 1 / (1 + share) - 1 : share));
}

void report_init(struct report *r)
{
	*r = (struct report){ .arena = ARENA_INIT, .verdict = VERDICT_PASS };
}

void report_drop_checks(struct report *r)
{
	/* checks may share a breakdown; releasing its parts twice is harmless */
	for (size_t i = 0; i < r->checks.nr; i++) {
		if (r->checks.v[i].breakdown)
			vec_release(&r->checks.v[i].breakdown->parts);
		vec_release(&r->checks.v[i].evidence.runs);
		if (r->checks.v[i].trend)
			vec_release(&r->checks.v[i].trend->points);
	}
	r->checks.nr = 0;
	for (size_t i = 0; i < r->findings.nr; i++) {
		vec_release(&r->findings.v[i].parts);
		vec_release(&r->findings.v[i].where);
		vec_release(&r->findings.v[i].evidence);
		vec_release(&r->findings.v[i].checks);
	}
	r->findings.nr = 0;
}

void report_release(struct report *r)
{
	report_drop_checks(r);
	for (size_t i = 0; i < r->breakdowns.nr; i++)
		vec_release(&r->breakdowns.v[i]->parts);
	for (size_t i = 0; i < r->trust.nr; i++)
		vec_release(&r->trust.v[i].spoils);
	for (size_t i = 0; i < r->ranks.nr; i++)
		vec_release(&r->ranks.v[i].cells);
	run_report_release(r->run);
	run_report_release(r->baseline_run);
	vec_release(&r->rank_columns);
	vec_release(&r->ranks);
	vec_release(&r->insights);
	vec_release(&r->baseline.notes);
	vec_release(&r->candidate.notes);
	vec_release(&r->environment);
	vec_release(&r->machine);
	vec_release(&r->trust);
	vec_release(&r->warnings);
	vec_release(&r->checks);
	vec_release(&r->findings);
	vec_release(&r->drift);
	vec_release(&r->kernels);
	vec_release(&r->figures);
	vec_release(&r->code);
	vec_release(&r->breakdowns);
	vec_release(&r->scaling);
	vec_release(&r->flame.nodes);
	arena_release(&r->arena);
}
