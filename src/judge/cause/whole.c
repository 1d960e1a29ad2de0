/* Detectors for changes of the whole run: slow steps, another batch size, all kernels slower. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "cause/suspect.h"
#include "model/fold.h"
#include "model/step_figures.h"

/* ---- slow steps ---- */

/* How much more the mean and the maximum of a metric over steps rose than its median, in ns. */
struct tail {
	int64_t mean, most;
};

static struct tail tail_rise(struct inquiry *q, enum metric_id id)
{
	struct both median = inquiry_figure(q, id), mean = inquiry_stat(q, id, STAT_MEAN);
	struct both most = inquiry_stat(q, id, STAT_MAX);
	struct tail t = { 0 };
	if (!median.known || !mean.known || !most.known)
		return t;
	t.mean = number_sub(both_rise(mean), both_rise(median));
	t.most = number_sub(both_rise(most), both_rise(median));
	return t;
}

/* The numbers of the slow steps of one rank of the candidate, which has `of` steps in all. */
struct slow_steps {
	VEC(int64_t) numbers;
	size_t of;
	int64_t median, mean; /* in ns: median over all steps; mean over the slow steps */
};

static void find_slow(struct inquiry *q, enum metric_id id, struct slow_steps *out)
{
	const struct run *run = q->bench->run[SIDE_CANDIDATE];
	for (size_t r = 0; r < run->ranks.nr && !out->numbers.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		if (!digest_has_steps(d, id) || d->summaries.nr ||
		    !digest_step_stat(d, id, STAT_MEDIAN, &out->median))
			continue;
		struct step_samples s = digest_samples(d, id, &q->bench->arena);
		__int128 sum = 0;
		out->of = s.usable;
		for (size_t i = 0; i < s.usable; i++)
			if (step_is_slow(s.value[i], out->median)) {
				vec_push(&out->numbers, s.step[i]);
				sum += s.value[i];
			}
		if (out->numbers.nr)
			out->mean = number_div_round(sum, (__int128)out->numbers.nr);
	}
}

/* Text such as "steps 4, 8, 12: one in 4"; "one in 4" is added only if the distances are equal. */
static const char *which_steps(struct inquiry *q, const struct slow_steps *s)
{
	enum { NAMED = 6 };
	struct strbuf b = STRBUF_INIT;
	int64_t gap = s->numbers.nr > 1 ? s->numbers.v[1] - s->numbers.v[0] : 0;
	for (size_t i = 2; i < s->numbers.nr && gap; i++)
		gap = s->numbers.v[i] - s->numbers.v[i - 1] == gap ? gap : 0;
	strbuf_adds(&b, s->numbers.nr > 1 ? "steps" : "step");
	for (size_t i = 0; i < s->numbers.nr && i < NAMED; i++)
		strbuf_addf(&b, "%s %" PRId64, i ? "," : "", s->numbers.v[i]);
	if (s->numbers.nr > NAMED)
		strbuf_adds(&b, ", …");
	if (gap > 1)
		strbuf_addf(&b, ": one in %" PRId64, gap);
	return arena_take(q->a, &b);
}

/* Figures that may explain slow steps. One does if its mean rose beyond its median by at least half
   as much as the mean of the step's time rose beyond its median. */
static const struct {
	enum metric_id id;
	const char *what;
} tails[] = {
	{ METRIC_STEP_DATALOADER_TIME, "the data loader" },
	{ METRIC_STEP_COMPUTE_TIME, "compute" },
	{ METRIC_STEP_CUDA_TIME, "GPU activities" },
	{ METRIC_STEP_EXPOSED_COMM_TIME, "exposed communication" },
	{ METRIC_STEP_MEMCPY_TIME, "memory copies" },
	{ METRIC_STEP_SYNC_TIME, "synchronization" },
	{ METRIC_STEP_IDLE_TIME, "an idle GPU" },
};

