/* Trust findings from the state of the GPUs during a run, such as throttling. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "metric/unit.h"
#include "model/fold.h"
#include "model/step_figures.h"
#include "trust/finding.h"
#include "trust/trust.h"

enum { THROTTLED_MOST_PCT = 1, CAPPED_ALIKE_POINTS = 20, CLOCKS_ALIKE_PCT = 2 };

#define POWER_CAP "sw_power_cap"

/* "GPU" and its id, or "its GPU" if the id is unknown, as in the baseline of a folded run. */
static const char *gpu_text(struct arena *a, const struct machine_stat *m)
{
	return m->id[0] ? arena_printf(a, "GPU %s", text_line(a, span_of(m->id))) : "its GPU";
}

/* True if both GPUs were held back only by their power cap, about equally long and at about the
   same clock. Both sides are then slower alike. */
static bool capped_alike(const struct machine_stat *x, const struct machine_stat *y)
{
	int64_t lower = x->sm_clock_hz, higher = y->sm_clock_hz;
	if (lower > higher)
		lower = y->sm_clock_hz, higher = x->sm_clock_hz;
	return x->reasons && y->reasons && strcmp(x->reasons, POWER_CAP) == 0 &&
	       strcmp(y->reasons, POWER_CAP) == 0 && lower > 0 &&
	       llabs(x->throttled_pct - y->throttled_pct) <= CAPPED_ALIKE_POINTS * MICRO &&
	       (__int128)(higher - lower) * 100 <= (__int128)higher * CLOCKS_ALIKE_PCT;
}

/* The runs of the other side of a comparison (`nr` is 0 if there is no other side), and whether
   throttling makes times unreliable (`how`). */
struct others {
	const struct run *runs;
	size_t nr;
	enum throttled how;
};

static bool all_capped_alike(const struct others *o, const struct machine_stat *m, int64_t rank,
                             size_t k)
{
	for (size_t i = 0; i < o->nr; i++) {
		/* compare with the GPU that has the same index on the same rank of the other run */
		const struct digest *d = trust_rank(run_ranks(&o->runs[i]), rank);
		if (!d || k >= d->machines.nr || !capped_alike(m, &d->machines.v[k]))
			return false;
	}
	return o->nr > 0;
}

static void find_throttled(const struct trust_scope *s, const struct machine_stat *m, bool alike,
                           enum throttled how)
{
	struct arena *a = &s->out->arena;
	if (m->throttled_pct <= THROTTLED_MOST_PCT * MICRO)
		return;
	const char *share = unit_text(a, UNIT_PCT, m->throttled_pct);
	if (alike && how == THROTTLED_UNLESS_ALIKE) {
		if (s->candidate)
			trust_add(s, "throttled", 0,
			          "ran at the power cap for %s of the time that %s was watched, and the "
			          "baseline about as long, at the same clock: times are comparable",
			          share, gpu_text(a, m));
		return;
	}
	bool warns = how == THROTTLED_WARNS;
	trust_add(
	    s, "throttled", warns ? 0 : ON_CLOCKS,
	    "was throttled for %s of the time that %s was watched%s%s%s: its times are not "
	    "those of the code%s",
	    share, gpu_text(a, m), m->reasons ? " (" : "",
	    m->reasons ? text_line(a, span_of(m->reasons)) : "", m->reasons ? ")" : "",
	    warns ? "" : "; if it is normal here, add 'throttled: warn' to 'environment' in the rules");
}

/* Append a finding if power was sampled for too small a share of the steps' time: their energy is
   then not known. */
static void find_unsampled(const struct trust_scope *s, const struct digest *d,
                           const struct machine_stat *m)
{
	int64_t share = machine_energy_share(d, m);
	struct arena *a = &s->out->arena;
	if (share >= 0 && share < ENERGY_LEAST_PCT)
		trust_add(s, "power-in-part", 0,
		          "has power samples of %s for %s of the steps' time: too little for an energy per "
		          "step",
		          gpu_text(a, m), unit_text(a, UNIT_PCT, share));
}

static void find_in_run(const struct run *run, struct trust_scope s, const struct others *o)
{
	size_t from = s.out->trust.nr;
	const struct run *ranks = run_ranks(run);
	for (size_t i = 0; i < ranks->ranks.nr; i++) {
		const struct digest *d = ranks->ranks.v[i];
		s.rank = ranks->ranks.nr > 1 ? d->rank : -1;
		for (size_t k = 0; k < d->machines.nr; k++) {
			const struct machine_stat *m = &d->machines.v[k];
			find_throttled(&s, m, all_capped_alike(o, m, d->rank, k), o->how);
			if (m->other_processes > 0)
				trust_add(&s, "shared-gpu", 0, "shared %s with %" PRId64 " other process%s",
				          gpu_text(&s.out->arena, m), m->other_processes,
				          m->other_processes == 1 ? "" : "es");
			find_unsampled(&s, d, m);
		}
	}
	s.rank = -1;
	if (run_fold(run))
		trust_keep_some(&s, from);
}

void trust_find_machines(const struct run *baseline, const struct run *candidates, size_t nr,
                         enum throttled how, struct report *out)
{
	struct others of_candidates = { baseline, baseline ? 1 : 0, how };
	for (size_t i = 0; i < nr; i++) {
		struct trust_scope s = { out, true, -1, baseline ? NULL : "the run", false };
		if (i)
			s.who = arena_printf(&out->arena, "run %zu of the candidate", i + 1);
		find_in_run(&candidates[i], s, &of_candidates);
	}
	if (baseline)
		find_in_run(baseline, (struct trust_scope){ out, false, -1, NULL, false },
		            &(struct others){ candidates, nr, how });
}
