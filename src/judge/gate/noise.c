#include "gate/noise.h"

#include <inttypes.h>
#include <math.h>

#include "metric/unit.h"

/* ---- a check's limits compared with its noise ---- */

struct asked {
	const struct comparison *c;
	const struct entry *e;
	const struct noise_model *model;
	struct estimate now, since_pin; ///< estimates of two changes: since the baseline's value (the
	                                ///< median of main's runs), and since the approved run; if one
	                                ///< is not `known`, no noise is assumed
	double alpha;
	double far[2]; ///< number of standard errors beyond which a change is sure: [0] for `now`, [1]
	               ///< for `since_pin`
	bool pin_alone; ///< true if the rule limits only changes since the pin
	double most; ///< upper limit of the noise, as a difference of logarithms (most_noise())
};

/* Convert the size `by` of a change for the worse, a difference of logarithms, to an amount above 0
   in the metric's unit. `base` is the figure before the change. With `by` = log 2, a figure that
   should be low doubles, and a figure that should be high is halved. */
static double amount_from(const struct asked *q, int64_t base, double by)
{
	bool falls = q->c->rule->worse == WORSE_DOWN;
	if (q->c->rule->metric->unit == UNIT_PCT)
		return by * 1e8;
	return fabs((double)base) * (falls ? -expm1(-by) : expm1(by));
}

/* Convert a change in the metric's unit, below 0 for a fall, to a difference of logarithms. */
static double distance_to(const struct asked *q, int64_t base, double amount)
{
	if (q->c->rule->metric->unit == UNIT_PCT)
		return amount / 1e8;
	double share = base ? amount / fabs((double)base) : 0;
	return share > -1 ? log1p(share) : -INFINITY;
}

static bool is_since_pin(const struct limit *l)
{
	return l->condition == COND_INCREASE_SINCE_PIN;
}

static int64_t base_of(const struct asked *q, bool since_pin)
{
	return since_pin ? q->c->pin : q->c->baseline;
}

/* Set `*out` to the largest change that limit `l` allows, in the metric's unit, or to the value of
   a `max` or `min`. Returns false if it is unknown. */
static bool amount_of(const struct asked *q, const struct limits *map, const struct limit *l,
                      double *out)
{
	const struct comparison *c = q->c;
	bool pin = is_since_pin(l);
	double share = (double)l->value / 1e8 * fabs((double)base_of(q, pin));
	bool has_and = map->has_and && l->relative && l->condition != COND_CHANGE;
	double least = (double)map->and_value;
	if (pin && !c->has_pin)
		return false;
	if (has_and && map->and_of == AND_OF_STEP)
		least *= (double)c->step_ns / 1e8;
	if (has_and && map->and_of == AND_OF_SPREAD)
		least *= (double)c->spread / 1e6;
	*out = !l->relative ? (double)l->value : has_and ? fmax(share, least) : share;
	return !(l->relative && share == 0 && l->value && !has_and) &&
	       !(has_and && map->and_of == AND_OF_STEP && !c->has_step);
}

/* ---- detectable changes and false alarms ---- */

static double reach_of(const struct asked *q, bool since_pin)
{
	const struct estimate *x = since_pin ? &q->since_pin : &q->now;
	return x->known ? fmin(q->far[since_pin] * x->se, q->most) : 0;
}

/* Upper limit of the noise, as a difference of logarithms. With one or two runs of main, noise is
   mostly assumed, or estimated from the judged runs, and must not excuse arbitrarily large changes.
   But the limit is at least the difference between main's own runs. With more runs of main there is
   no limit (infinity). */
static double most_noise(const struct asked *q, int64_t past_runs)
{
	const double of_gpu = 0.2, of_others = 0.4;
	enum family family = metric_family(q->c->rule->metric);
	bool pct = q->c->rule->metric->unit == UNIT_PCT;
	double most = family == FAMILY_WALL ? of_others : of_gpu, low = INFINITY, high = -INFINITY;
	const struct bench *b = q->model->bench;
	if (past_runs > 2)
		return INFINITY;
	for (size_t i = 0; i < b->nr_columns; i++) {
		double value = (double)q->e->cells[i].value;
		if (!q->e->cells[i].has || b->columns[i].source > SOURCE_HISTORY || (!pct && value <= 0))
			continue;
		low = fmin(low, pct ? value / 1e8 : log(value));
		high = fmax(high, pct ? value / 1e8 : log(value));
	}
	return fmax(pct ? most : log1p(most), high - low);
}

