/* Sections on one run: summary, metrics, recommendations, lists, ranks. */
#include <inttypes.h>

#include "report/document.h"
#include "report/findings.h"
#include "report/key_figures.h"
#include "report/table.h"

enum { LIST_ROWS = 12, RANK_ROWS = 64, ACTIONS_SHOWN = 3 };

/* ---- bound and advice ---- */

static void put_texts(struct document *d, const char *const *texts, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		doc_item(d, 0);
		doc_said(d, texts[i]);
	}
}

void doc_summary(struct document *d, const struct report *r)
{
	const struct classification *c = &r->run->classification;
	doc_section(d, "summary", "Summary", DOC_OPEN);
	doc_item(d, 0);
	doc_add(d, DOC_SAID, TONE_STRONG, text_or_empty(r->headline));
	put_texts(d, c->evidence.v, c->evidence.nr);
	doc_end(d);
}

void doc_unknown(struct document *d, const struct report *r)
{
	const struct classification *c = &r->run->classification;
	doc_section(d, "unknown", "What was not recorded", DOC_ASIDE);
	put_texts(d, c->missing.v, c->missing.nr);
	doc_end(d);
}

void doc_observations(struct document *d, const struct report *r)
{
	for (size_t i = 0; i < r->run->recommendations.nr; i++) {
		const struct recommendation *of = &r->run->recommendations.v[i];
		doc_item(d, 0);
		doc_said(d, of->title);
		doc_printf(d, " (%s): ", of->id);
		doc_said(d, of->observation);
	}
}

static void put_line(struct document *d, const char *what, const char *text)
{
	if (!text || !text[0])
		return;
	doc_item(d, 1);
	doc_printf(d, "%s: ", what);
	doc_said(d, text);
}

/* Write a recommendation. `whole`: for a report on one run, whose section of findings already has
 * the observation: write the id of the observation, then hypothesis, action and validation. Else,
 * for a check, write the observation in full, without hypothesis and validation. */
static void put_recommendation(struct document *d, const struct recommendation *r, bool whole)
{
	const char *sure = confidence_names[r->confidence];
	const char *saves =
	    arena_printf(&d->arena, "%s%s", r->saves_text[0] ? ", " : "", r->saves_text);
	if (whole) {
		doc_numbered(d);
		doc_printf(d, "observation: %s%s", r->id, saves);
		put_line(d, arena_printf(&d->arena, "hypothesis, with %s confidence", sure), r->hypothesis);
	} else {
		doc_item(d, 0);
		doc_said(d, r->title);
		doc_printf(d, "%s (%s: %s confidence)", saves, r->id, sure);
		put_line(d, "observation", r->observation);
	}
	put_line(d, "action", r->action);
	if (!whole)
		return;
	doc_item(d, 1);
	doc_printf(d, "how to validate: compare %s before and after with gpugate diff", r->confirm);
	put_line(d, "would settle it", r->ask);
}

void doc_recommendations(struct document *d, const struct report *r)
{
	bool check = r->kind == REPORT_CHECK;
	doc_section(d, "recommendations",
	            check ? "What would make the candidate faster" : "Recommendations",
	            check ? DOC_PAGE_COLLAPSED : DOC_OPEN);
	for (size_t i = 0; r->run && i < r->run->recommendations.nr; i++)
		put_recommendation(d, &r->run->recommendations.v[i], !check);
	if (!check && r->run && !r->run->recommendations.nr) {
		doc_item(d, 0);
		doc_words(d, "none");
	}
	doc_end(d);
}

/* The name that distinguishes the action of this finding from the actions of other findings: the
   first kernel among its places, else the innermost place. NULL if it has no places,
   or this one has no name. */
static const char *subject_of(const struct finding *f)
{
	const char *name = NULL;
	for (size_t i = 0; i < f->where.nr; i++) {
		name = f->where.v[i].name;
		if (f->where.v[i].kind == PLACE_KERNEL)
			break;
	}
	return name && *name ? name : NULL;
}

/* Number of bytes of `action` to write. If `action` and `told` (an action already written) end in
 * the same text, this text is left out if it begins with " (" and has MUCH bytes or more. */
static size_t own_bytes(const char *action, const char *told)
{
	enum { MUCH = 30 };
	size_t n = strlen(action), m = strlen(told), same = 0, own = n;
	while (same < n && same < m && action[n - same - 1] == told[m - same - 1])
		if (strncmp(&action[n - ++same], " (", 2) == 0)
			own = n - same;
	return n - own < MUCH ? n : own;
}