static void add_slow_steps(struct inquiry *q, enum metric_id id, const struct slow_steps *slow,
                           struct tail rise)
{
	struct suspect *s = suspect_add(q, CAUSE_SLOW_STEPS);
	const char *which = which_steps(q, slow), *what = NULL;
	for (size_t i = 0; i < NR_OF(tails); i++) {
		struct tail part = tail_rise(q, tails[i].id);
		s->stake[metric_table[tails[i].id].stake] = at_least_0(part.mean);
		if (!what && part.mean >= rise.mean / 2) {
			what = tails[i].what;
			suspect_say(q, s, "%s has %s of it", what, unit_text(q->a, UNIT_NS, part.mean));
		}
	}
	suspect_title(q, s, "%zu of %zu steps are slow: %s where the median is %s (%s)%s%s",
	              slow->numbers.nr, slow->of, unit_text(q->a, UNIT_NS, slow->mean),
	              unit_text(q->a, UNIT_NS, slow->median), which, what ? ", in " : "",
	              what ? what : "");
	if (id == METRIC_STEP_PERIOD)
		suspect_figure(q, s, inquiry_figure(q, METRIC_SLOW_STEPS_PCT));
	else
		suspect_figure(q, s, inquiry_stat(q, id, STAT_P95));
	suspect_cost(s, rise.mean);
	suspect_action(q, s, "look at what happens in these steps only: %s",
	               what && *what == 't'
	                   ? "the data loader's workers and prefetch, a new shard or epoch"
	                   : "logging, checkpoints, evaluation, garbage collection, "
	                     "another shape of input");
	s->stake[STAKE_TAIL] = rise.most;
	s->stake[STAKE_WALL] = rise.mean;
}

void suspect_steps(struct inquiry *q)
{
	static const enum metric_id ids[] = { METRIC_STEP_PERIOD, METRIC_STEP_LATENCY, METRIC_STEP_TIME,
		                                  METRIC_STEP_COMPUTE_TIME };
	for (size_t i = 0; i < NR_OF(ids); i++) {
		struct tail rise = tail_rise(q, ids[i]);
		struct both median = inquiry_figure(q, ids[i]);
		struct slow_steps slow = { 0 };
		if (rise.mean > median.v[SIDE_BASELINE] / 50)
			find_slow(q, ids[i], &slow);
		bool any = slow.numbers.nr && slow.numbers.nr * 2 < slow.of;
		if (any)
			add_slow_steps(q, ids[i], &slow, rise);
		vec_release(&slow.numbers);
		if (any)
			return;
	}
}

/* ---- one factor for all kernels ---- */

/* If all times grew by a smaller factor, the reason may be noise. */
#define NOTABLE 1.012

/* A kernel that both sides have. `ratio`: the candidate's value divided by the baseline's, either
 * of the mean duration or of the number of blocks in the grid. `weight`: time of the kernel in the
 * baseline. */
struct shift {
	double weight, ratio;
};

ORDERING(shift_cmp, struct shift, RISING(ratio))

struct shifts {
	VEC(struct shift) list;
	double weight, heaviest; /* sum and maximum of all weights in the list */
	double all; /* time of all computation in the baseline, including kernels that are gone */
};

/* Median of the ratios, each weighted by the kernel's time in the baseline; 1 if there are none. */
static double shifts_median(struct shifts *s)
{
	double below = 0;
	vec_sort(&s->list, shift_cmp);
	for (size_t i = 0; i < s->list.nr; i++) {
		below += s->list.v[i].weight;
		if (below * 2 >= s->weight)
			return s->list.v[i].ratio;
	}
	return 1;
}

/* True if the kernels with a ratio within `reach` of `center` make up most of the work. They must
   do so also without the heaviest kernel, since `center` is a median, which that kernel may
   determine by itself. */