static void fill_detectable(const struct asked *q, struct arena *a, struct evidence *out)
{
	const struct limits *map = &q->c->rule->fail;
	enum unit unit = q->c->rule->metric->unit;
	int64_t from = base_of(q, q->pin_alone);
	double least = INFINITY, amount;
	for (size_t i = 0; i < map->list.nr; i++) {
		const struct limit *l = &map->list.v[i];
		if (!limit_is_absolute(l) && is_since_pin(l) == q->pin_alone &&
		    amount_of(q, map, l, &amount))
			least =
			    fmin(least, fmax(amount, round(amount_from(q, from, reach_of(q, q->pin_alone)))));
	}
	if (!(least < 9e18))
		return;
	out->has_detectable = true;
	out->detectable = (int64_t)floor(least) +
	                  1; /* plus 1, since a change must be larger than the limit to break it */
	out->detectable_text = unit_amount(a, unit, out->detectable);
	if (unit != UNIT_PCT && from > 0)
		out->detectable_text =
		    arena_printf(a, "%s (%s)", out->detectable_text,
		                 unit_text(a, UNIT_PCT, number_pct(out->detectable, from)));
}

/* Set limit[1] to the nearest limit in `map` above the baseline's value, and limit[0] to the
   nearest one below, as values in the metric's unit. */
static void fill_limits(const struct asked *q, const struct limits *map, bool has[2],
                        int64_t limit[2])
{
	for (size_t i = 0; i < map->list.nr; i++) {
		const struct limit *l = &map->list.v[i];
		bool line = limit_is_absolute(l);
		double amount, base = line ? 0 : (double)base_of(q, is_since_pin(l));
		if (!amount_of(q, map, l, &amount))
			continue;
		for (int up = 0; up < 2; up++) {
			bool falls = l->condition == COND_DECREASE || l->condition == COND_MIN;
			double at = base + (falls && !line ? -amount : amount);
			if (l->condition == COND_CHANGE)
				at = base + (up ? amount : -amount);
			if ((falls == (up != 0) && l->condition != COND_CHANGE) || !(fabs(at) < 9e18))
				continue;
			bool nearer = up ? at < (double)limit[1] : at > (double)limit[0];
			if (!has[up] || nearer)
				limit[up] = llround(at);
			has[up] = true;
		}
	}
}

/* Probability that noise by itself breaks the limit `l`; 0 if the noise is unknown. */
static double odds_of_limit(const struct asked *q, const struct limits *map, const struct limit *l)
{
	bool pin = is_since_pin(l), line = limit_is_absolute(l);
	const struct estimate *x = pin ? &q->since_pin : &q->now;
	int64_t base = base_of(q, pin);
	double amount = (double)l->value;
	if (!x->known || (!line && !amount_of(q, map, l, &amount)))
		return 0;
	bool falls = l->condition == COND_DECREASE || l->condition == COND_MIN;
	if (line)
		amount = falls ? (double)base - amount : amount - (double)base;
	double far = falls ? -distance_to(q, base, -amount) : distance_to(q, base, amount);
	if (!line)
		far = fmax(far, reach_of(q, pin));
	double odds = student_tail(far / x->se, x->df);
	return l->condition == COND_CHANGE ? 2 * odds : odds;
}

static void fill_false_alarms(const struct asked *q, struct evidence *out)
{
	const struct limits *map = &q->c->rule->fail;
	double most = 0;
	out->has_false_alarms = q->now.known && map->list.nr > 0 && out->past_runs >= KNOWN_RUNS;
	for (size_t i = 0; i < map->list.nr && out->has_false_alarms; i++)
		most = fmax(most, odds_of_limit(q, map, &map->list.v[i]));
	out->false_alarms = llround(1e6 * fmin(most, 1));
}

static int64_t amount_whole(const struct asked *q, double by)
{
	return llround(fmin(amount_from(q, base_of(q, q->pin_alone), by), 9e18));
}

/* ---- the number of runs that would decide ---- */

enum { RUNS_MOST = 12, RUNS_FEW = 4 };

static double se_of_runs(const struct estimate *x, size_t nr)
{
	return sqrt(x->variance *
	            (x->shared + (1 - x->shared) * noise_center_variance(nr) + x->baseline));
}

/* Find how many more runs, or pairs of runs, would decide the check if the change stays as large.
   If there are no control runs yet, runs are preferred to pairs if at most RUNS_FEW runs, or no
   more runs than pairs, are needed. */
