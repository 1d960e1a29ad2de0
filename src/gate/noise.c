#include "gate/noise.h"

#include <inttypes.h>
#include <math.h>

#include "diff/past.h"
#include "gate/noise_math.h"
#include "metric/unit.h"
#include "model/phases.h"

/* ---- samples of the steps ---- */

enum { STEPS_NEEDED = 5 };

struct samples {
	VEC(int64_t) list;
	struct span phase; ///< those of one alone; empty: of the steps
};

static void add_figure(void *ctx, const struct figure *f)
{
	struct samples *s = ctx;
	for (size_t i = 0; i < f->nr && span_eq(f->label, s->phase); i++)
		vec_push(&s->list, f->samples[i]);
}

/* A sample per step of a run: that of its rank, or of its ranks reduced step by step. Where
   they differ in the number of steps no step belongs to another's: none. */
static void add_steps(const struct run_view *v, const struct query *q, const struct entry *e,
                      struct samples *out)
{
	struct samples of_ranks = { .phase = e->label };
	VEC(int64_t) column = VEC_INIT;
	size_t nr_ranks = 0, nr = 0;
	bool even = true;
	for (size_t i = 0; i < v->run->ranks.nr; i++) {
		char text[NUMBER_TEXT];
		int64_t number = v->ranks[i].digest->rank;
		size_t before = of_ranks.list.nr;
		if ((e->rank >= 0 && number != e->rank) ||
		    (q->rank && !span_glob(span_of(q->rank), span_of(number_format(number, 0, text)))))
			continue;
		rank_asked_figures(v, i, q, add_figure, &of_ranks);
		even = even && (nr_ranks++ == 0 || of_ranks.list.nr - before == nr);
		nr = of_ranks.list.nr - before;
	}
	for (size_t i = 0; even && i < nr; i++) {
		column.nr = 0;
		for (size_t k = 0; k < nr_ranks; k++)
			vec_push(&column, of_ranks.list.v[k * nr + i]);
		vec_push(&out->list, reduce_of(q->reduce, column.v, column.nr));
	}
	vec_release(&column);
	vec_release(&of_ranks.list);
}

static void fill_steps(struct bench *b, const struct entry *e, const struct query *q,
                       struct evidence *out)
{
	struct samples of[NR_SIDES] = { 0 };
	bool against_itself =
	    past_source_hash(b->run[SIDE_BASELINE]) == past_source_hash(b->run[SIDE_CANDIDATE]);
	if (q->metric->per_step)
		for (size_t i = 0; i <= b->runs.nr_candidates && !against_itself; i++)
			add_steps(&b->view[i], q, e, &of[i > 0]);
	out->has_steps = of[0].list.nr >= STEPS_NEEDED && of[1].list.nr >= STEPS_NEEDED;
	for (int s = 0; s < NR_SIDES && out->has_steps; s++) {
		out->steps[s] = (int64_t)of[s].list.nr;
		out->median[s] = stat_of(STAT_MEDIAN, of[s].list.v, of[s].list.nr);
		out->spread[s] = scaled_mad(of[s].list.v, of[s].list.nr);
	}
	if (out->has_steps)
		out->p =
		    llround(1e6 * mann_whitney(of[0].list.v, of[0].list.nr, of[1].list.v, of[1].list.nr));
	vec_release(&of[0].list);
	vec_release(&of[1].list);
}

/* ---- limits against the runs ---- */

struct model {
	const struct comparison *c;
	const struct entry *e;
	bool since_pin; ///< the rule asks for changes since the pin alone
	struct spread spread; ///< of the baseline's runs
	double per_s, pin_per_s; ///< noise over s of a change from the reference, from the pin
	double candidate_variance, baseline_variance; ///< of the medians
};

static const int64_t *runs_of(const struct model *m, size_t *nr)
{
	*nr = m->e->nr_runs[SIDE_BASELINE];
	return m->e->runs[SIDE_BASELINE];
}

/* What `l` allows, as an amount of the metric; false where it cannot be formed. */
static bool amount_of(const struct model *m, const struct limits *map, const struct limit *l,
                      double *out)
{
	const struct comparison *c = m->c;
	bool pin = l->condition == COND_INCREASE_SINCE_PIN;
	double share = (double)l->value / 1e8 * fabs((double)(pin ? c->pin : c->baseline));
	bool has_and = map->has_and && l->relative && l->condition != COND_CHANGE;
	double least = (double)map->and_value;
	if (pin && !c->has_pin)
		return false;
	if (has_and && map->and_of_step)
		least *= (double)c->step_ns / 1e8;
	*out = !l->relative ? (double)l->value : has_and ? fmax(share, least) : share;
	return !(l->relative && share == 0 && l->value && !has_and) &&
	       !(has_and && map->and_of_step && !c->has_step);
}

