#include "gate/noise_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "diff/changes.h"
#include "diff/past.h"
#include "gate/environment.h"
#include "metric/figure_name.h"

/* Assumed standard deviations, as shares of a figure. `unknown_own`: of an operator's own component
   if there are too few past runs; `least_own`: the least standard deviation of this component.
   `machine`: of the machine's component, which one run does not show, since a clock moves all
   operators together. It counts less with each further run; from five runs on, the machine is
   assumed to vary as much as the operators do. In a pair of runs, the machine's component cancels
   out. `wall_idle`: of wall times of steps if the host sets the pace: they differ by 13 % to 16 %
   between runs at different times. If the GPUs are hardly ever idle, `machine` is taken instead.
   `wall`: of other times of the host, and of figures of result files. `wall_seen`: of all wall
   times once five runs are known. The weights below are degrees of freedom. */
static const double unknown_own = 0.01, machine = 0.02, wall = 0.05, least_own = 0.002;
static const double wall_seen = 0.01, wall_idle = 0.13;
enum {
	UNKNOWN_RUNS = 4, ///< weight of `unknown_own`, in degrees of freedom
	MACHINE_RUNS = 2, ///< weight of the assumed variance of the machine once five runs are known
	FIRST_RUNS = 8, ///< weight added to MACHINE_RUNS if one run is known; less of it is added if
	                ///< more are known
	MACHINE_FREE = 4, ///< degrees of freedom of five runs; from these on, `machine` is no longer
	                  ///< assumed
	PAIR_RUNS = 6, ///< weight of the assumed variance of the difference within a pair
	WALL_RUNS = 4, ///< weight of `wall` and `wall_seen`
	COMM_TIMES = 9 ///< assumed variance of communication, as a multiple of the operators' variance
};

/* ---- figures on the scale of the model ---- */

/* The logarithm of a figure; NAN if the figure is not above 0. For a figure in percent, the figure
   itself as a share of 1. */
static double value_in(const struct entry *e, const struct metric *metric, size_t column)
{
	int64_t value = e->cells[column].has ? e->cells[column].value : 0;
	if (metric->unit == UNIT_PCT)
		return e->cells[column].has ? (double)value / 1e8 : NAN;
	return value > 0 ? log((double)value) : NAN;
}

static bool is_past_column(const struct bench *b, size_t i)
{
	return b->columns[i].source <= SOURCE_HISTORY;
}

static bool is_source(const struct bench *b, size_t i, enum bench_source source)
{
	return b->columns[i].source == source;
}

/* Values of one figure. To compute their variance, `group` has the number of each value's group:
   only values of one group can be compared. Otherwise `group` is empty. */
struct values {
	VEC(double) list;
	VEC(uint64_t) group;
};

static void values_add(struct values *v, double value)
{
	if (!isnan(value))
		vec_push(&v->list, value);
}

static void values_add_of(struct values *v, double value, uint64_t group)
{
	if (!isnan(value))
		vec_push(&v->group, group);
	values_add(v, value);
}

static void values_release(struct values *v)
{
	vec_release(&v->list);
	vec_release(&v->group);
}

static double center_of(struct values *v, double *variance)
{
	double center = v->list.nr ? noise_center(v->list.v, v->list.nr) : NAN;
	if (variance)
		*variance = noise_center_variance(v->list.nr);
	values_release(v);
	return center;
}

/* Variance of `v` within its groups; the values must be in order of time. Each group is first split
   where its level changes for good, since such a change is not noise. With `early`, three runs can
   be enough for a new level (changes_find()). Releases `v`. */
static double variance_of(struct values *v, bool early, double *df)
{
	levels_split(v->list.v, v->group.v, v->list.nr, early);
	double s2 = noise_variance(v->list.v, v->group.v, v->list.nr, df);
	values_release(v);
	return s2;
}

static double median_over(struct values *v)
{
	double median = v->list.nr ? noise_median(v->list.v, v->list.nr) : NAN;
	values_release(v);
	return median;
}

/* ---- the component of a change that comes from the machine ---- */

/* Median value of an operator in the past runs that were stored while the run with the hash `epoch`
   was the approved run. If there are none, its median in the control runs. */
static double level_of(const struct bench *b, const struct entry *e, const struct metric *metric,
                       uint64_t epoch)
{
	struct values past = { 0 }, controls = { 0 };
	for (size_t i = 0; i < b->nr_columns; i++) {
		if (is_past_column(b, i) && b->columns[i].epoch == epoch)
			values_add(&past, value_in(e, metric, i));
		if (is_source(b, i, SOURCE_CONTROL))
			values_add(&controls, value_in(e, metric, i));
	}
	double of_controls = median_over(&controls);
	return past.list.nr ? median_over(&past) : of_controls;
}

