#include "gate/checks.h"

#include <inttypes.h>

#include "base/nearest.h"
#include "base/number.h"
#include "base/text.h"
#include "diff/breakdown_of.h"
#include "diff/drift.h"
#include "gate/checks_beside.h"
#include "gate/compare.h"
#include "gate/confirm.h"
#include "gate/exceptions.h"
#include "gate/message.h"
#include "gate/noise.h"
#include "gate/waivers.h"
#include "metric/unit.h"
#include "model/fold.h"
#include "model/select.h"
#include "trust/trust.h"

struct maker {
	const struct noise_model *noise;
	struct bench *bench;
	const struct rules *rules;
	const struct rule *rule;
	struct beside *beside;
	bool *waived; ///< a flag for each waiver of the rules; set if the waiver covers a failure
	const unsigned char *best; ///< for each waiver, how well its name fits the item of the rule
	                           ///< that it fits best (waivers_names())
	struct report *out;
	const char *in_some; ///< text such as "3 of 8 ranks of 'run.json' have it" if, in some run of
	                     ///< the candidate, more ranks lack all items of the rule than in the
	                     ///< baseline; else NULL (function in_some())
	bool unrecorded[NR_SIDES]; ///< true for a side that has no items of the rule's kind
	bool has_step;
	int64_t step_ns;
};

/* ---- a single check ---- */

enum { ID_CHARS = 60 };

/* The name of an entry's item: in full for a report, or shortened for an id. If a name has
   characters that cannot be printed, a hash of it is appended, since two different names could
   otherwise look the same. */
static const char *item_of(struct arena *a, const struct entry *e, bool in_id, bool of_file)
{
	struct strbuf b = STRBUF_INIT;
	/* A long name of a figure of result files becomes a hash and the end of the name, since such
	   names differ at their ends. It is ASCII:
	   "1f2e3d4c~Meta-Llama-3-8B-Instruct.r1.0.cnone/p99_ttft_ms". */
	if (in_id && of_file && e->label.n > ID_CHARS)
		return arena_printf(a, "%08" PRIx32 "~%s", text_hash32(e->label),
		                    e->label.p + e->label.n - ID_CHARS + 9);
	text_add_short(&b, e->label, in_id ? ID_CHARS : (size_t)-1);
	if ((!in_id || text_chars(e->label) <= ID_CHARS) && !span_eq(strbuf_span(&b), e->label))
		strbuf_addf(&b, "~%08" PRIx32, text_hash32(e->label));
	if (e->rank >= 0)
		strbuf_addf(&b, "%srank %" PRId64, b.n ? ", " : "", e->rank);
	return arena_take(a, &b);
}

static void fill_figures(struct check *k, const struct entry *e, bool since_pin, struct arena *a)
{
	enum unit unit = k->metric->unit;
	k->has_baseline = e->has[SIDE_BASELINE];
	k->has_candidate = e->has[SIDE_CANDIDATE];
	k->baseline = since_pin ? e->pin : e->value[SIDE_BASELINE];
	k->candidate = e->value[SIDE_CANDIDATE];
	k->has_change = k->has_baseline && k->has_candidate;
	k->has_pct = k->has_change && k->baseline > 0;
	if (k->has_change)
		k->change = number_sub(k->candidate, k->baseline);
	if (k->has_pct)
		k->change_pct = number_pct((__int128)k->candidate - k->baseline, k->baseline);
	const char *texts[2];
	unit_pair(a, unit, k->has_baseline ? k->baseline : 0, k->has_candidate ? k->candidate : 0,
	          texts);
	k->baseline_text = k->has_baseline ? texts[0] : UNIT_ABSENT;
	k->candidate_text = k->has_candidate ? texts[1] : UNIT_ABSENT;
	k->change_text = k->has_change ? unit_change(a, unit, k->change) : UNIT_ABSENT;
	k->pct_text = k->has_pct && unit != UNIT_PCT ? unit_relative(a, k->change_pct) : "";
}

