/* The steps of a digest: one column (one line) per metric. For several digests, a column that is
   equal in all is written once, otherwise as a list of columns. If statistics replace samples,
   the only column is the number of steps. The columns of a phase are written if at least one
   digest has the phase; digests without the phase have empty columns. A column of a phase whose
   values are all 0 counts as empty, unless it is the first of its phase.

   Version 0.2 wrote a column of many steps as differences from the sum of other columns, its bases:
   {"plus": […], "minus": […], "rest": […]}. "plus" and "minus" name the bases that are added and
   subtracted, and "rest" has the differences. This is still read. */
#include <inttypes.h>
#include <string.h>

#include "store/columns.h"
#include "store/digest_schema.h"
#include "store/row.h"

static bool has_column(bool summarized, size_t i)
{
	return summarized ? i == COUNT_COLUMN : i < NR_COLUMNS;
}

/* ---- writing of steps ---- */

struct values {
	const int64_t *v;
	size_t nr;
};

static struct values values_of(const struct digest *d, size_t i, bool summarized)
{
	if (i == COUNT_COLUMN)
		return (struct values){ (const int64_t *)&d->nr_steps, 1 };
	struct values out = { step_column(d, i), summarized ? d->nr_steps > 0 : d->nr_steps };
	if (!out.v || (step_column_may_be_zero(i) && ALL(k, out.nr, out.v[k] == 0)))
		out.nr = 0;
	return out;
}

static void write_values(struct values v, struct sink *out)
{
	sink_puts(out, "[");
	for (size_t k = 0; k < v.nr; k++)
		sink_printf(out, v.v[k] == NO_SAMPLE ? "%snull" : "%s%" PRId64, k ? "," : "", v.v[k]);
	sink_puts(out, "]");
}

static bool are_alike(const struct values *of, size_t nr)
{
	size_t k = 1;
	while (k < nr && of[k].nr == of[0].nr &&
	       (!of[k].nr || memcmp(of[k].v, of[0].v, of[k].nr * sizeof *of[k].v) == 0))
		k++;
	return k == nr;
}

static void write_column(const struct values *of, size_t nr, struct sink *out)
{
	bool alike = are_alike(of, nr);
	for (size_t k = 0; k < (alike ? 1 : nr); k++) {
		sink_puts(out, alike ? "" : k ? "," : "[");
		write_values(of[k], out);
	}
	sink_puts(out, alike ? "" : "]");
}

void steps_write(const void *const *digests, size_t nr, struct sink *out)
{
	const char *before = "{";
	struct values *of = mem_calloc(nr, sizeof *of); /* a column's values in each digest */
	bool summarized = ANY(k, nr, ((const struct digest *)digests[k])->summaries.nr > 0);
	for (size_t n = 0; n < NR_ALL_COLUMNS; n++) {
		size_t i = (n + COUNT_COLUMN) % NR_ALL_COLUMNS; /* the number of steps is written first */
		bool any = !step_column_is_optional(i);
		for (size_t k = 0; k < nr; k++) {
			of[k] = values_of(digests[k], i, summarized);
			any = any || of[k].nr > 0;
		}
		if (!any || !has_column(summarized, i))
			continue;
		sink_printf(out, "%s\n\"%s\": ", before, step_column_key(i));
		write_column(of, nr, out);
		before = ",";
	}
	free(of);
	sink_puts(out, "\n}");
}

/* ---- schema of steps ---- */

/* Writes the schema of a list of numbers; if `several`, it also allows a list of such lists, one
   for each digest. */
static void describe_list(const char *number, bool several, struct sink *out)
{
	sink_puts(out, "{\"type\": \"array\", \"items\": ");
	sink_printf(out, several ? "{\"anyOf\": [%s, {\"type\": \"array\", \"items\": %s}]}}" : "%s}",
	            number, number);
}

/* Writes the schema of a column: a list of values, or the object with "plus", "minus" and "rest"
   that version 0.2 wrote. */