static const struct metric *unit_metric(const struct noise_model *m)
{
	return unit_query(m->kind).metric;
}

static void fill_machine(struct noise_model *m)
{
	const struct bench *b = m->bench;
	m->machine = mem_calloc(b->nr_columns + 1, sizeof *m->machine);
	for (size_t i = 0; i < b->nr_columns; i++) {
		struct values of = { 0 };
		/* an epoch is the time while one run is the approved run; the judged runs are in the newest
		 * epoch */
		uint64_t epoch = is_past_column(b, i) ? b->columns[i].epoch : b->pin;
		for (size_t j = 0; j < m->units.list.nr; j++) {
			const struct entry *e = &m->units.list.v[j];
			values_add(&of, value_in(e, unit_metric(m), i) - level_of(b, e, unit_metric(m), epoch));
		}
		bool enough = 2 * of.list.nr >= m->units.list.nr;
		double median = median_over(&of);
		m->machine[i] = enough ? median : NAN;
	}
}

/* Column of the control run that forms a pair with the candidate's run in column `i`; `nr_columns`
   if there is none. The last columns are the candidate's runs that are in pairs and then, in the
   same order, their control runs. */
static size_t control_of(const struct bench *b, size_t i)
{
	size_t control = i + b->runs.nr_controls;
	return b->runs.nr_controls && is_source(b, i, SOURCE_CANDIDATE) ? control : b->nr_columns;
}

/* ---- the operators' own components ---- */

static double own_change(const struct noise_model *m, const struct entry *e,
                         const struct metric *metric, double *of_reference, double *of_candidate)
{
	const struct bench *b = m->bench;
	struct values reference = { 0 }, candidate = { 0 };
	for (size_t i = 0; i < b->nr_columns; i++) {
		double own = value_in(e, metric, i) - m->machine[i];
		/* runs that the candidate's own component (r_ij in noise_model.h) is compared with */
		if (e->cells[i].reference || is_source(b, i, SOURCE_CONTROL))
			values_add(&reference, own);
		if (is_source(b, i, SOURCE_CANDIDATE))
			values_add(&candidate, own);
	}
	double from = center_of(&reference, of_reference);
	return center_of(&candidate, of_candidate) - from;
}

static double own_variance(const struct noise_model *m, const struct entry *e,
                           const struct metric *metric, double *df)
{
	const struct bench *b = m->bench;
	struct values own = { 0 };
	for (size_t k = 0; k < b->nr_columns; k++) {
		size_t i = b->by_time[k];
		if (is_past_column(b, i) || is_source(b, i, SOURCE_CONTROL))
			values_add_of(&own, value_in(e, metric, i) - m->machine[i], b->columns[i].epoch);
	}
	return variance_of(&own, false, df);
}

/* The prior for the variance of the operators' own components r_ij (noise_model.h) if there are too
   few past runs. Most operators have not changed between the judged runs: their differences are
   noise. */
static struct noise_prior prior_of_today(const struct noise_model *m)
{
	double nr = (double)m->units.list.nr, share = 0.4 * nr, left = fmax(UNKNOWN_RUNS - share, 0);
	double of_reference = 1, of_candidate = 1, s2 = 0;
	struct values own = { 0 };
	for (size_t j = 0; j < m->units.list.nr; j++)
		values_add(
		    &own, own_change(m, &m->units.list.v[j], unit_metric(m), &of_reference, &of_candidate) -
		              m->rest);
	if (own.list.nr) {
		double mad = noise_mad(own.list.v, own.list.nr);
		s2 = mad * mad / (of_reference + of_candidate);
	}
	values_release(&own);
	return (struct noise_prior){ (share * s2 + left * unknown_own * unknown_own) / (share + left),
		                         share + left };
}

/* the number of degrees of freedom from which on an operator's past runs count in the estimate of
 * its variance; with fewer, only the prior counts */
enum { ENOUGH_FREE = 2 };

static void fill_prior(struct noise_model *m)
{
	struct values s2 = { 0 };
	double free = 0;
	for (size_t j = 0; j < m->units.list.nr; j++) {
		double df, one = own_variance(m, &m->units.list.v[j], unit_metric(m), &df);
		values_add(&s2, one);
		free = fmax(free, df);
	}
	m->own = free >= ENOUGH_FREE && s2.list.nr > 1 ? noise_prior_of(s2.list.v, s2.list.nr, free)
	                                               : prior_of_today(m);
	values_release(&s2);
}

