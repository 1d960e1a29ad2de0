/* Comparison of the ranks of one run: which rank is absent, ends early, or never reached a
   collective in which the other ranks wait. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "base/number.h"
#include "base/text.h"
#include "fold/fewer.h"
#include "fold/present.h"
#include "metric/unit.h"
#include "model/fold.h"
#include "trust/finding.h"

enum { NAME_CHARS = 80 };

/* ---- steps that most ranks have ---- */

static bool has_steps(const struct digest *d)
{
	return !d->window && d->nr_steps > 0;
}

/* Collect the steps that at least half of the ranks have. A further step that fewer ranks began
   does not mean that the others ended early. */
static void collect_steps(struct peers *p)
{
	struct idmap all;
	VEC(size_t) ranks = VEC_INIT; /* for each step id, number of ranks with the step */
	size_t nr = 0;
	idmap_init(&all);
	for (size_t r = 0; r < p->run->ranks.nr; r++) {
		const struct digest *d = p->run->ranks.v[r];
		nr += has_steps(d);
		for (size_t i = 0; has_steps(d) && i < d->nr_steps; i++) {
			uint32_t id = idmap_add(&all, d->step_numbers[i]);
			while (ranks.nr <= id)
				vec_push(&ranks, 0);
			ranks.v[id]++;
		}
	}
	for (size_t i = 0; i < ranks.nr; i++)
		if (ranks.v[i] * 2 >= nr)
			vec_push(&p->steps, all.keys.v[i]);
	vec_sort(&p->steps, number_cmp_i64);
	vec_release(&ranks);
	idmap_release(&all);
}

void peers_name(struct peers *p, size_t r, const char *id, unsigned spoils, const char *message)
{
	struct trust_scope s = *p->scope;
	s.rank = p->run->ranks.v[r]->rank;
	trust_add(&s, id, spoils, "%s", message);
	p->named[r] = true;
}

/* ---- ranks that lack steps ---- */

/* True if no recording holds the whole last step, and no rank has launched work that did not end:
   the recordings ended within this step, while the job went on. A rank without the step has then
   not ended early: it is only slower. */
static bool is_last_open(const struct peers *p)
{
	for (size_t r = 0; r < p->run->ranks.nr; r++) {
		const struct digest *d = p->run->ranks.v[r];
		for (size_t i = 0; has_steps(d) && i < (size_t)d->usable_steps; i++)
			if (d->step_numbers[i] >= p->last)
				return false;
		if (d->progress.pending)
			return false;
	}
	return true;
}

/* Text such as "6, 7, 8, …": the steps that most ranks have, but not `d`; with `open`, the last
   step is not looked for. `*nr` becomes their number. */
static const char *missing_list(struct peers *p, const struct digest *d, bool open, size_t *nr)
{
	enum { SHOWN = 8 };
	struct strbuf b = STRBUF_INIT;
	int64_t *own = mem_calloc(d->nr_steps, sizeof *own);
	memcpy(own, d->step_numbers, d->nr_steps * sizeof *own);
	sort_plain(own, d->nr_steps, sizeof *own, number_cmp_i64);
	*nr = 0;
	for (size_t i = 0, k = 0; i < p->steps.nr - open; i++) {
		while (k < d->nr_steps && own[k] < p->steps.v[i])
			k++;
		if (k < d->nr_steps && own[k] == p->steps.v[i])
			continue;
		if (*nr < SHOWN)
			strbuf_addf(&b, "%s%" PRId64, *nr ? ", " : "", p->steps.v[i]);
		else if (*nr == SHOWN)
			strbuf_adds(&b, ", …");
		++*nr;
	}
	free(own);
	return arena_take(&p->scope->out->arena, &b);
}

static void find_missing_steps(struct peers *p)
{
	struct arena *a = &p->scope->out->arena;
	bool open = p->steps.nr && is_last_open(p);
	for (size_t r = 0; r < p->run->ranks.nr; r++) {
		const struct digest *d = p->run->ranks.v[r];
		size_t nr;
		if (!has_steps(d) || p->named[r])
			continue;
		const char *list = missing_list(p, d, open, &nr);
		if (nr > 0 && d->step_numbers[d->nr_steps - 1] < p->steps.v[p->steps.nr - 1])
			peers_name_end(p, r, "ends-early",
			               arena_printf(a, "ends early: it lacks step%s %s, which other ranks have",
			                            nr == 1 ? "" : "s", list));
		else if (nr > 0)
			peers_name(p, r, "missing-steps", ON_PEERS,
			           arena_printf(a, "lacks step%s %s, which other ranks have",
			                        nr == 1 ? "" : "s", list));
	}
}

