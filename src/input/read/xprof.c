#include "read/xprof.h"

#include <stddef.h>

#include "io/jscan.h"
#include "read/values.h"

static const struct xprof_limits default_limits = { .memories = 4096, .rows = (size_t)1 << 22 };

struct profile_reader {
	struct jscan *js;
	const struct xprof_limits *limits;
	struct xprof_profile out;
	const struct name *none; ///< the empty name, used for texts that are not given
	size_t rows;
};

/* ---- keys and values of messages ---- */

/* True if `key` is `field` in lowerCamelCase, or `field` as the proto file spells it. */
static bool is_field(struct span key, const char *field)
{
	size_t i = 0;
	bool snake = memchr(key.p, '_', key.n) != NULL;
	for (; *field; field++) {
		bool upper = *field >= 'A' && *field <= 'Z';
		if (upper && snake && (i >= key.n || key.p[i++] != '_'))
			return false;
		if (i >= key.n || key.p[i++] != (upper && snake ? *field - 'A' + 'a' : *field))
			return false;
	}
	return i == key.n;
}

bool xprof_is_profile_key(struct span key)
{
	return is_field(key, "memoryProfilePerAllocator");
}

/* Enters an object or an array; false if the value is null, which means that there is none, and
 * after an error. */
static bool enter_value(struct profile_reader *r, const char *field, bool (*into)(struct jscan *))
{
	uint64_t byte = jscan_value_byte(r->js);
	if (jscan_null(r->js))
		return false;
	if (into(r->js))
		return true;
	return jscan_fail(r->js, byte, "memory profile: '%s' is not %s", field,
	                  into == jscan_object ? "an object" : "a list");
}

/* A member of a JSON object: how its value is read, and into which member of a struct. */
struct field {
	const char *name; ///< name of the member in lowerCamelCase; NULL ends a list of members
	void (*read)(struct profile_reader *r, const struct field *f, void *into);
	size_t at; ///< offset in the struct that the object is read into
	int64_t least; ///< smallest value that is accepted for a number

	/// Reads one element of the list that is the member's value.
	void (*add)(struct profile_reader *r, struct xprof_memory *m);
};

#define FIELD(field_name, reader, lowest, type, member)            \
	{                                                              \
		.name = (field_name), .read = (reader), .least = (lowest), \
		.at = offsetof(struct type, member)                        \
	}

/* Reads the members of an object; `what` names the object in an error. */
static void read_fields(struct profile_reader *r, const char *what, const struct field *fields,
                        void *into)
{
	struct span key;
	if (!enter_value(r, what, jscan_object))
		return;
	while (jscan_key(r->js, &key)) {
		const struct field *f = fields;
		while (f->name && !is_field(key, f->name))
			f++;
		if (f->name)
			f->read(r, f, (char *)into + f->at);
		else
			jscan_skip(r->js);
	}
}

/* Reads a whole number that is at least f->least and below RECORD_BYTES (2^62). */
static void read_number(struct profile_reader *r, const struct field *f, void *into)
{
	uint64_t byte = jscan_value_byte(r->js);
	int64_t value;
	if (jscan_null(r->js))
		return;
	if (read_integer(r->js, true, &value) && value >= f->least && value < RECORD_BYTES)
		*(int64_t *)into = value;
	else
		jscan_fail(r->js, byte, "memory profile: '%s' is not a whole number%s below 2^62", f->name,
		           f->least < 0 ? "" : " from 0 to");
}

static void read_text(struct profile_reader *r, const struct field *f, void *into)
{
	uint64_t byte = jscan_value_byte(r->js);
	const struct name **out = into;
	struct span s;
	if (jscan_null(r->js))
		return;
	if (!jscan_string(r->js, &s)) {
		jscan_fail(r->js, byte, "memory profile: '%s' is not text", f->name);
		return;
	}
	*out = name_intern(&r->out.names, s);
	if (!*out) {
		*out = r->none;
		jscan_fail(r->js, byte,
		           "memory profile: more than 2^24 names or 1 GiB of them: profile fewer steps");
	}
}

