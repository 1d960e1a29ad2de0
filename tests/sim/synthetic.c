#include "synthetic.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

enum { STEP_NS = 100000000, COMM_NS = 8000000, GIB = 1 << 30, NR_OPERATORS = 16 };

/* Share of a kernel's variance that all kernels of a run have in common, due to the machine. */
static const double correlation = 0.5;

static const double shares[NR_KERNELS] = { 0.16,  0.13,  0.11,  0.09,  0.08,   0.07,  0.06,
	                                       0.05,  0.04,  0.035, 0.03,  0.025,  0.02,  0.02,
	                                       0.018, 0.016, 0.014, 0.012, 0.0105, 0.0095 };

/* Operator of each kernel: the first operators launch two kernels each. */
static const int operators[NR_KERNELS] = { 0, 0, 1, 2, 3,  2,  1,  3,  4,  5,
	                                       6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };

/* Operators whose time is that of the memory. */
static bool is_bound_by_memory(int kernel)
{
	static const bool bound[NR_OPERATORS] = { [3] = true, [5] = true, [6] = true,  [7] = true,
		                                      [8] = true, [9] = true, [12] = true, [14] = true };
	return bound[operators[kernel]];
}

/* ---- random numbers ---- */

double dice_uniform(struct dice *d)
{
	uint64_t z = d->state += 0x9E3779B97F4A7C15u;
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	z ^= z >> 31;
	return ((double)(z >> 11) + 0.5) / 9007199254740992.0;
}

double dice_normal(struct dice *d)
{
	double radius = sqrt(-2 * log(dice_uniform(d)));
	return radius * cos(2 * 3.14159265358979323846 * dice_uniform(d));
}

/* A random value with heavy tails and variance 1. */
static double dice_heavy(struct dice *d)
{
	double squares = 0, z = dice_normal(d);
	for (int i = 0; i < 3; i++) {
		double x = dice_normal(d);
		squares += x * x;
	}
	return z / sqrt(squares / 3) / sqrt(3);
}

static double share_of(int kernel)
{
	double sum = 0;
	for (int k = 0; k < NR_KERNELS; k++)
		sum += shares[k];
	return shares[kernel] / sum;
}

void variances_of(const struct weather *w, double *machine, double *own)
{
	double squares = 0;
	for (int k = 0; k < NR_KERNELS; k++)
		squares += share_of(k) * share_of(k);
	/* the noise of the compute time is given; the noise of a single kernel is larger, since the
	   kernels' own parts partly cancel out in the sum */
	double of_kernel = w->noise * w->noise / (correlation + (1 - correlation) * squares);
	*machine = correlation * of_kernel;
	*own = (1 - correlation) * of_kernel;
}

struct effect effect_of(int kernel, double share)
{
	struct effect e = { 0 };
	for (int k = 0; k < NR_KERNELS; k++)
		e.kernel[k] = kernel < 0 || kernel == k ? log1p(share) : 0;
	return e;
}

/* Move time from one kernel to another one of the same operator. */
static void choose_algorithm(struct luck *l, struct dice *dice)
{
	static const int pairs[][2] = { { 0, 1 }, { 3, 5 }, { 2, 6 }, { 4, 7 } };
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		int a = pairs[i][0], b = pairs[i][1];
		if (dice_uniform(dice) >= 0.3)
			continue;
		l->own[a] += log(1.30);
		l->own[b] += log(fmax(1 - 0.30 * shares[a] / shares[b], 0.05));
	}
}

static void machines_of(const struct weather *w, struct dice *dice, double s, size_t nr,
                        struct luck *out)
{
	const double phi = 0.95;
	double walk = dice_normal(dice);
	for (size_t i = 0; i < nr; i++) {
		double z = w->kind == WEATHER_HEAVY ? dice_heavy(dice) : dice_normal(dice);
		if (w->kind == WEATHER_BIMODAL)
			z = (dice_uniform(dice) < 0.3) / sqrt(0.21);
		if (w->kind == WEATHER_DRIFT)
			z = walk;
		walk = phi * walk + sqrt(1 - phi * phi) * dice_normal(dice);
		out[i].machine = s * z;
		if (w->kind == WEATHER_OUTLIERS && dice_uniform(dice) < 0.05)
			out[i].machine += log(1.2);
	}
}

/* ---- states of the machine ---- */

/* What a state depends on beside chance: the states before it. */
struct course {
	double level, phase, host, of_host[NR_OPERATORS];
	bool slow;
};

