#include "gate/compare.h"

#define PCT_ONE 100000000 /* 100 %, in units of 1e-6 percent */

/* Result of comparing a change with a limit. UNKNOWN: the limit cannot be computed (for example, in
   percent of a baseline of 0), and it is not known whether the change is beyond it. NOISE: the
   change is beyond the limit, but may be noise. */
enum beyond { BEYOND_NO, BEYOND_NOISE, BEYOND_UNKNOWN, BEYOND_YES };

/* A change from the baseline (or the approved run) to the candidate. find_improved() uses an
 * equally large change in the opposite direction. `by` is above 0 if the change has the direction
 * that the limit names. */
struct change {
	const struct comparison *c;
	bool known;
	int64_t base;
	__int128 by;
	bool sure;
};

static enum beyond beyond_if(bool yes)
{
	return yes ? BEYOND_YES : BEYOND_NO;
}

/* Whether the change `by` > 0 is larger than the share `value` (in 1e-6 percent) of `base`. */
static enum beyond beyond_share(__int128 by, int64_t value, int64_t base)
{
	if (base == 0)
		return BEYOND_UNKNOWN;
	__int128 size = base < 0 ? -(__int128)base : base;
	return beyond_if(by * PCT_ONE > value * size);
}

/* Compare a change with a limit in percent. If the limits have an `and`, the change must be beyond
   both. If the baseline is 0, there is no percentage, and only the `and` decides. */
static enum beyond beyond_relative(const struct change *ch, const struct limits *map,
                                   const struct limit *l)
{
	enum beyond share = beyond_share(ch->by, l->value, ch->base);
	if (!map->has_and || l->condition == COND_CHANGE || share == BEYOND_NO)
		return share;
	if (map->and_of == AND_OF_SPREAD)
		return beyond_if(ch->by * MICRO > (__int128)map->and_value * ch->c->spread);
	if (map->and_of == AND_OF_VALUE)
		return beyond_if(ch->by > map->and_value);
	if (!ch->c->has_step)
		return BEYOND_UNKNOWN;
	return beyond_share(ch->by, map->and_value, ch->c->step_ns);
}

/* Compare a change with the limit `l`. ch->by is above 0 if the change has the direction that the
   limit names, such as a rise for 'increase'. Noise counts only for fail limits: beyond a warn
   limit there is only a warning anyway. */
static enum beyond beyond_change(const struct change *ch, const struct limits *map,
                                 const struct limit *l)
{
	const struct comparison *c = ch->c;
	if (!ch->known)
		return c->rule->for_each ? BEYOND_NO : BEYOND_UNKNOWN;
	if (ch->by <= 0 || (ch->by <= c->floor && condition_has_noise(l->condition)))
		return BEYOND_NO;
	enum beyond b = l->relative ? beyond_relative(ch, map, l) : beyond_if(ch->by > l->value);
	bool noisy = c->has_noise && !c->rule->metric->exact && condition_has_noise(l->condition);
	if (b == BEYOND_YES && noisy && map == &c->rule->fail && !ch->sure)
		return BEYOND_NOISE;
	return b;
}

static struct change change_of(const struct comparison *c, enum condition condition)
{
	if (condition == COND_INCREASE_SINCE_PIN)
		return (struct change){ c, c->has_pin, c->pin, (__int128)c->candidate - c->pin,
			                    c->pin_sure };
	__int128 by = (__int128)c->candidate - c->baseline;
	bool falls = condition == COND_DECREASE || (condition == COND_CHANGE && by < 0);
	return (struct change){ c, c->has_baseline, c->baseline, falls ? -by : by, c->sure[falls] };
}

static enum beyond beyond_limit(const struct comparison *c, const struct limits *map,
                                const struct limit *l)
{
	if (l->condition == COND_MAX)
		return beyond_if(c->candidate > l->value);
	if (l->condition == COND_MIN)
		return beyond_if(c->candidate < l->value);
	if (c->bootstrap)
		return BEYOND_NO;
	struct change ch = change_of(c, l->condition);
	return beyond_change(&ch, map, l);
}

