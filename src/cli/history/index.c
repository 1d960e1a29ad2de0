#include <glob.h>
#include <string.h>

#include "base/text.h"
#include "cli/output.h"
#include "cli/setup.h"
#include "history/trends_document.h"
#include "report/document.h"
#include "rules/suite_file.h"

enum { CASES_SHOWN = 50, EVENTS_SHOWN = 50, PICTURES = 60, DAY_CHARS = 10 };

struct index_case {
	const char *path, *name;
	const struct setup *setup;
	struct baseline b;
	struct trends t; ///< series of figures of the case; borrows from `b`
	bool has; ///< true if the case has a baseline
};

struct index {
	struct suite_file file;
	struct arena arena;
	const struct options *options;
	struct trend_options wanted;
	VEC(struct setup *) setups; ///< rules and tables for each entry of the suite file
	VEC(struct index_case) cases;
	struct document d;
	struct short_names names; ///< names of the kernels of all cases
	struct diag_log *log;
};

/* ---- the stored baselines ---- */

/* The glob that matches all paths which a path pattern of the rules can produce: a placeholder that
   only a run could fill in becomes `*`. */
static const char *pattern_of(struct index *x, const char *path, const char *workload)
{
	static const char name[] = "{workload}";
	struct strbuf b = STRBUF_INIT;
	for (const char *p = path; *p;) {
		const char *end = *p == '{' ? strchr(p, '}') : NULL;
		if (span_starts(span_of(p), SPAN("{workload}"))) {
			strbuf_adds(&b, pattern_of(x, workload, ""));
			p += sizeof name - 1;
		} else if (end) {
			strbuf_addch(&b, '*');
			p = end + 1;
		} else {
			strbuf_adds(&b, strchr("*?[\\", *p) ? "\\" : "");
			strbuf_addch(&b, *p++);
		}
	}
	return arena_take(&x->arena, &b);
}

static enum status add_case(struct index *x, const struct suite_entry *e, const struct setup *s,
                            const char *path)
{
	struct baseline b = { 0 };
	enum status st = setup_baseline_read(x->options, path, &b, x->log);
	struct index_case *c = vec_push_zero(&x->cases);
	const char *name = strchr(e->workload, '{') ? b.workload : e->workload;
	*c = (struct index_case){ .path = path, .name = name, .setup = s, .b = b, .has = st == ST_OK };
	return st;
}

/* Read the baselines of one entry of the suite file. If the path of the entry's rules contains
   {name}, the rules of the whole suite are used, since a case is not known here. */
static enum status add_line(struct index *x, const struct suite_entry *e)
{
	struct options own = *x->options;
	struct setup *s = arena_alloc(&x->arena, 1, sizeof *s);
	glob_t g;
	own.value[OPT_RULES] =
	    e->rules && !strstr(e->rules, "{name}") ? e->rules : own.value[OPT_RULES];
	vec_push(&x->setups, s);
	enum status st = setup_init(s, &own, x->log);
	TRY(st);
	const char *path = e->baseline ? e->baseline : s->rules.baseline;
	const char *pattern = pattern_of(x, path, e->workload);
	if (glob(pattern, 0, NULL, &g) != 0) {
		vec_push(&x->cases, (struct index_case){ .path = "", .name = e->workload });
		return ST_OK;
	}
	for (size_t i = 0; i < g.gl_pathc && st == ST_OK; i++)
		if (!ANY(k, x->cases.nr, strcmp(x->cases.v[k].path, g.gl_pathv[i]) == 0))
			st = add_case(x, e, s, arena_dup(&x->arena, span_of(g.gl_pathv[i])));
	globfree(&g);
	return st;
}

/* ---- contents of the page ---- */

/* The most informative figure of a case: the one that changed last, else step.period,
   step.compute_time or the first figure. */