static double moderated_own(const struct noise_model *m, const struct entry *e,
                            const struct metric *metric, double *df)
{
	double free, measured = own_variance(m, e, metric, &free);
	bool enough = free >= ENOUGH_FREE;
	double s2 = enough ? noise_moderated(m->own, measured, free) : m->own.s2;
	*df = m->own.df + (enough ? free : 0);
	return fmax(s2, least_own * least_own);
}

static void fill_shift(struct noise_model *m)
{
	const struct bench *b = m->bench;
	struct values of = { 0 }, rest = { 0 };
	double sum = 0, pairs = 0;
	for (size_t i = 0; i < b->nr_columns; i++) {
		size_t control = control_of(b, i);
		if (control < b->nr_columns && !isnan(m->machine[i] - m->machine[control])) {
			sum += m->machine[i] - m->machine[control];
			pairs++;
		}
	}
	for (size_t j = 0; j < m->units.list.nr; j++) {
		const struct entry *e = &m->units.list.v[j];
		struct values from = { 0 }, to = { 0 };
		for (size_t i = 0; i < b->nr_columns; i++) {
			if (e->cells[i].reference)
				values_add(&from, value_in(e, unit_metric(m), i));
			if (is_source(b, i, SOURCE_CANDIDATE))
				values_add(&to, value_in(e, unit_metric(m), i));
		}
		double level = center_of(&from, NULL);
		values_add(&of, center_of(&to, NULL) - level);
		values_add(&rest, own_change(m, e, unit_metric(m), NULL, NULL));
	}
	double together = median_over(&of), left = median_over(&rest);
	m->shift = pairs > 0 ? sum / pairs : isnan(together) ? 0 : together;
	m->rest = isnan(left) ? 0 : left;
}

/* Share of the operators' own variance that remains in the sum over all operators, in which
   independent noise partly cancels out: the sum of the squares of the operators' shares of the
   time. */
static double squares_of_shares(const struct noise_model *m)
{
	double sum = 0, squares = 0;
	for (size_t j = 0; j < m->units.list.nr; j++) {
		double v = (double)m->units.list.v[j].value[SIDE_BASELINE];
		sum += v;
		squares += v * v;
	}
	return sum > 0 ? squares / (sum * sum) : 1;
}

/* ---- the noise of today's machine ---- */

/* Share of the machine's variance that all runs of the candidate have in common. It is 1 if there
   is only one run, or if each was made TOGETHER with the first (environment_together()), and 0 if
   each was made APART from it. In other cases it is an assumed value. */
static double shared_by_repeats(const struct bench *b)
{
	const double unknown = 0.3;
	size_t together = 0, apart = 0, others = b->runs.nr_candidates - 1;
	for (size_t i = 1; i <= others; i++) {
		enum together t = environment_together(&b->runs.candidates[0], &b->runs.candidates[i]);
		together += t == TOGETHER;
		apart += t == APART;
	}
	return together == others ? 1 : apart == others ? 0 : unknown;
}

static bool is_busy(struct bench *b)
{
	const int64_t least = 95 * MICRO;
	const struct metric *metric = &metric_table[METRIC_GPU_UTILIZATION_PCT];
	struct query q = { .metric = metric, .stat = STAT_MEDIAN, .reduce = metric->reduce };
	struct entries e;
	bench_query(b, &q, &e);
	bool busy = e.list.nr > 0;
	for (size_t i = 0; i < e.list.nr; i++)
		for (int s = 0; s < NR_SIDES; s++)
			busy = busy && e.list.v[i].has[s] && e.list.v[i].value[s] > least;
	vec_release(&e.list);
	return busy;
}

/* ---- public functions ---- */

/* Divide the budget of false alarms among those families of metrics that have checks. A part of the
   budget is not spent, since assumed noise may be too small. The units must be known already, since
   the operators share the probability of their family. */
static void noise_budget(struct noise_model *m, const struct rules *rules)
{
	const double spent = 0.4;
	static const double weights[NR_FAMILIES] = { [FAMILY_MACHINE] = 0.3,
		                                         [FAMILY_OPERATORS] = 0.4,
		                                         [FAMILY_WALL] = 0.2,
		                                         [FAMILY_COMMUNICATION] = 0.1 };
	bool has[NR_FAMILIES] = { false };
	double all = 0;
	for (size_t i = 0; i < rules->rules.nr; i++) {
		const struct rule *rule = &rules->rules.v[i];
		if (rule->noise.k != 0 && rule_asks_noise(rule) &&
		    bench_has(m->bench, SIDE_BASELINE, rule->metric) &&
		    bench_has(m->bench, SIDE_CANDIDATE, rule->metric))
			has[metric_family(rule->metric)] = true;
	}
	for (int f = 0; f < NR_FAMILIES; f++)
		all += has[f] ? weights[f] : 0;
	for (int f = 0; f < NR_FAMILIES && all > 0; f++)
		m->alpha[f] = spent * (double)rules->noise.budget / 1e8 * weights[f] / all;
	if (m->units.list.nr)
		m->alpha[FAMILY_OPERATORS] /= (double)m->units.list.nr;
	m->has_machine = has[FAMILY_MACHINE];
}

