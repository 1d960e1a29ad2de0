
#include "report/diagnosis.h"
#include "report/findings.h"
#include "report/table.h"
#include "report/writers.h"

#define NAME_CHARS 60
#define LINE_CHARS 1000
#define DRIFT_ROWS 10
#define RANK_ROWS 16
#define CHECKS_NAMED 6

/* No line begins with untrusted text, blanks aside: a CI would obey "::". */
struct text_report {
	const struct report *r;
	const struct write_options *o;
	struct sink *out;
	struct trust_lines trust;
	struct arena arena; /* what the cells hold */
};

static const char *color_of(const struct text_report *t, enum verdict v)
{
	static const char *const colors[NR_VERDICTS] = {
		[VERDICT_INCONCLUSIVE] = "\033[35m", [VERDICT_MISSING] = "\033[35m",
		[VERDICT_WAIVED] = "\033[33m",       [VERDICT_FAIL] = "\033[31m",
		[VERDICT_UNDECIDED] = "\033[35m",    [VERDICT_WARN] = "\033[33m",
		[VERDICT_IMPROVED] = "\033[32m",     [VERDICT_PASS] = "\033[32m",
	};
	return t->o->color ? colors[v] : NULL;
}

static const char *name(struct text_report *t, const char *text)
{
	return table_text(&t->arena, text, NAME_CHARS);
}

static const char *line(struct text_report *t, const char *text)
{
	return table_text(&t->arena, text, LINE_CHARS);
}

static void write_headline(struct text_report *t)
{
	const struct report *r = t->r;
	const char *color = r->kind == REPORT_DIFF ? NULL : color_of(t, r->verdict);
	const char *what = r->error ? r->error : text_or_empty(r->headline);
	sink_printf(t->out, "%s%s%s%s%s\n", color ? color : "", color ? "\033[1m" : "",
	            r->error ? "error: " : "", line(t, what), color ? "\033[0m" : "");
}

static void write_differences(struct text_report *t)
{
	size_t nr = 0;
	for (size_t i = 0; i < t->r->environment.nr; i++) {
		const struct env_row *e = &t->r->environment.v[i];
		if (!e->match && t->r->kind != REPORT_DIFF)
			sink_printf(t->out, "%s%s", nr++ ? ", " : "; environment differs: ", name(t, e->key));
	}
}

static void write_side(struct text_report *t, const char *what, const struct side *s)
{
	sink_printf(t->out, "%s %s", what, line(t, s->label));
	if (s->commit && s->commit[0])
		sink_printf(t->out, " at %s", name(t, s->commit));
	sink_printf(t->out, " (%s)", extent_of(&t->arena, s));
}

static void write_context(struct text_report *t)
{
	const struct side *b = &t->r->baseline, *c = &t->r->candidate;
	if (!b->label || !c->label)
		return;
	write_side(t, "baseline", b);
	write_side(t, " → candidate", c);
	if (c->gpu && c->gpu[0])
		sink_printf(t->out, "; %s", name(t, c->gpu));
	write_differences(t);
	if (t->r->rules && t->r->rules[0])
		sink_printf(t->out, "; rules %s", name(t, t->r->rules));
	if (t->r->profile)
		sink_printf(t->out, ", profile %s", name(t, t->r->profile));
	sink_printf(t->out, "%s\n", t->r->partial ? "; partial (--quick)" : "");
	if (t->r->false_alarms_text && (t->o->verbose || t->r->counts[VERDICT_FAIL]))
		sink_printf(t->out, "false alarms: %s\n", line(t, t->r->false_alarms_text));
}

/* What happened, before the checks that show it: a line each, below it where and what to do. */
static void write_findings(struct text_report *t)
{
	enum { WHOLE = 3 }; /* findings that are told with all lines */
	for (size_t i = 0; i < t->r->findings.nr; i++) {
		const struct finding *f = &t->r->findings.v[i];
		enum verdict v = (enum verdict)f->verdict;
		const char *color = color_of(t, v);
		sink_printf(t->out, "%s%s%zu. %s: %s%s", i ? "" : "\n", color ? color : "", i + 1,
		            verdict_name(v), line(t, f->title), color ? "\033[0m" : "");
		if (*f->cost_text)
			sink_printf(t->out, " (%s)", f->cost_text);
		sink_puts(t->out, "\n");
		if (i >= WHOLE && !t->o->verbose)
			continue;
		for (size_t k = 0; k < f->evidence.nr; k++)
			sink_printf(t->out, "   %s\n", line(t, f->evidence.v[k]));
		if (*f->action)
			sink_printf(t->out, "   → %s\n", line(t, f->action));
		sink_printf(t->out, "   checks: ");
		for (size_t k = 0; k < f->checks.nr && k < CHECKS_NAMED; k++)
			sink_printf(t->out, "%s%s", k ? ", " : "", name(t, t->r->checks.v[f->checks.v[k]].id));
		if (f->checks.nr > CHECKS_NAMED)
			sink_printf(t->out, " and %zu more", f->checks.nr - CHECKS_NAMED);
		sink_puts(t->out, "\n");
	}
}

