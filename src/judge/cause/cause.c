#include "cause/cause.h"

#include "cause/suspect.h"
#include "metric/figure_name.h"
#include "model/rule.h"

/* ---- the group of figures that a check belongs to ---- */

static enum stake stake_of(const struct check *c)
{
	if (c->metric->per_step && c->stat >= STAT_MAX && c->stat <= STAT_P99)
		return STAKE_TAIL;
	return metric_stake(c->metric);
}

/* ---- the suspect that a check belongs to ---- */

/* True if the check's item (a kernel, category, operator or module) is one that the suspect
   names. */
static bool is_item_of(const struct suspect *s, const struct check *c)
{
	switch (c->metric->label) {
	case LABEL_KERNEL:
		return ANY(i, s->kernels.nr, strcmp(s->kernels.v[i], c->item) == 0);
	case LABEL_CATEGORY:
		return suspect_has_place(s, PLACE_CATEGORY, c->item);
	case LABEL_OP:
		return s->code && s->code->kind != CODE_SYNC &&
		       code_path_has(s->code->op, span_of(c->item));
	case LABEL_MODULE:
		return s->code && code_path_has(s->code->module, span_of(c->item));
	default:
		return false;
	}
}

/* True if the check's figure became worse by more than 5 %. Runs of the same code usually differ by
   less, even where a figure is not fully reliable. */
static bool is_worse(const struct check *c)
{
	enum { NOTABLE = 5 * MICRO };
	bool up = c->worse != WORSE_DOWN;
	return c->has_pct && (up ? c->change_pct > NOTABLE : c->change_pct < -NOTABLE);
}

/* The least amount of a group's figures that a suspect must explain to be the cause of a check: a
   twentieth of a time that it is a part of. For a rate or a figure of result files, the change in
   percent is taken for that of the step: a fourth of it, and more than unchanged runs differ by. */
static int64_t least_of(const struct inquiry *q, const struct check *c)
{
	enum { TWENTIETH = 20, FOURTH = 4, UNCHANGED = 5 /* in 0.1 %, like check_size() */ };
	int64_t size = check_size(c) / FOURTH;
	if (c->has_change && c->metric->per_step && unit_is_time(c->metric->unit))
		return number_distance(c->change, 0) / TWENTIETH;
	if (!c->has_pct || stake_of(c) != STAKE_WALL || c->metric->label == LABEL_FUNCTION)
		return 0;
	return number_div_round((__int128)q->wall * (size > UNCHANGED ? size : UNCHANGED), 1000);
}

/* The suspect that names the item of the check, else the suspect that explains most of the check's
   change. NULL if no suspect explains it. Also NULL if the figure is beyond an absolute limit
   (`max` or `min`) but became worse by at most 5 %: such a small change has no cause of its own. A
   figure that a side lacks is only explained by what the recording lacks, and a count or a quality
   in result files by nothing that recordings show. */
static struct suspect *explanation(struct inquiry *q, const struct check *c)
{
	struct suspect *best = NULL;
	enum stake stake = stake_of(c);
	if ((c->absolute && c->has_pct && !is_worse(c)) ||
	    (c->metric->need == NEED_INPUT && !(c->has_change && figure_is_timed(c->metric))))
		return NULL;
	for (size_t i = 0; i < q->suspects.nr; i++) {
		struct suspect *s = &q->suspects.v[i];
		if (is_item_of(s, c) && s->finding.cause != CAUSE_GONE_KERNEL)
			return s;
	}
	for (size_t i = 0; i < q->suspects.nr; i++) {
		struct suspect *s = &q->suspects.v[i];
		if (s->stake[stake] > 0 && (s->trust || c->verdict != VERDICT_MISSING) &&
		    (!best || s->stake[stake] > best->stake[stake]))
			best = s;
	}
	return best && best->stake[stake] >= least_of(q, c) ? best : NULL;
}

/* True if the trust finding says that work is missing or counted twice, or that figures of the two
   sides do not compare: what the finding makes unreliable then says nothing about the code. */
static bool says_nothing(const struct trust_finding *t)
{
	static const char *const ids[] = { "lost-kernels",         "lost-copies",
		                               "recorded-twice",       "unknown-durations",
		                               "window-against-steps", "period-against-marker",
		                               "attribution-differs",  "memory-source-differs" };
	return ANY(i, NR_OF(ids), strcmp(t->id, ids[i]) == 0);
}

