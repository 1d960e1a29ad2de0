#include "flight/dump.h"

#include <inttypes.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/strbuf.h"
#include "base/text.h"

enum { NAME_CHARS = 80, RANKS_NAMED = 8, LINES_MAX = 16 };

/* One collective of one process group, as one rank entered it. */
struct call {
	uint32_t group; ///< id of the process group in `identities`
	uint32_t dump; ///< index of the rank's dump in `dumps`
	int64_t seq; ///< number of the collective in the process group
	const struct flight_entry *entry;
	bool several; ///< true if the rank entered several collectives under this number (coalesced)
};

/* A collective in which ranks wait for members that have not entered it. */
struct hang {
	const struct call *first; ///< the collective, from the dump of the first rank that waits in it
	size_t waiting; ///< number of ranks that wait in the collective
	VEC(int64_t) missing; ///< ranks that have not entered the collective
	VEC(int64_t) silent; ///< ranks that should have entered the collective, but left no dump
};

struct finder {
	struct flight_dump *const *dumps;
	size_t nr;
	const char *name; ///< name of the run in quotes, for messages
	struct diag_log *log;
	struct name_table identities; ///< process groups, each as a text of its name and members
	VEC(const struct flight_group *) groups; ///< process groups, indexed by id in `identities`
	VEC(struct call) calls; ///< all ranks' collectives, sorted by group, number in the group, rank
	VEC(struct hang) hangs;
	int64_t *last; ///< for each dump, the number of the rank's last collective in the process group
	               ///< being searched; -1 if there is none
	bool *waits; ///< for each dump, true if the rank waits for a rank that has not entered a
	             ///< collective
	bool *named; ///< for each dump, true if an error has said that the rank is stuck
	size_t lines; ///< number of errors; only LINES_MAX of them are shown
};

static int64_t rank_at(const struct finder *f, uint32_t dump)
{
	return f->dumps[dump]->rank;
}

/* Index of the dump of `rank`, or the number of dumps if there is none. */
static size_t dump_of(const struct finder *f, int64_t rank)
{
	size_t lo = 0, hi = f->nr;
	SEARCH(lo, hi, i, f->dumps[i]->rank < rank);
	return lo < f->nr && f->dumps[lo]->rank == rank ? lo : f->nr;
}

static bool is_open(const struct call *p)
{
	return p->entry->state != FLIGHT_COMPLETED;
}

/* ---- the calls by which ranks enter collectives ---- */

/* Id of a process group by name and members: groups with equal names but different members are
 * different groups. */
static uint32_t identity(struct finder *f, const struct flight_group *g)
{
	struct strbuf b = STRBUF_INIT;
	for (size_t i = 0; i < g->ranks.nr; i++)
		strbuf_addf(&b, "%" PRId64 " ", g->ranks.v[i]);
	strbuf_addch(&b, ' ');
	strbuf_add(&b, name_span(g->name));
	const struct name *nm = name_intern(&f->identities, strbuf_span(&b));
	strbuf_release(&b);
	if (!nm)
		return UINT32_MAX;
	if (nm->id == f->groups.nr)
		vec_push(&f->groups, g);
	return nm->id;
}

ORDERING(call_cmp, struct call, RISING(group) RISING(seq) RISING(dump))

/* Collects the collectives of all ranks. Coalesced collectives share one number and become one
 * `struct call` with the entry, and so the name and state, of the last one. */
static void collect(struct finder *f)
{
	for (uint32_t k = 0; k < f->nr; k++) {
		const struct flight_dump *d = f->dumps[k];
		uint32_t *ids = mem_calloc(d->groups.nr, sizeof *ids);
		for (size_t i = 0; i < d->groups.nr; i++)
			ids[i] = identity(f, &d->groups.v[i]);
		for (size_t i = 0; i < d->entries.nr; i++) {
			const struct flight_entry *e = &d->entries.v[i];
			if (ids[e->group] != UINT32_MAX)
				vec_push(&f->calls, (struct call){ ids[e->group], k, e->seq, e, false });
		}
		free(ids);
	}
	vec_sort(&f->calls, call_cmp);
	size_t nr = 0;
	for (size_t i = 0; i < f->calls.nr; i++) {
		struct call *p = &f->calls.v[i];
		if (nr && call_cmp(&f->calls.v[nr - 1], p) == 0) {
			f->calls.v[nr - 1].several = true;
			f->calls.v[nr - 1].entry = p->entry;
		} else {
			f->calls.v[nr++] = *p;
		}
	}
	f->calls.nr = nr;
}

/* ---- sentences of errors ---- */

