#include "history/trends_document.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "history/trends.h"
#include "html/html_page.h"
#include "report/document.h"
#include "report/table.h"

enum { COMMIT_CHARS = 12, FIGURES_SHOWN = 20, RUNS_SHOWN = 20, PICTURES = 24, BESIDE = 5 };

/* ---- names and values as text ---- */

/* The statistics in a query as text, without those that most figures have: "step.period stat=p95
   ranks=min" gives ", p95, lowest rank". */
static const char *statistic_of(struct document *d, const char *query)
{
	static const struct {
		const char *word, *text;
	} words[] = { { "stat=median", "" },
		          { "ranks=max", "" },
		          { "ranks=median", "" },
		          { "ranks=each", "" },
		          { "ranks=min", "lowest rank" } };
	struct strbuf b = STRBUF_INIT;
	for (const char *p = strchr(query, ' '); p; p = strchr(p, ' ')) {
		const char *word = ++p, *text = NULL;
		size_t n = strcspn(p, " ");
		for (size_t i = 0; i < NR_OF(words); i++)
			if (strlen(words[i].word) == n && memcmp(word, words[i].word, n) == 0)
				text = words[i].text;
		if (text && !text[0])
			continue;
		strbuf_adds(&b, ", ");
		if (!text && strncmp(word, "stat=", 5) == 0)
			strbuf_add(&b, (struct span){ word + 5, n - 5 });
		else
			strbuf_add(&b, text ? span_of(text) : (struct span){ word, n });
	}
	return arena_take(&d->arena, &b);
}

/* Name of a metric. A figure of a result file may belong to a case, such as a batch size. If the
   name of the case begins with `known`, that part is left out. */
static const char *name_of_metric(struct document *d, const struct metric *m, struct span known)
{
	const char *of = m->case_name;
	if (!known.n || !of || !span_starts(span_of(of), known))
		return metric_label(m);
	return of[known.n] ? arena_printf(&d->arena, "%s of %s", m->head, of + known.n) : m->head;
}

const char *trend_name(struct document *d, const struct trend_figure *f, struct span known)
{
	const char *label = arena_dup(&d->arena, f->label), *metric = name_of_metric(d, f->of, known);
	const char *shown = f->label.n ? d->display(d->names, label) : NULL;
	label = shown ? shown : label;
	if (f->label.n && f->rank >= 0)
		return arena_printf(&d->arena, "%s of %s, rank %" PRId64, metric, label, f->rank);
	if (f->label.n)
		return arena_printf(&d->arena, "%s of %s", metric, label);
	if (f->rank >= 0)
		return arena_printf(&d->arena, "%s of rank %" PRId64, metric, f->rank);
	return arena_printf(&d->arena, "%s%s", metric, statistic_of(d, f->query));
}

/* The first characters of a run's commit, enough to identify it; "" if it is unknown. */
static const char *commit_of(struct document *d, const struct trend_run *r)
{
	struct span s = span_of(r->commit);
	s.n = s.n < COMMIT_CHARS ? s.n : COMMIT_CHARS;
	return arena_dup(&d->arena, s);
}

static void put_run(struct document *d, const struct trend_run *r)
{
	if (r->commit[0])
		doc_name(d, commit_of(d, r));
	else
		doc_printf(d, "run %" PRId64, r->place + 1);
	if (strlen(r->time) >= 10)
		doc_printf(d, " (%.10s)", r->time);
}

/* Write both levels and the change between them. The change of a share is the difference of
   the two rounded shares in percentage points, so that it agrees with the levels shown. */
static void put_levels(struct document *d, enum unit unit, int64_t before, int64_t after,
                       int64_t pct, enum doc_tone tone)
{
	doc_say(d, "%f → %f", unit_text(&d->arena, unit, before), unit_text(&d->arena, unit, after));
	if (pct == INT64_MIN)
		return;
	doc_words(d, " (");
	doc_add(d, DOC_FIGURE, tone,
	        unit == UNIT_PCT ? unit_change(&d->arena, unit, number_sub(after, before))
	                         : unit_relative(&d->arena, pct));
	doc_words(d, ")");
}

/* ---- change points ---- */

/* True if two items that changed are probably the same work, such as an operator and its kernel:
   they have different metrics, and changed by nearly the same amount. */
static bool is_same_work(const struct trend_part *a, const struct trend_part *b)
{
	int64_t x = number_sub(a->after, a->before), y = number_sub(b->after, b->before);
	return strcmp(a->metric, b->metric) != 0 && a->rank == b->rank && (x > 0) == (y > 0) &&
	       number_distance(x, y) <= number_distance(x, 0) / 10;
}