static const struct trend_figure *key_figure(const struct trends *t)
{
	static const char *const names[] = { "step.period", "step.compute_time" };
	const struct trend_change *newest = NULL;
	for (size_t i = 0; i < t->points.nr; i++)
		if (!newest || t->points.v[i].first > newest->first)
			newest = &t->points.v[i];
	if (newest)
		return trend_figure_of(t, newest->figure);
	for (size_t k = 0; k < NR_OF(names); k++)
		for (size_t i = 0; i < t->figures.nr; i++)
			if (strcmp(t->figures.v[i].metric, names[k]) == 0)
				return &t->figures.v[i];
	return t->figures.nr ? &t->figures.v[0] : NULL;
}

struct changed_at {
	const struct index_case *of;
	const struct trend_change *point;
};

static const char *time_of(const struct changed_at *e)
{
	return e->of->t.runs.v[e->point->first].time;
}

/* Order of changes on the page: the newest first. */
ORDERING(changed_at_cmp, struct changed_at,
         THEN(strcmp(time_of(y), time_of(x))) RISING(of) RISING(point))

/* True for the first of a case's change points at one run. Only this point becomes an item of the
   list, which also shows further change points at the run that have the same direction. */
static bool is_first(const struct trends *t, const struct trend_change *p)
{
	return ALL(i, (size_t)(p - t->points.v), t->points.v[i].first != p->first);
}

static void put_events(struct index *x)
{
	VEC(struct changed_at) all = VEC_INIT;
	for (size_t i = 0; i < x->cases.nr; i++)
		for (size_t k = 0; k < x->cases.v[i].t.points.nr; k++) {
			const struct trend_change *p = &x->cases.v[i].t.points.v[k];
			if (is_first(&x->cases.v[i].t, p))
				vec_push(&all, (struct changed_at){ &x->cases.v[i], p });
		}
	vec_sort(&all, changed_at_cmp);
	doc_section(&x->d, "changes", "Change points", DOC_OPEN);
	for (size_t i = 0; i < all.nr && i < EVENTS_SHOWN; i++) {
		doc_item(&x->d, 0);
		doc_add(&x->d, DOC_NAME, TONE_STRONG, all.v[i].of->name);
		doc_words(&x->d, ": ");
		trends_put_event(&x->d, &all.v[i].of->t, all.v[i].point);
	}
	if (all.nr > EVENTS_SHOWN) {
		doc_item(&x->d, 0);
		doc_printf(&x->d, "%zu older changes: see the history of each case", all.nr - EVENTS_SHOWN);
	}
	doc_end(&x->d);
	vec_release(&all);
}

static void put_case(struct document *d, const struct index_case *c)
{
	const struct trend_figure *f = c->has ? key_figure(&c->t) : NULL;
	const struct trend_run *newest = c->t.runs.nr ? &c->t.runs.v[c->t.runs.nr - 1] : NULL;
	doc_row(d, 0);
	doc_name_cell(d, c->name);
	if (!f) {
		doc_words_cell(d, c->has ? "no run yet" : "no baseline yet");
		for (int i = 0; i < 6; i++)
			doc_words_cell(d, "–");
		return;
	}
	doc_said_cell(d, trend_name(d, f, SPAN("")));
	trends_put_figure(d, f);
	doc_figure_cell(d, arena_printf(&d->arena, "%zu", c->t.points.nr), true,
	                (int64_t)c->t.points.nr);
	doc_words_cell(d, trend_sparkline(d, f));
	doc_words_cell(d, newest->time[0] ? arena_printf(&d->arena, "%.*s", DAY_CHARS, newest->time)
	                                  : "–");
}

static void put_cases(struct index *x)
{
	static const struct doc_column columns[] = {
		{ "case", DOC_LEFT },   { "figure", DOC_LEFT },   { "newest", DOC_RIGHT },
		{ "level", DOC_RIGHT }, { "spread", DOC_RIGHT },  { "changes", DOC_RIGHT },
		{ "runs", DOC_LEFT },   { "last run", DOC_LEFT },
	};
	doc_section(&x->d, "cases", "Cases", DOC_OPEN);
	struct doc_table *t = doc_table(&x->d, "Cases", COLUMNS(columns));
	t->brief = CASES_SHOWN;
	t->more_text = "cases";
	for (size_t i = 0; i < x->cases.nr; i++)
		put_case(&x->d, &x->cases.v[i]);
	doc_end(&x->d);
}

