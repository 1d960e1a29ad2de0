#include "report/document.h"

#include <ctype.h>

#include "base/text.h"
#include "model/category.h"
#include "names/short.h"
#include "report/key_figures.h"
#include "report/table.h"

enum {
	ENV_KEYS = 8,
	NAME_LEAST = 6, /* shorter names are not searched for in messages: they may be words */
};

/* ---- the head of the report ---- */

static void put_side(struct document *d, const struct report *r, const char *what,
                     const struct side *s)
{
	const char *commit = s->commit && s->commit[0] ? s->commit : NULL;
	if (!commit && s == &r->candidate)
		commit = r->links.commit;
	doc_printf(d, "%s ", what);
	doc_name(d, s->label);
	if (commit) {
		doc_words(d, " at ");
		doc_commit(d, commit, r->links.commits);
	}
	if (r->kind == REPORT_RUN) /* the first paragraph is the heading */
		doc_paragraph(d);
	doc_printf(d, r->kind == REPORT_RUN ? "%s" : " (%s)", extent_of(&d->arena, s));
}

static void put_differences(struct document *d, const struct report *r)
{
	size_t nr = 0;
	for (size_t i = 0; i < r->environment.nr && r->kind == REPORT_CHECK; i++) {
		if (r->environment.v[i].match || nr++ >= ENV_KEYS)
			continue;
		doc_say(d, "%w%n", nr == 1 ? "; environment differs: " : ", ", r->environment.v[i].key);
	}
	if (nr > ENV_KEYS)
		doc_printf(d, ", %zu more", nr - ENV_KEYS);
}

/* Write the name of the GPU; in a comparison of two GPUs both names. */
static void put_gpus(struct document *d, const struct report *r)
{
	const char *before = r->baseline.gpu, *now = r->candidate.gpu;
	if (!now || !now[0])
		return;
	doc_words(d, "; ");
	if (r->kind != REPORT_RUN && before && before[0] && strcmp(before, now) != 0)
		doc_say(d, "%n → ", before);
	doc_name(d, now);
}

static void put_context(struct document *d, const struct report *r)
{
	if (!r->candidate.label || (r->kind != REPORT_RUN && !r->baseline.label))
		return;
	/* if both sides agree in the period and marker of their steps, only the candidate's are
	   written */
	struct side before = r->baseline;
	before.judged = NULL; /* how much was judged is written only for the candidate */
	if (before.period == r->candidate.period && before.marker_steps == r->candidate.marker_steps) {
		before.period = 0;
		before.marker = NULL;
	}
	bool apart = r->kind != REPORT_RUN;
	if (apart)
		doc_section(d, "about", "", DOC_OPEN);
	doc_paragraph(d);
	if (r->baseline.ranks) {
		put_side(d, r, "baseline", &before);
		doc_words(d, " → ");
	}
	put_side(d, r, r->kind == REPORT_RUN ? "report of" : "candidate", &r->candidate);
	put_gpus(d, r);
	put_differences(d, r);
	if (text_or_empty(r->candidate.ignored)[0])
		doc_say(d, "; ignored: %s", r->candidate.ignored);
	if (r->rules && r->rules[0] && strcmp(r->rules, "built in") != 0)
		doc_say(d, "; rules %n", r->rules);
	if (r->profile)
		doc_say(d, ", profile %n", r->profile);
	doc_words(d, r->partial ? "; partial (--quick)" : "");
	if (r->run && r->run->phase)
		doc_printf(d, "; kernels and operators of the phase %s only", r->run->phase);
	if (r->links.job) {
		doc_words(d, " · ");
		doc_link(d, "job", r->links.job);
	}
	if (apart)
		doc_end(d);
}

static void put_notes(struct document *d, const struct report *r)
{
	const struct side *sides[] = { &r->candidate, &r->baseline };
	static const char *const names[] = { "candidate", "baseline" };
	doc_section(d, "notes", "Notes", r->kind == REPORT_RUN ? DOC_ASIDE : DOC_PAGE_COLLAPSED);
	for (int i = 0; i < 2; i++)
		for (size_t k = 0; k < sides[i]->notes.nr; k++) {
			doc_item(d, 0);
			doc_printf(d, r->kind == REPORT_RUN ? "" : "%s: ", names[i]);
			doc_said(d, arena_dup(&d->arena, sides[i]->notes.v[k]));
		}
	doc_end(d);
}