static void fill_plan(const struct asked *q, struct evidence *out)
{
	const struct estimate *x = q->pin_alone ? &q->since_pin : &q->now;
	size_t has = (size_t)out->candidate_runs, pairs = q->model->bench->runs.nr_controls;
	double by = fabs(x->own), far = q->far[q->pin_alone];
	size_t runs = has, nr = pairs;
	while (runs <= RUNS_MOST && by <= far * se_of_runs(x, runs))
		runs++;
	do
		nr++;
	while (nr <= RUNS_MOST &&
	       by <= student_quantile(q->alpha, x->df + (double)nr) * sqrt(x->pair / (double)nr));
	bool can_run = pairs == 0 && runs > has && runs <= RUNS_MOST;
	if (can_run && (runs - has <= RUNS_FEW || runs - has <= nr))
		out->more_runs = (int64_t)(runs - has);
	else if (nr <= RUNS_MOST)
		out->more_pairs = (int64_t)(nr - pairs);
}

const char *noise_plan_text(struct arena *a, const struct evidence *e)
{
	if (e->more_runs)
		return arena_printf(a, "%" PRId64 " more run%s of the candidate would decide", e->more_runs,
		                    e->more_runs == 1 ? "" : "s");
	if (e->more_pairs)
		return arena_printf(a, "%" PRId64 " pair%s with --control would decide", e->more_pairs,
		                    e->more_pairs == 1 ? "" : "s");
	if (e->past_runs < KNOWN_RUNS)
		return arena_printf(a,
		                    "more stored runs of main would tell: below %d, what they differ by is "
		                    "partly assumed",
		                    KNOWN_RUNS);
	return "no reasonable number of runs would decide: a change this small needs a quieter "
	       "machine";
}

/* ---- texts of the evidence ---- */

/* Text such as "1 in 26"; `odds` is in millionths. */
static const char *odds_text(struct arena *a, int64_t odds)
{
	if (odds >= 500000)
		return "most";
	if (odds == 0)
		return "fewer than 1 in 1,000,000";
	return arena_printf(a, "1 in %s", unit_text(a, UNIT_COUNT, MICRO / odds));
}

static void add_runs(const struct asked *q, const struct evidence *out, struct arena *a,
                     struct strbuf *b)
{
	if (!out->has_noise)
		return;
	enum unit unit = q->c->rule->metric->unit;
	int64_t spread = q->c->spread, base = base_of(q, q->pin_alone);
	strbuf_addf(b, "runs spread by %s",
	            unit != UNIT_PCT && base > 0 ? unit_text(a, UNIT_PCT, number_pct(spread, base))
	                                         : unit_amount(a, unit, spread));
	strbuf_addf(b, " (%s, %" PRId64 " past run%s): noise of %s",
	            out->past_runs < 3            ? "mostly assumed"
	            : out->past_runs < KNOWN_RUNS ? "partly assumed"
	                                          : "measured",
	            out->past_runs, out->past_runs == 1 ? "" : "s", out->noise_text);
	if (out->has_false_alarms)
		strbuf_addf(b, "; at that, %s unchanged runs would fail", odds_text(a, out->false_alarms));
	if (out->has_detectable)
		strbuf_addf(b, "; a change fails from %s on", out->detectable_text);
}

/* Append a text that compares the steps of both sides, such as "over steps (median ± spread), 5 of
   12.50 ms ± 6.565 µs … with probability 0.01". It has medians, scaled MADs (median absolute
   deviations), and the p value of a Mann-Whitney test. */
static void add_steps_text(enum unit unit, const struct evidence *out, struct arena *a,
                           struct strbuf *b)
{
	char p[NUMBER_TEXT];
	strbuf_adds(b, "over steps (median ± spread), ");
	for (int s = 0; s < NR_SIDES; s++)
		strbuf_addf(b, "%s%" PRId64 " of %s ± %s", s ? " against " : "", out->steps[s],
		            unit_text(a, unit, out->median[s]), unit_amount(a, unit, out->spread[s]));
	strbuf_addf(b, ": as far apart by chance with probability %s", number_format(out->p, 6, p));
}

/* ---- public functions ---- */

static double far_of(const struct asked *q, const struct estimate *x)
{
	double k = (double)q->c->rule->noise.k / 1e6;
	/* A check may test two changes, one since main's median and one since the approved run, and may
	   be wrong about either. The change since the approved run is therefore tested at a stricter
	   level. */
	double alpha = x == &q->since_pin ? q->alpha / 5 : q->alpha;
	return x->known ? fmax(student_quantile(alpha, x->df), k) : 0;
}

/* True for an operator, category or kernel that rose by hardly more than all operators together:
 * the difference is at most half of what its limit allows. The check on the GPU time of whole steps
 * reports what all operators have in common. */
static bool is_of_all(const struct asked *q)
{
	const struct limits *map = &q->c->rule->fail;
	double least = INFINITY;
	for (size_t i = 0; i < map->list.nr; i++)
		if (map->list.v[i].relative)
			least = fmin(least, log1p((double)map->list.v[i].value / 1e8));
	bool operators = metric_family(q->c->rule->metric) == FAMILY_OPERATORS;
	return operators && q->model->has_machine && q->now.known && q->now.by > 0 &&
	       least < INFINITY && q->now.by - fmax(q->model->shift, 0) <= least / 2;
}