static bool threshold_of(const struct model *m, const struct limits *map, const struct limit *l,
                         struct threshold *out)
{
	*out = (struct threshold){ 0 };
	switch (l->condition) {
	case COND_MAX:
		out->limit = (double)l->value;
		out->shift = -(double)m->c->baseline;
		return true;
	case COND_MIN:
		out->limit = -(double)l->value;
		out->shift = (double)m->c->baseline;
		return true;
	case COND_INCREASE_SINCE_PIN:
		out->shift = (double)m->c->pin - (double)m->c->baseline;
		out->per_s = m->pin_per_s;
		break;
	case COND_INCREASE:
	case COND_DECREASE:
		out->per_s = m->per_s;
		break;
	case COND_CHANGE:
		break;
	}
	return amount_of(m, map, l, &out->limit);
}

static bool is_since_pin(const struct limit *l)
{
	return l->condition == COND_INCREASE_SINCE_PIN;
}

/* Noise as the limits moderate it: the least that any of them makes of it. */
static int64_t noise_of(const struct model *m, bool since_pin)
{
	const struct limits *map = &m->c->rule->fail;
	struct threshold t = { .per_s = since_pin ? m->pin_per_s : m->per_s };
	double least = threshold_noise(&t, m->spread.s);
	for (size_t i = 0; i < map->list.nr; i++)
		if (condition_has_noise(map->list.v[i].condition) &&
		    is_since_pin(&map->list.v[i]) == since_pin && threshold_of(m, map, &map->list.v[i], &t))
			least = fmin(least, threshold_noise(&t, m->spread.s));
	return least < 9e18 ? llround(least) : INT64_MAX;
}

/* ---- what could have been detected, and what fails by chance ---- */

static void fill_detectable(const struct model *m, struct arena *a, struct evidence *out)
{
	const struct limits *map = &m->c->rule->fail;
	const struct metric *metric = m->c->rule->metric;
	double least = INFINITY;
	for (size_t i = 0; i < map->list.nr; i++) {
		struct threshold t;
		const struct limit *l = &map->list.v[i];
		if (l->condition != COND_MAX && l->condition != COND_MIN &&
		    is_since_pin(l) == m->since_pin && threshold_of(m, map, l, &t))
			least = fmin(least, fmax(t.limit, round(threshold_noise(&t, m->spread.s))));
	}
	if (!(least < 9e18))
		return;
	out->has_detectable = true;
	out->detectable = (int64_t)floor(least) + 1; /* beyond is strictly greater */
	int64_t from = m->since_pin ? m->c->pin : m->c->baseline;
	out->detectable_text = unit_amount(a, metric->unit, out->detectable);
	if (metric->unit != UNIT_PCT && from > 0)
		out->detectable_text =
		    arena_printf(a, "%s (%s)", out->detectable_text,
		                 unit_text(a, UNIT_PCT, number_pct(out->detectable, from)));
}

/* Chance that of `drawn` out of `nr` runs `hits` are among `marked` ones: drawn without
   putting back, which estimates the chance of as many new runs without bias. */
static double odds_of_draw(size_t nr, size_t marked, size_t drawn, size_t hits)
{
	double odds = 1;
	if (hits > marked || drawn - hits > nr - marked)
		return 0;
	for (size_t i = 0; i < drawn; i++) {
		double left = i < hits ? (double)(marked - i) : (double)(nr - marked - (i - hits));
		odds *= left / (double)(nr - i);
	}
	for (size_t i = 1; i <= hits; i++)
		odds *= (double)(drawn - hits + i) / (double)i;
	return odds;
}

/* Runs that were set aside come back: the chance that the median of the candidate's runs
   is one of them, or halfway to them where their number is even. */
static double odds_of_outlier(const struct model *m, const struct threshold *t, double sign)
{
	size_t nr, n = m->e->nr_runs[SIDE_CANDIDATE], half = 0, whole = 0;
	const int64_t *runs = runs_of(m, &nr);
	double beyond = t->shift + fmax(t->limit, threshold_noise(t, m->spread.s)), odds = 0;
	for (size_t i = 0; i < nr; i++) {
		double by = sign * ((double)runs[i] - (double)m->c->baseline);
		if (spread_excludes(&m->spread, runs[i])) {
			whole += by > beyond;
			half += by > 2 * beyond;
		}
	}
	for (size_t k = n / 2 + n % 2; k <= n && whole; k++)
		odds += odds_of_draw(nr, 2 * k == n ? half : whole, n < nr ? n : nr, k);
	return odds;
}

