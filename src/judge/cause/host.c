/* Finds causes in communication, in memory copies and on the host. */
#include "base/text.h"
#include "cause/suspect.h"

/* ---- detector for communication ---- */

/* A metric of collectives on both sides, summed over all kinds of collectives. It is `known` if at
   least one side has a value; the other side then counts as 0. */
static struct both sum_of(struct inquiry *q, enum metric_id id)
{
	const struct metric *m = &metric_table[id];
	struct query query = { .metric = m, .stat = STAT_MEDIAN, .reduce = REDUCE_MEDIAN };
	struct entries e;
	struct both out = { .metric = m };
	bench_query(q->bench, &query, &e);
	for (size_t i = 0; i < e.list.nr; i++)
		for (int s = 0; s < NR_SIDES; s++) {
			int64_t value;
			if (!inquiry_value(q, &e.list.v[i], s, &value))
				continue;
			out.v[s] = number_add(out.v[s], value);
			out.known = true;
		}
	vec_release(&e.list);
	return out;
}

void suspect_communication(struct inquiry *q)
{
	struct both comm = inquiry_figure(q, METRIC_STEP_COMM_TIME);
	struct both exposed = inquiry_figure(q, METRIC_STEP_EXPOSED_COMM_TIME);
	struct both bytes = sum_of(q, METRIC_COMM_BYTES), count = sum_of(q, METRIC_COMM_COUNT);
	struct both transfer = inquiry_figure(q, METRIC_COMM_TRANSFER_TIME);
	int64_t rise = both_rise(exposed), longer = both_rise(comm);
	struct suspect *s;
	/* subtract what a slowdown of all kernels adds to these times: the slowdown has its own
	   finding */
	longer = number_sub(longer, (int64_t)((q->common - 1) * (double)comm.v[SIDE_BASELINE]));
	rise = number_sub(rise, (int64_t)((q->common - 1) * (double)exposed.v[SIDE_BASELINE]));
	if (rise <= q->waited && longer <= q->waited && both_rise(transfer) <= q->waited)
		return;
	if (both_ratio(bytes) > 1.05 || both_ratio(count) > 1.05) {
		bool more = both_ratio(bytes) > 1.05, known = bytes.v[SIDE_BASELINE] > 0;
		s = suspect_add(q, CAUSE_TRAFFIC);
		if (more)
			suspect_title(q, s, "collectives move more: %s per %s, in %s collectives",
			              word_movement(q, bytes), q->step, word_movement(q, count));
		else
			suspect_title(q, s, "collectives are more%s: %s per %s%s%s",
			              known ? " and smaller" : "", word_movement(q, count), q->step,
			              known ? " for " : "",
			              known ? unit_text(q->a, UNIT_BYTES, bytes.v[SIDE_CANDIDATE]) : "");
		s->stake[STAKE_KERNELS] = at_least_0(both_rise(count)) / 1000;
		suspect_figure(q, s, comm);
		suspect_action(q, s,
		               more ? "see what is communicated in addition: buckets, gradients that need "
		                      "none, another sharding, another type"
		                    : "see what splits them: the size of buckets, tensors that are "
		                      "communicated one by one");
	} else if (longer * 2 < rise) {
		s = suspect_add(q, CAUSE_OVERLAP);
		suspect_title(q, s,
		              "communication overlaps with less compute: %s exposed per %s, though its "
		              "kernels take %s",
		              word_movement(q, exposed), q->step, word_movement(q, comm));
		suspect_figure(q, s, exposed);
		suspect_action(q, s,
		               "see what makes compute wait for the collectives: a stream that is "
		               "synchronized, bucket sizes, prefetching, the order of launches");
	} else {
		s = suspect_add(q, CAUSE_TRANSFER);
		suspect_title(q, s, "communication is slower for the same work: %s per %s",
		              word_movement(q, comm), q->step);
		suspect_figure(q, s, comm);
		suspect_action(q, s,
		               "look at the network and at how NCCL uses it (NCCL_DEBUG=INFO); the "
		               "traces of all ranks tell waiting from transfer");
	}
	if (transfer.known && both_rise(transfer) > 0)
		suspect_say(q, s, "on the wire %s per %s", word_movement(q, transfer), q->step);
	number_raise(&longer, both_rise(transfer));
	s->stake[STAKE_COMM] = s->stake[STAKE_GPU] = at_least_0(longer - q->waited);
	rise = at_least_0(rise - q->waited);
	s->stake[STAKE_EXPOSED] = s->stake[STAKE_WALL] = s->stake[STAKE_TAIL] = rise;
	suspect_cost(s, rise);
}