static void add_ranks(struct strbuf *b, const int64_t *v, size_t nr)
{
	strbuf_adds(b, nr == 1 ? "rank " : "ranks ");
	for (size_t i = 0; i < nr && i < RANKS_NAMED; i++)
		strbuf_addf(b, "%s%" PRId64, i ? ", " : "", v[i]);
	if (nr > RANKS_NAMED)
		strbuf_addf(b, " and %zu more", nr - RANKS_NAMED);
}

static void add_name(struct strbuf *b, const struct name *nm)
{
	text_add_short(b, name_span(nm), NAME_CHARS);
}

static void add_what(struct strbuf *b, const struct call *p)
{
	const struct flight_entry *e = p->entry;
	add_name(b, e->kind);
	if (e->sizes && e->sizes->n && !p->several) {
		strbuf_adds(b, " of ");
		add_name(b, e->sizes);
		if (e->dtype) {
			strbuf_addch(b, ' ');
			add_name(b, e->dtype);
		}
	}
}

/* Appends "collective 41 (all_reduce of [4, 4] Float) of process group '0' (default_pg)". */
static void add_collective(struct strbuf *b, const struct finder *f, const struct call *p)
{
	const struct flight_group *g = f->groups.v[p->group];
	strbuf_addf(b, "collective %" PRId64 " (", p->seq);
	add_what(b, p);
	strbuf_adds(b, ") of process group '");
	add_name(b, g->name);
	strbuf_addch(b, '\'');
	if (g->desc && g->desc->n) {
		strbuf_adds(b, " (");
		add_name(b, g->desc);
		strbuf_addch(b, ')');
	}
}

static void add_frame(struct strbuf *b, const struct flight_entry *e)
{
	if (!e->frame)
		return;
	strbuf_adds(b, " at ");
	add_name(b, e->frame);
}

static void say(struct finder *f, struct strbuf *b)
{
	if (f->lines++ < LINES_MAX)
		diag_error(f->log, "%s: %s", f->name, strbuf_str(b));
	strbuf_release(b);
}

/* ---- ranks that did not enter a collective ---- */

/* False if it is unknown which collectives of the group the rank has entered: its dump has no
   entry of this group, and older entries are lost. */
static bool is_known(const struct finder *f, size_t dump)
{
	return f->last[dump] >= 0 || !f->dumps[dump]->dropped;
}

/* Adds a group's first collective `p` in which ranks wait, with the members that have not entered
 * the collective, and the members that have no dump. */
static void add_hang(struct finder *f, const struct flight_group *g, const struct call *p,
                     size_t waiting)
{
	struct hang h = { .first = p, .waiting = waiting };
	for (size_t i = 0; i < g->ranks.nr; i++) {
		size_t k = dump_of(f, g->ranks.v[i]);
		if (k == f->nr)
			vec_push(&h.silent, g->ranks.v[i]);
		else if (is_known(f, k) && f->last[k] < p->seq)
			vec_push(&h.missing, g->ranks.v[i]);
	}
	for (size_t k = 0; g->ranks.nr == 0 && k < f->nr; k++)
		if (f->last[k] >= 0 && f->last[k] < p->seq)
			vec_push(&h.missing, f->dumps[k]->rank);
	if (h.missing.nr || h.silent.nr) {
		vec_push(&f->hangs, h);
	} else {
		vec_release(&h.missing);
		vec_release(&h.silent);
	}
}

/* The number of the last collective in the group that all members with a dump have entered; -1 if a
 * member has entered none, INT64_MAX if no dump shows it. `*silent` becomes true if a member has no
 * dump. If the members are not given, all ranks with entries of the group count as members. */
static int64_t lowest(const struct finder *f, const struct flight_group *g, bool *silent)
{
	int64_t low = INT64_MAX;
	*silent = false;
	for (size_t i = 0; i < g->ranks.nr; i++) {
		size_t k = dump_of(f, g->ranks.v[i]);
		*silent = *silent || k == f->nr;
		if (k < f->nr && is_known(f, k) && f->last[k] < low)
			low = f->last[k];
	}
	for (size_t k = 0; g->ranks.nr == 0 && k < f->nr; k++)
		if (f->last[k] >= 0 && f->last[k] < low)
			low = f->last[k];
	return low;
}

static void find_missing(struct finder *f, const struct call *v, size_t nr)
{
	const struct flight_group *g = f->groups.v[v->group];
	bool silent;
	for (size_t k = 0; k < f->nr; k++)
		f->last[k] = -1;
	for (size_t i = 0; i < nr; i++)
		f->last[v[i].dump] = v[i].seq;
	int64_t low = lowest(f, g, &silent);
	const struct call *first = NULL;
	size_t waiting = 0;
	for (size_t i = 0; i < nr; i++) {
		if (!is_open(&v[i]) || (v[i].seq <= low && !silent))
			continue;
		f->waits[v[i].dump] = true;
		first = first ? first : &v[i];
		waiting += v[i].seq == first->seq;
	}
	if (first)
		add_hang(f, g, first, waiting);
}

