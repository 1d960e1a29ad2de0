#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "reduce/reducer.h"

/* --- what it ran on --- */

/* Names of the GPUs that worked; where one of them is not known by its id, the
   name that all GPUs share. Empty where that tells nothing. */
static void gpu_names(const struct reducer *r, const struct trace_meta *meta, struct strbuf *out)
{
	VEC(const char *) names = VEC_INIT;
	struct idmap ids;
	bool known = r->devices.keys.nr > 0;
	idmap_init(&ids);
	for (size_t i = 0; i < meta->devices.nr; i++)
		if (idmap_add(&ids, meta->devices.v[i].id) == names.nr)
			vec_push(&names, meta->devices.v[i].name);
	bool *works = mem_calloc(names.nr, sizeof *works);
	for (size_t i = 0; i < r->devices.keys.nr; i++) {
		uint32_t id = idmap_find(&ids, r->devices.keys.v[i]);
		if (id == IDMAP_NONE)
			known = false;
		else
			works[id] = true;
	}
	size_t nr = 0;
	for (size_t i = 0; i < names.nr; i++)
		if (works[i] || !known)
			names.v[nr++] = names.v[i];
	names.nr = nr;
	vec_sort(&names, text_cmp);
	bool mixed = nr && strcmp(names.v[0], names.v[nr - 1]) != 0;
	for (size_t i = 0; i < nr && (known || !mixed); i++)
		if (names.v[i][0] && (i == 0 || strcmp(names.v[i], names.v[i - 1]) != 0)) {
			strbuf_adds(out, out->n ? ", " : "");
			strbuf_adds(out, names.v[i]);
		}
	vec_release(&names);
	idmap_release(&ids);
	free(works);
}

static void set_number(struct digest *d, struct span key, int64_t value)
{
	char text[32];
	snprintf(text, sizeof text, "%" PRId64, value);
	digest_set_env(d, key, span_of(text));
}

void environment(const struct reducer *r, const struct trace_meta *meta, struct digest *d)
{
	struct strbuf gpu = STRBUF_INIT;
	gpu_names(r, meta, &gpu);
	if (gpu.n)
		digest_set_env(d, SPAN("gpu.name"), strbuf_span(&gpu));
	strbuf_release(&gpu);
	if (r->devices.keys.nr)
		set_number(d, SPAN("gpu.count"), (int64_t)r->devices.keys.nr);
	if (meta->world_size >= 0)
		set_number(d, SPAN("world_size"), meta->world_size);
	if (meta->cuda_runtime)
		digest_set_env(d, SPAN("cuda.runtime"), span_of(meta->cuda_runtime));
	if (meta->cuda_driver)
		digest_set_env(d, SPAN("cuda.driver"), span_of(meta->cuda_driver));
}

/* --- which artifact it is --- */

/* FNV-1a, 64 bit: the same in every process, unlike the seeded hashes. */
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
		for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
			h = hash_number(h, numbers[k]);
	}
	for (size_t i = 0; i < d->memory_levels.nr; i++) {
		h = hash_number(h, d->memory_levels.v[i].entries);
		h = hash_number(
		    h, d->memory_levels.v[i].time_us); /* runs of one code differ in nothing else */
		h = hash_number(h, d->memory_levels.v[i].allocated);
		h = hash_number(h, d->memory_levels.v[i].reserved);
	}
	return h;
}

uint64_t figures_hash(const struct digest *d)
{
	uint64_t h = 14695981039346656037u;
	h = hash_number(h, d->total_steps);
	for (size_t i = 0; i < d->nr_steps; i++) {
		h = hash_number(h, d->step_numbers[i]);
		for (size_t m = 0; m < NR_STEP_METRICS; m++)
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
