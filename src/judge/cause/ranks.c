/* Detector for a single rank that is slow, late, or behind a slow link. The evidence is the
   report's insights (remarks) on a rank. This file adds what the rank costs, which of its kernels
   is slow, and the figures whose change the rank explains. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cause/suspect.h"
#include "model/fold.h"
#include "model/ranks.h"
#include "model/step_figures.h"

/* A rank of the candidate on which the report has an insight. */
struct odd_rank {
	struct inquiry *q;
	const struct insight *insight;
	const struct run_view *view;
	size_t at; /* index of the rank in the list of the run's ranks */
	/* `rows`: the view with the kernels of ranks. It is `view` or, in a folded run, a view of the
	   few ranks whose digests the fold keeps whole. `row`: index of this rank in `rows`, or the
	   number of ranks in `rows` if they do not include it. */
	const struct run_view *rows;
	size_t row;
	const char *name;
};

static int64_t step_median(const struct digest *d, enum metric_id id)
{
	int64_t value;
	return digest_step_stat(d, id, STAT_MEDIAN, &value) ? value : 0;
}

/* Median of a metric over all ranks of a run except the one with the index `but`. */
static int64_t peers_median(struct inquiry *q, const struct run *run, size_t but, enum metric_id id)
{
	int64_t *v = arena_alloc(&q->bench->arena, run->ranks.nr, sizeof *v);
	size_t nr = 0;
	for (size_t i = 0; i < run->ranks.nr; i++)
		if (i != but)
			v[nr++] = step_median(run->ranks.v[i], id);
	return nr ? number_median(v, nr) : 0;
}

/* By how much the metric `id` of the rank exceeds the median of the other ranks in the candidate,
 * less the same difference in the baseline (or less 0 if the rank was below the median there). */
static int64_t excess(const struct odd_rank *o, enum metric_id id)
{
	const struct run *runs[NR_SIDES] = { run_ranks(o->q->bench->run[SIDE_BASELINE]),
		                                 run_ranks(o->q->bench->run[SIDE_CANDIDATE]) };
	int64_t out[NR_SIDES] = { 0 };
	for (int s = 0; s < NR_SIDES; s++) {
		size_t at = run_find(runs[s], o->insight->rank);
		if (at < runs[s]->ranks.nr)
			out[s] = number_sub(step_median(runs[s]->ranks.v[at], id),
			                    peers_median(o->q, runs[s], at, id));
	}
	return number_sub(out[SIDE_CANDIDATE], out[SIDE_BASELINE] > 0 ? out[SIDE_BASELINE] : 0);
}

static int64_t late_per_step(const struct run_view *v, int64_t rank)
{
	size_t at = run_find(v->run, rank);
	const struct cross_rank *c = at < v->run->ranks.nr ? v->ranks[at].cross : NULL;
	return c && c->known && c->steps > 0 ? number_div_round(c->late_ns, c->steps) : 0;
}

static int64_t lateness(const struct odd_rank *o)
{
	const struct run_view *views = o->q->bench->view;
	int64_t before = late_per_step(&views[SIDE_BASELINE], o->insight->rank);
	return number_sub(late_per_step(o->view, o->insight->rank), before);
}

/* ---- slow kernels of a rank ---- */

static int64_t kernel_per_step(const struct rank_view *r, const struct kernel_row *k)
{
	return k && r->digest->usable_steps > 0
	           ? number_div_round(k->stat.step_total_ns, r->digest->usable_steps)
	           : 0;
}

static int64_t kernel_of_peers(const struct odd_rank *o, const struct kernel_row *k)
{
	const struct run *run = o->rows->run;
	int64_t *v = arena_alloc(&o->q->bench->arena, run->ranks.nr, sizeof *v);
	size_t nr = 0;
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct rank_view *r = &o->rows->ranks[i];
		if (i != o->row)
			v[nr++] = kernel_per_step(r, rank_view_kernel(r, k->match));
	}
	return nr ? number_median(v, nr) : 0;
}

