#include "model/flops.h"

#include "base/number.h"

const char *const flop_type_names[] = { FLOP_TYPES(ENUM_WORD) NULL };

/* Source: names of scalar types, c10/core/ScalarType.h (pytorch/pytorch). */
enum flop_type flop_type_of(struct span name)
{
	static const struct {
		const char *begin;
		bool whole;
		enum flop_type type;
	} names[] = {
		{ "c10::BFloat16", true, FLOP_BFLOAT16 }, { "bfloat16", true, FLOP_BFLOAT16 },
		{ "bf16", true, FLOP_BFLOAT16 },          { "c10::Half", true, FLOP_FLOAT16 },
		{ "float16", true, FLOP_FLOAT16 },        { "fp16", true, FLOP_FLOAT16 },
		{ "half", true, FLOP_FLOAT16 },           { "c10::Float8_", false, FLOP_FLOAT8 },
		{ "float8", false, FLOP_FLOAT8 },         { "fp8", true, FLOP_FLOAT8 },
		{ "float", true, FLOP_FLOAT32 },          { "float32", true, FLOP_FLOAT32 },
		{ "fp32", true, FLOP_FLOAT32 },           { "double", true, FLOP_FLOAT64 },
		{ "float64", true, FLOP_FLOAT64 },        { "fp64", true, FLOP_FLOAT64 },
	};
	for (size_t i = 0; i < NR_OF(names); i++) {
		struct span known = span_of(names[i].begin);
		if (names[i].whole ? span_eq_nocase(name, known) : span_starts(name, known))
			return names[i].type;
	}
	return FLOP_OTHER;
}

enum flop_type flops_type(const struct digest *d)
{
	__int128 all = 0, of[NR_FLOP_TYPES] = { 0 };
	for (size_t i = 0; i < d->flops.nr; i++) {
		all += d->flops.v[i].flops;
		of[d->flops.v[i].type] += d->flops.v[i].flops;
	}
	for (int type = 0; all > 0 && type < NR_FLOP_TYPES; type++)
		if (of[type] * 100 >= all * 99)
			return (enum flop_type)type;
	const char *precision = digest_env(d, "precision");
	return all == 0 && precision ? flop_type_of(span_of(precision)) : FLOP_OTHER;
}

bool flops_per_step(const struct digest *d, int64_t *out)
{
	__int128 sum = 0;
	int64_t uncounted = 0;
	for (size_t i = 0; i < d->flops.nr; i++) {
		sum += d->flops.v[i].flops;
		uncounted |= d->flops.v[i].uncounted;
	}
	if (sum == 0 || uncounted || d->usable_steps == 0)
		return false;
	*out = number_div_round(sum, d->usable_steps);
	return true;
}

/* Peak rates of dense products, and bandwidths of memory. Single precision is missing, since a
 * trace does not show whether TF32 was allowed; partial GPUs (MIG, partitions) are missing, since
 * they may have the name of the whole GPU. Names are those of deviceProperties; some driver
 * versions put NVIDIA before them. */
static const struct gpu {
	const char *name, *source;
	int float16, bfloat16, float8; ///< rates in 0.1 TFLOP/s; 0 if unknown or not supported
	int gb_per_s; ///< bandwidth of the GPU's memory
} gpus[] = {
	{ "Tesla V100-SXM2-16GB", "V100 data sheet, NVIDIA", 1250, 0, 0, 900 },
	{ "Tesla V100-SXM2-32GB", "V100 data sheet, NVIDIA", 1250, 0, 0, 900 },
	{ "Tesla V100-PCIE-16GB", "V100 data sheet, NVIDIA", 1120, 0, 0, 900 },
	{ "Tesla V100-PCIE-32GB", "V100 data sheet, NVIDIA", 1120, 0, 0, 900 },
	{ "Tesla T4", "T4 data sheet, NVIDIA", 650, 0, 0, 320 },
	{ "A100-SXM4-40GB", "A100 data sheet, NVIDIA", 3120, 3120, 0, 1555 },
	{ "A100-SXM4-80GB", "A100 data sheet, NVIDIA", 3120, 3120, 0, 2039 },
	{ "A100-PCIE-40GB", "A100 data sheet, NVIDIA", 3120, 3120, 0, 1555 },
	{ "A100 80GB PCIe", "A100 data sheet, NVIDIA", 3120, 3120, 0, 1935 },
	{ "H100 80GB HBM3", "H100 data sheet, NVIDIA, without sparsity", 9895, 9895, 19790, 3350 },
	{ "H100 PCIe", "H100 data sheet, NVIDIA, without sparsity", 7565, 7565, 15130, 2000 },
	{ "H200", "H200 data sheet, NVIDIA, without sparsity", 9895, 9895, 19790, 4800 },
	{ "AMD Instinct MI210", "MI210 brochure, AMD", 1810, 1810, 0, 1638 },
	{ "AMD Instinct MI300X", "MI300X data sheet, AMD, without sparsity", 13074, 13074, 26149,
	  5300 },
	{ "AMD Instinct MI300X VF", "MI300X data sheet, AMD, without sparsity", 13074, 13074, 26149,
	  5300 },
};