/* Draw charts of cases that changed, then of other cases, up to a number that fits on a page. */
static void put_pictures(struct index *x)
{
	size_t nr = 0;
	doc_section(&x->d, "charts", "Over the runs", DOC_PAGE);
	for (int changed = 1; changed >= 0; changed--)
		for (size_t i = 0; i < x->cases.nr; i++)
			if (x->cases.v[i].has && x->cases.v[i].t.figures.nr &&
			    (x->cases.v[i].t.points.nr > 0) == changed && nr++ < PICTURES)
				doc_picture(&x->d, "case", i);
	doc_end(&x->d);
}

static void picture(void *ctx, struct picture which, struct strbuf *out)
{
	struct index *x = ctx;
	const struct index_case *c = &x->cases.v[which.nr];
	strbuf_adds(out, "<h3>");
	doc_html_escape(out, span_of(c->name));
	strbuf_adds(out, "</h3>\n");
	trends_draw(&c->t, key_figure(&c->t), &x->d, out);
}

static void make_document(struct index *x)
{
	size_t changes = 0;
	for (size_t i = 0; i < x->cases.nr; i++) {
		changes += x->cases.v[i].t.points.nr;
		trends_add_names(&x->cases.v[i].t, &x->names, &x->d);
	}
	short_names_end(&x->names);
	doc_show_names(&x->d, &x->names);
	x->d.marker = arena_printf(&x->d.arena, "history-suite-%s", x->file.name);
	doc_paragraph(&x->d);
	doc_say(&x->d, "history · %s", x->file.name);
	doc_printf(&x->d, ": %zu change%s in %zu case%s", changes, text_s(changes), x->cases.nr,
	           text_s(x->cases.nr));
	put_events(x);
	put_cases(x);
	put_pictures(x);
}

static void index_release(struct index *x)
{
	for (size_t i = 0; i < x->cases.nr; i++) {
		if (x->cases.v[i].has)
			trends_release(&x->cases.v[i].t);
		baseline_release(&x->cases.v[i].b);
	}
	vec_release(&x->cases);
	for (size_t i = 0; i < x->setups.nr; i++)
		setup_release(x->setups.v[i]);
	vec_release(&x->setups);
	doc_release(&x->d);
	short_names_release(&x->names);
	suite_file_release(&x->file);
	arena_release(&x->arena);
}

enum status index_trends(const struct options *o, struct diag_log *log)
{
	struct index x = { .arena = ARENA_INIT, .options = o, .log = log };
	doc_init(&x.d);
	enum status st = trend_options_read(o, &x.wanted, log);
	if (st == ST_OK && (o->value[OPT_WORKLOAD] || o->value[OPT_BASELINE] || o->value[OPT_JSON]))
		st = diag_fail(log, ST_USAGE,
		               "'history' of a suite is of all its baselines, as a page: --workload, "
		               "--baseline and --json are of one");
	NEXT(st, suite_file_read(o->value[OPT_SUITE], NULL, &x.file, log));
	for (size_t i = 0; i < x.file.entries.nr && st == ST_OK; i++)
		st = add_line(&x, &x.file.entries.v[i]);
	if (st == ST_OK) {
		/* series borrow from the baseline of their case: from here on, cases must not move */
		for (size_t i = 0; i < x.cases.nr; i++) {
			struct index_case *c = &x.cases.v[i];
			if (c->has)
				trends_make(&c->b, c->name, &x.wanted, &c->setup->rules, &c->t);
		}
		make_document(&x);
		struct page_frame frame = { .tool = "gpugate history",
			                        .heading = x.file.name,
			                        .word = "history",
			                        .hooks = { .ctx = &x, .picture = picture } };
		st = output_document(&(struct output){ .options = o, .log = log }, &x.d, &frame, true);
	}
	index_release(&x);
	return st;
}