/* Chance that a change of nothing breaks `l` on the side of `sign`. */
static double odds_of_limit(const struct model *m, const struct limits *map, const struct limit *l,
                            double sign)
{
	struct threshold t;
	if (!threshold_of(m, map, l, &t))
		return 0;
	/* a limit in percent moves with the reference; of a fixed line the reference is what
	   is known of the distance to it */
	double share = l->relative ? sign * (double)l->value / 1e8 : 0;
	bool fixed = l->condition == COND_MAX || l->condition == COND_MIN || is_since_pin(l);
	double variance =
	    m->candidate_variance + (fixed ? -1 : (1 + share) * (1 + share)) * m->baseline_variance;
	double scale = sqrt(fmax(variance, m->candidate_variance / 10));
	return threshold_false_alarms(&t, scale, m->spread.s, m->spread.kept - 1) +
	       odds_of_outlier(m, &t, sign);
}

static void fill_false_alarms(const struct model *m, struct evidence *out)
{
	const struct limits *map = &m->c->rule->fail;
	double up = 0, down = 0;
	if (m->spread.kept < 3 || map->list.nr == 0)
		return;
	for (size_t i = 0; i < map->list.nr; i++) {
		const struct limit *l = &map->list.v[i];
		bool falls = l->condition == COND_DECREASE || l->condition == COND_MIN;
		if (!falls)
			up = fmax(up, odds_of_limit(m, map, l, 1));
		if (falls || l->condition == COND_CHANGE)
			down = fmax(down, odds_of_limit(m, map, l, -1));
	}
	out->has_false_alarms = true;
	out->false_alarms = llround(1e6 * fmin(up + down, 1));
}

/* ---- words ---- */

/* "1 in 26"; `odds` in 1e-6. */
static const char *odds_text(struct arena *a, int64_t odds)
{
	if (odds >= 500000)
		return "most";
	if (odds == 0)
		return "fewer than 1 in 1,000,000";
	return arena_printf(a, "1 in %s", unit_text(a, UNIT_COUNT, MICRO / odds));
}

static const char *spread_text(const struct model *m, struct arena *a)
{
	enum unit unit = m->c->rule->metric->unit;
	int64_t s = llround(fmin(m->spread.s, 9e18));
	return unit != UNIT_PCT && m->c->baseline > 0
	           ? unit_text(a, UNIT_PCT, number_pct(s, m->c->baseline))
	           : unit_amount(a, unit, s);
}

static void add_aside(const struct model *m, struct arena *a, struct strbuf *b)
{
	size_t nr;
	const int64_t *runs = runs_of(m, &nr);
	const char *between = " (set aside: ";
	for (size_t i = 0; i < nr; i++) {
		if (!spread_excludes(&m->spread, runs[i]))
			continue;
		strbuf_addf(b, "%s%s", between, unit_text(a, m->c->rule->metric->unit, runs[i]));
		between = ", ";
	}
	if (m->spread.kept < nr)
		strbuf_addch(b, ')');
}

static void add_runs(const struct model *m, const struct evidence *out, struct arena *a,
                     struct strbuf *b)
{
	const struct rule *rule = m->c->rule;
	bool few = rule->noise.k > 0 && out->baseline_runs < rule->noise.min_runs;
	if (m->spread.kept < 2 || (rule->metric->exact && m->spread.s <= 0))
		return; /* of one run nothing is known, which is said once for the whole report */
	strbuf_addf(b, "%" PRId64 " runs of the baseline spread by %s", out->baseline_runs,
	            spread_text(m, a));
	add_aside(m, a, b);
	if (few && !rule->metric->exact)
		strbuf_addf(b,
		            ", too few to know the noise (%" PRId64 " are needed): the limit alone decides",
		            rule->noise.min_runs);
	if (out->has_noise)
		strbuf_addf(b, ", which makes the noise %s", out->noise_text);
	if (out->has_false_alarms)
		strbuf_addf(b, "; at that, %s unchanged runs would fail", odds_text(a, out->false_alarms));
}

/* "over steps (median ± scaled MAD), 5 of 12.50 ms ± 6.565 µs against …: Mann-Whitney p = 0.01" */
static void add_steps_text(const struct model *m, const struct evidence *out, struct arena *a,
                           struct strbuf *b)
{
	enum unit unit = m->c->rule->metric->unit;
	char p[NUMBER_TEXT];
	strbuf_adds(b, "over steps (median ± scaled MAD), ");
	for (int s = 0; s < NR_SIDES; s++)
		strbuf_addf(b, "%s%" PRId64 " of %s ± %s", s ? " against " : "", out->steps[s],
		            unit_text(a, unit, out->median[s]), unit_amount(a, unit, out->spread[s]));
	strbuf_addf(b, ": Mann-Whitney p = %s", number_format(out->p, 6, p));
}

