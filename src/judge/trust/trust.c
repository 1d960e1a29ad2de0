#include "trust/trust.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "metric/figure_name.h"
#include "metric/unit.h"
#include "model/account.h"
#include "model/flops.h"
#include "model/fold.h"
#include "model/step_figures.h"
#include "trust/finding.h"

struct expected {
	bool trace; ///< true if a rank of baseline or candidate has a trace, not only memory snapshots
	            ///< or result files
	int64_t min_steps; ///< least number of usable steps that the rules set; 0 if they do not; 1
	                   ///< without rules
	const struct run *baseline; ///< the baseline's run; NULL if there is no baseline
	const struct run *other; ///< run to compare with: the baseline for candidates, the candidate
	                         ///< for the baseline; NULL if there is none
	bool outside; ///< true if the user expects GPU work outside of the steps, or if rules judge it
};

/* Append a finding if kernels without a name have more than 1 % of the kernel time. This time
   belongs to no known kernel, and it is not known whether they are computation or communication. */
static void find_unnamed(const struct trust_scope *s, const struct digest *d)
{
	int64_t unnamed = 0, all = 0;
	for (size_t i = 0; i < d->kernels.nr && d->kernels.v[i].kind == EVENT_KERNEL; i++) {
		const struct kernel_stat *k = &d->kernels.v[i];
		all = number_add(all, k->total_ns);
		unnamed = number_add(unnamed, k->name.n == 0 && k->names == 0 ? k->total_ns : 0);
	}
	if (trust_is_notable(unnamed, all))
		trust_add(s, "unnamed-kernels", ON_GPU,
		          "has kernels without a name, %s of its kernel time: what they are is not known",
		          unit_text(&s->out->arena, UNIT_PCT, number_pct(unnamed, all)));
}

/* Number of usable steps of a rank that statistics need. If the rules do not say, it is three, or
   as many as the baseline has if these are fewer: if a run of two steps was approved, two are
   enough. Without a baseline it is one. */
static int64_t steps_wanted(const struct expected *want, const struct digest *baseline)
{
	enum { STEPS_MIN = 3 };
	if (want->min_steps > 0)
		return want->min_steps;
	return !baseline || baseline->usable_steps <= 0 ? 1
	       : baseline->usable_steps < STEPS_MIN     ? baseline->usable_steps
	                                                : STEPS_MIN;
}

static void find_steps(const struct trust_scope *s, const struct digest *d,
                       const struct digest *other, const struct expected *want)
{
	const struct digest *b = want->baseline && want->other == want->baseline
	                             ? trust_rank(want->baseline, d->rank)
	                             : NULL;
	int64_t usable = d->usable_steps, least = steps_wanted(want, b);
	if (usable < (int64_t)d->nr_steps && !d->in_fold)
		trust_add(s, "short-last-step", 0,
		          "ends within a step: step %" PRId64 " has %" PRId64 " GPU activit%s, %s, and is "
		          "left out",
		          d->step_numbers[usable], d->step_activities[usable],
		          text_ies(d->step_activities[usable]),
		          d->trust.pending ? "and launches whose work had not ended"
		                           : "less than half of what is usual");
	if (d->window)
		return;
	/* the number of steps may differ by 5 %, as counts of work may in trust_find_work() */
	if (want->outside && other && !other->window && d->total_steps > 0 &&
	    d->total_steps < other->total_steps - other->total_steps / 20)
		trust_add(s, "fewer-steps", ON_RECORDING,
		          "has %" PRId64 " step%s and the other side %" PRId64
		          ": sums over whole recordings do not compare",
		          d->total_steps, text_s(d->total_steps), other->total_steps);
	/* a few empty steps hardly change a median: if at most a tenth are empty, only warn */
	int64_t empty = account_empty_steps(d), fewest = 0;
	if (empty && d->trust.gpu_events && other && !other->window &&
	    digest_step_stat(other, METRIC_STEP_KERNEL_COUNT, STAT_MIN, &fewest) && fewest > 0)
		trust_add(s, "empty-steps", empty * 10 > usable ? ON_STEPS | ON_UTILIZATION : 0,
		          "has %" PRId64 " step%s without GPU work, of %" PRId64
		          ", and the other side has none such",
		          empty, text_s(empty), usable);
	/* without usable steps, utilization is that of the whole recording, and thus unreliable, too */
	if (usable < least)
		trust_add(s, "too-few-steps", ON_STEPS | (usable > 0 ? 0 : ON_UTILIZATION),
		          "has %" PRId64 " usable step%s after warm-up, and %s %" PRId64, usable,
		          text_s(usable),
		          want->min_steps > 0 ? "the rules need" : "statistics over them need", least);
	else if (b && !b->window && usable < b->usable_steps - usable)
		trust_add(s, "too-few-steps", ON_STEPS,
		          "has %" PRId64 " usable step%s after warm-up, less than half of the baseline's "
		          "%" PRId64,
		          usable, text_s(usable), b->usable_steps);
}

