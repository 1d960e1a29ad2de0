#include <string.h>

#include "gate/message.h"

#include "base/nearest.h"
#include "base/number.h"
#include "base/text.h"
#include "diff/pairs.h"
#include "metric/unit.h"
#include "names/short.h"

static void add_limit(struct strbuf *b, const struct limits *map, const struct limit *l,
                      const struct comparison *c)
{
	bool has_and = map->has_and && l->relative && l->condition != COND_CHANGE;
	const char *name = condition_names[l->condition];
	if (has_and && map->and_of == AND_OF_SPREAD && c && c->spread && c->baseline) {
		char n[NUMBER_TEXT];
		__int128 size = c->baseline < 0 ? -(__int128)c->baseline : c->baseline;
		int64_t least = number_pct((__int128)map->and_value * c->spread, size * MICRO);
		if (least > l->value)
			strbuf_addf(b, "%s %s%% (%s)", name, number_format(least / 10000 + 1, 2, n),
			            map->and_text);
		else
			strbuf_addf(b, "%s %s", name, l->text);
		return;
	}
	strbuf_addf(b, "%s %s", name, l->text);
	if (has_and)
		strbuf_addf(b, " and %s", map->and_text);
}

const char *message_limit(struct arena *a, const struct limits *map, const struct limit *l,
                          const struct comparison *c)
{
	struct strbuf b = STRBUF_INIT;
	add_limit(&b, map, l, c);
	return arena_take(a, &b);
}

const char *message_limits(struct arena *a, const struct limits *map, const struct comparison *c)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < map->list.nr; i++) {
		if (i)
			strbuf_adds(&b, " or ");
		add_limit(&b, map, &map->list.v[i], c);
	}
	return arena_take(a, &b);
}

static void add_subject(struct strbuf *b, const struct comparison *c, const struct check *check)
{
	if (check->metric->per_step)
		strbuf_addf(b, "%s ", stat_names[c->rule->stat]);
	strbuf_adds(b, check->metric->case_name ? metric_label(check->metric) : check->metric->name);
	/* the name of a figure of a result file is appended above already, without "of" */
	if (check->item[0] && check->metric->label != LABEL_INPUT) {
		strbuf_adds(b, " of '");
		text_add_short(b, span_of(check->item), 60);
		strbuf_addch(b, '\'');
	}
}

/* Append the change, as a text such as "rose from B to C (+D, +P)". */
static void add_movement(struct strbuf *b, const struct decision *d, const struct check *check)
{
	const char *where = d->since_pin ? " in the approved run" : "";
	if (!check->has_baseline) {
		strbuf_addf(b, " is %s", check->candidate_text);
	} else if (check->change == 0) {
		strbuf_addf(b, " is unchanged at %s", check->candidate_text);
	} else {
		strbuf_addf(b, " %s from %s%s to %s (%s", check->change > 0 ? "rose" : "fell",
		            check->baseline_text, where, check->candidate_text, check->change_text);
		if (check->pct_text[0])
			strbuf_addf(b, ", %s", check->pct_text);
		strbuf_addch(b, ')');
	}
}

static void add_limit_reached(struct strbuf *b, const struct decision *d, const struct check *check)
{
	add_movement(b, d, check);
	bool warns = d->reason == REASON_LIMIT && d->verdict == VERDICT_WARN;
	strbuf_addf(b, ", %s the %slimit of %s",
	            d->verdict == VERDICT_IMPROVED ? "better by more than" : "beyond",
	            warns ? "warning " : "", check->limit);
	if (d->reason == REASON_NOISE)
		strbuf_addf(b, " but within the noise of %s: %s", check->evidence.noise_text,
		            check->evidence.plan_text);
	else if (d->reason == REASON_SHOWN || d->reason == REASON_NET)
		strbuf_addf(b, ", but %s", check->evidence.plan_text);
	else if (d->reason == REASON_UNCONFIRMED)
		strbuf_adds(b, ", but not in all runs of the change, or in one of its base too");
	else if (d->reason == REASON_OF_ALL)
		strbuf_adds(b, ", as all operators together");
	else if (d->reason == REASON_SUBSTITUTE)
		strbuf_adds(b, ", but not what takes its place");
}

static void add_unformed(struct strbuf *b, const struct comparison *c, const struct decision *d,
                         const struct check *check)
{
	add_movement(b, d, check);
	if (check->has_baseline && check->baseline == 0 && check->metric->label == LABEL_INPUT)
		strbuf_addf(b,
		            ": a change from 0 has no percentage; limit it: --limit 'input.%s:max=LIMIT'",
		            check->item);
	else if (check->has_baseline && check->baseline == 0)
		strbuf_adds(b, ": a change from 0 has no percentage; give an absolute limit or 'and'");
	else if (!c->has_baseline)
		strbuf_adds(b, ": it has no baseline of its own to change from, give 'max' or 'min'");
	else if (c->has_step || !rule_asks_step(c->rule))
		strbuf_adds(b, ": the approved run has no such figure to change from");
	else
		strbuf_adds(b, ": the baseline has no step.cuda_time for the limit in % of step");
}

