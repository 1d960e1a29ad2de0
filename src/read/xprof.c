#include "read/xprof.h"

#include "io/jscan.h"
#include "read/integer.h"

static const struct xprof_limits default_limits = { .memories = 4096, .rows = (size_t)1 << 22 };

struct reader {
	struct jscan *js;
	const struct xprof_limits *limits;
	struct xprof_profile out;
	const struct name *none; ///< ""
	size_t rows;
};

/* ---- keys and values ---- */

/* `key` is `field`, written in lowerCamelCase here, or the name that the proto has for it. */
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

/* The next key of an object and its place in `fields`, which NULL ends; that of NULL for others. */
static bool next_field(struct reader *r, const char *const *fields, unsigned *which)
{
	struct span key;
	if (!jscan_key(r->js, &key))
		return false;
	*which = 0;
	while (fields[*which] && !is_field(key, fields[*which]))
		++*which;
	return true;
}

bool xprof_is_profile_key(struct span key)
{
	return is_field(key, "memoryProfilePerAllocator");
}

/* A value that is left out by null; else consumes nothing. */
static bool is_null(struct reader *r)
{
	enum jscan_type type;
	return jscan_peek(r->js) == JSCAN_NULL && jscan_literal(r->js, &type);
}

/* Enter an object or an array, which may be null. */
static bool enter(struct reader *r, const char *field, bool (*into)(struct jscan *))
{
	uint64_t byte = jscan_value_byte(r->js);
	if (is_null(r))
		return false;
	if (into(r->js))
		return true;
	jscan_fail(r->js, byte, "memory profile: '%s' is not %s", field,
	           into == jscan_object ? "an object" : "a list");
	return false;
}

/* A whole number from `least` to below RECORD_BYTES, in bytes or whatever else. */
static void number(struct reader *r, const char *field, int64_t least, int64_t *out)
{
	uint64_t byte = jscan_value_byte(r->js);
	int64_t value;
	if (is_null(r))
		return;
	if (read_integer(r->js, true, &value) && value >= least && value < RECORD_BYTES)
		*out = value;
	else
		jscan_fail(r->js, byte, "memory profile: '%s' is not a whole number%s below 2^62", field,
		           least < 0 ? "" : " from 0 to");
}

static void text(struct reader *r, const char *field, const struct name **out)
{
	uint64_t byte = jscan_value_byte(r->js);
	struct span s;
	if (is_null(r))
		return;
	if (!jscan_string(r->js, &s)) {
		jscan_fail(r->js, byte, "memory profile: '%s' is not text", field);
		return;
	}
	*out = name_intern(&r->out.names, s);
	if (!*out) {
		*out = r->none;
		jscan_fail(r->js, byte,
		           "memory profile: more than 2^24 names or 1 GiB of them: profile fewer steps");
	}
}

/* False, with an error, where the profile holds too much. */
static bool has_room(struct reader *r)
{
	if (++r->rows <= r->limits->rows)
		return true;
	jscan_fail(r->js, jscan_byte(r->js),
	           "memory profile: more than %zu snapshots and allocations: profile fewer steps",
	           r->limits->rows);
	return false;
}

/* ---- messages ---- */

/* MemoryActivity, by name or number. */
static void read_kind(struct reader *r, enum xprof_kind *out)
{
	struct span name;
	int64_t value = 0;
	if (jscan_string(r->js, &name))
		value = span_eq(name, SPAN("ALLOCATION")) ? 1 : span_eq(name, SPAN("DEALLOCATION")) ? 2 : 0;
	else
		number(r, "memoryActivity", 0, &value);
	*out = value == 1 ? XPROF_ALLOCATION : value == 2 ? XPROF_DEALLOCATION : XPROF_OTHER;
}

static void read_activity(struct reader *r, struct xprof_activity *a)
{
	enum { KIND, REQUESTED, BYTES, OP, STEP, REGION, TYPE, SHAPE };
	static const char *const fields[] = { "memoryActivity", "requestedBytes", "allocationBytes",
		                                  "tfOpName",       "stepId",         "regionType",
		                                  "dataType",       "tensorShape",    NULL };
	unsigned f;
	if (!enter(r, "activityMetadata", jscan_object))
		return;
	while (next_field(r, fields, &f))
		switch (f) {
		case KIND:
			read_kind(r, &a->kind);
			break;
		case REQUESTED:
			number(r, fields[f], 0, &a->requested);
			break;
		case BYTES:
			number(r, fields[f], 0, &a->bytes);
			break;
		case STEP:
			number(r, fields[f], -RECORD_BYTES, &a->step);
			break;
		case OP:
			text(r, fields[f], &a->op);
			break;
		case REGION:
			text(r, fields[f], &a->region);
			break;
		case TYPE:
			text(r, fields[f], &a->type);
			break;
		case SHAPE:
			text(r, fields[f], &a->shape);
			break;
		default:
			jscan_skip(r->js);
		}
}

/* Fragmentation is passed over: a share of free memory, rounded to a double, that says nothing
   of the bytes it is a share of. */
static void read_stats(struct reader *r, const char *field, struct xprof_state *s)
{
	enum { STACK, HEAP, FREE, PEAK };
	static const char *const fields[] = { "stackReservedBytes", "heapAllocatedBytes",
		                                  "freeMemoryBytes", "peakBytesInUse", NULL };
	int64_t *const into[] = { &s->stack, &s->heap, &s->free, &s->in_use };
	unsigned f;
	if (!enter(r, field, jscan_object))
		return;
	while (next_field(r, fields, &f))
		if (fields[f]) /* what is free may have become less than nothing */
			number(r, fields[f], f == FREE ? -RECORD_BYTES : 0, into[f]);
		else
			jscan_skip(r->js);
	if (s->stack >= RECORD_BYTES - s->heap)
		jscan_fail(r->js, jscan_byte(r->js), "memory profile: '%s' is of 4 EiB or more", field);
}