/* The suspect that a check belongs to. If a trust finding makes the check's figure unreliable, this
   is the suspect for that trust finding. But if the figure became worse, and may be right
   nevertheless, it is the suspect that explains the change, if there is one; that suspect is marked
   as uncertain. The first such check stays with the trust finding, so that the report has it. */
static struct suspect *culprit(struct inquiry *q, const struct check *c)
{
	struct suspect *distrust = suspect_of_trust(q, c->spoiler);
	if (distrust && (distrust->finding.cause != CAUSE_UNTRUSTED || says_nothing(distrust->trust) ||
	                 !is_worse(c) || !distrust->finding.checks.nr))
		return distrust;
	struct suspect *s = explanation(q, c);
	if (!distrust || !s)
		return s ? s : distrust;
	if (!s->in_doubt)
		suspect_say(q, s, "not certain: %s", distrust->finding.title);
	s->in_doubt = true;
	return s;
}

static bool is_gone(const struct check *c)
{
	return c->verdict == VERDICT_MISSING && c->has_baseline && !c->has_candidate;
}

/* True if the check is on a figure of result files that is beyond a limit, or that the candidate
   lacks. */
static bool is_of_figures(const struct check *c)
{
	bool beyond = verdict_is_beyond(c->verdict) || c->verdict == VERDICT_WARN;
	return c->metric->case_name && ((c->has_change && beyond) || is_gone(c));
}

/* Advise what to do about figures of result files that the candidate lacks, or has under other
   names. */
static void advise_gone(struct inquiry *q, struct suspect *s)
{
	const struct report *out = q->out;
	size_t i = 0;
	while (i < out->checks.nr && (!out->checks.v[i].metric->case_name ||
	                              out->checks.v[i].has_baseline || !out->checks.v[i].has_candidate))
		i++;
	const char *name = i < out->checks.nr ? out->checks.v[i].item : "";
	suspect_action(q, s,
	               "see whether the benchmark ran to its end%s%s%s%s; if gpugate was updated since "
	               "the baseline, 'gpugate approve' takes the figures that it reads now",
	               *s->finding.metric->case_name ? ", with the same cases" : "", *name ? ": " : "",
	               name, *name ? " is new" : "");
}

/* Advise how to get a figure that the candidate lacks. If only the baseline lacks it, the message
   of the check says what to do. */
static void advise_missing(struct inquiry *q, struct suspect *s, const struct check *c)
{
	static const char *const how[] = {
		[NEED_MEMORY] = "record the memory: a snapshot, or a trace with profile_memory=True",
		[NEED_FLOPS] = "record the trace with record_shapes=True",
		[NEED_MACHINE] = "give the state of the GPUs, too (docs/results.md#state-of-the-gpus)",
	};
	enum need need = c->metric->need;
	bool input = need == NEED_INPUT;
	const struct metric *any = input                 ? &metric_table[METRIC_INPUT]
	                           : need == NEED_MEMORY ? &metric_table[METRIC_MEMORY_PEAK_ALLOCATED]
	                                                 : c->metric;
	bool has = bench_has(q->bench, SIDE_CANDIDATE, any);
	if (c->has_candidate || c->folded)
		return;
	if (input && !c->has_baseline)
		suspect_action(q, s,
		               "give the file of results that has it, or write 'on_missing: skip' into "
		               "rule '%s'",
		               c->rule);
	else if (input && has)
		advise_gone(q, s);
	else if (input)
		suspect_action(q, s,
		               "give the candidate's file of results, too; 'gpugate approve' with --accept "
		               "takes a run that is right without it");
	else if (!has && need < NR_OF(how) && how[need])
		suspect_action(q, s, "%s", how[need]);
}

/* The finding for checks of one metric that no suspect explains. The first check gives the finding
   its title. Figures of result files with the same verdict share one finding. */
static struct suspect *other_of(struct inquiry *q, const struct check *c)
{
	for (size_t i = 0; i < q->suspects.nr; i++) {
		struct suspect *s = &q->suspects.v[i];
		const struct finding *f = &s->finding;
		bool figures = is_of_figures(c) && f->checks.nr && f->verdict == (int)c->verdict &&
		               is_of_figures(&q->out->checks.v[f->checks.v[0]]);
		if (f->cause == CAUSE_OTHER && (f->metric == c->metric || figures))
			return s;
	}
	struct suspect *s = suspect_add(q, CAUSE_OTHER);
	struct both f = { &metric_table[c->metric->id],
		              c->has_baseline && c->has_candidate,
		              { c->baseline, c->candidate } };
	suspect_figure(q, s, f);
	s->finding.metric = c->metric;
	if (unit_is_time(c->metric->unit))
		suspect_cost(s, both_rise(f));
	suspect_title(q, s, "%s", c->message);
	/* the heading of a finding ends before the text on the runs that would decide the check */
	const char *plan = arena_printf(q->a, ": %s", c->evidence.plan_text);
	if (plan[2] && span_ends(span_of(s->finding.title), span_of(plan)))
		s->finding.head = strlen(s->finding.title) - strlen(plan);
	advise_missing(q, s, c);
	return s;
}