/* ---- detector for copies ---- */

/* The kind of copy whose time grew most; NULL if no kind grew. */
static const struct activity_pair *grown_copy(const struct inquiry *q)
{
	const struct activity_pair *best = NULL;
	for (size_t i = 0; i < q->pairs.list.nr; i++) {
		const struct activity_pair *a = &q->pairs.list.v[i];
		if (a->kind == EVENT_MEMCPY && pair_rise(a) > (best ? pair_rise(best) : 0))
			best = a;
	}
	return best;
}

static void find_copies(struct inquiry *q)
{
	struct both bytes = inquiry_figure(q, METRIC_STEP_MEMCPY_BYTES);
	struct both time = inquiry_figure(q, METRIC_STEP_MEMCPY_TIME);
	int64_t rise = both_rise(time);
	if (rise <= 0 && both_rise(bytes) <= 0)
		return;
	const struct activity_pair *copy = rise > 0 ? grown_copy(q) : NULL;
	struct suspect *s = suspect_add(q, CAUSE_COPIES);
	if (rise > 0)
		suspect_title(q, s, "copies take longer: %s per %s for %s%s%s", word_movement(q, time),
		              q->step, word_movement(q, bytes), copy ? ", most of it " : "",
		              copy ? text_short(q->a, copy->name, 60) : "");
	else
		suspect_title(q, s, "copies move more, in no more time: %s per %s", word_movement(q, bytes),
		              q->step);
	suspect_locate(q, s, &(struct locate_query){ .kind = CODE_MEMCPY });
	if (copy) {
		suspect_where(q, s, PLACE_KERNEL, copy->name);
		suspect_say(q, s, "%.4g → %.4g of these copies per %s",
		            (double)copy->count[SIDE_BASELINE] / (double)q->pairs.steps[SIDE_BASELINE],
		            (double)copy->count[SIDE_CANDIDATE] / (double)q->pairs.steps[SIDE_CANDIDATE],
		            q->step);
	}
	suspect_figure(q, s, time);
	suspect_cost(s, at_least_0(rise));
	suspect_action(q, s,
	               "keep the data where it is used; what has to be copied, from pinned memory "
	               "with non_blocking=True beside compute");
	s->stake[STAKE_COPIES] = at_least_0(rise) + (both_rise(bytes) > 0);
	s->stake[STAKE_WALL] = s->stake[STAKE_TAIL] = s->stake[STAKE_GPU] = at_least_0(rise);
	/* a rise of copy time also explains as much idle time: a copy that blocks the host leaves the
	 * GPU without work */
	s->stake[STAKE_IDLE] = at_least_0(rise);
}

/* ---- detectors for the host ---- */

/* Factor by which the host takes longer for a launch; 1 if the factor is below 1.03. */
static double host_factor(struct inquiry *q)
{
	struct both launch = inquiry_figure(q, METRIC_STEP_LAUNCH_TIME);
	struct both count = inquiry_figure(q, METRIC_STEP_KERNEL_COUNT);
	double by = both_ratio(launch) / (both_ratio(count) > 0 ? both_ratio(count) : 1);
	return launch.known && by > 1.03 ? by : 1;
}

/* The part of a figure's rise that a host slower by the factor `by` cannot explain; at least 0. */
static int64_t rise_beyond(struct both f, double by)
{
	return f.known ? at_least_0(
	                     (int64_t)((double)f.v[SIDE_CANDIDATE] - by * (double)f.v[SIDE_BASELINE]))
	               : 0;
}

static void stake_host(struct suspect *s, int64_t ns)
{
	s->stake[STAKE_WALL] = s->stake[STAKE_IDLE] = s->stake[STAKE_TAIL] = ns;
	suspect_cost(s, ns);
}