static struct xprof_activity no_activity(const struct reader *r)
{
	return (struct xprof_activity){
		.op = r->none, .region = r->none, .type = r->none, .shape = r->none
	};
}

static struct xprof_state read_state(struct reader *r)
{
	enum { TIME, STATS, ACTIVITY };
	static const char *const fields[] = { "timeOffsetPs", "aggregationStats", "activityMetadata",
		                                  NULL };
	struct xprof_state s = { .activity = no_activity(r), .in_use = -1 };
	unsigned f;
	if (!enter(r, "memoryProfileSnapshots", jscan_object))
		return s;
	while (next_field(r, fields, &f))
		switch (f) {
		case TIME:
			number(r, fields[f], 0, &s.time_us);
			s.time_us /= 1000000; /* of picoseconds */
			break;
		case STATS:
			read_stats(r, fields[f], &s);
			break;
		case ACTIVITY:
			read_activity(r, &s.activity);
			break;
		default:
			jscan_skip(r->js);
		}
	return s;
}

/* The peak of the window in the words of the summary; also of the level the proto calls in use. */
static void read_summary(struct reader *r, struct xprof_memory *m)
{
	enum { PEAK, CAPACITY };
	static const char *const fields[] = { "peakStats", "memoryCapacity", NULL };
	unsigned f;
	uint64_t byte = jscan_value_byte(r->js);
	if (!enter(r, "profileSummary", jscan_object))
		return;
	while (next_field(r, fields, &f))
		if (f == PEAK) {
			m->has_peak = jscan_peek(r->js) != JSCAN_NULL;
			m->peak = (struct xprof_state){ .in_use = -1 };
			read_stats(r, fields[f], &m->peak);
		} else if (f == CAPACITY) {
			number(r, fields[f], 0, &m->capacity);
		} else {
			jscan_skip(r->js);
		}
	if (m->has_peak && m->peak.in_use >= 0 && m->peak.in_use != m->peak.stack + m->peak.heap)
		jscan_fail(r->js, byte,
		           "memory profile: at the peak stack and heap do not add up to what is in use");
}

static struct xprof_active read_active(struct reader *r)
{
	static const char *const fields[] = { "snapshotIndex", "specialIndex", "numOccurrences", NULL };
	struct xprof_active a = { 0 };
	int64_t *const into[] = { &a.snapshot, &a.special, &a.occurrences };
	unsigned f;
	if (!enter(r, "activeAllocations", jscan_object))
		return a;
	while (next_field(r, fields, &f))
		if (fields[f])
			number(r, fields[f], f == 2 ? 0 : -RECORD_BYTES, into[f]);
		else
			jscan_skip(r->js);
	return a;
}

/* ---- memories ---- */

static void read_memory(struct reader *r, struct xprof_memory *m)
{
	enum { SUMMARY, STATES, SAMPLES, SPECIALS, ACTIVES };
	static const char *const fields[] = { "profileSummary",           "memoryProfileSnapshots",
		                                  "sampledTimelineSnapshots", "specialAllocations",
		                                  "activeAllocations",        NULL };
	unsigned f;
	if (!enter(r, "memoryProfilePerAllocator", jscan_object))
		return;
	while (next_field(r, fields, &f)) {
		if (f == SUMMARY) {
			read_summary(r, m);
			continue;
		}
		if (!fields[f]) {
			jscan_skip(r->js);
			continue;
		}
		if (!enter(r, fields[f], jscan_array))
			continue;
		while (jscan_element(r->js) && has_room(r))
			if (f == STATES) {
				vec_push(&m->states, read_state(r));
			} else if (f == SAMPLES) {
				vec_push(&m->samples, read_state(r));
			} else if (f == SPECIALS) {
				struct xprof_activity a = no_activity(r);
				read_activity(r, &a);
				vec_push(&m->specials, a);
			} else {
				vec_push(&m->actives, read_active(r));
			}
	}
}

static void read_memories(struct reader *r)
{
	struct span id;
	if (!enter(r, "memoryProfilePerAllocator", jscan_object))
		return;
	while (jscan_key(r->js, &id)) {
		const struct name *name = name_intern(&r->out.names, id);
		if (r->out.memories.nr == r->limits->memories || !name) {
			jscan_fail(r->js, jscan_byte(r->js), "memory profile: more than %zu memories",
			           r->limits->memories);
			return;
		}
		struct xprof_memory *m = vec_push_zero(&r->out.memories);
		m->id = name;
		read_memory(r, m);
	}
}

static void read_profile(struct reader *r)
{
	enum { MEMORIES, VERSION };
	static const char *const fields[] = { "memoryProfilePerAllocator", "version", NULL };
	unsigned f;
	if (!enter(r, "memory profile", jscan_object))
		return;
	while (next_field(r, fields, &f))
		if (f == MEMORIES)
			read_memories(r);
		else if (f == VERSION)
			number(r, fields[f], 0, &r->out.version);
		else
			jscan_skip(r->js);
}

enum status xprof_read(struct source *src, const struct xprof_read_options *options,
                       struct xprof_profile *out, struct diag_log *log)
{
	struct jscan_options scan = { .tolerant = true, .window = options ? options->window : 0 };
	struct reader r = { .js = jscan_new(src, &scan, log) };
	r.limits = options && options->limits ? options->limits : &default_limits;
	name_table_init(&r.out.names);
	r.none = name_intern(&r.out.names, SPAN(""));
	read_profile(&r);
	if (jscan_status(r.js) == ST_OK)
		jscan_end(r.js);
	if (jscan_status(r.js) == ST_OK && source_truncated(src))
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