/* Append a finding if a rank's rate exceeds the peak of its GPU: the rate or the peak must be
   wrong. */
static void find_beyond_peak(const struct trust_scope *s, const struct digest *d)
{
	static const struct {
		enum metric_id id;
		unsigned spoils;
	} shares[] = { { METRIC_MFU_PCT, ON_MFU }, { METRIC_FLOPS_PEAK_PCT, ON_FLOPS } };
	int64_t step_ns, pct;
	if (d->window || !digest_step_stat(d, METRIC_STEP_PERIOD, STAT_MEDIAN, &step_ns) ||
	    step_ns <= 0)
		return;
	for (size_t i = 0; i < NR_OF(shares); i++)
		if (flops_figure(d, shares[i].id, step_ns, &pct) && pct > 100 * MICRO)
			trust_add(s, "beyond-peak", shares[i].spoils,
			          "has %s of %s: no GPU does more than its peak",
			          metric_table[shares[i].id].name, unit_text(&s->out->arena, UNIT_PCT, pct));
}

static void find_damage(const struct trust_scope *s, const struct trust_counts *t)
{
	if (t->truncated)
		trust_add(s, "truncated", ON_ALL, "was cut short: what came after is not known");
	if (t->partial)
		trust_add(s, "partial", ON_ALL, "was read in part only");
	/* Malformed events may be of any kind. Their number is compared with that of GPU activities,
	 * since digests do not count events of other kinds. */
	if (t->malformed > 0)
		trust_add(s, "malformed-events",
		          trust_is_notable(t->malformed, number_add(t->gpu_events, t->malformed)) ? ON_ALL
		                                                                                  : 0,
		          "has %" PRId64 " event%s without a usable time or form, left out", t->malformed,
		          text_s(t->malformed));
	if (t->json_faults > 0)
		trust_add(s, "json-faults", 0,
		          "has %" PRId64 " tolerated fault%s of JSON, the first at byte %" PRId64,
		          t->json_faults, text_s(t->json_faults), t->fault_byte);
	if (t->negative_durations > 0)
		trust_add(s, "negative-durations", 0,
		          "has %" PRId64 " event%s of negative duration, taken as 0", t->negative_durations,
		          text_s(t->negative_durations));
}

/* ---- findings on one side, and on the differences of both ---- */

static bool has_trace(const struct digest *d)
{
	return digest_has_trace(d) || d->nr_steps || d->kernels.nr;
}

const struct digest *trust_rank(const struct run *run, int64_t rank)
{
	size_t at = run_fold(run) ? 0 : run_find(run, rank);
	return at < run->ranks.nr ? run->ranks.v[at] : NULL;
}

bool trust_any_trace(const struct run *run)
{
	return ANY(i, run->ranks.nr, has_trace(run->ranks.v[i]));
}

static void find_in_run(const struct run *run, struct trust_scope s, struct expected want);

static void find_in_folded(const struct run *run, struct trust_scope s, struct expected want)
{
	size_t from = s.out->trust.nr;
	find_in_run(run_ranks(run), s, want);
	s.rank = -1;
	/* For a folded run, the operators, modules and places of GPU time are known only as sums over
	   all ranks: these findings are on the whole run. */
	trust_find_known(&s, run->ranks.v[0], want.other ? trust_rank(want.other, 0) : NULL);
	find_beyond_peak(&s, run->ranks.v[0]);
	trust_keep_some(&s, from);
}

