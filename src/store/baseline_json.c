#include <string.h>

#include "store/digest_json.h"
#include "store/digest_schema.h"

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

/* What a check compares stays, what only explains one run is left out. */
static void write_rank(const struct digest *d, struct sink *out)
{
	struct digest pinned = *d;
	size_t nr = 0;
	memset(&pinned.memory_levels, 0, sizeof pinned.memory_levels);
	pinned.memory_items.v = mem_calloc(d->memory_items.nr, sizeof *d->memory_items.v);
	for (size_t i = 0; i < d->memory_items.nr; i++)
		if (d->memory_items.v[i].list <= MEMORY_LIST_GROWTH)
			pinned.memory_items.v[nr++] = d->memory_items.v[i];
	pinned.memory_items.nr = nr;
	row_write(&digest_schema, &pinned, out);
	free(pinned.memory_items.v);
}

static void write_pin(const void *baseline, struct sink *out)
{
	const struct run *pin = &((const struct baseline *)baseline)->pin;
	for (size_t i = 0; i < pin->ranks.nr; i++) {
		sink_puts(out, i ? ",\n" : "[\n");
		write_rank(pin->ranks.v[i], out);
	}
	sink_puts(out, pin->ranks.nr ? "\n]" : "[]");
}

static void read_ranks(struct row_reader *r, struct run *pin)
{
	if (!jscan_array(r->js))
		row_fail(r, row_byte(r), NULL, "is not an array");
	while (jscan_status(r->js) == ST_OK && jscan_element(r->js)) {
		size_t nr = pin->ranks.nr, before = row_enter(r, NULL, nr);
		uint64_t byte = row_byte(r);
		if (nr == store_limits.ranks)
			row_fail(r, byte, NULL, "is one rank too many");
		struct digest *d = digest_new();
		vec_push(&pin->ranks, d);
		digest_read_into(r, d);
		if (nr && pin->ranks.v[nr - 1]->rank >= d->rank)
			row_fail(r, byte, NULL, "does not come after the rank before it");
		strbuf_setlen(&r->path, before);
	}
	if (pin->ranks.nr == 0)
		row_fail(r, jscan_byte(r->js), NULL, "holds no rank");
}

static void read_pin(struct row_reader *r, void *baseline)
{
	size_t before = row_enter(r, "pin", 0);
	read_ranks(r, &((struct baseline *)baseline)->pin);
	strbuf_setlen(&r->path, before);
}

static const struct field baseline_fields[] = {
	TEXT(baseline, workload),
	{ .key = "provenance",
	  .type = FIELD_ROW,
	  .offset = offsetof(struct baseline, provenance),
	  .sub = &provenance_schema },
	{ .key = "pin", .type = FIELD_OWN, .read = read_pin, .write = write_pin },
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
	run_release(&b->pin);
	arena_release(&b->arena);
}