void noise_model_init(struct noise_model *m, struct bench *b, const struct rules *rules)
{
	*m = (struct noise_model){ .bench = b };
	b->min_runs = rules->noise.min_runs;
	m->tick = b->tick_ns;
	noise_units_find(m);
	fill_machine(m);
	fill_shift(m);
	fill_prior(m);
	double sum = 0, df;
	for (size_t j = 0; j < m->units.list.nr; j++)
		sum += moderated_own(m, &m->units.list.v[j], unit_metric(m), &df);
	m->mean_own = m->units.list.nr ? sum / (double)m->units.list.nr : unknown_own * unknown_own;
	m->own_in_sum = squares_of_shares(m);
	noise_budget(m, rules);
	m->shared = shared_by_repeats(b);
	m->busy = is_busy(b);
}

void noise_model_release(struct noise_model *m)
{
	vec_release(&m->units.list);
	free(m->machine);
}

/* True for wall times of steps. If the GPUs are never idle, these vary hardly more than GPU time
 * does. */
static bool is_of_period(const struct metric *metric)
{
	return metric->id == METRIC_STEP_PERIOD || metric->id == METRIC_STEP_LATENCY ||
	       metric->id == METRIC_STEP_TIME || metric->id == METRIC_THROUGHPUT_STEPS;
}

/* The prior for the variance of `metric`. Except for wall times, it does not include the machine's
   part. */
static struct noise_prior prior_of(const struct noise_model *m, const struct metric *metric)
{
	switch (metric_family(metric)) {
	case FAMILY_WALL:
		/* the noise of a figure of result files that is neither a time nor a rate, such as an
		   accuracy, is known only from past runs */
		if (metric->need == NEED_INPUT && !figure_is_timed(metric))
			return (struct noise_prior){ 0 };
		return (struct noise_prior){ wall_seen * wall_seen, WALL_RUNS };
	case FAMILY_COMMUNICATION:
		return (struct noise_prior){ COMM_TIMES * m->mean_own, PAIR_RUNS };
	default:
		return (struct noise_prior){ m->mean_own * (1 + m->own_in_sum), PAIR_RUNS };
	}
}

/* The prior for the variance between single runs: `prior`, raised to what is assumed of the machine
   and of wall times. The more degrees of freedom the past runs have (`free`), the less is
   assumed. */
static struct noise_prior prior_of_runs(const struct noise_model *m, struct noise_prior prior,
                                        const struct metric *metric, double free)
{
	double unseen = fmax(MACHINE_FREE - free, 0) / MACHINE_FREE;
	enum family family = metric_family(metric);
	bool other = family == FAMILY_WALL && !is_of_period(metric);
	double first = family == FAMILY_MACHINE || (!other && m->busy) ? machine
	               : other                                         ? wall
	                                                               : wall_idle;
	if (family == FAMILY_MACHINE || (family == FAMILY_WALL && prior.df > 0)) {
		prior.s2 = fmax(prior.s2, unseen * first * first);
		prior.df = MACHINE_RUNS + (other ? WALL_RUNS - MACHINE_RUNS : FIRST_RUNS) * unseen;
	}
	return prior;
}

/* Estimate the change from pairs of a candidate's run and a control run. The state of the machine
   cancels out in a pair. False if there are no pairs. */
static bool estimate_pairs(const struct noise_model *m, const struct entry *e,
                           const struct metric *metric, struct noise_prior prior,
                           struct estimate *out)
{
	const struct bench *b = m->bench;
	struct values pairs = { 0 };
	double sum = 0, squares = 0;
	for (size_t i = 0; i < b->nr_columns; i++) {
		size_t control = control_of(b, i);
		if (control < b->nr_columns)
			values_add(&pairs, value_in(e, metric, i) - value_in(e, metric, control));
	}
	double nr = (double)pairs.list.nr;
	for (size_t i = 0; i < pairs.list.nr; i++)
		sum += pairs.list.v[i];
	for (size_t i = 0; i < pairs.list.nr; i++) {
		double off = pairs.list.v[i] - sum / nr;
		squares += off * off;
	}
	values_release(&pairs);
	if (nr == 0)
		return false;
	out->by = out->own = sum / nr;
	out->pair = (prior.df * prior.s2 + squares) / (prior.df + nr - 1);
	out->df = prior.df + nr - 1;
	out->se = sqrt(out->pair / nr);
	return true;
}

