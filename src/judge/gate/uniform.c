#include "gate/noise.h"

#include <math.h>

#include "base/number.h"
#include "diff/units.h"
#include "metric/unit.h"

/* reach_of_shift: operators changed alike if their changes differ from the common change by at most
 * this share of it; for example, a lower clock slows memory-bound work less. most_of_time: least
 * share of the time that the operators that changed alike must have together. */
static const double reach_of_shift = 0.45, most_of_time = 0.7;
enum { LEAST_UNITS = 4 };

/* True if operators that changed alike have most of the time. An operator is one of them if it
   changed only a little apart from the common factor, or by no more than noise. */
static bool moved_alike(const struct noise_model *m)
{
	double all = 0, alike = 0, heaviest = 0, heaviest_alike = 0;
	size_t nr = 0;
	for (size_t i = 0; i < m->units.list.nr; i++) {
		const struct entry *e = &m->units.list.v[i];
		double weight = (double)e->value[SIDE_BASELINE], alpha = m->alpha[FAMILY_OPERATORS];
		struct estimate x = noise_estimate(m, e, unit_query(m->kind).metric, false);
		double noise = x.known && alpha > 0 ? student_quantile(alpha, x.df) * x.se : 0;
		all += weight;
		heaviest = fmax(heaviest, weight);
		if (!x.known || fabs(x.own) > fmax(noise, reach_of_shift * m->shift))
			continue;
		nr++;
		alike += weight;
		heaviest_alike = fmax(heaviest_alike, weight);
	}
	/* One heavy operator may have most of the time by itself. The operators that changed alike must
	 * therefore have most of the time both with and without the heaviest operator. */
	double rest = all - heaviest, rest_alike = alike - (heaviest_alike < heaviest ? 0 : heaviest);
	return nr >= LEAST_UNITS && alike >= most_of_time * all && rest_alike >= most_of_time * rest;
}

/* True if the figure of the check is worse by at most 1.45 times the common change. If it is worse
 * by more, something else adds to it: for example, the slowest steps became even longer, or the
 * check compares with the approved run, and earlier changes are in its figure, too. */
static bool is_of_factor(const struct check *k, int64_t pct)
{
	int64_t worse = k->worse == WORSE_DOWN ? -k->change_pct : k->change_pct;
	return k->has_pct && worse > 0 && (double)worse <= (1 + reach_of_shift) * (double)pct;
}

/* The first failing check on the GPU time of whole steps that the common factor explains: the only
   check that reports the factor. NULL if there is none. */
static const struct check *speaker_of(const struct report *out, int64_t pct)
{
	const struct check *k = out->checks.v;
	return FIND(i, k, out->checks.nr,
	            k[i].verdict == VERDICT_FAIL && metric_family(k[i].metric) == FAMILY_MACHINE &&
	                is_of_factor(&k[i], pct));
}

static void take_back(struct check *k, enum verdict verdict, const char *speaker, struct arena *a)
{
	k->verdict = verdict;
	k->message = arena_printf(a, "%s; not told again: all operators moved alike, see %s",
	                          k->message, speaker);
}

static void settle(struct check *k, const struct check *speaker, struct report *out)
{
	enum family family = metric_family(k->metric);
	bool same = family == FAMILY_MACHINE || family == FAMILY_WALL;
	if (k == speaker || k->metric->exact || !is_of_factor(k, out->uniform.pct))
		return;
	if (same && k->verdict == VERDICT_FAIL)
		take_back(k, VERDICT_WARN, speaker->id, &out->arena);
	else if (family == FAMILY_OPERATORS && k->verdict == VERDICT_WARN)
		take_back(k, VERDICT_PASS, speaker->id, &out->arena);
}

void uniform_settle(const struct noise_model *m, struct report *out)
{
	const double one = 1e8,
	             least =
	                 0.01; /* one: 100 % in 1e-6 percent; least: least slowdown to report, 1 % */
	int64_t pct = llround(fmin(expm1(fmax(m->shift, 0)) * one, 9e18));
	const struct check *speaker = speaker_of(out, pct);
	out->uniform.judged = m->units.list.nr >= LEAST_UNITS;
	out->uniform.found = speaker && out->uniform.judged && m->shift >= least && moved_alike(m);
	if (!out->uniform.found)
		return;
	out->uniform.pct = pct;
	for (size_t i = 0; i < out->checks.nr; i++)
		settle(&out->checks.v[i], speaker, out);
}
