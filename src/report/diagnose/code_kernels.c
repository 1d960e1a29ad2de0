/* Diagnoses of groups of kernels: attention in separate kernels, transposes around convolutions. */
#include "base/number.h"
#include "diagnose/diagnose.h"
#include "diagnose/internal.h"

/* Shares of the kernel time. A change of the user's code is only advised if separate kernels of
   attention, or transposes, take at least this much. */
#define KERNELS_WORTH_NAMING (5 * PERCENT)
#define TRANSPOSES_WORTH_NAMING (2 * PERCENT)

/* Time and number of launches of one kind of kernels, in the measured steps of all ranks. `all_ns`
 * is the time of kernels of every kind, `steps` the number of these steps. */
struct kernel_sum {
	__int128 ns, count, all_ns, steps;
};

static struct kernel_sum kernels_named(const struct run *run, const char *const *needles,
                                       const char *const *but)
{
	struct kernel_sum s = { 0 };
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		s.steps += d->usable_steps;
		for (size_t i = 0; i < d->kernels.nr; i++) {
			const struct kernel_stat *k = &d->kernels.v[i];
			if (k->kind != EVENT_KERNEL)
				continue;
			s.all_ns += k->step_total_ns;
			if (k->names || !name_has_any(k->name, needles) || name_has_any(k->name, but))
				continue;
			s.ns += k->step_total_ns;
			s.count += k->step_count;
		}
	}
	return s;
}

static int64_t per_step(__int128 sum, const struct kernel_sum *of)
{
	return of->steps ? number_div_round(sum, of->steps) : 0;
}

/* ---- attention that runs in separate kernels ---- */

/* Number of batched matrix products and, as far as it is known for their operators, their GPU time.
 * Without operators, kernels with certain names are counted. This misses some products, since names
 * of kernels rarely show that a product is batched. */
static struct kernel_sum batched_products(const struct run *run)
{
	static const char *const kernels[] = {
		"bmm", "batched_gemm", "gemmbatched", "strided_batched", "stridedbatched", NULL
	};
	struct kernel_sum s = { 0 };
	bool operators = false;
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		for (size_t i = 0; i < d->ops.nr; i++)
			if (span_eq(d->ops.v[i].name, SPAN("aten::bmm")) ||
			    span_eq(d->ops.v[i].name, SPAN("aten::baddbmm")))
				s.count += d->ops.v[i].count;
		for (size_t i = 0; i < d->flops.nr; i++)
			if (span_eq(d->flops.v[i].op, SPAN("aten::bmm")) ||
			    span_eq(d->flops.v[i].op, SPAN("aten::baddbmm")))
				s.ns += d->flops.v[i].gpu_ns;
		operators = operators || d->ops.nr;
	}
	return operators ? s : kernels_named(run, kernels, NULL);
}

/* Recommend a fused attention if attention runs in separate kernels. A softmax between two batched
   products is attention, unlike the softmax of a loss, a router or a sampler. */
void attention_unfused(const struct run_view *v, struct arena *a, struct run_report *out)
{
	static const char *const softmax[] = { "softmax", NULL };
	static const char *const but[] = { "logsoftmax", "log_softmax", "topk", "top_k",     "gating",
		                               "backward",   "flash",       "fmha", "attention", NULL };
	struct kernel_sum s = kernels_named(v->run, softmax, but), b = batched_products(v->run);
	__int128 ns = s.ns + b.ns;
	int64_t share = s.all_ns > 0 ? number_pct(ns, s.all_ns) : 0;
	if (s.count == 0 || b.count < 2 * s.count || share < KERNELS_WORTH_NAMING)
		return;
	struct recommendation rec = *diagnose_advice(SPAN("unfused-attention"));
	if (b.ns)
		rec.ask = "";
	const char *seen = arena_printf(
	    a, "%s softmax kernels a %s beside %s batched products take %s (%s of kernel time%s)",
	    unit_text(a, UNIT_COUNT, per_step(s.count, &s)), out->window ? "window" : "step",
	    unit_text(a, UNIT_COUNT, per_step(b.count, &s)), unit_text(a, UNIT_NS, per_step(ns, &s)),
	    unit_text(a, UNIT_PCT, share), b.ns ? "" : ", the products not counted");
	recommend(v, a, out, rec, per_step(ns, &s), seen);
}

/* ---- memory layouts of images ---- */

void layout_transposes(const struct run_view *v, struct arena *a, struct run_report *out)
{
	/* transposes that cuDNN and MIOpen insert around kernels that need another memory layout */
	static const char *const names[] = { "nchwtonhwc", "nhwctonchw",         "nchw2nhwc",
		                                 "nhwc2nchw",  "batched_transpose_", NULL };
	struct kernel_sum s = kernels_named(v->run, names, NULL);
	int64_t share = s.all_ns > 0 ? number_pct(s.ns, s.all_ns) : 0;
	if (share < TRANSPOSES_WORTH_NAMING)
		return;
	const char *seen = arena_printf(
	    a, "%s kernels a %s only change the layout, between NCHW and NHWC: %s (%s of kernel time)",
	    unit_text(a, UNIT_COUNT, per_step(s.count, &s)), out->window ? "window" : "step",
	    unit_text(a, UNIT_NS, per_step(s.ns, &s)), unit_text(a, UNIT_PCT, share));
	recommend(v, a, out, *diagnose_advice(SPAN("layout-transposes")), per_step(s.ns, &s), seen);
}
