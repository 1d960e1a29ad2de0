#include "diagnose/ranks.h"

#include <inttypes.h>

#include "base/idmap.h"
#include "base/number.h"
#include "diagnose/functions.h"
#include "diagnose/peers.h"
#include "diagnose/words.h"
#include "model/ranks.h"

struct diagnosis {
	const struct run_view *view;
	const struct run *run;
	struct report *out;
	size_t nr;
	bool candidate;
	bool *slow, *late; ///< flags of slow and of late ranks, indexed by rank
	int64_t *link; ///< link_slope() of each rank; 0 if too small to report
	int64_t *alone_ns; ///< time in which the others waited for this rank and for no other, indexed
	                   ///< by rank
	const char **unlike; ///< text on functions of each rank that differ from its peers'; NULL if no
	                     ///< function does
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

/* Collectives of one rank within one set of ranks, whose median end is the reference for lags. */
struct link_line {
	uint32_t rank;
	size_t seen;
	VEC(struct link_point) points; /* sample of at most LINK_POINTS collectives, evenly spread */
};
enum { LINK_POINTS = 64 };

struct links {
	const struct run *run;
	struct idmap sets, ids; /* ids of sets of ranks; ids of pairs of rank and set */
	VEC(struct link_line) lines; /* one line for each pair of a rank and a set of ranks */
	/* indexed by rank: one of this many collectives becomes a point of the sample */
	size_t *stride;
	/* indexed by rank: time in which the others waited for this rank and for no other */
	int64_t *alone_ns;
	VEC(int64_t) ends;
};

/* True for collectives in which all ranks do the same work. */
static bool is_symmetric(enum collective_kind kind)
{
	return kind == COLLECTIVE_ALL_REDUCE || kind == COLLECTIVE_ALL_GATHER ||
	       kind == COLLECTIVE_REDUCE_SCATTER || kind == COLLECTIVE_ALL_TO_ALL ||
	       kind == COLLECTIVE_SEND_RECV;
}

static int64_t end_of(const struct run *run, const struct match_member *m)
{
	const struct collective *c = match_part(run, m);
	return number_add(number_add(run->ranks.v[m->rank]->start_ns, c->start_ns), c->dur_ns);
}

/* FNV-1a hash of the numbers of the ranks that took part. */
static int64_t set_key(const struct rank_match *m)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < m->nr; i++)
		h = (h ^ m->members[i].rank) * 1099511628211u;
	return (int64_t)h;
}

/* Add the time in which the others waited for the last rank only, from the arrival of the second
   to last on. If several ranks are late together because all waited for another rank, the time
   before that is nobody's fault. */
static void add_alone(struct links *l, const struct rank_match *m)
{
	int64_t second = INT64_MAX;
	if (m->last == m->nr)
		return;
	for (size_t i = 0; i < m->nr; i++) {
		int64_t dur = match_part(l->run, &m->members[i])->dur_ns;
		if (i != m->last && dur < second)
			second = dur;
	}
	int64_t *alone = &l->alone_ns[m->members[m->last].rank];
	*alone = number_add(*alone, second - m->wire_ns);
}

static void add_match(void *ctx, const struct rank_match *m)
{
	struct links *l = ctx;
	add_alone(l, m);
	const struct collective *c = match_part(l->run, &m->members[0]);
	enum collective_kind kind = l->run->ranks.v[m->members[0].rank]->comms.v[c->comm].kind;
	if (!is_symmetric(kind))
		return;
	l->ends.nr = 0;
	for (size_t i = 0; i < m->nr; i++)
		vec_push(&l->ends, end_of(l->run, &m->members[i]));
	int64_t median = number_median(l->ends.v, l->ends.nr);
	uint32_t set = idmap_add(&l->sets, set_key(m));
	for (size_t i = 0; i < m->nr; i++) {
		uint32_t r = m->members[i].rank;
		uint32_t id = idmap_add(&l->ids, idmap_pair(r, set));
		if (id == l->lines.nr)
			vec_push(&l->lines, (struct link_line){ .rank = r });
		struct link_line *line = &l->lines.v[id];
		int64_t lag = number_sub(end_of(l->run, &m->members[i]), median);
		if (line->seen++ % l->stride[r] == 0 && line->points.nr < LINK_POINTS)
			vec_push(&line->points,
			         (struct link_point){ m->wire_ns, lag, kind, c->bytes, i == m->last });
	}
}

