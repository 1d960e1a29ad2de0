#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "reduce/reducer.h"

/* Appends the names of the GPUs that had activities. If one of them is not in the list of devices:
 * appends the name of the listed devices if all have the same, else nothing. */
static void list_gpu_names(const struct reducer *r, const struct trace_meta *meta,
                           struct strbuf *out)
{
	VEC(const char *) names = VEC_INIT;
	struct idmap ids;
	bool known = r->gpu.devices.keys.nr > 0;
	idmap_init(&ids);
	for (size_t i = 0; i < meta->devices.nr; i++)
		if (idmap_add(&ids, meta->devices.v[i].id) == names.nr)
			vec_push(&names, meta->devices.v[i].name);
	bool *works = mem_calloc(names.nr, sizeof *works);
	for (size_t i = 0; i < r->gpu.devices.keys.nr; i++) {
		uint32_t id = idmap_find(&ids, r->gpu.devices.keys.v[i]);
		if (id == NO_ID)
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

static void set_env_number(struct digest *d, struct span key, int64_t value)
{
	char text[32];
	snprintf(text, sizeof text, "%" PRId64, value);
	digest_set_env(d, key, span_of(text));
}

void environment(const struct reducer *r, const struct trace_meta *meta, struct digest *d)
{
	struct strbuf gpu = STRBUF_INIT;
	list_gpu_names(r, meta, &gpu);
	if (gpu.n)
		digest_set_env(d, SPAN("gpu.name"), strbuf_span(&gpu));
	strbuf_release(&gpu);
	if (r->gpu.devices.keys.nr)
		set_env_number(d, SPAN("gpu.count"), (int64_t)r->gpu.devices.keys.nr);
	if (meta->world_size >= 0)
		set_env_number(d, SPAN("world_size"), meta->world_size);
	if (meta->cuda_runtime)
		digest_set_env(d, SPAN("cuda.runtime"), span_of(meta->cuda_runtime));
	if (meta->cuda_driver)
		digest_set_env(d, SPAN("cuda.driver"), span_of(meta->cuda_driver));
}