static void find_in_run(const struct run *run, struct trust_scope s, struct expected want)
{
	if (run_fold(run) && run_fold(run)->by_rank) {
		find_in_folded(run, s, want);
		return;
	}
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		s.rank = d->fold ? -1 : d->rank;
		if (has_trace(d)) {
			const struct digest *other = want.other ? trust_rank(want.other, d->rank) : NULL;
			trust_find_activities(&s, d, other);
			trust_find_coverage(&s, d, other, want.outside);
			trust_find_known(&s, d, other);
			find_unnamed(&s, d);
			find_steps(&s, d, other, &want);
			find_beyond_peak(&s, d);
		} else if (want.trace) {
			trust_add(&s, "no-trace", ON_TRACE | ON_STEP_NUMBERS,
			          "has %s and no trace: what only a trace records cannot be compared",
			          d->snapshot ? "a snapshot" : "a result file");
		}
		find_damage(&s, &d->trust);
		trust_find_memory(&s, d, want.other ? trust_rank(want.other, d->rank) : NULL);
	}
	trust_find_ranks(run, !want.baseline, &s);
}

/* Append a finding if both runs have memory figures, and no source of them in common: one has
   traces and the other snapshots, or the ranks of one have several. Called only if all runs
   together have no source in common; if each has one in common with the baseline (`apart` is
   false), the finding is on all of them. */
static void find_memory_source(const struct run *baseline, const struct run *candidate, bool apart,
                               const struct trust_scope *s)
{
	unsigned x = memory_sources(baseline), y = memory_sources(candidate);
	const char *then = memory_source_of(x), *now = memory_source_of(y);
	if (x != ~0U && y != ~0U && !apart)
		trust_add(s, "memory-source-differs", ON_MEMORY,
		          "has memory figures of another source than another run of the candidate");
	else if (x != ~0U && y != ~0U && !(x & y))
		trust_add(s, "memory-source-differs", ON_MEMORY,
		          "has memory figures of another source (%s) than the baseline (%s): their peaks "
		          "are of different times",
		          now ? now : "several", then ? then : "several");
}

/* The first rank with figures of memory in `run` that has none in `other`; -1 if there is none. The
   ranks of a run are sorted. */
static int64_t memory_only_in(const struct run *run, const struct run *other)
{
	size_t k = 0;
	for (size_t i = 0; i < run->ranks.nr; i++) {
		const struct digest *d = run->ranks.v[i];
		if (!d->memories.nr)
			continue;
		while (k < other->ranks.nr &&
		       (other->ranks.v[k]->rank < d->rank || !other->ranks.v[k]->memories.nr))
			k++;
		if (k == other->ranks.nr || other->ranks.v[k]->rank != d->rank)
			return d->rank;
	}
	return -1;
}

/* Append a finding if each of the two runs has memory figures of a rank for which the other run has
   none. If only one run lacks memory figures of a rank, the check reports a missing figure instead.
   Two single recordings get no finding: they need not be ranks of a job. */
static void find_memory_ranks(const struct run *baseline, const struct run *candidate,
                              const struct trust_scope *s)
{
	int64_t then = memory_only_in(baseline, candidate), now = memory_only_in(candidate, baseline);
	if (then >= 0 && now >= 0 && (baseline->ranks.nr > 1 || candidate->ranks.nr > 1))
		trust_add(s, "memory-source-differs", ON_MEMORY,
		          "has memory figures of rank %" PRId64 ", and the baseline of rank %" PRId64
		          " instead",
		          now, then);
}

/* Warn if memory is judged by traces although ranks have a snapshot. */
static void tell_source(const struct run *run, struct report *out)
{
	for (size_t i = 0; i < run->ranks.nr; i++)
		if (run->ranks.v[i]->trace_memories.nr) {
			vec_push(&out->warnings,
			         "memory is compared by the traces, as not all ranks of both sides "
			         "have figures of a snapshot");
			return;
		}
}