static void put_parts(struct document *d, const struct trends *t, const struct trend_change *p)
{
	const struct trend_part *last = NULL;
	for (size_t i = 0; i < t->parts.nr; i++) {
		const struct trend_part *part = &t->parts.v[i];
		if (part->figure != p->figure || part->first != p->first)
			continue;
		doc_item(d, 1);
		doc_words(d, !last                      ? "where: in "
		             : is_same_work(last, part) ? "the same work is in "
		                                        : "and in ");
		last = part;
		const struct metric *m = metric_find(span_of(part->metric));
		bool named = m && part->label.n && label_names[m->label][0];
		bool gpu = named && strncmp(m->head, "GPU", 3) == 0;
		if (named)
			doc_printf(d, "%s ", label_names[m->label]);
		if (part->label.n)
			doc_name(d, arena_dup(&d->arena, part->label));
		if (part->rank >= 0)
			doc_printf(d, "%srank %" PRId64, part->label.n ? ", " : "", part->rank);
		doc_printf(d, ": %s ", !named ? part->metric : gpu ? "GPU time" : m->head);
		put_levels(d, part->unit, part->before, part->after,
		           part->before > 0 ? number_pct((__int128)part->after - part->before, part->before)
		                            : INT64_MIN,
		           TONE_PLAIN);
	}
}

/* Write a change point. If its figure is of the case `of`, the figure is named without the case. */
static void put_change(struct document *d, const struct trends *t, const struct trend_change *p,
                       const char *of)
{
	const struct trend_figure *f = trend_figure_of(t, p->figure);
	enum doc_tone tone = p->is_worse ? TONE_WORSE : p->is_better ? TONE_BETTER : TONE_PLAIN;
	bool known = of && f->of->case_name && strcmp(of, f->of->case_name) == 0;
	doc_add(d, DOC_SAID, TONE_STRONG, trend_name(d, f, span_of(known ? of : "")));
	doc_words(d, ": ");
	put_levels(d, f->unit, p->before, p->after, p->change_pct, tone);
}

/* Weight of a change point in the report. It is highest for figures that became worse and still
   are, then for others that became worse, then for those that became better. In each of these
   groups, it is higher for key figures. */
static int weight(const struct trends *t, const struct trend_change *p)
{
	static const enum metric_id keys[] = { METRIC_STEP_PERIOD, METRIC_STEP_COMPUTE_TIME,
		                                   METRIC_MEMORY_PEAK_ALLOCATED };
	const struct metric *m = trend_figure_of(t, p->figure)->of;
	int key = m->need == NEED_INPUT || ANY(i, NR_OF(keys), keys[i] == m->id);
	return p->is_worse ? 4 + 2 * key + 4 * p->stands : p->is_better ? 1 + key : 0;
}

/* The change point with the highest weight, among those whose first changed run is `run`; NULL if
   there are none. */
static const struct trend_change *main_point(const struct trends *t, int64_t run)
{
	const struct trend_change *best = NULL;
	for (size_t i = 0; i < t->points.nr; i++) {
		const struct trend_change *p = &t->points.v[i];
		if (p->first == run && (!best || weight(t, p) > weight(t, best)))
			best = p;
	}
	return best;
}

/* Write the change point `p`, the items that changed with it, and other figures that changed at the
   same run in the same direction: all for the worse if `p` is for the worse, else none of them. */
void trends_put_event(struct document *d, const struct trends *t, const struct trend_change *p)
{
	put_change(d, t, p, NULL);
	doc_words(d, " between ");
	put_run(d, &t->runs.v[p->last]);
	doc_words(d, " and ");
	put_run(d, &t->runs.v[p->first]);
	doc_words(d, p->approved ? "; approved" : "");
	put_parts(d, t, p);
	size_t nr = 0;
	for (const struct trend_change *q = t->points.v; q < t->points.v + t->points.nr; q++)
		if (q->first == p->first && q != p && q->is_worse == p->is_worse && nr++ < BESIDE) {
			doc_item(d, 1);
			put_change(d, t, q, trend_figure_of(t, p->figure)->of->case_name);
		}
	if (nr > BESIDE) {
		doc_item(d, 1);
		doc_printf(d, "and %zu more figure%s", nr - BESIDE, text_s(nr - BESIDE));
	}
}