static void fill_text(const struct model *m, struct arena *a, struct evidence *out)
{
	struct strbuf b = STRBUF_INIT;
	add_runs(m, out, a, &b);
	if (b.n && out->has_detectable) /* of what is exact the limit says it */
		strbuf_addf(&b, "; a change fails from %s on", out->detectable_text);
	if (out->has_steps) {
		strbuf_adds(&b, b.n ? "; " : "");
		add_steps_text(m, out, a, &b);
	}
	out->text = arena_take(a, &b);
}

/* ---- the doors ---- */

static void fill_runs(struct bench *b, const struct entry *e, const struct comparison *c,
                      struct arena *a, struct evidence *out)
{
	const struct rule *rule = c->rule;
	double nc = median_variance(e->nr_runs[SIDE_CANDIDATE]), nb = (double)e->nr_runs[SIDE_BASELINE];
	struct model m = { .c = c,
		               .e = e,
		               .since_pin = c->has_pin && compare_is_since_pin(rule),
		               .spread = spread_of(e->runs[SIDE_BASELINE], e->nr_runs[SIDE_BASELINE]),
		               .candidate_variance = nc,
		               .baseline_variance = median_variance(e->nr_runs[SIDE_BASELINE]) };
	out->has_noise = !rule->metric->exact && rule->noise.k > 0 && m.spread.kept > 1 &&
	                 out->baseline_runs >= rule->noise.min_runs;
	if (out->has_noise) {
		double k = noise_k_of((double)rule->noise.k / 1e6, m.spread.kept - 1,
		                      rule->for_each ? (double)rule->top : 1);
		m.per_s = k * sqrt(nc + 1.57 / nb);
		m.pin_per_s = k * sqrt(nc + 1);
		out->pin_noise = noise_of(&m, true);
		out->noise = m.since_pin ? out->pin_noise : noise_of(&m, false);
		out->noise_text = arena_printf(a, "±%s", unit_amount(a, rule->metric->unit, out->noise));
	}
	fill_detectable(&m, a, out);
	fill_false_alarms(&m, out);
	fill_steps(b, e, &rule->query, out);
	fill_text(&m, a, out);
}

void noise_evidence(struct bench *b, const struct entry *e, const struct comparison *c,
                    struct arena *a, struct evidence *out)
{
	*out = (struct evidence){ .baseline_runs = (int64_t)e->nr_runs[SIDE_BASELINE],
		                      .candidate_runs = (int64_t)e->nr_runs[SIDE_CANDIDATE],
		                      .noise_text = "",
		                      .detectable_text = "",
		                      .text = "" };
	for (size_t i = 0; i < e->nr_runs[SIDE_CANDIDATE] && out->candidate_runs > 1; i++)
		vec_push(&out->runs, e->runs[SIDE_CANDIDATE][i]);
	if (out->baseline_runs && out->candidate_runs)
		fill_runs(b, e, c, a, out);
}

void noise_summary(struct report *out)
{
	struct arena *a = &out->arena;
	int64_t sum = 0, unknown = 0;
	for (size_t i = 0; i < out->checks.nr; i++) {
		const struct check *k = &out->checks.v[i];
		out->has_false_alarms = out->has_false_alarms || k->evidence.has_false_alarms;
		sum = number_add(sum, k->evidence.false_alarms);
		bool pair = k->metric->label == LABEL_PAIR && k->has_candidate; /* past ones are not kept */
		unknown += !k->metric->exact && !k->evidence.has_false_alarms &&
		           (pair || k->evidence.has_detectable);
	}
	char n[NUMBER_TEXT];
	if (!out->has_false_alarms && unknown)
		out->false_alarms_text =
		    "how often unchanged code fails is not known: the baseline holds too few runs; "
		    "'gpugate baseline append' adds those of the main branch";
	if (!out->has_false_alarms)
		return;
	out->false_alarms = sum;
	/* per 1,000 runs, to a hundredth */
	int64_t hundredths = (sum + 5) / 10;
	out->false_alarms_text = arena_printf(
	    a, "in 1,000 runs of unchanged code %s checks would fail%s",
	    hundredths ? arena_printf(a, "about %s", number_format(hundredths, 2, n))
	               : "fewer than 0.01",
	    unknown ? arena_printf(a, " (of %" PRId64 " more that is not known)", unknown) : "");
}
