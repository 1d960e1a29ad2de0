/* Finds what limits a run's speed ("bound"): how the wall time of its steps was spent, and what
   explains the part in which the GPU had nothing to do. */
#include <inttypes.h>

#include "base/number.h"
#include "diagnose/diagnose.h"
#include "diagnose/internal.h"
#include "model/flops.h"
#include "model/fold.h"
#include "model/step_figures.h"

/* Least shares of the step time. SHARE_WORTH_NAMING: the evidence names the cause. SHARE_BESIDE: a
 * second bound makes the run "mixed". SHARE_MOST: the confidence in the largest bound is medium.
 * SHARE_CLEAR: it is high. */
#define SHARE_WORTH_NAMING (10 * PERCENT)
#define SHARE_BESIDE BOUND_BESIDE
#define SHARE_MOST (50 * PERCENT)
#define SHARE_CLEAR (70 * PERCENT)

/* Longest host time per GPU activity (for the launch and the operator around it) for which
 * launching can be the cause of idle time. If the host needs longer, the cause is something else,
 * such as loading of modules or computing on the host. */
enum { LAUNCH_NS = 200000 };

/* A run also counts as launch-bound if it has many GPU activities (MANY_ACTIVITIES), these are
 * short on average (SHORT_NS), and the GPU waits longer for each than the activity takes, but no
 * longer than LAUNCH_NS. The recorded host time alone does not show this, since the Python code
 * between operators is not recorded. */
enum { SHORT_NS = 50000, MANY_ACTIVITIES = 20 };

struct bounds {
	const struct run_view *v;
	struct arena *a;
	struct classification *out;
	bool window;
	const char *of; /* what the shares refer to: "the wall time of the steps" or "the trace" */
	int64_t activities; /* number of GPU activities of all ranks */
	int64_t *part; /* shares of the step in 1e-6 %, indexed by enum step_part */
	/* true if only the length of the idle time suggests that launches cause it; false if recorded
	 * host time suggests it, too */
	bool inferred;
	int64_t *share; /* shares of the step that each cause explains, indexed by enum bound */
};

/* Add a sentence, formatted as by printf, to the evidence for the bound (what limits the speed). */
#define SAY(b, ...) vec_push(&(b)->out->evidence, arena_printf((b)->a, __VA_ARGS__))

static const char *pct(struct bounds *b, int64_t share)
{
	return unit_text(b->a, UNIT_PCT, share);
}

/* Add up how the wall time of a rank's steps was spent, over all its devices. False if a figure is
   missing, as in a trace without steps. */
static bool add_periods(const struct digest *d, __int128 sums[NR_STEP_PARTS])
{
	static const enum metric_id ids[NR_STEP_PARTS] = {
		[STEP_PART_COMPUTE] = METRIC_STEP_PERIOD_COMPUTE,
		[STEP_PART_COMM] = METRIC_STEP_PERIOD_EXPOSED_COMM,
		[STEP_PART_MEMORY] = METRIC_STEP_PERIOD_EXPOSED_MEMORY,
		[STEP_PART_IDLE] = METRIC_STEP_IDLE_TIME,
	};
	int64_t total[NR_STEP_PARTS];
	for (int p = 0; p < NR_STEP_PARTS; p++)
		if (!digest_step_stat(d, ids[p], STAT_TOTAL, &total[p]))
			return false;
	for (int p = 0; p < NR_STEP_PARTS; p++)
		sums[p] += total[p];
	return true;
}

/* Like add_periods(), for a trace without steps: adds up how the time of each device from its first
 * to its last activity was spent. */
static void add_window(const struct digest *d, __int128 sums[NR_STEP_PARTS])
{
	for (size_t i = 0; i < d->devices.nr; i++) {
		const struct device_stat *g = &d->devices.v[i];
		int64_t kernels = g->compute_ns + g->comm_ns - g->overlap_ns;
		sums[STEP_PART_COMPUTE] += g->compute_ns;
		sums[STEP_PART_COMM] += g->comm_ns - g->overlap_ns;
		sums[STEP_PART_MEMORY] += g->busy_ns - kernels;
		sums[STEP_PART_IDLE] += g->span_ns - g->busy_ns;
	}
}

