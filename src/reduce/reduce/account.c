#include "reduce/account.h"

#include "base/number.h"
#include "reduce/reducer.h"

/* An activity counts as untimed if it begins by more than this time before its launch. It also
 * counts as untimed if it begins and ends at 0, or begins at 0 or earlier and by more than this
 * time before the first host event. */
enum { UNTIMED_FROM_NS = 1000000000 };

static bool is_before(const struct activity *a, int64_t ns)
{
	return (__int128)ns - a->start_ns > UNTIMED_FROM_NS;
}

/* True if the activity begins more than 1 s before its launch at `ns`. Also true if it has no
 * duration and begins more than CLOCK_TICK_MAX before its launch, but not after the first host
 * event. */
static bool is_early(const struct reducer *r, const struct activity *a, int64_t ns)
{
	return is_before(a, ns) || (a->dur == 0 && a->start_ns <= r->host_first_ns &&
	                            (__int128)ns - a->start_ns > CLOCK_TICK_MAX);
}

static void take_time(struct reducer *r, struct activity *a, int64_t start_ns)
{
	int64_t dur = activity_dur(&r->gpu, a);
	r->gpu.total_ns -= dur;
	activity_name(&r->gpu, a)->stat.total_ns -= dur;
	a->untimed = true;
	a->dur = 0;
	a->start_ns = start_ns;
}

void account_untime(struct reducer *r)
{
	bool others = r->first_ns <= r->last_ns;
	r->host_first_ns = r->first_ns;
	r->host_last_ns = r->last_ns;
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		struct activity *a = &r->gpu.activities.v[i];
		if ((a->start_ns == 0 && a->dur == 0) ||
		    (others && a->start_ns <= 0 && is_before(a, r->host_first_ns))) {
			take_time(r, a, NO_START);
		} else {
			number_lower(&r->first_ns, a->start_ns);
			number_raise(&r->last_ns, activity_end(&r->gpu, a));
		}
	}
}

void account_launched(struct reducer *r, struct trust_counts *t)
{
	int64_t first_ns = r->host_first_ns;
	for (size_t i = 0; i < r->gpu.activities.nr; i++) {
		struct activity *a = &r->gpu.activities.v[i];
		const struct host_span *launch = activity_launch(r, a);
		int64_t at_ns = launch ? span_start(&r->host, launch) : a->start_ns;
		if (launch && is_early(r, a, at_ns)) {
			take_time(r, a, at_ns);
		} else if (at_ns - a->start_ns > CLOCK_TICK_MAX) {
			t->early++;
			number_raise(&t->early_ns, at_ns - a->start_ns);
		}
		number_lower(&first_ns, a->start_ns);
	}
	r->first_ns = first_ns;
}

static bool same_device(const struct gpu_events *g, const struct activity *a,
                        const struct activity *b)
{
	return idmap_pair_first(g->lanes.keys.v[activity_lane(g, a)]) ==
	       idmap_pair_first(g->lanes.keys.v[activity_lane(g, b)]);
}

/* True if `b`, which follows `a` in order of start, is the same activity, recorded a second time.
 * With a clock of whole microseconds, different small kernels of one graph launch may have the same
 * start and duration, so kernels of graphs are not taken for the same then. A call that launches a
 * single kernel cannot have a second one. Two records of its kernel may therefore differ by
 * rounding, and in the stream. */
static bool is_twice(const struct reducer *r, const struct activity *a, const struct activity *b)
{
	const struct gpu_events *g = &r->gpu;
	const struct host_span *launch = activity_launch(r, b);
	const struct host_name *call = launch ? span_name(&r->host, launch) : NULL;
	bool alone = call && call->kernel_launch;
	if (activity_name(g, a) != activity_name(g, b) ||
	    activity_correlation(r, a) != activity_correlation(r, b) ||
	    (a->row != b->row && !(alone && same_device(g, a, b))))
		return false;
	if (alone && b->start_ns < activity_end(&r->gpu, a))
		return true;
	return a->start_ns == b->start_ns && activity_dur(g, a) == activity_dur(g, b) &&
	       (alone || r->gpu.tick_ns < CLOCK_TICK_MAX || !call || !call->launch);
}

/* Estimated time of untimed activities. Each is estimated to take the mean time of the timed
 * activities of its name or, if the name has none, of all timed activities, whose number is
 * `timed`. `untimed` has the number of untimed activities of each name. */
static int64_t untimed_ns(const struct reducer *r, const int64_t *untimed, int64_t timed)
{
	int64_t sum = 0;
	for (size_t i = 0; i < r->gpu.names.nr && timed > 0; i++) {
		const struct kernel_stat *k = &r->gpu.names.v[i].stat;
		int64_t own = k->count - untimed[i];
		__int128 ns = (__int128)untimed[i] * (own > 0 ? k->total_ns : r->gpu.total_ns);
		sum = number_add(sum, number_div_round(ns, own > 0 ? own : timed));
	}
	return sum;
}

/* True if the `zeros` activities of one name that last 0 ns were not timed, since no activity takes
 * less than 1 ns. `whole`: all durations are in whole microseconds, so that short ones are rounded
 * to 0. The result is then true only if the other activities of the name take 10 us or more on
 * average. False if starts, too, are in whole microseconds. */
static bool is_hollow(const struct gpu_events *g, bool whole, const struct kernel_stat *k,
                      int64_t zeros)
{
	return g->tick_ns < CLOCK_TICK_MAX &&
	       (!whole ||
	        (k->count > zeros && k->total_ns >= (k->count - zeros) * 10 * CLOCK_TICK_MAX));
}

void account_figures(struct reducer *r, struct trust_counts *t)
{
	const struct gpu_events *g = &r->gpu;
	const struct activity *last = NULL;
	int64_t *untimed = mem_calloc(g->names.nr, sizeof *untimed);
	int64_t *zeros = mem_calloc(g->names.nr, sizeof *zeros);
	bool whole = g->total_ns > 0;
	for (size_t i = 0; i < g->activities.nr; i++) {
		const struct activity *a = &g->activities.v[i];
		whole = whole && activity_dur(g, a) % CLOCK_TICK_MAX == 0;
		zeros[activity_name(g, a) - g->names.v] += !a->dur;
	}
	for (size_t i = 0; i < g->activities.nr; i++) {
		const struct activity *a = &g->activities.v[i];
		int64_t dur = activity_dur(g, a);
		size_t name = (size_t)(activity_name(g, a) - g->names.v);
		if (a->untimed || (!dur && is_hollow(g, whole, &g->names.v[name].stat, zeros[name]))) {
			untimed[name]++;
			t->untimed++;
		} else if (last && is_twice(r, last, a)) {
			t->twice++;
			t->twice_ns += dur;
		} else {
			t->timed++;
			last = a;
		}
		if (a->step != NO_ID)
			t->cut_ns += steps_usable(&r->steps, a->step) == NO_ID ? dur : 0;
		else if (a->before)
			t->before_ns += dur;
		else if (!a->has_launch)
			t->unknown_ns += dur;
	}
	t->untimed_ns = untimed_ns(r, untimed, t->timed + t->twice);
	free(zeros);
	free(untimed);
}