/* Write the change points, newest first. Change points at the same run are one entry. */
static void put_points(struct document *d, const struct trends *t)
{
	doc_section(d, "changes", "What changed", DOC_OPEN);
	for (int64_t run = (int64_t)t->runs.nr; run-- > 0;) {
		const struct trend_change *p = main_point(t, run);
		if (p) {
			doc_item(d, 0);
			trends_put_event(d, t, p);
		}
	}
	doc_end(d);
}

/* The newest change point at which a figure became worse and has stayed worse. NULL if there is
   none, or if a run after it was approved. */
static const struct trend_change *newest(const struct trends *t)
{
	for (int64_t run = (int64_t)t->runs.nr; run-- > 0;) {
		const struct trend_change *p = main_point(t, run);
		if (p && p->stands)
			return p->approved ? NULL : p;
	}
	return NULL;
}

/* How early a figure comes in the table: 2 if it became worse at a change point, 1 if it only has
   other change points, 0 if it has none. */
static int news_of(const struct trends *t, const struct trend_figure *f)
{
	int news = 0;
	for (size_t i = 0; i < t->points.nr; i++)
		if (t->points.v[i].figure == f->place && news < 1 + t->points.v[i].is_worse)
			news = 1 + t->points.v[i].is_worse;
	return news;
}

/* Say that the wall time did not change, if other figures changed. */
static void put_wall(struct document *d, const struct trends *t)
{
	const struct metric *wall = &metric_table[METRIC_STEP_PERIOD];
	const struct trend_figure *f = t->figures.v;
	if (t->points.nr &&
	    ANY(i, t->figures.nr,
	        strcmp(f[i].metric, wall->name) == 0 && !trend_is_item(&f[i]) && !news_of(t, &f[i])))
		doc_printf(d, "%s unchanged; ", metric_label(wall));
}

/* Write the verdict on the history ("worse", "no worse" or "steady") and the reason for it. */
static void put_news(struct document *d, const struct trends *t)
{
	const struct trend_change *p = newest(t);
	doc_paragraph(d);
	if (p)
		doc_add(d, DOC_VERDICT, TONE_WARN, "worse");
	else
		doc_add(d, DOC_VERDICT, TONE_GOOD, t->points.nr ? "no worse" : "steady");
	doc_say(d, " · %s", arena_printf(&d->arena, "history of %s: ", t->workload));
	if (p) {
		const struct trend_figure *f = trend_figure_of(t, p->figure);
		bool up = p->after > p->before;
		doc_said(d, arena_printf(&d->arena, "%s ", trend_name(d, f, SPAN(""))));
		doc_add(d, DOC_FIGURE, TONE_WORSE,
		        p->change_pct == INT64_MIN ? unit_text(&d->arena, f->unit, p->after)
		                                   : unit_relative(&d->arena, p->change_pct) + 1);
		doc_words(d, p->change_pct == INT64_MIN ? " since "
		             : up                       ? " higher since "
		                                        : " lower since ");
		put_run(d, &t->runs.v[p->first]);
		doc_words(d, "; the job passes: a history only reports");
		doc_paragraph(d);
		put_change(d, t, p, NULL);
		doc_words(d, "; ");
	}
	put_wall(d, t);
	doc_said(d, t->headline);
}

/* Say how to find the commit that caused a change: with a command that lists the commits between
   the two runs, and one that bisects them. */
static void put_search(struct document *d, const struct trends *t, const struct trend_change *p)
{
	const struct trend_run *good = &t->runs.v[p->last], *bad = &t->runs.v[p->first];
	doc_item(d, 0);
	if (!bisect_commit(&d->arena, good) || !bisect_commit(&d->arena, bad)) {
		doc_words(d, "to find it by git bisect, store runs with --context commit=ID");
		return;
	}
	doc_words(d, t->bisect ? "list these commits, or let git bisect try them with a script, whose "
	                         "first lines say how:"
	                       : "list these commits:");
	doc_command(
	    d, "", DOC_OPEN,
	    arena_printf(&d->arena, "git log --oneline %s..%s", commit_of(d, good), commit_of(d, bad)));
	doc_command(d, "", DOC_OPEN, t->bisect);
}

static void put_advice(struct document *d, const struct trends *t)
{
	const struct trend_change *p = newest(t);
	if (!p)
		return;
	doc_section(d, "advice", "What to do", DOC_OPEN);
	doc_item(d, 0);
	doc_words(d, "look for the cause in the commits after ");
	put_run(d, &t->runs.v[p->last]);
	doc_words(d, ", up to ");
	put_run(d, &t->runs.v[p->first]);
	doc_item(d, 0);
	doc_words(d, "if the change is intended, accept it at the next check that fails for it: its "
	             "report has the command");
	put_search(d, t, p);
	doc_end(d);
}