/* Compute the parts of the wall time over the usable steps of all ranks or, without step markers,
   over the time from the first activity of each device to its last. False if no GPU activity was
   recorded, or if the parts add up to 0. */
static bool read_parts(struct bounds *b)
{
	__int128 sums[NR_STEP_PARTS] = { 0 }, all = 0;
	for (size_t r = 0; r < b->v->run->ranks.nr; r++) {
		const struct digest *d = b->v->run->ranks.v[r];
		b->window = b->window || d->window;
		b->activities = number_add(b->activities, d->trust.gpu_events);
		if (d->window || !add_periods(d, sums))
			add_window(d, sums);
	}
	for (int p = 0; p < NR_STEP_PARTS; p++)
		all += sums[p];
	for (int p = 0; p < NR_STEP_PARTS; p++)
		b->part[p] = number_pct(sums[p], all);
	return all > 0 && b->activities > 0;
}

static int64_t share_of_step(struct bounds *b, enum metric_id id)
{
	struct diagnosis_figure f = { .query = diagnosis_query(&metric_table[id]),
		                          .form = FORM_OF,
		                          .other = diagnosis_query(&metric_table[METRIC_STEP_PERIOD]) };
	int64_t share;
	enum unit unit;
	return figure_of_diagnosis(b->v, &f, &share, &unit) ? share : 0;
}

/* Share of the window that the busiest host thread of a rank spends in operators and runtime
   calls; median over the ranks. */
static int64_t host_busy(struct bounds *b)
{
	VEC(int64_t) shares = VEC_INIT;
	int64_t share = 0;
	for (size_t r = 0; r < b->v->run->ranks.nr; r++) {
		const struct digest *d = b->v->run->ranks.v[r];
		int64_t most = 0;
		for (size_t i = 0; i < d->threads.nr; i++)
			if (d->threads.v[i].names == 0 && d->threads.v[i].busy_ns > most)
				most = d->threads.v[i].busy_ns;
		if (d->window_ns > 0)
			vec_push(&shares, number_pct(most, d->window_ns));
	}
	if (shares.nr)
		share = number_median(shares.v, shares.nr);
	vec_release(&shares);
	return share;
}

/* Idle time per GPU activity, if the share `share` of the window is idle. 0 if launching cannot
 * explain the idle time. Launching can explain it if there are many short activities, and if the
 * idle time per activity is longer than an activity but no longer than a launch may take. */
static int64_t waits_per_activity(struct bounds *b, int64_t share)
{
	__int128 window = 0, busy = 0;
	for (size_t r = 0; r < b->v->run->ranks.nr; r++) {
		const struct digest *d = b->v->run->ranks.v[r];
		busy += d->trust.gpu_ns;
		if (!d->window)
			window += d->window_ns;
		for (size_t i = 0; i < d->devices.nr && d->window; i++)
			window += d->devices.v[i].span_ns;
	}
	int64_t gap = number_div_round(window * share, (__int128)b->activities * 100 * PERCENT);
	int64_t mean = number_div_round(busy, b->activities);
	return b->activities >= MANY_ACTIVITIES && gap <= LAUNCH_NS && gap > mean && mean <= SHORT_NS
	           ? gap
	           : 0;
}

/* Attribute at most the share `most` of the step to the cause `what`, and take it away from the
 * share `*idle` that is not yet explained. */
static void explain(struct bounds *b, enum bound what, int64_t most, int64_t *idle)
{
	b->share[what] = *idle < most ? *idle : most;
	*idle -= b->share[what];
}

/* Share of the step for which the host waits for the GPU, in synchronizations and copies. After
 * each wait the GPU's queue is empty, so that the GPU idles until the host has launched the next
 * work. A single synchronization per step is not counted, because programs use it to time their
 * steps. Without steps, only copies are counted. */
