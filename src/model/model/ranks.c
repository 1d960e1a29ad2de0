#include "model/ranks.h"

#include "base/idmap.h"
#include "base/intern.h"
#include "base/number.h"

/* ---- matching of collectives across ranks ---- */

/* All collectives of one process group and kind in one step. The n-th one on each rank is taken to
 * be the same collective. */
struct series {
	int64_t group_size; /* number of ranks in the group; -1 if unknown */
	bool one_sided; /* true for sends and receives, which are different calls on the two peers */
	bool unsure; /* true if the series may include sends; it is then matched only if all ranks have
	                equally many collectives */
	uint32_t rank, next; /* rank that is being counted; index of that rank's next collective */
	size_t ranks, total, longest;
	size_t first; /* index of the series' first match among all matches */
};

struct matcher {
	const struct run *run;
	struct name_table kinds; /* table of the combinations of kind, group and group size, as text */
	struct idmap steps, series_ids;
	VEC(struct series) series;
	VEC(uint32_t) series_of; /* index of the series of each collective, rank by rank */
	size_t nr_matches;
	size_t *place; /* index in `members` at which each match begins; nr_matches + 1 elements */
	struct match_member *members;
};

int64_t digest_covered_steps(const struct digest *d)
{
	if (d->collectives_cut == 0 || d->collectives.nr == 0)
		return d->usable_steps;
	int64_t last = d->collectives.v[d->collectives.nr - 1].step;
	return last < d->usable_steps ? last : d->usable_steps;
}

/* Id for the kind, group and group size of a comm_stat: equal on all ranks of the group. */
static uint32_t kind_id(struct matcher *m, const struct comm_stat *c)
{
	struct strbuf b = STRBUF_INIT;
	strbuf_addf(&b, "%d %lld ", (int)c->kind, (long long)c->group_size);
	strbuf_add(&b, c->group_name.n ? c->group_name : c->group);
	const struct name *nm = name_intern(&m->kinds, strbuf_span(&b));
	strbuf_release(&b);
	return nm ? nm->id : NO_ID;
}

static uint32_t series_id(struct matcher *m, const struct comm_stat *c, uint32_t kind, int64_t step)
{
	uint32_t id = idmap_add(&m->series_ids, idmap_pair(kind, idmap_add(&m->steps, step)));
	if (id == m->series.nr) {
		struct series *s = vec_push_zero(&m->series);
		s->group_size = c->group_size;
		s->one_sided = c->kind == COLLECTIVE_SEND || c->kind == COLLECTIVE_RECV;
		s->unsure = c->kind == COLLECTIVE_SEND_RECV || c->kind == COLLECTIVE_OTHER;
		s->rank = NO_ID;
	}
	return id;
}

/* Index of the next collective of rank `r` in a series. */
static uint32_t next_place(struct series *s, uint32_t r)
{
	if (s->rank != r) {
		s->rank = r;
		s->next = 0;
	}
	return s->next++;
}

static void sort_rank(struct matcher *m, uint32_t r)
{
	const struct digest *d = m->run->ranks.v[r];
	int64_t steps = digest_covered_steps(d);
	uint32_t *kinds = mem_calloc(d->comms.nr, sizeof *kinds);
	for (size_t i = 0; i < d->comms.nr; i++)
		kinds[i] = kind_id(m, &d->comms.v[i]);
	for (size_t i = 0; i < d->collectives.nr; i++) {
		const struct collective *c = &d->collectives.v[i];
		uint32_t id = NO_ID;
		if (c->step >= 0 && c->step < steps && c->comm >= 0 && (size_t)c->comm < d->comms.nr &&
		    kinds[c->comm] != NO_ID) {
			id = series_id(m, &d->comms.v[c->comm], kinds[c->comm], d->step_numbers[c->step]);
			struct series *s = &m->series.v[id];
			size_t place = next_place(s, r);
			s->ranks += place == 0;
			s->total++;
			if (place >= s->longest)
				s->longest = place + 1;
		}
		vec_push(&m->series_of, id);
	}
	free(kinds);
}

