/* What the evidence says against itself: a lost or cut rank, and all else that leaves checks
   undecided. */
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
	{ "stuck", CAUSE_CUT_RANK,
	  "look at what the rank did last: the others wait for it in a collective" },
	{ "cut-short", CAUSE_CUT_RANK, "look at the log of the rank for the moment when it ends" },
	{ "ends-early", CAUSE_CUT_RANK, "look at the log of the rank for the moment when it ends" },
	{ "missing-steps", CAUSE_CUT_RANK, "record the same steps on all ranks" },
	{ "truncated", CAUSE_CUT_RANK,
	  "record again: the profiler, or the copy of its file, was interrupted" },
	{ "dropped-kernels", CAUSE_UNTRUSTED,
	  "record fewer steps at once, so that the profiler's buffers suffice" },
	{ "lost-kernels", CAUSE_UNTRUSTED,
	  "record fewer steps at once, so that the profiler's buffers suffice" },
	{ "too-few-steps", CAUSE_UNTRUSTED, "record more steps" },
};

static bool spoils_a_check(const struct inquiry *q, const struct trust_finding *t)
{
	for (size_t i = 0; i < q->out->checks.nr; i++)
		if (q->out->checks.v[i].spoiler == t)
			return true;
	return false;
}

void suspect_trust(struct inquiry *q)
{
	for (size_t i = 0; i < q->out->trust.nr; i++) {
		const struct trust_finding *t = &q->out->trust.v[i];
		size_t k = 0, nr = sizeof kinds / sizeof *kinds;
		while (k < nr && strcmp(kinds[k].trust, t->id) != 0)
			k++;
		bool broken = k < nr && kinds[k].cause != CAUSE_UNTRUSTED && t->candidate;
		if (!broken && !spoils_a_check(q, t))
			continue;
		struct suspect *s = suspect_add(q, broken ? kinds[k].cause : CAUSE_UNTRUSTED);
		s->trust = t;
		suspect_title(q, s, "%s", t->message);
		if (k < nr)
			suspect_action(q, s, "%s", kinds[k].action);
		if (t->rank >= 0)
			suspect_where(q, s, PLACE_RANK,
			              span_of(arena_printf(q->a, "rank %lld", (long long)t->rank)));
		if (broken)
			s->stake[STAKE_RANKS] = STAKE_ALL;
	}
}