/* Compare the candidate with all conditions of a rule's fail or warn. One broken condition is
   enough. A condition in percent that cannot be computed is ignored if there is one that is not in
   percent. */
static enum beyond beyond_map(const struct comparison *c, const struct limits *map,
                              struct decision *d)
{
	enum beyond all = BEYOND_NO;
	bool decided = false, noise = false;
	for (size_t i = 0; i < map->list.nr && all != BEYOND_YES; i++) {
		enum beyond one = beyond_limit(c, map, &map->list.v[i]);
		decided = decided || (one <= BEYOND_NOISE && !map->list.v[i].relative);
		if (one == BEYOND_YES || (one == BEYOND_NOISE && !noise)) {
			d->map = map;
			d->limit = &map->list.v[i];
			d->reason = one == BEYOND_YES ? REASON_LIMIT : REASON_NOISE;
		}
		noise = noise || one == BEYOND_NOISE;
		if (one > all)
			all = one;
	}
	if (all == BEYOND_UNKNOWN && decided)
		return noise ? BEYOND_NOISE : BEYOND_NO;
	return all;
}

/* Decide that the figure is improved if it is better by so much that an equal change for the worse
   would break a fail limit. Limits on changes since the approved run do not count, since such a
   change may be old. */
static void find_improved(const struct comparison *c, struct decision *d)
{
	if (c->rule->worse == WORSE_EITHER || !c->has_baseline)
		return;
	enum condition worse = c->rule->worse == WORSE_UP ? COND_INCREASE : COND_DECREASE;
	const struct limits *map = &c->rule->fail;
	struct change mirror = change_of(c, worse);
	mirror.by = -mirror.by;
	mirror.sure = c->sure[worse == COND_INCREASE];
	for (size_t i = 0; i < map->list.nr; i++) {
		const struct limit *l = &map->list.v[i];
		if (l->condition == worse && beyond_change(&mirror, map, l) == BEYOND_YES) {
			*d = (struct decision){ VERDICT_IMPROVED, REASON_LIMIT, map, l, false };
			return;
		}
	}
}

static bool has_absolute(const struct rule *r)
{
	return ANY(i, r->fail.list.nr, limit_is_absolute(&r->fail.list.v[i])) ||
	       ANY(i, r->warn.list.nr, limit_is_absolute(&r->warn.list.v[i]));
}

bool compare_is_since_pin(const struct rule *rule)
{
	size_t since_pin = 0, others = 0;
	for (const struct limits *map = &rule->fail; map; map = map == &rule->fail ? &rule->warn : NULL)
		for (size_t i = 0; i < map->list.nr; i++) {
			const struct limit *l = &map->list.v[i];
			bool pin = l->condition == COND_INCREASE_SINCE_PIN;
			since_pin += pin;
			others += !pin && !limit_is_absolute(l);
		}
	return since_pin && !others;
}

/* True if each limit is in percent without an `and`, or is a `max`. Such limits cannot tell whether
   a figure of 0 is perfect or was not measured. Sets `*any` if a limit is in percent. */
static bool has_percent_alone(const struct limits *map, bool *any)
{
	for (size_t i = 0; i < map->list.nr; i++) {
		const struct limit *l = &map->list.v[i];
		bool whole = l->relative && !(map->has_and && l->condition != COND_CHANGE);
		if (!whole && l->condition != COND_MAX)
			return false;
		*any = *any || whole;
	}
	return true;
}

static bool fell_to_zero(const struct comparison *c)
{
	const struct rule *r = c->rule;
	bool since_pin = compare_is_since_pin(r), any = false;
	bool known = since_pin ? c->has_pin : c->has_baseline;
	bool gone = c->candidate == 0 || (c->candidate < 0 && r->metric->need == NEED_INPUT);
	return known && gone && (since_pin ? c->pin : c->baseline) > 0 &&
	       has_percent_alone(&r->fail, &any) && has_percent_alone(&r->warn, &any) && any;
}

/* A decision that no limit has led to. */
static struct decision decided(enum verdict verdict, enum reason reason)
{
	return (struct decision){ .verdict = verdict, .reason = reason };
}