/* Value of the run in `column`. If several past runs were made together, they count as one: the
   first of them has the mean of all, the others have NAN. */
static double value_once(const struct bench *b, const struct entry *e, const struct metric *metric,
                         size_t column)
{
	const struct past_run *past = b->columns[column].past;
	const char *name = past ? past->together : NULL;
	double sum = 0, nr = 0;
	for (size_t i = 0; i < b->nr_columns && name; i++) {
		const struct past_run *other = b->columns[i].past;
		double value = value_in(e, metric, i);
		if (!other || !other->together || strcmp(other->together, name) != 0 || isnan(value))
			continue;
		if (i < column)
			return NAN;
		sum += value;
		nr++;
	}
	return nr > 0 ? sum / nr : value_in(e, metric, column);
}

/* Estimate the change of a figure from its own runs and from a prior, without other figures. */
static void estimate_figure(const struct noise_model *m, const struct entry *e,
                            const struct metric *metric, bool since_pin, struct estimate *out)
{
	const struct bench *b = m->bench;
	enum family family = metric_family(metric);
	struct noise_prior prior = prior_of(m, metric);
	struct values from = { 0 }, to = { 0 }, past = { 0 };
	double df, of_candidate;
	for (size_t k = 0; k < b->nr_columns; k++) {
		size_t i = b->by_time[k];
		double value =
		    family == FAMILY_COMMUNICATION ? value_in(e, metric, i) : value_once(b, e, metric, i);
		if (since_pin ? is_source(b, i, SOURCE_PIN) : e->cells[i].reference)
			values_add(&from, value);
		if (is_source(b, i, SOURCE_CANDIDATE))
			values_add(&to, value);
		if (is_past_column(b, i))
			values_add_of(&past, value, b->columns[i].epoch);
	}
	double level = center_of(&from, &out->baseline);
	out->by = out->own = center_of(&to, &of_candidate) - level;
	double measured = variance_of(&past, true, &df);
	/* the variance is at least the one that follows from the number of samples in a run */
	double least = noise_of_samples(b, metric, e->label);
	struct noise_prior of_runs = prior_of_runs(m, prior, metric, df);
	out->variance =
	    fmax(noise_moderated(of_runs, measured, df), fmax(least, noise_of_share(b, e, metric)));
	out->df = of_runs.df + df;
	out->shared = family == FAMILY_COMMUNICATION ? 0 : m->shared;
	out->se =
	    sqrt(out->variance * (out->shared + (1 - out->shared) * of_candidate + out->baseline));
	bool busy = is_of_period(metric) && m->busy;
	/* from here on, `prior` is the prior for the variance of the difference within a pair */
	prior.s2 = family == FAMILY_COMMUNICATION ? 2 * out->variance : prior.s2 / 2;
	if (family == FAMILY_WALL && prior.df > 0)
		prior.s2 = fmin(busy ? wall_seen * wall_seen : wall * wall / 2, 2 * out->variance);
	prior.df = fmin(prior.df, PAIR_RUNS);
	out->pair = prior.s2;
	if (!since_pin && estimate_pairs(m, e, metric, prior, out) && out->pair < 2 * least) {
		out->pair = 2 * least;
		out->se = sqrt(out->pair / (double)b->runs.nr_controls);
	}
}

/* Estimate the change of one operator in comparison with all operators. */
static void estimate_own(const struct noise_model *m, const struct entry *e,
                         const struct metric *metric, struct estimate *out)
{
	double of_candidate;
	out->own = own_change(m, e, metric, &out->baseline, &of_candidate) - m->rest;
	out->by = out->own + m->shift;
	double tick = metric == unit_metric(m) ? noise_unit_tick(m, e) : 0;
	out->variance = fmax(moderated_own(m, e, metric, &out->df), tick * tick);
	out->pair = 2 * out->variance;
	out->se = sqrt(out->variance * (of_candidate + out->baseline));
}

struct estimate noise_estimate(const struct noise_model *m, const struct entry *e,
                               const struct metric *metric, bool since_pin)
{
	struct estimate out = { 0 };
	if (metric_family(metric) == FAMILY_OPERATORS && !since_pin && m->has_machine)
		estimate_own(m, e, metric, &out);
	else
		estimate_figure(m, e, metric, since_pin, &out);
	out.known = isfinite(out.by) && isfinite(out.se) && out.se > 0;
	return out;
}