static int64_t explain_waits(struct bounds *b)
{
	int64_t count = 0, sync = share_of_step(b, METRIC_STEP_SYNC_TIME);
	int64_t copies = blocking_copies_share(b->v->run);
	figure_of_metric(b->v, METRIC_STEP_SYNC_COUNT, &count);
	if (b->window || count < 2)
		sync = 0;
	if (sync >= SHARE_WORTH_NAMING)
		SAY(b, "%s synchronizations a step hold the host for %s of it",
		    unit_text(b->a, UNIT_COUNT, count), pct(b, sync));
	if (copies >= SHARE_WORTH_NAMING)
		SAY(b, "calls that copy memory hold the host for %s of the trace: they wait for the GPU",
		    pct(b, copies));
	return sync + copies;
}

/* Attribute idle time to the data loader, then to waits, then to launches. */
static void explain_idle(struct bounds *b)
{
	int64_t idle = b->part[STEP_PART_IDLE], host = host_busy(b);
	int64_t loader = share_of_step(b, METRIC_STEP_DATALOADER_TIME);
	if (idle < SHARE_WORTH_NAMING)
		return;
	explain(b, BOUND_INPUT, loader, &idle);
	if (b->share[BOUND_INPUT] >= SHARE_WORTH_NAMING)
		SAY(b, "the data loader takes %s of %s", pct(b, loader), b->of);
	if (idle < SHARE_WORTH_NAMING)
		return;
	int64_t waits = explain_waits(b);
	explain(b, BOUND_SYNCHRONIZATION, waits, &idle);
	const struct function_stat *most;
	host -= loader + waits + set_up_share(b->v->run, &most);
	if (idle < SHARE_WORTH_NAMING)
		return;
	__int128 window = 0;
	for (size_t r = 0; r < b->v->run->ranks.nr; r++)
		window += b->v->run->ranks.v[r]->window_ns;
	/* host time per GPU activity */
	int64_t each = number_div_round(window * host, (__int128)b->activities * 100 * PERCENT);
	int64_t gap = waits_per_activity(b, idle);
	if (graphs_prevail(b->v->run)) {
		b->share[BOUND_UNKNOWN] = idle;
		SAY(b, "most kernels come out of replays of GPU graphs: the GPU waits for what "
		       "the host does around them");
	} else if (host >= SHARE_MOST && each <= LAUNCH_NS) {
		explain(b, BOUND_LAUNCH, idle, &idle);
		SAY(b,
		    "a host thread is in operators and runtime calls for %s of the trace, "
		    "waits and the data loader aside: it does not launch fast enough",
		    pct(b, host));
	} else if (host < SHARE_MOST && gap > 0) {
		explain(b, BOUND_LAUNCH, idle, &idle);
		b->inferred = true;
		SAY(b,
		    "the GPU waits %s for each of its short activities: operators "
		    "and the Python between them do not launch fast enough",
		    unit_text(b->a, UNIT_NS, gap));
	} else if (host >= SHARE_MOST) {
		b->share[BOUND_UNKNOWN] = idle;
		SAY(b,
		    "a host thread is in operators and runtime calls for %s of "
		    "the trace, %s for each GPU activity: more than launches "
		    "take; modules are loaded, or operators compute on the host",
		    pct(b, host), unit_text(b->a, UNIT_NS, each));
	} else {
		b->share[BOUND_UNKNOWN] = idle;
		SAY(b,
		    "%s of %s is idle time that no data loader, wait or launch "
		    "explains: host work that was not recorded",
		    pct(b, idle), b->of);
	}
}

/* Choose the bound with the largest share. If that share is below SHARE_MOST, and a second bound
 * has SHARE_BESIDE or more, the bound is "mixed". If compute is the largest, SHARE_CLEAR replaces
 * SHARE_MOST, since computing is the purpose of a run. */