static struct check new_check(const struct maker *m, const struct entry *e, bool since_pin)
{
	struct arena *a = &m->out->arena;
	const struct rule *rule = m->rule;
	bool of_file = rule->metric->label == LABEL_INPUT;
	const char *item = item_of(a, e, true, of_file);
	struct check k = {
		.id = item[0] ? arena_printf(a, "%s[%s]", rule->id, item) : arena_dup(a, span_of(rule->id)),
		.rule = arena_dup(a, span_of(rule->id)),
		.group = rule->metric->group,
		.metric = rule->metric,
		.worse = rule->worse,
		.item = item_of(a, e, false, of_file),
		.select = select_pairs(&rule->query, a),
		.stat = rule->query.stat,
		.evidence = { .noise_text = "", .detectable_text = "", .plan_text = "", .text = "" },
	};
	fill_figures(&k, e, since_pin, a);
	return k;
}

/* The breakdown of the change of check `k`, or NULL. For a check on some ranks only, the activities
   of other ranks do not count. */
static struct breakdown *check_breakdown(const struct maker *m, const struct check *k,
                                         const struct entry *e)
{
	struct bench *b = m->bench;
	struct breakdown_query q = {
		.metric = k->metric,
		.cls = m->rule->query.cls,
		.label = e->label,
		.change = k->change,
		.later = number_sub(e->explained, k->baseline),
		.renamed = e->was.n > 0,
		.ranks = { m->rule->query.rank, e->rank >= 0, e->rank },
	};
	/* The baseline's run that explains changes may lack the figure. A figure of the whole run is
	   then unknown, and nothing can be broken down. An item, such as a kernel, took 0 ns in that
	   run, since it was not launched. */
	if (!e->is_explained && k->metric->label == LABEL_NONE)
		return NULL;
	if (!q.ranks.one && !q.ranks.glob)
		return breakdown_of(b, &b->pairs, &q, &m->out->arena);
	/* a folded run has only rows of all ranks together, and none of single ranks */
	if (run_fold(b->run[SIDE_BASELINE]) || run_fold(b->run[SIDE_CANDIDATE]))
		return NULL;
	struct activity_pairs pairs;
	activity_pairs_init(&pairs, b->view, b->view + SIDE_CANDIDATE, b->runs.nr_candidates, q.ranks);
	struct breakdown *out = breakdown_of(b, &pairs, &q, &m->out->arena);
	vec_release(&pairs.list);
	return out;
}

/* Add the breakdown to a check that fails, is undecided or waived, or warns. For memory, the
   message also names the site (function that allocates) with the largest change. */
static void add_breakdown(const struct maker *m, struct check *k, const struct entry *e)
{
	const char *where = NULL;
	if (!k->has_change || (!verdict_is_beyond(k->verdict) && k->verdict != VERDICT_WAIVED &&
	                       k->verdict != VERDICT_WARN))
		return;
	if (k->metric->need == NEED_MEMORY)
		k->breakdown =
		    breakdown_of_memory(m->bench, &m->rule->query, e, k->baseline, &m->out->arena, &where);
	if (!k->breakdown)
		k->breakdown = check_breakdown(m, k, e);
	if (where)
		k->message = arena_printf(&m->out->arena, "%s, %s", k->message, where);
}

/* True if the data that the figure comes from was recorded on one side at least. A check on it is
   otherwise not applicable. */
static bool is_known(const struct maker *m, const struct entry *e)
{
	if (m->rule->metric->label != LABEL_PAIR || m->rule->metric->exact)
		return e->has[SIDE_BASELINE] || e->has[SIDE_CANDIDATE];
	return bench_has(m->bench, SIDE_BASELINE, m->rule->metric) ||
	       bench_has(m->bench, SIDE_CANDIDATE, m->rule->metric);
}

/* Text such as "3 of 8 ranks of 'run.json' have it" if, in some run of the candidate, more ranks
   lack all `nr` items than in the baseline; else NULL. */
