#include "suite/suite.h"

#include "io/source.h"
#include "store/digest_schema.h"
#include "store/row.h"

#define AT(type_, member) .key = #member, .offset = offsetof(struct type_, member)
#define VERDICT(type_)                                                 \
	{                                                                  \
		AT(type_, verdict), .type = FIELD_ENUM, .names = verdict_names \
	}

static const struct field item_fields[] = {
	{ .key = "case", .offset = offsetof(struct suite_item, of), .type = FIELD_COUNT },
	{ AT(suite_item, place), .type = FIELD_COUNT },
	VERDICT(suite_item),
	{ AT(suite_item, id), .type = FIELD_TEXT },
	{ AT(suite_item, rule), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_item, text), .type = FIELD_TEXT },
	{ AT(suite_item, cost), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_item, action), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_item, where), .type = FIELD_OPTIONAL_TEXT },
};

ORDERING(item_cmp, struct suite_item, RISING(of) RISING(place))

static const struct schema item_schema = {
	.fields = item_fields,
	.nr = sizeof item_fields / sizeof *item_fields,
	.size = sizeof(struct suite_item),
	.listed = true,
	.cmp = item_cmp,
};

static const struct field case_fields[] = {
	{ AT(suite_case, place), .type = FIELD_COUNT },
	{ AT(suite_case, name), .type = FIELD_TEXT },
	{ AT(suite_case, workload), .type = FIELD_OPTIONAL_TEXT },
	VERDICT(suite_case),
	{ AT(suite_case, exit_code), .type = FIELD_COUNT },
	{ AT(suite_case, text), .type = FIELD_TEXT },
	{ AT(suite_case, metric), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_case, label), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_case, baseline), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_case, candidate), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_case, change), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_case, limit), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_case, change_pct), .type = FIELD_OPTIONAL_NUMBER, .absent = INT64_MIN },
	{ AT(suite_case, is_worse), .type = FIELD_BOOL },
	{ AT(suite_case, is_better), .type = FIELD_BOOL },
	{ AT(suite_case, slower), .type = FIELD_OPTIONAL_COUNT },
	{ AT(suite_case, false_alarms), .type = FIELD_OPTIONAL_COUNT, .absent = -1 },
	{ AT(suite_case, plan_runs), .type = FIELD_COUNT },
	{ AT(suite_case, plan_pairs), .type = FIELD_COUNT },
	{ AT(suite_case, unconfirmed), .type = FIELD_OPTIONAL_COUNT },
	{ AT(suite_case, accept), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_case, rules_file), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_case, baseline_file), .type = FIELD_OPTIONAL_TEXT },
};

static const struct field subject_fields[] = {
	{ .key = "case", .offset = offsetof(struct suite_subject, of), .type = FIELD_COUNT },
	{ AT(suite_subject, place), .type = FIELD_COUNT },
	{ AT(suite_subject, finding), .type = FIELD_COUNT },
	{ AT(suite_subject, level), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_subject, name), .type = FIELD_TEXT },
	{ AT(suite_subject, change_pct), .type = FIELD_OPTIONAL_NUMBER, .absent = INT64_MIN },
};

ORDERING(subject_cmp, struct suite_subject, RISING(of) RISING(place))

static const struct schema subject_schema = {
	.fields = subject_fields,
	.nr = sizeof subject_fields / sizeof *subject_fields,
	.size = sizeof(struct suite_subject),
	.listed = true,
	.cmp = subject_cmp,
};

static const struct field shared_fields[] = {
	{ AT(suite_shared, place), .type = FIELD_COUNT },
	VERDICT(suite_shared),
	{ AT(suite_shared, id), .type = FIELD_TEXT },
	{ AT(suite_shared, level), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_shared, name), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite_shared, title), .type = FIELD_TEXT },
	{ AT(suite_shared, text), .type = FIELD_TEXT },
	{ AT(suite_shared, action), .type = FIELD_OPTIONAL_TEXT },
};

ORDERING(shared_cmp, struct suite_shared, RISING(place))

static const struct schema shared_schema = {
	.fields = shared_fields,
	.nr = sizeof shared_fields / sizeof *shared_fields,
	.size = sizeof(struct suite_shared),
	.listed = true,
	.cmp = shared_cmp,
};

static const struct field sharing_fields[] = {
	{ AT(suite_sharing, shared), .type = FIELD_COUNT },
	{ .key = "case", .offset = offsetof(struct suite_sharing, of), .type = FIELD_COUNT },
};

