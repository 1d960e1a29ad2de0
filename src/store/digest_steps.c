/* The steps of a digest: one column (one line) per metric. For several digests, a column that is
   equal in all is written once, otherwise as a list of columns. If statistics replace samples, the
   only column is the number of steps. The columns of a phase are written if a digest has the phase,
   and are empty for digests without it; except for the first column of a phase, columns that are
   all 0 are left out. */
#include <inttypes.h>
#include <string.h>

#include "store/digest_schema.h"
#include "store/row_schema.h"

enum {
	METRIC_COLUMN = 2,
	STEP_PHASE_COLUMN = METRIC_COLUMN + NR_STEP_METRICS,
	PHASE_COLUMN, ///< first of the columns of PHASE_FORWARD; those of the further phases follow
	NR_COLUMNS = PHASE_COLUMN + (NR_INNER_PHASES - 1) * NR_PHASE_COLUMNS,
	COUNT_COLUMN = NR_COLUMNS, ///< number of steps: the only column of a summarized digest
	NR_ALL_COLUMNS
};

_Static_assert(NR_ALL_COLUMNS <= 64, "struct columns has a bit for each");

static const char *const phase_keys[NR_INNER_PHASES - 1][NR_PHASE_COLUMNS] = {
#define KEYS(phase)                                                                              \
	{                                                                                            \
		phase ".compute_time", phase ".memcpy_time", phase ".memset_time", phase ".kernel_count" \
	}
	KEYS("forward"),    KEYS("backward"),      KEYS("optimizer"),
	KEYS("dataloader"), KEYS("communication"), KEYS("recompute"),
#undef KEYS
};

static bool is_metric(size_t i)
{
	return i >= METRIC_COLUMN && i < STEP_PHASE_COLUMN;
}

static int column_since(size_t i)
{
	return is_metric(i) ? metric_table[i - METRIC_COLUMN].since : 0;
}

/* True for a metric that was added by a later minor version of the format, so that a digest may
 * lack it. */
static bool is_optional(size_t i)
{
	return column_since(i) > 0 || (i >= STEP_PHASE_COLUMN && i < NR_COLUMNS);
}

/* True for a column that may be left out if its values are 0: every column of a phase except the
   first one. */
static bool may_be_zero(size_t i)
{
	return i >= PHASE_COLUMN && i < NR_COLUMNS && (i - PHASE_COLUMN) % NR_PHASE_COLUMNS;
}

static const char *column_key(size_t i)
{
	if (i == COUNT_COLUMN)
		return "count";
	if (i == STEP_PHASE_COLUMN)
		return "phase";
	if (i >= PHASE_COLUMN)
		return phase_keys[(i - PHASE_COLUMN) / NR_PHASE_COLUMNS]
		                 [(i - PHASE_COLUMN) % NR_PHASE_COLUMNS];
	return i == 0 ? "number" : i == 1 ? "activities" : metric_table[i - METRIC_COLUMN].name;
}

/* The member of a digest that holds an optional column; NULL if the column is not optional. */
static int64_t **place(struct digest *d, size_t i)
{
	size_t k = i - PHASE_COLUMN;
	if (is_metric(i))
		return &d->samples[i - METRIC_COLUMN];
	return i == STEP_PHASE_COLUMN
	           ? &d->step_phases
	           : &d->phases[PHASE_FORWARD + k / NR_PHASE_COLUMNS][k % NR_PHASE_COLUMNS];
}

static int64_t *column(const struct digest *d, size_t i)
{
	if (is_optional(i))
		return *place((struct digest *)(uintptr_t)d, i);
	return i == 0 ? d->step_numbers : i == 1 ? d->step_activities : d->samples[i - METRIC_COLUMN];
}

static bool has_column(bool summarized, size_t i)
{
	return summarized ? i == COUNT_COLUMN : i < NR_COLUMNS;
}

/* ---- writing of steps ---- */

struct values {
	const int64_t *v;
	size_t nr;
};

static bool is_zero(struct values v)
{
	size_t k = 0;
	while (k < v.nr && v.v[k] == 0)
		k++;
	return k == v.nr;
}

static struct values values_of(const struct digest *d, size_t i, bool summarized)
{
	if (i == COUNT_COLUMN)
		return (struct values){ (const int64_t *)&d->nr_steps, 1 };
	struct values out = { column(d, i), summarized ? d->nr_steps > 0 : d->nr_steps };
	if (!out.v || (may_be_zero(i) && is_zero(out)))
		out.nr = 0;
	return out;
}

static bool is_written(const void *const *digests, size_t nr, size_t i, bool summarized)
{
	bool any = !is_optional(i);
	for (size_t k = 0; k < nr; k++)
		any = any || values_of(digests[k], i, summarized).nr > 0;
	return any && has_column(summarized, i);
}

static void write_values(struct values v, struct sink *out)
{
	sink_puts(out, "[");
	for (size_t k = 0; k < v.nr; k++)
		sink_printf(out, v.v[k] == NO_SAMPLE ? "%snull" : "%s%" PRId64, k ? "," : "", v.v[k]);
	sink_puts(out, "]");
}