static const char *in_some(const struct maker *m, const struct entry *items, size_t nr)
{
	struct arena *a = &m->out->arena;
	bool has[NR_SIDES] = { false, false };
	int64_t ranks;
	for (size_t i = 0; i < nr; i++)
		for (int s = 0; s < NR_SIDES; s++)
			has[s] = has[s] || items[i].has[s];
	const struct run *run =
	    has[0] && has[1] && items->cells ? bench_in_some(m->bench, items, nr, &ranks) : NULL;
	return run ? arena_printf(a, "%" PRId64 " of %zu ranks of %s have it", ranks, run_nr_ranks(run),
	                          text_quote(a, span_of(run->label)))
	           : NULL;
}

/* Text such as "'step-time' (12.5 ms → 13.4 ms)" if the median of main's runs is worse than the
   value of the approved run, by more than noise and by more than a fail limit of the rule allows;
   else NULL. */
static const char *moved_text(const struct maker *m, const struct comparison *c,
                              const struct evidence *evidence)
{
	struct comparison moved = *c;
	/* if control runs are the baseline, they do not show how main has changed */
	bool of_controls = m->bench->runs.nr_controls && !m->rule->metric->exact;
	if (!c->has_pin || m->rule->for_each || of_controls ||
	    (evidence->has_noise && imaxabs(c->baseline - c->pin) <= evidence->noise))
		return NULL;
	moved.baseline = c->pin;
	moved.candidate = c->baseline;
	moved.has_candidate = true;
	moved.told = NULL;
	moved.has_noise = moved.spoiled = moved.waived = false;
	struct decision d = compare(&moved);
	if (!d.limit || limit_is_absolute(d.limit) || d.verdict != VERDICT_FAIL)
		return NULL;
	struct arena *a = &m->out->arena;
	enum unit unit = m->rule->metric->unit;
	return arena_printf(a, "'%s' (%s \u2192 %s)", m->rule->id, unit_text(a, unit, c->pin),
	                    unit_text(a, unit, c->baseline));
}

/* How much of the change of check `k` the entry `w` of `allow` covers. The breakdown of a wall time
   has no kernels, only a part "compute": the change of compute time is then broken down, too. */
static int64_t part_of(const struct maker *m, const struct waiver *w, const struct check *k,
                       const struct entry *e, const struct breakdown *parts)
{
	int64_t part = allow_part(m->bench, w, parts), most = allow_compute(parts);
	if (part > 0 || most <= 0 || k->metric->id == METRIC_STEP_COMPUTE_TIME)
		return part;
	struct check compute = *k;
	compute.metric = &metric_table[METRIC_STEP_COMPUTE_TIME];
	compute.change = most;
	struct breakdown *of = check_breakdown(m, &compute, e);
	part = of ? allow_part(m->bench, w, of) : 0;
	if (of)
		vec_release(&of->parts);
	return part;
}

/* If check `k` is beyond its limit only because of growth that entries of `allow` cover, returns
   the text of the first of these entries; else NULL. If NULL is returned although entries cover a
   part of the change, `*of_it` becomes a text that says how much they cover. */
static const char *allowed(const struct maker *m, const struct entry *e, const struct comparison *c,
                           const struct check *k, const char **of_it)
{
	struct breakdown *parts = NULL;
	const struct waiver *first = NULL;
	int64_t sum = 0;
	struct arena *a = &m->out->arena;
	bool beyond = verdict_is_beyond(k->verdict) || k->verdict == VERDICT_WARN;
	if (!beyond || !k->has_change || k->change <= 0 || !allow_is_for(k->metric))
		return NULL;
	for (size_t i = 0; i < m->rules->waivers.nr; i++) {
		const struct waiver *w = &m->rules->waivers.v[i];
		bool any = w->allows && !w->select.metric;
		if (any && !parts)
			parts = check_breakdown(m, k, e);
		int64_t part = any && parts ? part_of(m, w, k, e, parts) : 0;
		if (part <= 0)
			continue;
		first = first ? first : w;
		m->waived[i] = true;
		sum = number_add(sum, part);
	}
	if (parts)
		vec_release(&parts->parts);
	if (!first)
		return NULL;
	struct comparison without = *c;
	sum = sum < k->change ? sum : k->change;
	without.candidate -= sum;
	int64_t left = k->change - sum;
	without.sure[0] = without.sure[0] && left > k->evidence.noise;
	without.pin_sure = without.pin_sure && left > k->evidence.noise;
	enum verdict verdict = compare(&without).verdict;
	if (verdict_is_beyond(verdict) || verdict == k->verdict) {
		*of_it = arena_printf(a, "; 'allow' covers %s of it", unit_change(a, k->metric->unit, sum));
		return NULL;
	}
	return waiver_text(first, a);
}