/* Appends "broadcast 3 of process group '2' at train.py:40 (step)". */
static void add_work(struct strbuf *b, const struct flight_dump *d, const struct flight_entry *e)
{
	add_name(b, e->kind);
	if (e != &d->groups.v[e->group].p2p)
		strbuf_addf(b, " %" PRId64, e->seq);
	strbuf_adds(b, " of process group '");
	add_name(b, d->groups.v[e->group].name);
	strbuf_addch(b, '\'');
	add_frame(b, e);
}

static void add_last(struct strbuf *b, const struct finder *f, int64_t rank)
{
	const struct flight_dump *d = f->dumps[dump_of(f, rank)];
	if (d->entries.nr == 0) {
		strbuf_adds(b, "; it entered none at all");
		return;
	}
	strbuf_adds(b, "; the last that it entered is ");
	add_work(b, d, &d->entries.v[d->entries.nr - 1]);
}

static void say_stuck(struct finder *f, const struct hang *h, int64_t rank)
{
	struct strbuf b = STRBUF_INIT;
	f->named[dump_of(f, rank)] = true;
	strbuf_addf(&b, "rank %" PRId64 " is stuck: it never entered ", rank);
	add_collective(&b, f, h->first);
	strbuf_addf(&b, ", in which rank %" PRId64, rank_at(f, h->first->dump));
	if (h->waiting > 1)
		strbuf_addf(&b, " and %zu other%s wait", h->waiting - 1, text_s((int64_t)h->waiting - 1));
	else
		strbuf_adds(&b, " waits");
	add_frame(&b, h->first->entry);
	add_last(&b, f, rank);
	say(f, &b);
}

static void say_silent(struct finder *f, const struct hang *h)
{
	struct strbuf b = STRBUF_INIT;
	add_ranks(&b, h->silent.v, h->silent.nr);
	strbuf_addf(&b, " left no dump, and rank %" PRId64 " waits in ", rank_at(f, h->first->dump));
	add_collective(&b, f, h->first);
	add_frame(&b, h->first->entry);
	strbuf_adds(&b, ": see whether the rank died, or give its dump too");
	say(f, &b);
}

static void say_hangs(struct finder *f)
{
	for (int all = 0; all < 2 && f->lines == 0; all++)
		for (size_t i = 0; i < f->hangs.nr; i++) {
			const struct hang *h = &f->hangs.v[i];
			size_t before = f->lines;
			for (size_t k = 0; k < h->missing.nr; k++) {
				size_t dump = dump_of(f, h->missing.v[k]);
				/* a rank that waits for others is not the cause, unless all wait for each other */
				if (!f->named[dump] && (all || !f->waits[dump]))
					say_stuck(f, h, h->missing.v[k]);
			}
			if (h->silent.nr && f->lines == before && (all || h->missing.nr == 0))
				say_silent(f, h);
		}
}

/* ---- ranks that entered another collective ---- */

/* True for kinds of collectives in which the inputs of all members have equal size. Source:
   match_one_event() of torch/distributed/flight_recorder/components/utils.py. */
static bool is_even(const struct name *kind)
{
	return span_is_listed(name_span(kind),
	                      "all_reduce broadcast reduce all_gather _all_gather_base "
	                      "all_gather_single reduce_scatter _reduce_scatter_base "
	                      "reduce_scatter_single");
}

static bool is_alike(const struct call *x, const struct call *y)
{
	const struct flight_entry *a = x->entry, *b = y->entry;
	if (!span_eq(name_span(a->kind), name_span(b->kind)))
		return false;
	if (!is_even(a->kind) || x->several || y->several)
		return true;
	if (a->elements >= 0 && b->elements >= 0 && a->elements != b->elements)
		return false;
	return !a->dtype || !b->dtype || span_eq(name_span(a->dtype), name_span(b->dtype));
}

/* `v` has the entries of `nr` ranks for one collective. Returns the entry with which most
   entries agree; on a tie, the one of the lowest rank. */
static const struct call *usual(const struct call *v, size_t nr)
{
	const struct call *best = v;
	size_t most = 0, variants = 0;
	enum { VARIANTS_MAX = 16 };
	const struct call *seen[VARIANTS_MAX];
	for (size_t i = 0; i < nr && variants < VARIANTS_MAX; i++) {
		size_t alike = 0, k = 0;
		while (k < variants && !is_alike(seen[k], &v[i]))
			k++;
		if (k < variants)
			continue;
		seen[variants++] = &v[i];
		for (size_t j = 0; j < nr; j++)
			alike += is_alike(&v[i], &v[j]);
		if (alike > most) {
			most = alike;
			best = &v[i];
		}
	}
	return best;
}