/* True if one kernel explains why a rank is slow. It must have at least half of the time `slow_ns`
 * by which the rank exceeds its peers, and the other kernels of the rank must exceed those of the
 * peers by less than half as many percent as this kernel does. `most`: time by which this kernel
 * exceeds the same kernel of the peers; `theirs`: time of this kernel on the peers; `peers_ns`:
 * time of all kernels on the peers. */
static bool is_to_blame(int64_t most, int64_t theirs, int64_t slow_ns, int64_t peers_ns)
{
	double own = theirs > 0 ? (double)most / (double)theirs : 1;
	double rest = peers_ns > theirs ? (double)(slow_ns - most) / (double)(peers_ns - theirs) : 0;
	return most >= slow_ns / 2 && rest < own / 2;
}

/* Text that names the GPU of a rank, if it has only one, and the host, such as "GPU 5 of node7";
   NULL if neither is known. */
static const char *machine_of(struct inquiry *q, const struct digest *d)
{
	const char *gpu = d->devices.nr == 1 ? d->devices.v[0].id : NULL, *host = digest_env(d, "host");
	gpu = gpu ? arena_printf(q->a, "GPU %s", text_line(q->a, span_of(gpu))) : NULL;
	host = host && host[0] ? text_line(q->a, span_of(host)) : NULL;
	if (!gpu || !host)
		return gpu ? gpu : host;
	return arena_printf(q->a, "%s of %s", gpu, host);
}

/* Advise to look at the kernel whose time exceeds that on the peers most. If this kernel does not
   explain why the rank is slow, advise to look at the GPU of the rank instead. */
static void name_kernel(const struct odd_rank *o, struct suspect *s, int64_t slow_ns,
                        int64_t peers_ns)
{
	struct inquiry *q = o->q;
	bool known = o->row < o->rows->run->ranks.nr;
	const struct rank_view *r = known ? &o->rows->ranks[o->row] : NULL;
	const struct kernel_row *worst = NULL;
	int64_t most = 0, theirs = 0;
	for (size_t i = 0; known && i < r->nr_kernels; i++) {
		const struct kernel_row *k = &r->kernels[i];
		if (k->cls == CLASS_COMMUNICATION)
			continue;
		int64_t peers = kernel_of_peers(o, k), more = kernel_per_step(r, k) - peers;
		if (more > most) {
			worst = k;
			most = more;
			theirs = peers;
		}
	}
	if (!worst)
		return;
	const char *name = word_kernel(q, worst->match);
	const char *moved = unit_movement(q->a, UNIT_NS, theirs, theirs + most);
	if (is_to_blame(most, theirs, slow_ns, peers_ns)) {
		suspect_where(q, s, PLACE_KERNEL, worst->match);
		suspect_say(q, s, "%s of it in %s: %s, peers first", unit_text(q->a, UNIT_NS, most), name,
		            moved);
		suspect_action(q, s,
		               "compare the input of %s on this rank with its peers': shapes, sparsity, "
		               "padding",
		               name);
		return;
	}
	suspect_say(q, s, "its kernels are slower throughout");
	suspect_action(
	    q, s,
	    "compare clock, power cap and temperature of the rank's GPU with its peers' ('nvidia-smi "
	    "-q -d CLOCK,POWER,TEMPERATURE'), and look for another process on it");
}

/* ---- kinds of odd ranks: slow, late, slow link ---- */

static void stake_waiting(struct inquiry *q, struct suspect *s, int64_t ns)
{
	static const enum stake waiting[] = { STAKE_WALL, STAKE_IDLE,  STAKE_COMM, STAKE_EXPOSED,
		                                  STAKE_TAIL, STAKE_SYNCS, STAKE_GPU };
	for (size_t i = 0; i < NR_OF(waiting); i++)
		s->stake[waiting[i]] = ns;
	s->stake[STAKE_RANKS] = STAKE_ALL;
	q->waited = number_add(q->waited, ns);
}