static bool shifts_agree(const struct shifts *s, double center, double reach)
{
	enum { LEAST_KERNELS = 4 };
	double alike = 0, heaviest = 0;
	size_t nr = 0;
	for (size_t i = 0; i < s->list.nr; i++) {
		double by = s->list.v[i].ratio - center;
		if (by > reach || by < -reach)
			continue;
		nr++;
		alike += s->list.v[i].weight;
		heaviest = s->list.v[i].weight > heaviest ? s->list.v[i].weight : heaviest;
	}
	double rest = s->weight - s->heaviest,
	       rest_alike = alike - (heaviest < s->heaviest ? 0 : heaviest);
	return nr >= LEAST_KERNELS && alike >= 0.7 * s->weight && s->weight >= 0.5 * s->all &&
	       rest_alike >= 0.6 * rest;
}

/* The candidate's mean duration of the kernel, divided by the baseline's; -1 if unknown. */
static double mean_ratio(const struct activity_pair *a)
{
	bool known = a->count[SIDE_CANDIDATE] > 0 && pair_mean(a, SIDE_BASELINE) > 0;
	return known ? pair_mean(a, SIDE_CANDIDATE) / pair_mean(a, SIDE_BASELINE) : -1;
}

/* Number of blocks in a grid; 0 if unknown. */
static double grid_of(const struct kernel_row *k)
{
	double n = 1;
	for (int i = 0; k && i < 3; i++)
		n *= k->stat.grid[i] > 0 ? (double)k->stat.grid[i] : 0;
	return k ? n : 0;
}

static double grid_ratio(const struct activity_pair *a)
{
	double before = grid_of(a->row[SIDE_BASELINE]), now = grid_of(a->row[SIDE_CANDIDATE]);
	return before > 1 && now > 0 ? now / before : -1;
}

static void collect(const struct inquiry *q, double (*ratio_of)(const struct activity_pair *a),
                    struct shifts *out)
{
	for (size_t i = 0; i < q->pairs.list.nr; i++) {
		const struct activity_pair *a = &q->pairs.list.v[i];
		if (!pair_is_compute(a))
			continue;
		struct shift one = { (double)a->time_ns[SIDE_BASELINE], ratio_of(a) };
		out->all += one.weight;
		if (one.ratio < 0)
			continue;
		vec_push(&out->list, one);
		out->weight += one.weight;
		out->heaviest = one.weight > out->heaviest ? one.weight : out->heaviest;
	}
}

static void stake_all_work(struct inquiry *q, struct suspect *s)
{
	static const enum metric_id work[] = {
		METRIC_STEP_PERIOD,    METRIC_STEP_COMPUTE_TIME,      METRIC_STEP_CUDA_TIME,
		METRIC_STEP_COMM_TIME, METRIC_STEP_EXPOSED_COMM_TIME, METRIC_STEP_MEMCPY_TIME
	};
	struct both time = inquiry_figure(q, METRIC_STEP_COMPUTE_TIME);
	int64_t compute = both_rise(time);
	for (size_t i = 0; i < NR_OF(work); i++)
		s->stake[metric_stake(&metric_table[work[i]])] =
		    at_least_0(both_rise(inquiry_figure(q, work[i])));
	number_lower(&s->stake[STAKE_WALL], compute > 0 ? compute + compute / 2 : 0);
	s->stake[STAKE_TAIL] = s->stake[STAKE_COMPUTE];
	suspect_figure(q, s, time);
	suspect_cost(s, compute);
}

/* Find another batch size or sequence length. Unlike a slower clock, it changes the grids of
   kernels. False if batch and sequence seem to be those of the baseline. */
