#include "store/digest_schema.h"

#include <string.h>

#include "store/digest_json.h"

static const struct field provenance_fields[] = {
	MEMBER(provenance, commit, TEXT), MEMBER(provenance, time, TEXT),
	MEMBER(provenance, tool, TEXT),   MEMBER(provenance, who, TEXT),
	MEMBER(provenance, reason, TEXT), MEMBER(provenance, built_in, OPTIONAL_TEXT, .since = 3),
};

const struct schema provenance_schema = {
	.fields = provenance_fields,
	.nr = NR_OF(provenance_fields),
};

static const struct field value_fields[] = {
	MEMBER(past_value, query, TEXT),
	MEMBER(past_value, label, NAME),
	MEMBER(past_value, rank, OPTIONAL_COUNT, .absent = -1),
	MEMBER(past_value, value, NUMBER),
	{ .key = "digits", /* files of earlier versions hold values in millionths */
	  .type = FIELD_OPTIONAL_NUMBER,
	  .offset = offsetof(struct past_value, digits),
	  .absent = MICRO_DIGITS,
	  .since = 1 },
};

/* The minor version of the format that added the metric of a query. The query begins with the name
 * of the metric. */
static int value_since(const void *row)
{
	const char *query = ((const struct past_value *)row)->query;
	const struct metric *m = metric_find((struct span){ query, strcspn(query, " ") });
	return m ? m->since : 0;
}

const struct schema past_value_schema = SCHEMA_OF(past_value, value_fields, .listed = true,
                                                  .cmp = past_value_cmp, .since = value_since);

static const struct field past_fields[] = {
	MEMBER(past_run, provenance, ROW, .sub = &provenance_schema),
	MEMBER(past_run, source_hash, HASH),
	MEMBER(past_run, ranks, COUNT),
	MEMBER(past_run, steps, COUNT),
	MEMBER_AT("memory_source", past_run, memory, OPTIONAL_TEXT, .since = 3),
	MEMBER(past_run, cut, COUNT),
	MEMBER(past_run, values, ROWS, .sub = &past_value_schema),
};

const struct schema past_schema = SCHEMA_OF(past_run, past_fields, .listed = false);

const struct field history_fields[NR_HISTORY_FIELDS] = {
	MEMBER(past_run, provenance, ROW, .sub = &provenance_schema),
	MEMBER(past_run, source_hash, HASH),
	MEMBER(past_run, pin, HASH),
	MEMBER(past_run, verdict, TEXT),
	MEMBER(past_run, together, OPTIONAL_TEXT, .since = 1),
	MEMBER(past_run, accepted, BOOL),
	MEMBER(past_run, ranks, COUNT),
	MEMBER(past_run, steps, COUNT),
	MEMBER_AT("memory_source", past_run, memory, OPTIONAL_TEXT, .since = 3),
	MEMBER(past_run, cut, COUNT),
	MEMBER(past_run, values, ROWS, .sub = &past_value_schema),
};

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

/* Drops one value of the query with the most values: the value nearest to 0. Figures of result
 * files have different units and cannot be compared, so the last by name is dropped; all runs then
 * keep the same figures. */
static void cut_one(struct past_run *run)
{
	struct past_value *v = run->values.v;
	size_t nr, first = largest_group(run, &nr), least = first;
	bool of_files = strncmp(v[first].query, "input.", strlen("input.")) == 0;
	for (size_t i = first; i < first + nr; i++)
		if (of_files || number_size(v[i].value) < number_size(v[least].value))
			least = i;
	memmove(v + least, v + least + 1, (run->values.nr - least - 1) * sizeof *v);
	run->values.nr--;
	run->cut++;
}

void past_run_fit(struct past_run *run)
{
	size_t size;
	while (run->values.nr &&
	       (size = row_size(&past_schema, (const void *[]){ run }, 1)) > BASELINE_RECENT_BYTES) {
		/* drops values with about half of the bytes beyond the limit. To drop more at once might
		 * drop too many, since values differ in size. */
		size_t extra = (size - BASELINE_RECENT_BYTES) / 2 * run->values.nr / size;
		for (size_t i = 0; i <= extra && run->values.nr; i++)
			cut_one(run);
	}
}