static void add_absent(struct strbuf *b, const struct comparison *c, const struct decision *d,
                       const struct check *check)
{
	if (c->in_some)
		strbuf_addf(b, " is missing in a part of the candidate, but not of the baseline: %s",
		            c->in_some);
	else if (c->folded_candidate)
		strbuf_adds(b,
		            " is not known: the candidate is a folded run, which has it only of the ranks "
		            "that it keeps whole; merge its digests without --fold");
	else if (c->folded_baseline)
		strbuf_adds(b,
		            " is not known: the baseline is of a folded run, which did not keep the ranks "
		            "whole, or was approved under other rules; 'gpugate approve' of a "
		            "run merged without --fold renews it");
	else if (!c->has_baseline && !c->has_candidate)
		strbuf_adds(b, d->verdict == VERDICT_SKIPPED
		                   ? " was recorded on neither side: not applicable"
		                   : " was recorded on neither side");
	else if (c->unrecorded && c->has_baseline)
		strbuf_addf(b, " is missing in the candidate, which has no %s at all: the baseline has %s",
		            label_names[c->rule->metric->label], check->baseline_text);
	else if (c->unrecorded)
		strbuf_addf(b,
		            " is missing in the baseline, which has no %s at all: 'gpugate approve' "
		            "of a run that has it renews the baseline",
		            label_names[c->rule->metric->label]);
	else if (c->has_baseline)
		strbuf_addf(b, " is missing in the candidate, the baseline has %s", check->baseline_text);
	else
		strbuf_addf(b,
		            " is missing in the baseline, the candidate has %s: 'gpugate approve' "
		            "of a run that has it renews the baseline",
		            check->candidate_text);
}

/* Append that a waiver covers the check, but only up to a smaller change than this one. */
static void add_exceeded(struct strbuf *b, const struct comparison *c, const struct check *check)
{
	char n[NUMBER_TEXT];
	number_format(c->waived_up_to, 6, n);
	if (c->of_main) {
		strbuf_addf(b, "; only a part of it is not of this change, %s", c->of_main);
		return;
	}
	if (check->has_pct)
		strbuf_addf(b, "; the waiver is exceeded: it holds up to %s%%", n);
	else
		strbuf_addf(b,
		            "; the waiver up to %s%% does not hold: there is no change in %% of a "
		            "baseline",
		            n);
}

const char *message_of(struct arena *a, const struct comparison *c, const struct decision *d,
                       const struct check *check, const char *spoiler)
{
	struct strbuf b = STRBUF_INIT;
	add_subject(&b, c, check);
	switch (d->reason) {
	case REASON_LIMIT:
	case REASON_NOISE:
	case REASON_OF_ALL:
	case REASON_SUBSTITUTE:
	case REASON_SHOWN:
	case REASON_NET:
	case REASON_UNCONFIRMED:
		add_limit_reached(&b, d, check);
		break;
	case REASON_WITHIN:
		add_movement(&b, d, check);
		if (check->limit[0])
			strbuf_addf(&b, ", within the limit of %s", check->limit);
		break;
	case REASON_TOLD:
		strbuf_addf(&b, " is not judged: %s", c->told);
		break;
	case REASON_SPOILED:
		strbuf_addf(&b, " cannot be judged: %s", spoiler);
		break;
	case REASON_MIXED:
		strbuf_addf(&b,
		            " cannot be judged: its units, %s, measure different things on the two sides",
		            check->metric->mixed);
		break;
	case REASON_UNFORMED:
		add_unformed(&b, c, d, check);
		break;
	case REASON_ZERO:
		add_movement(&b, d, check);
		strbuf_adds(&b, ": better, or not measured, which limits in % cannot tell: give an "
		                "absolute limit or 'and'");
		break;
	case REASON_ABSENT:
		add_absent(&b, c, d, check);
		break;
	case REASON_NEW:
		strbuf_addf(&b, " is new at %s: the baseline lacks it", check->candidate_text);
		break;
	case REASON_HIDDEN:
		strbuf_addf(&b, " is too small to tell: the %s may have it among its small kernels",
		            check->has_baseline ? "candidate" : "baseline");
		break;
	case REASON_GONE:
		strbuf_addf(&b, " is gone: the baseline had %s", check->baseline_text);
		break;
	case REASON_BOOTSTRAP:
		if (check->has_candidate)
			strbuf_addf(&b, " is %s", check->candidate_text);
		strbuf_adds(&b, d->verdict == VERDICT_PASS
		                    ? ", within its absolute limits: the others need a baseline"
		                    : ": there is no baseline yet to compare with");
		break;
	}
	if (d->verdict == VERDICT_WAIVED)
		strbuf_addf(&b, "; waived %s", check->waiver);
	else if (d->verdict == VERDICT_FAIL && c->waived)
		add_exceeded(&b, c, check);
	return arena_take(a, &b);
}

/* ---- "did you mean" ---- */

enum { NEAR_CHARS = 60 };

/* The name of an item in its shortest form, as a report may show it. */
static const char *shortest_name(const struct query *q, const struct entry *e, struct arena *a)
{
	const char *whole = arena_dup(a, e->label);
	return q->metric->label == LABEL_KERNEL ? short_name_form(a, whole, 0) : whole;
}

/* The shortest name of item `i`. If another item has the same shortest name, the whole name; if
   that must be cut, it ends with a hash. */
static const char *near_name(const struct query *q, const struct entries *all, size_t i,
                             struct arena *a)
{
	const char *own = shortest_name(q, &all->list.v[i], a);
	for (size_t k = 0; k < all->list.nr; k++)
		if (k != i && strcmp(shortest_name(q, &all->list.v[k], a), own) == 0)
			return text_short(a, all->list.v[i].label, NEAR_CHARS);
	return text_short(a, span_of(own), NEAR_CHARS);
}

const char *near_items(const struct query *q, const struct entries *all, struct arena *a)
{
	const char *asked = query_name(q);
	struct nearest_few near = { .asked = span_of(asked ? asked : "") };
	for (size_t i = 0; asked && i < all->list.nr; i++) {
		const struct entry *e = &all->list.v[i];
		nearest_few_try(&near, i, e->label, shortest_name(q, e, a), !e->has[SIDE_BASELINE]);
	}
	for (size_t i = 0; i < near.nr; i++)
		near.best[i].text = near_name(q, all, near.best[i].index, a);
	return nearest_few_hint(&near, a);
}
