#include "xspace/xplane.h"

#include <math.h>

#include "base/number.h"

static const struct {
	struct span name;
	enum xstat known;
} known_stats[] = {
	{ { "correlation_id", 14 }, XSTAT_CORRELATION },
	{ { "group_id", 8 }, XSTAT_GROUP },
	{ { "step_num", 8 }, XSTAT_STEP },
	{ { "theoretical_occupancy_pct", 25 }, XSTAT_OCCUPANCY },
	{ { "kernel_details", 14 }, XSTAT_KERNEL },
	{ { "memcpy_details", 14 }, XSTAT_COPY },
	{ { "Memset_details", 14 }, XSTAT_SET },
	{ { "memset_details", 14 }, XSTAT_SET },
	{ { "MemoryResidency_details", 23 }, XSTAT_RESIDENCY },
	{ { "memalloc_details", 16 }, XSTAT_RESIDENCY },
	{ { "MemFree_details", 15 }, XSTAT_RESIDENCY },
	{ { "name", 4 }, XSTAT_OP },
	{ { "hlo_op", 6 }, XSTAT_HLO_OP },
	{ { "hlo_module", 10 }, XSTAT_HLO_MODULE },
	{ { "device_vendor", 13 }, XSTAT_VENDOR },
	{ { "gpu_device_name", 15 }, XSTAT_GPU_NAME },
	{ { "core_count", 10 }, XSTAT_CORES },
	{ { "memory_size", 11 }, XSTAT_MEMORY },
	{ { "compute_cap_major", 17 }, XSTAT_MAJOR },
	{ { "compute_cap_minor", 17 }, XSTAT_MINOR },
};

static enum xstat known_stat(struct span name)
{
	for (size_t i = 0; i < NR_OF(known_stats); i++)
		if (span_eq(name, known_stats[i].name))
			return known_stats[i].known;
	return XSTAT_OTHER;
}

/* ---- names of events and values ---- */

/* Reads key and value of an entry of a map, or id and name of metadata, which have the same
 * numbers; a missing key becomes 0, a missing value empty. */
static bool map_entry(struct span entry, int64_t *key, struct span *value)
{
	struct wire_field f;
	bool ok = true;
	*key = 0;
	*value = (struct span){ entry.p, 0 };
	WIRE_EACH(entry, f, &ok)
	{
		if (f.number == 1 && f.type == WIRE_VARINT)
			*key = (int64_t)f.value;
		else if (f.number == 2 && f.type == WIRE_BYTES)
			*value = f.bytes;
	}
	return ok;
}

/* Takes an entry of a map of names; if two entries have the same key, the later is used. */
static bool take_metadata(struct xplane *p, const struct wire_field *f)
{
	int64_t key, id;
	struct span body, name;
	if (!map_entry(f->bytes, &key, &body) || !map_entry(body, &id, &name))
		return false;
	if (f->number == XPLANE_EVENT_METADATA) {
		uint32_t at = idmap_add(&p->event_ids, key);
		if (at == p->events.nr)
			vec_push_zero(&p->events);
		p->events.v[at].name = name;
		p->events.v[at].body = body;
	} else {
		uint32_t at = idmap_add(&p->stat_ids, key);
		if (at == p->stats.nr)
			vec_push_zero(&p->stats);
		p->stats.v[at].name = name;
		p->stats.v[at].known = known_stat(name);
	}
	return true;
}

bool xplane_init(struct xplane *p, struct span bytes)
{
	struct wire_field f;
	bool ok = true;
	*p = (struct xplane){ .name = { bytes.p, 0 } };
	idmap_init(&p->event_ids);
	idmap_init(&p->stat_ids);
	WIRE_EACH(bytes, f, &ok)
	{
		if (f.type != WIRE_BYTES)
			continue;
		if (f.number == XPLANE_NAME)
			p->name = f.bytes;
		else if (f.number == XPLANE_LINE)
			vec_push(&p->lines, f.bytes);
		else if (f.number == XPLANE_STAT)
			vec_push(&p->own, f.bytes);
		else if (f.number == XPLANE_EVENT_METADATA || f.number == XPLANE_STAT_METADATA)
			ok = ok && take_metadata(p, &f);
	}
	return ok;
}

void xplane_release(struct xplane *p)
{
	idmap_release(&p->event_ids);
	idmap_release(&p->stat_ids);
	vec_release(&p->lines);
	vec_release(&p->events);
	vec_release(&p->stats);
	vec_release(&p->own);
}

/* ---- values of events and planes ---- */

enum { STAT_METADATA = 1, STAT_DOUBLE, STAT_UINT64, STAT_INT64, STAT_STR, STAT_BYTES, STAT_REF };

/* Converts a double to millionths, for the occupancy: no other value that is read is a fraction. */
static int64_t micro(uint64_t bits)
{
	double v;
	memcpy(&v, &bits, sizeof v);
	return v > 0 && v < 1e6 ? llround(v * 1e6) : 0;
}

bool xplane_value(const struct xplane *p, struct span stat, struct xvalues *v)
{
	struct wire_field f, value = { 0 };
	bool ok = true;
	int64_t key = 0;
	WIRE_EACH(stat, f, &ok)
	{
		if (f.number == STAT_METADATA && f.type == WIRE_VARINT)
			key = (int64_t)f.value;
		else if (f.number >= STAT_DOUBLE && f.number <= STAT_REF)
			value = f;
	}
	uint32_t id = idmap_find(&p->stat_ids, key);
	enum xstat known = id == NO_ID ? XSTAT_OTHER : p->stats.v[id].known;
	if (!ok || known == XSTAT_OTHER || !value.number)
		return ok;
	v->seen[known] = true;
	v->text[known] = value.type == WIRE_BYTES ? value.bytes : SPAN("");
	v->number[known] = (int64_t)value.value;
	if (value.number == STAT_DOUBLE)
		v->number[known] = micro(value.value);
	if (value.number == STAT_REF && value.type == WIRE_VARINT) {
		uint32_t ref = idmap_find(&p->stat_ids, (int64_t)value.value);
		v->text[known] = ref == NO_ID ? SPAN("") : p->stats.v[ref].name;
	}
	if (value.type == WIRE_BYTES && !number_parse(value.bytes, 0, &v->number[known]))
		v->number[known] = -1;
	return true;
}

bool xplane_values(const struct xplane *p, struct span message, uint32_t number, struct xvalues *v)
{
	struct wire_field f;
	bool ok = true;
	WIRE_EACH(message, f, &ok)
	if (f.number == number && f.type == WIRE_BYTES)
		ok = ok && xplane_value(p, f.bytes, v);
	return ok;
}
