#include "rules/rules_file.h"

#include "base/nearest.h"

bool env_key_is_valid(struct span key)
{
	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i];
		if (!((c >= 'a' && c <= 'z') || (i && (is_digit(c) || c == '_' || c == '.'))))
			return false;
	}
	return key.n > 0 && key.n <= 64;
}

const char *env_key_near(struct span key)
{
	static const char *const known[] = {
		"gpu.name",       "gpu.count",       "cuda.runtime",     "cuda.driver",
		"world_size",     "model",           "batch_size",       "precision",
		"parallelism",    "sequence_length", "samples_per_step", "tokens_per_step",
		"flops_per_step", "commit",          "peak_tflops",
	};
	const char *near = NULL;
	for (size_t i = 0; i < NR_OF(known); i++) {
		size_t d = edit_distance(key, span_of(known[i]), 1);
		if (d == 0)
			return NULL;
		if (d == 1)
			near = known[i];
	}
	return near;
}