/* False with an error if the profile has no room for another row. */
static bool has_row_room(struct profile_reader *r)
{
	if (++r->rows <= r->limits->rows)
		return true;
	return jscan_fail(
	    r->js, jscan_byte(r->js),
	    "memory profile: more than %zu snapshots and allocations: profile fewer steps",
	    r->limits->rows);
}

/* ---- messages of the profile ---- */

/* Reads the kind of a memory activity (MemoryActivity), which is a name or a number. */
static void read_kind(struct profile_reader *r, const struct field *f, void *into)
{
	struct span name;
	int64_t value = 0;
	if (jscan_string(r->js, &name))
		value = span_eq(name, SPAN("ALLOCATION")) ? 1 : span_eq(name, SPAN("DEALLOCATION")) ? 2 : 0;
	else
		read_number(r, f, &value);
	*(enum xprof_kind *)into = value == 1   ? XPROF_ALLOCATION
	                           : value == 2 ? XPROF_DEALLOCATION
	                                        : XPROF_OTHER;
}

static void read_activity(struct profile_reader *r, const struct field *f, void *into)
{
	static const struct field fields[] = {
		FIELD("memoryActivity", read_kind, 0, xprof_activity, kind),
		FIELD("requestedBytes", read_number, 0, xprof_activity, requested),
		FIELD("allocationBytes", read_number, 0, xprof_activity, bytes),
		FIELD("stepId", read_number, -RECORD_BYTES, xprof_activity, step),
		FIELD("tfOpName", read_text, 0, xprof_activity, op),
		FIELD("regionType", read_text, 0, xprof_activity, region),
		FIELD("dataType", read_text, 0, xprof_activity, type),
		FIELD("tensorShape", read_text, 0, xprof_activity, shape),
		{ 0 },
	};
	(void)f;
	read_fields(r, "activityMetadata", fields, into);
}

/* Reads the statistics. Fragmentation is skipped: it is a fraction of the free memory as a rounded
 * double, from which bytes cannot be computed. Free memory may be below zero. */
static void read_stats(struct profile_reader *r, const struct field *f, void *into)
{
	static const struct field fields[] = {
		FIELD("stackReservedBytes", read_number, 0, xprof_state, stack),
		FIELD("heapAllocatedBytes", read_number, 0, xprof_state, heap),
		FIELD("freeMemoryBytes", read_number, -RECORD_BYTES, xprof_state, free),
		FIELD("peakBytesInUse", read_number, 0, xprof_state, in_use),
		{ 0 },
	};
	const struct xprof_state *s = into;
	read_fields(r, f->name, fields, into);
	if (s->stack >= RECORD_BYTES - s->heap)
		jscan_fail(r->js, jscan_byte(r->js), "memory profile: '%s' is of 4 EiB or more", f->name);
}

static struct xprof_activity no_activity(const struct profile_reader *r)
{
	return (struct xprof_activity){
		.op = r->none, .region = r->none, .type = r->none, .shape = r->none
	};
}

static void read_picoseconds(struct profile_reader *r, const struct field *f, void *into)
{
	read_number(r, f, into);
	*(int64_t *)into /= 1000000;
}

static struct xprof_state read_state(struct profile_reader *r)
{
	static const struct field fields[] = {
		FIELD("timeOffsetPs", read_picoseconds, 0, xprof_state, time_us),
		{ .name = "aggregationStats", .read = read_stats },
		FIELD("activityMetadata", read_activity, 0, xprof_state, activity),
		{ 0 },
	};
	struct xprof_state s = { .activity = no_activity(r), .in_use = -1 };
	read_fields(r, "memoryProfileSnapshots", fields, &s);
	return s;
}

static void read_peak(struct profile_reader *r, const struct field *f, void *into)
{
	struct xprof_memory *m = into;
	m->has_peak = jscan_peek(r->js) != JSCAN_NULL;
	m->peak = (struct xprof_state){ .in_use = -1 };
	read_stats(r, f, &m->peak);
}

/* Reads the summary: the capacity of the memory, and its state at the peak of the time window. What
 * the proto calls "in use" at the peak must be the sum of stack and heap. */