/* Text that says why a check on the entry would only repeat other checks; NULL if it would not
   repeat any. */
static const char *told_by(const struct maker *m, const struct entry *e)
{
	const struct step_kinds *k = &m->bench->kinds;
	const struct rule *rule = m->rule;
	if (k->all_apart && !rule->query.phase && rule->metric->rests_on & ON_TRACE &&
	    rule->metric->need != NEED_RANKS && k->mix > trust_tolerance(rule))
		return "the runs have the kinds of steps in other shares, and each kind is judged by "
		       "itself";
	return check_is_told(m->beside, e)
	           ? arena_printf(&m->out->arena, "%s says the same", rule->unless->name)
	           : NULL;
}

/* Make one check, which compare() decides. A failure becomes milder if entries of `allow` cover it,
 * or if further runs do not confirm it (confirm.h). Later, uniform_settle() can make the verdict
 * milder, too. */
static void add_check(const struct maker *m, const struct entry *e)
{
	const struct rule *rule = m->rule;
	const struct trust_finding *spoiler = trust_spoiler(m->out, rule, e->rank);
	struct evidence evidence;
	struct select_item item = { rule, e->label, e->rank, m->bench->naming.categories, FIT_NONE };
	int64_t waiver = waivers_find(m->rules, m->best, item);
	struct comparison c = {
		.rule = rule,
		.has_baseline = e->has[SIDE_BASELINE],
		.has_candidate = e->has[SIDE_CANDIDATE],
		.baseline = e->value[SIDE_BASELINE],
		.candidate = e->value[SIDE_CANDIDATE],
		.has_step = m->has_step,
		.step_ns = m->step_ns,
		.told = told_by(m, e),
		.folded_baseline =
		    !e->has[SIDE_BASELINE] && bench_lacks(m->bench, SIDE_BASELINE, &rule->query),
		.folded_candidate =
		    !e->has[SIDE_CANDIDATE] && bench_lacks(m->bench, SIDE_CANDIDATE, &rule->query),
		.unrecorded = m->unrecorded[e->has[SIDE_BASELINE] ? SIDE_CANDIDATE : SIDE_BASELINE],
		.in_some = family_is_of_items(rule->metric) ? m->in_some : in_some(m, e, 1),
		.predates = m->bench->before_period && rule->metric->since > 0,
		.floor = check_floor(m->beside, rule->metric, e),
		.spoiled = spoiler && is_known(m, e),
		.hidden = family_may_be_hidden(m->bench, rule->metric, e),
		.waived = waiver >= 0,
		.waived_up_to = waiver >= 0 ? m->rules->waivers.v[waiver].up_to : 0,
		.bootstrap = !m->bench->runs.baseline,
		.has_pin = e->has_pin,
		.pin = e->pin,
	};
	struct arena *a = &m->out->arena;
	noise_evidence(m->noise, e, &c, a, &evidence);
	struct substitute unit;
	substitute_find(m->noise, rule, e, &c, a, &unit);
	/* a kernel is not judged by its operator or category if that figure cannot be believed */
	struct rule of_unit = *rule;
	of_unit.metric = unit_query(m->noise->kind).metric;
	unit.found = unit.found && !trust_spoiler(m->out, &of_unit, e->rank);
	c.unit = unit.found ? &unit.decision : NULL;
	c.net = unit.net;
	c.net_sure = unit.net_sure;
	c.unit_change = unit.change;
	struct decision d = compare(&c);
	if (m->rules->in_review && verdict_is_beyond(d.verdict) && waiver < 0)
		c.of_main = main_slow_since(m->bench, e, &c, &d, a, &c.waived_up_to);
	if (c.of_main) {
		c.waived = true;
		d = compare(&c);
	}
	if (d.reason == REASON_NOISE && c.unit && c.sure[0]) { /* the kernel rose, but others fell */
		d.reason = REASON_NET;
		evidence.more_runs = unit.evidence.more_runs;
		evidence.more_pairs = unit.evidence.more_pairs;
		evidence.plan_text = arena_printf(a, "%s, which may be noise (%s): %s", unit.text,
		                                  unit.evidence.noise_text, unit.evidence.plan_text);
	}
	if (d.verdict == VERDICT_FAIL && confirm_is_refuted(m->noise, e, &c)) {
		d.verdict = VERDICT_WARN;
		d.reason = REASON_UNCONFIRMED;
	}
	if (confirm_is_shown(m->noise, e, m->rules->is_main, &c, &d, a, &evidence)) {
		d.verdict = rule->unsure == UNSURE_WARN ? VERDICT_WARN : VERDICT_UNDECIDED;
		d.reason = REASON_SHOWN;
	}
	confirm_raise_plan(m->noise, &c, &d, a, &evidence);
	bool unconfirmed = confirm_is_open(m->noise, &c, &d, &evidence);
	struct check k = new_check(m, e, d.since_pin);
	k.evidence = evidence;
	k.of_all = d.reason == REASON_OF_ALL;
	k.unconfirmed = unconfirmed;
	k.moved = moved_text(m, &c, &evidence);
	k.trend = trend_of(m->bench, e, a);
	const struct limits *map = rule->fail.list.nr ? &rule->fail : &rule->warn;
	k.verdict = d.verdict;
	k.limit =
	    d.limit ? message_limit(a, d.map, d.limit, &c) : message_limits(a, d.map ? d.map : map, &c);
	k.absolute = d.limit && limit_is_absolute(d.limit) && k.metric->label != LABEL_PAIR;
	const char *covered = "", *allow = allowed(m, e, &c, &k, &covered);
	if (allow) {
		k.verdict = d.verdict = VERDICT_WAIVED;
		k.waiver = allow;
	} else if (d.verdict == VERDICT_WAIVED && c.of_main)
		k.waiver = c.of_main;
	else if (d.verdict == VERDICT_WAIVED)
		k.waiver = waiver_text(&m->rules->waivers.v[waiver], a);
	if (waiver >= 0 && !allow && (d.verdict == VERDICT_WAIVED || d.verdict == VERDICT_FAIL))
		m->waived[waiver] = true; /* a waiver counts as used even if the change is larger than
		                             the waiver allows; the message then says so */
	if (d.verdict == VERDICT_INCONCLUSIVE || d.verdict == VERDICT_MISSING)
		k.spoiler = spoiler;
	k.message = arena_printf(a, "%s%s",
	                         message_of(a, &c, &d, &k, spoiler ? spoiler->message : NULL), covered);
	if (d.verdict == VERDICT_INCONCLUSIVE && c.spoiled) {
		/* do not show a change that cannot be believed */
		k.change_text = "not judged";
		k.pct_text = "";
	}
	if (unit.found && (d.reason == REASON_SUBSTITUTE || d.reason == REASON_NEW))
		k.message = arena_printf(a, "%s: %s", k.message, unit.text);
	const struct bench *b = m->bench;
	if (rule->metric->label == LABEL_PAIR && k.has_candidate && b->runs.recent &&
	    b->run[SIDE_BASELINE] == b->approved && b->runs.recent->runs.nr > (b->twin ? 1 : 0))
		k.message = arena_printf(
		    a, "%s; compared with the approved run only: later ones hold no kernels", k.message);
	const char *resources = NULL;
	if (k.metric->id == METRIC_KERNEL_RESOURCE_CHANGES && k.verdict <= VERDICT_WARN)
		(void)drift_resources(&m->bench->pairs, rule->top, a, &(int64_t){ 0 }, &resources);
	if (resources)
		k.message = arena_printf(a, "top kernels take other resources than before: %s", resources);
	if (e->was.n)
		k.message =
		    arena_printf(a, "%s; renamed from '%s'", k.message, text_short(a, e->was, ID_CHARS));
	/* warn if the entry of `allow` covers only a part of the failure, since findings do not say
	 * so */
	if (waiver >= 0 && m->rules->waivers.v[waiver].allows && k.verdict == VERDICT_FAIL)
		vec_push(&m->out->warnings, k.message);
	add_breakdown(m, &k, e);
	if (d.reason == REASON_NEW || d.reason == REASON_GONE) {
		bool is_new = d.reason == REASON_NEW;
		static const char *const severities[] = { "note", "warn", "fail" };
		k.change_text = is_new ? "new" : "gone";
		k.limit = arena_printf(a, "on_%s: %s", k.change_text,
		                       severities[is_new ? rule->on_new : rule->on_gone]);
	}
	k.folded = c.folded_baseline || c.folded_candidate;
	size_t nr = m->out->checks.nr;
	bool first = nr == 0 || strcmp(m->out->checks.v[nr - 1].rule, k.rule) != 0;
	if (d.verdict == VERDICT_SKIPPED && !c.bootstrap && !c.told && (first || !c.unrecorded) &&
	    (k.folded || c.has_baseline != c.has_candidate))
		vec_push(&m->out->warnings, arena_printf(a, "'%s' is skipped: %s", k.rule, k.message));
	vec_push(&m->out->checks, k);
}

