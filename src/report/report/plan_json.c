/* Writes the JSON of `--plan`, gpugate-plan-1, from which a CI system repeats the benchmark. */
#include "report/diagnosis.h"

#include "report/table.h"
#include "report/writers.h"

static void checks(struct emit *e, const struct report *r)
{
	emit_open_line(e, 1, "checks", '[');
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		if (!text_or_empty(c->evidence.plan_text)[0] && !c->unconfirmed)
			continue;
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "id", c->id);
		emit_str(e, "verdict", verdict_names[c->verdict]);
		emit_number(e, "runs", c->evidence.more_runs, 0);
		emit_number(e, "pairs", c->evidence.more_pairs, 0);
		emit_str(e, "message", c->message);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

void plan_write_json(const struct report *r, struct emit *e)
{
	emit_number(e, "runs", r->plan_runs, 0);
	emit_number(e, "pairs", r->plan_pairs, 0);
	emit_number(e, "undecided", r->counts[VERDICT_UNDECIDED], 0);
	emit_number(e, "unconfirmed", r->unconfirmed, 0);
	checks(e, r);
}

void plan_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct emit e = { out, false };
	(void)o;
	emit_open(&e, NULL, '{');
	emit_str(&e, "schema", "gpugate-plan-1");
	emit_str(&e, "verdict", r->error ? "error" : verdict_names[r->verdict]);
	plan_write_json(r, &e);
	emit_close(&e, '}');
	sink_puts(out, "\n");
}