/* ---- order of sections for each kind of report ---- */

static void put_kernels(struct document *d, const struct report *r)
{
	struct doc_node *before = doc_last(d);
	doc_kernels(d, r);
	doc_categories(d, r);
	doc_lists(d, r);
	doc_gather(d, before);
}

static void put_ranks(struct document *d, const struct report *r)
{
	struct doc_node *before = doc_last(d);
	doc_ranks(d, r, true, "Ranks of the candidate");
	doc_ranks(d, r, false, "Ranks of the baseline");
	doc_gather(d, before);
}

static void put_check(struct document *d, const struct report *r, struct trust_lines *trust)
{
	doc_decide(d, r);
	doc_findings(d, r, trust);
	doc_inputs(d, r);
	doc_remarks(d, r, trust);
	if (!r->findings.nr)
		doc_breakdowns(d, r);
	put_context(d, r);
	doc_advice(d, r);
	doc_answer_end(d);
	if (r->findings.nr) /* findings say in fewer words what breakdowns say, so they come first */
		doc_breakdowns(d, r);
	doc_history(d, r);
	doc_step(d, r);
	doc_flame(d, r);
	doc_steps_of_ranks(d, r);
	doc_series(d, r);
	/* the sections below are for looking things up: they are gathered under a few titles */
	struct doc_node *before = doc_last(d);
	doc_checks(d, r);
	doc_reasons(d, r);
	doc_evidence(d, r);
	doc_gather(d, before);
	put_kernels(d, r);
	put_ranks(d, r);
	before = doc_last(d);
	doc_facts(d, r);
	doc_insights(d, r);
	doc_recommendations(d, r);
	doc_environment(d, r);
	put_notes(d, r);
	doc_gather(d, before);
}

/* Add the command that judges the candidate of a diff by limits. */
static void put_judge(struct document *d, const struct report *r)
{
	struct strbuf b = STRBUF_INIT;
	if (!r->baseline.label || !r->candidate.label)
		return;
	strbuf_adds(&b, "gpugate approve --new");
	text_add_word(&b, &d->arena, r->baseline.label);
	strbuf_adds(&b, " --baseline baseline.json && gpugate check");
	text_add_word(&b, &d->arena, r->candidate.label);
	strbuf_adds(&b, " --baseline baseline.json");
	doc_command(d, "", DOC_OPEN, arena_take(&d->arena, &b));
}

static void put_next(struct document *d, const struct report *r)
{
	const struct figure_row *wall = figure_row_find(r, METRIC_STEP_PERIOD);
	bool data = r->wall_cause && r->wall_cause->id == METRIC_STEP_DATALOADER_TIME;
	doc_section(d, "advice", "What to do", DOC_OPEN);
	if (data && wall && wall->change > 0) {
		doc_item(d, 0);
		doc_words(d, "look at the data loader: num_workers, transforms, storage");
	}
	doc_item(d, 0);
	doc_words(d, "diff applies no limits and knows no noise; to judge the candidate by limits:");
	put_judge(d, r);
	doc_end(d);
}

static void put_diff(struct document *d, const struct report *r, struct trust_lines *trust)
{
	doc_changes(d, r);
	put_next(d, r);
	put_context(d, r);
	doc_answer_end(d);
	doc_figures(d, r);
	doc_remarks(d, r, trust);
	doc_insights(d, r);
	doc_breakdowns(d, r);
	doc_code(d, r);
	doc_step(d, r);
	doc_flame(d, r);
	doc_steps_of_ranks(d, r);
	doc_series(d, r);
	put_kernels(d, r);
	doc_scaling(d, r);
	put_ranks(d, r);
	doc_environment(d, r);
	struct doc_node *before = doc_last(d);
	doc_facts(d, r);
	put_notes(d, r);
	doc_gather(d, before);
}