static void course_begin(struct course *c, struct dice *dice)
{
	*c = (struct course){ .level = dice_normal(dice),
		                  .phase = 8 * dice_uniform(dice),
		                  .host = 0.02 * dice_normal(dice),
		                  .slow = dice_uniform(dice) < 0.4 };
	for (int i = 0; i < NR_OPERATORS; i++)
		c->of_host[i] = 0.01 * dice_normal(dice);
}

/* Draw the state of run `i`, the first `nb` of which are main's: a slow-down of all kernels, and
   one of those that the memory bounds. */
static void draw_state(const struct weather *w, struct dice *dice, struct course *c, size_t i,
                       size_t nb, double state[NR_KERNELS])
{
	double clock = 0, memory = 0, all = 0, p = dice_uniform(dice), z = dice_normal(dice);
	c->slow = p < 0.15 ? !c->slow : c->slow;
	c->level = 0.8 * c->level + 0.6 * z;
	switch (w->kind) {
	case WEATHER_CLOCKS:
		clock = p < 0.7 ? 0 : p < 0.9 ? 0.04 : 0.09;
		break;
	case WEATHER_STICKY:
		clock = c->slow ? 0.05 : 0;
		break;
	case WEATHER_HOST:
		all = i < nb ? 0 : c->host;
		break;
	case WEATHER_DOUBLED:
		all = p < 0.02 ? log(2) : 0;
		break;
	case WEATHER_NEIGHBOR:
		memory = p < 0.1 ? 0.05 + 0.3 * dice_uniform(dice) : 0;
		break;
	case WEATHER_SKEWED:
		all = 0.02 * exp(z) / sqrt((exp(1) - 1) * exp(1));
		break;
	case WEATHER_STEPS:
		all = 0.0106 * floor(log(p) / log(0.5));
		break;
	case WEATHER_DAYS:
		all = 0.02 * c->level + 0.01 * sin(2 * acos(-1) * ((double)i + c->phase) / 8);
		break;
	case WEATHER_FACTOR:
		all = w->state * z;
		break;
	default:
		break;
	}
	for (int k = 0; k < NR_KERNELS; k++) {
		state[k] = all + (is_bound_by_memory(k) ? memory + 0.2 * clock : clock);
		if (w->kind == WEATHER_HOST && i >= nb)
			state[k] += c->of_host[operators[k]];
	}
}

/* Draw what a run has by itself. */
static void draw_own(const struct weather *w, struct dice *dice, struct luck *l)
{
	double rise = 0.04 * exp(0.5 * dice_normal(dice)), decay = 0.2 + 1.3 * dice_uniform(dice);
	double other[NR_OPERATORS];
	for (int i = 0; i < NR_OPERATORS; i++)
		other[i] = (dice_uniform(dice) < 0.1) * 0.03 * dice_normal(dice);
	l->peak = w->kind == WEATHER_MEMORY && dice_uniform(dice) < 0.15 ? 0.015 : 0;
	for (int k = 0; k < NR_KERNELS && w->kind == WEATHER_CHOICE; k++)
		l->own[k] += other[operators[k]];
	for (int s = 0; s < NR_STEPS; s++) {
		double warm = 0.3 * exp(-s / decay);
		l->step[s] = w->kind == WEATHER_THERMAL  ? rise * s / (NR_STEPS - 1)
		             : w->kind == WEATHER_WARMUP ? warm
		                                         : 0;
		l->hiccup[s] = w->kind == WEATHER_WARMUP ? warm : 0;
		if (w->kind == WEATHER_HICCUPS && dice_uniform(dice) < 0.01)
			l->hiccup[s] = 0.5;
	}
}

/* Draw the states of all runs; a control run has that of its partner, unless it is restless. */
static void draw_states(const struct weather *w, struct dice *dice, size_t nb, size_t nc,
                        bool controls, struct luck *out)
{
	struct course course;
	course_begin(&course, dice);
	for (size_t i = 0; i < nb + nc; i++)
		draw_state(w, dice, &course, i, nb, out[i].state);
	for (size_t i = nb + nc; i < nb + 2 * nc && controls; i++)
		if (dice_uniform(dice) < w->restless)
			draw_state(w, dice, &course, i, nb, out[i].state);
		else
			memcpy(out[i].state, out[i - nc].state, sizeof out[i].state);
	for (size_t i = 0; i < nb + (controls ? 2 : 1) * nc; i++)
		draw_own(w, dice, &out[i]);
}