static void write_warnings(struct text_report *t)
{
	for (size_t i = 0; i < t->r->warnings.nr; i++)
		sink_printf(t->out, "warning: %s\n", line(t, t->r->warnings.v[i]));
}

static bool is_shown(const struct text_report *t, const struct check *c)
{
	return t->o->verbose || c->verdict == VERDICT_WAIVED ||
	       (check_matters(c) && !trust_lines_sum_up(&t->trust, c));
}

static void write_checks(struct text_report *t)
{
	struct table table = { .align = "llrrrl" };
	table_add(&table, NULL,
	          (const char *[]){ "", "check", "baseline", "candidate", "change", "limit" });
	for (size_t i = 0; i < t->r->checks.nr; i++) {
		const struct check *c = &t->r->checks.v[i];
		if (!is_shown(t, c))
			continue;
		table_add(&table, color_of(t, c->verdict),
		          (const char *[]){
		              verdict_name(c->verdict), line(t, c->id), c->baseline_text, c->candidate_text,
		              change_of(&t->arena, c->change_text, c->pct_text), name(t, c->limit) });
		if (c->verdict == VERDICT_WAIVED)
			table_note_line(&table, "waived ", line(t, c->waiver));
		if (c->evidence.runs.nr)
			table_note(&table, "", runs_of(&t->arena, c));
		if (c->evidence.text && c->evidence.text[0])
			table_note(&table, "evidence: ", c->evidence.text);
	}
	if (table.rows.nr > 1)
		sink_puts(t->out, "\n");
	else
		table.rows.nr = 0;
	table_write(&table, t->out);
}

/* The figures do not say why a check could not be decided. */
static void write_reasons(struct text_report *t)
{
	for (size_t i = 0; i < t->r->checks.nr; i++) {
		const struct check *c = &t->r->checks.v[i];
		if (check_needs_reason(c))
			sink_printf(t->out, "%s: %s: %s\n", verdict_name(c->verdict), name(t, c->id),
			            line(t, c->message));
	}
}

static void write_trust(struct text_report *t)
{
	trust_write_text(&t->trust, t->out);
	for (size_t i = 0; i < t->trust.list.nr && !t->o->verbose; i++) {
		const char *sum = trust_line_sum(&t->trust, &t->trust.list.v[i]);
		if (*sum)
			sink_printf(t->out, "inconclusive: %s (--verbose lists them)\n", sum);
	}
}

static void write_notes(struct text_report *t, const char *what, const struct side *s)
{
	for (size_t i = 0; i < s->notes.nr; i++)
		sink_printf(t->out, "%s%s%s%s", i ? "; " : what, i ? "" : ": ",
		            table_span(&t->arena, s->notes.v[i], LINE_CHARS),
		            i + 1 == s->notes.nr ? "\n" : "");
}

static void write_ranks(struct text_report *t)
{
	if (!report_matters(t->r) && !t->o->verbose)
		return;
	if (t->o->verbose || t->r->ranks.nr) {
		write_notes(t, "candidate", &t->r->candidate);
		write_notes(t, "baseline", &t->r->baseline);
	}
	insights_write_text(t->r, true, t->out);
	ranks_write_text(t->r, true, RANK_ROWS, "ranks of the candidate", t->out);
	if (t->r->kind == REPORT_DIFF || t->o->verbose)
		ranks_write_text(t->r, false, RANK_ROWS, "ranks of the baseline", t->out);
}

static void write_breakdown(struct text_report *t, const struct breakdown *b)
{
	struct table table = { .align = "rl" };
	for (size_t i = 0; i < b->parts.nr; i++) {
		const struct part *p = &b->parts.v[i];
		const char *detail = line(t, p->detail);
		const char *label =
		    arena_printf(&t->arena, "%*s%s%s%s%s", 2 * p->level, "", name(t, p->label),
		                 detail[0] ? " (" : "", detail, detail[0] ? ")" : "");
		table_add(&table, NULL, (const char *[]){ p->text, label });
	}
	sink_printf(t->out, "\nwhere the change went: %s\n", line(t, b->title));
	table_write(&table, t->out);
}

static void write_breakdowns(struct text_report *t)
{
	struct breakdown_list l;
	breakdowns_of(t->r, &l);
	for (size_t i = 0; i < l.list.nr; i++)
		write_breakdown(t, l.list.v[i]);
	vec_release(&l.list);
}