/* ---- the entries of a rule ---- */

/* For a metric that compares both sides (LABEL_PAIR), add one entry. The metric's value is stored
 * as the candidate's. */
static void pair_entry(const struct maker *m, struct entries *entries)
{
	const struct metric *metric = m->rule->metric;
	struct entry e = { .rank = -1 };
	if (bench_has(m->bench, SIDE_BASELINE, metric) && bench_has(m->bench, SIDE_CANDIDATE, metric))
		e.has[SIDE_CANDIDATE] =
		    drift_figure(&m->bench->pairs, metric, m->rule->top, &e.value[SIDE_CANDIDATE]);
	vec_push(&entries->list, e);
}

/* Find step.cuda_time of the baseline. The condition `and` of a limit may be a percentage of it. */
static void find_step(struct maker *m)
{
	const struct metric *metric = &metric_table[METRIC_STEP_CUDA_TIME];
	struct query q = { .metric = metric, .stat = m->rule->stat, .reduce = metric->reduce };
	struct entries e;
	bench_query(m->bench, &q, &e);
	for (size_t i = 0; i < e.list.nr && !m->has_step; i++) {
		m->has_step = e.list.v[i].has[SIDE_BASELINE];
		m->step_ns = e.list.v[i].value[SIDE_BASELINE];
	}
	vec_release(&e.list);
}