/* True if the collectives of a series can be matched. This is false, for example, if groups with
 * different members have the same name: together they have more ranks than one group. */
static bool is_matched(const struct series *s)
{
	return s->ranks > 1 && !s->one_sided && !(s->unsure && s->total != s->ranks * s->longest) &&
	       (s->group_size < 0 || s->ranks <= (uint64_t)s->group_size);
}

/* For each collective of all ranks, adds 1 to the element of `counts` that belongs to its match. If
 * `members` is not NULL, first stores the collective in `members`, at the index that this element
 * holds. */
static void each_member(struct matcher *m, size_t *counts, struct match_member *members)
{
	size_t at = 0;
	for (size_t i = 0; i < m->series.nr; i++)
		m->series.v[i].rank = NO_ID;
	for (uint32_t r = 0; r < m->run->ranks.nr; r++) {
		size_t nr = m->run->ranks.v[r]->collectives.nr;
		for (uint32_t i = 0; i < nr; i++, at++) {
			uint32_t id = m->series_of.v[at];
			if (id == NO_ID || !is_matched(&m->series.v[id]))
				continue;
			struct series *s = &m->series.v[id];
			size_t match = s->first + next_place(s, r);
			if (members)
				members[counts[match]] = (struct match_member){ r, i };
			counts[match]++;
		}
	}
}

static void match_all(struct matcher *m)
{
	for (uint32_t r = 0; r < m->run->ranks.nr; r++)
		sort_rank(m, r);
	for (size_t i = 0; i < m->series.nr; i++) {
		struct series *s = &m->series.v[i];
		s->first = m->nr_matches;
		if (is_matched(s))
			m->nr_matches += s->longest;
	}
	/* place[k] is advanced while the members of match k - 1 are filled in, and ends as the start of
	 * match k */
	m->place = mem_calloc(m->nr_matches + 2, sizeof *m->place);
	each_member(m, m->place + 2, NULL);
	for (size_t k = 2; k < m->nr_matches + 2; k++)
		m->place[k] += m->place[k - 1];
	m->members = mem_calloc(m->place[m->nr_matches + 1], sizeof *m->members);
	each_member(m, m->place + 1, m->members);
}

/* The member that entered last has the shortest duration, since it waits for no other member. */
static void find_last(const struct run *run, struct rank_match *out)
{
	out->wire_ns = INT64_MAX;
	for (size_t i = 0; i < out->nr; i++) {
		int64_t dur = match_collective(run, &out->members[i])->dur_ns;
		if (dur <= out->wire_ns)
			out->last = dur < out->wire_ns ? i : out->nr;
		number_lower(&out->wire_ns, dur);
	}
}

void ranks_each_match(const struct run *run, rank_match_fn *fn, void *ctx)
{
	struct matcher m = { .run = run };
	name_table_init(&m.kinds);
	idmap_init(&m.steps);
	idmap_init(&m.series_ids);
	match_all(&m);
	for (size_t k = 0; k < m.nr_matches; k++) {
		struct rank_match out = { .members = m.members + m.place[k],
			                      .nr = m.place[k + 1] - m.place[k] };
		if (out.nr < 2)
			continue;
		find_last(run, &out);
		fn(ctx, &out);
	}
	free(m.members);
	free(m.place);
	vec_release(&m.series_of);
	vec_release(&m.series);
	idmap_release(&m.series_ids);
	idmap_release(&m.steps);
	name_table_release(&m.kinds);
}

/* ---- figures of each rank ---- */

struct summing {
	const struct run *run;
	struct cross_rank *out;
	VEC(int64_t) others;
};