static const struct gpu *gpu_of(const struct digest *d)
{
	const char *gpu = digest_env(d, "gpu.name");
	struct span name = span_of(gpu ? gpu : "");
	span_skip(&name, SPAN("NVIDIA "));
	return FIND(i, gpus, NR_OF(gpus), span_eq(name, span_of(gpus[i].name)));
}

static int rate_of(const struct gpu *g, enum flop_type type)
{
	return type == FLOP_FLOAT16    ? g->float16
	       : type == FLOP_BFLOAT16 ? g->bfloat16
	       : type == FLOP_FLOAT8   ? g->float8
	                               : 0;
}

struct gpu_roof flops_roof(const struct digest *d, enum flop_type type)
{
	const struct gpu *g = gpu_of(d);
	return g ? (struct gpu_roof){ rate_of(g, type) * (MICRO / 10), g->gb_per_s }
	         : (struct gpu_roof){ 0 };
}

bool flops_peak(const struct digest *d, struct flop_peak *out)
{
	const char *own = digest_env(d, "peak_tflops");
	const struct gpu *g = gpu_of(d);
	int64_t micro;
	if (own && number_parse(span_of(own), 6, &micro) && micro > 0) {
		*out = (struct flop_peak){ micro, "peak_tflops of the run context" };
		return true;
	}
	int rate = !own && g ? rate_of(g, flops_type(d)) : 0;
	if (rate)
		*out = (struct flop_peak){ rate * (MICRO / 10), g->source };
	return rate != 0;
}

/* ---- figures made from operations and the peak ---- */

/* Share of the peak in 1e-6 percent: 100 · flops / (seconds · tflops · 10^12). */
static bool of_peak(const struct digest *d, __int128 flops, int64_t step_ns, int64_t *out)
{
	/* The factor 100 gives percent. The result is in 10^-6 %, and the peak in 10^-6 TFLOP/s: these
	 * two factors of 10^6 cancel the 10^12. */
	const __int128 scale = (__int128)100 * NS_PER_S;
	struct flop_peak peak;
	if (!flops_peak(d, &peak))
		return false;
	*out = number_div_round(flops * scale, (__int128)step_ns * peak.micro_tflops);
	return true;
}

static bool mfu(const struct digest *d, int64_t step_ns, int64_t *out)
{
	const char *text = digest_env(d, "flops_per_step");
	int64_t flops; /* operations, or millions of them if they do not fit into 64 bits */
	bool fits = text && number_parse(span_of(text), 0, &flops);
	if (!text || (!fits && !number_parse(span_of(text), -6, &flops)) || flops <= 0)
		return false;
	return of_peak(d, fits ? flops : (__int128)flops * MICRO, step_ns, out);
}

bool flops_figure(const struct digest *d, enum metric_id id, int64_t step_ns, int64_t *out)
{
	int64_t flops;
	if (id == METRIC_MFU_PCT)
		return mfu(d, step_ns, out);
	if (!flops_per_step(d, &flops))
		return false;
	if (id == METRIC_FLOPS_PEAK_PCT)
		return of_peak(d, flops, step_ns, out);
	*out = number_div_round((__int128)flops * NS_PER_S, step_ns);
	return true;
}