static void decide(struct bounds *b)
{
	enum bound most = BOUND_UNKNOWN;
	int64_t beside = 0;
	for (int i = 0; i < BOUND_MIXED; i++)
		if (b->share[i] > b->share[most])
			most = (enum bound)i;
	for (int i = 0; i < BOUND_MIXED; i++)
		if (i != (int)most && b->share[i] > beside)
			beside = b->share[i];
	struct classification *c = b->out;
	int64_t clear = most == BOUND_COMPUTE ? SHARE_CLEAR : SHARE_MOST;
	c->bound = beside >= SHARE_BESIDE && b->share[most] < clear ? BOUND_MIXED : most;
	c->confidence = b->share[most] >= SHARE_CLEAR  ? CONFIDENCE_HIGH
	                : b->share[most] >= SHARE_MOST ? CONFIDENCE_MEDIUM
	                                               : CONFIDENCE_LOW;
	if (most == BOUND_UNKNOWN || b->window || (most == BOUND_LAUNCH && b->inferred))
		c->confidence = CONFIDENCE_LOW;
	else if ((most == BOUND_LAUNCH || most == BOUND_SYNCHRONIZATION) &&
	         c->confidence == CONFIDENCE_HIGH)
		/* Confidence is not high: what the host did was recorded, but not that the GPU idled
		   because of it. */
		c->confidence = CONFIDENCE_MEDIUM;
}

/* ---- what limits the kernels ---- */

/* Least duration of a kernel whose name tells what limits it: shorter kernels may be limited by
 * latency instead. */
enum { LONG_NS = 10000 };

/* Times of compute kernels in ns. `all`: every kernel. Known from the shapes of operators: kernels
 * limited by memory (`memory`), by arithmetic (`compute`) or by neither (`brief`). Known from the
 * names of kernels: kernels limited by memory (`named`), and kernels of decoding, which memory
 * limits, too (`decoding`). */
struct kernel_limits {
	__int128 all, memory, compute, brief, named, decoding;
};

static struct kernel_limits read_limits(const struct run_view *v)
{
	struct kernel_limits l = { 0 };
	for (size_t r = 0; r < v->run->ranks.nr; r++) {
		const struct rank_view *rank = &v->ranks[r];
		for (size_t i = 0; i < rank->nr_kernels + rank->nr_small; i++) {
			const struct kernel_stat *k = &rank->kernels[i].stat;
			if (rank->kernels[i].cls == CLASS_COMMUNICATION || k->kind != EVENT_KERNEL)
				continue;
			l.all += k->step_total_ns;
			if (k->names || k->step_total_ns < k->step_count * LONG_NS)
				continue;
			enum nature n = nature_of_kernel(
			    category_name(v->naming->categories, rank->kernels[i].category), k->name);
			l.named += n == NATURE_MEMORY ? k->step_total_ns : 0;
			l.decoding += n == NATURE_DECODING ? k->step_total_ns : 0;
		}
		for (size_t i = 0; i < rank->digest->flops.nr; i++) {
			const struct flop_stat *f = &rank->digest->flops.v[i];
			l.memory += f->memory_ns;
			l.compute += f->compute_ns;
			l.brief += f->short_ns;
		}
	}
	return l;
}

static void say_limits(struct bounds *b, const __int128 of[4], __int128 all, bool inferred)
{
	static const char *const names[] = { "memory", "arithmetic", "neither (short or small kernels)",
		                                 "not known" };
	struct strbuf text = STRBUF_INIT;
	strbuf_adds(&text, "of the time of kernels, by what limits them:");
	for (int i = 0, nr = 0; i < 4; i++)
		if (number_pct(of[i], all) >= PERCENT / 2)
			strbuf_addf(&text, "%s %s %s", nr++ ? "," : "", pct(b, number_pct(of[i], all)),
			            names[i]);
	strbuf_adds(&text, inferred ? ", in part from names of kernels" : "");
	vec_push(&b->out->evidence, arena_take(b->a, &text));
}

/* Divide the time of kernels by what limits them. Kernels without a known limit count as compute. A
 * kernel may be known both by the shapes of its operator and by its name, and its time then is in
 * both sums of kernels limited by memory. So the larger of the two sums counts, not their total.
 * Names of decoding kernels count only if shapes are known for less than a quarter of the time. */
