#include "model/digest.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"

struct digest *digest_new(void)
{
	struct digest *d = mem_calloc(1, sizeof *d);
	d->world_size = -1;
	d->device_memory = MEMORY_UNKNOWN;
	return d;
}

void digest_free(struct digest *d)
{
	if (!d)
		return;
	vec_release(&d->env);
	vec_release(&d->kernels);
	vec_release(&d->devices);
	vec_release(&d->ops);
	vec_release(&d->threads);
	vec_release(&d->memories);
	vec_release(&d->memory_items);
	vec_release(&d->memory_levels);
	vec_release(&d->memory_evidence);
	digest_free(d->joined);
	arena_release(&d->arena);
	free(d);
}

void digest_set_steps(struct digest *d, size_t nr)
{
	d->nr_steps = nr;
	d->step_numbers = arena_alloc(&d->arena, nr, sizeof *d->step_numbers);
	d->step_activities = arena_alloc(&d->arena, nr, sizeof *d->step_activities);
	for (size_t m = 0; m < NR_STEP_METRICS; m++)
		d->samples[m] = arena_alloc(&d->arena, nr, sizeof *d->samples[m]);
}

/* Index of `key`, or of the entry that it would stand before. */
static size_t env_place(const struct digest *d, struct span key, bool *found)
{
	size_t i = 0;
	int c = -1;
	while (i < d->env.nr && (c = span_cmp(span_of(d->env.v[i].key), key)) < 0)
		i++;
	*found = i < d->env.nr && c == 0;
	return i;
}

const char *digest_env(const struct digest *d, const char *key)
{
	bool found;
	size_t i = env_place(d, span_of(key), &found);
	return found ? d->env.v[i].value : NULL;
}

void digest_set_env(struct digest *d, struct span key, struct span value)
{
	bool found;
	size_t i = env_place(d, key, &found);
	const char *text = arena_dup(&d->arena, value);
	if (found) {
		d->env.v[i].value = text;
		return;
	}
	vec_reserve(&d->env, 1);
	memmove(d->env.v + i + 1, d->env.v + i, (d->env.nr - i) * sizeof *d->env.v);
	d->env.v[i] = (struct env_entry){ arena_dup(&d->arena, key), text };
	d->env.nr++;
}

/* A vector goes over from one digest to the other. */
#define TAKE(d, from, member)                             \
	do {                                                  \
		vec_release(&(d)->member);                        \
		(d)->member = (from)->member;                     \
		memset(&(from)->member, 0, sizeof(from)->member); \
	} while (0)

/* What only a trace knows of the memories of `snapshot`. */
static void keep_peak_ops(const struct digest *d, struct digest *snapshot)
{
	for (size_t i = 0, k = 0; i < d->memories.nr; i++) {
		const struct memory_stat *m = &d->memories.v[i];
		while (k < snapshot->memories.nr && strcmp(snapshot->memories.v[k].id, m->id) < 0)
			k++;
		if (k == snapshot->memories.nr || strcmp(snapshot->memories.v[k].id, m->id) != 0)
			continue;
		snapshot->memories.v[k].peak_op = m->peak_op;
		snapshot->memories.v[k].peak_dims = m->peak_dims;
		snapshot->memories.v[k].peak_types = m->peak_types;
	}
}

void digest_join(struct digest *d, struct digest *snapshot)
{
	struct trust_counts *t = &d->trust;
	d->joined = snapshot;
	d->snapshot = snapshot->snapshot;
	keep_peak_ops(d, snapshot);
	TAKE(d, snapshot, memories);
	TAKE(d, snapshot, memory_items);
	TAKE(d, snapshot, memory_levels);
	TAKE(d, snapshot, memory_evidence);
	for (size_t i = 0; i < d->memories.nr; i++)
		if (d->memories.v[i].capacity == MEMORY_UNKNOWN)
			d->memories.v[i].capacity = d->device_memory;
	if (!t->json_faults)
		t->fault_byte = snapshot->trust.fault_byte;
	t->json_faults = number_add(t->json_faults, snapshot->trust.json_faults);
	d->source_hash = (d->source_hash ^ snapshot->source_hash) * 1099511628211u;
}

int kernel_stat_cmp(const void *a, const void *b)
{
	const struct kernel_stat *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return span_cmp(x->name, y->name);
}

void run_release(struct run *run)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		digest_free(run->ranks.v[i]);
	vec_release(&run->ranks);
	vec_release(&run->ignored);
	arena_release(&run->arena);
	*run = (struct run){ 0 };
}

const char *digest_env_near(struct span key)
{
	static const char *const known[] = {
		"gpu.name",       "gpu.count",       "cuda.runtime",     "cuda.driver",
		"world_size",     "model",           "batch_size",       "precision",
		"parallelism",    "sequence_length", "samples_per_step", "tokens_per_step",
		"flops_per_step", "commit",          "peak_tflops",
	};
	const char *near = NULL;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		size_t d = edit_distance(key, span_of(known[i]), 1);
		if (d == 0)
			return NULL;
		if (d == 1)
			near = known[i];
	}
	return near;
}
