#include <inttypes.h>

#include "report/table.h"
#include "report/writers.h"

#define NAME_CHARS 60
#define SPOILS_SHOWN 4
#define LINE_CHARS 1000
#define DRIFT_ROWS 10

/* No line begins with untrusted text, blanks aside: a CI would obey "::". */
struct text_report {
	const struct report *r;
	const struct write_options *o;
	struct sink *out;
	struct arena arena; /* what the cells hold */
};

static const char *color_of(const struct text_report *t, enum verdict v)
{
	static const char *const colors[NR_VERDICTS] = {
		[VERDICT_INCONCLUSIVE] = "\033[35m", [VERDICT_MISSING] = "\033[35m",
		[VERDICT_FAIL] = "\033[31m",         [VERDICT_WARN] = "\033[33m",
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
	const char *color = r->is_diff ? NULL : color_of(t, r->verdict);
	const char *what = r->error ? r->error : text_or_empty(r->headline);
	sink_printf(t->out, "%s%s%s%s%s\n", color ? color : "", color ? "\033[1m" : "",
	            r->error ? "error: " : "", line(t, what), color ? "\033[0m" : "");
}

static void write_differences(struct text_report *t)
{
	size_t nr = 0;
	for (size_t i = 0; i < t->r->environment.nr; i++) {
		const struct env_row *e = &t->r->environment.v[i];
		if (!e->match && !t->r->is_diff)
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
	sink_printf(t->out, "%s\n", t->r->partial ? "; partial (--quick)" : "");
}

static void write_warnings(struct text_report *t)
{
	for (size_t i = 0; i < t->r->warnings.nr; i++)
		sink_printf(t->out, "warning: %s\n", line(t, t->r->warnings.v[i]));
}

static void write_checks(struct text_report *t)
{
	struct table table = { .align = "llrrrl" };
	table_add(&table, NULL,
	          (const char *[]){ "", "check", "baseline", "candidate", "change", "limit" });
	for (size_t i = 0; i < t->r->checks.nr; i++) {
		const struct check *c = &t->r->checks.v[i];
		if (!t->o->verbose && !check_matters(c))
			continue;
		table_add(&table, color_of(t, c->verdict),
		          (const char *[]){
		              verdict_name(c->verdict), line(t, c->id), c->baseline_text, c->candidate_text,
		              change_of(&t->arena, c->change_text, c->pct_text), name(t, c->limit) });
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
		if (check_needs_reason(t->r, c))
			sink_printf(t->out, "%s: %s: %s\n", verdict_name(c->verdict), name(t, c->id),
			            line(t, c->message));
	}
}

static void write_trust(struct text_report *t)
{
	if (t->r->is_diff && t->r->trust.nr)
		sink_puts(t->out, "\n");
	for (size_t i = 0; i < t->r->trust.nr; i++) {
		const struct finding *f = &t->r->trust.v[i];
		sink_printf(t->out, "trust: %s", f->candidate ? "candidate" : "baseline");
		if (f->rank >= 0)
			sink_printf(t->out, " rank %" PRId64, f->rank);
		sink_printf(t->out, ": %s: %s", f->id, line(t, f->message));
		if (f->spoils.nr > SPOILS_SHOWN)
			sink_printf(t->out, "; spoils %zu figures", f->spoils.nr);
		for (size_t k = 0; k < f->spoils.nr && f->spoils.nr <= SPOILS_SHOWN; k++)
			sink_printf(t->out, "%s%s", k ? ", " : "; spoils ", name(t, f->spoils.v[k]));
		sink_puts(t->out, "\n");
	}
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

static void write_drift(struct text_report *t)
{
	struct table table = { .align = "lrrrll" };
	size_t nr = t->r->drift.nr;
	for (size_t i = 0; i < nr && i < DRIFT_ROWS; i++) {
		const struct drift_row *d = &t->r->drift.v[i];
		const char *kernel = name(t, d->kernel);
		if (d->renamed_to)
			kernel = arena_printf(&t->arena, "%s → %s", kernel, name(t, d->renamed_to));
		table_add(&table, NULL,
		          (const char *[]){ d->drift, d->change_text, d->baseline_text, d->candidate_text,
		                            d->count_text, kernel });
	}
	if (nr)
		sink_puts(t->out, "\nkernels: change, baseline, candidate and launches per step\n");
	table_write(&table, t->out);
	if (nr > DRIFT_ROWS)
		sink_printf(t->out, "  %zu more kernels\n", nr - DRIFT_ROWS);
}

static void write_figures(struct text_report *t)
{
	struct table table = { .align = "llrrr" };
	table_add(&table, NULL, (const char *[]){ "figure", "", "baseline", "candidate", "change" });
	for (size_t i = 0; i < t->r->figures.nr; i++) {
		const struct figure_row *f = &t->r->figures.v[i];
		table_add(&table, NULL,
		          (const char *[]){ f->metric->name, name(t, f->item), f->baseline_text,
		                            f->candidate_text,
		                            change_of(&t->arena, f->change_text, f->pct_text) });
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

void text_write(const struct report *r, const struct write_options *o, struct sink *out)
{
	struct text_report t = { .r = r, .o = o, .out = out };
	write_headline(&t);
	write_context(&t);
	write_warnings(&t);
	if (r->is_diff && !r->error)
		write_figures(&t);
	write_checks(&t);
	write_reasons(&t);
	write_trust(&t);
	write_breakdowns(&t);
	if (r->is_diff || r->verdict != VERDICT_PASS || o->verbose)
		write_drift(&t);
	write_scaling(&t);
	if (r->is_diff)
		write_environment(&t);
	if (r->accept && r->accept[0])
		sink_printf(out, "\nto accept the candidate as baseline: %s\n",
		            table_text(&t.arena, r->accept, (size_t)-1));
	arena_release(&t.arena);
}
