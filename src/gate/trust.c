#include "gate/trust.h"

#include <inttypes.h>

#include "gate/trust_finding.h"
#include "gate/words.h"

static bool spoils_all(const struct metric *m)
{
	(void)m;
	return true;
}

static bool is_of_gpu(const struct metric *m)
{
	return m->need == NEED_GPU || m->need == NEED_COMM;
}

static bool is_kernel_figure(const struct metric *m)
{
	return m->label == LABEL_KERNEL || m->label == LABEL_CATEGORY || m->label == LABEL_DIRECTION ||
	       m->label == LABEL_PAIR;
}

/* Formed from what is attributed to steps; so are the rates, from step.time. */
static bool is_per_step(const struct metric *m)
{
	return metric_is_step(m) || is_kernel_figure(m) || m->label == LABEL_OP ||
	       (m->label == LABEL_NONE && m->id != METRIC_COMM_OVERLAP_PCT);
}

/* Launches are lost with the activities: the host's figures on them are short too. */
static bool is_attributed(const struct metric *m)
{
	return (is_of_gpu(m) && is_per_step(m)) ||
	       (m->id >= METRIC_STEP_LAUNCH_TIME && m->id <= METRIC_STEP_SYNC_COUNT);
}

/* Sums of durations: what overlaps on one stream counts twice in them. */
static bool is_sum(const struct metric *m)
{
	return (m->id >= METRIC_STEP_CUDA_TIME && m->id <= METRIC_STEP_COMM_TIME) ||
	       (is_kernel_figure(m) && !m->exact);
}

/* Means over all measured steps: the digest cannot take one step out of them. */
static bool is_mean_over_steps(const struct metric *m)
{
	return is_kernel_figure(m) || m->label == LABEL_OP;
}

/* All that a trace records. */
static bool is_of_trace(const struct metric *m)
{
	return m->need != NEED_MEMORY;
}

static const char *share(struct arena *a, int64_t part, int64_t whole)
{
	return word_figure(a, UNIT_PCT, number_pct(part, whole));
}

size_t trust_usable_steps(const struct digest *d)
{
	if (d->window || d->nr_steps < 3)
		return d->nr_steps;
	int64_t *sorted = mem_calloc(d->nr_steps, sizeof *sorted);
	memcpy(sorted, d->step_activities, d->nr_steps * sizeof *sorted);
	int64_t median = number_median(sorted, d->nr_steps);
	free(sorted);
	bool is_short = (__int128)d->step_activities[d->nr_steps - 1] * 2 < median;
	return d->nr_steps - (is_short ? 1 : 0);
}

static void find_lost(const struct trust_scope *s, const struct trust_counts *t)
{
	struct arena *a = &s->out->arena;
	if (t->gpu_events == 0)
		trust_add(s, "no-gpu-activity", is_of_gpu,
		          "has no GPU activity: was CUDA or HIP activity recorded?");
	/* where no launch at all was recorded, none was lost: start times stand in */
	bool has_launches = t->with_launch > 0 || t->launches > 0;
	if (has_launches && trust_is_notable(t->dropped_ns, t->gpu_ns))
		trust_add(s, "dropped-kernels", is_attributed,
		          "has %" PRId64 " GPU activities whose launch was lost, %s of its GPU time",
		          t->dropped, share(a, t->dropped_ns, t->gpu_ns));
	if (trust_is_notable(t->launches_without_kernel, t->launches))
		trust_add(s, "lost-kernels", is_attributed,
		          "has %" PRId64 " of %" PRId64 " kernel launches without a kernel",
		          t->launches_without_kernel, t->launches);
	if (trust_is_notable(t->overlap_ns, t->gpu_ns))
		trust_add(
		    s, "overlapping-activities", is_sum,
		    "has activities that overlap on one stream for %s of its GPU time: sums count it twice",
		    share(a, t->overlap_ns, t->gpu_ns));
}

static void find_steps(const struct trust_scope *s, const struct digest *d, int64_t min_steps)
{
	size_t usable = trust_usable_steps(d);
	if (usable < d->nr_steps)
		trust_add(s, "short-last-step", is_mean_over_steps,
		          "ends within a step: step %" PRId64 " has %" PRId64
		          " GPU activities, less than half of what is usual; step figures leave it out, "
		          "means over steps cannot: record one step more",
		          d->step_numbers[usable], d->step_activities[usable]);
	if (!d->window && (min_steps > 0 ? (uint64_t)usable < (uint64_t)min_steps : usable == 0))
		trust_add(s, "too-few-steps", is_per_step,
		          "has %zu usable steps after warm-up, and the rules want %" PRId64, usable,
		          min_steps > 0 ? min_steps : 1);
}