void luck_of(const struct weather *w, struct dice *dice, size_t nb, size_t nc, bool controls,
             struct luck *out)
{
	const double within_pair = 0.9;
	double machine, own;
	variances_of(w, &machine, &own);
	machine = sqrt(machine);
	machines_of(w, dice, machine, nb + nc, out);
	double common = dice_normal(dice);
	for (size_t i = nb; i < nb + nc && w->shared > 0; i++)
		out[i].machine =
		    machine * (sqrt(w->shared) * common + sqrt(1 - w->shared) * dice_normal(dice));
	for (size_t i = nb + nc; i < nb + 2 * nc && controls; i++)
		out[i].machine = within_pair * out[i - nc].machine +
		                 sqrt(1 - within_pair * within_pair) * machine * dice_normal(dice);
	for (size_t i = 0; i < nb + (controls ? 2 : 1) * nc; i++) {
		for (int k = 0; k < NR_KERNELS; k++)
			out[i].own[k] =
			    sqrt(own) * (w->kind == WEATHER_HEAVY ? dice_heavy(dice) : dice_normal(dice));
		if (w->kind == WEATHER_ALGORITHM)
			choose_algorithm(&out[i], dice);
		out[i].comm = out[i].machine + 3 * w->noise * dice_normal(dice);
		out[i].host = 0.02 * dice_normal(dice);
	}
	if (w->kind >= WEATHER_CLOCKS)
		draw_states(w, dice, nb, nc, controls, out);
	for (size_t i = 0; i < nb + (controls ? 2 : 1) * nc && w->wall > 0; i++)
		out[i].wall = w->wall * dice_normal(dice);
}

static double idle_of(const struct weather *w)
{
	return STEP_NS * (w->idle > 0 ? w->idle : 0.2);
}

/* ---- synthetic digests ---- */

void synthetic_categories(struct category_table *t)
{
	*t = (struct category_table){ .source = "simulation" };
	for (int i = -1; i < NR_OPERATORS; i++) {
		struct category *c = vec_push_zero(&t->rows);
		c->cls = i < 0 ? CLASS_COMMUNICATION : CLASS_COMPUTE;
		c->name = i < 0 ? "communication" : arena_printf(&t->arena, "operator %02d", i);
		vec_push(&c->match, span_of(i < 0 ? "nccl" : arena_printf(&t->arena, "op%02d_", i)));
	}
}

static const char *name_of(int kernel, struct arena *a)
{
	return arena_printf(a, "op%02d_kernel%02d", operators[kernel], kernel);
}

static void add_kernel(struct digest *d, enum event_kind kind, const char *name)
{
	struct kernel_stat *k = vec_push_zero(&d->kernels);
	k->kind = kind;
	k->name = span_of(name);
	k->grid[0] = k->occupancy = -1;
}

struct digest *synthetic_digest(const char *communication)
{
	static uint64_t hash;
	struct digest *d = digest_new();
	d->trace = "synthetic.json";
	d->marker = DEFAULT_MARKER;
	d->communication = communication;
	d->attribution = ATTRIBUTION_LAUNCH;
	d->source_hash =
	    ++hash; /* a hash of its own, so that no two runs count as the same recording */
	d->total_steps = NR_STEPS;
	digest_set_steps(d, NR_STEPS);
	d->usable_steps = NR_STEPS;
	for (int k = 0; k < NR_KERNELS; k++)
		add_kernel(d, EVENT_KERNEL, name_of(k, &d->arena));
	add_kernel(d, EVENT_KERNEL, "ncclDevKernel_AllReduce");
	add_kernel(d, EVENT_MEMCPY, "Memcpy HtoD (Pageable -> Device)");
	vec_sort(&d->kernels, kernel_stat_cmp);
	for (int k = 0; k < NR_KERNELS; k++)
		*(struct code_stat *)vec_push_zero(&d->code) = (struct code_stat){
			.kind = CODE_KERNEL,
			.line = -1,
			.op = span_of(arena_printf(&d->arena, "operator %02d", operators[k])),
			.kernel = code_kernel_key(span_of(name_of(k, &d->arena))),
		};
	digest_set_env(d, SPAN("gpu.name"), SPAN("Synthetic"));
	struct device_stat *device = vec_push_zero(&d->devices);
	device->id = "0";
	device->streams = 1;
	struct memory_stat *m = vec_push_zero(&d->memories);
	m->id = "0";
	m->source = MEMORY_OF_TRACE;
	m->events = 100;
	m->peak_allocated = m->peak_reserved = m->reserved_at_peak = GIB;
	m->end_allocated = m->end_reserved = GIB / 2;
	m->capacity = m->end_requested = m->inactive = m->largest_inactive = MEMORY_UNKNOWN;
	m->segment_count = m->segment_churn = m->oom_count = MEMORY_UNKNOWN;
	m->peak_persistent = m->peak_carried = m->peak_transient = MEMORY_UNKNOWN;
	return d;
}

