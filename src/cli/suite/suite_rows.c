#include "suite/suite.h"

#include "io/source.h"
#include "store/digest_schema.h"
#include "store/row.h"

#define VERDICT(type_) MEMBER(type_, verdict, ENUM, .names = verdict_names)

static const struct field item_fields[] = {
	MEMBER_AT("case", suite_item, of, COUNT),
	MEMBER(suite_item, place, COUNT),
	VERDICT(suite_item),
	MEMBER(suite_item, id, TEXT),
	MEMBER(suite_item, rule, OPTIONAL_TEXT),
	MEMBER(suite_item, text, TEXT),
	MEMBER(suite_item, cost, OPTIONAL_TEXT),
	MEMBER(suite_item, action, OPTIONAL_TEXT),
	MEMBER(suite_item, where, OPTIONAL_TEXT),
};

static const struct schema item_schema =
    SCHEMA_OF(suite_item, item_fields, .listed = true, .cmp = suite_item_cmp);

static const struct field case_fields[] = {
	MEMBER(suite_case, place, COUNT),
	MEMBER(suite_case, name, TEXT),
	MEMBER(suite_case, workload, OPTIONAL_TEXT),
	VERDICT(suite_case),
	MEMBER(suite_case, exit_code, COUNT),
	MEMBER(suite_case, text, TEXT),
	MEMBER(suite_case, metric, OPTIONAL_TEXT),
	MEMBER(suite_case, label, OPTIONAL_TEXT),
	MEMBER(suite_case, baseline, OPTIONAL_TEXT),
	MEMBER(suite_case, candidate, OPTIONAL_TEXT),
	MEMBER(suite_case, change, OPTIONAL_TEXT),
	MEMBER(suite_case, limit, OPTIONAL_TEXT),
	MEMBER(suite_case, change_pct, OPTIONAL_NUMBER, .absent = INT64_MIN),
	MEMBER(suite_case, is_worse, BOOL),
	MEMBER(suite_case, is_better, BOOL),
	MEMBER(suite_case, slower, OPTIONAL_COUNT),
	MEMBER(suite_case, false_alarms, OPTIONAL_COUNT, .absent = -1),
	MEMBER(suite_case, plan_runs, COUNT),
	MEMBER(suite_case, plan_pairs, COUNT),
	MEMBER(suite_case, unconfirmed, OPTIONAL_COUNT),
	MEMBER(suite_case, accept, OPTIONAL_TEXT),
	MEMBER(suite_case, rules_file, OPTIONAL_TEXT),
	MEMBER(suite_case, baseline_file, OPTIONAL_TEXT),
};

static const struct field subject_fields[] = {
	MEMBER_AT("case", suite_subject, of, COUNT),
	MEMBER(suite_subject, place, COUNT),
	MEMBER(suite_subject, finding, COUNT),
	MEMBER_AT("level", suite_subject, kind, OPTIONAL_TEXT),
	MEMBER(suite_subject, name, TEXT),
	MEMBER(suite_subject, change_pct, OPTIONAL_NUMBER, .absent = INT64_MIN),
};

static const struct schema subject_schema =
    SCHEMA_OF(suite_subject, subject_fields, .listed = true, .cmp = suite_subject_cmp);

static const struct field shared_fields[] = {
	MEMBER(suite_shared, place, COUNT),
	VERDICT(suite_shared),
	MEMBER(suite_shared, id, TEXT),
	MEMBER_AT("level", suite_shared, kind, OPTIONAL_TEXT),
	MEMBER(suite_shared, name, OPTIONAL_TEXT),
	MEMBER(suite_shared, title, TEXT),
	MEMBER(suite_shared, text, TEXT),
	MEMBER(suite_shared, action, OPTIONAL_TEXT),
};

ORDERING(shared_cmp, struct suite_shared, RISING(place))

static const struct schema shared_schema =
    SCHEMA_OF(suite_shared, shared_fields, .listed = true, .cmp = shared_cmp);

static const struct field sharing_fields[] = {
	MEMBER(suite_sharing, shared, COUNT),
	MEMBER_AT("case", suite_sharing, of, COUNT),
};

ORDERING(sharing_cmp, struct suite_sharing, RISING(shared) RISING(of))

