#include "report/table.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/number.h"
#include "base/text.h"

const char *table_text(struct arena *a, const char *text, size_t max_chars)
{
	return table_span(a, span_of(text_or_empty(text)), max_chars);
}

const char *table_span(struct arena *a, struct span text, size_t max_chars)
{
	struct strbuf b = STRBUF_INIT;
	text_add_log(&b, text, max_chars);
	return arena_take(a, &b);
}

/* ---- choice of breakdowns ---- */

static void add_once(struct breakdown_list *out, const struct breakdown *b)
{
	const struct breakdown **v = out->list.v;
	if (b && b->parts.nr &&
	    ALL(i, out->list.nr, v[i]->change != b->change || strcmp(v[i]->title, b->title) != 0))
		vec_push(&out->list, b);
}

enum subject { SUBJECT_STEP, SUBJECT_ITEM, SUBJECT_RUN, SUBJECT_MEMORY };

static enum subject subject_of(const struct metric *m)
{
	if (m->need == NEED_MEMORY)
		return SUBJECT_MEMORY;
	if (m->per_step)
		return SUBJECT_STEP;
	return m->label == LABEL_NONE || m->label == LABEL_DEVICE ? SUBJECT_RUN : SUBJECT_ITEM;
}

static void add_of(const struct report *r, enum verdict verdict, enum subject subject,
                   struct breakdown_list *out)
{
	for (size_t i = 0; i < r->checks.nr; i++)
		if (r->checks.v[i].verdict == verdict && subject_of(r->checks.v[i].metric) == subject)
			add_once(out, r->checks.v[i].breakdown);
}

void breakdowns_of(const struct report *r, struct breakdown_list *out)
{
	*out = (struct breakdown_list){ 0 };
	add_of(r, VERDICT_FAIL, SUBJECT_STEP, out);
	if (!out->list.nr)
		add_of(r, VERDICT_FAIL, SUBJECT_ITEM, out);
	add_of(r, VERDICT_FAIL, SUBJECT_RUN, out);
	if (!out->list.nr)
		add_of(r, VERDICT_UNDECIDED, SUBJECT_STEP, out);
	if (!out->list.nr)
		add_of(r, VERDICT_WARN, SUBJECT_STEP, out);
	size_t nr = out->list.nr;
	add_of(r, VERDICT_FAIL, SUBJECT_MEMORY, out);
	if (out->list.nr == nr)
		add_of(r, VERDICT_WARN, SUBJECT_MEMORY, out);
	for (size_t i = 0; i < r->breakdowns.nr; i++)
		add_once(out, r->breakdowns.v[i]);
}

bool noise_is_known(const struct check *c)
{
	enum { WIDE = 10, SEEN = 8 };
	const struct evidence *e = &c->evidence;
	int64_t low = INT64_MAX, high = INT64_MIN;
	if (!e->has_noise || e->noise < c->baseline / WIDE)
		return e->has_noise;
	for (size_t i = 0; c->trend && i < c->trend->points.nr; i++)
		if (c->trend->points.v[i].source != TREND_CANDIDATE) {
			number_lower(&low, c->trend->points.v[i].value);
			number_raise(&high, c->trend->points.v[i].value);
		}
	return e->past_runs >= KNOWN_RUNS && (!c->trend || high - low >= e->noise / SEEN);
}

enum doc_tone tone_of_check(const struct check *c)
{
	bool sure = c->verdict == VERDICT_FAIL || c->verdict == VERDICT_IMPROVED;
	return c->has_change && sure ? tone_of_change(c->worse, c->change) : TONE_PLAIN;
}

bool check_matters(const struct check *c)
{
	return c->verdict <= VERDICT_WARN;
}

bool check_is_open(const struct check *c)
{
	return c->verdict <= VERDICT_MISSING;
}

const char *limit_text(struct arena *a, const char *limit)
{
	struct strbuf b = STRBUF_INIT;
	if (strncmp(limit, "increase ", 9) == 0 || strncmp(limit, "decrease ", 9) == 0)
		limit += 9;
	for (; *limit && strncmp(limit, " (", 2) != 0; limit++) {
		bool exponent = (*limit == 'e' || *limit == 'E') && !isalpha((unsigned char)limit[1]);
		bool unit = *limit == '%' || (isalpha((unsigned char)*limit) && !exponent);
		if (unit && b.n && isdigit((unsigned char)b.p[b.n - 1]))
			strbuf_addch(&b, ' ');
		strbuf_addch(&b, *limit);
	}
	return arena_take(a, &b);
}

const char *change_of(struct arena *a, const char *change, const char *pct)
{
	return pct[0] ? arena_printf(a, "%s (%s)", change, pct) : change;
}

const char *runs_of(struct arena *a, const struct check *c)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < c->evidence.runs.nr; i++) {
		strbuf_adds(&b, i ? ", " : "runs of the candidate: ");
		unit_format(&b, c->metric->unit, c->evidence.runs.v[i], false);
	}
	return arena_take(a, &b);
}

const char *extent_of(struct arena *a, const struct side *s)
{
	struct strbuf b = STRBUF_INIT;
	if (side_runs(s) > 1)
		strbuf_addf(&b, "%" PRId64 " runs, ", s->runs);
	if (s->ranks != 1 && !s->judged)
		strbuf_addf(&b, "%" PRId64 " rank%s, ", s->ranks, text_s(s->ranks));
	if (s->judged)
		strbuf_addf(&b, "%s%s", s->judged,
		            s->period && !s->window ? ", by the period of launches" : "");
	else if (s->metrics_only)
		strbuf_adds(&b, "result file");
	else if (s->snapshot_only)
		strbuf_adds(&b, "memory snapshot");
	else if (s->window)
		strbuf_adds(&b, "whole trace");
	else
		strbuf_addf(&b, "%" PRId64 " step%s%s", s->steps, text_s(s->steps),
		            s->period ? " by the period of launches" : "");
	if (s->window && s->marker)
		strbuf_addf(&b, ", whose annotations '%s' would make %" PRId64 " step%s: see --marker",
		            s->marker, s->marker_steps, text_s(s->marker_steps));
	if (s->has_pin_age && s->pin_age_days)
		strbuf_addf(&b, "; approved %" PRId64 " day%s ago", s->pin_age_days,
		            text_s(s->pin_age_days));
	return arena_take(a, &b);
}