static bool any_period(const struct run *run)
{
	return ANY(i, run->ranks.nr, !run->ranks.v[i]->window && run->ranks.v[i]->period_count);
}

/* True if at least one rank assigned GPU activities to steps by `attribution`. */
static bool any_attribution(const struct run *run, enum attribution attribution)
{
	return ANY(i, run->ranks.nr,
	           run->ranks.v[i]->trust.gpu_events > 0 &&
	               run->ranks.v[i]->attribution == attribution);
}

/* Append a finding if the batch size or the sequence length that the user declared differs between
   the runs; true if there is a finding. */
static bool find_declared(const struct run *baseline, const struct run *candidate,
                          const struct trust_scope *s)
{
	static const char *const keys[] = { "batch_size", "sequence_length" };
	struct arena *a = &s->out->arena;
	for (size_t i = 0; i < candidate->ranks.nr * NR_OF(keys); i++) {
		const struct digest *c = candidate->ranks.v[i / NR_OF(keys)];
		const struct digest *b = trust_rank(baseline, c->rank);
		const char *key = keys[i % NR_OF(keys)], *now = digest_env(c, key);
		const char *was = b ? digest_env(b, key) : NULL;
		if (!was || !now || strcmp(was, now) == 0)
			continue;
		trust_add(s, "context-differs", ON_ALL, "did other work than the baseline: %s %s → %s", key,
		          text_line(a, span_of(was)), text_line(a, span_of(now)));
		return true;
	}
	return false;
}

static void find_between(const struct run *baseline, const struct run *candidate,
                         struct trust_scope s)
{
	trust_find_absent(baseline, candidate, &s);
	trust_find_work(baseline, candidate, &s);
	if (find_declared(baseline, candidate, &s))
		return;
	if (!trust_any_trace(baseline) || !trust_any_trace(candidate))
		return;
	bool window = run_has_window(candidate);
	if (window != run_has_window(baseline)) {
		trust_add(&s, "window-against-steps", ON_STEPS | ON_UTILIZATION,
		          "%s and the baseline %s: per-step figures do not compare",
		          window ? "has no steps" : "has steps", window ? "has" : "has none");
		return;
	}
	bool period = any_period(candidate);
	if (!window && period != any_period(baseline)) {
		trust_add(&s, "period-against-marker", ON_STEPS | ON_UTILIZATION,
		          "has steps by %s and the baseline by %s: per-step figures do not compare",
		          period ? "the period of its launches" : "their markers",
		          period ? "markers" : "the period of launches");
		return;
	}
	trust_find_context(baseline, candidate, &s);
	bool launch = any_attribution(candidate, ATTRIBUTION_LAUNCH) ||
	              any_attribution(baseline, ATTRIBUTION_LAUNCH);
	bool stamp = any_attribution(candidate, ATTRIBUTION_TIMESTAMP) ||
	             any_attribution(baseline, ATTRIBUTION_TIMESTAMP);
	if (launch && stamp)
		trust_add(
		    &s, "attribution-differs", ON_LAUNCHES,
		    "or the baseline lacks launches: on one side activities belong to steps by launch, "
		    "on the other by start time");
}

/* Sort findings: the candidate's first, then those with more unreliable metrics, then by kind and
   rank. */
ORDERING(finding_cmp, struct trust_finding,
         FALLING(candidate) FALLING(spoils.nr) BY_TEXT(id) RISING(rank) BY_TEXT(message))

/* True if the user expects GPU work outside of the steps, or a rule judges the whole recording. */
static bool judges_outside(const struct rules *rules)
{
	return rules->outside_allowed ||
	       ANY(i, rules->rules.nr,
	           span_starts(span_of(rules->rules.v[i].metric->name), SPAN("window.")));
}