static void add_slow(const struct odd_rank *o)
{
	struct inquiry *q = o->q;
	const struct run *run = o->view->run;
	int64_t own = step_median(run->ranks.v[o->at], METRIC_STEP_COMPUTE_TIME);
	int64_t peers = peers_median(q, run, o->at, METRIC_STEP_COMPUTE_TIME);
	int64_t ns = excess(o, METRIC_STEP_COMPUTE_TIME);
	if (ns <= 0)
		return;
	struct suspect *s = suspect_add(q, CAUSE_SLOW_RANK);
	suspect_title(q, s, "%s is slow: %s more compute than its peers", o->name,
	              unit_text(q->a, UNIT_PCT, number_pct((__int128)own - peers, peers)));
	suspect_where(q, s, PLACE_RANK, span_of(o->name))->rank = o->insight->rank;
	s->finding.where.v[0].machine = machine_of(q, run->ranks.v[o->at]);
	suspect_figure(q, s, inquiry_figure(q, METRIC_RANK_COMPUTE_SKEW_PCT));
	suspect_cost(s, ns);
	name_kernel(o, s, own - peers, peers);
	suspect_say(q, s, "%s %s", o->name, o->insight->message);
	stake_waiting(q, s, ns > lateness(o) ? ns : lateness(o));
	s->stake[STAKE_COMPUTE] = number_div_round(ns, (__int128)run->ranks.nr);
}

/* The first kind of call by which the host explains at least half of the time `ns` that the rank
   comes late, or NULL. */
static const char *late_call(const struct odd_rank *o, int64_t ns)
{
	static const struct {
		enum metric_id id;
		const char *name;
	} calls[] = { { METRIC_STEP_DATALOADER_TIME, "data loader" },
		          { METRIC_STEP_SYNC_TIME, "synchronization" },
		          { METRIC_STEP_LAUNCH_TIME, "kernel launches" } };
	for (size_t i = 0; i < NR_OF(calls); i++)
		if (excess(o, calls[i].id) >= ns / 2)
			return calls[i].name;
	return NULL;
}

static void add_link(const struct odd_rank *o)
{
	struct inquiry *q = o->q;
	struct both transfer = inquiry_figure(q, METRIC_COMM_TRANSFER_TIME);
	int64_t late = lateness(o), ns = both_rise(transfer) > late ? both_rise(transfer) : late;
	if (ns <= 0)
		return;
	struct suspect *s = suspect_add(q, CAUSE_SLOW_LINK);
	suspect_title(
	    q, s,
	    "the link of %s is slow: its collectives end after those of its peers, %s on the wire per "
	    "%s",
	    o->name,
	    transfer.known
	        ? unit_movement(q->a, UNIT_NS, transfer.v[SIDE_BASELINE], transfer.v[SIDE_CANDIDATE])
	        : "longer",
	    q->step);
	suspect_where(q, s, PLACE_RANK, span_of(o->name))->rank = o->insight->rank;
	suspect_figure(q, s, transfer);
	suspect_cost(s, ns);
	suspect_say(q, s, "%s: %s", o->name, o->insight->message);
	suspect_action(q, s,
	               "look at the links of %s ('nvidia-smi nvlink -s', 'ibstat', the NIC's error "
	               "counters) and at how NCCL routes it (NCCL_DEBUG=INFO)",
	               o->name);
	stake_waiting(q, s, number_add(at_least_0(both_rise(transfer)), at_least_0(late)));
}