/* Add the actions that the first findings advise, each once. */
static void put_actions(struct document *d, const struct report *r)
{
	size_t shown = r->findings.nr < ACTIONS_SHOWN ? r->findings.nr : ACTIONS_SHOWN;
	for (size_t i = 0; i < shown; i++) {
		const struct finding *f = &r->findings.v[i];
		size_t first = shown, nr = 0;
		if (i && f->verdict == VERDICT_INCONCLUSIVE)
			continue; /* nothing can be judged yet: the action of the first finding says what to
			             do about that */
		for (size_t k = 0; k < shown; k++)
			if (strcmp(text_or_empty(r->findings.v[k].action), text_or_empty(f->action)) == 0) {
				first = nr++ ? first : k;
			}
		if (!text_or_empty(f->action)[0] || first != i)
			continue;
		doc_item(d, 0);
		if (nr == 1 && shown > 1 && subject_of(f))
			doc_say(d, "%n: ", subject_of(f));
		size_t own = strlen(f->action), n = own;
		for (size_t k = 0; k < i && own == n; k++)
			own = own_bytes(f->action, text_or_empty(r->findings.v[k].action));
		doc_sentence(d, arena_dup(&d->arena, (struct span){ f->action, own }));
		doc_words(d, own < n ? ", likewise" : "");
	}
}

/* A sentence such as "To decide, run change (new) and base (old) 6 times more, in turn, on
   one machine:". */
static const char *again_text(struct document *d, const struct report *r, const char *aim)
{
	int64_t nr = r->plan_runs ? r->plan_runs : r->plan_pairs;
	const char *times = nr == 1 ? "once" : arena_printf(&d->arena, "%" PRId64 " times", nr);
	return arena_printf(&d->arena, "To %s, run change (new)%s %s more%s:", aim,
	                    r->plan_runs ? "" : " and base (old)", times,
	                    r->plan_runs ? "" : ", in turn, on one machine");
}

void doc_decide(struct document *d, const struct report *r)
{
	if (r->verdict != VERDICT_UNDECIDED)
		return;
	if (text_or_empty(r->decide)[0]) {
		doc_command(d, again_text(d, r, "decide"), DOC_ASIDE, r->decide);
		return;
	}
	doc_section(d, "decide", "What to do", DOC_OPEN);
	for (size_t i = 0; i < r->checks.nr && !d->node; i++)
		if (r->checks.v[i].verdict == VERDICT_UNDECIDED) {
			doc_item(d, 0);
			doc_said(d, text_or_empty(r->checks.v[i].evidence.plan_text));
		}
	doc_end(d);
}

void doc_advice(struct document *d, const struct report *r)
{
	const struct finding *f = report_main_finding(r);
	/* if undecided, the section before this one says which further runs would decide */
	bool open = r->verdict == VERDICT_UNDECIDED;
	/* nobody should accept a result that is unsure, or that the machine probably caused */
	bool doubtful = open || (f && (f->cause == CAUSE_SLOW_RANK || f->cause == CAUSE_UNIFORM));
	doc_section(d, "advice", open ? "If the change is real" : "What to do",
	            open ? DOC_ASIDE : DOC_OPEN);
	/* runs of the base may show that the run is slower, although there is no baseline */
	bool worse = r->verdict == VERDICT_FAIL || open;
	if (report_is_first(r) && text_or_empty(r->accept)[0] && !worse) {
		doc_item(d, 0);
		doc_words(d,
		          r->counts[VERDICT_INCONCLUSIVE]
		              ? "record it anew, so that it can be believed, make that run the baseline, "
		                "and commit the file:"
		              : "make a good run of main, such as this one, the baseline, and commit the "
		                "file:");
		doc_command(d, "", DOC_OPEN, r->accept);
	} else {
		put_actions(d, r);
		if (r->unconfirmed)
			doc_command(d, again_text(d, r, "confirm it"), DOC_ASIDE, r->decide);
		const char *title = r->verdict == VERDICT_PASS && r->counts[VERDICT_IMPROVED]
		                        ? "To keep the gain at once:"
		                        : "Intended? Make it the baseline:";
		if (r->left_out)
			title = arena_printf(
			    &d->arena, "%" PRId64 " built-in rules need a baseline, which this command makes:",
			    r->left_out);
		/* a comment has room for one command: while a failure is to be confirmed, that is the
		 * command above, which confirms it */
		doc_command(d, title,
		            doubtful         ? DOC_COLLAPSED
		            : r->unconfirmed ? DOC_TERMINAL
		                             : DOC_ASIDE,
		            r->accept);
	}
	doc_end(d);
}

