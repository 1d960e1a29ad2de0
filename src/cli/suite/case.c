#include "suite/expand.h"

#include <string.h>

#include "base/number.h"
#include "base/strbuf.h"
#include "cli/check.h"
#include "metric/figure_name.h"
#include "metric/unit.h"
#include "report/document.h"
#include "report/key_figures.h"
#include "report/table.h"

enum { CHECKS_KEPT = 50 };

/* ---- options of a case ---- */

void case_options(const struct suite_job *job, const struct options *suite, enum command cmd,
                  struct options *out)
{
	*out = (struct options){ .command = cmd };
	memcpy(out->value, suite->value, sizeof out->value);
	for (int i = 0; i < NR_OPTIONS; i++)
		if (!options_is_for(i, cmd))
			out->value[i] = NULL;
	out->value[OPT_MARKDOWN] = out->value[OPT_JUNIT] = out->value[OPT_JSON] = NULL;
	out->value[OPT_HTML] = NULL;
	out->value[OPT_WORKLOAD] = job->workload;
	if (job->rules)
		out->value[OPT_RULES] = job->rules;
	out->value[OPT_BASELINE] = job->baseline;
	static const enum option lists[] = { OPT_CONTEXT, OPT_ACCEPT };
	for (size_t i = 0; i < NR_OF(lists); i++)
		for (size_t k = 0; k < suite->all[lists[i]].nr; k++)
			vec_push(&out->all[lists[i]], suite->all[lists[i]].v[k]);
	for (size_t i = 0; i < job->runs.nr; i++)
		if (i && job->repeats)
			vec_push(&out->all[OPT_REPEAT], job->runs.v[i]);
		else
			vec_push(&out->args, job->runs.v[i]);
	for (size_t i = 0; i < job->controls.nr; i++)
		vec_push(&out->all[OPT_CONTROL], job->controls.v[i]);
}

/* ---- results of a report ---- */

static void put_metric(struct suite_case *out, const struct report *r, const struct metric *m,
                       const char *kind, enum statistic stat, struct arena *a)
{
	const char *label = figure_label(a, r, m, kind, stat);
	out->metric = arena_dup(a, span_of(m->name));
	out->label = label == metric_label(m) ? NULL : label;
}

static void put_figure(struct suite_case *out, const struct report *r,
                       const struct short_names *names, struct arena *a)
{
	const struct check *c = report_worst_check(r);
	out->change_pct = INT64_MIN;
	if (!c)
		return;
	put_metric(out, r, c->metric, check_kind(c), c->stat, a);
	if (c->item[0] && !check_kind(c) && c->metric->label != LABEL_INPUT)
		out->label = arena_printf(a, "%s of %s", metric_label(c->metric),
		                          report_sentence(names, c->item, a));
	out->baseline = arena_dup(a, span_of(c->baseline_text));
	out->candidate = arena_dup(a, span_of(c->candidate_text));
	out->change = arena_dup(a, span_of(c->pct_text[0] ? c->pct_text : c->change_text));
	if (c->limit[0] && (c->verdict == VERDICT_WARN || c->verdict == VERDICT_FAIL))
		out->limit = arena_printf(a, "%s %s", c->verdict == VERDICT_WARN ? "warns beyond" : "limit",
		                          limit_text(a, c->limit));
	if (c->has_pct)
		out->change_pct = c->change_pct;
	enum doc_tone tone = tone_of_change(c->worse, c->change);
	out->is_worse = tone == TONE_WORSE;
	out->is_better = tone == TONE_BETTER;
}

/* For a case without a baseline, add the key figures of its run to its text. */
static void put_first_figures(struct suite_case *out, const struct report *r, struct arena *a)
{
	struct key_figures all;
	struct strbuf b = STRBUF_INIT;
	strbuf_adds(&b, out->text);
	key_figures_of(r, &all);
	for (size_t i = 0; i < all.list.nr; i++) {
		const struct key_figure *k = &all.list.v[i];
		if (!out->candidate) {
			put_metric(out, r, k->metric, k->kind, k->stat, a);
			out->candidate = arena_dup(a, span_of(k->after));
		}
		strbuf_addf(&b, "%s%s %s", i ? ", " : ": ", k->after,
		            figure_label(a, r, k->metric, k->kind, k->stat));
	}
	out->text = arena_take(a, &b);
	vec_release(&all.list);
}

/* ---- names in findings ---- */

