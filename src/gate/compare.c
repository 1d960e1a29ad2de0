#include "gate/compare.h"

#define PCT_ONE 100000000 /* 100 % in 1e-6 percent */

/* Three-valued: a limit that cannot be formed is neither kept nor broken. */
enum beyond { BEYOND_NO, BEYOND_UNKNOWN, BEYOND_YES };

struct change {
	const struct comparison *c;
	__int128 by; ///< candidate − baseline, mirrored for "improved"
};

static enum beyond beyond_if(bool yes)
{
	return yes ? BEYOND_YES : BEYOND_NO;
}

/* `by` > `value` (1e-6 percent) of `base`; by > 0. */
static enum beyond beyond_share(__int128 by, int64_t value, int64_t base)
{
	if (base == 0)
		return BEYOND_UNKNOWN;
	__int128 size = base < 0 ? -(__int128)base : base;
	return beyond_if(by * PCT_ONE > value * size);
}

static enum beyond beyond_and(const struct change *ch, const struct limits *map, __int128 by)
{
	if (!map->and_of_step)
		return beyond_if(by > map->and_value);
	if (!ch->c->has_step)
		return BEYOND_UNKNOWN;
	return beyond_share(by, map->and_value, ch->c->step_ns);
}

/* Both the share and `and` must be exceeded; where the share cannot be formed
   because the baseline is 0, `and` decides alone. */
static enum beyond beyond_relative(const struct change *ch, const struct limits *map,
                                   const struct limit *l, __int128 by)
{
	enum beyond share = beyond_share(by, l->value, ch->c->baseline);
	if (!map->has_and || l->condition == COND_CHANGE || share == BEYOND_NO)
		return share;
	return beyond_and(ch, map, by);
}

static enum beyond beyond_change(const struct change *ch, const struct limits *map,
                                 const struct limit *l)
{
	if (!ch->c->has_baseline)
		return ch->c->rule->for_each ? BEYOND_NO : BEYOND_UNKNOWN;
	__int128 by = ch->by;
	if (l->condition == COND_DECREASE || (l->condition == COND_CHANGE && by < 0))
		by = -by;
	if (by <= 0)
		return BEYOND_NO;
	return l->relative ? beyond_relative(ch, map, l, by) : beyond_if(by > l->value);
}

static enum beyond beyond_limit(const struct change *ch, const struct limits *map,
                                const struct limit *l)
{
	switch (l->condition) {
	case COND_MAX:
		return beyond_if(ch->c->candidate > l->value);
	case COND_MIN:
		return beyond_if(ch->c->candidate < l->value);
	default:
		return beyond_change(ch, map, l);
	}
}

/* Conditions are alternatives: one that is broken decides; so does an absolute
   one that is kept where a relative one cannot be formed. */
static enum beyond beyond_map(const struct change *ch, const struct limits *map, struct decision *d)
{
	enum beyond all = BEYOND_NO;
	bool decided = false;
	for (size_t i = 0; i < map->list.nr && all != BEYOND_YES; i++) {
		enum beyond one = beyond_limit(ch, map, &map->list.v[i]);
		decided = decided || (one == BEYOND_NO && !map->list.v[i].relative);
		if (one > all)
			all = one;
		if (one == BEYOND_YES) {
			d->map = map;
			d->limit = &map->list.v[i];
			d->reason = REASON_LIMIT;
		}
	}
	return all == BEYOND_UNKNOWN && decided ? BEYOND_NO : all;
}

/* Better by what would have been a fail if it were worse: the fail limits of
   the worse direction, asked of the mirrored change. */
static bool improved(const struct comparison *c, struct decision *d)
{
	if (c->rule->worse == WORSE_EITHER || !c->has_baseline)
		return false;
	enum condition worse = c->rule->worse == WORSE_UP ? COND_INCREASE : COND_DECREASE;
	const struct limits *map = &c->rule->fail;
	struct change mirror = { c, (__int128)c->baseline - c->candidate };
	for (size_t i = 0; i < map->list.nr; i++) {
		const struct limit *l = &map->list.v[i];
		if (l->condition == worse && beyond_change(&mirror, map, l) == BEYOND_YES) {
			d->map = map;
			d->limit = l;
			d->reason = REASON_LIMIT;
			return true;
		}
	}
	return false;
}

static struct decision decide_limits(const struct comparison *c)
{
	struct decision d = { VERDICT_PASS, REASON_WITHIN, NULL, NULL };
	struct change ch = { c, 0 };
	if (c->has_baseline)
		ch.by = (__int128)c->candidate - c->baseline;
	enum beyond fail = beyond_map(&ch, &c->rule->fail, &d);
	if (fail == BEYOND_YES) {
		d.verdict = VERDICT_FAIL;
		return d;
	}
	enum beyond warn = beyond_map(&ch, &c->rule->warn, &d);
	/* A warn limit that cannot be formed is inconclusive only where no fail
	   limit has decided. */
	bool open = fail == BEYOND_UNKNOWN || (warn == BEYOND_UNKNOWN && c->rule->fail.list.nr == 0);
	if (open)
		return (struct decision){ VERDICT_INCONCLUSIVE, REASON_UNFORMED, NULL, NULL };
	if (warn != BEYOND_NO) {
		d.verdict = VERDICT_WARN;
		if (warn == BEYOND_UNKNOWN) {
			d.reason = REASON_UNFORMED;
			d.map = &c->rule->warn;
		}
	} else if (improved(c, &d)) {
		d.verdict = VERDICT_IMPROVED;
	}
	return d;
}

static enum verdict of_level(enum level level)
{
	switch (level) {
	case LEVEL_FAIL:
		return VERDICT_FAIL;
	case LEVEL_WARN:
		return VERDICT_WARN;
	default:
		return VERDICT_PASS;
	}
}

static enum verdict of_missing(enum on_missing on)
{
	switch (on) {
	case ON_MISSING_SKIP:
		return VERDICT_SKIPPED;
	case ON_MISSING_WARN:
		return VERDICT_WARN;
	default:
		return VERDICT_MISSING;
	}
}

/* An item of for_each that only one side has: `on_new` or `on_gone`, and for a
   new one the limits that need no baseline. The worse of the two counts. */
static struct decision decide_one_sided(const struct comparison *c)
{
	if (!c->has_candidate)
		return (struct decision){ of_level(c->rule->on_gone), REASON_GONE, NULL, NULL };
	struct decision d = decide_limits(c);
	enum verdict level = of_level(c->rule->on_new);
	if (d.reason == REASON_LIMIT && d.verdict <= level)
		return d;
	return (struct decision){ level, REASON_NEW, NULL, NULL };
}

struct decision compare(const struct comparison *c)
{
	if (c->spoiled)
		return (struct decision){ VERDICT_INCONCLUSIVE, REASON_SPOILED, NULL, NULL };
	bool pair = c->rule->metric->label == LABEL_PAIR;
	if (c->rule->for_each && c->has_baseline != c->has_candidate)
		return decide_one_sided(c);
	if (c->has_candidate && (c->has_baseline || pair))
		return decide_limits(c);
	/* limits that need no baseline hold all the same */
	struct decision d = { VERDICT_PASS, REASON_ABSENT, NULL, NULL };
	if (c->has_candidate)
		d = decide_limits(c);
	if (d.reason == REASON_LIMIT)
		return d;
	return (struct decision){ of_missing(c->rule->on_missing), REASON_ABSENT, NULL, NULL };
}