/* Append to the advice: if the run is right, the rule's limit must be changed, since approving the
 * run does not change an absolute limit. */
static void advise_limit(struct inquiry *q, struct suspect *s, const struct check *c)
{
	const char *other = s->finding.action;
	if (!s->says_limit)
		suspect_action(
		    q, s, "%s%sif the run is right, change the limit of '%s': approving the run does not",
		    other, *other ? "; " : "", c->rule);
	s->says_limit = true;
}

static void hang(struct inquiry *q)
{
	for (size_t i = 0; i < q->out->checks.nr; i++) {
		const struct check *c = &q->out->checks.v[i];
		if (c->verdict > VERDICT_WARN)
			continue;
		struct suspect *s = culprit(q, c);
		s = s ? s : other_of(q, c);
		if (c->absolute)
			advise_limit(q, s, c);
		if (!s->finding.checks.nr || (int)c->verdict < s->finding.verdict)
			s->finding.verdict = (int)c->verdict;
		vec_push(&s->finding.checks, i);
	}
}

/* ---- findings in the report ---- */

/* True if the report lists the finding first: the run lost ranks, broke off, or ran out of memory.
   Also true if no check fails, and the finding says why figures cannot be believed. */
static bool is_first(const struct suspect *s, bool failed)
{
	const struct finding *f = &s->finding;
	return f->cause <= CAUSE_CUT_RANK || f->cause == CAUSE_OUT_OF_MEMORY ||
	       (s->trust && f->verdict == VERDICT_INCONCLUSIVE && !failed);
}

static bool is_doubtful(const struct finding *f)
{
	return f->verdict == VERDICT_WARN || f->verdict == VERDICT_UNDECIDED;
}

/* Order of findings. Findings marked `first` come first, then failures before doubtful findings,
 * then larger costs before smaller ones, then undecided findings before warnings. */
ORDERING(finding_cmp, struct finding,
         FALLING(first) THEN(is_doubtful(x) - is_doubtful(y)) FALLING(share_pct)
             RISING(verdict == VERDICT_WARN) RISING(cause))

static void tell_cost(struct inquiry *q, struct finding *f)
{
	struct both peak = { 0 };
	if (f->cost_is_bytes)
		peak = inquiry_figure(q, METRIC_MEMORY_PEAK_ALLOCATED);
	int64_t whole = f->cost_is_bytes ? peak.v[SIDE_BASELINE] : q->wall;
	if (whole > 0)
		f->share_pct = number_pct(f->cost, whole);
	if (!f->cost || f->verdict == VERDICT_INCONCLUSIVE) /* no cost, or an unreliable one */
		return;
	f->cost_amount =
	    f->cost_is_bytes
	        ? arena_printf(q->a, "%s%s", unit_change(q->a, UNIT_BYTES, f->cost),
	                       f->cost_per_step ? " per step" : "")
	        : arena_printf(q->a, "%s per %s%s", unit_change(q->a, UNIT_NS, f->cost), q->step,
	                       f->cause == CAUSE_SLOW_RANK ? " against its peers" : "");
	f->cost_text = f->cost_amount;
	if (whole > 0)
		f->cost_text =
		    arena_printf(q->a, "%s, %s of the %s", f->cost_amount,
		                 unit_text(q->a, UNIT_PCT, f->share_pct < 0 ? -f->share_pct : f->share_pct),
		                 f->cost_is_bytes ? "peak" : q->step);
}

/* A figure that a finding's title names. Several benchmark cases may have it, each with its own
   check. */
struct moved {
	const char *name; ///< label of the figure, without the case
	const struct check *least, *most; ///< checks with the smallest and the largest change
};

ORDERING(figure_cmp, struct moved,
         THEN(COMPARE(check_size(y->most), check_size(x->most))) RISING(most->metric->place))

static const char *pct_or_change(const struct check *c)
{
	return c->has_pct ? c->pct_text : c->change_text;
}