/* ---- metrics ---- */

static void put_fact(struct document *d, const struct fact *f)
{
	doc_cell(d);
	if (!f)
		doc_words(d, "–");
	else if (f->has_value)
		doc_figure(d, f->text);
	else
		doc_name(d, f->text);
}

void doc_facts(struct document *d, const struct report *r)
{
	static const struct doc_column sides[] = { { "figure", DOC_LEFT },
		                                       { "baseline", DOC_RIGHT },
		                                       { "candidate", DOC_RIGHT },
		                                       { "", DOC_LEFT } };
	static const struct doc_column one[] = { { "figure", DOC_LEFT },
		                                     { "value", DOC_RIGHT },
		                                     { "", DOC_LEFT } };
	bool both = r->baseline_run != NULL;
	if (!r->run)
		return;
	doc_section(d, "metrics", "Metrics", r->kind == REPORT_RUN ? DOC_OPEN : DOC_PAGE_COLLAPSED);
	doc_run_table(d, r, "Metrics", both ? sides : one, both ? 4 : 3);
	for (size_t i = 0; i < r->run->facts.nr; i++) {
		const struct fact *f = &r->run->facts.v[i];
		doc_row(d, 0);
		if (strncmp(f->id, "input.", 6) == 0)
			doc_name_cell(d, f->label);
		else
			doc_words_cell(d, f->label);
		if (both)
			put_fact(d, run_fact(r->baseline_run, f->id));
		put_fact(d, f);
		doc_said_cell(d, f->note);
	}
	doc_end(d);
}

/* ---- lists of a run ---- */

/* Order of the first `nr` columns: names come first, since they must be visible in a narrow
   terminal. */
static size_t *order_of(struct document *d, const struct report_table *t, size_t nr)
{
	size_t at = 0, *order = arena_alloc(&d->arena, nr + 1, sizeof *order);
	for (size_t i = nr; i-- > 0;)
		if (t->columns.v[i].is_text)
			order[at++] = i;
	for (size_t i = 0; i < nr; i++)
		if (!t->columns.v[i].is_text)
			order[at++] = i;
	return order;
}

struct doc_table *doc_list(struct document *d, const struct report_table *t, const char *title,
                           const char *memory, bool all_columns)
{
	size_t all = t->columns.nr, nr = memory ? all - 1 : all;
	const size_t *order = order_of(d, t, nr);
	struct doc_column *columns = arena_alloc(&d->arena, nr + 1, sizeof *columns);
	for (size_t i = 0; i < nr; i++) {
		const struct report_column *c = &t->columns.v[order[i]];
		columns[i] = (struct doc_column){ c->name, c->detail && !all_columns ? DOC_EXTRA
			                                       : c->is_text              ? DOC_LEFT
			                                                                 : DOC_RIGHT };
	}
	struct doc_table *table = doc_table(d, title, columns, nr);
	for (size_t i = 0; i < report_table_rows(t); i++) {
		const struct report_cell *row = &t->cells.v[i * all];
		if (memory && strcmp(row[all - 1].text, memory) != 0)
			continue;
		doc_row(d, 0);
		for (size_t c = 0; c < nr; c++) {
			const struct report_cell *cell = &row[order[c]];
			if (cell->kind == CELL_TEXT)
				doc_name_cell(d, cell->text);
			else
				doc_figure_cell(d, cell->text, cell->kind == CELL_FIGURE, cell->value);
		}
	}
	return table;
}

/* Add a row with the sums over all rows beyond the first `shown` ones. A terminal and a comment
 * show fewer rows than a page, so that they get a row of sums of their own. */
static void put_rest(struct document *d, const struct report_table *t, const size_t *order,
                     size_t shown)
{
	if (!report_table_has_rest(t, shown))
		return;
	doc_rest(d, shown < report_table_rows(t));
	for (size_t c = 0; c < t->columns.nr; c++) {
		const struct report_column *column = &t->columns.v[order[c]];
		int64_t sum = report_table_rest(t, shown, order[c]);
		doc_cell(d);
		doc_value(d, column->adds, sum);
		if (column->adds)
			doc_words(d, unit_text(&d->arena, column->unit, sum));
		else if (c == 0)
			doc_printf(d, "%zu more", report_table_rows(t) - shown + t->more);
	}
}

