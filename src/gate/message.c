#include "gate/message.h"

#include "base/text.h"
#include "gate/words.h"

static void add_limit(struct strbuf *b, const struct limits *map, const struct limit *l)
{
	static const char *const names[] = {
		[COND_INCREASE] = "increase", [COND_DECREASE] = "decrease", [COND_CHANGE] = "change",
		[COND_MAX] = "max",           [COND_MIN] = "min",
	};
	strbuf_addf(b, "%s %s", names[l->condition], l->text);
	if (map->has_and && l->relative &&
	    (l->condition == COND_INCREASE || l->condition == COND_DECREASE))
		strbuf_addf(b, " and %s", map->and_text);
}

const char *message_limit(struct arena *a, const struct limits *map, const struct limit *l)
{
	struct strbuf b = STRBUF_INIT;
	add_limit(&b, map, l);
	return word_take(a, &b);
}

const char *message_limits(struct arena *a, const struct limits *map)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < map->list.nr; i++) {
		if (i)
			strbuf_adds(&b, " or ");
		add_limit(&b, map, &map->list.v[i]);
	}
	return word_take(a, &b);
}

static void add_subject(struct strbuf *b, const struct comparison *c, const struct check *check)
{
	if (metric_is_step(check->metric))
		strbuf_addf(b, "%s ", stat_name(c->rule->stat));
	strbuf_adds(b, check->metric->name);
	if (check->item[0]) {
		strbuf_adds(b, " of '");
		text_add_short(b, span_of(check->item), 60);
		strbuf_addch(b, '\'');
	}
}

/* "rose from B to C (+D, +P)" */
static void add_movement(struct strbuf *b, const struct check *check)
{
	if (!check->has_baseline) {
		strbuf_addf(b, " is %s", check->candidate_text);
	} else if (check->change == 0) {
		strbuf_addf(b, " is unchanged at %s", check->candidate_text);
	} else {
		strbuf_addf(b, " %s from %s to %s (%s", check->change > 0 ? "rose" : "fell",
		            check->baseline_text, check->candidate_text, check->change_text);
		if (check->pct_text[0])
			strbuf_addf(b, ", %s", check->pct_text);
		strbuf_addch(b, ')');
	}
}

static void add_limit_reached(struct strbuf *b, const struct decision *d, const struct check *check)
{
	add_movement(b, check);
	switch (d->verdict) {
	case VERDICT_FAIL:
		strbuf_addf(b, ", beyond the limit of %s", check->limit);
		break;
	case VERDICT_WARN:
		strbuf_addf(b, ", beyond the warning limit of %s", check->limit);
		break;
	default:
		strbuf_addf(b, ", better by more than the limit of %s", check->limit);
	}
}

static void add_unformed(struct strbuf *b, const struct comparison *c, const struct check *check)
{
	add_movement(b, check);
	if (c->has_baseline && c->baseline == 0)
		strbuf_adds(b,
		            ": a relative change from 0 cannot be formed, give an absolute limit or 'and'");
	else if (!c->has_baseline)
		strbuf_adds(b, ": it has no baseline of its own to change from, give 'max' or 'min'");
	else
		strbuf_adds(b, ": the baseline has no step.cuda_time for the limit in % of step");
}

static void add_absent(struct strbuf *b, const struct comparison *c, const struct decision *d,
                       const struct check *check)
{
	if (!c->has_baseline && !c->has_candidate)
		strbuf_adds(b, d->verdict == VERDICT_SKIPPED
		                   ? " was recorded on neither side: not applicable"
		                   : " was recorded on neither side");
	else if (c->has_baseline)
		strbuf_addf(b, " is missing in the candidate, the baseline has %s", check->baseline_text);
	else
		strbuf_addf(b, " is missing in the baseline, the candidate has %s", check->candidate_text);
}

const char *message_of(struct arena *a, const struct comparison *c, const struct decision *d,
                       const struct check *check, const char *spoiler)
{
	struct strbuf b = STRBUF_INIT;
	add_subject(&b, c, check);
	switch (d->reason) {
	case REASON_LIMIT:
		add_limit_reached(&b, d, check);
		break;
	case REASON_WITHIN:
		add_movement(&b, check);
		if (check->limit[0])
			strbuf_addf(&b, ", within the limit of %s", check->limit);
		break;
	case REASON_SPOILED:
		strbuf_addf(&b, " cannot be judged: %s", spoiler);
		break;
	case REASON_UNFORMED:
		add_unformed(&b, c, check);
		break;
	case REASON_ABSENT:
		add_absent(&b, c, d, check);
		break;
	case REASON_NEW:
		strbuf_addf(&b, " is new at %s: the baseline lacks it", check->candidate_text);
		break;
	case REASON_GONE:
		strbuf_addf(&b, " is gone: the baseline had %s", check->baseline_text);
		break;
	}
	return word_take(a, &b);
}