/* Of a verdict what stayed the same is not worth reading. */
static void write_drift(struct text_report *t)
{
	struct table table = { .align = "lrrrll" };
	bool all = t->r->kind != REPORT_CHECK || t->o->verbose;
	size_t more = 0;
	for (size_t i = 0; i < t->r->drift.nr; i++) {
		const struct drift_row *d = &t->r->drift.v[i];
		if (!all && d->drift == DRIFT_SAME)
			continue;
		if (table.rows.nr == DRIFT_ROWS) {
			more++;
			continue;
		}
		const char *kernel = name(t, d->kernel);
		if (d->renamed_to)
			kernel = arena_printf(&t->arena, "%s → %s", kernel, name(t, d->renamed_to));
		table_add(&table, NULL,
		          (const char *[]){ drift_names[d->drift], d->change_text, d->baseline_text,
		                            d->candidate_text, d->count_text, kernel });
	}
	if (table.rows.nr)
		sink_puts(t->out, "\nkernels: change, baseline, candidate and launches per step\n");
	table_write(&table, t->out);
	if (more)
		sink_printf(t->out, "  %zu more kernels\n", more);
}

static void add_figure(struct text_report *t, struct table *table, const struct figure_row *f)
{
	table_add(table, NULL,
	          (const char *[]){ f->metric->name, name(t, f->item), f->baseline_text,
	                            f->candidate_text,
	                            change_of(&t->arena, f->change_text, f->pct_text) });
}

static void write_figures(struct text_report *t)
{
	struct table table = { .align = "llrrr" };
	table_add(&table, NULL, (const char *[]){ "figure", "", "baseline", "candidate", "change" });
	for (size_t i = 0, nr; i < t->r->figures.nr; i += nr) {
		nr = figures_of_metric(t->r, i);
		for (size_t k = i; k < i + nr && k < i + FIGURES_SHOWN; k++)
			add_figure(t, &table, &t->r->figures.v[k]);
		if (nr > FIGURES_SHOWN)
			table_add(&table, NULL,
			          (const char *[]){ t->r->figures.v[i].metric->name,
			                            arena_printf(&t->arena, "%zu more", nr - FIGURES_SHOWN), "",
			                            "", "" });
	}
	sink_puts(t->out, "\n");
	table_write(&table, t->out);
}

static void write_scaling(struct text_report *t)
{
	struct table table = { .align = "llrrr" };
	for (size_t i = 0; i < t->r->scaling.nr; i++) {
		const struct scaling_row *k = &t->r->scaling.v[i];
		table_add(&table, NULL,
		          (const char *[]){ name(t, k->memory), name(t, k->category), k->baseline_text,
		                            k->candidate_text, k->ratio_text });
	}
	if (table.rows.nr)
		sink_puts(t->out, "\nlargest tensors by category: baseline, candidate, ratio\n");
	table_write(&table, t->out);
}

static void write_environment(struct text_report *t)
{
	struct table table = { .align = "llll" };
	for (size_t i = 0; i < t->r->environment.nr; i++) {
		const struct env_row *e = &t->r->environment.v[i];
		if (e->match && !t->o->verbose)
			continue;
		table_add(&table, NULL,
		          (const char *[]){ e->match ? "same" : "differs", name(t, e->key),
		                            e->baseline ? name(t, e->baseline) : "–",
		                            e->candidate ? name(t, e->candidate) : "–" });
	}
	if (table.rows.nr)
		sink_puts(t->out, "\nenvironment: baseline, candidate\n");
	table_write(&table, t->out);
}

/* Of a diff there is no verdict to do something about. */
static void write_recommendations(struct text_report *t)
{
	if (t->r->kind != REPORT_CHECK || !t->r->run || !t->r->run->recommendations.nr)
		return;
	sink_puts(t->out, "\nwhat to do about it:\n");
	recommendations_write_text(t->r->run, t->out);
}

void text_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	if (r->run && r->kind == REPORT_RUN && !r->error) {
		run_text_write(r, o, out);
		return;
	}
	struct text_report t = { .r = r, .o = o, .out = out };
	trust_lines_init(&t.trust, r, true);
	write_headline(&t);
	write_context(&t);
	write_findings(&t);
	write_warnings(&t);
	write_trust(&t);
	if (r->kind == REPORT_DIFF && !r->error)
		write_figures(&t);
	write_checks(&t);
	write_reasons(&t);
	write_ranks(&t);
	write_recommendations(&t);
	write_breakdowns(&t);
	if (report_matters(r) || o->verbose)
		write_drift(&t);
	write_scaling(&t);
	if (r->kind == REPORT_DIFF)
		write_environment(&t);
	if (r->accept && r->accept[0])
		sink_printf(out, "\nto accept the candidate as baseline: %s\n",
		            table_text(&t.arena, r->accept, (size_t)-1));
	trust_lines_release(&t.trust);
	arena_release(&t.arena);
}