static bool find_batch(struct inquiry *q)
{
	struct shifts grids = { 0 };
	collect(q, grid_ratio, &grids);
	double by = shifts_median(&grids);
	double reach = (by > 1 ? by - 1 : 1 - by) / 2;
	bool found = reach > 0.02 && shifts_agree(&grids, by, reach);
	vec_release(&grids.list);
	if (!found)
		return false;
	struct suspect *s = suspect_add(q, CAUSE_BATCH);
	struct both compute = inquiry_figure(q, METRIC_STEP_COMPUTE_TIME);
	suspect_title(q, s,
	              "the work of a step is scaled (batch, sequence or model): grids of most kernels "
	              "%s, compute %s",
	              word_times(q, by), word_times(q, both_ratio(compute)));
	struct both bytes = inquiry_figure(q, METRIC_STEP_MEMCPY_BYTES);
	if (bytes.known && bytes.v[SIDE_BASELINE] > 0)
		suspect_say(q, s, "copies move %s as many bytes per %s", word_times(q, both_ratio(bytes)),
		            q->step);
	suspect_action(q, s,
	               "compare batch size, sequence length and model of both runs; if it is meant, "
	               "record a baseline of its own (workload)");
	stake_all_work(q, s);
	s->stake[STAKE_KERNELS] = s->stake[STAKE_LOADER] = s->stake[STAKE_IDLE] = 1;
	return true;
}

/* Add evidence on the clocks and on throttling, if the state of the GPUs was recorded. */
static void say_clocks(struct inquiry *q, struct suspect *s)
{
	const struct run *run = run_ranks(q->bench->run[SIDE_CANDIDATE]);
	struct both clock = inquiry_figure(q, METRIC_MACHINE_SM_CLOCK);
	if (clock.known && clock.v[SIDE_BASELINE] > 0)
		suspect_say(q, s, "SM clock %s → %s (%s)", unit_text(q->a, UNIT_HZ, clock.v[SIDE_BASELINE]),
		            unit_text(q->a, UNIT_HZ, clock.v[SIDE_CANDIDATE]),
		            unit_relative(q->a, number_pct(both_rise(clock), clock.v[SIDE_BASELINE])));
	for (size_t i = 0; i < run->ranks.nr; i++)
		for (size_t k = 0; k < run->ranks.v[i]->machines.nr; k++) {
			const struct machine_stat *m = &run->ranks.v[i]->machines.v[k];
			if (!m->reasons)
				continue;
			suspect_say(q, s, "GPU %s was throttled: %s", text_line(q->a, span_of(m->id)),
			            text_line(q->a, span_of(m->reasons)));
			return;
		}
}

static void find_uniform(struct inquiry *q, double by)
{
	/* the median step must have risen, too, since a few slow steps are enough to raise the mean
	 * times of kernels. This is not asked if the gate has found that all operators changed by one
	 * factor */
	struct both compute = inquiry_figure(q, METRIC_STEP_COMPUTE_TIME);
	if (!q->out->uniform.found && both_ratio(compute) - 1 < (by - 1) / 3)
		return;
	struct suspect *s = suspect_add(q, CAUSE_UNIFORM);
	struct both wall = inquiry_figure(q, METRIC_STEP_PERIOD);
	bool beside = both_ratio(wall) > 0 && both_ratio(wall) < 1 - (by - 1) / 4;
	suspect_title(q, s,
	              beside ? "every kernel is slower by %s, while the step is shorter: kernels share "
	                       "the GPU"
	                     : "every kernel is slower by %s: the clock, a power cap or another GPU "
	                       "rather than code",
	              unit_text(q->a, UNIT_PCT, number_pct((__int128)((by - 1) * 1e6), 1000000)));
	stake_all_work(q, s);
	/* the cost does not include the time of new kernels */
	double part = (by - 1) * (double)compute.v[SIDE_BASELINE];
	suspect_cost(s, part < (double)both_rise(compute) ? (int64_t)(part + 0.5) : both_rise(compute));
	if (beside) {
		suspect_action(q, s,
		               "look at the streams: kernels seem to run beside each other; if that "
		               "is meant, the wall time tells what it brings");
		return;
	}
	suspect_say(q, s,
	            "launches and grids are those of the baseline; most of the kernels' time moved "
	            "by the same factor");
	say_clocks(q, s);
	int64_t mhz = inquiry_figure(q, METRIC_MACHINE_SM_CLOCK).v[SIDE_BASELINE] / MICRO;
	const char *lock = mhz > 0 ? arena_printf(q->a,
	                                          "at the baseline's %" PRId64 " MHz ('nvidia-smi -lgc "
	                                          "%" PRId64 ",%" PRId64 "')",
	                                          mhz, mhz, mhz)
	                           : "('nvidia-smi -lgc MHZ')";
	suspect_action(q, s,
	               "look at clocks, power cap and temperature of the GPU ('nvidia-smi -q -d "
	               "CLOCK,PERFORMANCE'), lock the clocks %s and record again",
	               lock);
}