static int64_t find_loader(struct inquiry *q, int64_t lost, double by)
{
	struct both loader = inquiry_figure(q, METRIC_STEP_DATALOADER_TIME);
	int64_t rise = rise_beyond(loader, by), ns = rise;
	if (rise <= 0)
		return 0;
	number_lower(&ns, lost);
	struct suspect *s = suspect_add(q, CAUSE_DATA_LOADER);
	suspect_title(q, s, "steps wait for the data loader: %s per %s in enumerate(DataLoader)",
	              word_movement(q, loader), q->step);
	suspect_where(q, s, PLACE_CALL, SPAN("enumerate(DataLoader)"));
	suspect_figure(q, s, loader);
	suspect_action(q, s,
	               "look at what the loader does more of, and at its workers: num_workers, "
	               "prefetch_factor, pin_memory, the storage it reads from");
	stake_host(s, ns);
	s->stake[STAKE_LOADER] = rise;
	return ns;
}

/* Name of the synchronization call with the largest rise in calls per step, on the first rank;
   empty if no call has a rise. */
static struct span grown_call(const struct inquiry *q)
{
	const struct digest *d[NR_SIDES] = { q->bench->run[SIDE_BASELINE]->ranks.v[0],
		                                 q->bench->run[SIDE_CANDIDATE]->ranks.v[0] };
	struct span name = SPAN("");
	double most = 0;
	for (size_t i = 0; i < d[1]->calls.nr; i++) {
		const struct call_stat *c = &d[1]->calls.v[i], *was = NULL;
		for (size_t k = 0; k < d[0]->calls.nr && !was; k++)
			if (d[0]->calls.v[k].kind == c->kind && span_eq(d[0]->calls.v[k].name, c->name))
				was = &d[0]->calls.v[k];
		if (c->kind != CALL_SYNC || c->names || d[0]->usable_steps <= 0 || d[1]->usable_steps <= 0)
			continue;
		double more = (double)c->count / (double)d[1]->usable_steps -
		              (was ? (double)was->count / (double)d[0]->usable_steps : 0);
		if (more > most) {
			most = more;
			name = c->name;
		}
	}
	return name;
}

static int64_t find_syncs(struct inquiry *q, int64_t lost)
{
	struct both count = inquiry_figure(q, METRIC_STEP_SYNC_COUNT);
	struct both time = inquiry_figure(q, METRIC_STEP_SYNC_TIME);
	int64_t more = both_rise(count), waits = at_least_0(both_rise(time)), ns = waits;
	if (more <= 0)
		return 0;
	number_lower(&ns, lost);
	struct span call = grown_call(q);
	struct suspect *s = suspect_add(q, CAUSE_SYNCS);
	suspect_title(q, s, "the host synchronizes more often: %s times per %s, waiting %s%s%s",
	              word_movement(q, count), q->step, word_movement(q, time), call.n ? ", in " : "",
	              call.n ? text_short(q->a, call, 60) : "");
	if (call.n)
		suspect_where(q, s, PLACE_CALL, call);
	suspect_locate(q, s, &(struct locate_query){ .kind = CODE_SYNC, .by_count = true });
	suspect_figure(q, s, count);
	suspect_action(q, s,
	               "look for .item(), .cpu(), .tolist(), print or nonzero on tensors of the "
	               "GPU in what changed; a trace with_stack=True names the line");
	stake_host(s, ns);
	s->stake[STAKE_SYNCS] = number_add(more, waits);
	return ns;
}

/* Number of launches per step on the first rank of a run, in millionths; with `graphs`, only the
   launches of CUDA graphs. */
static int64_t launch_calls(const struct run *run, bool graphs)
{
	const struct digest *d = run->ranks.nr ? run->ranks.v[0] : NULL;
	int64_t nr = 0;
	for (size_t i = 0; d && i < d->calls.nr; i++) {
		const struct call_stat *c = &d->calls.v[i];
		if (c->kind == CALL_LAUNCH &&
		    (!graphs || span_contains_nocase(c->name, SPAN("graphlaunch"))))
			nr = number_add(nr, c->count);
	}
	return d && d->usable_steps > 0 ? number_div_round((__int128)nr * MICRO, d->usable_steps) : 0;
}