static void read_summary(struct profile_reader *r, const struct field *f, void *into)
{
	static const struct field fields[] = {
		{ .name = "peakStats", .read = read_peak },
		FIELD("memoryCapacity", read_number, 0, xprof_memory, capacity),
		{ 0 },
	};
	const struct xprof_memory *m = into;
	uint64_t byte = jscan_value_byte(r->js);
	bool given = jscan_peek(r->js) != JSCAN_NULL;
	read_fields(r, f->name, fields, into);
	if (given && m->has_peak && m->peak.in_use >= 0 &&
	    m->peak.in_use != m->peak.stack + m->peak.heap)
		jscan_fail(r->js, byte,
		           "memory profile: at the peak stack and heap do not add up to what is in use");
}

/* ---- memories of the profile ---- */

static void add_state(struct profile_reader *r, struct xprof_memory *m)
{
	vec_push(&m->states, read_state(r));
}

static void add_sample(struct profile_reader *r, struct xprof_memory *m)
{
	vec_push(&m->samples, read_state(r));
}

static void add_special(struct profile_reader *r, struct xprof_memory *m)
{
	struct xprof_activity a = no_activity(r);
	read_activity(r, NULL, &a);
	vec_push(&m->specials, a);
}

static void add_active(struct profile_reader *r, struct xprof_memory *m)
{
	static const struct field fields[] = {
		FIELD("snapshotIndex", read_number, -RECORD_BYTES, xprof_active, snapshot),
		FIELD("specialIndex", read_number, -RECORD_BYTES, xprof_active, special),
		FIELD("numOccurrences", read_number, 0, xprof_active, occurrences),
		{ 0 },
	};
	struct xprof_active a = { 0 };
	read_fields(r, "activeAllocations", fields, &a);
	vec_push(&m->actives, a);
}

static void read_list(struct profile_reader *r, const struct field *f, void *into)
{
	if (enter_value(r, f->name, jscan_array))
		while (jscan_element(r->js) && has_row_room(r))
			f->add(r, into);
}

static void read_memories(struct profile_reader *r, const struct field *f, void *into)
{
	static const struct field fields[] = {
		{ .name = "profileSummary", .read = read_summary },
		{ .name = "memoryProfileSnapshots", .read = read_list, .add = add_state },
		{ .name = "sampledTimelineSnapshots", .read = read_list, .add = add_sample },
		{ .name = "specialAllocations", .read = read_list, .add = add_special },
		{ .name = "activeAllocations", .read = read_list, .add = add_active },
		{ 0 },
	};
	struct xprof_profile *out = into;
	struct span id;
	if (!enter_value(r, f->name, jscan_object))
		return;
	while (jscan_key(r->js, &id)) {
		const struct name *name = name_intern(&out->names, id);
		if (out->memories.nr == r->limits->memories || !name) {
			jscan_fail(r->js, jscan_byte(r->js), "memory profile: more than %zu memories",
			           r->limits->memories);
			return;
		}
		struct xprof_memory *m = vec_push_zero(&out->memories);
		m->id = name;
		read_fields(r, f->name, fields, m);
	}
}

static const struct field profile_fields[] = {
	{ .name = "memoryProfilePerAllocator", .read = read_memories },
	FIELD("version", read_number, 0, xprof_profile, version),
	{ 0 },
};

enum status xprof_read(struct source *src, const struct xprof_limits *limits,
                       struct xprof_profile *out, struct diag_log *log)
{
	struct jscan_options scan = { .tolerant = true };
	struct profile_reader r = { .js = jscan_new(src, &scan, log),
		                        .limits = limits ? limits : &default_limits };
	name_table_init(&r.out.names);
	r.none = name_intern(&r.out.names, SPAN(""));
	read_fields(&r, "memory profile", profile_fields, &r.out);
	jscan_end(r.js);
	if (source_truncated(src))
		jscan_fail(r.js, jscan_byte(r.js), "memory profile: it is cut short; copy it anew");
	enum status st = jscan_status(r.js);
	r.out.json_faults = jscan_faults(r.js, &r.out.fault_byte);
	if (st == ST_OK)
		*out = r.out;
	else
		xprof_profile_release(&r.out);
	jscan_free(r.js);
	return st;
}
