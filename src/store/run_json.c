#include "store/run_json.h"

#include <string.h>

#include "store/digest_json.h"
#include "store/digest_schema.h"
#include "store/row.h"

static void read_run_digest(struct row_reader *r, struct run *run)
{
	size_t nr = run->ranks.nr, before = row_enter(r, NULL, nr);
	r->start = row_byte(r);
	if (nr == store_limits.ranks)
		row_fail(r, r->start, NULL, "is one digest too many");
	struct digest *d = digest_new();
	vec_push(&run->ranks, d);
	digest_read_into(r, d);
	if (jscan_status(r->js) == ST_OK && nr && run_digest_cmp(run->ranks.v[nr - 1], d) >= 0)
		row_fail(r, r->start, NULL, "does not come after the digest before it");
	strbuf_setlen(&r->path, before);
}

static void read_digests(struct row_reader *r, void *run)
{
	struct run *out = run;
	while (row_item(r, NULL, out->ranks.nr))
		read_run_digest(r, out);
	row_need(r, out->ranks.nr > 0, NULL, "holds no digest");
}

static const struct field run_fields[] = {
	{ .key = "digests",
	  .type = FIELD_OWN,
	  .read = read_digests,
	  .write = digests_write,
	  .described = "{\"type\": \"array\", \"minItems\": 1, \"items\": {\"$ref\": \"" DIGEST_SCHEMA
	               ".json\"}}" },
};

const struct schema run_schema = {
	.id = RUN_SCHEMA,
	.title = "gpugate run: the digests of several ranks",
	.fields = run_fields,
	.nr = NR_OF(run_fields),
};

void run_write(const struct run *run, struct sink *out)
{
	if (run->folded && run->ranks.nr == 0)
		digest_write_inner(run->folded, out);
	else if (run->ranks.nr == 1 && !run->folded)
		digest_write_inner(run->ranks.v[0], out);
	else
		row_write(&run_schema, run, out);
	sink_puts(out, "\n");
}

enum status run_read(struct source *src, bool keeps_text, struct run *out, struct diag_log *log)
{
	struct row_reader as = {
		.arena = &out->arena, .sampled = true, .whole = true, .keeps_text = keeps_text
	};
	*out = (struct run){ .label = source_name(src) };
	return stored_document_read(src, ST_INPUT, &run_schema, as, out, log);
}

bool run_is_text(const struct run *run)
{
	return run->ranks.nr <= store_limits.ranks && !run->folded &&
	       ALL(i, run->ranks.nr,
	           run->ranks.v[i]->text.n &&
	               (i == 0 || run_digest_cmp(run->ranks.v[i - 1], run->ranks.v[i]) < 0));
}
