/* Detector for recordings that cannot be believed: ranks are lost or end early, kernels were not
   recorded, or the run did other work than the baseline. */
#include <inttypes.h>
#include <string.h>

#include "cause/suspect.h"

static const struct {
	const char *trust;
	enum cause cause;
	const char *action;
} kinds[] = {
	{ "absent-rank", CAUSE_LOST_RANK,
	  "see whether the rank died or its artifact was not uploaded, and record the job again" },
	{ "absent-ranks", CAUSE_LOST_RANK,
	  "see whether the ranks died or their artifacts were not uploaded, and record the job again" },
	{ "stale-rank", CAUSE_LOST_RANK,
	  "take files of earlier runs out of the directory, and record all ranks at one time" },
	{ "stuck", CAUSE_CUT_RANK,
	  "look at what the rank did last: the others wait for it in a collective" },
	{ "cut-short", CAUSE_CUT_RANK, "look at the log of the rank for the moment when it ends" },
	{ "ends-early", CAUSE_CUT_RANK, "look at the log of the rank for the moment when it ends" },
	{ "missing-steps", CAUSE_CUT_RANK, "record the same steps on all ranks" },
	{ "truncated", CAUSE_CUT_RANK,
	  "record again: the profiler, or the copy of its file, was interrupted" },
	{ "context-differs", CAUSE_BATCH,
	  "compare model, batch, lengths and number of requests of both runs; if it is meant, record a "
	  "baseline of its own (workload)" },
	{ "dropped-kernels", CAUSE_UNTRUSTED,
	  "record fewer steps at once, so that the profiler's buffers suffice" },
	{ "lost-kernels", CAUSE_UNTRUSTED,
	  "record fewer steps at once, so that the profiler's buffers suffice" },
	{ "lost-copies", CAUSE_UNTRUSTED,
	  "record fewer steps at once, and memory activity on both sides or on none" },
	{ "early-activities", CAUSE_UNTRUSTED, "record again, with a newer profiler or driver" },
	{ "too-few-steps", CAUSE_UNTRUSTED, "record more steps" },
	{ "window-against-steps", CAUSE_UNTRUSTED,
	  "record both sides with rec.step() or prof.step() in the loop, or name the annotations of "
	  "steps: --marker" },
	{ "period-against-marker", CAUSE_UNTRUSTED,
	  "record both sides with rec.step() or prof.step() in the loop, or name the annotations of "
	  "steps: --marker" },
	{ "foreign-snapshot", CAUSE_UNTRUSTED,
	  "take snapshots of other runs out of the directory, or record the history of memory from the "
	  "start, with a larger max_entries" },
	{ "history-cut", CAUSE_UNTRUSTED,
	  "record the history of memory from the start, with a larger max_entries" },
	{ "memory-source-differs", CAUSE_UNTRUSTED,
	  "record memory on both sides the same way: by snapshots, or by profile_memory=True" },
	{ "malformed-events", CAUSE_UNTRUSTED, "record again, and leave the file as it was written" },
};

static bool spoils(const struct suspect *s, const struct trust_finding *t)
{
	if (!s->trust || !t)
		return false;
	return s->trust == t ||
	       (s->finding.cause == CAUSE_UNTRUSTED && s->trust->candidate == t->candidate &&
	        strcmp(s->trust->id, t->id) == 0);
}

struct suspect *suspect_of_trust(struct inquiry *q, const struct trust_finding *t)
{
	return FIND(i, q->suspects.v, q->suspects.nr, spoils(&q->suspects.v[i], t));
}

static void add_trust(struct inquiry *q, const struct trust_finding *t, enum cause cause,
                      const char *action)
{
	struct suspect *s = suspect_add(q, cause);
	s->trust = t;
	suspect_title(q, s, "%s", t->message);
	if (t->work)
		suspect_action(
		    q, s,
		    "let both runs have the same %s; if it is meant, record a baseline of its own "
		    "(workload), or name it in 'same_work' of a rule",
		    t->work);
	else
		suspect_action(q, s, "%s", action);
	if (t->rank >= 0) {
		const char *rank = arena_printf(q->a, "rank %" PRId64, t->rank);
		suspect_where(q, s, PLACE_RANK, span_of(rank))->rank = t->rank;
		if (strcmp(t->id, "absent-rank") != 0) /* the message of "absent-rank" already names the
		                                          rank */
			suspect_title(q, s, "%s: %s", rank, t->message);
	}
	if (cause == CAUSE_BATCH) {
		const char *figures = strstr(t->message, ": "); /* the text before ": " holds no name
		                                                   from a file, which could itself
		                                                   contain ": " */
		if (figures)
			s->finding.head = strlen(s->finding.title) - strlen(figures);
		struct both compute = inquiry_figure(q, METRIC_STEP_COMPUTE_TIME);
		suspect_figure(q, s, compute);
		suspect_cost(s, both_rise(compute));
	} else if (cause != CAUSE_UNTRUSTED) {
		s->stake[STAKE_RANKS] = STAKE_ALL;
	}
}

void suspect_trust(struct inquiry *q)
{
	for (size_t i = 0; i < q->out->trust.nr; i++) {
		const struct trust_finding *t = &q->out->trust.v[i];
		size_t k = 0, nr = NR_OF(kinds);
		while (k < nr && strcmp(kinds[k].trust, t->id) != 0)
			k++;
		enum cause cause = k < nr && t->candidate && !t->work ? kinds[k].cause : CAUSE_UNTRUSTED;
		if ((cause != CAUSE_UNTRUSTED ||
		     ANY(c, q->out->checks.nr, q->out->checks.v[c].spoiler == t)) &&
		    !suspect_of_trust(q, t))
			add_trust(q, t, cause, k < nr ? kinds[k].action : "");
	}
}