void trust_findings(const struct run *baseline, const struct run *candidates, size_t nr,
                    const struct rules *rules, struct report *out)
{
	struct expected want = { baseline && trust_any_trace(baseline), rules ? rules->min_steps : 1,
		                     baseline, baseline, rules && judges_outside(rules) };
	unsigned memory = baseline ? memory_sources(baseline) : 0;
	for (size_t i = 0; i < nr; i++) {
		want.trace = want.trace || trust_any_trace(&candidates[i]);
		memory &= memory_sources(&candidates[i]);
	}
	bool by_trace = memory_is_by_trace(memory);
	bool apart =
	    baseline && ANY(i, nr, !(memory_sources(baseline) & memory_sources(&candidates[i])));
	for (size_t i = 0; i < nr; i++) {
		struct trust_scope s = { out, true, -1, baseline ? NULL : "the run", by_trace };
		if (i)
			s.who = arena_printf(&out->arena, "run %zu of the candidate", i + 1);
		if (baseline) {
			find_between(baseline, &candidates[i], s);
			find_memory_ranks(baseline, &candidates[i], &s);
		}
		if (baseline && !memory)
			find_memory_source(baseline, &candidates[i], apart, &s);
		find_in_run(&candidates[i], s, want);
	}
	want.other = nr ? &candidates[0] : NULL;
	if (baseline)
		find_in_run(baseline, (struct trust_scope){ out, false, -1, NULL, by_trace }, want);
	for (size_t i = 0; by_trace && i <= nr; i++)
		tell_source(i < nr ? &candidates[i] : baseline, out);
	vec_sort(&out->trust, finding_cmp);
}

void trust_find_controls(const struct run *baseline, const struct run *controls, size_t nr,
                         const struct rules *rules, struct report *out)
{
	struct expected want = { trust_any_trace(baseline), rules->min_steps, baseline, baseline,
		                     judges_outside(rules) };
	for (size_t i = 0; i < nr; i++) {
		struct trust_scope s = { .out = out,
			                     .rank = -1,
			                     .who = arena_printf(&out->arena, "control run %zu", i + 1) };
		find_between(baseline, &controls[i], s);
		find_in_run(&controls[i], s, want);
	}
}

/* True if the finding says that the runs did different work, but the rule's `same_work` names all
   items of work that differ. */
static bool is_excused(const struct trust_finding *f, const struct rule *rule)
{
	const char *key = f->work ? f->work : "";
	for (size_t n; *key; key += n + strspn(key + n, ", ")) {
		size_t i = 0;
		n = strcspn(key, ",");
		struct span name = { key, n };
		while (i < rule->same_work.nr && !span_eq(rule->same_work.v[i], name) &&
		       !span_eq(figure_work_name(rule->same_work.v[i], SPAN("")), name))
			i++;
		if (i == rule->same_work.nr)
			return false;
	}
	return f->work != NULL;
}

int64_t trust_tolerance(const struct rule *rule)
{
	const struct limits *map = rule->fail.list.nr ? &rule->fail : &rule->warn;
	int64_t least = INT64_MAX;
	for (size_t i = 0; i < map->list.nr; i++) {
		const struct limit *l = &map->list.v[i];
		number_lower(&least, l->relative && condition_has_noise(l->condition) ? l->value : 0);
	}
	return map->list.nr ? least / 3 : 0;
}

const struct trust_finding *trust_spoiler(const struct report *r, const struct rule *rule,
                                          int64_t rank)
{
	const struct metric *m = rule->metric;
	const char *name = metric_table[m->id].name;
	/* some metrics combine all ranks: a finding on any rank makes them unreliable */
	bool across = m->need == NEED_RANKS || m->need == NEED_MATCHED;
	for (size_t i = 0; i < r->trust.nr; i++) {
		const struct trust_finding *f = &r->trust.v[i];
		if (!across && rank >= 0 && f->rank >= 0 && rank != f->rank)
			continue;
		if (is_excused(f, rule) || (f->of_kinds && rule->query.phase) ||
		    (f->fallen && f->fallen <= trust_tolerance(rule)))
			continue;
		for (size_t j = 0; j < f->spoils.nr; j++)
			if (strcmp(f->spoils.v[j], f->work ? m->name : name) == 0)
				return f;
	}
	return NULL;
}