/* Keep slopes of at least 10 % of the transfer time that differ from those of the peers; set the
   others to 0. */
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
	struct links l = { .run = d->run, .alone_ns = d->alone_ns };
	idmap_init(&l.sets);
	idmap_init(&l.ids);
	l.stride = mem_calloc(d->nr, sizeof *l.stride);
	for (size_t r = 0; r < d->nr; r++)
		l.stride[r] = (size_t)cross_of(d, r)->matched / LINK_POINTS + 1;
	ranks_each_match(d->run, add_match, &l);
	for (size_t i = 0; i < l.lines.nr; i++) {
		struct link_line *line = &l.lines.v[i];
		int64_t slope = link_slope(line->points.v, line->points.nr);
		if (slope > d->link[line->rank])
			d->link[line->rank] = slope;
		vec_release(&line->points);
	}
	keep_notable(d->link, d->nr, &d->arena);
	vec_release(&l.ends);
	vec_release(&l.lines);
	idmap_release(&l.sets);
	idmap_release(&l.ids);
	free(l.stride);
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

/* Find functions of each rank that differ. Fewer are given for slow and late ranks, which have an
   insight anyway. */
static void find_unlike(struct diagnosis *d)
{
	enum { ALONE = 3 };
	size_t *most = arena_alloc(&d->arena, d->nr, sizeof *most);
	for (size_t r = 0; r < d->nr; r++)
		most[r] = d->slow[r] || d->late[r] ? 1 : ALONE;
	functions_unlike(d->view, most, &d->arena, d->unlike);
}

static const char *most_unlike(struct diagnosis *d, size_t r)
{
	return d->unlike[r] ? arena_printf(&d->arena, "; most unlike its peers': %s", d->unlike[r])
	                    : "";
}

/* ---- slow and late ranks ---- */

static void find_slow(struct diagnosis *d)
{
	int64_t *skew = arena_alloc(&d->arena, d->nr, sizeof *skew);
	for (size_t r = 0; r < d->nr; r++)
		skew[r] = cross_of(d, r)->known ? cross_of(d, r)->compute_skew : INT64_MIN;
	slow_ranks(skew, d->nr, d->slow);
}

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

static void find_late(struct diagnosis *d)
{
	int64_t *step = arena_alloc(&d->arena, d->nr, sizeof *step);
	for (size_t r = 0; r < d->nr; r++)
		step[r] = cross_of(d, r)->step_ns;
	late_ranks(d->alone_ns, step, d->nr, d->late);
}

static int64_t per_step(const struct diagnosis *d, size_t r, enum metric_id which)
{
	int64_t value = 0;
	figure_of_rank(d->view, r, which, &value);
	return value;
}

static int64_t beyond_peers(struct diagnosis *d, size_t r, enum metric_id which)
{
	int64_t *others = arena_alloc(&d->arena, d->nr, sizeof *others);
	size_t n = 0;
	for (size_t i = 0; i < d->nr; i++)
		if (i != r)
			others[n++] = per_step(d, i, which);
	return per_step(d, r, which) - number_median(others, n);
}

/* The first figure that explains at least half of the rank's lateness, in words; "" if there is no
   such figure. */
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
	for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
		int64_t more = beyond_peers(d, r, causes[i].which);
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

/* One rank can have several insights: a slow rank is also late, and so is one behind a slow link.
   / */
void diagnose_ranks(const struct run_view *v, bool candidate, struct report *out)
{
	struct diagnosis d = {
		.view = v, .run = v->run, .out = out, .nr = v->run->ranks.nr, .candidate = candidate
	};
	if (d.nr < 2)
		return;
	d.slow = arena_alloc(&d.arena, d.nr, sizeof *d.slow);
	d.late = arena_alloc(&d.arena, d.nr, sizeof *d.late);
	d.link = arena_alloc(&d.arena, d.nr, sizeof *d.link);
	d.alone_ns = arena_alloc(&d.arena, d.nr, sizeof *d.alone_ns);
	find_slow(&d);
	find_links(&d);
	find_late(&d);
	d.unlike = arena_alloc(&d.arena, d.nr, sizeof *d.unlike);
	find_unlike(&d);
	for (size_t r = 0; r < d.nr; r++) {
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