/* Number of benchmark cases of a finding's figures; 0 if a figure belongs to no case. */
static size_t nr_cases(const struct inquiry *q, const struct finding *f)
{
	struct names cases = { 0 };
	bool all = true;
	for (size_t i = 0; i < f->checks.nr; i++) {
		const char *of = q->out->checks.v[f->checks.v[i]].metric->case_name;
		all = all && *of;
		vec_push(&cases.list, span_of(of));
	}
	names_finish(&cases);
	size_t nr = all ? cases.list.nr : 0;
	vec_release(&cases.list);
	return nr;
}

/* Give a finding on several figures of result files a title that names them: "3 of 9 figures are
   worse: mean_tpot_ms +9.00 % to +15.00 %, …". */
static void tell_figures(struct inquiry *q, struct finding *f)
{
	enum { NAMED = 4 };
	VEC(struct moved) list = VEC_INIT;
	struct strbuf b = STRBUF_INIT;
	size_t all = 0, cases = nr_cases(q, f), i;
	for (i = 0; i < q->out->checks.nr; i++)
		all += q->out->checks.v[i].metric->need == NEED_INPUT && q->out->checks.v[i].has_change;
	for (size_t k = 0; k < f->checks.nr; k++) {
		const struct check *c = &q->out->checks.v[f->checks.v[k]];
		for (i = 0; i < list.nr && strcmp(list.v[i].name, c->metric->head) != 0;)
			i++;
		if (i == list.nr)
			vec_push(&list, (struct moved){ c->metric->head, c, c });
		if (check_size(c) < check_size(list.v[i].least))
			list.v[i].least = c;
		if (check_size(c) > check_size(list.v[i].most))
			list.v[i].most = c;
	}
	vec_sort(&list, figure_cmp);
	strbuf_addf(&b, "%zu of %zu figures", f->checks.nr, all);
	if (cases > 1)
		strbuf_addf(&b, " in %zu cases", cases);
	strbuf_addf(&b, " %s worse", f->verdict == VERDICT_UNDECIDED ? "may be" : "are");
	f->head = b.n;
	for (i = 0; i < list.nr && i < NAMED; i++) {
		const struct moved *g = &list.v[i];
		strbuf_addf(&b, "%s %s ", i ? "," : ":", g->name);
		if (check_size(g->least) != check_size(g->most))
			strbuf_addf(&b, "%s to ", pct_or_change(g->least));
		strbuf_adds(&b, pct_or_change(g->most));
	}
	if (list.nr > NAMED)
		strbuf_addf(&b, " and %zu more", list.nr - NAMED);
	f->title = arena_take(q->a, &b);
	vec_release(&list);
}

/* Advise what to do about figures of result files that became worse. The advice depends on the
 * figure that changed most. If it is a time or a number of bytes, the advice is to make recordings,
 * since only these show where time or memory went; those that are there explain no such change. */
static void advise_worse(struct inquiry *q, struct finding *f)
{
	const struct check *c = &q->out->checks.v[f->checks.v[0]];
	for (size_t k = 1; k < f->checks.nr; k++) {
		const struct check *other = &q->out->checks.v[f->checks.v[k]];
		int64_t more = check_size(other) - check_size(c);
		c = more > 0 || (!more && other->metric->place < c->metric->place) ? other : c;
	}
	int unit = unit_figure(c->metric->unit);
	bool bytes = unit >= 0 && strncmp(figure_units[unit].dimension, "bytes", 5) == 0;
	const char *name = metric_label(c->metric);
	if (figure_is_timed(c->metric) && q->wall > 0)
		f->action =
		    arena_printf(q->a,
		                 "%s: the recording does not show why: run the benchmark again, and "
		                 "record the part of it that this figure measures",
		                 name);
	else if (figure_is_timed(c->metric))
		f->action = arena_printf(q->a,
		                         "%s: record a trace of both versions; 'gpugate diff OLD-TRACE "
		                         "NEW-TRACE' shows what takes longer",
		                         name);
	else if (bytes)
		f->action = arena_printf(q->a,
		                         "%s: record memory in both versions (of PyTorch, a snapshot); "
		                         "'gpugate diff OLD NEW' shows what holds more",
		                         name);
	else if (c->metric->exact)
		f->action = arena_printf(q->a, "%s: 'gpugate report RUN' says what to look at", name);
	else
		f->action = arena_printf(q->a,
		                         "%s: run both versions with the same seed, data and settings, and "
		                         "see whether it is worse again",
		                         name);
}