static void find_damage(const struct trust_scope *s, const struct trust_counts *t)
{
	if (t->truncated)
		trust_add(s, "truncated", spoils_all, "was cut short: what came after is not known");
	if (t->partial)
		trust_add(s, "partial", spoils_all, "was read in part only");
	if (t->malformed > 0)
		trust_add(s, "malformed-events", NULL,
		          "has %" PRId64 " events without a usable time, left out", t->malformed);
	if (t->json_faults > 0)
		trust_add(s, "json-faults", NULL,
		          "has %" PRId64 " faults of JSON that were read over, the first at byte %" PRId64,
		          t->json_faults, t->fault_byte);
	if (t->negative_durations > 0)
		trust_add(s, "negative-durations", NULL,
		          "has %" PRId64 " events of negative duration, taken as 0", t->negative_durations);
}

/* ---- one side, both sides ---- */

static bool has_trace(const struct digest *d)
{
	return d->trace || !d->snapshot || d->nr_steps || d->kernels.nr;
}

bool trust_any_trace(const struct run *run)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		if (has_trace(run->ranks.v[i]))
			return true;
	return false;
}

struct expected {
	bool trace; ///< some rank of some side has one
	int64_t min_steps;
};

static void find_in_run(const struct run *run, bool candidate, struct expected want,
                        struct report *out)
{
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		struct trust_scope s = { out, candidate, d->rank };
		if (has_trace(d)) {
			find_lost(&s, &d->trust);
			find_steps(&s, d, want.min_steps);
		} else if (want.trace) {
			trust_add(&s, "no-trace", is_of_trace,
			          "has a snapshot and no trace: what only a trace records cannot be compared");
		}
		find_damage(&s, &d->trust);
		trust_find_memory(&s, d);
	}
}

static const char *memory_source(const struct run *run)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		if (run->ranks.v[i]->memories.nr)
			return run->ranks.v[i]->memories.v[0].source;
	return NULL;
}

static bool any_window(const struct run *run)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		if (run->ranks.v[i]->window)
			return true;
	return false;
}

/* By what GPU activities were given to steps, by one rank at least. */
static bool any_attribution(const struct run *run, enum attribution attribution)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		if (run->ranks.v[i]->trust.gpu_events > 0 && run->ranks.v[i]->attribution == attribution)
			return true;
	return false;
}

static void find_between(const struct run *baseline, const struct run *candidate,
                         struct report *out)
{
	struct trust_scope s = { out, true, -1 };
	const char *x = memory_source(baseline), *y = memory_source(candidate);
	if (x && y && strcmp(x, y) != 0)
		trust_add(&s, "memory-source-differs", NULL,
		          "has memory figures from a %s and the baseline from a %s: peaks of other windows",
		          word_line(&out->arena, span_of(y)), word_line(&out->arena, span_of(x)));
	if (!trust_any_trace(baseline) || !trust_any_trace(candidate))
		return;
	bool window = any_window(candidate);
	if (window != any_window(baseline)) {
		trust_add(&s, "window-against-steps", is_per_step,
		          "%s and the baseline %s: per-step figures do not compare",
		          window ? "has no steps" : "has steps", window ? "has" : "has none");
		return;
	}
	bool launch = any_attribution(candidate, ATTRIBUTION_LAUNCH) ||
	              any_attribution(baseline, ATTRIBUTION_LAUNCH);
	bool stamp = any_attribution(candidate, ATTRIBUTION_TIMESTAMP) ||
	             any_attribution(baseline, ATTRIBUTION_TIMESTAMP);
	if (launch && stamp)
		trust_add(
		    &s, "attribution-differs", is_attributed,
		    "or the baseline lacks launches: on one side activities belong to steps by launch, "
		    "on the other by start time");
}

void trust_findings(const struct run *baseline, const struct run *candidate, int64_t min_steps,
                    struct report *out)
{
	struct expected want = { trust_any_trace(baseline) || trust_any_trace(candidate), min_steps };
	find_between(baseline, candidate, out);
	find_in_run(candidate, true, want, out);
	find_in_run(baseline, false, want, out);
}

const struct finding *trust_spoiler(const struct report *r, const struct metric *m, int64_t rank)
{
	for (size_t i = 0; i < r->trust.nr; i++) {
		const struct finding *f = &r->trust.v[i];
		if (rank >= 0 && f->rank >= 0 && rank != f->rank)
			continue;
		for (size_t j = 0; j < f->spoils.nr; j++)
			if (strcmp(f->spoils.v[j], m->name) == 0)
				return f;
	}
	return NULL;
}