static struct decision decide_limits(const struct comparison *c)
{
	const struct rule *rule = c->rule;
	struct decision d = decided(VERDICT_PASS, REASON_WITHIN), w = d;
	enum beyond fail = beyond_map(c, &rule->fail, &d);
	if (c->of_all && (fail == BEYOND_YES || fail == BEYOND_NOISE) &&
	    d.limit->condition == COND_INCREASE)
		return (struct decision){ VERDICT_PASS, REASON_OF_ALL, d.map, d.limit, false };
	if (fail == BEYOND_YES) {
		d.verdict = VERDICT_FAIL;
		return d;
	}
	if (fell_to_zero(c))
		return decided(VERDICT_INCONCLUSIVE, REASON_ZERO);
	enum beyond warn = beyond_map(c, &rule->warn, &w);
	/* a warn limit that cannot be computed counts only if there are no fail limits */
	if (fail == BEYOND_UNKNOWN || (warn == BEYOND_UNKNOWN && rule->fail.list.nr == 0))
		return decided(VERDICT_INCONCLUSIVE, REASON_UNFORMED);
	if (fail == BEYOND_NOISE) {
		d.verdict = rule->unsure == UNSURE_WARN ? VERDICT_WARN : VERDICT_UNDECIDED;
		return d;
	}
	if (warn == BEYOND_UNKNOWN)
		return (struct decision){ VERDICT_WARN, REASON_UNFORMED, &rule->warn, NULL, false };
	if (warn == BEYOND_YES) {
		w.verdict = VERDICT_WARN;
		return w;
	}
	if (c->bootstrap)
		return decided(has_absolute(rule) ? VERDICT_PASS : VERDICT_SKIPPED, REASON_BOOTSTRAP);
	find_improved(c, &d);
	return d;
}

/* Decide on a kernel. A kernel beyond its limit fails only if its net change is beyond the limit,
   too. The net change is its rise, less its share of the time that other kernels of its operator or
   category lost. If the net change is within the limit, the kernel has taken over the work of those
   kernels, and the verdict is a warning. */
static struct decision decide_kernel(const struct comparison *c)
{
	struct decision d = decide_limits(c);
	if (!c->unit || !verdict_is_beyond(d.verdict) || limit_is_absolute(d.limit))
		return d;
	struct comparison net = *c;
	net.candidate = c->net;
	net.sure[0] = net.pin_sure = c->net_sure;
	struct decision n = decide_limits(&net);
	bool of_all = c->unit->reason == REASON_OF_ALL;
	if (!of_all && verdict_is_beyond(n.verdict))
		return n;
	d.verdict = VERDICT_WARN;
	d.reason = of_all ? REASON_OF_ALL : REASON_SUBSTITUTE;
	return d;
}

static const enum verdict of_severity[] = {
	[SEVERITY_NOTE] = VERDICT_PASS, [SEVERITY_WARN] = VERDICT_WARN, [SEVERITY_FAIL] = VERDICT_FAIL
};

/* True for metrics of the items listed below, which a later run may lack without an error: with
   for_each, the rule's `on_gone` decides on them. */
static bool is_item(const struct metric *m)
{
	return m->label == LABEL_KERNEL || m->label == LABEL_CATEGORY || m->label == LABEL_OP ||
	       m->label == LABEL_COLLECTIVE || m->label == LABEL_FUNCTION || m->label == LABEL_THREAD ||
	       m->label == LABEL_DIRECTION;
}

/* The verdict on a figure that a side lacks. Even if `on_missing` is 'skip', the candidate must
   have each figure that the baseline has. It may lack a single item (is_item()), but not all items
   of that kind, nor an item that a folded run did not keep. A figure is skipped if the gpugate
   version that stored the baseline did not know it. */
static enum verdict of_missing(const struct comparison *c)
{
	if (c->predates && c->has_candidate)
		return VERDICT_SKIPPED;
	if (c->rule->on_missing == ON_MISSING_WARN)
		return VERDICT_WARN;
	/* without a baseline, only an absolute limit shows that the user expects the figure */
	bool wanted =
	    c->rule->on_missing == ON_MISSING_FAIL ||
	    (c->has_baseline && (c->folded_candidate || c->unrecorded || !is_item(c->rule->metric))) ||
	    (c->bootstrap && has_absolute(c->rule));
	return wanted ? VERDICT_MISSING : VERDICT_SKIPPED;
}