static bool say_mismatch(struct finder *f, const struct call *v, size_t nr)
{
	const struct call *right = usual(v, nr), *first = NULL;
	VEC(int64_t) others = VEC_INIT;
	for (size_t i = 0; i < nr; i++)
		if (!is_alike(right, &v[i])) {
			first = first ? first : &v[i];
			if (is_alike(first, &v[i]))
				vec_push(&others, rank_at(f, v[i].dump));
		}
	if (first) {
		struct strbuf b = STRBUF_INIT;
		add_ranks(&b, others.v, others.nr);
		strbuf_adds(&b, " entered ");
		add_what(&b, first);
		add_frame(&b, first->entry);
		strbuf_addf(&b, " where rank %" PRId64 " entered ", rank_at(f, right->dump));
		add_collective(&b, f, right);
		add_frame(&b, right->entry);
		strbuf_adds(&b, ": collectives do not match");
		say(f, &b);
	}
	vec_release(&others);
	return first;
}

/* Finds the first sequence number of a group at which ranks entered different collectives. Later
 * differences are ignored, since they follow from the first. */
static void find_mismatch(struct finder *f, const struct call *v, size_t nr)
{
	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i; end < nr && v[end].seq == v[i].seq;)
			end++;
		if (say_mismatch(f, &v[i], end - i))
			return;
	}
}

/* ---- work that had not ended, if no rank is named ---- */

/* Reports the first work of each rank that had not ended, except collectives that another rank has
   completed. Sends and receives of one group end in order, so it is enough to look at the group's
   last one. If several are launched as one batch, only the last one's state is kept up to date. */
static void say_open(struct finder *f)
{
	const struct flight_entry **first = mem_calloc(f->nr, sizeof *first);
	for (size_t i = 0, end; i < f->calls.nr; i = end) {
		const struct call *p = &f->calls.v[i];
		bool open = true;
		for (end = i; end < f->calls.nr && p->group == f->calls.v[end].group &&
		              p->seq == f->calls.v[end].seq;
		     end++)
			open = open && is_open(&f->calls.v[end]);
		for (; open && p < &f->calls.v[end]; p++)
			if (!first[p->dump] || p->entry < first[p->dump])
				first[p->dump] = p->entry;
	}
	for (uint32_t k = 0; k < f->nr; k++) {
		const struct flight_dump *d = f->dumps[k];
		struct strbuf b = STRBUF_INIT;
		for (size_t i = 0; !first[k] && i < d->groups.nr; i++)
			if (d->groups.v[i].p2p.kind && d->groups.v[i].p2p.state != FLIGHT_COMPLETED)
				first[k] = &d->groups.v[i].p2p;
		if (!first[k])
			continue;
		strbuf_addf(&b, "rank %" PRId64 " had not ended ", rank_at(f, k));
		add_work(&b, d, first[k]);
		strbuf_adds(&b, ", and no dump shows whom it waits for");
		say(f, &b);
	}
	free(first);
}

/* ---- search for hangs in all dumps ---- */

static void each_group(struct finder *f,
                       void (*find)(struct finder *f, const struct call *v, size_t nr))
{
	for (size_t i = 0, end; i < f->calls.nr; i = end) {
		for (end = i; end < f->calls.nr && f->calls.v[end].group == f->calls.v[i].group;)
			end++;
		find(f, &f->calls.v[i], end - i);
	}
}

size_t flight_find_hangs(struct flight_dump *const *v, size_t nr, const char *name,
                         struct diag_log *log)
{
	struct finder f = { .dumps = v, .nr = nr, .name = name, .log = log };
	f.last = mem_calloc(nr, sizeof *f.last);
	f.waits = mem_calloc(nr, sizeof *f.waits);
	f.named = mem_calloc(nr, sizeof *f.named);
	name_table_init(&f.identities);
	collect(&f);
	each_group(&f, find_missing);
	say_hangs(&f);
	each_group(&f, find_mismatch);
	if (f.lines == 0)
		say_open(&f);
	if (f.lines > LINES_MAX)
		diag_error(log, "%s: %zu more of these", name, f.lines - LINES_MAX);
	for (size_t i = 0; i < f.hangs.nr; i++) {
		vec_release(&f.hangs.v[i].missing);
		vec_release(&f.hangs.v[i].silent);
	}
	vec_release(&f.hangs);
	vec_release(&f.calls);
	vec_release(&f.groups);
	name_table_release(&f.identities);
	free(f.last);
	free(f.waits);
	free(f.named);
	return f.lines;
}
