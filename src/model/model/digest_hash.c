/* Hash that identifies the artifact from which a digest was made. */
#include "model/digest.h"

#include <string.h>

/* FNV-1a, 64 bit: equal in every process, unlike the seeded hashes of tables. */
static uint64_t hash_bytes(uint64_t h, const void *p, size_t n)
{
	const unsigned char *b = p;
	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 1099511628211u;
	return h;
}

static uint64_t hash_number(uint64_t h, int64_t v)
{
	unsigned char b[8];
	for (int i = 0; i < 8; i++)
		b[i] = (unsigned char)((uint64_t)v >> 8 * i);
	return hash_bytes(h, b, sizeof b);
}

static uint64_t hash_text(uint64_t h, struct span s)
{
	return hash_bytes(hash_number(h, (int64_t)s.n), s.p, s.n);
}

static uint64_t hash_snapshot(uint64_t h, const struct digest *d)
{
	for (size_t i = 0; i < d->memory_items.nr; i++) {
		const struct memory_item *m = &d->memory_items.v[i];
		const int64_t numbers[] = { m->list,   m->kind,    m->line, m->bytes,
			                        m->blocks, m->largest, m->other };
		h = hash_text(hash_text(hash_text(h, m->category), m->file), m->function);
		for (size_t k = 0; k < NR_OF(numbers); k++)
			h = hash_number(h, numbers[k]);
	}
	for (size_t i = 0; i < d->memory_levels.nr; i++) {
		h = hash_number(h, d->memory_levels.v[i].entries);
		/* the time is hashed, too: two runs may differ only in these times */
		h = hash_number(h, d->memory_levels.v[i].time_us);
		h = hash_number(h, d->memory_levels.v[i].allocated);
		h = hash_number(h, d->memory_levels.v[i].reserved);
	}
	return h;
}

uint64_t digest_hash(const struct digest *d)
{
	uint64_t h = 14695981039346656037u;
	h = hash_number(h, d->total_steps);
	for (size_t i = 0; i < d->nr_steps; i++) {
		h = hash_number(h, d->step_numbers[i]);
		for (size_t m = 0; m < NR_STEP_METRICS; m++)
			/* metrics of later minor versions are left out, so that all versions compute the same
			 * hash */
			if (metric_table[m].since == 0)
				h = hash_number(h, d->samples[m][i]);
	}
	for (size_t i = 0; i < d->kernels.nr; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		h = hash_text(h, k->name);
		h = hash_number(h, k->count);
		h = hash_number(h, k->total_ns);
		h = hash_number(h, k->max_ns);
	}
	for (size_t i = 0; i < d->memories.nr; i++) {
		h = hash_number(h, d->memories.v[i].events);
		h = hash_number(h, d->memories.v[i].peak_allocated);
		h = hash_number(h, d->memories.v[i].peak_reserved);
	}
	return hash_snapshot(h, d);
}

uint64_t digest_hash_inputs(const struct digest *d)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < d->inputs.nr; i++) {
		h = hash_bytes(h, d->inputs.v[i].name, strlen(d->inputs.v[i].name));
		h = input_hash(h, &d->inputs.v[i]);
	}
	return h;
}
