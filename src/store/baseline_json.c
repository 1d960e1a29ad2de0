#include <string.h>

#include "store/digest_json.h"
#include "store/digest_schema.h"
#include "store/row_schema.h"

#define TEXT(type_, member)                                                          \
	{                                                                                \
		.key = #member, .type = FIELD_TEXT, .offset = offsetof(struct type_, member) \
	}

static const struct field provenance_fields[] = {
	TEXT(provenance, commit), TEXT(provenance, time),   TEXT(provenance, tool),
	TEXT(provenance, who),    TEXT(provenance, reason),
};

static const struct schema provenance_schema = {
	.fields = provenance_fields,
	.nr = sizeof provenance_fields / sizeof *provenance_fields,
};

/* ---- the pin: all ranks together ---- */

static void write_pin(const void *const *baselines, size_t nr, struct sink *out)
{
	const struct run *pin = &((const struct baseline *)baselines[0])->pin;
	(void)nr; /* one document is one baseline */
	row_write_all(&ranks_schema, (const void *const *)pin->ranks.v, pin->ranks.nr, out);
}

/* The leading key: how many ranks there are. */
static size_t read_count(struct row_reader *r)
{
	struct span key;
	uint64_t byte = row_byte(r);
	if (!jscan_object(r->js)) {
		row_fail(r, byte, NULL, "is not an object");
	} else if (!jscan_key(r->js, &key) || !span_eq(key, SPAN(ROW_OWNERS))) {
		row_fail(r, jscan_byte(r->js), NULL, "does not begin with the key '" ROW_OWNERS "'");
	} else {
		byte = row_byte(r);
		int64_t nr = row_read_count(r, ROW_OWNERS);
		if (nr >= 1 && (uint64_t)nr <= store_limits.ranks)
			return (size_t)nr;
		row_fail(r, byte, ROW_OWNERS, nr < 1 ? "holds no rank" : "is too many ranks");
	}
	return 0;
}

static void read_pin(struct row_reader *r, void *const *baselines, size_t nr)
{
	struct run *pin = &((struct baseline *)baselines[0])->pin;
	size_t before = row_enter(r, "pin", 0);
	nr = read_count(r);
	for (size_t i = 0; i < nr; i++)
		vec_push(&pin->ranks, digest_new());
	if (nr)
		row_read_all(r, &ranks_schema, (void *const *)pin->ranks.v, nr);
	for (size_t i = 0; i < nr; i++) {
		digest_check(r, pin->ranks.v[i]);
		if ((i ? pin->ranks.v[i - 1]->rank : -1) >= pin->ranks.v[i]->rank)
			row_fail(r, jscan_byte(r->js), "rank", "is not in rising order");
	}
	strbuf_setlen(&r->path, before);
}

static void describe_pin(bool several, int depth, struct sink *out)
{
	(void)several;
	row_schema_object(&ranks_schema, true, depth, out);
}

/* ---- recent runs ---- */

static const struct field value_fields[] = {
	TEXT(past_value, query),
	{ .key = "label", .type = FIELD_NAME, .offset = offsetof(struct past_value, label) },
	{ .key = "rank",
	  .type = FIELD_OPTIONAL_COUNT,
	  .offset = offsetof(struct past_value, rank),
	  .absent = -1 },
	{ .key = "value", .type = FIELD_NUMBER, .offset = offsetof(struct past_value, value) },
	{ .key = "digits",
	  .type = FIELD_OPTIONAL_COUNT,
	  .offset = offsetof(struct past_value, digits),
	  .absent = 0,
	  .since = 1 },
};

/* The query begins with the name of its metric. */
static int value_since(const void *row)
{
	const char *query = ((const struct past_value *)row)->query;
	const struct metric *m = metric_find((struct span){ query, strcspn(query, " ") });
	return m ? m->since : 0;
}

static const struct schema value_schema = {
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
	{ .key = "cut", .type = FIELD_COUNT, .offset = offsetof(struct past_run, cut) },
	{ .key = "values",
	  .type = FIELD_ROWS,
	  .offset = offsetof(struct past_run, values),
	  .sub = &value_schema },
};

static const struct schema past_schema = {
	.fields = past_fields,
	.nr = sizeof past_fields / sizeof *past_fields,
	.size = sizeof(struct past_run),
};