static const struct schema sharing_schema =
    SCHEMA_OF(suite_sharing, sharing_fields, .listed = true, .cmp = sharing_cmp);

static const struct schema case_schema =
    SCHEMA_OF(suite_case, case_fields, .listed = true, .cmp = suite_case_cmp);

static const struct field suite_fields[] = {
	MEMBER(suite, name, TEXT),
	MEMBER(suite, file, OPTIONAL_TEXT),
	MEMBER(suite, hash, HASH),
	MEMBER(suite, total, COUNT),
	MEMBER(suite, shard, COUNT),
	MEMBER(suite, shards, COUNT),
	VERDICT(suite),
	MEMBER(suite, exit_code, COUNT),
	MEMBER(suite, plan_runs, OPTIONAL_COUNT),
	MEMBER(suite, plan_pairs, OPTIONAL_COUNT),
	MEMBER(suite, headline, OPTIONAL_TEXT),
	MEMBER(suite, error, OPTIONAL_TEXT),
	MEMBER(suite, shared, OPTIONAL_ROWS, .sub = &shared_schema),
	MEMBER(suite, sharing, OPTIONAL_ROWS, .sub = &sharing_schema),
	MEMBER(suite, cases, ROWS, .sub = &case_schema),
	MEMBER(suite, findings, ROWS, .sub = &item_schema),
	MEMBER(suite, checks, ROWS, .sub = &item_schema),
	MEMBER(suite, warnings, ROWS, .sub = &item_schema),
	MEMBER(suite, machine, OPTIONAL_ROWS, .sub = &item_schema),
	MEMBER(suite, subjects, OPTIONAL_ROWS, .sub = &subject_schema),
};

const struct schema suite_schema =
    SCHEMA_OF(suite, suite_fields, .id = SUITE_SCHEMA,
              .title = "gpugate suite: the cases of a suite, or of a shard of it");

void suite_write(const struct suite *s, struct sink *out)
{
	row_write(&suite_schema, s, out);
	sink_puts(out, "\n");
}

static bool items_fit(const struct suite *s, const struct suite_items *list)
{
	size_t k = 0;
	for (size_t i = 0; i < list->nr; i++) {
		while (k < s->cases.nr && s->cases.v[k].place < list->v[i].of)
			k++;
		if (k == s->cases.nr || s->cases.v[k].place != list->v[i].of)
			return false;
	}
	return true;
}

/* Text on what is wrong with a suite that was read, and that the table of fields cannot express;
   NULL if nothing is wrong. */
static const char *fault_of(const struct suite *s)
{
	if (s->error)
		return "holds no cases, as the shard that wrote it failed";
	if (s->shards < 1 || s->shard < 1 || s->shard > s->shards)
		return "'shard' is not one of 'shards'";
	for (size_t i = 0; i < s->cases.nr; i++)
		if (s->cases.v[i].place >= s->total || s->cases.v[i].place % s->shards != s->shard - 1)
			return "a case has a place that is not of its shard";
	if (!items_fit(s, &s->findings) || !items_fit(s, &s->checks) || !items_fit(s, &s->warnings) ||
	    !items_fit(s, &s->machine))
		return "something belongs to no case";
	return NULL;
}

static enum status read_all(struct source *src, struct suite *out, struct diag_log *log)
{
	out->name = out->error = NULL;
	struct row_reader as = { .arena = &out->arena };
	enum status st = stored_document_read(src, ST_INPUT, &suite_schema, as, out, log);
	const char *fault = st == ST_OK ? fault_of(out) : NULL;
	if (fault)
		st = diag_fail(log, ST_INPUT, "%s: %s", source_name(src), fault);
	return st;
}

enum status suite_parse(const char *name, struct span text, struct suite *out, struct diag_log *log)
{
	struct source *src = source_memory(name, text.p, text.n, NULL);
	suite_init(out);
	enum status st = read_all(src, out, log);
	source_close(src);
	return st;
}

enum status suite_read(const char *path, struct suite *out, struct diag_log *log)
{
	struct source *src;
	suite_init(out);
	TRY(source_open(path, NULL, &src, log));
	enum status st = read_all(src, out, log);
	source_close(src);
	return st;
}