/* ---- collectives ---- */

static void find_collectives(struct peers *p)
{
	struct arena *a = &p->scope->out->arena;
	struct fewer *all = mem_calloc(p->run->ranks.nr, sizeof *all);
	ranks_fewer(p->run, all);
	for (size_t r = 0; r < p->run->ranks.nr; r++)
		if (all[r].usual > 0 && !p->named[r])
			peers_name(p, r, "fewer-collectives", ON_MATCHES,
			           arena_printf(a,
			                        "has %" PRId64
			                        " of %s in process group '%s', and its peers %" PRId64
			                        " in the same steps",
			                        all[r].count, collective_names[all[r].kind],
			                        text_short(a, all[r].group, NAME_CHARS), all[r].usual));
	free(all);
}

/* ---- ranks that belong to different runs ---- */

static void find_disagreement(struct peers *p)
{
	size_t stamps = 0, nr = 0, periods = 0;
	for (size_t r = 0; r < p->run->ranks.nr; r++) {
		const struct digest *d = p->run->ranks.v[r];
		nr += d->attribution != ATTRIBUTION_NONE;
		stamps += d->attribution == ATTRIBUTION_TIMESTAMP && d->trust.gpu_events > 0;
		periods += has_steps(d) && d->period_count > 0;
	}
	for (size_t r = 0; r < p->run->ranks.nr; r++) {
		const struct digest *d = p->run->ranks.v[r];
		if (d->attribution == ATTRIBUTION_TIMESTAMP && d->trust.gpu_events > 0 && stamps < nr)
			peers_name(p, r, "attribution-among-ranks", ON_PEERS,
			           "gives activities to steps by start time, other ranks by launch");
		if (has_steps(d) && d->period_count == 0 && periods)
			peers_name(p, r, "markers-among-ranks", ON_PEERS,
			           "has step markers, and other ranks have steps by the period of launches");
		if (d->window && digest_has_trace(d) && p->steps.nr)
			peers_name(p, r, "window-among-ranks", ON_PEERS,
			           "has no steps, and other ranks have: its figures are of the whole trace");
	}
}

static void find_beyond_cap(struct peers *p)
{
	struct trust_scope s = *p->scope;
	for (size_t r = 0; r < p->run->ranks.nr; r++) {
		const struct digest *d = p->run->ranks.v[r];
		int64_t step = d->collectives.nr ? d->collectives.v[d->collectives.nr - 1].step
		               : d->in_fold      ? d->cross.steps
		                                 : 0;
		s.rank = d->rank;
		if (d->collectives_cut > 0)
			trust_add(&s, "collectives-beyond-cap", step > 0 ? 0 : ON_MATCHES,
			          "has %" PRId64 " collectives beyond the %d that are kept: waiting is that of "
			          "the first %" PRId64 " steps",
			          d->collectives_cut, COLLECTIVES_KEPT, step);
	}
}

struct source_of {
	uint64_t hash;
	size_t rank; ///< index of the rank
};

ORDERING(source_cmp, struct source_of, RISING(hash))

/* Append a finding for each rank whose figures are exactly those of another rank: one file was
 * given for both. */
static void find_copies(struct peers *p)
{
	VEC(struct source_of) all = VEC_INIT;
	for (size_t r = 0; r < p->run->ranks.nr; r++)
		if (digest_has_trace(p->run->ranks.v[r]) && p->run->ranks.v[r]->source_hash)
			vec_push(&all, (struct source_of){ p->run->ranks.v[r]->source_hash, r });
	vec_sort(&all, source_cmp);
	for (size_t i = 1, first = 0; i < all.nr; i++) {
		if (all.v[i].hash != all.v[first].hash) {
			first = i;
			continue;
		}
		peers_name(p, all.v[i].rank, "same-recording", ON_TRACE | ON_STEP_NUMBERS | ON_MATCHES,
		           arena_printf(&p->scope->out->arena,
		                        "has the very recording of rank %" PRId64
		                        ": one file was given for both",
		                        p->run->ranks.v[all.v[first].rank]->rank));
	}
	vec_release(&all);
}