static void put_table(struct document *d, const struct report_table *t, const char *side,
                      bool all_columns)
{
	size_t rows = report_table_rows(t);
	const size_t *order = order_of(d, t, t->columns.nr);
	const char *title =
	    arena_printf(&d->arena, "%s%s%s%s", side, t->title, t->note[0] ? ": " : "", t->note);
	struct doc_table *table = doc_list(d, t, title, NULL, all_columns);
	table->more = t->more;
	table->brief = LIST_ROWS;
	put_rest(d, t, order, rows);
	if (rows > LIST_ROWS)
		put_rest(d, t, order, LIST_ROWS);
}

/* True for lists that a report on two runs shows in other sections: categories, GPU time by code,
   memory at its peak. */
static bool is_told(const struct report *r, const char *id)
{
	static const char *const ids[] = { "categories",  "gpu_by_operator",   "gpu_by_module",
		                               "gpu_by_line", "memory_categories", "memory_sites" };
	return ANY(i, NR_OF(ids), r->kind != REPORT_RUN && strcmp(ids[i], id) == 0);
}

void doc_lists(struct document *d, const struct report *r)
{
	const struct run_report *runs[] = { r->run, r->baseline_run };
	bool one = r->kind == REPORT_RUN;
	doc_section(d, "lists", "Lists", one ? DOC_ASIDE : DOC_PAGE_COLLAPSED);
	for (size_t i = 0; r->run && i < r->run->tables.nr; i++)
		for (int side = 0; side < 2; side++) {
			const char *id = r->run->tables.v[i].id;
			const struct report_table *t = run_report_table(runs[side], id);
			const char *whose = !runs[1] ? "" : side ? "baseline: " : "candidate: ";
			if (t && !is_told(r, id) && (!t->detail || r->run->view))
				put_table(d, t, whose, r->run->view);
		}
	if (r->kind == REPORT_RUN && r->run && !r->run->tables.nr) {
		doc_paragraph(d);
		doc_words(d, r->run->phase ? "No kernel is launched and no operator called in it."
		                           : "None were recorded.");
	}
	doc_end(d);
}

/* ---- the table of ranks ---- */

/* Alignment of a column. `*shown` becomes false if the column is empty. The column is only on the
 * HTML page if it has no short heading, or if it is `plain` and has the same value for all ranks.
 */
static enum doc_align align_of(const struct report *r, const struct rank_choice *choice, size_t i,
                               bool *shown)
{
	const struct rank_column *c = &r->rank_columns.v[i];
	bool any = false, differ = false;
	for (size_t k = 0; k < choice->rows.nr; k++) {
		const struct report_cell *cell = &choice->rows.v[k]->cells.v[i];
		any = any || cell->kind != CELL_ABSENT;
		differ = differ || strcmp(cell->text, choice->rows.v[0]->cells.v[i].text) != 0;
	}
	*shown = any;
	return c->head && (differ || !c->plain) ? DOC_RIGHT : DOC_EXTRA;
}

static void put_rank(struct document *d, const struct rank_row *row, const size_t *order, size_t nr)
{
	doc_row(d, 0);
	doc_cell(d);
	doc_value(d, true, row->rank);
	doc_printf(d, "%" PRId64, row->rank);
	for (size_t i = 0; i < nr; i++) {
		const struct report_cell *cell = &row->cells.v[order[i]];
		doc_figure_cell(d, cell->text, cell->kind == CELL_FIGURE, cell->value);
	}
}

void doc_ranks(struct document *d, const struct report *r, bool candidate, const char *title)
{
	struct rank_choice choice;
	size_t nr = 0, all = r->rank_columns.nr,
	       *order = arena_alloc(&d->arena, all + 1, sizeof *order);
	struct doc_column *columns = arena_alloc(&d->arena, all + 1, sizeof *columns);
	ranks_choose(r, candidate, RANK_ROWS, &choice);
	columns[0] = (struct doc_column){ "rank", DOC_RIGHT };
	for (size_t i = 0; i < all; i++) {
		bool shown;
		enum doc_align align = align_of(r, &choice, i, &shown);
		const struct rank_column *c = &r->rank_columns.v[i];
		if (!shown)
			continue;
		order[nr++] = i;
		columns[nr] = (struct doc_column){ align == DOC_RIGHT ? c->head : c->title, align };
	}
	doc_section(d, candidate ? "ranks" : "ranks-baseline", title,
	            r->kind == REPORT_CHECK ? DOC_PAGE_COLLAPSED : DOC_ASIDE);
	struct doc_table *t = doc_table(d, title, columns, nr + 1);
	t->more = choice.more;
	t->more_text = "ranks";
	for (size_t i = 0; i < choice.rows.nr; i++)
		put_rank(d, choice.rows.v[i], order, nr);
	doc_end(d);
	vec_release(&choice.rows);
}
