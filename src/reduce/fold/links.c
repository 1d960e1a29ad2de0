#include "fold/links.h"

#include <stdlib.h>

#include "base/idmap.h"
#include "base/number.h"
#include "model/ranks.h"

/* ---- slope of one rank's links ---- */

ORDERING(by_sort, struct link_point, RISING(sort) RISING(bytes) RISING(wire_ns) RISING(lag_ns))

/* Sets the transfer times of all collectives of one kind and size to the shortest of them: if a
 * transfer took longer, all ranks must have waited for something else. */
static void without_waiting(struct link_point *p, size_t nr)
{
	sort_plain(p, nr, sizeof *p, by_sort);
	for (size_t i = 1; i < nr; i++)
		if (p[i].bytes >= 0 && p[i].sort == p[i - 1].sort && p[i].bytes == p[i - 1].bytes)
			p[i].wire_ns = p[i - 1].wire_ns;
}

static int64_t slope_of(struct link_point *p, size_t nr)
{
	enum { FEWEST = 24, LONGER_PCT = 125, AGREE_PCT = 90 };
	int64_t *slopes = mem_calloc(nr * nr, sizeof *slopes), slope = 0;
	size_t pairs = 0, rising = 0;
	without_waiting(p, nr);
	for (size_t i = 0; i < nr; i++)
		for (size_t k = 0; k < nr; k++) {
			if ((__int128)p[k].wire_ns * 100 < (__int128)p[i].wire_ns * LONGER_PCT ||
			    p[k].wire_ns <= p[i].wire_ns)
				continue;
			__int128 more = (__int128)p[k].lag_ns - p[i].lag_ns;
			rising += more > 0;
			slopes[pairs++] = number_div_round(more * MICRO, p[k].wire_ns - p[i].wire_ns);
		}
	if (pairs >= FEWEST && rising * 100 >= pairs * AGREE_PCT)
		slope = number_median(slopes, pairs);
	free(slopes);
	return slope;
}

/* A collective's lag is a linear function of its transfer time; if the rank came last, slope and
 * offset are different. So one slope is computed from the collectives in which the rank came last,
 * one from those in which it did not, and one from all (in case only short transfers are in one of
 * the two sets, and only long ones in the other). The result is the largest of the three. */
int64_t link_slope(struct link_point *p, size_t nr)
{
	struct link_point *some = mem_calloc(nr, sizeof *some);
	int64_t best = 0;
	for (int which = 0; which < 3; which++) {
		size_t n = 0;
		for (size_t i = 0; i < nr; i++)
			if (which == 2 || p[i].last == which)
				some[n++] = p[i];
		int64_t slope = slope_of(some, n);
		best = slope > best ? slope : best;
	}
	free(some);
	return best;
}

/* ---- links of all ranks ---- */

/* The collectives of one rank with one set of ranks. The lag of a collective is the time from the
 * median end over the set to the end on this rank; it may be negative. */
struct link_line {
	uint32_t rank;
	size_t seen; ///< number of collectives of this rank and set that have been walked
	VEC(struct link_point) points; /* sample of at most LINK_POINTS collectives, evenly spread */
};
enum { LINK_POINTS = 64 };

struct links {
	const struct run *run;
	struct idmap sets, ids; /* ids of sets of ranks; ids of pairs of rank and set */
	/* one element for each rank and each set of ranks that it shares collectives with */
	VEC(struct link_line) lines;
	/* indexed by rank: one in this many successive collectives becomes a point of the sample */
	size_t *stride;
	/* indexed by rank: time in which the other ranks of a collective waited for this rank only */
	int64_t *alone_ns;
	VEC(int64_t) ends; ///< buffer for the ends of one collective on its ranks
};

/* True for kinds of collectives in which all ranks do the same work. */
static bool is_symmetric(enum collective_kind kind)
{
	return kind == COLLECTIVE_ALL_REDUCE || kind == COLLECTIVE_ALL_GATHER ||
	       kind == COLLECTIVE_REDUCE_SCATTER || kind == COLLECTIVE_ALL_TO_ALL ||
	       kind == COLLECTIVE_SEND_RECV;
}

static int64_t end_of(const struct run *run, const struct match_member *m)
{
	const struct collective *c = match_collective(run, m);
	return number_add(number_add(run->ranks.v[m->rank]->start_ns, c->start_ns), c->dur_ns);
}

/* Hash of the ranks that took part in the collective. */
static int64_t set_key(const struct rank_match *m)
{
	uint64_t h = 14695981039346656037u;
	for (size_t i = 0; i < m->nr; i++)
		h = number_hash(h, m->members[i].rank);
	return (int64_t)h;
}

/* Adds to the rank that arrived last the time in which the others waited for this rank only: from
 * the arrival of the second to last rank to the arrival of the last one. Waiting before that is not
 * attributed to any rank: several ranks were late then, perhaps because each of them had waited for
 * yet another rank. */
static void add_alone(struct links *l, const struct rank_match *m)
{
	int64_t second = INT64_MAX;
	if (m->last == m->nr)
		return;
	for (size_t i = 0; i < m->nr; i++) {
		int64_t dur = match_collective(l->run, &m->members[i])->dur_ns;
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
	const struct collective *c = match_collective(l->run, &m->members[0]);
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

void ranks_links(const struct run *run, const int64_t *matched, int64_t *slope, int64_t *alone_ns)
{
	struct links l = { .run = run, .alone_ns = alone_ns };
	idmap_init(&l.sets);
	idmap_init(&l.ids);
	l.stride = mem_calloc(run->ranks.nr, sizeof *l.stride);
	for (size_t r = 0; r < run->ranks.nr; r++)
		l.stride[r] = (size_t)matched[r] / LINK_POINTS + 1;
	ranks_each_match(run, add_match, &l);
	for (size_t i = 0; i < l.lines.nr; i++) {
		struct link_line *line = &l.lines.v[i];
		number_raise(&slope[line->rank], link_slope(line->points.v, line->points.nr));
		vec_release(&line->points);
	}
	vec_release(&l.ends);
	vec_release(&l.lines);
	idmap_release(&l.sets);
	idmap_release(&l.ids);
	free(l.stride);
}
