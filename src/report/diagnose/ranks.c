#include "diagnose/diagnose.h"

#include <inttypes.h>

#include "base/number.h"
#include "diagnose/internal.h"
#include "diagnose/peers.h"
#include "fold/links.h"
#include "model/fold.h"

struct diagnosis {
	const struct run_view *view;
	const struct run_view *whole; ///< view of the ranks whose digests are complete. In a folded run
	                              ///< these are few; NULL if there is no such rank
	const struct run *run;
	struct report *out;
	size_t nr;
	bool candidate;
	bool *slow, *late; ///< flags of slow and of late ranks, indexed by rank
	int64_t *link; ///< how much later the collectives of each rank end than those of its peers, per
	               ///< time of transfer, in millionths (link_slope()); 0 if too small to report
	int64_t *alone_ns; ///< time in which the others waited for this rank and for no other, indexed
	                   ///< by rank
	const char **unlike; ///< for each rank, text on those of its functions that differ from the
	                     ///< same functions of its peers; NULL if there is no such function
	struct arena arena;
};

static const struct cross_rank *cross_of(const struct diagnosis *d, size_t r)
{
	return d->view->ranks[r].cross;
}

static void add_rank_finding(struct diagnosis *d, const char *id, size_t r, const char *message)
{
	vec_push(&d->out->insights,
	         (struct insight){ id, d->candidate, d->run->ranks.v[r]->rank, message });
}

/* ---- slow links ---- */

/* Set to 0 all slopes (lag of a rank per time of transfer, in millionths) that are below 10 % or do
 * not stand out from those of the peers. */
static void keep_notable(int64_t *slope, size_t nr, struct arena *a)
{
	enum { FLOOR = MICRO / 10 };
	int64_t *sorted = arena_alloc(a, nr, sizeof *sorted);
	memcpy(sorted, slope, nr * sizeof *sorted);
	struct peers s = peers_of(sorted, nr);
	for (size_t i = 0; i < nr; i++)
		if (slope[i] < FLOOR || slope[i] < s.median || !peers_exclude(s, slope[i], 0))
			slope[i] = 0;
}

static void find_links(struct diagnosis *d)
{
	const struct fold *f = d->run->ranks.v[0]->in_fold;
	int64_t *matched = arena_alloc(&d->arena, d->nr, sizeof *matched);
	for (size_t r = 0; r < d->nr; r++)
		matched[r] = cross_of(d, r)->matched;
	if (f) {
		memcpy(d->link, f->number[FOLD_LINK], d->nr * sizeof *d->link);
		memcpy(d->alone_ns, f->number[FOLD_ALONE], d->nr * sizeof *d->alone_ns);
	} else {
		ranks_links(d->run, matched, d->link, d->alone_ns);
	}
	keep_notable(d->link, d->nr, &d->arena);
}

static void add_link(struct diagnosis *d, size_t r)
{
	int64_t pct = number_div_round((__int128)d->link[r] * 100, 1);
	add_rank_finding(
	    d, "slow-link", r,
	    arena_printf(&d->out->arena,
	                 "its collectives end after those of its peers, by %s of the time on the wire: "
	                 "the longer a transfer, the later; look at its links",
	                 unit_text(&d->arena, UNIT_PCT, pct)));
}

/* ---- functions that differ from the peers' ---- */

/* Find functions of each rank that differ. For a slow or late rank, which has another insight
 * already, only one function is named. A folded run has functions only of a few ranks, most of
 * which stand out. A normal rank would differ from these peers. So in a folded run, only slow and
 * late ranks get a text. */
static void find_unlike(struct diagnosis *d)
{
	enum { ALONE = 3 };
	const struct run *run = d->whole->run;
	size_t nr = run->ranks.nr, *at = arena_alloc(&d->arena, nr, sizeof *at);
	size_t *most = arena_alloc(&d->arena, nr, sizeof *most);
	const char **unlike = arena_alloc(&d->arena, nr, sizeof *unlike);
	for (size_t i = 0; i < nr; i++) {
		at[i] = nr == d->nr ? i : run_find(d->run, run->ranks.v[i]->rank);
		bool odd = d->slow[at[i]] || d->late[at[i]];
		most[i] = odd ? 1 : nr == d->nr ? ALONE : 0;
	}
	functions_unlike(d->whole, most, &d->arena, unlike);
	for (size_t i = 0; i < nr; i++)
		d->unlike[at[i]] = most[i] ? unlike[i] : NULL;
}

static const char *most_unlike(struct diagnosis *d, size_t r)
{
	return d->unlike[r] ? arena_printf(&d->arena, "; most unlike its peers': %s", d->unlike[r])
	                    : "";
}

/* ---- slow and late ranks ---- */

static void add_slow(struct diagnosis *d, size_t r)
{
	struct arena *a = &d->arena;
	const struct cross_rank *c = cross_of(d, r);
	const char *wait = "";
	int64_t compute;
	figure_of_rank(d->view, r, METRIC_STEP_COMPUTE_TIME, &compute);
	if (c->late_ns > 0 && c->steps > 0)
		wait = arena_printf(a, ", and the others wait %s a step for it",
		                    unit_text(a, UNIT_NS, c->late_ns / c->steps));
	add_rank_finding(
	    d, "slow-rank", r,
	    arena_printf(&d->out->arena, "computes %s a step, %s beyond the median of the ranks%s%s",
	                 unit_text(a, UNIT_NS, compute), unit_text(a, UNIT_PCT, c->compute_skew), wait,
	                 most_unlike(d, r)));
}

