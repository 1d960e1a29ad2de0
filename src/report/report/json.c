/* Writes the JSON of `--json`: gpugate-result-1 for check, gpugate-diff-1 for diff; and that of
   `--plan`, gpugate-plan-1, from which a CI system repeats the benchmark. */
#include "report/emit.h"
#include "report/findings.h"
#include "report/table.h"
#include "report/writer.h"

static const char *or_null(const char *s)
{
	return s && *s ? s : NULL;
}

static void parts(struct emit *e, const char *key, const struct breakdown *b)
{
	emit_open(e, key, '[');
	for (size_t i = 0; b && i < b->parts.nr; i++) {
		const struct part *p = &b->parts.v[i];
		emit_open_line(e, 4, NULL, '{');
		emit_number(e, "level", p->depth, 0);
		emit_str(e, "part", p->label);
		emit_number(e, "change", p->change, unit_digits(b->unit));
		if (*p->detail)
			emit_str(e, "detail", p->detail);
		if (p->at.changed)
			emit_bool(e, "changed", true);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

static void steps(struct emit *e, const struct evidence *v, int digits)
{
	emit_open(e, "steps", '[');
	for (int i = 0; v->has_steps && i < 2; i++) {
		emit_open(e, NULL, '{');
		emit_number(e, "n", v->steps[i], 0);
		emit_number(e, "median", v->median[i], digits);
		emit_number(e, "spread", v->spread[i], digits);
		emit_close(e, '}');
	}
	emit_close(e, ']');
	emit_number_if(e, "p", v->has_steps, v->p, 6);
}

/* Write the member "noise", in the unit of the check. Its member "steps" is a list of two values,
 * for the steps of the baseline and of the candidate, or empty; its member "runs" has the
 * candidate's value in each run if there are several. */
static void noise(struct emit *e, const struct evidence *v, int digits)
{
	if (!v->has_noise && !v->has_detectable && !v->has_false_alarms && !v->has_steps &&
	    !v->runs.nr) {
		emit_str(e, "noise", NULL);
		return;
	}
	emit_open(e, "noise", '{');
	emit_number_if(e, "noise", v->has_noise, v->noise, digits);
	emit_number(e, "past_runs", v->past_runs, 0);
	emit_number(e, "baseline_runs", v->baseline_runs, 0);
	emit_number(e, "candidate_runs", v->candidate_runs, 0);
	emit_open(e, "runs", '[');
	for (size_t i = 0; i < v->runs.nr; i++)
		emit_number(e, NULL, v->runs.v[i], digits);
	emit_close(e, ']');
	emit_number_if(e, "detectable", v->has_detectable, v->detectable, digits);
	emit_number_if(e, "false_alarms_per_1000", v->has_false_alarms, v->false_alarms, 3);
	steps(e, v, digits);
	emit_close(e, '}');
}

static void check(struct emit *e, const struct check *c)
{
	int digits = unit_digits(c->metric->unit);
	emit_open_line(e, 2, NULL, '{');
	emit_str(e, "id", c->id);
	emit_str(e, "rule", c->rule);
	emit_str(e, "metric", c->metric->name);
	emit_open(e, "select", '{');
	for (const struct select_pair *pair = c->select; pair->key; pair++)
		emit_str(e, pair->key, pair->value);
	emit_close(e, '}');
	emit_str(e, "item", or_null(c->item));
	emit_str(e, "group", group_names[c->group]);
	emit_str(e, "verdict", verdict_names[c->verdict]);
	emit_str(e, "unit", unit_name(c->metric->unit));
	emit_number_if(e, "baseline", c->has_baseline, c->baseline, digits);
	emit_number_if(e, "candidate", c->has_candidate, c->candidate, digits);
	emit_number_if(e, "change", c->has_change, c->change, digits);
	emit_number_if(e, "change_pct", c->has_pct, c->change_pct, 6);
	emit_str(e, "limit", or_null(c->limit));
	noise(e, &c->evidence, digits);
	emit_str(e, "waiver", c->waiver);
	emit_str(e, "message", c->message);
	parts(e, "attribution", c->breakdown);
	emit_close(e, '}');
}

static void source_line(struct emit *e, const struct source_line *at)
{
	emit_str(e, "file", at->file);
	emit_number_if(e, "line", at->line > 0, at->line, 0);
	emit_bool(e, "changed", at->changed);
}

static void finding(struct emit *e, const struct report *r, const struct finding *f)
{
	int digits = f->metric ? unit_digits(f->metric->unit) : 0;
	emit_open_line(e, 2, NULL, '{');
	emit_str(e, "finding", cause_names[f->cause]);
	emit_str(e, "verdict", verdict_names[f->verdict]);
	emit_str(e, "title", f->title);
	emit_str(e, "metric", f->metric ? f->metric->name : NULL);
	emit_str(e, "unit", f->metric ? unit_name(f->metric->unit) : NULL);
	emit_number_if(e, "baseline", f->has_figure, f->baseline, digits);
	emit_number_if(e, "candidate", f->has_figure, f->candidate, digits);
	emit_number_if(e, "change", f->has_figure, f->change, digits);
	emit_number(e, "cost", f->cost, 0);
	emit_str(e, "cost_unit", unit_name(f->cost_is_bytes ? UNIT_BYTES : UNIT_NS_PER_STEP));
	emit_number(e, "share_pct", f->share_pct, 6);
	emit_open(e, "parts", '[');
	for (size_t i = 0; i < f->parts.nr; i++) {
		emit_open(e, NULL, '{');
		emit_str(e, "name", f->parts.v[i].name);
		emit_number(e, "change", f->parts.v[i].change, 0);
		emit_close(e, '}');
	}
	emit_close(e, ']');
	emit_open(e, "where", '[');
	for (size_t i = 0; i < f->where.nr; i++) {
		emit_open(e, NULL, '{');
		emit_str(e, "level", place_kind_names[f->where.v[i].kind]);
		emit_str(e, "name", f->where.v[i].name);
		if (f->where.v[i].at.file)
			source_line(e, &f->where.v[i].at);
		emit_close(e, '}');
	}
	emit_close(e, ']');
	emit_texts(e, "evidence", f->evidence.v, f->evidence.nr);
	emit_str(e, "action", or_null(f->action));
	emit_str(e, "trace", f->trace);
	emit_open(e, "checks", '[');
	for (size_t i = 0; i < f->checks.nr; i++)
		emit_str(e, NULL, r->checks.v[f->checks.v[i]].id);
	emit_close(e, ']');
	emit_close(e, '}');
}

static void findings(struct emit *e, const struct report *r)
{
	emit_open_line(e, 1, "findings", '[');
	for (size_t i = 0; i < r->findings.nr; i++)
		finding(e, r, &r->findings.v[i]);
	emit_close(e, ']');
}

static void environment(struct emit *e, const struct report *r)
{
	emit_open_line(e, 1, "environment", '[');
	for (size_t i = 0; i < r->environment.nr; i++) {
		const struct env_row *row = &r->environment.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "key", row->key);
		emit_str(e, "baseline", row->baseline);
		emit_str(e, "candidate", row->candidate);
		emit_bool(e, "match", row->match);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

static void drift(struct emit *e, const struct report *r)
{
	emit_open_line(e, 1, "drift", '[');
	for (size_t i = 0; i < r->drift.nr; i++) {
		const struct drift_row *d = &r->drift.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "kernel", d->kernel);
		emit_str(e, "category", d->category);
		emit_str(e, "drift", drift_names[d->drift]);
		if (d->renamed_to)
			emit_str(e, "renamed_to", d->renamed_to);
		emit_number_if(e, "baseline", d->has_baseline, d->baseline_ns, 0);
		emit_number_if(e, "candidate", d->has_candidate, d->candidate_ns, 0);
		emit_number(e, "change", d->change_ns, 0);
		emit_number_if(e, "baseline_count", d->has_baseline, d->baseline_count, 6);
		emit_number_if(e, "candidate_count", d->has_candidate, d->candidate_count, 6);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

static void figure_rows(struct emit *e, const char *key, const struct figure_row *rows, size_t nr)
{
	emit_open_line(e, 1, key, '[');
	for (size_t i = 0; i < nr; i++) {
		const struct figure_row *f = &rows[i];
		int digits = unit_digits(f->metric->unit);
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "metric", f->metric->name);
		emit_str(e, "item", or_null(f->item));
		emit_str(e, "unit", unit_name(f->metric->unit));
		emit_number_if(e, "baseline", f->has_baseline, f->baseline, digits);
		emit_number_if(e, "candidate", f->has_candidate, f->candidate, digits);
		emit_number_if(e, "change", f->has_baseline && f->has_candidate, f->change, digits);
		emit_number_if(e, "change_pct", f->has_pct, f->change_pct, 6);
		if (f->at.changed)
			emit_bool(e, "changed", true);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

static void figures(struct emit *e, const struct report *r)
{
	figure_rows(e, "figures", r->figures.v, r->figures.nr);
	figure_rows(e, "code", r->code.v, r->code.nr);
	const struct breakdown *of_gpu = NULL; /* the last breakdown that is not about a memory */
	for (size_t i = 0; i < r->breakdowns.nr; i++)
		of_gpu = r->breakdowns.v[i]->memory ? of_gpu : r->breakdowns.v[i];
	if (of_gpu) {
		emit_line(e, 1);
		parts(e, "attribution", of_gpu);
	}
}

/* Write the changes of memory, unless the two sides have no memory in common, as without
   snapshots. */
static void memory(struct emit *e, const struct report *r)
{
	struct breakdown *const *v = r->breakdowns.v;
	if (!r->scaling.nr && !ANY(i, r->breakdowns.nr, v[i]->memory && v[i]->parts.nr))
		return;
	emit_open_line(e, 1, "memory_attribution", '[');
	for (size_t i = 0; i < r->breakdowns.nr; i++) {
		const struct breakdown *b = r->breakdowns.v[i];
		if (!b->memory)
			continue;
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "metric", b->metric->name);
		emit_str(e, "memory", b->memory);
		emit_number(e, "change", b->change, unit_digits(b->unit));
		parts(e, "attribution", b);
		emit_close(e, '}');
	}
	emit_close(e, ']');
	emit_open_line(e, 1, "scaling", '[');
	for (size_t i = 0; i < r->scaling.nr; i++) {
		const struct scaling_row *k = &r->scaling.v[i];
		emit_open_line(e, 2, NULL, '{');
		emit_str(e, "memory", k->memory);
		emit_str(e, "category", k->category);
		emit_number(e, "baseline", k->baseline, 0);
		emit_number(e, "candidate", k->candidate, 0);
		emit_close(e, '}');
	}
	emit_close(e, ']');
}

static void notes(struct emit *e, const char *key, const struct side *s)
{
	emit_open(e, key, '[');
	for (size_t i = 0; i < s->notes.nr; i++)
		emit_text(e, NULL, s->notes.v[i]);
	emit_close(e, ']');
}

static void warnings(struct emit *e, const struct report *r)
{
	emit_open_line(e, 1, "warnings", '[');
	for (size_t i = 0; i < r->warnings.nr; i++) {
		emit_line(e, 2);
		emit_str(e, NULL, r->warnings.v[i]);
	}
	emit_close(e, ']');
}

static void plan_checks(struct emit *e, const struct report *r)
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

static void plan(struct emit *e, const struct report *r)
{
	emit_number(e, "runs", r->plan_runs, 0);
	emit_number(e, "pairs", r->plan_pairs, 0);
	emit_number(e, "undecided", r->counts[VERDICT_UNDECIDED], 0);
	emit_number(e, "unconfirmed", r->unconfirmed, 0);
	plan_checks(e, r);
}

static void checks(struct emit *e, const struct report *r)
{
	emit_open_line(e, 1, "checks", '[');
	for (size_t i = 0; i < r->checks.nr; i++)
		check(e, &r->checks.v[i]);
	emit_close(e, ']');
	emit_open_line(e, 1, "plan", '{');
	plan(e, r);
	emit_close(e, '}');
	emit_open_line(e, 1, "summary", '{');
	static const enum verdict order[] = { VERDICT_PASS,      VERDICT_WARN,    VERDICT_FAIL,
		                                  VERDICT_UNDECIDED, VERDICT_MISSING, VERDICT_INCONCLUSIVE,
		                                  VERDICT_IMPROVED,  VERDICT_WAIVED,  VERDICT_SKIPPED };
	for (size_t i = 0; i < NR_OF(order); i++)
		emit_number(e, verdict_names[order[i]], r->counts[order[i]], 0);
	emit_close(e, '}');
}

void json_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct emit e = { out, false };
	(void)o;
	if (r->kind == REPORT_RUN) {
		run_json_write(r, out);
		return;
	}
	emit_open(&e, NULL, '{');
	emit_str(&e, "schema", r->kind == REPORT_DIFF ? "gpugate-diff-1" : "gpugate-result-1");
	if (r->kind != REPORT_DIFF) {
		emit_str(&e, "verdict", r->error ? "error" : verdict_names[r->verdict]);
		emit_number(&e, "exit_code", status_exit_code(r->status), 0);
		emit_bool(&e, "confirmed", !r->unconfirmed);
	}
	emit_line(&e, 1);
	emit_str(&e, "workload", r->workload);
	emit_str(&e, "rules", r->rules);
	emit_str(&e, "baseline", r->kind == REPORT_DIFF ? r->baseline.label : r->baseline_path);
	emit_str(&e, "candidate", r->candidate.label);
	if (r->kind != REPORT_DIFF) {
		emit_str(&e, "profile", r->profile);
		emit_number_if(&e, "baseline_runs", r->baseline.label, side_runs(&r->baseline), 0);
		emit_number_if(&e, "candidate_runs", r->candidate.label, side_runs(&r->candidate), 0);
		emit_number_if(&e, "pin_age_days", r->baseline.has_pin_age, r->baseline.pin_age_days, 0);
		emit_str(&e, "reference_commit", r->baseline.reference);
		emit_number_if(&e, "false_alarms_per_1000", r->has_false_alarms, r->false_alarms, 3);
	}
	emit_bool(&e, "partial", r->partial);
	emit_str(&e, "judged", r->candidate.judged);
	emit_bool(&e, "same_artifact", r->same_artifact);
	emit_str(&e, "error", r->error);
	if (r->kind != REPORT_DIFF)
		findings(&e, r);
	environment(&e, r);
	trust_write_json(r, true, &e);
	warnings(&e, r);
	emit_open_line(&e, 1, "notes", '{');
	notes(&e, "baseline", &r->baseline);
	notes(&e, "candidate", &r->candidate);
	emit_close(&e, '}');
	if (r->kind == REPORT_DIFF)
		figures(&e, r);
	else
		checks(&e, r);
	if (r->kind == REPORT_CHECK)
		recommendations_write_json(r->run, &e);
	ranks_write_json(r, "ranks", true, &e);
	memory(&e, r);
	drift(&e, r);
	emit_close(&e, '}');
	sink_puts(out, "\n");
}

void plan_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct emit e = { out, false };
	(void)o;
	emit_open(&e, NULL, '{');
	emit_str(&e, "schema", "gpugate-plan-1");
	emit_str(&e, "verdict", r->error ? "error" : verdict_names[r->verdict]);
	plan(&e, r);
	emit_close(&e, '}');
	sink_puts(out, "\n");
}
