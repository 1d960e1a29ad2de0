#include <string.h>

#include "store/digest_json.h"
#include "store/digest_schema.h"
#include "store/row.h"

/* ---- the pin (the approved run): all ranks in one document ---- */

static void write_pin(const void *baseline, struct sink *out)
{
	const struct baseline *b = baseline;
	row_write_all(&ranks_schema, (const void *const *)b->pin.ranks.v, b->pin.ranks.nr, out);
}

/* Reads the first key of the pin, "ranks", and returns its value, the number of ranks; 0 after an
 * error. */
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

static void read_pin(struct row_reader *r, void *baseline)
{
	struct run *pin = &((struct baseline *)baseline)->pin;
	size_t nr = read_count(r);
	for (size_t i = 0; i < nr; i++)
		vec_push(&pin->ranks, digest_new());
	if (nr)
		row_read_all(r, &ranks_schema, (void *const *)pin->ranks.v, nr);
	for (size_t i = 0; i < nr; i++) {
		digest_check(r, pin->ranks.v[i]);
		row_need(r, (i ? pin->ranks.v[i - 1]->rank : -1) < pin->ranks.v[i]->rank, "rank",
		         "is not in rising order");
	}
}

/* ---- recent runs of the baseline ---- */

static void write_recent(const void *baseline, struct sink *out)
{
	const struct history *h = &((const struct baseline *)baseline)->recent;
	for (size_t i = 0; i < h->runs.nr; i++) {
		sink_puts(out, i ? ",\n" : "[\n");
		row_write(&past_schema, &h->runs.v[i], out);
	}
	sink_puts(out, h->runs.nr ? "\n]" : "[]");
}

static void read_recent(struct row_reader *r, void *baseline)
{
	struct history *h = &((struct baseline *)baseline)->recent;
	while (row_item(r, NULL, h->runs.nr)) {
		size_t path = row_enter(r, NULL, h->runs.nr);
		if (h->runs.nr == BASELINE_RECENT)
			row_fail(r, row_byte(r), NULL, "is one run too many");
		row_read(r, &past_schema, vec_push_zero(&h->runs));
		strbuf_setlen(&r->path, path);
	}
}

/* ---- the document of a baseline ---- */

static const struct field baseline_fields[] = {
	MEMBER(baseline, workload, TEXT),
	MEMBER(baseline, provenance, ROW, .sub = &provenance_schema),
	{ .key = "pin", .type = FIELD_OWN, .read = read_pin, .write = write_pin, .sub = &ranks_schema },
	{ .key = "recent",
	  .type = FIELD_OWN,
	  .read = read_recent,
	  .write = write_recent,
	  .sub = &past_schema,
	  .most = BASELINE_RECENT },
};

const struct schema baseline_schema = {
	.id = BASELINE_SCHEMA,
	.title = "gpugate baseline: an approved run and those after it",
	.fields = baseline_fields,
	.nr = NR_OF(baseline_fields),
};

void baseline_write(const struct baseline *b, struct sink *out)
{
	row_write(&baseline_schema, b, out);
	sink_puts(out, "\n");
}

enum status baseline_parse(struct source *src, struct baseline *out, struct diag_log *log)
{
	*out = (struct baseline){ .arena = ARENA_INIT };
	out->pin.label = arena_dup(&out->arena, span_of(source_name(src)));
	struct row_reader as = { .arena = &out->arena };
	return stored_document_read(src, ST_BASELINE, &baseline_schema, as, out, log);
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
	history_release(&b->history);
	vec_release(&b->reference.runs);
	run_release(&b->pin);
	if (b->reference_run)
		baseline_release(b->reference_run);
	arena_release(&b->arena);
}