/* True if the candidate replays fewer CUDA graphs and launches their kernels one by one instead.
   For both sides, sets `graphs` to the number of launches of graphs and `launches` to that of all
   launches, per step in millionths. */
static bool is_graph_lost(const struct inquiry *q, struct both *graphs, struct both *launches)
{
	for (int s = 0; s < NR_SIDES; s++) {
		graphs->v[s] = launch_calls(q->bench->run[s], true);
		launches->v[s] = launch_calls(q->bench->run[s], false);
	}
	graphs->known = launches->known = true;
	graphs->metric = launches->metric = &metric_table[METRIC_KERNEL_COUNT];
	return both_rise(*graphs) < 0 && both_rise(*launches) > -both_rise(*graphs);
}

static void find_slow_host(struct inquiry *q, int64_t lost, double by)
{
	struct both graphs, launches;
	int64_t ns, now = run_memory_calls(q->bench->run[SIDE_CANDIDATE], &ns);
	int64_t before = run_memory_calls(q->bench->run[SIDE_BASELINE], &ns);
	struct both idle = inquiry_figure(q, METRIC_STEP_IDLE_TIME);
	struct both launch = inquiry_figure(q, METRIC_STEP_LAUNCH_TIME);
	int64_t slower = at_least_0(both_rise(launch));
	if (lost <= 0 && by <= 1.05)
		return;
	struct suspect *s = suspect_add(q, CAUSE_HOST);
	suspect_figure(q, s, idle);
	if (now >= MICRO && now >= 2 * before) {
		/* Baselines that earlier gpugate versions stored do not have these calls: a `before` of 0
		 * may mean that the number is unknown. */
		suspect_title(
		    q, s,
		    "memory goes back to the device and is taken again: cudaFree and cudaMalloc "
		    "%s%s times per %s, the GPU is idle for %s",
		    before ? arena_printf(q->a, "%s → ", unit_text(q->a, UNIT_COUNT_PER_STEP, before)) : "",
		    unit_text(q->a, UNIT_COUNT_PER_STEP, now), q->step, word_movement(q, idle));
		suspect_action(q, s,
		               "look for torch.cuda.empty_cache() in the loop; else for what fills the "
		               "memory of the device");
	} else if (is_graph_lost(q, &graphs, &launches)) {
		suspect_title(q, s,
		              "fewer CUDA graphs are replayed: %s per %s, and %s launches in all; the GPU "
		              "is idle for %s",
		              word_movement(q, graphs), q->step, word_movement(q, launches),
		              word_movement(q, idle));
		suspect_action(
		    q, s,
		    "see why the work is no longer captured or replayed: shapes without a graph, "
		    "an option, an operation that cannot be captured");
	} else {
		suspect_title(q, s, "the GPU waits for the host: idle for %s per %s%s%s",
		              word_movement(q, idle), q->step, by > 1 ? ", a launch takes " : "",
		              by > 1 ? arena_printf(q->a, "%s as long", word_times(q, by)) : "");
		suspect_action(
		    q, s,
		    by > 1 ? "look at the host: its clock, other processes on its cores, Python's "
		             "version, a profiler or debug mode that is on"
		           : "look at what the host does between launches that it did not do before; "
		             "a trace with_stack=True names the lines");
	}
	stake_host(s, lost);
	s->stake[STAKE_LAUNCH] = slower;
}

void suspect_host(struct inquiry *q)
{
	/* lost time: the idle time of the GPU or, if that is unknown, the time of the whole step */
	struct both lost_time = inquiry_figure(q, METRIC_STEP_IDLE_TIME);
	if (!lost_time.known)
		lost_time = inquiry_figure(q, METRIC_STEP_PERIOD);
	if (!lost_time.known)
		lost_time = inquiry_figure(q, METRIC_STEP_TIME);
	int64_t lost = at_least_0(both_rise(lost_time));
	double by = host_factor(q);
	find_copies(q);
	int64_t loader = find_loader(q, lost, by), syncs = find_syncs(q, lost);
	find_slow_host(q, at_least_0(lost - loader - syncs), by);
}
