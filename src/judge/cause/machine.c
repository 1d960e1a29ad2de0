/* Finds causes in the state of the machine, if the recordings of baseline and candidate differ in
   it. */
#include <string.h>

#include "base/text.h"
#include "cause/suspect.h"

/* Figures of the state of the GPUs, such as clocks, whose change can make work slower. A change
   below `least_pct` or `least` does not count, since clocks and shares of time vary a little
   between runs on one machine (verdicts.md, "throttled"). */
static const struct {
	enum metric_id id;
	bool falls; /* true: a smaller value is slower */
	int64_t least_pct, least; /* least change that counts: `least_pct` in 1e-6 % of the
	                             baseline's value, `least` in the metric's unit */
} states[] = {
	{ METRIC_MACHINE_SM_CLOCK, true, 2 * MICRO, 0 },
	{ METRIC_MACHINE_MEMORY_CLOCK, true, 2 * MICRO, 0 },
	{ METRIC_MACHINE_THROTTLED_PCT, false, 0, MICRO },
	{ METRIC_MACHINE_OTHER_PROCESSES, false, 0, 0 },
};

static void add_state(struct inquiry *q, size_t i)
{
	struct both f = inquiry_figure(q, states[i].id);
	int64_t worse = states[i].falls ? -both_rise(f) : both_rise(f), before = f.v[SIDE_BASELINE];
	const struct metric *m = &metric_table[states[i].id];
	if (worse <= states[i].least ||
	    (states[i].least_pct && number_pct(worse, before) <= states[i].least_pct))
		return;
	vec_push(&q->out->machine,
	         (struct env_row){ .key = m->name,
	                           .baseline = unit_text(q->a, m->unit, before),
	                           .candidate = unit_text(q->a, m->unit, f.v[SIDE_CANDIDATE]) });
}

void machine_changes(struct inquiry *q)
{
	static const char *const keys[] = {
		"gpu.name",       "gpu.count",   "cuda.driver",         "cuda.runtime",
		"machine.driver", "machine.gpu", "machine.power_limit", "machine.sm_clock_max"
	};
	for (size_t i = 0; i < NR_OF(states); i++)
		add_state(q, i);
	for (size_t i = 0; i < NR_OF(keys); i++) {
		const char *b = run_env(q->bench->run[SIDE_BASELINE], keys[i]),
		           *c = run_env(q->bench->run[SIDE_CANDIDATE], keys[i]);
		if (b && c && strcmp(b, c) != 0)
			vec_push(&q->out->machine,
			         (struct env_row){ .key = keys[i],
			                           .baseline = text_line(q->a, span_of(b)),
			                           .candidate = text_line(q->a, span_of(c)) });
	}
}