static bool is_slower(const struct check *c)
{
	/* the check is on a time, or on a rate, which falls when times grow */
	bool on_time = unit_is_time(c->metric->unit) ||
	               (c->metric->need == NEED_INPUT && figure_is_timed(c->metric));
	return on_time && check_matters(c) && c->has_change &&
	       tone_of_change(c->worse, c->change) == TONE_WORSE;
}

/* Change of the item `name` of a finding, in 1e-6 percent. If a check of the finding shows that
   this item became slower, it is the change of the check; else the change of the finding's own
   figure. INT64_MIN if unknown. */
static int64_t subject_change(const struct report *r, const struct finding *f, const char *name)
{
	for (size_t i = 0; i < f->checks.nr; i++) {
		const struct check *c = &r->checks.v[f->checks.v[i]];
		if (c->has_pct && is_slower(c) && strcmp(c->item, name) == 0)
			return c->change_pct;
	}
	return f->has_figure && f->baseline > 0 ? number_pct(f->change, f->baseline) : INT64_MIN;
}

static void put_subject(struct suite *out, struct suite_subject x)
{
	const struct suite_subject *last =
	    out->subjects.nr ? &out->subjects.v[out->subjects.nr - 1] : NULL;
	x.place = last && last->of == x.of ? last->place + 1 : 0;
	x.name = arena_dup(&out->arena, span_of(x.name));
	vec_push(&out->subjects, x);
}

/* Add the names by which the finding may be recognized in other cases. Modules, categories and
   phases are left out, since most models have the same ones. For a rank, the name is that of its
   machine. */
static void put_subjects(struct suite *out, const struct report *r, size_t nth, int64_t of)
{
	enum { MOST = 20 };
	const struct finding *f = &r->findings.v[nth];
	struct suite_subject x = { .of = of, .finding = (int64_t)nth };
	x.change_pct = subject_change(r, f, "");
	if (f->cause == CAUSE_UNIFORM) {
		x.name = "every kernel";
		put_subject(out, x);
	} else if (f->cause == CAUSE_OTHER && f->checks.nr && is_slower(&r->checks.v[f->checks.v[0]])) {
		x.name = r->checks.v[f->checks.v[0]].metric->name;
		put_subject(out, x);
	}
	for (size_t i = 0, nr = 0; i < f->where.nr && nr < MOST; i++) {
		const struct place *p = &f->where.v[i];
		bool names = p->kind == PLACE_CODE || p->kind == PLACE_OPERATOR ||
		             p->kind == PLACE_KERNEL || p->kind == PLACE_CALL ||
		             p->kind == PLACE_COLLECTIVE;
		x.kind = place_kind_names[p->kind];
		x.name = p->kind == PLACE_RANK ? p->machine : p->name;
		x.change_pct = subject_change(r, f, p->name);
		if (!x.name || (!names && p->kind != PLACE_RANK))
			continue;
		put_subject(out, x);
		nr++;
	}
}

static void put_machine(struct suite *out, const struct report *r, int64_t of)
{
	for (size_t i = 0; i < r->machine.nr; i++) {
		const struct env_row *row = &r->machine.v[i];
		vec_push(&out->machine,
		         (struct suite_item){
		             .of = of,
		             .place = (int64_t)i,
		             .verdict = VERDICT_WARN,
		             .id = arena_dup(&out->arena, span_of(row->key)),
		             .text = arena_printf(&out->arena, "%s → %s", row->baseline, row->candidate) });
	}
}

static void put_findings(struct suite *out, const struct report *r, struct document *d, int64_t of)
{
	struct arena *a = &out->arena;
	for (size_t i = 0; i < r->findings.nr; i++) {
		const struct finding *f = &r->findings.v[i];
		const char *where = doc_where_text(d, f);
		vec_push(&out->findings,
		         (struct suite_item){
		             .of = of,
		             .place = (int64_t)i,
		             .verdict = (unsigned)f->verdict,
		             .id = cause_names[f->cause],
		             .text = report_sentence(d->names, f->title, a),
		             .cost = f->cost_text[0] ? arena_dup(a, span_of(f->cost_text)) : NULL,
		             .action = f->action[0] ? arena_dup(a, span_of(f->action)) : NULL,
		             .where = where[0] ? arena_dup(a, span_of(where)) : NULL });
		put_subjects(out, r, i, of);
	}
}

/* True for the first open check of its rule (check_is_open()). The result has this check of each
   rule: it then names all rules that --accept may be given. */
static bool is_first_of_rule(const struct report *r, size_t i)
{
	return !ANY(k, i,
	            check_is_open(&r->checks.v[k]) &&
	                strcmp(r->checks.v[k].rule, r->checks.v[i].rule) == 0) &&
	       check_is_open(&r->checks.v[i]);
}