static void put_run(struct document *d, const struct report *r, struct trust_lines *trust)
{
	doc_summary(d, r);
	doc_facts(d, r);
	doc_section(d, "findings", "Findings", DOC_OPEN);
	doc_observations(d, r);
	doc_insights(d, r);
	doc_remarks(d, r, trust);
	if (!d->node) { /* the section is empty */
		doc_item(d, 0);
		doc_words(d, "nothing that is looked for was found");
	}
	doc_end(d);
	doc_recommendations(d, r);
	doc_unknown(d, r);
	doc_step(d, r);
	doc_flame(d, r);
	doc_steps_of_ranks(d, r);
	doc_series(d, r);
	doc_lists(d, r);
	doc_ranks(d, r, true, "Ranks");
	doc_metrics(d, r);
	put_notes(d, r);
}

/* ---- display names of kernels ---- */

static void add_names_of_run(struct short_names *names, const struct run_report *run)
{
	for (size_t i = 0; run && i < run->tables.nr; i++) {
		const struct report_table *t = &run->tables.v[i];
		for (size_t k = 0; k < t->cells.nr; k++)
			if (strcmp(t->columns.v[k % t->columns.nr].name, "kernel") == 0 &&
			    t->cells.v[k].kind == CELL_TEXT)
				short_names_add(names, t->cells.v[k].text);
	}
}

void report_names(const struct report *r, struct short_names *names)
{
	if (names->list.nr)
		return;
	for (size_t i = 0; i < r->kernels.nr; i++)
		short_names_add(names, r->kernels.v[i]);
	for (size_t i = 0; i < r->drift.nr; i++) {
		short_names_add(names, r->drift.v[i].kernel);
		short_names_add(names, r->drift.v[i].renamed_to);
	}
	for (size_t i = 0; i < r->checks.nr; i++)
		if (r->checks.v[i].metric->label == LABEL_KERNEL)
			short_names_add(names, r->checks.v[i].item);
	for (size_t i = 0; i < r->findings.nr; i++)
		for (size_t k = 0; k < r->findings.v[i].where.nr; k++)
			if (r->findings.v[i].where.v[k].kind == PLACE_KERNEL)
				short_names_add(names, r->findings.v[i].where.v[k].name);
	for (size_t i = 0; i < r->flame.nodes.nr; i++)
		if (r->flame.nodes.v[i].kind == FLAME_KERNEL)
			short_names_add(names, r->flame.nodes.v[i].name);
	add_names_of_run(names, r->run);
	add_names_of_run(names, r->baseline_run);
	short_names_end(names);
}

/* The form in which a report shows a name: kernels have short names, and some categories a name in
   another spelling. NULL if the name is shown as it is. */
static const char *display(const void *names, const char *whole)
{
	const char *text = short_names_find(names, whole), *label = category_title(whole);
	return text ? text : label != whole ? label : NULL;
}

/* True if the display name `text`, cut to its first `head` and last `tail` bytes, selects its
 * kernel in a rule, and no other. Only kernels whose names contain its first word are compared,
 * since cutting and shortening never change this word. */
static bool is_alone(const void *names, struct span text, size_t head, size_t tail)
{
	const struct short_names *all = names;
	struct strbuf cut = STRBUF_INIT;
	bool alone = true;
	size_t word = 0;
	strbuf_add(&cut, (struct span){ text.p, head });
	strbuf_adds(&cut, "…");
	strbuf_add(&cut, (struct span){ text.p + text.n - tail, tail });
	while (word < head && (isalnum((unsigned char)text.p[word]) || text.p[word] == '_'))
		word++;
	for (size_t i = 0; i < all->list.nr && alone; i++) {
		struct span whole = span_of(all->list.v[i].whole);
		bool own = span_eq(span_of(all->list.v[i].text), text);
		if (own || memmem(whole.p, whole.n, text.p, word))
			alone = own == (name_fit(strbuf_span(&cut), whole, true) >= FIT_CUT);
	}
	strbuf_release(&cut);
	return alone;
}