static void add_late(const struct odd_rank *o)
{
	struct inquiry *q = o->q;
	int64_t ns = lateness(o);
	if (ns <= 0)
		return;
	const char *call = late_call(o, ns);
	struct both transfer = inquiry_figure(q, METRIC_COMM_TRANSFER_TIME);
	/* a late host does not make transfers slower; a slow link does */
	if (!call && both_ratio(transfer) > 1.2 && both_rise(transfer) > ns / 2) {
		add_link(o);
		return;
	}
	struct suspect *s = suspect_add(q, CAUSE_LATE_RANK);
	suspect_title(q, s, "%s comes late: the others wait %s per %s for it%s%s", o->name,
	              unit_text(q->a, UNIT_NS, late_per_step(o->view, o->insight->rank)), q->step,
	              call ? ", in its " : "", call ? call : "");
	suspect_where(q, s, PLACE_RANK, span_of(o->name))->rank = o->insight->rank;
	if (call)
		suspect_where(q, s, PLACE_CALL, span_of(call));
	suspect_figure(q, s, inquiry_figure(q, METRIC_RANK_STRAGGLER_PCT));
	suspect_cost(s, ns);
	suspect_say(q, s, "%s %s", o->name, o->insight->message);
	suspect_action(q, s, "look at what the host of %s does before the first collective%s%s",
	               o->name, call ? ": its " : "", call ? call : "");
	stake_waiting(q, s, ns);
}

/* ---- all ranks on which the report has insights ---- */

/* Make later detectors compare only the kernels of the rank with the median compute time. They then
 * see what changed on all ranks, and not what changed only on the slow rank. */
static void scope_to_median(struct inquiry *q)
{
	const struct run *run = q->bench->run[SIDE_CANDIDATE];
	int64_t least = INT64_MAX, median = peers_median(q, run, SIZE_MAX, METRIC_STEP_COMPUTE_TIME);
	for (size_t i = 0; i < run->ranks.nr; i++) {
		int64_t by =
		    number_distance(step_median(run->ranks.v[i], METRIC_STEP_COMPUTE_TIME), median);
		if (by < least) {
			least = by;
			q->scope = (struct rank_scope){ .one = true, .rank = run->ranks.v[i]->rank };
		}
	}
}

static bool was_named(const struct inquiry *q, const struct insight *now)
{
	const struct insight *n = q->out->insights.v;
	return ANY(i, q->out->insights.nr,
	           !n[i].candidate && n[i].rank == now->rank && strcmp(n[i].id, now->id) == 0);
}

static void look_at_ranks(struct inquiry *q, const struct run_view *view,
                          const struct run_view *rows)
{
	static const struct {
		const char *insight;
		void (*add)(const struct odd_rank *o);
	} kinds[] = { { "slow-rank", add_slow }, { "slow-link", add_link }, { "late-rank", add_late } };
	for (size_t i = 0; i < q->out->insights.nr; i++) {
		struct odd_rank o = {
			.q = q, .insight = &q->out->insights.v[i], .view = view, .rows = rows
		};
		o.at = run_find(view->run, o.insight->rank);
		o.row = run_find(rows->run, o.insight->rank);
		if (!o.insight->candidate || o.insight->rank < 0 || o.at == o.view->run->ranks.nr)
			continue;
		o.name = arena_printf(q->a, "rank %" PRId64, o.insight->rank);
		for (size_t k = 0; k < NR_OF(kinds); k++)
			if (strcmp(o.insight->id, kinds[k].insight) == 0 &&
			    (kinds[k].add != add_link || !was_named(q, o.insight)))
				kinds[k].add(&o);
	}
}

/* ---- several slow ranks, such as those of one node ---- */

/* The compute time of the rank with index `at`, divided by that of the same rank in the baseline; 0
 * if unknown. */
static double compute_ratio(const struct inquiry *q, const struct run *run, size_t at)
{
	const struct run *base = run_ranks(q->bench->run[SIDE_BASELINE]);
	size_t was = run_find(base, run->ranks.v[at]->rank);
	int64_t before =
	    was < base->ranks.nr ? step_median(base->ranks.v[was], METRIC_STEP_COMPUTE_TIME) : 0;
	int64_t now = step_median(run->ranks.v[at], METRIC_STEP_COMPUTE_TIME);
	return before > 0 ? (double)now / (double)before : 0;
}

