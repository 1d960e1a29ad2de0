#include "synthetic.h"

#include <math.h>

static const char *const names[NR_KERNELS] = { "gemm_a",  "gemm_b",  "flash",   "gemm_c",
	                                           "norm",    "gelu",    "add",     "cast",
	                                           "softmax", "dropout", "scatter", "adam" };

enum { STEP_NS = 100000000, COMM_NS = 8000000, GIB = 1 << 30 };

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

struct effect effect_of(const char *name, int kernel, double factor)
{
	struct effect e = { .name = name };
	for (int k = 0; k < NR_KERNELS; k++)
		e.kernel[k] = kernel < 0 || kernel == k ? factor : 1;
	return e;
}

double kernel_share(size_t kernel)
{
	static const double shares[NR_KERNELS] = { 0.30, 0.20, 0.12, 0.10, 0.08, 0.06,
		                                       0.04, 0.03, 0.02, 0.02, 0.02, 0.01 };
	return shares[kernel];
}

struct luck luck_of(const struct weather *w, struct dice *dice, double *walk)
{
	struct luck l;
	double squares = 0;
	for (size_t k = 0; k < NR_KERNELS; k++)
		squares += kernel_share(k) * kernel_share(k);
	/* kernels are noisier than their sum, by what is their own */
	double of_kernel = w->between / sqrt(w->correlation + (1 - w->correlation) * squares);
	double machine = *walk + of_kernel * sqrt(w->correlation) * dice_normal(dice);
	*walk += w->drift * dice_normal(dice);
	if (dice_uniform(dice) < w->outliers)
		machine += log(1.2);
	for (size_t k = 0; k < NR_KERNELS; k++)
		l.kernel[k] = exp(machine + of_kernel * sqrt(1 - w->correlation) * dice_normal(dice));
	for (size_t s = 0; s < NR_STEPS; s++)
		l.step[s] = exp(w->within * dice_normal(dice));
	l.comm = exp(machine + 3 * w->between * dice_normal(dice));
	l.host = exp(0.03 * dice_normal(dice));
	return l;
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
	d->source_hash = ++hash; /* each is a run of its own */
	d->total_steps = NR_STEPS;
	digest_set_steps(d, NR_STEPS);
	d->usable_steps = NR_STEPS;
	for (size_t k = 0; k < NR_KERNELS; k++)
		add_kernel(d, EVENT_KERNEL, names[k]);
	add_kernel(d, EVENT_KERNEL, "ncclDevKernel_AllReduce");
	add_kernel(d, EVENT_MEMCPY, "Memcpy HtoD (Pageable -> Device)");
	vec_sort(&d->kernels, kernel_stat_cmp);
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

static void set_kernel(struct digest *d, const char *name, double per_step, const struct luck *l)
{
	for (size_t i = 0; i < d->kernels.nr; i++) {
		struct kernel_stat *k = &d->kernels.v[i];
		double total = 0;
		if (!span_eq(k->name, span_of(name)))
			continue;
		for (size_t s = 0; s < NR_STEPS; s++)
			total += per_step * l->step[s];
		k->count = k->step_count = 4 * NR_STEPS;
		k->total_ns = k->step_total_ns = llround(total);
		k->max_ns = k->step_max_ns = llround(per_step / 4);
	}
}

static void set_steps(struct digest *d, double compute, double comm, const struct luck *l)
{
	for (size_t s = 0; s < NR_STEPS; s++) {
		int64_t compute_ns = llround(compute * l->step[s]), comm_ns = llround(comm * l->step[s]);
		d->step_numbers[s] = (int64_t)s;
		d->step_activities[s] = 4 * (NR_KERNELS + 2);
		d->samples[METRIC_STEP_COMPUTE_TIME][s] = compute_ns;
		d->samples[METRIC_STEP_COMM_TIME][s] = comm_ns;
		d->samples[METRIC_STEP_EXPOSED_COMM_TIME][s] = comm_ns / 2;
		d->samples[METRIC_STEP_KERNEL_TIME][s] = compute_ns + comm_ns;
		d->samples[METRIC_STEP_CUDA_TIME][s] = compute_ns + comm_ns;
		d->samples[METRIC_STEP_BUSY_TIME][s] = compute_ns + comm_ns / 2;
		d->samples[METRIC_STEP_KERNEL_COUNT][s] = 4 * (NR_KERNELS + 1);
		d->samples[METRIC_STEP_TIME][s] = llround((double)STEP_NS * 1.3 * l->host);
	}
}

void synthetic_fill(struct digest *d, const struct luck *l, const struct effect *e)
{
	double compute = 0, comm = COMM_NS * l->comm;
	for (size_t k = 0; k < NR_KERNELS; k++) {
		double ns = STEP_NS * kernel_share(k) * l->kernel[k] * e->kernel[k];
		compute += ns;
		set_kernel(d, names[k], ns, l);
	}
	set_kernel(d, "ncclDevKernel_AllReduce", comm, l);
	set_steps(d, compute, comm, l);
	struct device_stat *device = &d->devices.v[0];
	device->busy_ns = device->measured_busy_ns = llround(NR_STEPS * (compute + comm / 2));
	device->span_ns = device->measured_ns = llround((double)device->busy_ns * (0.2 + l->host));
	device->compute_ns = llround(NR_STEPS * compute);
	d->trust.gpu_events = d->trust.with_launch = NR_STEPS * 4 * (NR_KERNELS + 2);
	d->trust.gpu_ns = llround(NR_STEPS * (compute + comm));
	d->trust.launches = NR_STEPS * 4 * (NR_KERNELS + 1);
}