/* Decide on an item that only one side has, by `on_gone` or `on_new`. For a new item, limits that
   need no baseline count, too, and the worse result is the verdict. But if the operator or category
   of a new kernel fails or is undecided, and the kernel's time is more than half of its rise, the
   kernel gets the verdict of the operator or category. */
static struct decision decide_one_sided(const struct comparison *c)
{
	if (c->hidden)
		return decided(VERDICT_SKIPPED, REASON_HIDDEN);
	if (!c->has_candidate)
		return decided(of_severity[c->rule->on_gone], REASON_GONE);
	struct decision d = decide_limits(c);
	enum verdict severity = of_severity[c->rule->on_new];
	if (c->unit && c->unit_change > 0 && 2 * (__int128)c->candidate > c->unit_change &&
	    (c->unit->verdict == VERDICT_FAIL ||
	     (c->unit->verdict == VERDICT_UNDECIDED && severity != VERDICT_FAIL)))
		return (struct decision){ c->unit->verdict, REASON_NEW, c->unit->map, c->unit->limit,
			                      false };
	if (d.reason == REASON_LIMIT && d.verdict <= severity)
		return d;
	return decided(severity, REASON_NEW);
}

static struct decision decide(const struct comparison *c)
{
	bool pair = c->rule->metric->label == LABEL_PAIR;
	if (c->told)
		return decided(VERDICT_SKIPPED, REASON_TOLD);
	if (c->spoiled)
		return decided(VERDICT_INCONCLUSIVE, REASON_SPOILED);
	if (c->rule->metric->mixed && (c->has_candidate || c->has_baseline))
		return decided(VERDICT_INCONCLUSIVE, REASON_MIXED);
	if (c->bootstrap && pair)
		return decided(VERDICT_SKIPPED, REASON_BOOTSTRAP);
	if (c->in_some)
		return decided(c->rule->on_missing == ON_MISSING_WARN ? VERDICT_WARN : VERDICT_MISSING,
		               REASON_ABSENT);
	if (c->bootstrap && c->has_candidate)
		return decide_limits(c);
	bool folded = c->folded_baseline || c->folded_candidate;
	if (c->rule->for_each && c->has_baseline != c->has_candidate && !folded && !c->unrecorded)
		return decide_one_sided(c);
	if (c->rule->metric->label == LABEL_INPUT && c->has_candidate && !c->has_baseline)
		return decide_one_sided(c); /* the baseline lacks a benchmark case that the candidate has */
	if (c->has_candidate && (c->has_baseline || pair))
		return decide_kernel(c);
	/* absolute limits apply even if the baseline lacks the figure */
	struct decision d = decided(VERDICT_PASS, REASON_ABSENT);
	if (c->has_candidate)
		d = decide_limits(c);
	if (d.reason == REASON_LIMIT)
		return d;
	return decided(of_missing(c), REASON_ABSENT);
}

/* True if the waiver covers a change of this size, measured in the direction of the broken
   limit. */
static bool waiver_holds(const struct comparison *c, const struct decision *d)
{
	if (!c->waived_up_to)
		return true;
	bool known = d->since_pin ? c->has_pin : c->has_baseline;
	if (!known || !d->limit)
		return false;
	enum condition condition = d->limit->condition;
	int64_t base = d->since_pin ? c->pin : c->baseline;
	__int128 by = (__int128)c->candidate - base;
	if (condition == COND_DECREASE || condition == COND_MIN || (condition == COND_CHANGE && by < 0))
		by = -by;
	return beyond_share(by, c->waived_up_to, base) == BEYOND_NO;
}

struct decision compare(const struct comparison *c)
{
	struct decision d = decide(c);
	d.since_pin = c->has_pin && (d.limit ? d.limit->condition == COND_INCREASE_SINCE_PIN
	                                     : compare_is_since_pin(c->rule));
	if (verdict_is_beyond(d.verdict) && c->waived && waiver_holds(c, &d))
		d.verdict = VERDICT_WAIVED;
	return d;
}