/* ---- figures over the runs ---- */

static const struct trend_change *last_point(const struct trends *t, const struct trend_figure *f)
{
	const struct trend_change *last = NULL;
	for (size_t i = 0; i < t->points.nr; i++) {
		const struct trend_change *p = &t->points.v[i];
		if (p->figure == f->place && (!last || p->first > last->first))
			last = p;
	}
	return last;
}

static void put_name(struct document *d, const struct trend_figure *f, struct span known)
{
	const char *name = trend_name(d, f, known);
	doc_row(d, 0);
	if (trend_is_item(f) || f->of->need == NEED_INPUT)
		doc_name_cell(d, name);
	else
		doc_said_cell(d, name);
}

/* Write cells with the level of a figure before its newest change, the present level, and the
   change. */
static void put_changed(struct document *d, const struct trends *t, const struct trend_figure *f)
{
	const struct trend_change *p = last_point(t, f);
	enum doc_tone tone = p->is_worse ? TONE_WORSE : p->is_better ? TONE_BETTER : TONE_PLAIN;
	doc_figure_cell(d, unit_text(&d->arena, f->unit, p->before), true, p->before);
	doc_figure_cell(d, unit_text(&d->arena, f->unit, f->level), true, f->level);
	doc_cell(d);
	doc_value(d, p->change_pct != INT64_MIN, p->change_pct);
	doc_add(d, DOC_FIGURE, tone,
	        p->change_pct == INT64_MIN || f->unit == UNIT_PCT
	            ? unit_change(&d->arena, f->unit, number_sub(p->after, p->before))
	            : unit_relative(&d->arena, p->change_pct));
}

void trends_put_figure(struct document *d, const struct trend_figure *f)
{
	doc_figure_cell(d, unit_text(&d->arena, f->unit, f->newest), true, f->newest);
	doc_figure_cell(d, unit_text(&d->arena, f->unit, f->level), true, f->level);
	doc_figure_cell(d, arena_printf(&d->arena, "±%s", unit_text(&d->arena, f->unit, f->spread)),
	                true, f->spread);
}

/* Write a table of the figures that changed, beginning with those that got worse, or of the figures
   that did not change. */
static void put_figures(struct document *d, const struct trends *t, bool changed)
{
	static const struct doc_column both[][5] = {
		{ { "figure", DOC_LEFT },
		  { "newest", DOC_RIGHT },
		  { "level", DOC_RIGHT },
		  { "spread", DOC_RIGHT },
		  { "runs, oldest first", DOC_LEFT } },
		{ { "figure", DOC_LEFT },
		  { "before", DOC_RIGHT },
		  { "now", DOC_RIGHT },
		  { "change", DOC_RIGHT },
		  { "runs, oldest first", DOC_LEFT } },
	};
	const struct metric **metrics = arena_alloc(&d->arena, t->figures.nr + 1, sizeof *metrics);
	for (size_t i = 0; i < t->figures.nr; i++)
		metrics[i] = t->figures.v[i].of;
	struct span known = common_case(metrics, t->figures.nr);
	const char *title = arena_printf(&d->arena, "%s that %s", figures_of_case(&d->arena, known),
	                                 changed ? "changed" : "did not change");
	doc_section(d, changed ? "figures" : "unchanged", title,
	            changed || !t->points.nr ? DOC_OPEN : DOC_COLLAPSED);
	struct doc_table *table = doc_table(d, title, COLUMNS(both[changed]));
	table->brief = FIGURES_SHOWN;
	table->more_text = "figures";
	for (int news = changed ? 2 : 0; news >= changed; news--)
		for (size_t i = 0; i < t->figures.nr; i++) {
			const struct trend_figure *f = &t->figures.v[i];
			if (news_of(t, f) != news)
				continue;
			put_name(d, f, known);
			if (changed)
				put_changed(d, t, f);
			else
				trends_put_figure(d, f);
			doc_words_cell(d, trend_sparkline(d, f));
		}
	doc_end(d);
}

/* Say which run is approved: "approved 2027-01-31 by ada at a1b2c3d4e5; 7 later runs accepted". */
static void put_approval(struct document *d, const struct trends *t)
{
	const struct provenance *p = t->approval;
	if (!p)
		return;
	doc_section(d, "baseline", "Baseline", DOC_COLLAPSED);
	doc_paragraph(d);
	doc_words(d, "approved");
	if (strlen(p->time) >= 10)
		doc_printf(d, " %.10s", p->time);
	if (p->who[0])
		doc_say(d, " by %n", p->who);
	if (p->commit[0]) {
		doc_words(d, " at ");
		doc_commit(d, p->commit, NULL);
	}
	doc_printf(d, "; %zu later run%s accepted", t->accepted, text_s(t->accepted));
	doc_end(d);
}

