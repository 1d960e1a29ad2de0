#include "cli/acceptance.h"

#include <string.h>

#include "base/nearest.h"
#include "base/text.h"
#include "model/view.h"
#include "names/short.h"
#include "report/table.h"
#include "trust/trust.h"

/* The name by which --accept accepts the check: its rule or, if a trust finding prevents the check
   from being judged, the id of that finding. */
static const char *id_to_accept(const struct check *k)
{
	return k->verdict == VERDICT_INCONCLUSIVE && k->spoiler ? k->spoiler->id : k->rule;
}

/* How well `name` fits one of the names of a check: its id, its rule, its metric, its item, or the
   trust finding that prevents it from being judged. */
static enum name_fit fit_of(const char *name, const struct check *k)
{
	const char *const whole[] = { k->rule, k->id, k->metric->name, id_to_accept(k) };
	if (ANY(i, NR_OF(whole), name_fit(span_of(name), span_of(whole[i]), false) >= FIT_SHOWN))
		return FIT_WHOLE;
	return k->item[0] ? item_fit(k->metric, span_of(name), span_of(k->item)) : FIT_NONE;
}

static const char *shown_item(const struct check *k, struct arena *a)
{
	bool kernel = k->metric->label == LABEL_KERNEL;
	return text_line(a, span_of(kernel ? short_name_form(a, k->item, 0) : k->item));
}

static bool is_named(const struct options *o, const char *id)
{
	return ANY(i, o->all[OPT_ACCEPT].nr, strcmp(o->all[OPT_ACCEPT].v[i], id) == 0);
}

/* True if a report shows `name` in the finding: as an item that changed, or as a place where the
   changed work runs or is called. Phases, ranks and categories do not count, since other findings
   may name them, too. */
static bool finding_shows(const struct finding *f, const char *name)
{
	struct span asked = span_of(name);
	const struct place *p = f->where.v;
	return ANY(i, f->parts.nr, name_fit(asked, span_of(f->parts.v[i].name), true) >= FIT_CUT) ||
	       ANY(i, f->where.nr,
	           p[i].kind >= PLACE_OPERATOR && p[i].kind <= PLACE_COLLECTIVE &&
	               name_fit(asked, span_of(p[i].name), p[i].kind == PLACE_KERNEL) >= FIT_CUT);
}

/* Mark in `accepted` the checks of each finding whose cause has the name `name` or, if `shown`, in
   which a report shows `name`. Returns true if there is such a finding. */
static bool accept_findings(const struct report *r, const char *name, bool shown, bool *accepted)
{
	bool any = false;
	for (size_t i = 0; i < r->findings.nr; i++) {
		const struct finding *f = &r->findings.v[i];
		if (strcmp(cause_names[f->cause], name) != 0 && !(shown && finding_shows(f, name)))
			continue;
		any = true;
		for (size_t k = 0; k < f->checks.nr; k++)
			accepted[f->checks.v[k]] = true;
	}
	return any;
}

/* The end of a message about an unknown name: it names rules, items and findings with similar
   names. */
static const char *near_names(const struct report *r, const char *name, struct arena *a)
{
	struct nearest_few near = { .asked = span_of(name) };
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *k = &r->checks.v[i];
		bool known = ANY(j, i, strcmp(r->checks.v[j].rule, r->checks.v[i].rule) == 0);
		if (!known)
			nearest_few_try(&near, 0, span_of(k->rule), k->rule, false);
		if (k->item[0] && check_is_open(k))
			nearest_few_try(&near, 0, span_of(k->item), shown_item(k, a), true);
	}
	for (size_t i = 0; i < r->findings.nr; i++) {
		const char *id = cause_names[r->findings.v[i].cause];
		nearest_few_try(&near, 0, span_of(id), id, false);
	}
	return nearest_few_hint(&near, a);
}

/* Mark in `accepted` the checks that --accept names: for each of its names, the checks that the
   name fits best, and the checks of the findings with this name. */
static enum status find_accepted(const struct report *r, const struct options *o, bool *accepted,
                                 struct diag_log *log)
{
	for (size_t n = 0; n < o->all[OPT_ACCEPT].nr; n++) {
		const char *name = o->all[OPT_ACCEPT].v[n];
		enum name_fit best = FIT_NONE;
		for (size_t i = 0; i < r->checks.nr; i++) {
			enum name_fit fit = fit_of(name, &r->checks.v[i]);
			best = fit > best ? fit : best;
		}
		for (size_t i = 0; i < r->checks.nr && best; i++)
			accepted[i] = accepted[i] || fit_of(name, &r->checks.v[i]) == best;
		if (!accept_findings(r, name, !best, accepted) && !best)
			return diag_fail(log, ST_USAGE,
			                 "--accept: no rule, item or finding of this run is called %s%s",
			                 diag_quote(log, name), near_names(r, name, &log->arena));
	}
	return ST_OK;
}