void suspect_kinds(struct inquiry *q)
{
	const int64_t *steps = q->bench->kinds.steps[1];
	int64_t all = 0;
	for (int p = NR_INNER_PHASES; p < NR_PHASES; p++)
		all = number_add(all, steps[p]);
	for (int p = NR_INNER_PHASES; p < NR_PHASES; p++) {
		q->phase = q->bench->kinds.apart[p] ? phase_names[p] : NULL;
		struct both compute = inquiry_figure(q, METRIC_STEP_COMPUTE_TIME);
		struct both wall = inquiry_figure(q, METRIC_STEP_PERIOD);
		struct both comm = inquiry_figure(q, METRIC_STEP_PERIOD_EXPOSED_COMM);
		bool of_gpu = both_ratio(compute) >= NOTABLE, blamed = false;
		bool of_comm = both_rise(comm) >= both_rise(wall) / 2;
		/* `blamed`: true if an earlier suspect, such as a kernel, lies in steps of this kind */
		for (size_t i = 0; q->phase && i < q->suspects.nr; i++)
			blamed = blamed || suspect_has_place(&q->suspects.v[i], PLACE_PHASE, q->phase);
		if (!q->phase || (!of_gpu && both_ratio(wall) < NOTABLE) || blamed)
			continue;
		struct suspect *s = suspect_add(q, CAUSE_SLOW_STEPS);
		suspect_title(q, s, "each %s step is slower, in %s", q->phase,
		              of_gpu    ? "compute"
		              : of_comm ? "communication"
		                        : "what the host does");
		if (step_kinds_other_mix(&q->bench->kinds))
			suspect_say(q, s,
			            "the runs have the kinds of steps in other shares, so that kernels and "
			            "operators do not compare");
		suspect_action(q, s,
		               p == PHASE_UPDATE ? "look at what only these steps run, such as the "
		                                   "optimizer and the reduction of gradients"
		                                 : "compare what these steps work on (requests, tokens, "
		                                   "shapes) and the code that only they run");
		suspect_where(q, s, PLACE_PHASE, span_of(q->phase));
		stake_all_work(q, s);
		/* costs are means over all steps, not only over the steps of this kind */
		suspect_cost(
		    s, number_div_round((__int128)both_rise(of_gpu ? compute : wall) * steps[p], all));
		if (of_gpu)
			continue;
		s->stake[STAKE_WALL] = both_rise(wall);
		suspect_figure(q, s, wall);
	}
	q->phase = NULL;
}

void suspect_whole(struct inquiry *q)
{
	struct shifts means = { 0 };
	collect(q, mean_ratio, &means);
	double by = shifts_median(&means), reach = (by > 1 ? by - 1 : 1 - by) * 0.45;
	bool alike = shifts_agree(&means, by, reach > 0.01 ? reach : 0.01);
	vec_release(&means.list);
	if (q->out->uniform.found)
		by = 1 + (double)q->out->uniform.pct / 1e8;
	if (find_batch(q)) {
		q->common = by > 1 ? by : 1;
	} else if (q->out->uniform.found || (alike && by >= NOTABLE)) {
		q->common = by;
		if (!inquiry_has(q, CAUSE_SLOW_RANK))
			find_uniform(q, by);
	}
}