static void divide_compute(struct bounds *b)
{
	struct classification *c = b->out;
	struct kernel_limits l = read_limits(b->v);
	__int128 sized = l.memory + l.compute + l.brief;
	if (sized * 4 < l.all)
		l.named += l.decoding;
	bool inferred = l.named > l.memory;
	__int128 memory = inferred ? l.named : l.memory, known = memory + l.compute + l.brief;
	if (known > l.all)
		known = l.all;
	c->busy = c->bound == BOUND_COMPUTE;
	if (!l.all || (!known && !c->busy) || b->part[STEP_PART_COMPUTE] < SHARE_WORTH_NAMING) {
		c->confidence = c->busy ? CONFIDENCE_LOW : c->confidence;
		return;
	}
	__int128 of[] = { known - memory - l.brief + l.all - known, memory, l.brief };
	static const enum bound bounds[] = { BOUND_COMPUTE, BOUND_MEMORY, BOUND_LATENCY };
	int most = 0;
	b->share[BOUND_COMPUTE] = 0;
	for (int i = 0; i < 3; i++) {
		b->share[bounds[i]] += number_div_round(of[i] * b->part[STEP_PART_COMPUTE], l.all);
		most = of[i] > of[most] ? i : most;
	}
	say_limits(b, (__int128[]){ memory, l.compute, l.brief, l.all - known }, l.all, inferred);
	if (c->bound != BOUND_COMPUTE)
		return;
	c->bound = of[most] * 2 > l.all ? bounds[most] : BOUND_MIXED;
	c->busy = c->bound == BOUND_COMPUTE && l.compute * 2 <= l.all;
	if (c->busy || (inferred && l.decoding * 2 > memory && sized * 4 < l.all))
		c->confidence = CONFIDENCE_LOW;
	else if (c->confidence == CONFIDENCE_HIGH &&
	         (inferred || of[most] * 10 < l.all * 7 || known * 2 < l.all))
		c->confidence = CONFIDENCE_MEDIUM;
}

static void say_parts(struct bounds *b)
{
	struct strbuf text = STRBUF_INIT;
	strbuf_addf(&text, "of %s", b->of);
	for (int p = 0, nr = 0; p < NR_STEP_PARTS; p++)
		if (b->part[p] >= PERCENT / 2)
			strbuf_addf(&text, "%s %s %s", nr++ ? "," : "", pct(b, b->part[p]), step_part_names[p]);
	vec_push(&b->out->evidence, arena_take(b->a, &text));
	if (b->window)
		SAY(b, "no steps are marked: the figures are of the whole trace, from its first "
		       "GPU activity to its last");
}

/* ---- data that was not recorded ---- */

static void flops_recorded(const struct digest *d, struct recorded *r)
{
	int64_t flops;
	r->gpu = r->gpu || d->trust.gpu_events;
	r->flops = r->flops || flops_per_step(d, &flops);
	r->model_flops = r->model_flops || digest_env(d, "flops_per_step");
	r->peak = r->peak || flops_peak(d, &(struct flop_peak){ 0 });
	for (size_t i = 0; i < d->ops.nr && !d->flops.nr; i++)
		r->unshaped = r->unshaped || (d->trust.gpu_events && !d->trust.captured &&
		                              (span_glob(SPAN("aten::*mm"), d->ops.v[i].name) ||
		                               span_glob(SPAN("aten::*conv*"), d->ops.v[i].name)));
	for (size_t i = 0; i < d->flops.nr; i++) {
		r->shapes = r->shapes || d->flops.v[i].count || d->flops.v[i].sized_ns;
		if (d->flops.v[i].uncounted && !r->uncounted.n)
			r->uncounted = d->flops.v[i].op;
	}
}

struct recorded recorded_of(const struct run *run)
{
	struct recorded r = { .ranks = (int64_t)run_nr_ranks(run) };
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		r.traces = r.traces || digest_has_trace(d);
		r.first = !r.first && digest_has_trace(d) ? d : r.first;
		flops_recorded(d, &r);
		r.snapshots = r.snapshots || d->snapshot;
		r.memory = r.memory || d->memories.nr;
		r.context =
		    r.context || digest_env(d, "samples_per_step") || digest_env(d, "tokens_per_step");
		r.world_size = d->world_size > r.world_size ? d->world_size : r.world_size;
		for (size_t k = 0; k < d->functions.nr; k++)
			r.python = r.python || d->functions.v[k].cls == FUNCTION_PYTHON;
	}
	return r;
}

