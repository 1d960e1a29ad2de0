#include "diagnose/internal.h"

#include <string.h>

#include "base/number.h"

bool name_has_any(struct span name, const char *const *words)
{
	while (words && *words && !span_contains_nocase(name, span_of(*words)))
		words++;
	return words && *words;
}

static bool name_has(struct span name, const char *needle)
{
	return span_contains_nocase(name, span_of(needle));
}

/* True if the name of a GEMM kernel has a tile size, such as "MT64x16x256", with at most FEW_ROWS
 * rows or columns. Libraries choose such a tile if a matrix has few rows or columns. A matrix
 * product with n rows does at most n operations for each byte of 16-bit weights, so that memory
 * limits it. */
static bool tile_is_narrow(struct span name)
{
	enum { FEW_ROWS = 32 };
	for (size_t i = 1; i + 1 < name.n; i++) {
		if (name.p[i] != 'x')
			continue;
		int side[2] = { 0 };
		size_t from = i;
		while (from > 0 && i - from < 4 && is_digit(name.p[from - 1]))
			from--;
		for (size_t k = from; k < i; k++)
			side[0] = side[0] * 10 + name.p[k] - '0';
		for (size_t k = i + 1; k < name.n && k < i + 5 && is_digit(name.p[k]); k++)
			side[1] = side[1] * 10 + name.p[k] - '0';
		if (side[0] && side[1])
			return side[0] <= FEW_ROWS || side[1] <= FEW_ROWS;
	}
	return false;
}

enum nature nature_of_kernel(const char *category, struct span name)
{
	static const char *const memory[] = {
		"normalisation",   "elementwise",           "reduction",         "softmax",
		"copy and layout", "dtype conversion",      "memory operations", "dropout and random",
		"optimizer",       "rotary embedding",      "KV cache",          "quantisation",
		"embedding",       "index, gather, scatter"
	};
	if (ANY(i, NR_OF(memory), strcmp(category, memory[i]) == 0))
		return NATURE_MEMORY;
	if (name_has(name, "paged") || name_has(name, "attention_3d"))
		return NATURE_DECODING;
	bool product = strcmp(category, "GEMM") == 0 || strcmp(category, "MoE") == 0;
	return product && tile_is_narrow(name) ? NATURE_DECODING : NATURE_UNKNOWN;
}

bool kernel_is_fill(const struct kernel_stat *k)
{
	return k->names == 0 && (k->kind == EVENT_MEMSET ||
	                         (k->kind == EVENT_KERNEL && name_has(k->name, "FillFunctor")));
}

bool op_is_recomputation(const struct op_stat *o)
{
	/* only this operator counts: the other operators of a checkpoint run inside it, and would be
	 * counted twice */
	return o->names == 0 && span_eq(o->name, SPAN("CheckpointFunctionBackward"));
}

bool function_is_recomputation(const struct function_stat *f)
{
	return f->cls == FUNCTION_PYTHON && name_has(f->name, "torch/utils/checkpoint.py") &&
	       (name_has(f->name, ": recompute_fn") || name_has(f->name, ": backward"));
}

bool label_is_idle_thread(struct span label)
{
	static const char *const waits[] = {
		"*: _bootstrap_inner > *> threading.py(*): wait",
		"*: _bootstrap_inner > *> selectors.py(*): select",
		"*: _bootstrap_inner > *queue*.py(*): get",
		"*: _bootstrap_inner > *> <*acquire*lock*>",
		"*: _bootstrap_inner > *> <*poll*>",
		"*: _bootstrap_inner > *> <*select*>",
	};
	return ANY(i, NR_OF(waits), span_glob(span_of(waits[i]), label));
}

int64_t blocking_copies_share(const struct run *run)
{
	enum { ENQUEUE_NS = 20000 };
	__int128 ns = 0, window = 0;
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		window += d->window_ns;
		for (size_t i = 0; i < d->functions.nr; i++) {
			const struct function_stat *f = &d->functions.v[i];
			__int128 beyond = (__int128)f->total_ns - (__int128)f->count * ENQUEUE_NS;
			bool copies =
			    f->cls == FUNCTION_RUNTIME && f->names == 0 && name_has(f->name, "Memcpy");
			if (copies && beyond > 0)
				ns += beyond;
		}
	}
	return number_pct(ns, window);
}

int64_t set_up_share(const struct run *run, const struct function_stat **most)
{
	enum {
		SET_UP_NS = 1000000
	}; /* least mean duration in ns of calls that set something up; shorter calls only enqueue work
	    */
	__int128 ns = 0, window = 0;
	*most = NULL;
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		window += d->window_ns;
		for (size_t i = 0; i < d->functions.nr; i++) {
			const struct function_stat *f = &d->functions.v[i];
			bool waits = name_has(f->name, "Synchronize") || name_has(f->name, "Memcpy") ||
			             name_has(f->name, "Query") || name_has(f->name, "WaitEvent");
			if (f->cls != FUNCTION_RUNTIME || f->names || f->count <= 0 || waits ||
			    f->exclusive_ns / f->count < SET_UP_NS)
				continue;
			ns += f->exclusive_ns;
			if (!*most || f->exclusive_ns > (*most)->exclusive_ns)
				*most = f;
		}
	}
	return number_pct(ns, window);
}

bool graphs_prevail(const struct run *run)
{
	__int128 graphs = 0, kernels = 0, activities = 0;
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		activities += d->trust.gpu_events;
		for (size_t i = 0; i < d->functions.nr; i++) {
			const struct function_stat *f = &d->functions.v[i];
			if (f->cls != FUNCTION_RUNTIME)
				continue;
			graphs += name_has(f->name, "GraphLaunch") ? f->count : 0;
			kernels += name_has(f->name, "LaunchKernel") ? f->count : 0;
		}
	}
	return graphs > 0 && kernels * 2 < activities;
}