/* Add the checks that need attention (check_matters()), at most CHECKS_KEPT of them, to keep the
   result small. Beyond this number, add only the first open check of each rule. */
static void put_checks(struct suite *out, const struct report *r, struct document *d, int64_t of)
{
	int64_t place = 0;
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *c = &r->checks.v[i];
		if (!(check_matters(c) && place < CHECKS_KEPT) && !is_first_of_rule(r, i))
			continue;
		vec_push(&out->checks,
		         (struct suite_item){
		             .of = of,
		             .place = place++,
		             .verdict = c->verdict,
		             .id = arena_dup(&out->arena, span_of(c->id)),
		             .rule = check_is_open(c) ? arena_dup(&out->arena, span_of(c->rule)) : NULL,
		             .text = report_sentence(d->names, c->message, &out->arena) });
	}
}

static void put_warning(struct suite *out, int64_t of, int64_t *place, const char *text)
{
	vec_push(&out->warnings, (struct suite_item){ .of = of,
	                                              .place = (*place)++,
	                                              .verdict = VERDICT_WARN,
	                                              .id = "warning",
	                                              .text = arena_dup(&out->arena, span_of(text)) });
}

static void put_warnings(struct suite *out, const struct report *r, const struct diag_log *log,
                         int64_t of)
{
	int64_t place = 0;
	for (size_t i = 0; i < r->warnings.nr; i++)
		put_warning(out, of, &place, r->warnings.v[i]);
	for (const struct diag_entry *e = log->first; e; e = e->next)
		if (e->severity == DIAG_WARNING)
			put_warning(out, of, &place, e->text);
}

void case_add_open(struct suite *out, size_t place, const char *name, unsigned verdict,
                   enum status st, const char *text)
{
	vec_push(&out->cases, (struct suite_case){ .place = (int64_t)place,
	                                           .name = arena_dup(&out->arena, span_of(name)),
	                                           .verdict = verdict,
	                                           .exit_code = status_exit_code(st),
	                                           .text = arena_dup(&out->arena, span_of(text)),
	                                           .change_pct = INT64_MIN,
	                                           .false_alarms = -1 });
}

static void put_case(struct suite *out, const struct report *r, const char *name, size_t place)
{
	struct arena *a = &out->arena;
	struct short_names names = { 0 }; /* kernels are named as in the report of the case */
	struct suite_case c = { .place = (int64_t)place,
		                    .name = arena_dup(a, span_of(name)),
		                    .workload = arena_dup(a, span_of(r->workload)),
		                    .verdict = r->verdict,
		                    .exit_code = status_exit_code(r->status),
		                    .text = arena_dup(a, span_of(r->summary)),
		                    .false_alarms = r->has_false_alarms ? r->false_alarms : -1,
		                    .plan_runs = r->plan_runs,
		                    .plan_pairs = r->plan_pairs,
		                    .unconfirmed = r->unconfirmed,
		                    .rules_file = arena_dup(a, span_of(r->rules)),
		                    .baseline_file = arena_dup(a, span_of(r->baseline_path)) };
	report_names(r, &names);
	put_figure(&c, r, &names, a);
	for (size_t i = 0; i < r->checks.nr; i++)
		c.slower += is_slower(&r->checks.v[i]);
	put_machine(out, r, c.place);
	if (!r->baseline_run)
		put_first_figures(&c, r, a);
	if (r->accept && r->accept[0] && !r->left_out)
		c.accept = arena_dup(a, span_of(r->accept));
	vec_push(&out->cases, c);
	struct document d;
	report_document(r, &names, &d);
	put_findings(out, r, &d, c.place);
	put_checks(out, r, &d, c.place);
	doc_release(&d);
	short_names_release(&names);
}

void case_judge(const struct suite_job *job, const struct options *suite, size_t place,
                size_t gates, struct suite *out)
{
	struct options o;
	struct check_job j;
	struct diag_log log;
	if (job->missing) {
		case_add_open(out, place, job->workload, VERDICT_MISSING, ST_INPUT, job->missing);
		return;
	}
	diag_init(&log);
	case_options(job, suite, CMD_CHECK, &o);
	enum status st = check_begin(&j, &o, gates, &log);
	const char *error = diag_first_error(&log);
	if (st == ST_OK)
		put_case(out, &j.report, job->workload, place);
	else
		case_add_open(out, place, job->workload, VERDICT_ERROR, st,
		              error ? error : status_text(st));
	put_warnings(out, &j.report, &log, (int64_t)place);
	check_end(&j);
	options_release(&o);
	diag_release(&log);
}