static void fill_noise(struct asked *q, struct comparison *c, struct arena *a, struct evidence *out)
{
	const struct estimate *x = q->pin_alone ? &q->since_pin : &q->now;
	c->has_noise = out->has_noise = x->known;
	if (!x->known)
		return;
	double reach = reach_of(q, q->pin_alone);
	c->spread = amount_whole(q, sqrt(x->variance));
	c->sure[0] = !q->now.known || q->now.own > reach_of(q, false);
	c->sure[1] = !q->now.known || -q->now.own > reach_of(q, false);
	c->pin_sure = !q->since_pin.known || q->since_pin.own > reach_of(q, true);
	c->of_all = is_of_all(q);
	out->noise = amount_whole(q, reach);
	out->noise_text = arena_printf(a, "±%s", unit_amount(a, c->rule->metric->unit, out->noise));
	if (c->plans || compare(c).reason == REASON_NOISE) {
		fill_plan(q, out);
		out->plan_text = noise_plan_text(a, out);
	}
}

void noise_evidence(const struct noise_model *m, const struct entry *e, struct comparison *c,
                    struct arena *a, struct evidence *out)
{
	const struct rule *rule = c->rule;
	struct asked q = { .c = c,
		               .e = e,
		               .model = m,
		               .alpha = m->alpha[metric_family(rule->metric)],
		               .pin_alone = c->has_pin && compare_is_since_pin(rule) };
	*out = (struct evidence){ .baseline_runs = (int64_t)e->nr_runs[SIDE_BASELINE],
		                      .candidate_runs = (int64_t)e->nr_runs[SIDE_CANDIDATE],
		                      .noise_text = "",
		                      .detectable_text = "",
		                      .plan_text = "",
		                      .text = "" };
	for (size_t i = 0; i < e->nr_runs[SIDE_CANDIDATE] && out->candidate_runs > 1; i++)
		vec_push(&out->runs, e->runs[SIDE_CANDIDATE][i]);
	if (!out->baseline_runs || !out->candidate_runs)
		return;
	for (size_t i = 0; i < m->bench->nr_columns; i++)
		out->past_runs += e->cells[i].has && m->bench->columns[i].source <= SOURCE_HISTORY;
	if (!rule->metric->exact && rule->noise.k != 0 && q.alpha > 0) {
		q.now = noise_estimate(m, e, rule->metric, false);
		if (c->has_pin)
			q.since_pin = noise_estimate(m, e, rule->metric, true);
		q.far[0] = far_of(&q, &q.now);
		q.far[1] = far_of(&q, &q.since_pin);
		q.most = most_noise(&q, out->past_runs);
		fill_noise(&q, c, a, out);
	}
	fill_detectable(&q, a, out);
	fill_limits(&q, &rule->fail, out->has_limit, out->limit);
	fill_limits(&q, &rule->warn, out->has_warn, out->warn);
	fill_false_alarms(&q, out);
	noise_steps(m->bench, e, &rule->query, out);
	struct strbuf b = STRBUF_INIT;
	add_runs(&q, out, a, &b);
	if (out->has_steps) {
		strbuf_adds(&b, b.n ? "; " : "");
		add_steps_text(rule->metric->unit, out, a, &b);
	}
	out->text = arena_take(a, &b);
}

void noise_summary(struct report *out)
{
	struct arena *a = &out->arena;
	bool has_noise = false;
	int64_t sum = 0;
	for (size_t i = 0; i < out->checks.nr; i++) {
		const struct check *k = &out->checks.v[i];
		has_noise = has_noise || k->evidence.has_noise;
		out->has_false_alarms = out->has_false_alarms || k->evidence.has_false_alarms;
		sum = number_add(sum, k->evidence.false_alarms);
	}
	char n[NUMBER_TEXT];
	if (!out->has_false_alarms) {
		if (has_noise)
			out->false_alarms_text = arena_printf(
			    a, "how often unchanged code would fail is not known before %d runs of main",
			    KNOWN_RUNS);
		return;
	}
	out->false_alarms = sum;
	/* unit of `sum`: 1e-6 failing checks per run; of `hundredths`: 0.01 failing checks per 1,000
	   runs */
	int64_t hundredths = (sum + 5) / 10;
	out->false_alarms_text =
	    arena_printf(a, "in 1,000 runs of unchanged code %s checks would fail",
	                 hundredths ? arena_printf(a, "about %s", number_format(hundredths, 2, n))
	                            : "fewer than 0.01");
}