/* Give a finding on figures that the candidate lacks a title such as "9 figures of CASE are missing
   in the candidate: mean TTFT, …". */
static void tell_gone(struct inquiry *q, struct finding *f)
{
	enum { NAMED = 3 };
	const struct check *first = &q->out->checks.v[f->checks.v[0]];
	size_t cases = nr_cases(q, f);
	struct strbuf b = STRBUF_INIT;
	if (f->checks.nr == 1)
		strbuf_adds(&b, first->metric->head);
	else
		strbuf_addf(&b, "%zu figures", f->checks.nr);
	if (cases > 1)
		strbuf_addf(&b, " in %zu cases, such as %s,", cases, first->metric->case_name);
	else if (cases == 1)
		strbuf_addf(&b, " of %s", first->metric->case_name);
	strbuf_addf(&b, " %s missing in the candidate", f->checks.nr == 1 ? "is" : "are");
	f->head = b.n;
	const char *named[NAMED] = { NULL };
	size_t nr = 0, more = 0;
	for (size_t i = 0; i < f->checks.nr && f->checks.nr > 1; i++) {
		const char *head = q->out->checks.v[f->checks.v[i]].metric->head;
		/* true if an earlier figure, of another case, has the same label */
		bool again = ANY(k, nr, strcmp(named[k], head) == 0);
		more += !again && nr == NAMED;
		if (again || nr == NAMED)
			continue;
		strbuf_addf(&b, "%s %s", nr ? "," : ":", head);
		named[nr++] = head;
	}
	if (more)
		strbuf_addf(&b, " and %zu more", more);
	f->title = arena_take(q->a, &b);
}

static void conclude(struct inquiry *q)
{
	struct report *out = q->out;
	bool failed = ANY(i, out->checks.nr, out->checks.v[i].verdict == VERDICT_FAIL);
	for (size_t i = 0; i < q->suspects.nr; i++) {
		struct finding *f = &q->suspects.v[i].finding;
		vec_release(&q->suspects.v[i].kernels);
		if (f->checks.nr) {
			tell_cost(q, f);
			f->first = is_first(&q->suspects.v[i], failed);
			const struct check *first = &out->checks.v[f->checks.v[0]];
			bool figures = f->cause == CAUSE_OTHER && is_of_figures(first);
			if (figures && is_gone(first))
				tell_gone(q, f);
			else if (figures && f->checks.nr > 1)
				tell_figures(q, f);
			if (figures && !*f->action)
				advise_worse(q, f);
			suspect_settle_parts(q, &q->suspects.v[i]);
			vec_push(&out->findings, *f);
			continue;
		}
		vec_release(&f->parts);
		vec_release(&f->where);
		vec_release(&f->evidence);
	}
	vec_sort(&out->findings, finding_cmp);
}

static void measure(struct inquiry *q)
{
	static const enum metric_id ids[] = { METRIC_STEP_PERIOD, METRIC_STEP_TIME,
		                                  METRIC_STEP_CUDA_TIME };
	for (size_t i = 0; i < NR_OF(ids) && q->wall <= 0; i++)
		q->wall = inquiry_figure(q, ids[i]).v[SIDE_BASELINE];
	q->step = run_has_window(q->bench->run[SIDE_CANDIDATE]) ? "window" : "step";
}

void causes_find(const struct bench_runs *runs, struct naming naming, int64_t min_runs,
                 struct report *out)
{
	if (ALL(i, out->checks.nr, out->checks.v[i].verdict > VERDICT_WARN))
		return;
	struct bench bench;
	bench_init(&bench, runs, naming);
	bench.min_runs = min_runs;
	struct inquiry q = { .bench = &bench, .out = out, .a = &out->arena, .common = 1 };
	measure(&q);
	suspect_trust(&q);
	if (runs->baseline) {
		machine_changes(&q);
		suspect_ranks(&q);
		activity_pairs_init(&q.pairs, bench.view, bench.view + SIDE_CANDIDATE, runs->nr_candidates,
		                    q.scope);
		if (!bench.kinds.all_apart && !bench.kinds.by_mean)
			suspect_steps(&q);
		if (!step_kinds_other_mix(&bench.kinds)) {
			suspect_whole(&q);
			suspect_kernels(&q);
			suspect_communication(&q);
			suspect_host(&q);
		}
		suspect_kinds(&q);
		suspect_memory(&q);
		vec_release(&q.pairs.list);
	}
	hang(&q);
	conclude(&q);
	vec_release(&q.suspects);
	bench_release(&bench);
}
