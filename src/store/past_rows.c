#include "store/past_rows.h"

#include <string.h>

#include "store/digest_json.h"

#define TEXT(type_, member)                                                          \
	{                                                                                \
		.key = #member, .type = FIELD_TEXT, .offset = offsetof(struct type_, member) \
	}

static const struct field provenance_fields[] = {
	TEXT(provenance, commit),
	TEXT(provenance, time),
	TEXT(provenance, tool),
	TEXT(provenance, who),
	TEXT(provenance, reason),
	{ .key = "built_in",
	  .type = FIELD_OPTIONAL_TEXT,
	  .offset = offsetof(struct provenance, built_in),
	  .since = 3 },
};

const struct schema provenance_schema = {
	.fields = provenance_fields,
	.nr = sizeof provenance_fields / sizeof *provenance_fields,
};

static const struct field value_fields[] = {
	TEXT(past_value, query),
	{ .key = "label", .type = FIELD_NAME, .offset = offsetof(struct past_value, label) },
	{ .key = "rank",
	  .type = FIELD_OPTIONAL_COUNT,
	  .offset = offsetof(struct past_value, rank),
	  .absent = -1 },
	{ .key = "value", .type = FIELD_NUMBER, .offset = offsetof(struct past_value, value) },
	{ .key = "digits", /* files of earlier versions hold values in millionths */
	  .type = FIELD_OPTIONAL_NUMBER,
	  .offset = offsetof(struct past_value, digits),
	  .absent = MICRO_DIGITS,
	  .since = 1 },
};

/* The minor version of the format that added the metric of a query; the metric's name begins the
 * query. */
static int value_since(const void *row)
{
	const char *query = ((const struct past_value *)row)->query;
	const struct metric *m = metric_find((struct span){ query, strcspn(query, " ") });
	return m ? m->since : 0;
}

const struct schema past_value_schema = {
	.fields = value_fields,
	.nr = sizeof value_fields / sizeof *value_fields,
	.size = sizeof(struct past_value),
	.listed = true,
	.cmp = past_value_cmp,
	.since = value_since,
};

static const struct field past_fields[] = {
	{ .key = "provenance",
	  .type = FIELD_ROW,
	  .offset = offsetof(struct past_run, provenance),
	  .sub = &provenance_schema },
	{ .key = "source_hash", .type = FIELD_HASH, .offset = offsetof(struct past_run, source_hash) },
	{ .key = "ranks", .type = FIELD_COUNT, .offset = offsetof(struct past_run, ranks) },
	{ .key = "steps", .type = FIELD_COUNT, .offset = offsetof(struct past_run, steps) },
	{ .key = "memory_source",
	  .type = FIELD_OPTIONAL_TEXT,
	  .offset = offsetof(struct past_run, memory),
	  .since = 3 },
	{ .key = "cut", .type = FIELD_COUNT, .offset = offsetof(struct past_run, cut) },
	{ .key = "values",
	  .type = FIELD_ROWS,
	  .offset = offsetof(struct past_run, values),
	  .sub = &past_value_schema },
};

const struct schema past_schema = {
	.fields = past_fields,
	.nr = sizeof past_fields / sizeof *past_fields,
	.size = sizeof(struct past_run),
};

const struct field history_fields[NR_HISTORY_FIELDS] = {
	{ .key = "provenance",
	  .type = FIELD_ROW,
	  .offset = offsetof(struct past_run, provenance),
	  .sub = &provenance_schema },
	{ .key = "source_hash", .type = FIELD_HASH, .offset = offsetof(struct past_run, source_hash) },
	{ .key = "pin", .type = FIELD_HASH, .offset = offsetof(struct past_run, pin) },
	TEXT(past_run, verdict),
	{ .key = "together",
	  .type = FIELD_OPTIONAL_TEXT,
	  .offset = offsetof(struct past_run, together),
	  .since = 1 },
	{ .key = "accepted", .type = FIELD_BOOL, .offset = offsetof(struct past_run, accepted) },
	{ .key = "ranks", .type = FIELD_COUNT, .offset = offsetof(struct past_run, ranks) },
	{ .key = "steps", .type = FIELD_COUNT, .offset = offsetof(struct past_run, steps) },
	{ .key = "memory_source",
	  .type = FIELD_OPTIONAL_TEXT,
	  .offset = offsetof(struct past_run, memory),
	  .since = 3 },
	{ .key = "cut", .type = FIELD_COUNT, .offset = offsetof(struct past_run, cut) },
	{ .key = "values",
	  .type = FIELD_ROWS,
	  .offset = offsetof(struct past_run, values),
	  .sub = &past_value_schema },
};

static size_t size_of(const struct past_run *run)
{
	struct sink *s = sink_open_memory();
	row_write(&past_schema, run, s);
	size_t n = sink_memory(s).n;
	sink_abort(s);
	return n;
}

/* Finds the largest group of values that answer the same query of a rule: the values
   run->values.v[first..first + nr). Returns `first`. */
static size_t largest_group(const struct past_run *run, size_t *nr)
{
	const struct past_value *v = run->values.v;
	size_t best = 0;
	*nr = 0;
	for (size_t i = 0, end; i < run->values.nr; i = end) {
		for (end = i + 1; end < run->values.nr && strcmp(v[end].query, v[i].query) == 0;)
			end++;
		if (end - i > *nr) {
			*nr = end - i;
			best = i;
		}
	}
	return best;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

/* Drops one value: of the query with the most values, the value nearest to 0. */
static void cut_one(struct past_run *run)
{
	struct past_value *v = run->values.v;
	size_t nr, first = largest_group(run, &nr), least = first;
	for (size_t i = first; i < first + nr; i++)
		if (magnitude(v[i].value) < magnitude(v[least].value))
			least = i;
	memmove(v + least, v + least + 1, (run->values.nr - least - 1) * sizeof *v);
	run->values.nr--;
	run->cut++;
}

void past_run_fit(struct past_run *run)
{
	size_t size;
	while (run->values.nr && (size = size_of(run)) > BASELINE_RECENT_BYTES) {
		/* drops values with about half of the bytes that are too many: a larger part could drop
		 * more than necessary, as values differ in size */
		size_t extra = (size - BASELINE_RECENT_BYTES) / 2 * run->values.nr / size;
		for (size_t i = 0; i <= extra && run->values.nr; i++)
			cut_one(run);
	}
}