static void write_column(const void *const *digests, size_t nr, size_t i, bool summarized,
                         struct sink *out)
{
	struct values first = values_of(digests[0], i, summarized);
	size_t alike = 1;
	for (; alike < nr; alike++) {
		struct values v = values_of(digests[alike], i, summarized);
		if (v.nr != first.nr || (v.nr && memcmp(v.v, first.v, v.nr * sizeof *v.v) != 0))
			break;
	}
	if (alike == nr) {
		write_values(first, out);
		return;
	}
	for (size_t k = 0; k < nr; k++) {
		sink_puts(out, k ? "," : "[");
		write_values(values_of(digests[k], i, summarized), out);
	}
	sink_puts(out, "]");
}

void steps_write(const void *const *digests, size_t nr, struct sink *out)
{
	bool summarized = false;
	const char *before = "{";
	for (size_t k = 0; k < nr; k++)
		summarized = summarized || ((const struct digest *)digests[k])->summaries.nr > 0;
	for (size_t n = 0; n < NR_ALL_COLUMNS; n++) {
		size_t i = (n + COUNT_COLUMN) % NR_ALL_COLUMNS; /* the number of steps is written first */
		if (!is_written(digests, nr, i, summarized))
			continue;
		sink_printf(out, "%s\n\"%s\": ", before, column_key(i));
		write_column(digests, nr, i, summarized, out);
		before = ",";
	}
	sink_puts(out, "\n}");
}

/* ---- schema of steps ---- */

static void describe_columns(bool several, bool summarized, int depth, struct sink *out)
{
	const char *before = "";
	sink_puts(out, "{\"type\": \"object\", \"additionalProperties\": false,");
	row_schema_line(out, depth + 1, "\"required\": [");
	for (size_t i = 0; i < NR_ALL_COLUMNS; i++)
		if (has_column(summarized, i) && !is_optional(i)) {
			sink_printf(out, "%s\"%s\"", before, column_key(i));
			before = ", ";
		}
	sink_puts(out, "],");
	row_schema_line(out, depth + 1, "\"properties\": {");
	before = "";
	for (size_t i = 0; i < NR_ALL_COLUMNS; i++)
		if (has_column(summarized, i)) {
			sink_puts(out, before);
			row_schema_line(out, depth + 2, "\"");
			const char *one = is_metric(i) && is_optional(i) ? "{\"type\": [\"integer\", \"null\"]}"
			                                                 : "{\"$ref\": \"#/$defs/count\"}";
			sink_printf(out, "%s\": {\"type\": \"array\", \"items\": ", column_key(i));
			sink_printf(
			    out, several ? "{\"anyOf\": [%s, {\"type\": \"array\", \"items\": %s}]}}" : "%s}",
			    one, one);
			before = ",";
		}
	for (size_t i = 0; row_gone_keys[i]; i++) {
		row_schema_line(out, depth + 2, "");
		sink_printf(out, ",\"%s\": {\"type\": \"array\"}", row_gone_keys[i]);
	}
	row_schema_line(out, depth + 1, "}");
	row_schema_line(out, depth, "}");
}

void steps_describe(bool several, int depth, struct sink *out)
{
	sink_puts(out, "{\"oneOf\": [");
	describe_columns(several, false, depth, out);
	sink_puts(out, ", ");
	describe_columns(several, true, depth, out);
	sink_puts(out, "]}");
}

/* ---- reading of steps ---- */

struct columns {
	struct row_reader *r;
	void *const *digests;
	size_t nr;
	bool summarized;
	uint64_t seen; ///< set of the columns that have been read, as bits
};

static int64_t read_null(struct row_reader *r)
{
	enum jscan_type type;
	jscan_literal(r->js, &type);
	return NO_SAMPLE;
}

/* Reads an array of numbers. The caller has entered the array and its first element. */
static size_t read_numbers(struct row_reader *r, size_t column, enum jscan_type first, size_t most,
                           int64_t **out)
{
	VEC(int64_t) v = VEC_INIT;
	const char *key = column_key(column);
	bool optional = is_metric(column) && is_optional(column);
	for (bool more = first != JSCAN_END; more; more = jscan_element(r->js)) {
		if (v.nr == most)
			row_fail(r, row_byte(r), key, "has too many steps");
		vec_push(&v, optional && jscan_peek(r->js) == JSCAN_NULL ? read_null(r)
		                                                         : row_read_count(r, key));
	}
	*out = v.v;
	return v.nr;
}

/* Makes room for the steps in all columns except those that the digest may lack. */
static void set_steps(struct digest *d, size_t nr)
{
	digest_set_steps(d, nr);
	for (size_t i = METRIC_COLUMN; i < STEP_PHASE_COLUMN; i++)
		if (is_optional(i))
			*place(d, i) = NULL;
}