/* True if a trust finding on the candidate makes the check's figures unreliable. */
static bool is_spoiled(const struct check *k)
{
	return k->verdict == VERDICT_INCONCLUSIVE && k->spoiler && k->spoiler->candidate;
}

/* Fail because of the trust finding with the message `why`, and advise to use the options
   `accepts`, such as " --accept lost-kernels". */
static enum status refuse_books(const char *why, const char *accepts, struct diag_log *log)
{
	return diag_fail(log, ST_INPUT,
	                 "the run cannot be the baseline: %s; record it again, or keep it with%s", why,
	                 accepts);
}

static void forgive(struct report *r, const char *id)
{
	for (size_t i = 0; i < r->trust.nr; i++)
		if (strcmp(r->trust.v[i].id, id) == 0)
			r->trust.v[i].spoils.nr = 0;
}

const char *acceptance_needed(const struct run *runs, size_t nr, bool first,
                              const struct rules *rules, const struct options *o, const char **why,
                              struct arena *a)
{
	struct report r;
	const struct trust_finding *f;
	const char *accepts = "";
	report_init(&r);
	r.expect_ranks = rules->expect_ranks;
	trust_findings(first ? NULL : &runs[0], runs, nr, rules, &r);
	for (size_t i = 0; i < o->all[OPT_ACCEPT].nr; i++)
		forgive(&r, o->all[OPT_ACCEPT].v[i]);
	for (size_t i = 0; i < rules->rules.nr; i++)
		while ((f = trust_spoiler(&r, &rules->rules.v[i], -1))) {
			*why = *accepts ? *why : arena_dup(a, span_of(f->message));
			accepts = arena_printf(a, "%s --accept %s", accepts, f->id);
			forgive(&r, f->id);
		}
	report_release(&r);
	return accepts;
}

enum status acceptance_books(const struct run *runs, size_t nr, bool first,
                             const struct rules *rules, const struct options *o,
                             struct diag_log *log)
{
	const char *why, *accepts = acceptance_needed(runs, nr, first, rules, o, &why, &log->arena);
	return *accepts ? refuse_books(why, accepts, log) : ST_OK;
}

bool acceptance_is_unsure(const struct report *r, const struct options *o)
{
	for (size_t i = 0; i < r->checks.nr; i++) {
		const struct check *k = &r->checks.v[i];
		if (k->verdict == VERDICT_INCONCLUSIVE && !(is_spoiled(k) && is_named(o, k->spoiler->id)))
			return true;
	}
	return r->verdict == VERDICT_INCONCLUSIVE && !r->counts[VERDICT_INCONCLUSIVE];
}

/* The options --accept that would accept the remaining checks: one for each rule or trust
   finding. */
static const char *missing_accepts(const struct report *r, const bool *accepted, struct arena *a)
{
	const char *list = "";
	for (size_t i = 0; i < r->checks.nr; i++) {
		const char *id = id_to_accept(&r->checks.v[i]);
		bool named = !check_is_open(&r->checks.v[i]) || accepted[i] ||
		             ANY(j, i,
		                 check_is_open(&r->checks.v[j]) && !accepted[j] &&
		                     strcmp(id_to_accept(&r->checks.v[j]), id) == 0);
		if (!named)
			list = arena_printf(a, "%s --accept %s", list, id);
	}
	return list;
}

enum status acceptance_judge(const struct report *r, const struct options *o, bool all,
                             struct diag_log *log)
{
	if (r->counts[VERDICT_SKIPPED] == (int64_t)r->checks.nr)
		return diag_fail(log, ST_INPUT, "the run cannot be the baseline: %s", r->headline);
	for (size_t i = 0; i < r->checks.nr; i++)
		if (is_spoiled(&r->checks.v[i]) && !is_named(o, r->checks.v[i].spoiler->id))
			return refuse_books(
			    r->checks.v[i].spoiler->message,
			    arena_printf(&log->arena, " --accept %s", r->checks.v[i].spoiler->id), log);
	bool *accepted = arena_alloc(&log->arena, r->checks.nr + 1, sizeof *accepted);
	TRY(find_accepted(r, o, accepted, log));
	for (size_t i = 0; i < r->checks.nr && !all; i++) {
		const struct check *k = &r->checks.v[i];
		if (check_is_open(k) && !accepted[i])
			return diag_fail(log, k->verdict == VERDICT_FAIL ? ST_FAILED : ST_INPUT,
			                 "not accepted: %s: %s: %s; accept it with%s",
			                 verdict_names[k->verdict], k->id, k->message,
			                 missing_accepts(r, accepted, &log->arena));
	}
	return ST_OK;
}