static void set_kernel(struct digest *d, const char *name, double per_step)
{
	for (size_t i = 0; i < d->kernels.nr; i++) {
		struct kernel_stat *k = &d->kernels.v[i];
		if (!span_eq(k->name, span_of(name)))
			continue;
		k->count = k->step_count = 4 * NR_STEPS;
		k->total_ns = k->step_total_ns = llround(per_step * NR_STEPS);
		k->max_ns = k->step_max_ns = llround(per_step / 4);
	}
}

static void set_steps(struct digest *d, double compute, double comm, const struct luck *l,
                      const struct effect *e, const struct weather *w)
{
	for (size_t s = 0; s < NR_STEPS; s++) {
		int64_t compute_ns = llround(compute * exp(l->step[s])), comm_ns = llround(comm);
		int64_t busy = compute_ns + comm_ns / 2;
		int64_t period = busy + llround(idle_of(w) * exp(l->host) + STEP_NS * l->hiccup[s]);
		period = llround((double)period * exp(l->wall + e->wall));
		d->step_numbers[s] = (int64_t)s;
		d->step_activities[s] = 4 * (NR_KERNELS + 2);
		d->samples[METRIC_STEP_COMPUTE_TIME][s] = compute_ns;
		d->samples[METRIC_STEP_COMM_TIME][s] = comm_ns;
		d->samples[METRIC_STEP_EXPOSED_COMM_TIME][s] = comm_ns / 2;
		d->samples[METRIC_STEP_KERNEL_TIME][s] = compute_ns + comm_ns;
		d->samples[METRIC_STEP_CUDA_TIME][s] = compute_ns + comm_ns;
		d->samples[METRIC_STEP_BUSY_TIME][s] = busy;
		d->samples[METRIC_STEP_KERNEL_COUNT][s] = 4 * (NR_KERNELS + 1);
		d->samples[METRIC_STEP_TIME][s] = d->samples[METRIC_STEP_PERIOD][s] = period;
	}
}

void synthetic_fill(struct digest *d, const struct luck *l, const struct effect *e,
                    const struct weather *w)
{
	struct arena scratch = ARENA_INIT;
	double compute = 0, comm = COMM_NS * exp(l->comm), steps = 0;
	for (int s = 0; s < NR_STEPS; s++)
		steps += exp(l->step[s]);
	for (int k = 0; k < NR_KERNELS; k++) {
		double ns =
		    STEP_NS * share_of(k) * exp(l->machine + l->own[k] + l->state[k] + e->kernel[k]);
		compute += ns;
		ns *= steps / NR_STEPS;
		set_kernel(d, name_of(k, &scratch), ns);
		d->code.v[k].count = 4 * NR_STEPS;
		d->code.v[k].total_ns = llround(ns * NR_STEPS);
	}
	arena_release(&scratch);
	set_kernel(d, "ncclDevKernel_AllReduce", comm);
	set_steps(d, compute, comm, l, e, w);
	compute *= steps / NR_STEPS;
	d->memories.v[0].peak_allocated = llround(GIB * exp(l->peak));
	d->memories.v[0].peak_reserved = d->memories.v[0].peak_allocated;
	d->memories.v[0].reserved_at_peak = d->memories.v[0].peak_allocated;
	if (w->says_host)
		digest_set_env(d, SPAN("host"), SPAN("node1"));
	struct device_stat *device = &d->devices.v[0];
	device->busy_ns = device->measured_busy_ns = llround(NR_STEPS * (compute + comm / 2));
	device->span_ns = device->measured_ns = device->busy_ns + llround(NR_STEPS * idle_of(w));
	device->compute_ns = llround(NR_STEPS * compute);
	d->trust.gpu_events = d->trust.with_launch = NR_STEPS * 4 * (NR_KERNELS + 2);
	d->trust.gpu_ns = llround(NR_STEPS * (compute + comm));
	d->trust.launches = NR_STEPS * 4 * (NR_KERNELS + 1);
}