/* Stores one column of one digest. The first column to be read sets the number of steps. */
static void take(struct columns *c, size_t k, size_t i, const char *key, const int64_t *v,
                 size_t nr)
{
	struct digest *d = c->digests[k];
	if (jscan_status(c->r->js) != ST_OK)
		return;
	size_t count = !c->seen && !c->summarized ? nr : c->seen ? d->nr_steps : nr ? (size_t)v[0] : 0;
	if (!c->seen && count > store_limits.steps / c->nr)
		row_fail(c->r, jscan_byte(c->r->js), key, "has too many steps");
	else if (!c->seen)
		set_steps(d, count);
	if (nr == 0 && is_optional(i))
		return; /* an empty column: this digest lacks the metric */
	if (nr != (i == COUNT_COLUMN ? 1 : c->summarized ? count > 0 : count))
		row_fail(c->r, jscan_byte(c->r->js), key, "does not have one value for each step");
	else if (is_optional(i))
		*place(d, i) = arena_alloc(&d->arena, nr, sizeof *v);
	if (nr && i != COUNT_COLUMN && jscan_status(c->r->js) == ST_OK)
		memcpy(column(d, i), v, nr * sizeof *v);
}

static void read_column(struct columns *c, size_t i)
{
	struct row_reader *r = c->r;
	const char *key = column_key(i);
	int64_t *v;
	enum jscan_type first = row_enter_array(r, key);
	/* a value that is not a list of columns is the column of all digests */
	if (first != JSCAN_ARRAY) {
		size_t nr = read_numbers(r, i, first, store_limits.steps / c->nr, &v);
		for (size_t k = 0; k < c->nr; k++)
			take(c, k, i, key, v, nr);
		free(v);
		return;
	}
	for (size_t at = 0; row_next(r, key, &at, c->nr);) {
		size_t nr = read_numbers(r, i, row_enter_array(r, key), store_limits.steps / c->nr, &v);
		take(c, at - 1, i, key, v, nr);
		free(v);
	}
}

/* A phase must have its first column, and the phases of whole steps must be known ones. */
static void check_phases(const struct columns *c, const struct digest *d)
{
	bool whole = true, known = true;
	for (int p = PHASE_FORWARD; p < NR_INNER_PHASES; p++)
		for (int k = 0; k < NR_PHASE_COLUMNS; k++)
			whole = whole && (!d->phases[p][k] || d->phases[p][0]);
	for (size_t i = 0; d->step_phases && i < d->nr_steps; i++)
		known = known && d->step_phases[i] <= step_phase_code(NR_PHASES - 1);
	if (!whole)
		row_fail(c->r, jscan_byte(c->r->js), NULL, "does not have the first column of a phase");
	else if (!known)
		row_fail(c->r, jscan_byte(c->r->js), "phase", "is not known");
}

static size_t find_column(const struct columns *c, struct span key)
{
	for (size_t i = 0; i < NR_ALL_COLUMNS; i++)
		if (has_column(c->summarized, i) && span_eq(key, span_of(column_key(i))))
			return i;
	return NR_ALL_COLUMNS;
}

static void read_columns(struct columns *c)
{
	struct row_reader *r = c->r;
	struct span key;
	if (!jscan_object(r->js))
		row_fail(r, row_byte(r), NULL, "is not an object");
	while (jscan_status(r->js) == ST_OK && jscan_key(r->js, &key)) {
		if (!c->seen)
			c->summarized = span_eq(key, span_of(column_key(COUNT_COLUMN)));
		size_t i = find_column(c, key);
		/* a file of thirty bytes could otherwise claim a million steps, and cost as much time and
		   memory */
		if (c->summarized && r->sampled)
			row_fail(r, jscan_byte(r->js), column_key(COUNT_COLUMN),
			         "replaces the samples of steps, as only a baseline may");
		if (i == NR_ALL_COLUMNS ? row_is_passed_over(r, key) : column_since(i) > r->minor) {
			jscan_skip(r->js);
		} else if (i == NR_ALL_COLUMNS) {
			row_fail(r, jscan_byte(r->js), arena_dup(r->arena, key), "is not known");
		} else if (c->seen >> i & 1) {
			row_fail(r, jscan_byte(r->js), column_key(i), "is there twice");
		} else {
			read_column(c, i);
			c->seen |= (uint64_t)1 << i;
		}
	}
	for (size_t i = 0; i < NR_ALL_COLUMNS; i++)
		if (has_column(c->summarized, i) && !is_optional(i) && !(c->seen >> i & 1))
			row_fail(r, jscan_byte(r->js), column_key(i), "is missing");
	for (size_t k = 0; k < c->nr; k++)
		check_phases(c, c->digests[k]);
}

void steps_read(struct row_reader *r, void *const *digests, size_t nr)
{
	size_t before = row_enter(r, "steps", 0);
	read_columns(&(struct columns){ .r = r, .digests = digests, .nr = nr });
	strbuf_setlen(&r->path, before);
}