/* Find several ranks that became slower by similar factors, while at least a quarter of the ranks
   did not. If half of the ranks are slow, none differs much from the median: there are no insights
   on single ranks. */
static void find_slow_group(struct inquiry *q, const struct run *run)
{
	enum { NAMED = 8 };
	const double notable = 1.05;
	double most = notable;
	size_t slow = 0, fast = 0, last = 0;
	struct strbuf names = STRBUF_INIT;
	double *by = arena_alloc(&q->bench->arena, run->ranks.nr, sizeof *by);
	for (size_t i = 0; i < run->ranks.nr; i++) {
		by[i] = compute_ratio(q, run, i);
		most = by[i] > most ? by[i] : most;
	}
	double near = 1 + 0.7 * (most - 1), far = 1 + 0.3 * (most - 1);
	for (size_t i = 0; i < run->ranks.nr; i++) {
		fast += by[i] > 0 && by[i] < far;
		if (by[i] < near)
			continue;
		if (slow < NAMED)
			strbuf_addf(&names, "%s%" PRId64, slow ? ", " : "", run->ranks.v[i]->rank);
		slow++;
		last = i;
	}
	if (slow > NAMED)
		strbuf_addf(&names, " and %zu more", slow - NAMED);
	if (slow > 1 && fast * 4 >= run->ranks.nr && slow + fast == run->ranks.nr) {
		int64_t now = step_median(run->ranks.v[last], METRIC_STEP_COMPUTE_TIME);
		int64_t ns = number_sub(now, (int64_t)((double)now / by[last]));
		struct suspect *s = suspect_add(q, CAUSE_SLOW_RANK);
		suspect_title(q, s,
		              "ranks %s are slow: their compute takes %s as long as in the baseline, that "
		              "of the others does not",
		              names.p, word_times(q, by[last]));
		for (size_t i = 0; i < run->ranks.nr && s->finding.where.nr < NAMED; i++) {
			const struct digest *d = run->ranks.v[i];
			if (by[i] < near)
				continue;
			struct place *p = suspect_where(q, s, PLACE_RANK,
			                                span_of(arena_printf(q->a, "rank %" PRId64, d->rank)));
			p->rank = d->rank;
			p->machine = machine_of(q, d);
		}
		suspect_figure(q, s, inquiry_figure(q, METRIC_RANK_COMPUTE_SKEW_PCT));
		suspect_cost(s, ns);
		suspect_action(q, s,
		               "see what these ranks share: a node, its clocks, power and cooling, another "
		               "job on it, or their part of the model");
		stake_waiting(q, s, ns);
		s->stake[STAKE_COMPUTE] =
		    number_div_round((__int128)ns * (int64_t)slow, (__int128)run->ranks.nr);
	}
	strbuf_release(&names);
}

/* In a folded run, the figures of a rank come from run_ranks(), and its kernels from the digests
   that the fold keeps whole. Later detectors see the kernels of the fold, which are sums over all
   ranks, and scope_to_median() is not needed. */
void suspect_ranks(struct inquiry *q)
{
	const struct run_view *view = &q->bench->view[SIDE_CANDIDATE];
	const struct fold *fold = run_fold(view->run);
	struct run_view thin, kept;
	if (fold) {
		run_view_init(&thin, run_ranks(view->run), view->naming);
		run_view_init(&kept, &fold->kept, view->naming);
	}
	look_at_ranks(q, fold ? &thin : view, fold ? &kept : view);
	if (!inquiry_has(q, CAUSE_SLOW_RANK))
		find_slow_group(q, run_ranks(view->run));
	if (fold) {
		run_view_release(&kept);
		run_view_release(&thin);
		return;
	}
	if (inquiry_has(q, CAUSE_SLOW_RANK))
		scope_to_median(q);
}