/* Names the data without which operations per second, and their share of the peak, cannot be
   computed; NULL if no data is missing. */
static const char *flops_missing(struct bounds *b, const struct recorded *r)
{
	static const char what[] =
	    "or flops_per_step of the run context: operations per second and the share of the peak";
	if (!r->flops && !r->model_flops && span_eq(r->uncounted, SPAN(FLOPS_OF_GRAPHS)))
		return arena_printf(
		    b->a, "the operators behind replays of GPU graphs (profile without them), %s", what);
	if (!r->flops && !r->model_flops && r->uncounted.n)
		return arena_printf(b->a,
		                    "the inputs of '%.*s' (record_shapes=True of PyTorch 2.1 or later), %s",
		                    (int)r->uncounted.n, r->uncounted.p, what);
	if (!r->flops && !r->model_flops)
		return arena_printf(b->a, "%s, %s",
		                    r->unshaped ? "shapes of operators (record_shapes=True)"
		                                : "operators whose operations could be counted",
		                    what);
	if (r->peak)
		return NULL;
	enum flop_type type = flops_type(r->first);
	return arena_printf(b->a, "peak_tflops of the run context: the share of the peak%s",
	                    type == FLOP_FLOAT32 ? "; how float32 is multiplied is not recorded"
	                    : type == FLOP_OTHER ? "; its precision, if nearly all is of one"
	                                         : "; none is known of this GPU");
}

static void say_missing(struct bounds *b)
{
	struct recorded r = recorded_of(b->v->run);
	struct classification *c = b->out;
	if (!r.traces)
		vec_push(&c->missing, "a trace: where the time of a step goes");
	if (r.traces && b->part[STEP_PART_COMPUTE] >= SHARE_BESIDE)
		vec_push(&c->missing, "hardware counters: whether kernels are limited by DRAM bandwidth, "
		                      "by the compute units or by latency");
	if (r.traces && b->window)
		vec_push(&c->missing, "step annotations (prof.step(), or --marker): figures of steps");
	if (!r.memory)
		vec_push(&c->missing,
		         "a memory snapshot, or a trace with profile_memory=True: every figure of memory");
	else if (!r.snapshots)
		vec_push(&c->missing, "a memory snapshot: who holds the memory at the peak");
	if (r.traces && !r.python)
		vec_push(&c->missing, "Python stacks (with_stack=True): which lines launch, copy and wait");
	if (r.world_size > r.ranks)
		vec_push(&c->missing, arena_printf(b->a,
		                                   "the artifacts of the other %" PRId64 " of %" PRId64
		                                   " ranks: what of communication is waiting, and for whom",
		                                   r.world_size - r.ranks, r.world_size));
	if (r.traces && !b->window && !r.context)
		vec_push(&c->missing, "samples_per_step or tokens_per_step of the run context: throughput");
	const char *flops = r.gpu && !b->window ? flops_missing(b, &r) : NULL;
	if (flops)
		vec_push(&c->missing, flops);
}

void diagnose_bound(const struct run_view *v, struct arena *a, struct classification *out)
{
	struct bounds b = { .v = v, .a = a, .out = out, .part = out->part, .share = out->share };
	if (read_parts(&b)) {
		b.of = b.window ? "the trace" : "the wall time of the steps";
		b.share[BOUND_COMPUTE] = b.part[STEP_PART_COMPUTE];
		b.share[BOUND_COMMUNICATION] = b.part[STEP_PART_COMM];
		b.share[BOUND_MEMORY] = b.part[STEP_PART_MEMORY];
		say_parts(&b);
		explain_idle(&b);
		decide(&b);
		divide_compute(&b);
	} else {
		SAY(&b, "%s: what %s goes to is not known",
		    b.activities ? "the steps take no time" : "no GPU activity was recorded",
		    b.activities ? "it" : "the time of a step");
	}
	say_missing(&b);
}