static int64_t per_step(const struct diagnosis *d, size_t r, enum metric_id which)
{
	int64_t value = 0;
	figure_of_rank(d->view, r, which, &value);
	return value;
}

/* Text on the first figure that explains at least half of the rank's lateness, such as "its data
   loader takes" and a time; "" if there is no such figure. */
static const char *late_cause(struct diagnosis *d, size_t r, int64_t late_per_step)
{
	static const struct {
		enum metric_id which;
		const char *text;
	} causes[] = {
		{ METRIC_STEP_DATALOADER_TIME, "its data loader takes" },
		{ METRIC_STEP_LAUNCH_TIME, "its kernel launches take" },
		{ METRIC_STEP_SYNC_TIME, "its synchronization takes" },
		{ METRIC_STEP_IDLE_TIME, "its GPU is without work for" },
	};
	int64_t *others = arena_alloc(&d->arena, d->nr, sizeof *others);
	for (size_t i = 0; i < NR_OF(causes); i++) {
		size_t n = 0;
		for (size_t k = 0; k < d->nr; k++)
			if (k != r)
				others[n++] = per_step(d, k, causes[i].which);
		int64_t more = per_step(d, r, causes[i].which) - number_median(others, n);
		if (more > 0 && more >= late_per_step / 2)
			return arena_printf(&d->arena, "; %s %s a step more than its peers'", causes[i].text,
			                    unit_text(&d->arena, UNIT_NS, more));
	}
	return "";
}

static void add_late(struct diagnosis *d, size_t r)
{
	struct arena *a = &d->arena;
	const struct cross_rank *c = cross_of(d, r);
	int64_t late_ns = c->steps > 0 ? c->late_ns / c->steps : 0;
	const char *compute = "";
	if (c->compute_skew != MEMORY_UNKNOWN && c->compute_skew <= SLOW_FLOOR &&
	    c->compute_skew >= -SLOW_FLOOR)
		compute = arena_printf(a, ", though its compute is like theirs (%s)",
		                       unit_relative(a, c->compute_skew));
	add_rank_finding(
	    d, "late-rank", r,
	    arena_printf(&d->out->arena,
	                 "came last in %" PRId64 " of %" PRId64
	                 " collectives, where the others wait %s a step for it, %s of its steps%s%s%s",
	                 c->last_count, c->matched, unit_text(a, UNIT_NS, late_ns),
	                 unit_text(a, UNIT_PCT, number_pct(c->late_ns, c->step_ns)), compute,
	                 late_cause(d, r, late_ns), most_unlike(d, r)));
}

/* ---- insights on all ranks ---- */

/* Append the insights on each rank. A slow rank is also late, and so is a rank behind a slow link:
 * for these ranks, there is no further insight that says so. */
static void diagnose(const struct run_view *v, const struct run_view *whole, bool candidate,
                     struct report *out)
{
	enum { NAMED = 32 }; /* in a folded run, no further rank gets insights once there are so many */
	struct diagnosis d = { .view = v,
		                   .whole = whole,
		                   .run = v->run,
		                   .out = out,
		                   .nr = v->run->ranks.nr,
		                   .candidate = candidate };
	if (d.nr < 2)
		return;
	d.slow = arena_alloc(&d.arena, d.nr, sizeof *d.slow);
	d.late = arena_alloc(&d.arena, d.nr, sizeof *d.late);
	d.link = arena_alloc(&d.arena, d.nr, sizeof *d.link);
	d.alone_ns = arena_alloc(&d.arena, d.nr, sizeof *d.alone_ns);
	find_links(&d);
	int64_t *skew = arena_alloc(&d.arena, d.nr, sizeof *skew);
	int64_t *step = arena_alloc(&d.arena, d.nr, sizeof *step);
	for (size_t r = 0; r < d.nr; r++) {
		skew[r] = cross_of(&d, r)->known ? cross_of(&d, r)->compute_skew : INT64_MIN;
		step[r] = cross_of(&d, r)->step_ns;
	}
	slow_ranks(skew, d.nr, d.slow);
	late_ranks(d.alone_ns, step, d.nr, d.late);
	d.unlike = arena_alloc(&d.arena, d.nr, sizeof *d.unlike);
	if (whole)
		find_unlike(&d);
	size_t most = v->run->ranks.v[0]->in_fold ? out->insights.nr + NAMED : SIZE_MAX;
	for (size_t r = 0; r < d.nr && out->insights.nr < most; r++) {
		if (d.slow[r])
			add_slow(&d, r);
		if (d.link[r])
			add_link(&d, r);
		if (d.late[r] && !d.slow[r] && !d.link[r])
			add_late(&d, r);
		if (d.unlike[r] && !d.slow[r] && !d.link[r] && !d.late[r])
			add_rank_finding(&d, "unlike-peers", r,
			                 arena_printf(&out->arena, "is unlike its peers: %s", d.unlike[r]));
	}
	arena_release(&d.arena);
}

/* Append the insights on the ranks of a run. In a folded run the figures of all ranks are compared,
 * but their functions are compared only for the few ranks whose digests are kept. */
void diagnose_ranks(const struct run_view *v, bool candidate, struct report *out)
{
	const struct fold *f = run_fold(v->run);
	if (!f) {
		diagnose(v, v, candidate, out);
		diagnose_rank_table(v, candidate, out);
	} else if (f->by_rank) {
		struct run_view thin;
		run_view_init(&thin, run_ranks(v->run), v->naming);
		diagnose(&thin, v->kept, candidate, out);
		diagnose_rank_table(&thin, candidate, out);
		run_view_release(&thin);
	}
}
