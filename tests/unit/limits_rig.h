/* Rules whose limits are written in a short form ("i5% &7"), and comparisons under them. */
#ifndef LIMITS_RIG_H
#define LIMITS_RIG_H

#include <stdlib.h>

#include "gate/compare.h"
#include "gate_fixture.h"

/* Set limits from a short form: "i5%" increase 5 %, "d3" decrease 3, "c0" change 0, "M30" max,
   "m10" min, several separated by a space; "&2" is `and`, "&s1%" is an `and` in percent of the
   step, "&x2" one of 2 spreads. */
static inline void set_limits(struct limits *l, const char *text)
{
	static const struct {
		char letter;
		enum condition condition;
	} letters[] = {
		{ 'i', COND_INCREASE }, { 'd', COND_DECREASE }, { 'c', COND_CHANGE },
		{ 'M', COND_MAX },      { 'm', COND_MIN },      { 'p', COND_INCREASE_SINCE_PIN }
	};
	for (const char *p = text; *p; p += *p == ' ') {
		char letter = *p++;
		enum and_of of = letter != '&' ? AND_OF_VALUE
		                 : *p == 's'   ? AND_OF_STEP
		                 : *p == 'x'   ? AND_OF_SPREAD
		                               : AND_OF_VALUE;
		char *end;
		int64_t value = strtoll(p + (of != AND_OF_VALUE), &end, 10);
		bool relative = *end == '%';
		p = end + relative;
		if (relative || of == AND_OF_SPREAD)
			value *= 1000000;
		if (letter == '&') {
			l->has_and = true;
			l->and_of = of;
			l->and_value = value;
			l->and_text = "x";
			continue;
		}
		for (size_t i = 0; i < NR_OF(letters); i++)
			if (letters[i].letter == letter)
				fixture_limit(l, letters[i].condition, relative, value, "x");
	}
}

static inline struct rule rule_of(enum metric_id id, const char *fail, const char *warn)
{
	struct rule r = fixture_rule(id);
	set_limits(&r.fail, fail);
	set_limits(&r.warn, warn);
	return r;
}

static inline void release(struct rule *r)
{
	vec_release(&r->fail.list);
	vec_release(&r->warn.list);
}

static inline struct comparison both(const struct rule *r, int64_t b, int64_t c)
{
	return (struct comparison){ .rule = r,
		                        .has_baseline = true,
		                        .has_candidate = true,
		                        .baseline = b,
		                        .candidate = c,
		                        .has_step = true,
		                        .step_ns = 1000,
		                        .spread = 10 };
}

#endif