static size_t size_of(const struct past_run *run)
{
	struct sink *s = sink_open_memory();
	row_write(&past_schema, run, s);
	size_t n = sink_memory(s).n;
	sink_abort(s);
	return n;
}

/* The query with the most answers, v[first..first + nr). */
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

/* The smallest value of that query. */
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
		/* half of what seems to be too much, to come near from above */
		size_t extra = (size - BASELINE_RECENT_BYTES) / 2 * run->values.nr / size;
		for (size_t i = 0; i <= extra && run->values.nr; i++)
			cut_one(run);
	}
}

static void write_recent(const void *const *baselines, size_t nr, struct sink *out)
{
	const struct history *h = &((const struct baseline *)baselines[0])->recent;
	(void)nr;
	for (size_t i = 0; i < h->runs.nr; i++) {
		sink_puts(out, i ? ",\n" : "[\n");
		row_write(&past_schema, &h->runs.v[i], out);
	}
	sink_puts(out, h->runs.nr ? "\n]" : "[]");
}

static void read_recent(struct row_reader *r, void *const *baselines, size_t nr)
{
	struct history *h = &((struct baseline *)baselines[0])->recent;
	size_t before = row_enter(r, "recent", 0);
	(void)nr;
	if (!jscan_array(r->js))
		row_fail(r, row_byte(r), NULL, "is not an array");
	while (jscan_status(r->js) == ST_OK && jscan_element(r->js)) {
		size_t path = row_enter(r, NULL, h->runs.nr);
		if (h->runs.nr == BASELINE_RECENT)
			row_fail(r, row_byte(r), NULL, "is one run too many");
		row_read(r, &past_schema, vec_push_zero(&h->runs));
		strbuf_setlen(&r->path, path);
	}
	strbuf_setlen(&r->path, before);
}

static void describe_recent(bool several, int depth, struct sink *out)
{
	sink_printf(out, "{\"type\": \"array\", \"maxItems\": %d, \"items\": ", BASELINE_RECENT);
	row_schema_object(&past_schema, several, depth, out);
	sink_puts(out, "}");
}

/* ---- the document ---- */

static const struct field baseline_fields[] = {
	TEXT(baseline, workload),
	{ .key = "provenance",
	  .type = FIELD_ROW,
	  .offset = offsetof(struct baseline, provenance),
	  .sub = &provenance_schema },
	{ .key = "pin",
	  .type = FIELD_OWN,
	  .read = read_pin,
	  .write = write_pin,
	  .describe = describe_pin },
	{ .key = "recent",
	  .type = FIELD_OWN,
	  .read = read_recent,
	  .write = write_recent,
	  .describe = describe_recent },
};

static const struct schema baseline_schema = {
	.id = BASELINE_SCHEMA,
	.fields = baseline_fields,
	.nr = sizeof baseline_fields / sizeof *baseline_fields,
};

void baseline_write(const struct baseline *b, struct sink *out)
{
	row_write(&baseline_schema, b, out);
	sink_puts(out, "\n");
}

void baseline_schema_write(struct sink *out)
{
	row_schema_write(&baseline_schema, "gpugate baseline: an approved run and those after it", out);
}

static void read_baseline(struct row_reader *r, void *ctx)
{
	struct baseline *b = ctx;
	r->arena = &b->arena;
	row_read(r, &baseline_schema, b);
}

enum status baseline_parse(struct source *src, struct baseline *out, struct diag_log *log)
{
	*out = (struct baseline){ .arena = ARENA_INIT };
	out->pin.label = arena_dup(&out->arena, span_of(source_name(src)));
	return stored_document_read(src, ST_BASELINE, log, read_baseline, out);
}

enum status baseline_read(const char *path, struct baseline *out, struct diag_log *log)
{
	struct source *src;
	*out = (struct baseline){ .arena = ARENA_INIT };
	enum status st = source_open(path, NULL, &src, log);
	if (st != ST_OK)
		return st == ST_INPUT ? ST_BASELINE : st;
	st = baseline_parse(src, out, log);
	source_close(src);
	return st;
}

void baseline_release(struct baseline *b)
{
	history_release(&b->recent);
	run_release(&b->pin);
	arena_release(&b->arena);
}