/* ---- public functions ---- */

/* Append a finding if the recorded ranks are not as many as the job declared. It is not needed if
   the rules say how many ranks a run must have. */
static void find_partial(const struct run *run, bool alone, const struct trust_scope *s)
{
	struct trust_scope of_run = *s;
	int64_t world = run->ranks.v[0]->world_size;
	const char *fault =
	    world > 0 && !s->out->expect_ranks ? present_fault(run, world, &s->out->arena) : NULL;
	of_run.rank = -1;
	if (fault)
		trust_add(&of_run, "absent-rank", alone && run_nr_ranks(run) < (uint64_t)world ? ON_ALL : 0,
		          "is not of all ranks: %s", fault);
}

/* Append a finding for each rank whose recording ended more than 60 s before the newest recording
   began. The recording then belongs to an earlier run, even if it has the same step numbers. */
static void find_stale(struct peers *p)
{
	struct arena *a = &p->scope->out->arena;
	const struct digest *newest = NULL;
	for (size_t r = 0; r < p->run->ranks.nr; r++) {
		const struct digest *d = p->run->ranks.v[r];
		if (digest_has_trace(d) && (!newest || d->start_ns > newest->start_ns))
			newest = d;
	}
	for (size_t r = 0; newest && r < p->run->ranks.nr; r++) {
		const struct digest *d = p->run->ranks.v[r];
		int64_t since = digest_has_trace(d) ? trust_apart(d, newest->start_ns) : 0;
		if (since > 0)
			peers_name(p, r, "stale-rank", ON_ALL,
			           arena_printf(
			               a, "was recorded %s before rank %" PRId64 ": it is not of the same run",
			               unit_text(a, UNIT_NS, since), newest->rank));
	}
}

void trust_find_ranks(const struct run *run, bool alone, const struct trust_scope *s)
{
	struct peers p = { .run = run, .scope = s, .last = -1 };
	if (run->ranks.nr < 2)
		return;
	p.named = mem_calloc(run->ranks.nr, sizeof *p.named);
	collect_steps(&p);
	if (p.steps.nr)
		p.last = p.steps.v[p.steps.nr - 1];
	find_partial(run, alone, s);
	find_stale(&p);
	find_missing_steps(&p);
	peers_find_ends(&p);
	find_collectives(&p);
	find_copies(&p);
	find_disagreement(&p);
	find_beyond_cap(&p);
	free(p.named);
	vec_release(&p.steps);
}

static void find_absent(const struct run *run, const struct run *other, const char *whose,
                        struct trust_scope s)
{
	enum { NAMED = 16 };
	size_t nr = 0;
	for (size_t i = 0, k = 0; i < other->ranks.nr; i++) {
		int64_t rank = other->ranks.v[i]->rank;
		while (k < run->ranks.nr && run->ranks.v[k]->rank < rank)
			k++;
		if (k < run->ranks.nr && run->ranks.v[k]->rank == rank)
			continue;
		s.rank = rank;
		if (nr++ < NAMED)
			trust_add(&s, "absent-rank", ON_ALL, "lacks rank %" PRId64 ", which the %s has", rank,
			          whose);
	}
	s.rank = -1;
	if (nr > NAMED)
		trust_add(&s, "absent-ranks", ON_ALL, "lacks %zu ranks in all that the %s has", nr, whose);
}

static int64_t world_of(const struct run *run)
{
	return run->ranks.nr ? run->ranks.v[0]->world_size : -1;
}

/* Compares only runs of jobs with the same number of ranks: different world sizes are reported as a
   different environment. */
void trust_find_absent(const struct run *baseline, const struct run *candidate,
                       const struct trust_scope *s)
{
	struct trust_scope of_baseline = *s;
	if ((run_nr_ranks(baseline) < 2 && run_nr_ranks(candidate) < 2) ||
	    world_of(baseline) != world_of(candidate))
		return;
	of_baseline.candidate = false;
	of_baseline.who = NULL;
	find_absent(run_ranks(candidate), run_ranks(baseline), "baseline", *s);
	find_absent(run_ranks(baseline), run_ranks(candidate), "candidate", of_baseline);
}