/* Add a check without figures to a rule that finds no item to judge, or whose two sides have no
   item in common. `because` says why. If the verdict is `skipped` and the rule has for_each, also
   warn that the rule judges nothing. */
static void add_none(const struct maker *m, struct span item, enum verdict verdict,
                     const char *because)
{
	struct arena *a = &m->out->arena;
	struct check k = new_check(m, &(struct entry){ .rank = -1, .label = item }, false);
	k.verdict = verdict;
	k.limit = message_limits(a, &m->rule->fail, NULL);
	k.message = arena_printf(a, "%s: %s", m->rule->metric->name, because);
	if (verdict == VERDICT_SKIPPED && m->rule->for_each)
		vec_push(&m->out->warnings,
		         arena_printf(a, "rule '%s' judges nothing: %s", m->rule->id, because));
	vec_push(&m->out->checks, k);
}

static void add_none_left(const struct maker *m, bool excepted)
{
	struct arena *a = &m->out->arena;
	const char *label = label_names[m->rule->metric->label];
	char share[NUMBER_TEXT];
	const char *because = "no figure of either side is known to be better higher or lower: name "
	                      "those that count in rules with 'increase' or 'decrease'";
	if (excepted)
		because = arena_printf(a, "'except' leaves no %s to check", label);
	else if (m->rule->for_each)
		because = arena_printf(a, "no %s has a share of %s %% on either side", label,
		                       number_format(m->rule->min_share, 6, share));
	add_none(m, SPAN(""), VERDICT_SKIPPED, because);
}

