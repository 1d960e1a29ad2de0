#include "base/number.h"
#include "base/strbuf.h"
#include "gate/rules_file.h"

/* "the median over steps of step.cuda_time (…), the highest of the devices and ranks" */
static void say_figure(struct strbuf *b, const struct rule *r)
{
	static const char *const items[] = {
		[LABEL_NONE] = "",
		[LABEL_DEVICE] = "",
		[LABEL_KERNEL] = " of each kernel",
		[LABEL_CATEGORY] = " of each category",
		[LABEL_OP] = " of each operator",
		[LABEL_THREAD] = " of each host thread",
		[LABEL_MEMORY] = "",
		[LABEL_DIRECTION] = " of each direction",
		[LABEL_PAIR] = "",
	};
	char n[NUMBER_TEXT];
	if (metric_is_step(r->metric))
		strbuf_addf(b, "the %s over steps of ", stat_name(r->stat));
	strbuf_addf(b, "%s%s (%s", r->metric->name, items[r->metric->label], r->metric->meaning);
	if (r->metric->label == LABEL_PAIR)
		strbuf_addf(b, "; top %s", number_format(r->top, 0, n));
	if (r->reduce == REDUCE_EACH)
		strbuf_adds(b, "), for each rank by itself");
	else
		strbuf_addf(b, "), the %s over devices and ranks", reduce_name(r->reduce));
	if (*r->select_text)
		strbuf_addf(b, ", where %s", r->select_text);
	strbuf_adds(b, ".");
}

static void say_items(struct strbuf *b, const struct rule *r)
{
	static const char *const levels[] = { "is only noted", "is a warning", "is a failure" };
	char n[NUMBER_TEXT], share[NUMBER_TEXT];
	if (!r->for_each)
		return;
	strbuf_addf(b, " One check for each of the top %s of either side", number_format(r->top, 0, n));
	if (r->min_share)
		strbuf_addf(b, " with at least %s%% of kernel time", number_format(r->min_share, 6, share));
	strbuf_addf(b, "; one that is new %s, one that is gone %s.", levels[r->on_new],
	            levels[r->on_gone]);
}

/* One condition, to follow "when it". */
static void say_limit(struct strbuf *b, const struct limits *all, const struct limit *l)
{
	switch (l->condition) {
	case COND_INCREASE:
		strbuf_addf(b, "is more than %s above the baseline", l->text);
		break;
	case COND_DECREASE:
		strbuf_addf(b, "is more than %s below the baseline", l->text);
		break;
	case COND_CHANGE:
		if (l->value)
			strbuf_addf(b, "is more than %s away from the baseline in either direction", l->text);
		else
			strbuf_adds(b, "differs from the baseline at all");
		break;
	case COND_MAX:
		strbuf_addf(b, "is above %s", l->text);
		break;
	case COND_MIN:
		strbuf_addf(b, "is below %s", l->text);
		break;
	}
	if (all->has_and && l->relative && l->condition != COND_CHANGE)
		strbuf_addf(b, " and by more than %s%s as well", all->and_text,
		            all->and_of_step ? " (the baseline's step.cuda_time)" : "");
}

static void say_limits(struct strbuf *b, const char *verb, const struct limits *all)
{
	for (size_t i = 0; i < all->list.nr; i++) {
		strbuf_addf(b, i ? ", or%s" : " %s", i ? "" : verb);
		strbuf_adds(b, " when it ");
		say_limit(b, all, &all->list.v[i]);
	}
	if (all->list.nr)
		strbuf_adds(b, ".");
}

const char *rule_explain(struct arena *a, const struct rule *r)
{
	static const char *const directions[] = { "Higher is worse.", "Lower is worse.",
		                                      "Neither direction is worse by itself." };
	static const char *const missing[] = { "fails", "warns", "is skipped" };
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%s: ", r->id);
	say_figure(&b, r);
	say_items(&b, r);
	strbuf_addf(&b, " %s", directions[r->worse]);
	say_limits(&b, "Fails", &r->fail);
	say_limits(&b, "Warns", &r->warn);
	strbuf_addf(&b, " Where a side lacks it, the check %s.", missing[r->on_missing]);
	const char *text = arena_dup(a, strbuf_span(&b));
	strbuf_release(&b);
	return text;
}
