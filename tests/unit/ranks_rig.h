/// Digests of the ranks of one run, each made from one line, for tests about several ranks.
#ifndef GG_TESTS_RANKS_RIG_H
#define GG_TESTS_RANKS_RIG_H

#include <stdlib.h>
#include <string.h>

#include "model/ranks.h"

/// Collectives that the letters in the line of a rank mean, in this order: a and b of process group
/// "world"; c and d of two groups "tp" with different names, e of a group "tp" without a name; f, g
/// and h of an unknown group, as from kernels without arguments.
static const struct comm_stat rig_comms[] = {
	{ .kind = COLLECTIVE_ALL_REDUCE,
	  .group = { "world", 5 },
	  .group_name = { "0", 1 },
	  .group_size = 9 },
	{ .kind = COLLECTIVE_ALL_GATHER,
	  .group = { "world", 5 },
	  .group_name = { "0", 1 },
	  .group_size = 9 },
	{ .kind = COLLECTIVE_ALL_REDUCE,
	  .group = { "tp", 2 },
	  .group_name = { "1", 1 },
	  .group_size = 2 },
	{ .kind = COLLECTIVE_ALL_REDUCE,
	  .group = { "tp", 2 },
	  .group_name = { "2", 1 },
	  .group_size = 2 },
	{ .kind = COLLECTIVE_ALL_REDUCE, .group = { "tp", 2 }, .group_size = 2 },
	{ .kind = COLLECTIVE_SEND, .group_size = -1 },
	{ .kind = COLLECTIVE_SEND_RECV, .group_size = -1 },
	{ .kind = COLLECTIVE_ALL_REDUCE, .group_size = -1 },
};
enum { RIG_COMMS = sizeof rig_comms / sizeof *rig_comms, RIG_STEP_NS = 100000 };

/// The digest of a rank whose steps are "4: a50 b30 | 5: a60": number of the step, then collectives
/// in order, each a letter ('a' is the first row of rig_comms) and a duration in ns. Collectives
/// end 1000 ns apart on all ranks. Steps take 100 µs with 100 launches and activities, 70 µs of
/// compute. Caller releases with digest_free().
static inline struct digest *rig_rank(int64_t rank, const char *line)
{
	struct digest *d = digest_new();
	VEC(int64_t) numbers = VEC_INIT;
	int64_t end_ns = 1000000;
	d->rank = rank;
	d->trace = "rank.json";
	d->marker = "ProfilerStep#*";
	d->communication = "nccl";
	d->attribution = ATTRIBUTION_LAUNCH;
	d->window_ns = 1000000;
	d->trust = (struct trust_counts){ .gpu_events = 100, .with_launch = 100, .gpu_ns = 1000 };
	vec_push(&d->kernels,
	         (struct kernel_stat){ .kind = EVENT_KERNEL, .name = SPAN("gemm"), .count = 1 });
	for (size_t i = 0; i < RIG_COMMS; i++)
		vec_push(&d->comms, rig_comms[i]);
	for (char *p = (char *)line; *p;) {
		if (*p >= 'a' && *p <= 'z') {
			int64_t comm = *p - 'a', dur = strtoll(p + 1, &p, 10);
			end_ns += 1000;
			vec_push(&d->collectives,
			         (struct collective){ (int64_t)numbers.nr - 1, comm, -1, end_ns - dur, dur });
			d->comms.v[comm].count++;
			d->comms.v[comm].total_ns += dur;
		} else if (*p >= '0' && *p <= '9') {
			int64_t number = strtoll(p, &p, 10);
			vec_push(&numbers, number);
			end_ns = 1000000 + number * 100000;
		} else {
			p++;
		}
	}
	digest_set_steps(d, numbers.nr);
	d->usable_steps = d->total_steps = (int64_t)numbers.nr;
	for (size_t i = 0; i < numbers.nr; i++) {
		d->step_numbers[i] = numbers.v[i];
		d->step_activities[i] = 100;
		d->samples[METRIC_STEP_TIME][i] = RIG_STEP_NS;
		d->samples[METRIC_STEP_COMPUTE_TIME][i] = 70000;
	}
	if (numbers.nr)
		d->progress = (struct progress){ .step = numbers.v[numbers.nr - 1],
			                             .launches = 100,
			                             .collectives = 3,
			                             .op = SPAN("aten::add"),
			                             .activity = SPAN("gemm") };
	vec_release(&numbers);
	return d;
}

/// A run of ranks 0, 1, … from their lines, ended by NULL. Caller: run_release().
static inline struct run rig_run(const char *const *lines)
{
	struct run run = { .label = "run" };
	for (int64_t r = 0; lines[r]; r++)
		vec_push(&run.ranks, rig_rank(r, lines[r]));
	return run;
}

#endif