/* Called if the query of a rule finds nothing. Returns ST_USAGE if the query would find something
   without its patterns (such as names): one of them must then be wrong. The class (compute or
   communication) does not count as a pattern, since a run may have no kernels of a class. */
static enum status check_selects(struct bench *b, const struct rules *rules,
                                 const struct rule *rule, struct arena *a, struct diag_log *log)
{
	struct query q = { .metric = rule->query.metric,
		               .stat = rule->stat,
		               .reduce = rule->reduce,
		               .cls = rule->query.cls };
	struct entries all;
	bench_query(b, &q, &all);
	enum status st = ST_OK;
	if (all.list.nr)
		st = diag_fail(log, ST_USAGE,
		               "%s:%u:%u: rule '%s' selects nothing: no %s of either side fits %s%s",
		               rules->source, rule->line, rule->column, rule->id, rule->metric->name,
		               text_quote(a, span_of(select_text(&rule->query, a))),
		               near_items(&rule->query, &all, a));
	vec_release(&all.list);
	return st;
}

/* If neither side has the figure of a result file that the rule names, suggest the most similar
   name. */
static void add_near_input(const struct maker *m)
{
	struct arena *a = &m->out->arena;
	struct check *k = &m->out->checks.v[m->out->checks.nr - 1];
	struct nearest near = { .word = span_of(m->rule->metric->name) };
	for (size_t i = 0; i <= m->bench->runs.nr_candidates; i++)
		for (size_t r = 0; r < m->bench->view[i].run->ranks.nr; r++) {
			const struct digest *d = m->bench->view[i].run->ranks.v[r];
			for (size_t n = 0; n < d->inputs.nr; n++)
				nearest_try(&near, metric_of_input(span_of(d->inputs.v[n].name), a)->name);
		}
	if (near.best)
		k->message = arena_printf(a, "%s; did you mean '%s'?", k->message, near.best);
}

static bool has_limits(const struct rule *r)
{
	return r->fail.list.nr || r->warn.list.nr;
}

/* True if only changes for the better can break the limits of the rule. */
static bool is_backwards(const struct rule *r)
{
	enum condition better = r->worse == WORSE_UP ? COND_DECREASE : COND_INCREASE;
	return ALL(i, r->fail.list.nr, r->fail.list.v[i].condition == better) &&
	       ALL(i, r->warn.list.nr, r->warn.list.v[i].condition == better) &&
	       r->worse != WORSE_EITHER && has_limits(r);
}

static void warn_backwards(const struct maker *m, const struct rule *r)
{
	bool up = r->worse == WORSE_UP;
	struct arena *a = &m->out->arena;
	vec_push(&m->out->warnings,
	         arena_printf(a,
	                      "rule '%s' lets '%s' become worse by any amount, as it is better %s: "
	                      "write '%s', or 'change' for either direction",
	                      r->id, metric_label(r->metric), up ? "lower" : "higher",
	                      up ? "increase" : "decrease"));
}