static void put_runs(struct document *d, const struct trends *t)
{
	static const struct doc_column columns[] = { { "run", DOC_RIGHT },   { "time", DOC_LEFT },
		                                         { "commit", DOC_LEFT }, { "verdict", DOC_LEFT },
		                                         { "who", DOC_LEFT },    { "reason", DOC_LEFT } };
	doc_section(d, "runs", "Runs", DOC_COLLAPSED);
	struct doc_table *table = doc_table(d, "Runs", COLUMNS(columns));
	table->brief = RUNS_SHOWN;
	for (size_t i = t->runs.nr; i-- > 0;) {
		const struct trend_run *r = &t->runs.v[i];
		doc_row(d, 0);
		doc_figure_cell(d, arena_printf(&d->arena, "%" PRId64, r->place + 1), true, r->place);
		doc_name_cell(d, r->time[0] ? r->time : "–");
		doc_name_cell(d, r->commit[0] ? commit_of(d, r) : "–");
		doc_name_cell(d, r->approved ? "approved" : r->verdict[0] ? r->verdict : "–");
		doc_name_cell(d, r->who[0] ? r->who : "–");
		doc_said_cell(d, r->reason[0] ? r->reason : "–");
	}
	doc_end(d);
}

static bool is_constant(const struct trend_figure *f)
{
	return ALL(i, f->values.nr, f->values.v[i] == f->values.v[0]);
}

/* Draw charts of figures that became worse, then of others that changed, then of the rest, up to a
   number that fits on a page. A figure with the same value in all runs has no chart. */
static void put_pictures(struct document *d, const struct trends *t)
{
	size_t nr = 0, same = 0;
	doc_section(d, "charts", "Over the runs", DOC_PAGE);
	for (int news = 2; news >= 0; news--)
		for (size_t i = 0; i < t->figures.nr; i++) {
			const struct trend_figure *f = &t->figures.v[i];
			if (news_of(t, f) == news && !is_constant(f) && nr++ < PICTURES)
				doc_picture(d, "figure", i);
		}
	for (size_t i = 0; i < t->figures.nr; i++)
		same += is_constant(&t->figures.v[i]);
	if (same) {
		doc_paragraph(d);
		doc_printf(d, "%zu figure%s the same in all runs: see the table.", same,
		           same == 1 ? " is" : "s are");
	}
	doc_end(d);
}

void trends_add_names(const struct trends *t, struct short_names *names, struct document *d)
{
	for (size_t i = 0; i < t->parts.nr; i++) {
		const struct metric *m = metric_find(span_of(t->parts.v[i].metric));
		if (m && m->label == LABEL_KERNEL)
			short_names_add(names, arena_dup(&d->arena, t->parts.v[i].label));
	}
	for (size_t i = 0; i < t->figures.nr; i++)
		if (t->figures.v[i].of->label == LABEL_KERNEL)
			short_names_add(names, arena_dup(&d->arena, t->figures.v[i].label));
}

static void trends_document(const struct trends *t, struct short_names *names, struct document *d)
{
	doc_init(d);
	trends_add_names(t, names, d);
	short_names_end(names);
	doc_show_names(d, names);
	d->marker = arena_printf(&d->arena, "history-%s", t->workload);
	d->more = t->figures.nr > FIGURES_SHOWN ? "--verbose lists all figures." : NULL;
	put_news(d, t);
	put_points(d, t);
	put_advice(d, t);
	doc_answer_end(d);
	put_figures(d, t, true);
	put_figures(d, t, false);
	put_pictures(d, t);
	put_approval(d, t);
	put_runs(d, t);
}

/* ---- the page ---- */

static void picture(void *ctx, struct picture which, struct strbuf *out)
{
	struct trends_page *w = ctx;
	trends_draw(w->t, &w->t->figures.v[which.nr], &w->d, out);
}

void trends_page_init(struct trends_page *p, const struct trends *t)
{
	*p = (struct trends_page){ .t = t };
	trends_document(t, &p->names, &p->d);
	p->frame = (struct page_frame){ .tool = "gpugate history",
		                            .heading = t->workload,
		                            .word = "history",
		                            .hooks = { .ctx = p, .picture = picture } };
}

void trends_page_release(struct trends_page *p)
{
	doc_release(&p->d);
	short_names_release(&p->names);
}