static void add_match(void *ctx, const struct rank_match *m)
{
	struct summing *s = ctx;
	s->others.nr = 0;
	for (size_t i = 0; i < m->nr; i++) {
		struct cross_rank *c = &s->out[m->members[i].rank];
		int64_t dur = match_collective(s->run, &m->members[i])->dur_ns;
		c->matched++;
		c->transfer_ns = number_add(c->transfer_ns, m->wire_ns);
		c->wait_ns = number_add(c->wait_ns, dur - m->wire_ns);
		if (i != m->last)
			vec_push(&s->others, dur);
	}
	if (m->last < m->nr) {
		struct cross_rank *c = &s->out[m->members[m->last].rank];
		c->last_count++;
		c->late_ns = number_add(c->late_ns, number_median(s->others.v, s->others.nr) - m->wire_ns);
	}
}

/* True if the digest has marked steps, even if all of them were left out as warm-up. */
static bool has_steps(const struct digest *d)
{
	return !d->window && d->total_steps > 0;
}

/* Counts for each rank the steps that other ranks have and this rank lacks; a step that is cut
 * short counts as missing. */
static void find_missing_steps(const struct run *run, struct cross_rank *out)
{
	struct idmap all;
	idmap_init(&all);
	for (size_t r = 0; r < run->ranks.nr; r++)
		for (int64_t i = 0; has_steps(run->ranks.v[r]) && i < run->ranks.v[r]->usable_steps; i++)
			idmap_add(&all, run->ranks.v[r]->step_numbers[i]);
	for (size_t r = 0; r < run->ranks.nr; r++) {
		int64_t more = (int64_t)all.keys.nr - run->ranks.v[r]->usable_steps;
		out[r].missing_steps = has_steps(run->ranks.v[r]) && more > 0 ? more : 0;
	}
	idmap_release(&all);
}

void ranks_skew(int64_t *compute, size_t nr)
{
	VEC(int64_t) known = VEC_INIT;
	for (size_t r = 0; r < nr; r++)
		if (compute[r] != MEMORY_UNKNOWN)
			vec_push(&known, compute[r]);
	int64_t median = known.nr > 1 ? number_median(known.v, known.nr) : 0;
	for (size_t r = 0; r < nr; r++)
		if (compute[r] != MEMORY_UNKNOWN)
			compute[r] =
			    median > 0 ? number_pct((__int128)compute[r] - median, median) : MEMORY_UNKNOWN;
	vec_release(&known);
}

static void find_skew(const struct run *run, struct cross_rank *out)
{
	int64_t *compute = mem_calloc(run->ranks.nr, sizeof *compute);
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		compute[r] = d->usable_steps > 0 && d->kernels.nr > 0
		                 ? stat_of(STAT_MEDIAN, d->samples[METRIC_STEP_COMPUTE_TIME],
		                           (size_t)d->usable_steps)
		                 : MEMORY_UNKNOWN;
	}
	ranks_skew(compute, run->ranks.nr);
	for (size_t r = 0; r < run->ranks.nr; r++)
		out[r].compute_skew = compute[r];
	free(compute);
}

void ranks_cross(const struct run *run, struct cross_rank *out)
{
	struct summing s = { run, out, VEC_INIT };
	bool known = run->ranks.nr > 0 && run->ranks.v[0]->in_fold;
	memset(out, 0, run->ranks.nr * sizeof *out);
	if (run->ranks.nr > 1 && !known) {
		ranks_each_match(run, add_match, &s);
		find_missing_steps(run, out);
		find_skew(run, out);
	}
	for (size_t r = 0; r < run->ranks.nr; r++) {
		const struct digest *d = run->ranks.v[r];
		struct cross_rank *c = &out[r];
		c->known = run->ranks.nr > 1 && digest_has_trace(d);
		if (d->cross.known) {
			*c = d->cross;
			continue;
		}
		c->steps = digest_covered_steps(d);
		for (int64_t i = 0; i < c->steps; i++)
			c->step_ns = number_add(c->step_ns, d->samples[METRIC_STEP_TIME][i]);
	}
	vec_release(&s.others);
}