enum status checks_add(const struct noise_model *noise, const struct rules *rules,
                       const struct rule *rule, bool *waived, struct report *out,
                       struct diag_log *log)
{
	struct bench *b = noise->bench;
	struct beside beside = { .bench = b, .rule = rule };
	struct maker m = { .noise = noise,
		               .bench = b,
		               .rules = rules,
		               .rule = rule,
		               .beside = &beside,
		               .waived = waived,
		               .out = out };
	struct entries entries = { 0 };
	b->min_runs = rule->noise.min_runs;
	bool recorded =
	    bench_has(b, SIDE_BASELINE, rule->metric) || bench_has(b, SIDE_CANDIDATE, rule->metric);
	if (rule->metric->label == LABEL_PAIR)
		pair_entry(&m, &entries);
	else
		bench_query(b, &rule->query, &entries);
	bool lacks =
	    bench_lacks(b, SIDE_BASELINE, &rule->query) || bench_lacks(b, SIDE_CANDIDATE, &rule->query);
	if (entries.list.nr == 0 && recorded && !lacks && select_any(&rule->query))
		TRY(check_selects(b, rules, rule, &out->arena, log));
	if (rule_asks_step(rule))
		find_step(&m);
	bool any = entries.list.nr > 0, apart = false;
	bool of_own = checks_drop_own(b, rules, rule, &entries);
	struct entries families = { 0 };
	for (int s = b->runs.baseline ? SIDE_BASELINE : SIDE_CANDIDATE; s < NR_SIDES; s++)
		m.unrecorded[s] = family_unrecorded(b, rule, &entries, (enum side_index)s);
	m.in_some = in_some(&m, entries.list.v, entries.list.nr);
	m.best = waivers_names(rules, rule, &entries, &out->arena);
	struct entries all = { 0 };
	for (size_t i = 0; i < entries.list.nr && (rule->except.nr || rule->overrides.nr); i++)
		vec_push(&all.list, entries.list.v[i]);
	if (any && rule->for_each) {
		exceptions_warn(rule, &entries, out);
		apart = !lacks && family_add(b, rule, &entries, &families);
		checks_keep_items(b, rule, &entries);
	}
	bool excepted = exceptions_drop(rule, &all, &entries);
	for (size_t i = 0; i < families.list.nr; i++)
		vec_push(&entries.list, families.list.v[i]);
	vec_release(&families.list);
	size_t before = out->checks.nr;
	bool told = false;
	enum status st = ST_OK;
	for (size_t i = 0; i < entries.list.nr && st == ST_OK; i++) {
		const struct entry *e = &entries.list.v[i];
		struct maker own = m;
		st = figure_rule(exceptions_rule(rule, &all, e, &out->arena),
		                 view_metric(&b->view[0], rule->metric, e->label), rules->source,
		                 &out->arena, &own.rule, log);
		if (st == ST_OK && (has_limits(own.rule) || !has_limits(rule)))
			add_check(&own, e);
		if (st == ST_OK && !told && is_backwards(own.rule)) {
			warn_backwards(&m, own.rule);
			told = true;
		}
	}
	if (any && st == ST_OK && out->checks.nr == before && !of_own)
		add_none_left(&m, excepted);
	else if (apart)
		add_none(&m, SPAN(FAMILY_LABEL), VERDICT_MISSING,
		         arena_printf(&out->arena,
		                      "no %s is on both sides, and figures of several do not add up, so "
		                      "that nothing is compared",
		                      label_names[rule->metric->label]));
	else if (!any)
		add_check(&m, &(struct entry){ .rank = -1 });
	if (!any && rule->metric->need == NEED_INPUT)
		add_near_input(&m);
	beside_release(&beside);
	vec_release(&all.list);
	vec_release(&entries.list);
	return st;
}

/* ---- order and ids ---- */

ORDERING_POINTERS(by_id, struct check, BY_TEXT(id))

/* Append a number to ids that equal an earlier id, since two names can have the same hash. */
static void make_ids_unique(struct report *out)
{
	VEC(struct check *) ids = VEC_INIT;
	for (size_t i = 0; i < out->checks.nr; i++)
		vec_push(&ids, &out->checks.v[i]);
	vec_sort(&ids, by_id);
	for (size_t i = 0, nr; i < ids.nr; i += nr)
		for (nr = 1; i + nr < ids.nr && strcmp(ids.v[i + nr]->id, ids.v[i]->id) == 0; nr++)
			ids.v[i + nr]->id = arena_printf(&out->arena, "%s#%zu", ids.v[i + nr]->id, nr + 1);
	vec_release(&ids);
}

void checks_arrange(struct report *out)
{
	VEC(struct check) sorted = VEC_INIT;
	make_ids_unique(out);
	/* checks that have passed or were skipped stay in the order of the rules: those with
	 * VERDICT_IMPROVED or a later member of the enum */
	for (enum verdict v = VERDICT_FAIL; v <= VERDICT_IMPROVED; v++)
		for (size_t i = 0; i < out->checks.nr; i++) {
			enum verdict own = out->checks.v[i].verdict;
			if (own == v || (v == VERDICT_IMPROVED && own > v))
				vec_push(&sorted, out->checks.v[i]);
		}
	if (sorted.nr)
		memcpy(out->checks.v, sorted.v, sorted.nr * sizeof *sorted.v);
	vec_release(&sorted);
}