ORDERING(sharing_cmp, struct suite_sharing, RISING(shared) RISING(of))

static const struct schema sharing_schema = {
	.fields = sharing_fields,
	.nr = sizeof sharing_fields / sizeof *sharing_fields,
	.size = sizeof(struct suite_sharing),
	.listed = true,
	.cmp = sharing_cmp,
};

ORDERING(case_cmp, struct suite_case, RISING(place))

static const struct schema case_schema = {
	.fields = case_fields,
	.nr = sizeof case_fields / sizeof *case_fields,
	.size = sizeof(struct suite_case),
	.listed = true,
	.cmp = case_cmp,
};

static const struct field suite_fields[] = {
	{ AT(suite, name), .type = FIELD_TEXT },
	{ AT(suite, file), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite, hash), .type = FIELD_HASH },
	{ AT(suite, total), .type = FIELD_COUNT },
	{ AT(suite, shard), .type = FIELD_COUNT },
	{ AT(suite, shards), .type = FIELD_COUNT },
	VERDICT(suite),
	{ AT(suite, exit_code), .type = FIELD_COUNT },
	{ AT(suite, plan_runs), .type = FIELD_OPTIONAL_COUNT },
	{ AT(suite, plan_pairs), .type = FIELD_OPTIONAL_COUNT },
	{ AT(suite, headline), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite, error), .type = FIELD_OPTIONAL_TEXT },
	{ AT(suite, shared), .type = FIELD_OPTIONAL_ROWS, .sub = &shared_schema },
	{ AT(suite, sharing), .type = FIELD_OPTIONAL_ROWS, .sub = &sharing_schema },
	{ AT(suite, cases), .type = FIELD_ROWS, .sub = &case_schema },
	{ AT(suite, findings), .type = FIELD_ROWS, .sub = &item_schema },
	{ AT(suite, checks), .type = FIELD_ROWS, .sub = &item_schema },
	{ AT(suite, warnings), .type = FIELD_ROWS, .sub = &item_schema },
	{ AT(suite, machine), .type = FIELD_OPTIONAL_ROWS, .sub = &item_schema },
	{ AT(suite, subjects), .type = FIELD_OPTIONAL_ROWS, .sub = &subject_schema },
};

static const struct schema suite_schema = {
	.id = SUITE_SCHEMA,
	.fields = suite_fields,
	.nr = sizeof suite_fields / sizeof *suite_fields,
	.size = sizeof(struct suite),
};

void suite_write(const struct suite *s, struct sink *out)
{
	row_write(&suite_schema, s, out);
	sink_puts(out, "\n");
}

static void read_suite(struct row_reader *r, void *ctx)
{
	struct suite *s = ctx;
	r->arena = &s->arena;
	row_read(r, &suite_schema, s);
}

static bool items_fit(const struct suite *s, const struct suite_item *v, size_t nr)
{
	size_t k = 0;
	for (size_t i = 0; i < nr; i++) {
		while (k < s->cases.nr && s->cases.v[k].place < v[i].of)
			k++;
		if (k == s->cases.nr || s->cases.v[k].place != v[i].of)
			return false;
	}
	return true;
}

/* Text on what is wrong with a suite, beyond the checks of the table of fields; NULL if nothing
   is. */
static const char *fault_of(const struct suite *s)
{
	if (s->error)
		return "holds no cases, as the shard that wrote it failed";
	if (s->shards < 1 || s->shard < 1 || s->shard > s->shards)
		return "'shard' is not one of 'shards'";
	for (size_t i = 0; i < s->cases.nr; i++)
		if (s->cases.v[i].place >= s->total || s->cases.v[i].place % s->shards != s->shard - 1)
			return "a case has a place that is not of its shard";
	if (!items_fit(s, s->findings.v, s->findings.nr) || !items_fit(s, s->checks.v, s->checks.nr) ||
	    !items_fit(s, s->warnings.v, s->warnings.nr) || !items_fit(s, s->machine.v, s->machine.nr))
		return "something belongs to no case";
	return NULL;
}

static enum status read_all(struct source *src, struct suite *out, struct diag_log *log)
{
	out->name = out->error = NULL;
	enum status st = stored_document_read(src, ST_INPUT, log, read_suite, out);
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

void suite_schema_write(struct sink *out)
{
	row_schema_write(&suite_schema, "gpugate suite: the cases of a suite, or of a shard of it",
	                 out);
}