static void describe_column(size_t i, bool several, struct sink *out)
{
	static const char any[] = "{\"type\": [\"integer\", \"null\"]}";
	static const char names[] = "{\"type\": \"array\", \"items\": {\"$ref\": \"#/$defs/text\"}}";
	bool may_lack = step_column_is_metric(i) && step_column_is_optional(i);
	sink_printf(out, "%s\": ", step_column_key(i));
	sink_puts(out, i == COUNT_COLUMN ? "" : "{\"anyOf\": [");
	describe_list(may_lack ? any : "{\"$ref\": \"#/$defs/count\"}", several, out);
	if (i == COUNT_COLUMN)
		return;
	sink_printf(out,
	            ", {\"type\": \"object\", \"additionalProperties\": false, \"required\": "
	            "[\"rest\"], \"properties\": {\"plus\": %s, \"minus\": %s, \"rest\": ",
	            names, names);
	describe_list(may_lack ? any : "{\"$ref\": \"#/$defs/number\"}", several, out);
	sink_puts(out, "}}]}");
}

static void describe_columns(bool several, bool summarized, int depth, struct sink *out)
{
	const char *before = "";
	sink_puts(out, "{\"type\": \"object\", \"additionalProperties\": false,");
	row_schema_line(out, depth + 1, "\"required\": [");
	for (size_t i = 0; i < NR_ALL_COLUMNS; i++)
		if (has_column(summarized, i) && !step_column_is_optional(i)) {
			sink_printf(out, "%s\"%s\"", before, step_column_key(i));
			before = ", ";
		}
	sink_puts(out, "],");
	row_schema_line(out, depth + 1, "\"properties\": {");
	before = "";
	for (size_t i = 0; i < NR_ALL_COLUMNS; i++)
		if (has_column(summarized, i)) {
			sink_puts(out, before);
			row_schema_line(out, depth + 2, "\"");
			describe_column(i, several, out);
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

/* Value of a step without a sample while a column holds differences. A column of values has
 * NO_SAMPLE instead. */
#define NO_REST INT64_MIN

enum { BASES_MAX = 8 }; /* largest number of columns in struct bases */

/* The bases of a column: the column is stored as differences from a sum, to which these columns are
 * added or from which they are subtracted. If a base has no value in a step, 0 is used. If a column
 * is its own base, its value in the previous step is used, and 0 in the first step. */
struct bases {
	size_t nr;
	int column[BASES_MAX]; ///< a column that is added, or ~column of one that is subtracted
};

/* Turns the differences in a column of a digest into values: adds the sum of the bases to each
   difference. False if a value would be negative or too large. */
static bool add_bases(struct digest *d, size_t column, const struct bases *b)
{
	int64_t *v = step_column(d, column);
	for (size_t i = 0; v && i < d->nr_steps; i++) {
		__int128 value = v[i];
		for (size_t k = 0; k < b->nr && v[i] != NO_REST; k++) {
			size_t base = (size_t)(b->column[k] < 0 ? ~b->column[k] : b->column[k]);
			size_t from = base == column ? i - 1 : i;
			const int64_t *w = step_column(d, base);
			if (w && (i > 0 || base != column) && w[from] != NO_SAMPLE)
				value += b->column[k] < 0 ? -(__int128)w[from] : w[from];
		}
		if (v[i] != NO_REST && (value < 0 || value > INT64_MAX))
			return false;
		v[i] = v[i] == NO_REST ? NO_SAMPLE : (int64_t)value;
	}
	return true;
}

struct columns {
	struct row_reader *r;
	void *const *digests;
	size_t nr;
	bool summarized;
	uint64_t seen; ///< bit i is set once column i has been read
};

static int64_t read_rest(struct row_reader *r, const char *key)
{
	uint64_t byte = row_byte(r);
	int64_t rest = row_read_number(r, key);
	if (rest == NO_REST)
		row_fail(r, byte, key, "is too large");
	return rest;
}

/* Reads an array of values or, if `rests`, of differences from the sum of the bases (struct bases).
   The caller has read the opening bracket; the scanner is at the first element. */
static size_t read_numbers(struct row_reader *r, size_t column, bool rests, enum jscan_type first,
                           size_t most, int64_t **out)
{
	VEC(int64_t) v = VEC_INIT;
	const char *key = step_column_key(column);
	bool optional = step_column_is_metric(column) && step_column_is_optional(column);
	for (bool more = first != JSCAN_END; more; more = jscan_element(r->js)) {
		if (v.nr == most)
			row_fail(r, row_byte(r), key, "has too many steps");
		if (optional && jscan_null(r->js))
			vec_push(&v, rests ? NO_REST : NO_SAMPLE);
		else
			vec_push(&v, rests ? read_rest(r, key) : row_read_count(r, key));
	}
	*out = v.v;
	return v.nr;
}

/* Makes room for the steps in all columns except those that the digest may lack. */
static void set_steps(struct digest *d, size_t nr)
{
	digest_set_steps(d, nr);
	for (size_t i = METRIC_COLUMN; i < STEP_PHASE_COLUMN; i++)
		if (step_column_is_optional(i))
			*step_column_place(d, i) = NULL;
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
	if (nr == 0 && step_column_is_optional(i))
		return; /* an empty column: this digest lacks the metric or the phase */
	if (nr != (i == COUNT_COLUMN ? 1 : c->summarized ? count > 0 : count))
		row_fail(c->r, jscan_byte(c->r->js), key, "does not have one value for each step");
	else if (step_column_is_optional(i))
		*step_column_place(d, i) = arena_alloc(&d->arena, nr, sizeof *v);
	if (nr && i != COUNT_COLUMN && jscan_status(c->r->js) == ST_OK)
		memcpy(step_column(d, i), v, nr * sizeof *v);
}

/* Reads a column: one list for all digests, or a list for each digest. The numbers are values or,
 * if `rests`, differences from the sum of the bases (struct bases). */
static void read_lists(struct columns *c, size_t i, bool rests)
{
	struct row_reader *r = c->r;
	const char *key = step_column_key(i);
	size_t most = store_limits.steps / c->nr;
	int64_t *v;
	enum jscan_type first = row_enter_array(r, key);
	/* the list has numbers rather than lists: it is the column of all digests */
	if (first != JSCAN_ARRAY) {
		size_t nr = read_numbers(r, i, rests, first, most, &v);
		for (size_t k = 0; k < c->nr; k++)
			take(c, k, i, key, v, nr);
		free(v);
		return;
	}
	for (size_t at = 0; row_next(r, key, &at, c->nr);) {
		size_t nr = read_numbers(r, i, rests, row_enter_array(r, key), most, &v);
		take(c, at - 1, i, key, v, nr);
		free(v);
	}
}

static size_t find_column(const struct columns *c, struct span key)
{
	for (size_t i = 0; i < NR_ALL_COLUMNS; i++)
		if (has_column(c->summarized, i) && span_eq(key, span_of(step_column_key(i))))
			return i;
	return NR_ALL_COLUMNS;
}

/* Reads the names of the bases of column `i`: the columns that are added or, if `minus`,
   subtracted to compute column `i`. A base must have been read already, so that its values are
   known, or be column `i` itself, which means the value in the previous step. */
static void read_bases(struct columns *c, size_t i, bool minus, struct bases *b)
{
	struct row_reader *r = c->r;
	const char *key = step_column_key(i);
	for (size_t nr = 0; row_item(r, key, nr); nr++) {
		uint64_t byte = row_byte(r);
		size_t base = find_column(c, row_read_text(r, key));
		if (base >= NR_COLUMNS || (base != i && !(c->seen >> base & 1)))
			row_fail(r, byte, key, "has a base that is not an earlier column");
		else if (b->nr == BASES_MAX)
			row_fail(r, byte, key, "has too many bases");
		else
			b->column[b->nr++] = minus ? ~(int)base : (int)base;
	}
}

/* Reads a column that is stored as differences from other columns. */
static void read_rests(struct columns *c, size_t i)
{
	static const char *const keys[] = { "plus", "minus", "rest" };
	struct row_reader *r = c->r;
	struct bases bases = { 0 };
	struct span key;
	unsigned seen = 0;
	for (jscan_object(r->js); jscan_key(r->js, &key);) {
		unsigned k = 0;
		while (k < 3 && !span_eq(key, span_of(keys[k])))
			k++;
		/* seen >> k is not 0 if this key, or a key that must come later, has been read already */
		if (k == 3 || seen >> k)
			row_fail(r, jscan_byte(r->js), step_column_key(i),
			         "has other keys than \"plus\", \"minus\" and \"rest\", in this order");
		else if (k < 2)
			read_bases(c, i, k == 1, &bases);
		else
			read_lists(c, i, true);
		seen |= 1U << k;
	}
	row_need(r, seen >= 4, step_column_key(i), "has no rests");
	for (size_t k = 0; k < c->nr && jscan_status(r->js) == ST_OK; k++)
		row_need(r, add_bases(c->digests[k], i, &bases), step_column_key(i),
		         "has rests that give no value from 0 to 9223372036854775807");
}

static void read_column(struct columns *c, size_t i)
{
	if (i != COUNT_COLUMN && jscan_peek(c->r->js) == JSCAN_OBJECT)
		read_rests(c, i);
	else
		read_lists(c, i, false);
}

/* Checks that a phase with columns has its first column, and that the phases of whole steps,
   such as "decode", are known ones. */
static void check_phases(const struct columns *c, const struct digest *d)
{
	bool whole = true, known = true;
	for (int p = PHASE_FORWARD; p < NR_INNER_PHASES; p++)
		for (int k = 0; k < NR_PHASE_COLUMNS; k++)
			whole = whole && (!d->phases[p][k] || d->phases[p][0]);
	for (size_t i = 0; d->step_phases && i < d->nr_steps; i++)
		known = known && d->step_phases[i] <= step_phase_code(NR_PHASES - 1);
	row_need(c->r, whole, NULL, "does not have the first column of a phase");
	row_need(c->r, known, "phase", "is not known");
}

static void read_columns(struct columns *c)
{
	struct row_reader *r = c->r;
	struct span key;
	if (!jscan_object(r->js))
		row_fail(r, row_byte(r), NULL, "is not an object");
	while (jscan_status(r->js) == ST_OK && jscan_key(r->js, &key)) {
		if (!c->seen)
			c->summarized = span_eq(key, span_of(step_column_key(COUNT_COLUMN)));
		size_t i = find_column(c, key);
		/* each step of a run must have samples. If a run could have only its number of steps, a
		 * file of thirty bytes could claim a million steps, which would take time and memory */
		row_need(r, !c->summarized || !r->sampled, step_column_key(COUNT_COLUMN),
		         "replaces the samples of steps, as only a baseline may");
		if (i == NR_ALL_COLUMNS ? row_is_passed_over(r, key) : step_column_since(i) > r->minor) {
			jscan_skip(r->js);
		} else if (i == NR_ALL_COLUMNS) {
			row_fail(r, jscan_byte(r->js), arena_dup(r->arena, key), "is not known");
		} else if (c->seen >> i & 1) {
			row_fail(r, jscan_byte(r->js), step_column_key(i), "is there twice");
		} else {
			read_column(c, i);
			c->seen |= (uint64_t)1 << i;
		}
	}
	for (size_t i = 0; i < NR_ALL_COLUMNS; i++)
		row_need(r, !has_column(c->summarized, i) || step_column_is_optional(i) || c->seen >> i & 1,
		         step_column_key(i), "is missing");
	for (size_t k = 0; k < c->nr; k++)
		check_phases(c, c->digests[k]);
}

void steps_read(struct row_reader *r, void *const *digests, size_t nr)
{
	read_columns(&(struct columns){ .r = r, .digests = digests, .nr = nr });
}