/* The kernel whose name, cut as in messages, occurs first in `text`; `*at` becomes this place. */
static const struct short_name *name_in(const struct short_names *names, const char *text,
                                        struct span *at)
{
	const struct short_name *found = NULL;
	for (size_t i = 0; names && i < names->list.nr; i++) {
		const struct short_name *n = &names->list.v[i];
		const char *p = strstr(text, n->cut);
		bool begins = p && (p == text || !isalnum((unsigned char)p[-1]));
		size_t chars = strlen(n->cut);
		if (!begins || isalnum((unsigned char)p[chars]) || p[chars] == '_' ||
		    (p > text && p[-1] == '_') || text_chars(span_of(n->cut)) < NAME_LEAST ||
		    (found && (p > at->p || (p == at->p && chars <= at->n))))
			continue;
		found = n;
		*at = (struct span){ p, chars };
	}
	return found;
}

void doc_show_names(struct document *d, const struct short_names *names)
{
	d->display = display;
	d->is_alone = is_alone;
	d->names = names;
}

void doc_sentence(struct document *d, const char *text)
{
	struct span at;
	for (const struct short_name *n; text && (n = name_in(d->names, text, &at));
	     text = at.p + at.n) {
		doc_say(d, "%s%n", arena_dup(&d->arena, (struct span){ text, (size_t)(at.p - text) }),
		        n->whole);
	}
	doc_said(d, text);
}

const char *report_sentence(const struct short_names *names, const char *text, struct arena *a)
{
	struct strbuf b = STRBUF_INIT;
	struct span at;
	for (const struct short_name *n; (n = name_in(names, text, &at)); text = at.p + at.n) {
		strbuf_add(&b, (struct span){ text, (size_t)(at.p - text) });
		strbuf_adds(&b, n->text);
	}
	strbuf_adds(&b, text);
	return arena_take(a, &b);
}

struct doc_table *doc_run_table(struct document *d, const struct report *r, const char *title,
                                const struct doc_column *columns, size_t nr)
{
	const char *commit = r->baseline.reference;
	if (!commit)
		return doc_table(d, title, columns, nr);
	struct doc_column *own = arena_alloc(&d->arena, nr, sizeof *own);
	for (size_t i = 0; i < nr; i++) {
		own[i] = columns[i];
		if (strcmp(own[i].title, "baseline") == 0)
			own[i].title = *commit ? arena_printf(&d->arena, "main at %.10s", commit) : "main";
	}
	return doc_table(d, title, own, nr);
}

/* The beginning of the line with which a terminal points to the findings and checks that it leaves
   out. */
static const char *numbers_text(struct document *d, const struct report *r)
{
	size_t nr = r->findings.nr;
	return nr == 0   ? r->summary
	       : nr == 1 ? arena_printf(&d->arena, "Behind the finding: %s", r->summary)
	                 : arena_printf(&d->arena, "Behind the %zu findings: %s", nr, r->summary);
}

void report_document(const struct report *r, struct short_names *names, struct document *d)
{
	static const char *const kinds[] = { [REPORT_DIFF] = "diff", [REPORT_RUN] = "report" };
	struct trust_lines trust;
	doc_init(d);
	report_names(r, names);
	doc_show_names(d, names);
	trust_lines_init(&trust, r, r->kind != REPORT_RUN);
	d->marker = r->kind != REPORT_CHECK         ? kinds[r->kind]
	            : r->workload && r->workload[0] ? r->workload
	                                            : "default";
	if (r->kind == REPORT_RUN && !r->error)
		put_context(d, r);
	else
		doc_verdict(d, r);
	doc_key_figures(d, r);
	if (r->kind == REPORT_CHECK && !r->error) {
		bool skipped = r->counts[VERDICT_SKIPPED] == (int64_t)r->checks.nr;
		d->collapse = skipped          ? "All checks and figures"
		              : r->findings.nr ? "All checks, and where the change went"
		                               : "All checks";
		d->more = skipped ? "--verbose lists all checks and figures."
		                  : arena_printf(&d->arena, "%s; --verbose lists them", numbers_text(d, r));
	}
	if (r->kind == REPORT_CHECK || r->error)
		put_check(d, r, &trust);
	else if (r->kind == REPORT_DIFF)
		put_diff(d, r, &trust);
	else if (r->run)
		put_run(d, r, &trust);
	trust_lines_release(&trust);
}
