/* Reads periodic GPU metrics: finds the counters that are percentages of a peak, and their samples.
   Source: Nsight Systems User Guide, "SQLite Schema Reference" (TARGET_INFO_GPU_METRICS,
   GPU_METRICS). The lower 8 bits of a typeId are the id of a GPU in TARGET_INFO_GPU:
   recipes/nvlink_sum of nsys 2024. */
#include "nsys/nsys_internal.h"

/* Unit at the end of the names of counters that are read. The units of other counters are
 * unreliable: clocks named "[MHz]" are in Hz. */
#define UNIT " [Throughput %]"

/* Largest valid sample, in percent of the peak: ten times the peak. Real samples go only a little
 * above 100; a larger sample than PCT_MAX counts as malformed. */
enum { PCT_MAX = 1000 };

struct metrics {
	struct nsys *n;
	struct idmap types; ///< typeIds, each of which names a GPU and a set of metrics
	struct idmap keys; ///< pairs (id in `types`, metricId), each of which names a counter
	VEC(uint32_t) counter_of; ///< index of the counter for each id in `keys`
	struct idmap names; ///< names of counters; the id of a name is its counter's index in `meta`
};

static const struct database_column info_columns[] = { { .name = "typeId" },
	                                                   { .name = "metricId" },
	                                                   { .name = "metricName", .text = true } };

static int64_t key_of(uint32_t type, const struct database_value *metric)
{
	return idmap_pair(type, (uint32_t)metric->integer);
}

static enum status take_info(void *ctx, const struct database_value *v)
{
	struct metrics *m = ctx;
	struct nsys *n = m->n;
	struct span name = v[2].text, unit = SPAN(UNIT);
	if (name.n <= unit.n || idmap_find(&n->gpu_ids, v[0].integer & 0xFF) == NO_ID ||
	    memcmp(name.p + name.n - unit.n, unit.p, unit.n) != 0)
		return ST_OK;
	name.n -= unit.n;
	if (v[1].integer < 0 || v[1].integer > UINT32_MAX)
		return nsys_fail(n, "TARGET_INFO_GPU_METRICS", "a metricId beyond 32 bits");
	if (idmap_add(&m->keys, key_of(idmap_add(&m->types, v[0].integer), &v[1])) != m->counter_of.nr)
		return ST_OK;
	const struct name *known = name_intern(n->names, name);
	if (!known)
		return nsys_fail(n, "TARGET_INFO_GPU_METRICS", "too many different names");
	uint32_t counter = idmap_add(&m->names, known->id);
	if (counter == n->meta->counters.nr)
		vec_push(&n->meta->counters, name_span(known));
	vec_push(&m->counter_of, counter);
	return ST_OK;
}

static const struct database_column sample_columns[] = {
	{ .name = "timestamp", .optional = true },
	{ .name = "typeId" },
	{ .name = "metricId" },
	{ .name = "value" },
};

static enum status take_sample(void *ctx, const struct database_value *v)
{
	struct metrics *m = ctx;
	uint32_t type = idmap_find(&m->types, v[1].integer);
	if (type == NO_ID || v[0].null || v[2].integer < 0 || v[2].integer > UINT32_MAX)
		return ST_OK;
	uint32_t key = idmap_find(&m->keys, key_of(type, &v[2]));
	if (key == NO_ID)
		return ST_OK;
	if (v[3].integer < 0 || v[3].integer > PCT_MAX) {
		m->n->meta->malformed++;
		return ST_OK;
	}
	vec_push(&m->n->meta->samples,
	         (struct counter_sample){ v[0].integer, m->counter_of.v[key], (uint32_t)v[3].integer });
	return ST_OK;
}

enum status nsys_metrics(struct nsys *n)
{
	struct metrics m = { .n = n };
	idmap_init(&m.types);
	idmap_init(&m.keys);
	idmap_init(&m.names);
	enum status st =
	    database_scan(n->db, "TARGET_INFO_GPU_METRICS", info_columns, 3, take_info, &m, n->log);
	if (st == ST_OK)
		st = database_scan(n->db, "GPU_METRICS", sample_columns, 4, take_sample, &m, n->log);
	idmap_release(&m.types);
	idmap_release(&m.keys);
	idmap_release(&m.names);
	vec_release(&m.counter_of);
	return st;
}
